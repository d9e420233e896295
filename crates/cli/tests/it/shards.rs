//! Shards of a campaign, and what they make together.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::{code, stderr, stdout, upset};

/// Two applications on two chips, a structure that one of them lacks, kernels of
/// different numbers.
const SPEC: [&str; 11] = [
    "campaign",
    "--app",
    "va,sp",
    "--chip",
    "rtx2060,gv100",
    "--structure",
    "rf,smem,l2",
    "--runs",
    "12",
    "-q",
    "--out",
];

fn run(spec: &[&str], out: &Path, more: &[&str]) -> i32 {
    let out = out.display().to_string();
    let ran = upset(&[spec, &[out.as_str()], more].concat());
    if code(&ran) != 0 {
        eprintln!("{}", stderr(&ran));
    }
    code(&ran)
}

fn merge(stores: &[PathBuf], out: &Path) -> (i32, String) {
    let mut words: Vec<String> = vec!["merge".into()];
    words.extend(stores.iter().map(|s| s.display().to_string()));
    words.extend(["--out".into(), out.display().to_string()]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ran = upset(&words);
    (code(&ran), format!("{}{}", stdout(&ran), stderr(&ran)))
}

fn shards(spec: &[&str], dir: &TempDir, count: u32) -> Vec<PathBuf> {
    let one = |number| {
        let path = dir.path().join(format!("{number}-of-{count}.db"));
        assert_eq!(run(spec, &path, &["--shard", &format!("{number}/{count}")]), 0);
        path
    };
    (1..=count).map(one).collect()
}

#[test]
fn shards_make_the_file_that_one_campaign_makes() {
    let dir = tempfile::tempdir().unwrap();
    let whole = dir.path().join("whole.db");
    assert_eq!(run(&SPEC, &whole, &[]), 0);
    let bytes = std::fs::read(&whole).unwrap();
    // Fewer shards than subjects, and more.
    let (three, seven) = (shards(&SPEC, &dir, 3), shards(&SPEC, &dir, 7));
    let mut backwards = seven.clone();
    backwards.reverse();
    let twice = [&three[..], &three[..1], &seven[2..5], std::slice::from_ref(&whole)].concat();
    for (n, stores) in [three.clone(), backwards, twice].iter().enumerate() {
        let out = dir.path().join(format!("merged{n}.db"));
        let (code, said) = merge(stores, &out);
        assert_eq!(code, 0, "{said}");
        assert!(std::fs::read(&out).unwrap() == bytes, "merge {n} made another file: {said}");
        // Once more is nothing more.
        assert_eq!(merge(stores, &out).0, 0);
        assert!(std::fs::read(&out).unwrap() == bytes);
    }
    // Together they report as the whole does.
    let report = |stores: &[PathBuf]| {
        let names: Vec<String> = stores.iter().map(|s| s.display().to_string()).collect();
        let words = ["report"].into_iter().chain(names.iter().map(String::as_str));
        stdout(&upset(&words.collect::<Vec<_>>()))
    };
    let table =
        |text: String| text.lines().filter(|l| l.contains('[')).collect::<Vec<_>>().join("\n");
    assert_eq!(table(report(&seven)), table(report(&[whole])));
    // One alone is a part, and says so.
    assert!(report(&three[..1]).contains("unfinished"), "{}", report(&three[..1]));
}

#[test]
fn what_is_missing_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let spec: Vec<&str> = SPEC.iter().map(|w| if *w == "va,sp" { "va" } else { *w }).collect();
    let all = shards(&spec, &dir, 3);
    let out = dir.path().join("merged.db");
    let (code, said) = merge(&[all[0].clone(), all[2].clone()], &out);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("shard 2/3 is not among them"), "{said}");
    assert!(!out.exists());
    // Another seed is another campaign.
    let other = dir.path().join("other.db");
    assert_eq!(run(&spec, &other, &["--shard", "2/3", "--seed", "7"]), 0);
    let (code, said) = merge(&[all[0].clone(), other, all[2].clone()], &out);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("other.db is not of the campaign of") && said.contains("seed"), "{said}");
    // A shard's store is no other shard's.
    let again = run(&spec, &all[0], &["--shard", "2/3", "--go-on"]);
    assert_eq!(again, 2);
    assert_eq!(run(&spec, &all[0], &["--shard", "1/3", "--go-on"]), 0);
    assert_eq!(run(&spec, &out, &["--shard", "4/3"]), 2);
}

#[test]
fn sequential_plans_are_cut_by_strata() {
    cut_by_strata(&["--relative", "60%", "--max-runs", "300"]);
    cut_by_strata(&["--margin", "3%"]);
}

fn cut_by_strata(plan: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let what = ["campaign", "--app", "va", "--chip", "rtx2060", "--structure", "rf,l2,l1d"];
    let spec = [&what[..], plan, &["-q", "--out"]].concat();
    let whole = dir.path().join("whole.db");
    assert_eq!(run(&spec, &whole, &[]), 0);
    let stores = shards(&spec, &dir, 2);
    let out = dir.path().join("merged.db");
    let (code, said) = merge(&stores, &out);
    assert_eq!(code, 0, "{said}");
    assert!(std::fs::read(&out).unwrap() == std::fs::read(&whole).unwrap());
}

/// The table of what applications cost says what they do.
#[test]
fn the_table_of_costs_is_counted_again() {
    for &(app, small, paper, kernels) in upset_campaign::costs::WORK {
        let count = |scale: &str| {
            let run = |chip: &str| {
                let words = ["run", app, "--functional", "--chip", chip, "--scale", scale];
                upset(&[&words[..], &["--json", "-"]].concat())
            };
            let nvidia = run("rtx2060");
            let run = if code(&nvidia) == 0 { nvidia } else { run("hd7970") };
            let json: serde_json::Value = serde_json::from_str(&stdout(&run)).expect("JSON");
            let names = json["kernels"].as_array().expect("kernels").len();
            (json["total"]["warp_insts"].as_u64().expect("a number"), names as u64)
        };
        assert_eq!(count("small"), (small, kernels), "{app}");
        // Those that are quick at the papers' scale too.
        if paper < 60_000 {
            assert_eq!(count("paper"), (paper, kernels), "{app} at the papers' scale");
        }
    }
}
