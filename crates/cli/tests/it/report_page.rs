//! The page, its figures and its commands, from a real campaign's store.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{code, stderr, stdout, upset};

fn json(args: &[&str]) -> Value {
    let out = upset(args);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    serde_json::from_str(&stdout(&out)).expect("JSON")
}

/// A campaign with silent corruptions, on a changed chip and with other limits.
fn campaign(folder: &Path) -> String {
    let store = folder.join("va.db").to_str().expect("a path").to_string();
    let args = ["campaign", "--app", "va", "--chip", "rtx2060", "--set", "sm.count=4"];
    let more = ["--scale", "paper", "--structure", "l2,rf", "--runs", "150", "--limit", "3"];
    let out = upset(&[&args[..], &more, &["--quiet", "--out", &store]].concat());
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    store
}

/// One kernel: what the report counts in each part is what the exported rows have.
#[test]
fn parts_bits_and_instructions_are_those_of_the_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = campaign(folder.path());
    let report = json(&["report", &store, "--json", "-"]);
    let rows = json(&["export", &store, "--format", "json"]);
    let rows = rows["experiments"].as_array().expect("experiments");
    let hits = |structure: &str, so: &dyn Fn(&Value) -> bool| {
        let own = rows.iter().filter(|e| e["hit"]["structure"] == structure && so(&e["hit"]));
        let own: Vec<&Value> = own.collect();
        let of = |classes: &[&str]| {
            own.iter().filter(|e| classes.contains(&e["class"].as_str().unwrap_or(""))).count()
                as u64
        };
        (own.len() as u64, of(&["sdc"]), of(&["crash", "timeout"]))
    };
    let told = |slot: &Value| {
        let n = |key: &str| slot[key].as_u64().expect("a number");
        (n("n"), n("sdc_runs"), n("due_runs"))
    };
    let mut parts = 0;
    for b in report["totals"][0]["breakdowns"].as_array().expect("breakdowns") {
        let name = b["structure"].as_str().expect("a name");
        assert_eq!(told(&b["all"]), hits(name, &|_| true), "{name}");
        for slot in b["by_part"].as_array().expect("parts") {
            assert_eq!(told(slot), hits(name, &|h| h["part"] == slot["label"]), "{name}");
            parts += 1;
        }
        for (bit, slot) in b["by_bit"].as_array().expect("bits").iter().enumerate() {
            let data = |h: &Value| h["part"] == "" || h["part"] == "data";
            let here = |h: &Value| data(h) && h["bit"].as_u64().map(|b| b % 32) == Some(bit as u64);
            assert_eq!(told(slot), hits(name, &here), "{name} bit {bit}");
        }
        for spot in b["instructions"].as_array().expect("instructions") {
            let here =
                |h: &Value| h["instruction"] == spot["offset"] && h["function"] == spot["symbol"];
            assert_eq!(told(spot), hits(name, &here), "{name} {spot}");
        }
    }
    assert!(parts >= 2, "{parts}");
}

/// The command on the page makes the same corruption again.
#[test]
fn the_worst_corruption_is_made_again_by_its_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = campaign(folder.path());
    let report = json(&["report", &store, "--json", "-"]);
    let worst = &report["totals"][0]["worst_sdcs"][0];
    let command = worst["command"].as_str().expect("a command");
    assert!(command.contains("--set sm.count=4") && command.contains("--limit 3"), "{command}");
    let page = stdout(&upset(&["report", &store, "--html", "-"]));
    let shown = command.replace('\'', "&#39;");
    assert!(page.contains(&format!("<code class=\"command\">{shown}</code>")), "{command}");
    // The chip differs from its preset in what was set.
    assert_eq!(report["chips"][0]["changes"][0]["key"], "sm.count");
    assert!(page.contains("<th scope=\"row\" class=\"w\"><code>sm.count</code></th>"));
    let program = env!("CARGO_BIN_EXE_upset");
    let line = command.replacen("upset", &format!("'{program}'"), 1) + " --json -";
    let out = Command::new("sh").args(["-c", &line]).output().expect("a shell");
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let again: Value = serde_json::from_str(&stdout(&out)).expect("JSON");
    assert_eq!((&again["class"], &again["fault"]), (&"sdc".into(), &worst["fault"]));
    assert_eq!(again["sdc"]["wrong"], worst["wrong"]);
    assert_eq!(again["limit"].as_u64(), again["golden_cycles"].as_u64().map(|c| 3 * c));
}

#[test]
fn every_figure_is_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = campaign(folder.path());
    let figures = folder.path().join("figures");
    let to = figures.to_str().expect("a path");
    let page = folder.path().join("va.html");
    let args = ["report", &store, "--quiet", "--figures", to, "--html"];
    let out = upset(&[&args[..], &[page.to_str().expect("a path")]].concat());
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let page = std::fs::read_to_string(&page).expect("a page");
    let mut names: Vec<String> = std::fs::read_dir(&figures)
        .expect("a folder")
        .map(|e| e.expect("a file").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    assert_eq!(names.len(), page.matches("<figure class=\"chart\"").count());
    assert!(names.contains(&"subject-0-0-map-l2.svg".to_string()), "{names:?}");
    for name in names {
        let svg = std::fs::read_to_string(figures.join(&name)).expect("text");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{name}");
    }
    // A file where the folder should be.
    let out = upset(&["report", &store, "--quiet", "--figures", &store]);
    assert_eq!(code(&out), 2, "{}", stderr(&out));
}

/// A cubin as `nvcc -lineinfo` writes it: its unwinding table, which nobody reads,
/// made into a line table that says line 9 of t.cu from the start on.
fn with_lines(cubin: &[u8]) -> Vec<u8> {
    let mut file = cubin.to_vec();
    let place = |file: &[u8], text: &[u8]| {
        file.windows(text.len()).position(|w| w == text).expect("the name")
    };
    while file.windows(12).any(|w| w == b".debug_frame") {
        let at = place(&file, b".debug_frame");
        file[at..at + 12].copy_from_slice(b".debug_line\0");
    }
    let mut program = vec![2, 0];
    let mut header = vec![1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1];
    header.extend(b"\0t.cu\0\0\0\0\0");
    program.extend((header.len() as u32).to_le_bytes());
    program.extend(header);
    program.extend([0, 9, 2]);
    let address = 4 + program.len() as u64;
    program.extend([0; 8]);
    // Line 9, a row, and the end a kilobyte on.
    program.extend([3, 8, 1, 2, 0x80, 8, 0, 1, 1]);
    let mut section = (program.len() as u32).to_le_bytes().to_vec();
    section.extend(program);
    let word = |file: &[u8], at: usize| {
        u64::from_le_bytes(file[at..at + 8].try_into().expect("eight bytes")) as usize
    };
    // Section 4 and its relocations, section 8, in the table of sections.
    let table = word(&file, 0x28);
    let (lines, moved) = (table + 4 * 64, table + 8 * 64);
    let (at, size) = (word(&file, lines + 24), word(&file, lines + 32));
    assert!(section.len() <= size, "{} of {size}", section.len());
    file[at..at + section.len()].copy_from_slice(&section);
    file[lines + 32..lines + 40].copy_from_slice(&(section.len() as u64).to_le_bytes());
    let relocation = word(&file, moved + 24);
    file[relocation..relocation + 8].copy_from_slice(&address.to_le_bytes());
    file
}

#[test]
fn a_story_has_source_lines_where_the_code_has_them() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let example = root.join("docs/examples/saxpy");
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["app.toml", "saxpy.sm_75.cubin", "y.small.txt", "y.paper.txt"] {
        let mut bytes = std::fs::read(example.join(name)).expect("an example");
        if name.ends_with("cubin") {
            bytes = with_lines(&bytes);
        }
        std::fs::write(folder.path().join(name), bytes).expect("written");
    }
    let app = folder.path().to_str().expect("a path");
    let fault = "rf:sm0.sub0.row2.lane3.bit1@300";
    let args = ["inject", app, "--chip", "rtx2060", "--fault", fault];
    let out = upset(&args);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let story = stdout(&out);
    assert!(story.contains("(t.cu:9)"), "{story}");
    let told = json(&[&args[..], &["--json", "-"]].concat());
    assert_eq!(told["hit"][0]["stands_at"]["source"], "t.cu:9", "{told:#}");
    // Without a table nothing is said of it.
    let plain = stdout(&upset(&[
        "inject",
        example.to_str().expect("a path"),
        "--chip",
        "rtx2060",
        "--fault",
        fault,
    ]));
    assert_eq!(story.replace("  (t.cu:9)", ""), plain);
}
