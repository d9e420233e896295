//! The loader against NVIDIA's own tools, and against damaged files.

mod fat;
mod hostile;
mod linking;
mod oracle;
mod placing;

use std::path::PathBuf;

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/containers").join(name)
}

fn read(name: &str) -> Vec<u8> {
    std::fs::read(data(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn text(name: &str) -> String {
    String::from_utf8(read(name)).unwrap()
}

/// The compiled inputs with that ending, sorted.
fn files(ending: &str) -> Vec<String> {
    let names =
        std::fs::read_dir(data("")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|n| n.ends_with(ending)).collect();
    names.sort();
    assert!(!names.is_empty(), "no *{ending} among the test inputs");
    names
}
