//! `cargo xtask exhaustive`: whether the intervals of sampled campaigns hold
//! the exact AVF of small kernels.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::coverage::upset::{Folder, succeed};
use crate::coverage::{LAUNCH, Subject, all_programs};
use crate::overhead::release_build;
use crate::{Outcome, root};

const USAGE: &str = "usage: cargo xtask exhaustive [--runs n] [--seed n]";

/// Changes of `rtx2060`.
const ONE_SM: &[&str] = &["sm.count=1", "cache.l1d.sets=1", "cache.l1d.ways=16"];

/// Applications whose launches are short enough: application, launch, structure.
const KERNELS: &[(&str, u32, &str)] = &[
    ("va", 0, "pred"),
    ("ge", 36, "pred"),
    ("ge", 37, "pred"),
    ("ge", 37, "l1d.data"),
    ("bfs", 25, "pred"),
    ("bfs", 25, "l1d.data"),
    ("nw", 6, "pred"),
    ("lud", 5, "pred"),
    ("lud", 6, "pred"),
];

/// The documentation's application, on a chip that it nearly fills.
const SAXPY: &str = "docs/examples/saxpy";
const SAXPY_LAUNCH: u32 = 2;
const SAXPY_STRUCTURES: &[&str] = &["pred", "l1d.data"];
const SAXPY_CHIP: &[&str] = &[
    "sm.count=1",
    "sm.subcores=1",
    "sm.warps=2",
    "sm.threads=64",
    "sm.threads_per_cta=64",
    "sm.ctas=1",
    "scheduler.per_sm=1",
    "registers.partitions=1",
    "registers.per_sm=2048",
    "registers.per_cta=2048",
    "cache.l1d.sets=1",
    "cache.l1d.ways=8",
];

/// What both modes are asked.
struct Case {
    name: String,
    app: PathBuf,
    /// The launch that is studied.
    launch: String,
    structure: String,
    set: Vec<String>,
    /// Failing bits x cycles, where a formula tells them.
    formula: Option<u128>,
}

struct Options {
    runs: u64,
    seed: u64,
}

fn parse(words: &[String]) -> Outcome<Options> {
    let mut options = Options { runs: 1000, seed: 1 };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut number = || {
            let text = words.next().ok_or(format!("{word} needs a number"))?;
            text.parse::<u64>().map_err(|_| format!("{word} {text}: not a number"))
        };
        match word.as_str() {
            "--runs" => options.runs = number()?.max(1),
            "--seed" => options.seed = number()?,
            other => return Err(format!("no option {other:?}\n\n{USAGE}")),
        }
    }
    Ok(options)
}

/// Runs the command.
pub fn command(words: &[String]) -> Outcome<()> {
    let options = parse(words)?;
    let upset = release_build()?;
    let within = std::env::temp_dir().join(format!("upset-exhaustive-{}", std::process::id()));
    let compared = cases(&within).and_then(|cases| compare(&upset, &within, &cases, &options));
    let _ = std::fs::remove_dir_all(&within);
    compared
}

fn cases(within: &Path) -> Outcome<Vec<Case>> {
    let mut cases = Vec::new();
    for program in all_programs() {
        let subject = Subject::new(program)?;
        let folder = Folder::write(within, &subject)?;
        cases.push(Case {
            name: subject.program.name.into(),
            app: folder.path().to_path_buf(),
            launch: LAUNCH.to_string(),
            structure: subject.program.structure.into(),
            set: subject.program.chip.iter().map(|s| s.to_string()).collect(),
            formula: Some(subject.held_area()),
        });
    }
    let words = |set: &[&str]| set.iter().map(|s| s.to_string()).collect();
    let saxpy = root().join(SAXPY);
    let small = KERNELS.iter().map(|&(app, n, s)| (app, PathBuf::from(app), n, s, ONE_SM));
    let of_saxpy = SAXPY_STRUCTURES.iter();
    let of_saxpy = of_saxpy.map(|s| ("saxpy", saxpy.clone(), SAXPY_LAUNCH, *s, SAXPY_CHIP));
    for (name, app, launch, structure, set) in small.chain(of_saxpy) {
        cases.push(Case {
            name: format!("{name}, launch {launch}"),
            app,
            launch: launch.to_string(),
            structure: structure.to_string(),
            set: words(set),
            formula: None,
        });
    }
    Ok(cases)
}

fn compare(upset: &Path, within: &Path, cases: &[Case], options: &Options) -> Outcome<()> {
    println!(
        "| kernel | structure | bit-cycles | flips run | exact AVF | sampled AVF, 99 % | agree |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut wrong = Vec::new();
    for case in cases {
        let exact = case.exact(upset)?;
        let sampled = case.sampled(upset, &within.join("store.db"), options)?;
        let number = |row: &Value, key: &str| {
            row[key].as_f64().ok_or_else(|| format!("{}: no {key} in {row}", case.name))
        };
        let avf = number(&exact, "avf")?;
        let [at, low, high] = ["avf", "avf_low", "avf_high"].map(|key| number(&sampled, key));
        let (at, low, high) = (at?, low?, high?);
        let agrees = (low..=high).contains(&avf);
        println!(
            "| {}: {} | `{}` | {} | {} | {:.4} % | {:.4} % ({:.4} to {:.4}) | {} |",
            case.name,
            exact["kernel"].as_str().unwrap_or_default(),
            case.structure,
            exact["bit_cycles"],
            exact["classes"],
            100.0 * avf,
            100.0 * at,
            100.0 * low,
            100.0 * high,
            if agrees { "yes" } else { "no" },
        );
        let failures = exact["failures"].as_u64().map(u128::from);
        if case.formula.is_some() && case.formula != failures {
            wrong.push(format!(
                "{}: {failures:?} failing bit-cycles, {:?} by formula",
                case.name, case.formula
            ));
        }
        if exact["tool_error"] != 0 || sampled["tool_error"] != 0 {
            wrong.push(format!("{}: runs failed in the tool", case.name));
        }
        if !agrees {
            wrong.push(format!("{}, {}: the interval misses it", case.name, case.structure));
        }
    }
    match wrong.is_empty() {
        true => {
            println!("\n{} of {0} agree; the programs' counts are their formulas'", cases.len());
            Ok(())
        }
        false => Err(wrong.join("\n")),
    }
}

impl Case {
    fn command(&self, upset: &Path, name: &str) -> std::process::Command {
        let mut command = std::process::Command::new(upset);
        command.arg(name).args(["--quiet", "--chip", "rtx2060", "--scale", "small"]);
        command.args(["--structure", &self.structure]).args([
            "--kernel",
            "each",
            "--launch",
            &self.launch,
        ]);
        for set in &self.set {
            command.args(["--set", set]);
        }
        command
    }

    fn exact(&self, upset: &Path) -> Outcome<Value> {
        let mut command = self.command(upset, "exhaustive");
        first_row(&succeed(command.arg(&self.app).args(["--json", "-"]))?)
    }

    fn sampled(&self, upset: &Path, store: &Path, options: &Options) -> Outcome<Value> {
        let _ = std::fs::remove_file(store);
        let mut command = self.command(upset, "campaign");
        command.arg("--app").arg(&self.app).arg("--out").arg(store);
        command.args(["--runs", &options.runs.to_string(), "--seed", &options.seed.to_string()]);
        command.args(["--confidence", "99%"]);
        succeed(&mut command)?;
        let mut report = std::process::Command::new(upset);
        first_row(&succeed(report.arg("report").arg(store).args(["--json", "-"]))?)
    }
}

fn first_row(text: &str) -> Outcome<Value> {
    let all: Value = serde_json::from_str(text).map_err(|e| format!("upset: {e}"))?;
    Ok(all["rows"][0].clone())
}
