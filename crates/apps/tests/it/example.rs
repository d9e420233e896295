//! The worked example of `docs/adding-an-application.md`.

use crate::{CHIPS, device};
use std::path::{Path, PathBuf};
use upset_apps::{App, FolderApp, Scale};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[test]
fn it_runs_and_is_right_on_every_architecture() {
    let app = FolderApp::open(&docs().join("examples/saxpy")).unwrap();
    for chip in CHIPS {
        for (scale, elements) in [(Scale::Small, 100), (Scale::Paper, 1000)] {
            let run = app.run(&mut device(chip), scale, app.default_seed()).unwrap();
            let verdict = app.check(&run);
            assert!(verdict.passed, "{chip}: {:?}", verdict.first_mismatch);
            assert_eq!(verdict.compared, elements);
            assert_eq!(run.launches.len(), 3);
        }
    }
}

#[test]
fn the_one_in_opencl_runs_on_amd_chips() {
    let app = FolderApp::open(&docs().join("examples/moving")).unwrap();
    for chip in ["hd7970", "hd7870", "hd7770"] {
        let run = app.run(&mut device(chip), Scale::Small, 1).unwrap();
        let verdict = app.check(&run);
        assert!(verdict.passed, "{chip}: {:?}", verdict.first_mismatch);
        assert_eq!(verdict.compared, 200);
    }
}

#[test]
fn a_wrong_expectation_is_noticed() {
    let app = FolderApp::open(&docs().join("examples/saxpy")).unwrap();
    let mut run = app.run(&mut device("rtx2060"), Scale::Small, 1).unwrap();
    run.scale = Scale::Paper;
    let first = app.check(&run).first_mismatch.unwrap();
    assert_eq!(first.to_string(), "y[100] is missing, expected 751.0");
}

#[test]
fn the_page_shows_the_files_themselves() {
    let page = std::fs::read_to_string(docs().join("adding-an-application.md")).unwrap();
    for (id, suffix, language) in [("saxpy", "cu", "cuda"), ("moving", "cl", "opencl")] {
        let folder = docs().join("examples").join(id);
        let manifest = std::fs::read_to_string(folder.join("app.toml")).unwrap();
        assert!(page.contains(&format!("```toml\n{manifest}```")), "{id}");
        let source = std::fs::read_to_string(folder.join(format!("{id}.{suffix}"))).unwrap();
        let (_, kernel) = source.split_once("\n\n").unwrap();
        assert!(page.contains(&format!("```{language}\n{kernel}```")), "{id}");
    }
}

#[test]
fn a_folder_without_a_manifest_is_explained() {
    let error = FolderApp::open(&docs()).err().unwrap().to_string();
    assert!(error.contains("app.toml"), "{error}");
}
