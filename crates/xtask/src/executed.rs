//! `cargo xtask executed`: how many instructions of this machine a run takes.
//!
//! Where other load makes seconds useless, these still tell two builds apart:
//! the same build differs by less than one in a thousand.

use std::process::Command;

use crate::Outcome;
use crate::options::Options;

/// Runs the command: each application once under valgrind, in one build of
/// `upset` or in two.
pub fn command(words: &[String]) -> Outcome<()> {
    let (builds, rest) = builds_and_rest(words)?;
    let options = Options::of_papers(&rest, 1)?;
    println!("{} scale, {}, million instructions", options.scale, options.chip_name);
    let mut ratios = Vec::new();
    for app in &options.apps {
        let run = ["run", app.id(), "--chip", &options.chip_name, "--scale", options.scale.name()];
        // Threads that wait for each other would be counted. A build before them has one.
        let alone = [&run[..], &["--threads", "1"]].concat();
        let of = |build: &String| count(build, &alone).or_else(|_| count(build, &run));
        let counts = builds.iter().map(of).collect::<Outcome<Vec<u64>>>()?;
        let mut line = format!("{:<6}", app.id());
        counts.iter().for_each(|n| line += &format!(" {:>10.1}", *n as f64 / 1e6));
        if let [new, old] = counts[..] {
            let ratio = new as f64 / old as f64;
            line += &format!(" {ratio:>8.4}");
            ratios.push(ratio);
        }
        println!("{line}");
    }
    if !ratios.is_empty() {
        let mean = ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64;
        println!("geometric mean of the ratios {:.4}", mean.exp());
    }
    Ok(())
}

/// The programs to look at, the one to compare with last, and the other words.
fn builds_and_rest(words: &[String]) -> Outcome<(Vec<String>, Vec<String>)> {
    let (mut build, mut against) = ("target/release/upset".to_string(), None);
    let mut rest = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().cloned().ok_or(format!("{word} needs a program"));
        match word.as_str() {
            "--upset" => build = value()?,
            "--against" => against = Some(value()?),
            _ => rest.push(word.clone()),
        }
    }
    Ok(([Some(build), against].into_iter().flatten().collect(), rest))
}

fn count(program: &str, args: &[&str]) -> Outcome<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program])
        .args(args)
        .output()
        .map_err(|e| format!("cannot start valgrind: {e} (Debian's package `valgrind` has it)"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    counted(&said).filter(|_| output.status.success()).ok_or_else(|| {
        format!("{program} {}: {}", args.join(" "), said.lines().last().unwrap_or("no output"))
    })
}

/// The number in valgrind's line of instructions.
fn counted(said: &str) -> Option<u64> {
    let line = said.lines().rev().find(|l| l.contains("I ") && l.contains("refs:"))?;
    line.rsplit("refs:").next()?.trim().replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read_from_valgrinds_words() {
        assert_eq!(counted("==1== \n==1== I   refs:      2,439,523,857\n"), Some(2_439_523_857));
        assert_eq!(counted("==1== I refs:        47\n"), Some(47));
        assert_eq!(counted("no such program"), None);
    }

    #[test]
    fn the_build_to_compare_with_comes_last() {
        let words = ["--against", "old", "--chip", "gv100", "--upset", "new", "hs"];
        let (builds, rest) = builds_and_rest(&words.map(String::from)).unwrap();
        assert_eq!(
            (builds, rest.join(" ")),
            (vec!["new".into(), "old".into()], "--chip gv100 hs".into())
        );
        assert!(builds_and_rest(&["--against".into()]).is_err());
    }
}
