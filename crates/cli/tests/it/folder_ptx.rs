//! Applications that are folders with PTX instead of machine code.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::{code, stderr, stdout};

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/saxpy");

/// A folder with an application, and something that answers as ptxas does.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().expect("a folder"));
        fs::create_dir(place.path("app")).expect("made");
        for name in ["app.toml", "y.small.txt", "y.paper.txt"] {
            fs::copy(Path::new(EXAMPLE).join(name), place.path("app").join(name)).expect("copied");
        }
        fs::write(place.path("app/saxpy.ptx"), ".version 7.8\n").expect("written");
        place.converter("9.9.9");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn converter(&self, release: &str) {
        let script = format!(
            "#!/bin/sh\nif [ \"$1\" = --version ]; then\n\
             echo 'tools, release 9.9, V{release}'; exit 0; fi\n\
             cp {EXAMPLE}/saxpy.\"${{1#-arch=}}\".cubin \"$4\"\n"
        );
        let file = self.path("ptxas");
        fs::write(&file, script).expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("set");
    }

    fn upset(&self, words: &[&str], converter: bool) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_upset"));
        command.args(words).current_dir(self.0.path()).env("PATH", "/usr/bin:/bin");
        command.env("UPSET_PTX_KEPT", self.path("kept")).env("UPSET_CUDA", "/nonexistent");
        command.env("UPSET_DRIVER_LIBRARIES", "/nonexistent");
        command.env_remove("VIRTUAL_ENV").env_remove("UPSET_PTXAS");
        command.envs(converter.then(|| ("UPSET_PTXAS", self.path("ptxas"))));
        command.output().expect("upset starts")
    }
}

#[test]
fn run_as_those_with_machine_code() {
    let place = Place::new();
    for chip in ["rtx2060", "gv100", "h200"] {
        let o = place.upset(&["run", "app", "--chip", chip], true);
        assert_eq!(code(&o), 0, "{}", stderr(&o));
        let own = place.upset(&["run", EXAMPLE, "--chip", chip], false);
        let digest = |o: &Output| stdout(o).lines().last().map(String::from);
        assert_eq!(digest(&o), digest(&own), "{chip}");
    }
    // The manifest may name it.
    let manifest = fs::read_to_string(place.path("app/app.toml")).expect("a manifest");
    fs::write(place.path("app/app.toml"), manifest + "\n[code]\nptx = \"other.ptx\"\n").expect("");
    fs::rename(place.path("app/saxpy.ptx"), place.path("app/other.ptx")).expect("renamed");
    let o = place.upset(&["ace", "app", "--chip", "rtx2060", "--quiet"], true);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
}

#[test]
fn a_store_is_of_text_and_converter() {
    let place = Place::new();
    let words = ["campaign", "--app", "app", "--chip", "rtx2060", "--structure", "rf", "--quiet"];
    let o = place.upset(&[&words[..], &["--runs", "4", "--out", "a.db"]].concat(), true);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let verify = || place.upset(&["verify", "a.db"], true);
    assert_eq!(code(&verify()), 0, "{}", stderr(&verify()));
    let another = "is not the one that the store was made with";
    place.converter("9.9.10");
    assert!(stderr(&verify()).contains(another), "{}", stderr(&verify()));
    place.converter("9.9.9");
    assert_eq!(code(&verify()), 0, "{}", stderr(&verify()));
    // Another text is another application, even if the same code came of it.
    fs::write(place.path("app/saxpy.ptx"), ".version 7.8\n// other\n").expect("written");
    assert!(stderr(&verify()).contains(another), "{}", stderr(&verify()));
}

#[test]
fn without_a_converter_one_sentence_says_how_to_get_one() {
    let place = Place::new();
    for (chip, fetch) in [
        ("rtx2060", "`upset toolkit fetch --converter` gets one"),
        ("titan", "`upset toolkit fetch` gets one"),
    ] {
        let o = place.upset(&["run", "app", "--chip", chip], false);
        assert_eq!(code(&o), 3, "{}", stderr(&o));
        assert_eq!(stderr(&o).lines().count(), 1, "{}", stderr(&o));
        assert!(stderr(&o).contains(fetch), "{}", stderr(&o));
    }
    // AMD's chips have nothing to convert for.
    let o = place.upset(&["run", "app", "--chip", "hd7970"], true);
    assert_eq!(code(&o), 3, "{}", stderr(&o));
    fs::remove_file(place.path("app/saxpy.ptx")).expect("removed");
    let o = place.upset(&["run", "app", "--chip", "rtx2060"], true);
    assert_eq!(code(&o), 2, "{}", stderr(&o));
    assert!(
        stderr(&o).contains("saxpy.sm_75.cubin, saxpy.gfx600.co or saxpy.ptx"),
        "{}",
        stderr(&o)
    );
}
