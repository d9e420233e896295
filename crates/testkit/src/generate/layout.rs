//! Where labels and instructions lie, and what jumps become by that.

use super::emit::{Jump, Label, Line, Op};
use crate::asm::{Code, Control, flow, moves};
use upset_sass::{Arch, Word};

/// Byte offsets of labels and instructions.
pub(crate) struct Layout {
    labels: Vec<u64>,
}

impl Layout {
    /// Of the lines in their order.
    pub fn new(lines: &[Line]) -> Layout {
        let mut labels = Vec::new();
        let mut at = 0;
        for line in lines {
            match line {
                Line::Label(Label(n)) => {
                    if labels.len() <= *n {
                        labels.resize(n + 1, 0);
                    }
                    labels[*n] = at;
                }
                Line::Insn(..) => at += Word::BYTES as u64,
            }
        }
        Layout { labels }
    }

    /// Offset of a label.
    pub fn at(&self, label: Label) -> u64 {
        self.labels.get(label.0).copied().unwrap_or(0)
    }

    /// The instruction at byte offset `pc`, labels resolved.
    pub fn code(&self, op: Op, pc: u64, arch: Arch) -> Code {
        let next = pc as i64 + Word::BYTES as i64;
        match op {
            Op::Plain(code) => code,
            Op::Labelled(jump, label, p) => {
                let to = self.at(label) as i64;
                match jump {
                    Jump::Branch => flow::bra(arch, to - next).guard(p),
                    Jump::Open(bar) => flow::bssy(bar, to - next),
                    Jump::Call => flow::call(arch, to - next),
                    Jump::Address(r) => moves::mov(r, to as u32),
                }
            }
            // Registers hold offsets from the beginning of the code.
            Op::Indirect(r, _) => flow::brx(arch, r, -next),
            Op::Return(r) => flow::ret(arch, r, -next),
        }
    }

    /// All instructions, with their scheduling fields.
    pub fn words(&self, lines: &[Line], arch: Arch, controls: &[Control]) -> Vec<Word> {
        let ops = lines.iter().filter_map(|l| match l {
            Line::Insn(op, _) => Some(*op),
            Line::Label(_) => None,
        });
        ops.zip(controls)
            .enumerate()
            .map(|(i, (op, control))| self.code(op, (i * Word::BYTES) as u64, arch).word(*control))
            .collect()
    }
}
