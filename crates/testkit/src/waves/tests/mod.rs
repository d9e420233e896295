//! The generator itself, and what it has found in the machine.

mod found;

use std::collections::BTreeSet;

use upset_gcn::decode;
use upset_gcn::row::{Row, Status};
use upset_gcn::{Format, listed, table};

use super::*;
use crate::tree::shrink;

fn programs(count: u64) -> impl Iterator<Item = WaveProgram> {
    (0..count).map(WaveProgram::new)
}

#[test]
fn the_same_seed_gives_the_same_code() {
    for p in programs(40) {
        assert_eq!(p.image().object, WaveProgram::new(p.seed).image().object);
    }
}

#[test]
fn every_instruction_decodes_and_executes() {
    for p in programs(200) {
        for (at, inst) in listed(&p.image().code) {
            let inst = inst.unwrap_or_else(|e| panic!("seed {}, word {at}: {e}", p.seed));
            assert_eq!(inst.row.status, Status::Planned, "seed {}: {}", p.seed, inst.row.name);
        }
    }
}

#[test]
fn every_kind_of_statement_occurs() {
    fn kinds(list: &[Node], seen: &mut BTreeSet<WaveKind>) {
        for n in list {
            seen.insert(n.kind);
            n.arms.iter().for_each(|a| kinds(a, seen));
        }
    }
    let mut seen = BTreeSet::new();
    programs(400).for_each(|p| kinds(&p.body, &mut seen));
    assert_eq!(seen.len(), 29, "{seen:?}");
}

/// Executable instructions that no program has, and why.
const LEFT_OUT: &[&str] = &[
    // Time differs between engines.
    "s_memtime",
    // They end or halt a wave, trap, or want somebody who answers.
    "s_setkill",
    "s_sethalt",
    "s_trap",
    "s_sendmsg",
    "s_sendmsghalt",
    // Without effect in the model, or the same as others.
    "s_incperflevel",
    "s_decperflevel",
    "s_ttracedata",
    "s_cbranch_cdbgsys",
    "s_cbranch_cdbgsys_or_user",
    "s_cbranch_cdbgsys_and_user",
    "s_rfe_b64",
];

#[test]
fn every_executable_instruction_occurs() {
    let mut seen = BTreeSet::new();
    for p in (0..1000).map(|seed| WaveProgram::with_size(seed, 80)) {
        seen.extend(listed(&p.image().code).filter_map(|(_, inst)| Some(inst.ok()?.row.name)));
    }
    let graphics = [Format::Vintrp, Format::Mimg, Format::Exp];
    let is_missing = |row: &&Row| {
        row.status == Status::Planned && !graphics.contains(&row.format) && !seen.contains(row.name)
    };
    let missing: BTreeSet<&str> =
        Format::ALL.into_iter().flat_map(table::rows).filter(is_missing).map(|r| r.name).collect();
    let left_out: BTreeSet<&str> = LEFT_OUT.iter().copied().collect();
    assert_eq!(missing, left_out);
}

#[test]
fn programs_become_as_small_as_the_failure_allows() {
    // "Fails" while a reduction is left somewhere.
    fn reduces(list: &[Node]) -> bool {
        list.iter().any(|n| n.kind == WaveKind::Reduction || n.arms.iter().any(|a| reduces(a)))
    }
    let found = (0..).map(|seed| WaveProgram::with_size(seed, 60));
    let program = found.into_iter().find(|p| reduces(&p.body) && p.statements() > 40);
    let small = shrink(&program.expect("one of many"), |p| reduces(&p.body));
    assert_eq!((small.statements(), small.shape.items(), small.shape.groups()), (1, 1, 1));
}

#[test]
fn a_listing_reads_as_the_code_is() {
    let image = WaveProgram::new(1).image();
    let lines = image.listing().lines().count();
    assert_eq!(lines, listed(&image.code).count());
    assert!(image.listing().contains("s_endpgm"));
    assert!(decode(&image.code).is_ok());
}
