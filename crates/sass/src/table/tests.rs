//! The table as a whole: no row hides another, every row can be reached, and
//! no word makes decoder or printer panic.

use std::collections::BTreeSet;

use proptest::prelude::*;
use upset_isa::{Across, BitFlow, OpDef, Pace};

use super::{Col, Row, candidates, rows};
use crate::{Arch, Word, decode, disasm};

/// Every combination of opcode, form and bit 91.
fn keys() -> impl Iterator<Item = Word> {
    (0..1u128 << 13).map(|k| Word(k & 0xfff | k >> 12 << 91))
}

fn id(row: &Row) -> String {
    format!("{} {:#05x} {:?} when {:?}", row.op.name, row.code, row.archs, row.when)
}

#[test]
fn only_the_last_row_of_a_word_is_unconditional() {
    for arch in Arch::ALL {
        for word in keys() {
            let found = candidates(word, arch);
            for row in found.iter().rev().skip(1) {
                assert!(!row.when.is_empty(), "{arch} {word:?}: {} hides others", id(row));
            }
        }
    }
}

#[test]
fn every_row_is_reachable() {
    let mut seen = BTreeSet::new();
    for arch in Arch::ALL {
        for word in keys() {
            seen.extend(candidates(word, arch).iter().map(|r| std::ptr::from_ref::<Row>(r).addr()));
        }
    }
    for row in rows() {
        assert!(seen.contains(&std::ptr::from_ref(row).addr()), "{} is out of reach", id(row));
    }
}

/// Modifiers bring their dot.
fn check_names(row: &Row, cols: &[Col]) {
    for col in cols {
        match *col {
            Col::When(_, then) => check_names(row, then),
            Col::Either(_, then, other) => {
                check_names(row, then);
                check_names(row, other);
            }
            _ => {}
        }
        if let Col::Enum(_, _, names) | Col::Scatter(_, names) = *col {
            let marks =
                ["", super::column::ILLEGAL, super::column::INVALID, super::column::UNNAMED];
            for name in names {
                assert!(
                    name.starts_with('.') || marks.contains(name),
                    "{}: modifier {name} lacks its dot",
                    id(row)
                );
            }
        }
    }
}

#[test]
fn rows_are_well_formed() {
    for row in rows() {
        assert!(row.code < 512, "{}", id(row));
        assert!(row.forms.0 != 0, "{} has no form", id(row));
        assert!(row.silent || !row.op.name.is_empty(), "{} has no name", id(row));
        check_names(row, row.mods);
        check_names(row, row.args);
    }
}

/// Names of the operations of which `holds`.
fn which(holds: impl Fn(&OpDef) -> bool) -> Vec<&'static str> {
    let names: BTreeSet<&str> = rows().filter(|r| holds(r.op)).map(|r| r.op.name).collect();
    names.into_iter().collect()
}

/// A wrong column changes time or bounds without anybody noticing.
#[test]
fn operations_unlike_others_of_their_unit() {
    assert_eq!(which(|op| op.pace == Pace::IntegerProduct), ["IDP", "IMAD"]);
    assert_eq!(which(|op| op.pace == Pace::Clock), ["CS2R"]);
    assert_eq!(which(|op| op.pace == Pace::Vote), ["VOTE"]);
    assert_eq!(which(|op| op.pace == Pace::ToUniform), ["VOTEU"]);
    assert_eq!(which(|op| op.pace == Pace::UniformMove), ["UMOV"]);
    assert_eq!(which(|op| op.bits == BitFlow::Bitwise), ["LOP3", "ULOP3"]);
    assert_eq!(which(|op| op.bits == BitFlow::Moves), ["MOV", "UMOV"]);
    assert_eq!(which(|op| op.bits == BitFlow::MovesByB), ["PRMT", "SHF", "UPRMT", "USHF"]);
    assert_eq!(which(|op| op.bits == BitFlow::Product), ["IMAD", "UIMAD"]);
    assert_eq!(which(|op| op.bits == BitFlow::Upwards), ["IADD3", "UIADD3"]);
    assert_eq!(which(|op| op.across == Across::Shuffle), ["SHFL"]);
    let across = [
        "BMMA", "DMMA", "ELECT", "FSWZADD", "HMMA", "IMMA", "MATCH", "MOVM", "REDUX", "VOTE",
        "VOTEU",
    ];
    assert_eq!(which(|op| op.across == Across::Lanes), across);
    assert_eq!(which(|op| !op.reads_preds), ["HADD2", "HFMA2", "HMUL2"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn no_word_panics(bits in any::<u128>(), pc in any::<u64>()) {
        for arch in Arch::ALL {
            if let Ok(d) = decode(Word(bits), arch) {
                let _ = disasm::text(&d, pc);
                let _ = d.lower();
            }
        }
    }

    /// Random words are mostly illegal: give them an opcode that exists and
    /// idle scheduling fields.
    #[test]
    fn no_legal_word_panics(bits in any::<u128>(), row in 0..rows().count(), form in 0u8..16) {
        let Some(row) = rows().nth(row) else { return Ok(()) };
        let clear = 0xfff | 0xff_ffffu128 << 104 | 1 << 91;
        let idle = 0x000f_e200u128 << 96;
        let form = u128::from(form);
        let word = bits & !clear | u128::from(row.code) | (form & 7) << 9 | form >> 3 << 91 | idle;
        for arch in Arch::ALL {
            if let Ok(d) = decode(Word(word), arch) {
                let _ = disasm::text(&d, 0);
                let _ = d.lower();
            }
        }
    }
}

/// One instruction of each kind, as nvdisasm 11.8 prints it.
#[test]
fn text_is_that_of_nvdisasm() {
    let samples = [
        (
            Arch::Sm70,
            0x0c0fe400078e020b00005c0018047625,
            "IMAD.WIDE R4, R24.reuse, R11.reuse, c[0x0][0x170]",
        ),
        (
            Arch::Sm70,
            0x000fe20003f0e170000000000000981c,
            "@!P1 PLOP3.LUT P0, PT, PT, PT, PT, 0x8, 0x0",
        ),
        (Arch::Sm70, 0x000e24000021f0000000000400037305, "F2I.FTZ.U32.TRUNC.NTZ R3, R4"),
        (
            Arch::Sm75,
            0x040fe200000000ff5f80000000030823,
            "@P0 FFMA R3, R0.reuse, 1.84467440737095516160e+19, RZ",
        ),
        (
            Arch::Sm75,
            0x100fe2000791e00500005b0002027a10,
            "IADD3 R2, P0, P1, R2, c[0x0][0x16c], R5.reuse",
        ),
        (
            Arch::Sm75,
            0x140fe400008f140b00005d000a050a11,
            "@P0 LEA.HI.X R5, R10.reuse, c[0x0][0x174], R11.reuse, 0x2, P1",
        ),
        (Arch::Sm75, 0x000fe400087fe43f000000073f0b7290, "UIADD3.X UR11, URZ, UR7, URZ, UP0, !UPT"),
        (
            Arch::Sm75,
            0x000fc8000008000a080008000d0d7831,
            "HFMA2 R13, R13, 0.0001220703125, 0.0001220703125, |R10|",
        ),
        (Arch::Sm75, 0x000ea20000001800401c666600077908, "MUFU.RCP64H R7, 7.09999847412109375"),
        (
            Arch::Sm75,
            0x000fe20003f0620041e000001200742a,
            "DSETP.GE.AND P0, PT, |R18|, 2.14748364800000000000e+09, PT",
        ),
        (
            Arch::Sm75,
            0x180fe4000782f8050000000908ff7212,
            "LOP3.LUT P1, RZ, R8, R9.reuse, R5.reuse, 0xf8, !PT",
        ),
        (
            Arch::Sm80,
            0x000fe200000001ff3f6a937eff0a7435,
            "HFMA2.MMA R10, -RZ, RZ, 1.853515625, -0.00091457366943359375",
        ),
        (
            Arch::Sm80,
            0x000fda0003f0630000005d0002007a0c,
            "ISETP.GE.AND.EX P0, PT, R2, c[0x0][0x174], PT, P0",
        ),
        (Arch::Sm90, 0x002fc400000000ff0000000a0b0c723e, "F2FP.F16.F32.PACK_AB R12, R11, R10"),
        (Arch::Sm90, 0x002fe2000020140000000014000e7245, "I2FP.F32.S32 R14, R20"),
        (Arch::Sm90, 0x000fce0000000a000000820000247ab9, "ULDC.64 UR36, c[0x0][0x208]"),
    ];
    for (arch, word, expected) in samples {
        let d = decode(Word(word), arch).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(disasm::text(&d, 0), expected);
    }
}

#[test]
fn scheduling_fields_decide_on_legality() {
    let iadd3 = 0x000fe20007ffe0030000000102047210u128;
    let legal = |word: u128| decode(Word(word), Arch::Sm75).is_ok();
    assert!(legal(iadd3));
    // Reuse flags of all three registers; stall field 16 and 28 do not exist.
    assert!(legal(iadd3 | 7 << 122));
    assert!(!legal(iadd3 & !(31 << 105) | 16 << 105));
    assert!(!legal(iadd3 & !(31 << 105) | 28 << 105));
    // With yield the flags are a batch number up to 5.
    assert!(legal(iadd3 & !(31 << 105) | 1 << 105 | 5 << 122));
    assert!(!legal(iadd3 & !(31 << 105) | 1 << 105 | 6 << 122));
    // An immediate cannot be reused.
    assert!(!legal(iadd3 & !0xfff | 0x810 | 2 << 122));
}
