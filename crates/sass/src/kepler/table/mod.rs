//! The instruction table: one row per instruction, with its forms.

mod bits;
mod convert;
mod double;
mod float;
mod flow;
mod graphics;
mod int;
mod memory;
mod movement;
mod predicate;
mod special_registers;
mod surface;
mod system;
mod texture;
mod video;
mod video_simd;

#[cfg(test)]
mod tests;

use super::Word;
use super::{Form, Row};

/// The families, in the order in which rows are tried.
pub static FAMILIES: &[&[Row]] = &[
    bits::ROWS,
    convert::ROWS,
    double::ROWS,
    float::ROWS,
    flow::ROWS,
    graphics::ROWS,
    int::ROWS,
    memory::ROWS,
    movement::ROWS,
    predicate::ROWS,
    surface::ROWS,
    system::ROWS,
    texture::ROWS,
    video::ROWS,
    video_simd::ROWS,
];

/// All rows.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().flat_map(|f| f.iter())
}

/// Rows by class and opcode.
struct Index {
    /// For each key, the range of `list` that holds its rows.
    spans: Vec<(u32, u32)>,
    list: Vec<(&'static Row, Form)>,
}

static INDEX: std::sync::LazyLock<Index> = std::sync::LazyLock::new(Index::build);

/// Class (2 bits) above the opcode (12 bits).
const KEYS: u64 = 1 << 14;

impl Index {
    fn build() -> Index {
        let mut lists = vec![Vec::new(); KEYS as usize];
        for row in rows() {
            for code in row.codes.iter() {
                code.opcodes().for_each(|opcode| {
                    let key = u64::from(code.class) << 12 | u64::from(opcode);
                    if let Some(list) = lists.get_mut(key as usize) {
                        list.push((row, code.form));
                    }
                });
            }
        }
        let mut index = Index { spans: Vec::with_capacity(lists.len()), list: Vec::new() };
        for own in lists {
            let start = index.list.len() as u32;
            index.list.extend(own);
            index.spans.push((start, index.list.len() as u32));
        }
        index
    }
}

/// The rows and forms that share `word`'s class and opcode, in the order they are tried.
pub fn candidates(word: Word) -> &'static [(&'static Row, Form)] {
    let key = word.bits(52, 12) | word.bits(0, 2) << 12;
    let (start, end) = INDEX.spans[key as usize];
    &INDEX.list[start as usize..end as usize]
}
