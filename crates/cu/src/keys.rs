//! Every key of a chip's tables of compute units is read: by the compute unit
//! here, by launches in `upset-device`, or by the chip's own tables.

use std::path::Path;

use upset_chip::schema::{Core, FIELDS, SOURCE, core_of};

/// All sources of a folder of the workspace.
fn sources(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).expect("sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|e| e == "rs") {
            *text += &std::fs::read_to_string(path).expect("a source");
        }
    }
}

#[test]
fn every_key_of_compute_units_is_read() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut text = String::new();
    for folder in ["cu/src", "device/src/amd"] {
        sources(&crates.join(folder), &mut text);
    }
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let mut silent = Vec::new();
    for field in FIELDS.iter().filter(|f| core_of(f.table) == Some(Core::Cu) && f.key != SOURCE) {
        // `core.lds.banks`, `lds.banks`, `cu.waves`: by table and key.
        let read = format!("{}.{}", field.table, field.key);
        if !text.match_indices(&read).any(|(i, _)| ends(&text[i + read.len()..])) {
            silent.push(read);
        }
    }
    // Groups of units are made by methods of their own.
    silent.retain(|key| !["cu.count", "cu.group"].contains(&key.as_str()));
    assert!(silent.is_empty(), "nothing reads {silent:#?}");
}
