//! Our texts against the recorded answers of nvdisasm (`oracles/nvdisasm`).

use std::path::PathBuf;

use upset_sass::{Arch, Word, decode, disasm};
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

/// What nvdisasm 11.8 hides and 13.4 prints (`later.tsv`, sm_90): every form and
/// modifier. 13.4 has no name for the second predicate `PT` of VIMNMX.
#[test]
fn words_that_only_later_releases_print() {
    let recorded = String::from_utf8(oracle("later.tsv")).unwrap();
    let mut wrong = Vec::new();
    for (n, line) in recorded.lines().enumerate() {
        let (word, theirs) = line.split_once('\t').expect("a word and a text");
        let word = Word(u128::from_str_radix(word, 16).expect("a word"));
        let ours = match decode(word, Arch::Sm90) {
            Ok(d) => disasm::text(&d, 16 * n as u64),
            Err(_) => "illegal".into(),
        };
        let plain = |text: &str| text.replace(' ', "").replace("???7", "PT");
        if plain(&ours) != plain(theirs) {
            wrong.push(format!("{:032x} {ours:?}, there {theirs:?}", word.0));
        }
    }
    assert!(recorded.lines().count() > 900, "too few words");
    assert!(wrong.is_empty(), "{} of them: {:#?}", wrong.len(), &wrong[..wrong.len().min(9)]);
}
