//! What `.cargo/rustc` adds to calls of the compiler, told by a compiler that only
//! prints what it was given.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

const COMPILER: &str = "#!/bin/sh
if [ \"$*\" = -vV ]; then
    printf 'rustc 1.95.0 (x)\\nrelease: 1.95.0\\nLLVM version: 22.1.2\\n'
else
    for word do echo \"$word\"; done
fi
";
const PROFILE: &str = "1.95.0-llvm-22.1.2.profdata";
const CALL: &str = "--crate-name upset_mem --emit=dep-info,metadata,link -C opt-level=3 \
    -C metadata=0123 -C extra-filename=-4567";

/// A folder with the script, the compiler, and profiles of these names. Its path has
/// a space.
struct Setting {
    folder: TempDir,
}

impl Setting {
    fn with(profiles: &[&str]) -> Setting {
        let folder = tempfile::Builder::new().prefix("a folder").tempdir().expect("a folder");
        let setting = Setting { folder };
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cargo/rustc");
        for folder in [".cargo", "profiles"] {
            fs::create_dir(setting.path(folder)).expect("a folder");
        }
        fs::copy(script, setting.path(".cargo/rustc")).expect("the script");
        fs::write(setting.path("compiler"), COMPILER).expect("a compiler");
        let may_run = fs::Permissions::from_mode(0o755);
        fs::set_permissions(setting.path("compiler"), may_run).expect("a program");
        for profile in profiles {
            fs::write(setting.path("profiles").join(profile), "").expect("a profile");
        }
        setting
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The words that the compiler is given for a call.
    fn given(&self, call: &[&str], variables: &[(&str, &str)]) -> Vec<String> {
        let ran = Command::new(self.path(".cargo/rustc"))
            .arg(self.path("compiler"))
            .args(call)
            .env_remove("UPSET_NO_PROFILE")
            .env_remove("UPSET_PROFILE_GENERATE")
            .envs(variables.iter().copied())
            .output()
            .expect("it starts");
        assert!(ran.status.success() && ran.stderr.is_empty(), "{ran:?}");
        String::from_utf8(ran.stdout).expect("text").lines().map(String::from).collect()
    }
}

fn words(call: &str) -> Vec<&str> {
    call.split_whitespace().collect()
}

#[test]
fn crates_of_simulated_cycles_get_the_profile() {
    let setting = Setting::with(&[PROFILE]);
    let mut call = words(CALL);
    call.push("a name with spaces");
    let mut expected: Vec<String> = call.iter().map(|w| w.to_string()).collect();
    expected[6] = "metadata=upset_mem".into();
    let profile = setting.path(".cargo/../profiles").join(PROFILE);
    expected.push(format!("-Cprofile-use={}", profile.display()));
    expected.push("-Cllvm-args=-no-pgo-warn-mismatch".into());
    assert_eq!(setting.given(&call, &[]), expected);
}

#[test]
fn other_calls_are_passed_on_as_they_are() {
    let setting = Setting::with(&[PROFILE]);
    for call in [
        CALL.replace("upset_mem", "upset_cli"),
        CALL.replace("upset_mem", "serde"),
        // A debug build, a check, a crate's tests, coverage.
        CALL.replace("opt-level=3", "opt-level=1"),
        CALL.replace("-C opt-level=3", ""),
        CALL.replace(",link", ""),
        format!("{CALL} --test"),
        format!("{CALL} -C instrument-coverage"),
        format!("{CALL} -Cprofile-use=another"),
        "--print sysroot".into(),
        String::new(),
    ] {
        let call = words(&call);
        assert_eq!(setting.given(&call, &[]), call);
    }
    let call = words(CALL);
    assert_eq!(setting.given(&call, &[("UPSET_NO_PROFILE", "1")]), call);
    assert_eq!(setting.given(&["-vV"], &[])[1], "release: 1.95.0");
}

#[test]
fn another_compiler_builds_as_without_profiles() {
    let call = words(CALL);
    for others in [&[][..], &["1.94.0-llvm-22.1.2.profdata", "1.95.0-llvm-21.1.8.profdata"]] {
        assert_eq!(Setting::with(others).given(&call, &[]), call);
    }
}

#[test]
fn what_is_to_count_is_built_so() {
    let setting = Setting::with(&[PROFILE]);
    let counting = [("UPSET_PROFILE_GENERATE", "/counts of runs")];
    let mut expected = words(CALL);
    expected[6] = "metadata=upset_mem";
    expected.push("-Cprofile-generate=/counts of runs");
    assert_eq!(setting.given(&words(CALL), &counting), expected);
    // Who links it takes what writes the counts.
    let program = CALL.replace("upset_mem", "upset").replace("level=3", "level=1");
    let mut expected = words(&program);
    expected.push("-Clink-arg=-Wl,-u,__llvm_profile_runtime");
    assert_eq!(setting.given(&words(&program), &counting), expected);
}
