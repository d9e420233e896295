//! Copies of many bytes at once, on h200: the way of wrong bits through them is that of
//! runs from the start.

use std::fs;
use std::path::Path;

use crate::{code, stderr, stdout, upset};

const CODE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../device/tests/later/bulk/bulk.sm_90.cubin");

/// `lengths` and `back` of `bulk.cu`: to shared memory through a barrier, and back in
/// three groups.
const MANIFEST: &str = r#"
id = "bulk"
name = "Bulk copies"
description = "Copies of many bytes"
suite = "tests"

[scales.small]
words = 260

[[buffers]]
name = "in"
type = "i32"
count = "1024"
init = "iota"

[[buffers]]
name = "bytes"
type = "i32"
count = "2"
init = { value = 1040 }

[[buffers]]
name = "loaded"
type = "i32"
count = "8192"

[[buffers]]
name = "stored"
type = "i32"
count = "8192"

[[buffers]]
name = "seen"
type = "i32"
count = "2"

[[launches]]
kernel = "lengths"
grid = [1]
block = [64]
args = [{ buffer = "in" }, { buffer = "loaded" }, { buffer = "bytes" }, { i32 = "2" }]

[[launches]]
kernel = "back"
grid = [1]
block = [64]
args = [{ buffer = "stored" }, { buffer = "seen" }, { i32 = "4 * words" }]

[[outputs]]
buffer = "loaded"
expected = "loaded.txt"

[[outputs]]
buffer = "stored"
expected = "stored.txt"

[[outputs]]
buffer = "seen"
expected = "seen.txt"
"#;

fn expect(folder: &Path, name: &str, values: &[i32]) {
    let lines: String = values.iter().map(|v| format!("{v}\n")).collect();
    fs::write(folder.join(name), lines).expect("written");
}

fn application(folder: &Path) {
    fs::write(folder.join("app.toml"), MANIFEST).expect("written");
    fs::copy(CODE, folder.join("bulk.sm_90.cubin")).expect("copied");
    let mut shared: Vec<i32> = (0..4096).map(|i| (0xaaaa_0000_u32 + i) as i32).collect();
    let mut loaded = Vec::new();
    for n in 0..2 {
        (0..260).for_each(|i| shared[4 * n + i] = (12 * n + i) as i32);
        loaded.extend_from_slice(&shared);
    }
    expect(folder, "loaded.txt", &loaded);
    let mut stored = vec![0; 8192];
    for (to, from, count) in [(0, 0, 260), (2052, 4, 260), (4104, 1024, 128), (6160, 16, 4)] {
        (0..count).for_each(|i| stored[to + i] = 0x50000 + (from + i) as i32);
    }
    expect(folder, "stored.txt", &stored);
    expect(folder, "seen.txt", &[0x50004, 0x50010]);
}

#[test]
fn wrong_bits_go_the_way_of_runs_from_the_start() {
    let dir = tempfile::tempdir().expect("a folder");
    application(dir.path());
    let store = dir.path().join("bulk.db");
    let (app, store) = (dir.path().to_str().expect("a path"), store.to_str().expect("a path"));
    let mut flags = vec!["campaign", "--app", app, "--chip", "h200", "--set", "sm.count=2"];
    flags.extend(["--structure", "rf,pred,ureg,smem", "--bits", "1,3", "--runs", "40"]);
    flags.extend(["--sampling", "active", "--out", store, "-q"]);
    let out = upset(&flags);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let out = upset(&["verify", store, "--how", "simulated,followed,converged", "-q"]);
    let text = stdout(&out);
    assert_eq!(code(&out), 0, "{text}{}", stderr(&out));
    assert!(text.contains(" followed") && text.contains(": 0 differ"), "{text}");
    // Analysis does not call dead what injection shows to matter.
    let out = upset(&["ace", app, "--chip", "h200", "--set", "sm.count=2"]);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
}
