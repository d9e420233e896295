//! Every instruction of the built-in applications has a meaning.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use upset_sass::container::cubin;
use upset_sass::{Arch, Word, decode};

/// All compiled files of the applications.
fn cubins() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels");
    let mut found = Vec::new();
    for app in std::fs::read_dir(root).expect("the kernels folder").flatten() {
        for file in std::fs::read_dir(app.path()).into_iter().flatten().flatten() {
            if file.path().extension().is_some_and(|e| e == "cubin") {
                found.push(file.path());
            }
        }
    }
    found.sort();
    found
}

/// The words of every code section, with the architecture they are for.
fn words(path: &Path) -> Vec<(Arch, Word)> {
    let bytes = std::fs::read(path).expect("a readable cubin");
    let module = cubin::parse(&bytes).expect("a valid cubin");
    let arch = Arch::from_number(module.sm).expect("a known architecture");
    let mut all = Vec::new();
    for section in &module.code {
        let (chunks, _) = section.code.bytes.as_chunks::<16>();
        all.extend(chunks.iter().map(|c| (arch, Word::from_bytes(*c))));
    }
    all
}

#[test]
fn every_instruction_of_the_applications_lowers() {
    let mut problems: BTreeMap<String, u32> = BTreeMap::new();
    let mut seen = 0u32;
    for path in cubins() {
        for (arch, word) in words(&path) {
            seen += 1;
            let problem = match decode(word, arch) {
                Err(e) => e.to_string(),
                Ok(d) => match d.lower() {
                    Ok(_) => continue,
                    Err(e) => format!("{arch} {}: {e}", d.row.op.name),
                },
            };
            *problems.entry(problem).or_default() += 1;
        }
    }
    assert!(seen > 10_000, "only {seen} instructions found");
    assert!(problems.is_empty(), "of {seen}: {problems:#?}");
}
