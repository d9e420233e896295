//! `upset burn` against a driver and an NVML that go wrong in every way of the
//! table in `upset-realgpu-fake`. Their GPU is the model: kernels really run.

use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, thread};

use serde_json::Value;
use upset_realgpu_fake::{LIBRARY, SCENARIOS, Scenario, Setting, VARIABLE};

/// Where cargo puts the library: beside the program, or among what it was built from.
fn library() -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_upset")).parent().expect("a folder");
    let places = [folder.join("deps").join(LIBRARY), folder.join(LIBRARY)];
    places.into_iter().find(|p| p.is_file()).expect("the fake library is built with the tests")
}

/// A folder with the libraries that the scenario has.
fn libraries(scenario: &Scenario) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let (driver, nvml) =
        (folder.path().join("libcuda.so.1"), folder.path().join("libnvidia-ml.so.1"));
    let link = |to: &Path| std::os::unix::fs::symlink(library(), to).expect("linked");
    match scenario.setting {
        Setting::Both => {
            link(&driver);
            link(&nvml);
        }
        Setting::Neither => {}
        Setting::NoNvml => link(&driver),
        Setting::NotALibrary => fs::write(&driver, "not a library\n").expect("written"),
        Setting::Without(symbol) => {
            let mut bytes = fs::read(library()).expect("read");
            let name = [&[0], symbol.as_bytes(), &[0]].concat();
            let mut found = 0;
            for at in 0..bytes.len() - name.len() {
                if bytes[at..at + name.len()] == name[..] {
                    bytes[at + 1] = b'?';
                    found += 1;
                }
            }
            assert!(found > 0, "{symbol} is in the library");
            fs::write(&driver, bytes).expect("written");
            link(&nvml);
        }
    }
    folder
}

/// What came out: the exit code as a shell tells it, what was said, the record.
fn burn(scenario: &Scenario) -> (i32, String, Option<String>) {
    let folder = libraries(scenario);
    let record = folder.path().join("record.json");
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels/burn");
    let o = Command::new(env!("CARGO_BIN_EXE_upset"))
        .arg("burn")
        .args(scenario.arguments)
        .args([
            "--hang-after",
            if scenario.name.starts_with("hang") { "1" } else { "100" },
            "--json",
        ])
        .arg(&record)
        .env("LD_LIBRARY_PATH", folder.path())
        .env(VARIABLE, scenario.name)
        .env("UPSET_FAKE_JIT", kernels.join("arithmetic.sm_75.cubin"))
        .output()
        .expect("started");
    let code = o.status.code().or(o.status.signal().map(|s| 128 + s)).expect("an end");
    let said = String::from_utf8_lossy(&[o.stdout, o.stderr].concat()).into_owned();
    (code, said, fs::read_to_string(record).ok())
}

/// What is wrong with how a scenario ended; empty when nothing is.
fn judged(scenario: &Scenario) -> String {
    let (code, said, record) = burn(scenario);
    let mut wrong = String::new();
    let mut tell = |what: String| {
        let _ = writeln!(wrong, "{}: {what}\n{said}", scenario.name);
    };
    let expected = &scenario.expected;
    if code != i32::from(expected.code) {
        tell(format!("exit code {code}, should be {}", expected.code));
    }
    if expected.states.is_empty() {
        if record.is_some_and(|text| !text.is_empty()) {
            tell("a record was written".into());
        }
        return wrong;
    }
    let Some(text) = record else {
        tell("no record".into());
        return wrong;
    };
    if !text.contains(expected.says) && !said.contains(expected.says) {
        tell(format!("does not say {:?}", expected.says));
    }
    let json: Value = serde_json::from_str(&text).expect("JSON");
    if json["exit_code"] != i32::from(expected.code) {
        tell(format!("the record's exit code is {}", json["exit_code"]));
    }
    let tests = json["tests"].as_array().cloned().unwrap_or_default();
    let states: Vec<&str> = tests.iter().filter_map(|t| t["state"].as_str()).collect();
    if states != expected.states {
        tell(format!("tests are {states:?}, should be {:?}", expected.states));
    }
    if code != 0 && said.lines().any(|l| l.starts_with("all ") && l.contains("passed")) {
        tell("it says that all passed".into());
    }
    wrong
}

#[test]
fn every_scenario_ends_as_documented() {
    let wrong: Vec<String> = thread::scope(|scope| {
        let halves = SCENARIOS.chunks(SCENARIOS.len().div_ceil(2));
        let work: Vec<_> = halves
            .map(|half| scope.spawn(move || half.iter().map(judged).collect::<Vec<_>>()))
            .collect();
        work.into_iter().flat_map(|w| w.join().expect("no panic")).collect()
    });
    let wrong: Vec<&String> = wrong.iter().filter(|w| !w.is_empty()).collect();
    assert!(wrong.is_empty(), "{}", wrong.iter().fold(String::new(), |all, w| all + w + "\n"));
}

/// The place of a broken lane comes through the driver as it does on the model.
#[test]
fn a_stuck_bit_is_located_behind_the_driver() {
    let scenario = SCENARIOS.iter().find(|s| s.name == "wrong-bit").expect("it is there");
    let (_, _, record) = burn(scenario);
    let json: Value = serde_json::from_str(&record.expect("a record")).expect("JSON");
    let findings = json["tests"][0]["findings"].as_array().expect("findings");
    assert!(!findings.is_empty());
    for finding in findings {
        let place = &finding["place"];
        assert_eq!((place["sm"].as_u64(), place["sub_core"].as_u64()), (Some(1), Some(2)));
        // The chip's FMA units have 16 lanes: threads 5 and 21 use lane 5.
        assert_eq!(place["lane"].as_u64().map(|l| l % 16), Some(5), "{finding}");
    }
}

/// The page's table is the table of the fake libraries.
#[test]
fn the_page_lists_every_scenario() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/burn-scenarios.md");
    let text = fs::read_to_string(page).expect("the page is there");
    let begin = text.find("| scenario |").expect("a table");
    let table = text[begin..].split("\n\n").next().unwrap_or_default();
    let mut expected = String::from(
        "| scenario | what goes wrong | exit code | state of the tests |\n|---|---|---|---|\n",
    );
    for s in SCENARIOS {
        let states = if s.expected.states.is_empty() {
            "no record".into()
        } else {
            s.expected.states.join(", ")
        };
        let _ =
            writeln!(expected, "| `{}` | {} | {} | {states} |", s.name, s.what, s.expected.code);
    }
    assert_eq!(
        table.trim_end(),
        expected.trim_end(),
        "docs/burn-scenarios.md is stale; it should have\n{expected}"
    );
}
