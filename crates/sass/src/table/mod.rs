//! The instruction table: one row per instruction.
//!
//! A [`Row`] is everything this crate knows about an instruction: which bits
//! select it, what is printed and in which order, which values are illegal,
//! where it executes, and (column `lower`) what it does. Decoder, disassembler
//! and execution read the same row, so they cannot disagree.
//!
//! `docs/adding-an-opcode.md` walks through a row.

pub mod column;
pub mod number;
pub mod print;

mod archs;
mod asynchronous;
mod atomic;
mod barrier;
mod convert;
mod extreme;
mod float;
mod flow;
mod flow_target;
mod graphics;
mod half;
mod hidden;
mod hopper;
mod int;
mod memory;
mod memory_address;
mod memory_order;
mod movement;
mod out;
mod predicate;
mod row;
mod surface;
mod system;
mod system_registers;
mod tensor;
mod tensor_group;
mod texture;
mod uniform;
mod warp;

#[cfg(test)]
mod tests;

use crate::{Arch, Fields, Word};
pub use archs::Archs;
pub use column::{Col, Cond, Imm, Operand};
pub use row::{Boards, Forms, Row, UNKNOWN, op, row};

/// The families, in the order in which rows are tried.
pub static FAMILIES: &[&[Row]] = &[
    asynchronous::ROWS,
    atomic::ROWS,
    barrier::ROWS,
    convert::ROWS,
    extreme::ROWS,
    float::ROWS,
    flow::ROWS,
    graphics::ROWS,
    half::ROWS,
    hidden::ROWS,
    hopper::ROWS,
    int::ROWS,
    memory::ROWS,
    movement::ROWS,
    predicate::ROWS,
    surface::ROWS,
    system::ROWS,
    tensor::ROWS,
    tensor_group::ROWS,
    texture::ROWS,
    uniform::ROWS,
    warp::ROWS,
];

/// All rows.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().flat_map(|f| f.iter())
}

/// Rows by architecture, opcode, form and bit 91.
struct Index {
    /// For each key, the range of `list` that holds its rows.
    spans: Vec<(u32, u32)>,
    list: Vec<&'static Row>,
}

static INDEX: std::sync::LazyLock<Index> = std::sync::LazyLock::new(Index::build);

/// Opcode and form (12 bits) and bit 91.
const KEYS: usize = 1 << 13;

impl Index {
    fn build() -> Index {
        let mut index = Index { spans: Vec::with_capacity(4 * KEYS), list: Vec::new() };
        let mut by_code: Vec<Vec<&'static Row>> = vec![Vec::new(); 512];
        for row in rows() {
            by_code[usize::from(row.code & 511)].push(row);
        }
        for arch in Arch::ALL {
            for key in 0..KEYS {
                let start = index.list.len() as u32;
                let (form, b91) = ((key >> 9 & 7) as u8, key >> 12 == 1);
                index.list.extend(
                    by_code[key & 511]
                        .iter()
                        .filter(|r| r.archs.has(arch) && r.covers(arch, form, b91)),
                );
                index.spans.push((start, index.list.len() as u32));
            }
        }
        index
    }
}

/// The rows that share `word`'s opcode, form and bit 91, in the order they are tried.
pub fn candidates(word: Word, arch: Arch) -> &'static [&'static Row] {
    let key = word.bits(0, 12) as usize | usize::from(word.bit(91)) << 12;
    let (start, end) = INDEX.spans[arch as usize * KEYS + key];
    &INDEX.list[start as usize..end as usize]
}

/// The row that `f`'s word selects. `f.op` is not consulted.
pub(crate) fn select(f: &Fields) -> Option<&'static Row> {
    candidates(f.word, f.arch).iter().copied().find(|r| r.selected(f))
}
