//! Code as text, line by line.

use std::fmt::Write;

use crate::container::{Kernel, Module};
use crate::{listed, text};

/// A kernel's code: address and bits of each instruction, and its text; words
/// that are none are said to be so.
pub fn listing(module: &Module, kernel: &Kernel) -> String {
    let bytes = module.bytes(kernel.entry, kernel.code_bytes).unwrap_or_default();
    let (chunks, _) = bytes.as_chunks::<4>();
    let words: Vec<u32> = chunks.iter().map(|b| u32::from_le_bytes(*b)).collect();
    let mut out = String::new();
    for (at, inst) in listed(&words) {
        let address = kernel.entry + 4 * at as u64;
        let count = inst.as_ref().map_or(1, |inst| inst.length() / 4);
        let bits: Vec<String> =
            words.iter().skip(at).take(count).map(|word| format!("{word:08x}")).collect();
        let line = match &inst {
            Ok(inst) => text(inst),
            Err(illegal) => format!("// {illegal}"),
        };
        let _ = writeln!(out, "    /*{address:05x}*/  {line:<60} // {}", bits.join(" "));
    }
    out
}
