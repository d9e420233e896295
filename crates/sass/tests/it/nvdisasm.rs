//! Our texts against the recorded answers of nvdisasm (`oracles/nvdisasm`).

use std::path::PathBuf;

use upset_sass::Arch;
use upset_testkit::nvdisasm::{Accepted, Record, compare};

fn oracle(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../oracles/nvdisasm").join(name);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn record(arch: Arch) -> Record {
    Record::from_bytes(&oracle(&format!("{arch}.z"))).unwrap()
}

fn accepted() -> Vec<Accepted> {
    Accepted::parse(&String::from_utf8(oracle("accepted.toml")).unwrap()).unwrap()
}

#[test]
fn the_recordings_are_large_enough() {
    let flips: usize = Arch::ALL.iter().map(|a| record(*a).flips.len()).sum();
    assert!(flips >= 300_000, "{flips} flips");
}

#[test]
fn real_code_reads_as_nvdisasm_prints_it() {
    for arch in Arch::ALL {
        let wrong: Vec<_> =
            compare(&record(arch), arch).differences.into_iter().filter(|d| d.real).collect();
        assert!(wrong.is_empty(), "{arch}: {} of them, first {:#?}", wrong.len(), wrong[0]);
    }
}

#[test]
fn flipped_words_read_as_nvdisasm_prints_them_or_are_excused() {
    let accepted = accepted();
    let mut used = vec![false; accepted.len()];
    for arch in Arch::ALL {
        let mut wrong = compare(&record(arch), arch).differences;
        wrong.retain(|d| {
            let by = accepted.iter().position(|a| a.covers(arch, d.word));
            by.inspect(|n| used[*n] = true).is_none()
        });
        assert!(wrong.is_empty(), "{arch}: {} of them, first {:#?}", wrong.len(), wrong[0]);
    }
    for (entry, used) in accepted.iter().zip(used) {
        assert!(used, "no word needs the excuse any more: {}", entry.reason);
    }
}
