//! Instructions as text, in nvdisasm's spelling.

use std::fmt::Write;

use super::control::GROUP;
use super::decode::{Decoded, decode};
use super::print::{Out, pred, print};
use super::{Control, Word};

/// The text of an instruction at byte offset `pc`, guard included, as nvdisasm
/// prints it before the semicolon.
pub fn text(d: &Decoded, pc: u64) -> String {
    let f = &d.fields;
    let mut head = String::new();
    if d.row.guarded && f.bits(18, 4) != 7 {
        let _ = write!(head, "@{} ", pred(f.bits(18, 3), f.bit(21), false));
    }
    head.push_str(d.row.op.name);
    let mut out = Out::new(head);
    print(d.row.mods, f, pc, &mut out);
    if d.row.joins && f.joins() {
        out.modifier(".S");
    }
    print(d.row.args, f, pc, &mut out);
    // Some numbers end in a blank.
    out.finish().trim_end().to_owned()
}

/// A listing: offset, control byte, text and encoding of every word. Control
/// words stand as comments, illegal words as `ILLEGAL`; bytes beyond the last
/// whole word are told.
pub fn listing(code: &[u8]) -> String {
    let mut s = String::new();
    let mut control = None;
    let (words, rest) = code.as_chunks::<{ Word::BYTES }>();
    for (i, bytes) in words.iter().enumerate() {
        let (pc, word) = ((i * Word::BYTES) as u64, Word::from_bytes(*bytes));
        let place = i % GROUP;
        if place == 0 {
            control = Control::of(word);
        }
        let (byte, text) = match (place, control) {
            (0, Some(_)) => ("--".to_owned(), "/* control */".to_owned()),
            (_, None) => ("--".to_owned(), instruction(word, pc)),
            (_, Some(c)) => (format!("{:02x}", c.byte(place - 1)), instruction(word, pc)),
        };
        let _ = writeln!(s, "        /*{pc:04x}*/  {byte}  {text:<56} ;  /* {:#018x} */", word.0);
    }
    if !rest.is_empty() {
        let pc = words.len() * Word::BYTES;
        let _ = writeln!(s, "        /*{pc:04x}*/  {} bytes that are no whole word", rest.len());
    }
    s
}

fn instruction(word: Word, pc: u64) -> String {
    decode(word).map_or_else(|_| "ILLEGAL".to_owned(), |d| text(&d, pc))
}
