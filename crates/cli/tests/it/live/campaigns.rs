//! Campaigns that run while somebody looks.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{LONG, SPEC, Served, program, store, until};

fn served(spec: &[&str], out: &Path) -> Served {
    Served::start(program(spec).args(["-q", "--serve=127.0.0.1:0", "--out"]).arg(out))
}

/// [`LONG`] with another number of runs.
fn long(runs: u64) -> Vec<String> {
    let mut spec: Vec<String> = LONG.iter().map(ToString::to_string).collect();
    let at = spec.iter().position(|word| word == "--runs").unwrap();
    spec[at + 1] = runs.to_string();
    spec
}

/// Looks at a campaign of 2 x `runs` experiments until it has ended: how often
/// the numbers had changed while it ran.
fn changes_seen(served: &Served, runs: u64) -> usize {
    let (mut last, mut changes, mut workers) = (0, 0, 0);
    let mut limits: Vec<(f64, f64)> = Vec::new();
    until("the end of it", || {
        // The page ends with its campaign.
        let Some(snapshot) = served.try_snapshot() else { return Some(()) };
        let campaign = snapshot["campaigns"].get(0)?.clone();
        let done = campaign["done"].as_u64().unwrap();
        let missing = campaign["missing"].as_u64().unwrap();
        assert!(done >= last && done + missing == 2 * runs, "{done} and {missing}");
        // The limits close in.
        let rows = campaign["panels"][0]["rows"].as_array().unwrap().clone();
        let of =
            |row: &Value| (row["avf_low"].as_f64().unwrap(), row["avf_high"].as_f64().unwrap());
        let now: Vec<(f64, f64)> = rows.iter().map(of).collect();
        assert!(
            limits.iter().zip(&now).all(|(b, n)| b.0 <= n.0 && n.1 <= b.1),
            "{limits:?} {now:?}"
        );
        if done > 0 && missing > 0 {
            changes += usize::from(done > last);
            assert_eq!(campaign["state"], "running");
            assert_eq!(campaign["stores"][0]["process"], served.child.id());
            workers += campaign["stores"][0]["workers"].as_u64().unwrap();
        }
        (last, limits) = (done, now);
        None
    });
    // The last rows may still be on their way when the workers have ended.
    assert!(changes < 2 || workers > 0, "nobody was seen to work on it");
    changes
}

#[test]
fn a_campaign_is_followed_from_its_first_run_to_its_last() {
    let dir = tempfile::tempdir().unwrap();
    let mut runs = 100;
    let path = loop {
        let path = dir.path().join(format!("{runs}.db"));
        let spec = long(runs);
        let spec: Vec<&str> = spec.iter().map(String::as_str).collect();
        let mut served = served(&spec, &path);
        let changes = changes_seen(&served, runs);
        assert_eq!(served.wait(), 0);
        // A machine that is busy elsewhere may let us look too seldom: a longer one, then.
        if changes >= 2 {
            break path;
        }
        assert!(runs < 10_000, "it did not change under our eyes");
        runs *= 3;
    };
    // The same file as without anybody.
    let spec = long(runs);
    let spec: Vec<&str> = spec.iter().map(String::as_str).collect();
    let alone = store(dir.path(), &spec, "alone.db", &[]);
    assert!(std::fs::read(alone).unwrap() == std::fs::read(&path).unwrap());
}

/// Standard output is the campaign's own, with the page or without.
#[test]
fn the_page_says_nothing_on_standard_output() {
    let dir = tempfile::tempdir().unwrap();
    let ran = |name: &str, more: &[&str]| {
        let out = dir.path().join(name).join("a.db");
        std::fs::create_dir(out.parent().unwrap()).unwrap();
        let mut command = program(&SPEC);
        let ran = command.args(more).args(["--out", "a.db"]).current_dir(out.parent().unwrap());
        let ran = ran.stdin(Stdio::null()).output().unwrap();
        assert!(ran.status.success());
        (ran.stdout, String::from_utf8_lossy(&ran.stderr).into_owned())
    };
    let (alone, _) = ran("alone", &[]);
    let (shown, said) = ran("shown", &["--serve=127.0.0.1:0"]);
    assert_eq!(String::from_utf8_lossy(&alone), String::from_utf8_lossy(&shown));
    assert_eq!(said.matches("follow it at http://127.0.0.1:").count(), 1, "{said}");
}

#[test]
fn ctrl_c_is_the_campaigns_as_ever_and_the_page_shows_who_went_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.db");
    // Longer than anybody waits: it does not end by itself.
    let spec = long(20_000);
    let spec: Vec<&str> = spec.iter().map(String::as_str).collect();
    let mut first = served(&spec, &path);
    let watch = Served::of(&[dir.path()]);
    let seen = |state: &str| {
        let snapshot = watch.snapshot();
        let campaign = snapshot["campaigns"].get(0)?.clone();
        (campaign["state"] == state && campaign["done"].as_u64()? > 0).then_some(campaign)
    };
    until("running", || seen("running"));
    first.signal("-INT");
    assert_eq!(first.wait(), 130);
    let stopped = until("stopped", || seen("stopped"));
    assert!(watch.get("/").body.contains("upset campaign --resume --out"), "{stopped}");
    let resume = ["campaign", "--resume", "-q", "--out"];
    let mut resumed = program(&resume).arg(&path).spawn().unwrap();
    let running = until("running again", || seen("running"));
    assert_eq!(running["id"], stopped["id"]);
    let done = running["done"].as_u64().unwrap();
    assert!(done >= stopped["done"].as_u64().unwrap());
    let signalled = Command::new("kill").args(["-INT", &resumed.id().to_string()]).status();
    assert!(signalled.unwrap().success());
    assert_eq!(resumed.wait().unwrap().code(), Some(130));
    until("stopped again", || seen("stopped"));
}

/// A campaign that is killed takes its page with it.
#[test]
fn no_server_outlives_its_campaign() {
    let dir = tempfile::tempdir().unwrap();
    let mut served = served(&LONG, &dir.path().join("a.db"));
    assert_eq!(served.get("/healthz").status, 200);
    served.signal("-KILL");
    served.wait();
    until("the end of the page", || std::net::TcpStream::connect(served.at()).err());
}

#[test]
fn shards_are_one_campaign_and_missing_ones_are_named() {
    let dir = tempfile::tempdir().unwrap();
    for number in [1, 3] {
        let shard = format!("{number}/4");
        store(dir.path(), &SPEC, &format!("{number}.db"), &["--shard", &shard]);
    }
    let served = Served::of(&[dir.path()]);
    let campaign = served.snapshot()["campaigns"][0].clone();
    assert_eq!(campaign["missing_shards"], serde_json::json!(["2/4", "4/4"]));
    assert_eq!(campaign["state"], "stopped");
    let stores = campaign["stores"].as_array().unwrap();
    let done: u64 = stores.iter().map(|s| s["done"].as_u64().unwrap()).sum();
    assert_eq!(campaign["done"], done);
    assert!(stores.iter().all(|s| s["planned"] == s["done"] && s["state"] == "complete"));
    assert!(served.get("/").body.contains("2 complete, 2 not there (2/4, 4/4)"));
    for number in [2, 4] {
        let shard = format!("{number}/4");
        store(dir.path(), &SPEC, &format!("{number}.db"), &["--shard", &shard]);
    }
    let campaign = until("all of it", || {
        let campaign = served.snapshot()["campaigns"][0].clone();
        (campaign["state"] == "complete").then_some(campaign)
    });
    assert_eq!((&campaign["done"], &campaign["missing"]), (&160.into(), &0.into()));
    assert_eq!(campaign["missing_shards"], serde_json::json!([]));
}
