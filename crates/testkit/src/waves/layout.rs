//! From lines to words: where labels lie, and what jumps become by that.

use upset_gcn::encode;
use upset_gcn::inst::{Detail, Inst};
use upset_gcn::operand::Operand;

use super::emit::{Label, Line};

/// Machine code of some lines.
pub(crate) fn words(lines: &[Line]) -> Vec<u32> {
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
            Line::Plain(inst)
            | Line::Jump(inst, _)
            | Line::Distance(inst, ..)
            | Line::Call(inst, _) => at += inst.length() as i64,
        }
    }
    let place = |label: &Label| labels.get(label.0).copied().unwrap_or(0);
    let mut words: Vec<u32> = Vec::new();
    for line in lines {
        let next = 4 * words.len() as i64 + 4;
        let inst = match line {
            Line::Label(_) => continue,
            Line::Plain(inst) | Line::Call(inst, _) => *inst,
            Line::Jump(inst, to) => {
                Inst { detail: Detail::Imm(((place(to) - next) / 4) as u16), ..*inst }
            }
            Line::Distance(inst, from, to) => with_literal(*inst, (place(to) - place(from)) as u32),
        };
        words.extend(encode(&inst).as_slice());
    }
    words
}

fn with_literal(mut inst: Inst, value: u32) -> Inst {
    for src in &mut inst.src {
        if let Operand::Literal(to) = src {
            *to = value;
        }
    }
    inst
}
