//! Instructions as text, in nvdisasm's spelling.

use std::fmt::Write;

use crate::decode::{Decoded, decode};
use crate::table::column::{hidden, reuse_slots};
use crate::table::print::{Out, pred, print};
use crate::{Arch, Fields, Word};

/// The text of an instruction at byte offset `pc`, guard included, as nvdisasm
/// 11.8 prints it before the semicolon. Empty for the few words it hides, unless
/// a later release shows them.
pub fn text(d: &Decoded, pc: u64) -> String {
    if d.row.silent && !d.row.later || hidden(d.row.mods, &d.fields) {
        return String::new();
    }
    let f = &named_reuse(d);
    let mut head = String::new();
    if f.bits(12, 4) != 7 {
        let _ = write!(head, "@{} ", pred(f.bits(12, 3), f.bit(15), d.row.uniform));
    }
    head.push_str(d.row.op.name);
    let mut out = Out::new(head);
    print(d.row.mods, f, pc, &mut out);
    print(d.row.args, f, pc, &mut out);
    // Some numbers end in a blank.
    let mut s = out.finish().trim_end().to_owned();
    // A field of sm_90; nvdisasm aligns it over a whole listing.
    let monitor = f.bits(102, 2);
    if f.arch == Arch::Sm90 && monitor != 0 {
        let _ = write!(s, " ?PM{monitor}");
    }
    s
}

/// On sm_70, where only one of B and C is a register, either flag names it.
fn named_reuse(d: &Decoded) -> Fields {
    let mut f = d.fields;
    let (b, c) = (1 << 123, 1 << 124);
    if f.arch == Arch::Sm70 && f.bit(109) && f.word.0 & (b | c) != 0 {
        match reuse_slots(d.row.args, &f) {
            Some(3) => f.word.0 = f.word.0 & !c | b,
            Some(5) => f.word.0 = f.word.0 & !b | c,
            _ => {}
        }
    }
    f
}

/// Scheduling fields in a compact form: wait mask, read and write scoreboard,
/// yield, stall, e.g. `01--:r1:w2:y:s04`.
pub fn control(word: Word) -> String {
    let wait: String =
        (0..6).map(|i| if word.bit(116 + i) { char::from(b'0' + i as u8) } else { '-' }).collect();
    let board = |lo, c| match word.bits(lo, 3) {
        7 => format!("{c}-"),
        n => format!("{c}{n}"),
    };
    let yields = if word.bit(109) { '-' } else { 'y' };
    format!("{wait}:{}:{}:{yields}:s{:02}", board(113, 'r'), board(110, 'w'), word.bits(105, 4))
}

/// A listing: offset, control fields, text and encoding of every word.
/// Illegal words stand as `ILLEGAL`; bytes beyond the last whole word are left out.
pub fn listing(code: &[u8], arch: Arch) -> String {
    let mut s = String::new();
    for (i, bytes) in code.as_chunks::<{ Word::BYTES }>().0.iter().enumerate() {
        let (pc, word) = ((i * Word::BYTES) as u64, Word::from_bytes(*bytes));
        let text = match decode(word, arch) {
            // nvdisasm hides a few instructions; people still want to know.
            Ok(d) if d.row.silent && !d.row.later => format!("/* {} */", d.row.op.name),
            Ok(d) => text(&d, pc),
            Err(_) => "ILLEGAL".to_owned(),
        };
        let _ = writeln!(
            s,
            "        /*{pc:04x}*/  {}  {text:<56} ;  /* {:#034x} */",
            control(word),
            word.0
        );
    }
    s
}
