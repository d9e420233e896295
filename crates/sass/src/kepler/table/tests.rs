//! The table as a whole: no row hides another, every row can be reached, and
//! no word makes decoder or printer panic.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::predicate::TESTS;
use super::{candidates, rows};
use crate::kepler::column::Col;
use crate::kepler::row::Code;
use crate::kepler::{Control, Row, Word, decode, disasm};

/// Every combination of class and opcode.
fn keys() -> impl Iterator<Item = Word> {
    (0..1u64 << 14).map(|k| Word(k & 3 | k >> 2 << 52))
}

fn id(row: &Row) -> String {
    format!("{} {:?} when {:?}", row.op.name, row.codes, row.when)
}

#[test]
fn only_the_last_row_of_a_word_is_unconditional() {
    for word in keys() {
        for (row, _) in candidates(word).iter().rev().skip(1) {
            assert!(!row.when.is_empty(), "{word:?}: {} hides others", id(row));
        }
    }
}

#[test]
fn every_form_of_every_row_is_reachable() {
    for row in rows() {
        for code in row.codes.iter() {
            assert_eq!(code.value & !code.mask, 0, "{}", id(row));
            let word = Word(u64::from(code.class) | u64::from(code.value) << 52);
            let found =
                candidates(word).iter().any(|(r, f)| std::ptr::eq(*r, row) && *f == code.form);
            assert!(found, "{} is out of reach", id(row));
        }
    }
}

/// Operations with their forms: those that compiled code has (147) and more.
#[test]
fn operations_and_forms() {
    let names: BTreeSet<&str> = rows().map(|r| r.op.name).collect();
    let forms: BTreeSet<(&str, u8, u16)> =
        rows().flat_map(|r| r.codes.iter().map(|c| (r.op.name, c.class, c.value))).collect();
    assert_eq!((names.len(), forms.len()), (NAMES, FORMS));
}

const NAMES: usize = 149;
const FORMS: usize = 270;

/// Lists of names are complete, and modifiers bring their dot.
fn check_names(row: &Row, cols: &[Col]) {
    for col in cols {
        let (values, names, modifier) = match *col {
            Col::When(_, then) => {
                check_names(row, then);
                continue;
            }
            Col::Either(_, then, other) => {
                check_names(row, then);
                check_names(row, other);
                continue;
            }
            Col::Enum(_, w, names) => (1 << w, names, names != TESTS),
            Col::Scatter(bits, names) => (1 << bits.len(), names, true),
            Col::Name(_, w, names) => (1 << w, names, false),
            _ => continue,
        };
        assert_eq!(names.len(), values, "{}: {names:?}", id(row));
        for name in names.iter().filter(|_| modifier) {
            let dotted = name.is_empty() || name.starts_with('.');
            assert!(dotted, "{}: {name} lacks its dot", id(row));
        }
    }
}

#[test]
fn rows_are_well_formed() {
    for row in rows() {
        check_names(row, row.mods);
        check_names(row, row.args);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    /// Every word decodes to something that prints, or is illegal.
    #[test]
    fn no_word_panics(bits in any::<u64>(), pc in any::<u64>()) {
        if let Ok(d) = decode(Word(bits)) {
            prop_assert!(!disasm::text(&d, pc).is_empty());
            let _ = d.lower();
        }
    }

    #[test]
    fn no_listing_panics(code in proptest::collection::vec(any::<u8>(), 0..200)) {
        let listing = disasm::listing(&code);
        prop_assert_eq!(listing.lines().count(), code.len().div_ceil(Word::BYTES));
    }
}

/// One instruction of each kind, as nvdisasm 11.8 prints it.
#[test]
fn text_is_that_of_nvdisasm() {
    let samples = [
        (0x64c0_3c00_089c_0006, "MOV R1, c[0x0][0x44]"),
        (0x8640_0000_109c_0012, "S2R R4, SR_TID.X"),
        (0xcd80_0000_005c_0804, "LD.E.CG.64.S R1, [R2]"),
        (0x8580_0000_005c_3c02, "NOP.S"),
        (0x1200_00a0_021c_00bc, "BRA c[0x1][0x4004]"),
        (0x62db_0000_029c_0806, "FADD R1, -|R2|, -|c[0x0][0x14]|"),
        (0xc2d1_0000_029c_0805, "FADD R1, R2, 2.8698592549372253613e-41.NEG.ABS"),
        (0xc894_43ff_ff9c_0805, "ISUB.X R1.CC, -0x1, R2"),
        (0x2bd9_67b2_ffde_bafc, "LOP32I.PASS_B.S R191.CC, R174, 0xb2cf65ff.INV"),
        (0xe359_fc00_0032_3206, "@!P4 FMUL.INVALIDFMZ3.INVALIDSCALE37.RZ R129, -R140, R0"),
        (0x8540_dc00_029c_0002, "BAR.SYNC 0x0, 0x5"),
    ];
    for (word, expected) in samples {
        let d = decode(Word(word)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(disasm::text(&d, 0), expected);
    }
}

#[test]
fn control_words_are_no_instructions() {
    let word = Word(0x08a0_bc80_c0a0_8cc0);
    assert!(Control::of(word).is_some() && decode(word).is_err());
}

/// The index has every row and form that a word has, in the order of the table.
#[test]
fn the_index_answers_what_a_search_of_all_rows_would() {
    for word in keys() {
        let (class, opcode) = (word.bits(0, 2) as u8, word.bits(52, 12) as u16);
        let mut found = candidates(word).iter();
        for row in rows() {
            let own = |code: &&Code| code.class == class && opcode & code.mask == code.value;
            for code in row.codes.iter().filter(own) {
                let (candidate, form) = found.next().expect("a row");
                assert!(std::ptr::eq(*candidate, row) && *form == code.form, "{word:?}");
            }
        }
        assert!(found.next().is_none(), "{word:?}");
    }
}
