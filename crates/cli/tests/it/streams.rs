//! Standard streams that nobody reads, or that take nothing: the work goes on.

use std::fs::File;
use std::process::{Command, Output, Stdio};

use crate::c::Programs;
use crate::{code, stderr, stdout, upset};

/// A pipe whose reader has gone away.
fn nobody() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

/// A device without room.
fn full() -> Option<Stdio> {
    File::options().write(true).open("/dev/full").ok().map(Stdio::from)
}

fn upset_with(args: &[&str], out: Stdio, err: Stdio) -> Output {
    Command::new(env!("CARGO_BIN_EXE_upset"))
        .args(args)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .spawn()
        .and_then(std::process::Child::wait_with_output)
        .expect("upset starts")
}

const CAMPAIGN: [&str; 11] = [
    "campaign",
    "--app",
    "va",
    "--chip",
    "rtx2060",
    "--structure",
    "rf",
    "--runs",
    "40",
    "--exact",
    "off",
];

/// A small campaign with these streams; its results must be whole.
fn campaign(out: Stdio, err: Stdio) -> Output {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("a.db");
    let store = store.to_str().expect("a name");
    let set = ["--set", "sm.count=2", "--out", store];
    let o = upset_with(&[&CAMPAIGN[..], &set].concat(), out, err);
    let report = upset(&["report", store, "--json", "-"]);
    let report: serde_json::Value = serde_json::from_str(&stdout(&report)).expect("a report");
    assert_eq!(report["rows"][0]["runs"], 40, "{report}");
    o
}

#[test]
fn a_campaign_goes_on_when_nobody_reads_what_it_says() {
    assert_eq!(code(&campaign(nobody(), nobody())), 0);
    let o = campaign(Stdio::piped(), nobody());
    assert_eq!(code(&o), 0);
    assert!(stdout(&o).contains("results in "), "{}", stdout(&o));
}

#[test]
fn a_campaign_goes_on_when_standard_error_is_full() {
    let Some(full) = full() else { return };
    let o = campaign(Stdio::piped(), full);
    assert_eq!(code(&o), 0);
    assert!(stdout(&o).contains("results in "), "{}", stdout(&o));
}

#[test]
fn a_reader_that_goes_away_ends_nothing() {
    for args in [&["chips"][..], &["apps"], &["chips", "show", "rtx2060", "--arrays"]] {
        let o = upset_with(args, nobody(), Stdio::piped());
        assert_eq!((code(&o), stderr(&o).as_str()), (0, ""), "{args:?}");
    }
}

#[test]
fn standard_output_without_room_is_told() {
    for args in [&["chips"][..], &["apps"], &["run", "va", "--chip", "rtx2060", "--json", "-"]] {
        let Some(full) = full() else { return };
        let o = upset_with(args, full, Stdio::piped());
        assert_eq!(code(&o), 2, "{args:?}: {}", stderr(&o));
        assert!(stderr(&o).contains("cannot write"), "{args:?}: {}", stderr(&o));
    }
}

#[test]
fn an_error_that_nobody_reads_keeps_its_exit_code() {
    assert_eq!(code(&upset_with(&["run", "va", "--chip", "none"], nobody(), nobody())), 2);
    let Some(full) = full() else { return };
    assert_eq!(code(&upset_with(&["run", "va", "--chip", "none"], nobody(), full)), 2);
}

#[test]
fn what_the_library_says_does_not_end_the_program() {
    let Some(c) = Programs::new() else { return };
    // Tells that a function is missing, then goes on; a pipe without a reader
    // would end it by a signal here.
    let program = c.cuda(
        "missing",
        r#"int e = cudaGraphicsMapResources(0, 0, 0); printf("%d\n", e); return 0;"#,
    );
    let run = ["run", "--quiet", "--chip", "rtx2060", "--", &program];
    let mut streams = vec![nobody()];
    streams.extend(full());
    for err in streams {
        let o = upset_with(&run, Stdio::piped(), err);
        assert_eq!((code(&o), stdout(&o).as_str()), (3, "801\n"));
    }
}
