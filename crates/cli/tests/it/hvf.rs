//! What a campaign calls reached is what the plain ACE bound counts: HVF is at
//! most that bound, in every application and structure.

use crate::{code, stderr, stdout, upset};

const CHIP: [&str; 4] = ["--chip", "rtx2060", "--set", "sm.count=2"];
const DATA: &str = "rf,pred,smem,ibuf,l1d.data,l1t.data,l1c.data,l1i.data,l2.data";

/// Each single flip that got out of its array must be one that the bound counts.
fn check(app: &str) {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("hvf.db");
    let store = store.to_str().expect("a path");
    let asked = ["--structure", DATA, "--sampling", "active", "--runs", "40", "--quiet"];
    let out = upset(&[&["campaign", "--app", app, "--out", store], &CHIP[..], &asked[..]].concat());
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let out = upset(&[&["ace", app, "--against", store, "--quiet"], &CHIP[..]].concat());
    let text = stdout(&out);
    assert_eq!(code(&out), 0, "{text}{}", stderr(&out));
    let line = text.lines().find(|l| l.contains("got out of their arrays")).expect("a line");
    let reached: u32 = line.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
    assert!(reached > 0 && line.ends_with(": 0 outside the bound"), "{text}");
}

macro_rules! applications {
    ($($app:ident)*) => {
        $(#[test]
        fn $app() {
            check(stringify!($app));
        })*
    };
}

applications!(
    va sp hs km srad1 srad2 lud bfs pathf nw ge bp
    fft gray mmul reduce sobel sort tran
);
