//! `upset slurm` with shell scripts in place of Slurm: what is submitted, what is
//! refused, what is told.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::{code, stderr, stdout};

/// Enough for three shards.
const SPEC: &str =
    "apps = [\"va\"]\nchips = [\"rtx2060\"]\nstructures = [\"rf\", \"l2\"]\nruns = 100\n";

/// Prints numbers of jobs, and keeps what it was asked.
const SBATCH: &str = r#"echo "$@" >>"$(dirname "$0")/asked"; n=$(wc -l <"$(dirname "$0")/asked"); echo $((100 + n))"#;

/// A place with a specification and commands of its own.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        let dir = tempfile::tempdir().expect("a folder");
        fs::create_dir(dir.path().join("bin")).expect("a folder");
        fs::write(dir.path().join("study.toml"), SPEC).expect("written");
        Place(dir)
    }

    /// With commands that do as they should; nothing is in the queue.
    fn with_slurm() -> Place {
        let place = Place::new();
        place.program("sbatch", SBATCH);
        place.program("squeue", "");
        place.program("scontrol", "echo 'MaxArraySize            = 1001'");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn program(&self, name: &str, body: &str) {
        let path = self.path("bin").join(name);
        fs::write(&path, format!("#!/bin/bash\nPATH=/usr/bin:/bin\n{body}\n")).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
    }

    fn upset(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_upset"));
        command.args(words).current_dir(self.0.path()).env("PATH", self.path("bin"));
        command.output().expect("upset starts")
    }

    fn submit(&self, more: &[&str]) -> Output {
        self.upset(&[&["slurm", "submit", "study.toml", "--shards", "3"], more].concat())
    }

    /// What sbatch was asked, without where we are.
    fn asked(&self) -> String {
        let asked = fs::read_to_string(self.path("bin/asked")).unwrap_or_default();
        let here = self.0.path().canonicalize().expect("a folder");
        asked.replace(&here.display().to_string(), "HERE")
    }

    /// Runs a shard as its task would.
    fn run_shard(&self, shard: u32) {
        let (part, out) = (format!("{shard}/3"), format!("study.slurm/shard.{shard}.db"));
        let words =
            ["campaign", "study.slurm/spec.toml", "--shard", &part, "--go-on", "-q", "--out"];
        assert_eq!(code(&self.upset(&[&words[..], &[&out]].concat())), 0);
    }

    fn note(&self, shard: &str, text: &str) {
        fs::write(self.path("study.slurm/state").join(shard), text).expect("written");
    }

    fn status(&self) -> (i32, String, Value) {
        let text = self.upset(&["slurm", "status", "study.slurm"]);
        let json = self.upset(&["slurm", "status", "study.slurm", "--json", "-"]);
        let json = serde_json::from_str(&stdout(&json)).expect("JSON");
        (code(&text), stdout(&text), json)
    }
}

fn refused(o: &Output, words: &str) {
    assert_eq!(code(o), 2, "{}", stderr(o));
    assert!(stderr(o).contains(words), "{}", stderr(o));
}

#[test]
fn without_slurm_it_says_so_and_writes_nothing() {
    let place = Place::new();
    let o = place.submit(&[]);
    assert_eq!(code(&o), 3);
    assert!(stderr(&o).starts_with("upset: sbatch is not on PATH"), "{}", stderr(&o));
    assert!(stderr(&o).contains("`upset slurm script`"), "{}", stderr(&o));
    assert!(!place.path("study.slurm").exists());
    // What would be done can be told all the same.
    let o = place.submit(&["--dry-run", "--", "--partition=long"]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    assert!(stdout(&o).contains("--partition=long --array=1-3"), "{}", stdout(&o));
    assert!(!place.path("study.slurm").exists());
}

#[test]
fn an_array_and_a_merge_after_it() {
    let place = Place::with_slurm();
    let o = place.submit(&["--seed", "7", "--", "--account=me", "--cpus-per-task=2"]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    insta::assert_snapshot!(format!("{}\n{}", stdout(&o), place.asked()));
    let spec = fs::read_to_string(place.path("study.slurm/spec.toml")).expect("a file");
    assert!(spec.contains("seed = 7"), "{spec}");
    let plan = fs::read_to_string(place.path("study.slurm/plan.json")).expect("a file");
    let plan: Value = serde_json::from_str(&plan).expect("JSON");
    assert_eq!(plan["jobs"][0]["id"], 101);
    assert_eq!(plan["jobs"][1]["does"], "merge");
}

#[test]
fn arrays_are_as_large_as_the_cluster_allows() {
    let place = Place::with_slurm();
    place.program("scontrol", "echo 'MaxArraySize            = 3'");
    assert_eq!(code(&place.submit(&[])), 0);
    let asked = place.asked();
    let arrays: Vec<&str> = asked.lines().filter_map(|l| l.split("--array=").nth(1)).collect();
    assert_eq!(arrays, ["1-2 HERE/study.slurm/shard.sh", "1 HERE/study.slurm/shard.sh 2"]);
    assert!(asked.contains("--dependency=afterany:101:102 "), "{asked}");
}

#[test]
fn what_slurm_refuses_is_told_in_its_words_and_can_be_tried_again() {
    let place = Place::with_slurm();
    place.program("sbatch", "echo 'sbatch: error: invalid partition specified: gpu' >&2; exit 1");
    refused(&place.submit(&[]), "sbatch failed: sbatch: error: invalid partition specified: gpu");
    place.program("sbatch", "echo 'Welcome to the cluster!'");
    refused(&place.submit(&[]), "should have printed the number of the job");
    place.program("sbatch", "exit 7");
    refused(&place.submit(&[]), "it said nothing (exit status: 7)");
    place.program("sbatch", SBATCH);
    place.program("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
    let o = place.submit(&[]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    assert!(stdout(&o).contains("3 to run"), "{}", stdout(&o));
}

#[test]
fn a_later_submission_goes_on() {
    let place = Place::with_slurm();
    assert_eq!(code(&place.submit(&[])), 0);
    place.run_shard(2);
    // Task 1 waits, 3 is over; the merge waits.
    place.program("squeue", "echo '101|1|PENDING||Priority'; echo '101|3|COMPLETING|n1|None'");
    let o = place.submit(&[]);
    let said = stdout(&o);
    assert!(said.contains("3 shards, 1 done, 1 in the queue, 1 to run"), "{said}");
    assert!(said.contains("job 103: shards 3\n"), "{said}");
    let asked = place.asked();
    assert!(asked.contains("--dependency=afterany:101:103 "), "{asked}");
    // Everything on its way: nothing to do.
    place.program(
        "squeue",
        "echo '101|1|RUNNING|n1|None'; echo '103|3|PENDING||Resources'; echo '104|N/A|PENDING||Dependency'",
    );
    assert!(stdout(&place.submit(&[])).contains("nothing is left to submit"));
    // All done, and the merge was lost: it alone is submitted.
    place.program("squeue", "");
    place.run_shard(1);
    place.run_shard(3);
    let said = stdout(&place.submit(&[]));
    assert!(said.contains("3 shards, 3 done\njob 105: merge and report"), "{said}");
    assert_eq!(place.asked().lines().count(), 5);
}

/// As after a node was cut off and came back with the lost task still on it.
#[test]
fn a_task_that_slurm_holds_back_is_told_and_released() {
    let place = Place::with_slurm();
    assert_eq!(code(&place.submit(&[])), 0);
    place.program("scontrol", "echo \"$@\" >>\"$(dirname \"$0\")/told\"");
    place.program(
        "squeue",
        "echo '101|1|PENDING||launch failed requeued held'; echo '101|2|PENDING||JobHeldUser'\n\
         echo '101|3|RUNNING|n1|None'; echo '102|N/A|PENDING||Dependency'",
    );
    let (status, text, json) = place.status();
    assert_eq!((status, &json["held"][0]), (1, &"101_1".into()));
    assert!(text.contains("Slurm holds back 101_1 after a launch that failed"), "{text}");
    let o = place.submit(&[]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    assert!(stderr(&o).contains("Slurm held task 101_1 back; it is released"), "{}", stderr(&o));
    let told = fs::read_to_string(place.path("bin/told")).expect("a file");
    assert_eq!(
        told.lines().filter(|l| l.starts_with("release")).collect::<Vec<_>>(),
        ["release 101_1"]
    );
}

#[test]
fn a_folder_is_of_one_campaign() {
    let place = Place::with_slurm();
    assert_eq!(code(&place.submit(&[])), 0);
    refused(&place.submit(&["--seed", "8"]), "its specification (spec.toml there) is not this one");
    let other = ["slurm", "submit", "study.toml", "--shards", "4"];
    refused(&place.upset(&other), "3 shards, not 4");
    fs::create_dir(place.path("mine")).expect("a folder");
    fs::write(place.path("mine/thesis.tex"), "").expect("written");
    refused(&place.submit(&["--folder", "mine"]), "not from `upset slurm submit`");
    refused(&place.submit(&["--folder", "new", "--", "--array=1-9"]), "--array is for `upset");
    refused(&place.upset(&["slurm", "status", "mine"]), "no plan.json");
    let none = ["slurm", "submit", "study.toml", "--shards", "0", "--folder", "new"];
    refused(&place.upset(&none), "a shard is");
}

#[test]
fn status_tells_what_is_known() {
    let place = Place::with_slurm();
    assert_eq!(code(&place.submit(&[])), 0);
    place.run_shard(1);
    place.note("1", "start 101 1 0 n1 1000\nstart 101 1 1 n2 1010\nend 101 1 1 0 1020\n");
    place.note("2", "start 101 2 0 n3 1000\nend 101 2 0 4 1005\n");
    let log = place.path("study.slurm/logs/101.2.log");
    fs::write(log, "upset: no room on the disk\n").expect("written");
    place.program("squeue", "echo '101|3|PENDING||Priority'; echo '102|N/A|PENDING||Dependency'");
    let (code, text, json) = place.status();
    // One failed: the answer is no.
    assert_eq!(code, 1);
    insta::assert_snapshot!(text);
    let states: Vec<&Value> =
        json["shards"].as_array().expect("a list").iter().map(|s| &s["state"]).collect();
    assert_eq!(states, ["done", "failed", "waiting"]);
    assert_eq!(
        (&json["shards"][0]["restarts"], &json["shards"][0]["node"]),
        (&1.into(), &"n2".into())
    );
    assert!(json["report"]["rows"].is_array() && json["left"].is_null());
    // It was submitted again and runs; the third was never heard of again.
    place.note("3", "start 101 3 0 n3 1000\n");
    place.program("squeue", "echo '101|2|RUNNING|n4|None'; echo '102|N/A|PENDING||Dependency'");
    let (code, text, json) = place.status();
    assert_eq!((code, &json["shards"][1]["node"]), (1, &"n4".into()));
    assert!(text.contains("3 shards: 1 done, 1 running, 1 lost\n"), "{text}");
}

#[test]
fn status_needs_no_slurm() {
    let place = Place::with_slurm();
    assert_eq!(code(&place.submit(&[])), 0);
    place.note("1", "start 101 1 0 n1 1000\n");
    place.note("2", "start 101 2 0 n3 1000\nend 101 2 0 130 1005\n");
    fs::remove_file(place.path("bin/squeue")).expect("removed");
    let (_, text, json) = place.status();
    assert!(text.contains("note: squeue is not on PATH; what began and did not end"), "{text}");
    let states: Vec<&Value> =
        json["shards"].as_array().expect("a list").iter().map(|s| &s["state"]).collect();
    assert_eq!(states, ["running", "stopped", "waiting"]);
    // Nor a controller that answers.
    place.program("squeue", "echo 'Unable to contact slurm controller' >&2; exit 1");
    let (_, text, _) = place.status();
    assert!(text.contains("note: squeue failed: Unable to contact slurm controller;"), "{text}");
}
