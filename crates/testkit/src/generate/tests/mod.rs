//! The generator itself.

mod hazards;

use super::*;
use upset_sass::decode::decode;
use upset_sass::{Arch, Word};

/// Programs small enough to look at all their instructions.
fn programs() -> impl Iterator<Item = Program> {
    (0..40).flat_map(|seed| Arch::ALL.map(|arch| Program::new(seed, arch)))
}

#[test]
fn the_same_seed_gives_the_same_code() {
    for p in programs() {
        assert_eq!(p.image().cubin, Program::new(p.seed, p.arch).image().cubin);
    }
}

#[test]
fn every_instruction_decodes_and_executes() {
    for p in programs() {
        for (i, word) in p.image().code.as_chunks::<16>().0.iter().enumerate() {
            let place = || format!("seed {} on {}, instruction {i}", p.seed, p.arch);
            let decoded = decode(Word::from_bytes(*word), p.arch);
            let decoded = decoded.unwrap_or_else(|e| panic!("{}: {e}", place()));
            decoded.lower().unwrap_or_else(|e| {
                panic!("{}: {}: {e}", place(), upset_sass::disasm::text(&decoded, 0))
            });
        }
    }
}

#[test]
fn every_kind_of_statement_occurs() {
    fn kinds(list: &[Node], seen: &mut Vec<String>) {
        for n in list {
            seen.push(format!("{:?}", n.kind));
            n.arms.iter().for_each(|a| kinds(a, seen));
        }
    }
    let mut seen = Vec::new();
    (0..400).for_each(|seed| kinds(&Program::new(seed, Arch::Sm75).body, &mut seen));
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 26, "{seen:?}");
}

#[test]
fn programs_become_as_small_as_the_failure_allows() {
    // "Fails" while a reduction is left somewhere.
    fn reduces(list: &[Node]) -> bool {
        list.iter().any(|n| n.kind == StatementKind::Reduction || n.arms.iter().any(|a| reduces(a)))
    }
    let found = (0..).map(|seed| Program::with_size(seed, Arch::Sm75, 60));
    let program = found.into_iter().find(|p| reduces(&p.body) && p.statements() > 40);
    let small = shrink(&program.expect("one of many"), |p| reduces(&p.body));
    assert_eq!((small.statements(), small.shape.total()), (1, 1));
}

#[test]
fn small_programs_of_every_architecture_run() {
    for p in programs() {
        let chip = chip(&p).expect("a chip");
        let mut device = upset_device::Device::new(&chip).expect("a device");
        let out = run(&p, &mut device);
        assert!(out.is_ok(), "{}", Mismatch { program: p, what: format!("{:?}", out.err()) });
    }
}
