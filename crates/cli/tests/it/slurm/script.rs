//! Job files for other schedulers, run as their pages say.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::cluster::unpacked;
use crate::{code, stderr, stdout};

const SPEC: &str =
    "apps = [\"va\"]\nchips = [\"rtx2060\"]\nstructures = [\"rf\", \"l2\"]\nruns = 100\n";

/// A shell in a folder, with upset and what was unpacked at hand.
fn shell(folder: &Path, line: &str) -> (i32, String) {
    let upset = Path::new(env!("CARGO_BIN_EXE_upset")).parent().expect("a folder").to_path_buf();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let more = unpacked().map(|prefix| prefix.join("usr/bin"));
    let places = [upset].into_iter().chain(more).chain(std::env::split_paths(&path));
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).env("HOME", folder);
    command.env("PATH", std::env::join_paths(places).expect("no colons"));
    let o = command.output().expect("it starts");
    (code(&o), stdout(&o) + &stderr(&o))
}

/// Runs some lines; the stores of three shards are then one campaign's.
fn makes_the_campaign(lines: &[&str]) {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("study.toml"), SPEC).expect("written");
    let end = ["upset merge stores/shard.*.db --out merged.db -q"];
    let whole = ["upset campaign study.toml --out whole.db -q"];
    for line in lines.iter().chain(&end).chain(&whole) {
        let (code, said) = shell(dir.path(), line);
        assert_eq!(code, 0, "{line}: {said}");
    }
    let read = |name: &str| fs::read(dir.path().join(name)).expect("a store");
    assert!(read("merged.db") == read("whole.db"));
}

/// Each index twice, as by a scheduler that starts something again.
#[test]
fn an_index_from_the_environment_counted_from_zero() {
    makes_the_campaign(&[
        "upset slurm script study.toml --shards 3 --index-var JOB_COMPLETION_INDEX \
         --first-index 0 --folder stores >job.sh",
        "for i in 0 1 2 0 1 2; do JOB_COMPLETION_INDEX=$i sh job.sh || exit; done",
    ]);
}

#[test]
fn gnu_parallel() {
    if unpacked().is_none() {
        return;
    }
    makes_the_campaign(&[
        "upset slurm script study.toml --shards 3 --folder stores >job.sh",
        "seq 3 | parallel --will-cite --jobs 2 --retries 3 sh job.sh",
    ]);
}

#[test]
fn what_makes_no_sense_is_told_before_any_job() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("study.toml"), SPEC).expect("written");
    for (words, why) in [
        ("--shards 0", "a shard is"),
        ("--shards 3 --index-var 'a b'", "no name of an environment variable"),
        ("--shards 3 --first-index 2", "2 is not in 0..=1"),
    ] {
        let (code, said) = shell(dir.path(), &format!("upset slurm script study.toml {words}"));
        assert!(code == 2 && said.contains(why), "{said}");
    }
    let (code, said) = shell(dir.path(), "upset slurm script study.toml --shards 3 >j; sh j");
    assert!(code != 0 && said.contains("the index of the job, from 1"), "{said}");
}
