//! `upset toolkit` and `upset compile` beside made-up compilers, and what is
//! generated for shells and `man`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::{code, stderr, stdout, upset};

/// A home, a project and a search path, none of them the machine's own.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { dir: tempfile::tempdir().expect("a folder") };
        for name in ["home", "tools", "project/inner"] {
            fs::create_dir_all(place.path(name)).expect("a folder");
        }
        // The only host compiler that is to be found.
        place.script("tools/g++", "echo 12.2.0");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn script(&self, name: &str, body: &str) {
        let file = self.path(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        let new = file.with_extension("new");
        fs::write(&new, format!("#!/bin/sh\n{body}\n")).expect("written");
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).expect("permissions");
        fs::rename(&new, &file).expect("renamed");
    }

    /// Something that answers as nvcc of a release does, and otherwise writes
    /// what it was told into the file after `-o`.
    fn compiler(&self, name: &str, release: &str) {
        let body = format!(
            "if [ \"$1\" = --version ]; then echo 'tools, release {release}, V'; exit; fi\n\
             all=\"$*\"\n\
             while [ $# -gt 0 ]; do case $1 in -o) out=$2;; --fail) exit 7;; esac; shift; done\n\
             echo \"$all\" > \"$out\""
        );
        self.script(name, &body);
    }

    fn upset(&self, args: &[&str], variables: &[(&str, &Path)]) -> Output {
        let tools = std::env::join_paths([self.path("tools"), "/bin".into()]).expect("a path");
        Command::new(env!("CARGO_BIN_EXE_upset"))
            .args(args)
            .current_dir(self.path("project/inner"))
            .env_clear()
            .env("HOME", self.path("home"))
            .env("PATH", tools)
            .envs(variables.iter().map(|(name, value)| (*name, *value)))
            .output()
            .expect("upset starts")
    }

    fn release(&self, variables: &[(&str, &Path)]) -> String {
        let o = self.upset(&["toolkit"], variables);
        assert_eq!(code(&o), 0, "{}", stderr(&o));
        let first = stdout(&o).lines().next().unwrap_or_default().to_string();
        first.rsplit(' ').next().unwrap_or_default().to_string()
    }
}

/// What is named first, then what was fetched, then the project's, then what is
/// on the search path.
#[test]
fn compilers_are_found_in_order() {
    let place = Place::new();
    let has_nvcc = Path::new("/bin/nvcc").exists();
    if !has_nvcc {
        let o = place.upset(&["toolkit"], &[]);
        assert_eq!(code(&o), 2);
        assert!(stderr(&o).contains("upset toolkit fetch"), "{}", stderr(&o));
    }
    place.compiler("tools/nvcc", "12.1");
    assert_eq!(place.release(&[]), "12.1");
    place.compiler("project/.cuda/bin/nvcc", "12.2");
    assert_eq!(place.release(&[]), "12.2");
    place.compiler("home/.local/share/upset/cuda/bin/nvcc", "12.3");
    assert_eq!(place.release(&[]), "12.3");
    place.compiler("data/upset/cuda/bin/nvcc", "12.4");
    assert_eq!(place.release(&[("XDG_DATA_HOME", &place.path("data"))]), "12.4");
    place.compiler("named/bin/nvcc", "12.5");
    assert_eq!(place.release(&[("UPSET_CUDA", &place.path("named"))]), "12.5");
    // Who names one wants no other.
    let o = place.upset(&["toolkit"], &[("UPSET_CUDA", &place.path("nowhere"))]);
    assert_eq!(code(&o), 2);
    assert!(stderr(&o).contains("nowhere/bin/nvcc does not exist"), "{}", stderr(&o));
}

#[test]
fn a_converter_is_fetched_alone() {
    let place = Place::new();
    // `pip download` leaves a wheel; `zipfile` unpacks it.
    let wheel = "nvidia_nvjitlink_cu12-12.9.86.whl";
    place.script(
        "tools/python3",
        &format!(
            "case $2 in pip) echo > {wheel};; zipfile) mkdir -p $5/nvidia/nvjitlink/lib;\n\
             [ \"${{4##*/}}\" = {wheel} ] && echo > $5/nvidia/nvjitlink/lib/libnvJitLink.so.12;; esac"
        ),
    );
    let prefix = place.path("home/.local/share/upset/cuda");
    for said in ["nvJitLink 12.9 is in ", &prefix.display().to_string()] {
        let o = place.upset(&["toolkit", "fetch", "--converter"], &[]);
        assert_eq!(code(&o), 0, "{}", stderr(&o));
        assert!(stdout(&o).starts_with(said), "{}", stdout(&o));
    }
    assert!(prefix.join("lib64/libnvJitLink.so.12").is_file());
    assert_eq!(fs::read_dir(&prefix).expect("a list").count(), 1, "nothing is left over");
    place.script("tools/python3", "exit 3");
    let o = place.upset(&["toolkit", "fetch", "--converter", "there"], &[]);
    assert_eq!(code(&o), 2);
    assert!(stderr(&o).contains("python3 ended with"), "{}", stderr(&o));
    assert_eq!(fs::read_dir(place.path("project/inner/there")).expect("a list").count(), 0);
}

#[test]
fn a_program_is_compiled_for_its_chips_with_the_shared_runtime() {
    let place = Place::new();
    place.compiler("project/.cuda/bin/nvcc", "11.8");
    fs::write(place.path("project/inner/a.cu"), "").expect("written");
    let o = place.upset(&["compile", "a.cu", "--chip", "rtx2060,gv100", "--", "-O2"], &[]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    assert_eq!(stdout(&o), "a: code for sm_75, sm_70, by CUDA 11.8\n");
    let told = fs::read_to_string(place.path("project/inner/a")).expect("what nvcc was told");
    assert_eq!(
        told,
        "-cudart shared -cudadevrt none -gencode arch=compute_75,code=sm_75 \
         -gencode arch=compute_70,code=sm_70 -allow-unsupported-compiler -O2 -o a a.cu\n"
    );
    // A host compiler that CUDA 11.8 knows is taken instead of a newer one.
    place.script("tools/g++-11", "echo 11");
    let o = place.upset(&["compile", "a.cu", "--cubin", "--chip", "h200", "--verbose"], &[]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let words = "-ccbin g++-11 -arch=sm_90 -cubin -o a.sm_90.cubin a.cu";
    assert!(stdout(&o).contains(words), "{}", stdout(&o));
}

#[test]
fn what_cannot_be_compiled_is_told() {
    let place = Place::new();
    place.compiler("project/.cuda/bin/nvcc", "13.0");
    fs::write(place.path("project/inner/a.cu"), "").expect("written");
    let refused = |args: &[&str], wanted: i32, part: &str| {
        let o = place.upset(&[&["compile"], args].concat(), &[]);
        assert_eq!(code(&o), wanted, "{args:?}: {}", stderr(&o));
        assert!(stderr(&o).contains(part), "{args:?}: {}", stderr(&o));
    };
    refused(&["b.cu", "--chip", "gv100"], 2, "b.cu");
    refused(&["a.cu", "--chip", "hd7970"], 3, "AMD");
    refused(&["a.cu", "--chip", "gv100", "-o", "a.cu"], 2, "overwritten");
    refused(&["a.cu", "--chip", "gv100", "--", "-cudart", "static"], 2, "leave -cudart out");
    refused(&["a.cu", "--chip", "gv100,h200", "--cubin"], 2, "one --chip");
    refused(&["a.cu", "--chip", "gv100", "--", "--fail"], 2, "upset toolkit fetch");
    fs::remove_file(place.path("tools/g++")).expect("removed");
    if !Path::new("/bin/g++").exists() {
        refused(&["a.cu", "--chip", "gv100"], 2, "needs a host compiler");
    }
}

#[test]
fn every_shell_learns_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let o = upset(&["completions", shell]);
        assert_eq!(code(&o), 0, "{}", stderr(&o));
        for word in ["campaign", "toolkit", "raw-fit"] {
            assert!(stdout(&o).contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(code(&upset(&["completions", "tcsh"])), 2);
}

#[test]
fn every_command_has_a_manual_page() {
    let main = stdout(&upset(&["man"]));
    assert!(main.contains(".TH upset 1"), "{main}");
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("man1");
    let o = upset(&["man", "--out", &out.to_string_lossy()]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let help = stdout(&upset(&["--help"]));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<&str> = commands
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.contains(&"campaign") && commands.len() > 15, "{commands:?}");
    for name in commands {
        let page = fs::read_to_string(out.join(format!("upset-{name}.1"))).expect(name);
        assert!(page.contains(&format!("upset\\-{name}")), "{name}: {page}");
    }
    assert!(out.join("upset-chips-show.1").exists());
    assert!(!out.join("upset-worker.1").exists());
}
