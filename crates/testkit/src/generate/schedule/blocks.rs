//! Stretches of code without labels or jumps inside, and what follows which.

use crate::asm::{PT, flow};
use crate::generate::emit::{Jump, Label, Line, Op};
use std::ops::Range;

/// A stretch of instructions and the stretches that may follow it.
pub(crate) struct Block {
    pub range: Range<usize>,
    pub next: Vec<usize>,
}

/// Where control goes after an instruction.
enum After {
    /// On.
    Next,
    /// To labels, and on if `falls`.
    Jump { to: Vec<Label>, falls: bool },
}

fn after(op: Op, tables: &[Vec<Label>]) -> After {
    match op {
        Op::Labelled(Jump::Branch, to, p) => After::Jump { to: vec![to], falls: p != PT },
        Op::Indirect(_, table) => {
            After::Jump { to: tables.get(table).cloned().unwrap_or_default(), falls: false }
        }
        // Nothing is in flight at calls and returns, so no state is handed over.
        Op::Labelled(Jump::Call, ..) | Op::Return(_) => {
            After::Jump { to: Vec::new(), falls: false }
        }
        Op::Plain(code) if code == flow::exit() => After::Jump { to: Vec::new(), falls: false },
        Op::Labelled(Jump::Open(_) | Jump::Address(_), ..) | Op::Plain(_) => After::Next,
    }
}

/// The blocks of the code, in order.
pub(crate) fn find(lines: &[Line], tables: &[Vec<Label>]) -> Vec<Block> {
    // Blocks begin at labels and behind jumps.
    let mut starts = vec![0];
    let mut labels = Vec::new();
    let mut jumps = Vec::new();
    let mut at = 0;
    for line in lines {
        match line {
            Line::Label(label) => {
                labels.push((*label, at));
                starts.push(at);
            }
            Line::Insn(op, _) => {
                at += 1;
                if let After::Jump { to, falls } = after(*op, tables) {
                    jumps.push((at, to, falls));
                    starts.push(at);
                }
            }
        }
    }
    starts.sort_unstable();
    starts.dedup();
    starts.retain(|&s| s < at);
    let block_at = |start: usize| starts.binary_search(&start).ok();
    let target = |l: &Label| {
        let (_, at) = labels.iter().find(|(label, _)| label == l)?;
        block_at(*at)
    };
    (0..starts.len())
        .map(|i| {
            let end = starts.get(i + 1).copied().unwrap_or(at);
            let next = match jumps.iter().find(|(after, ..)| *after == end) {
                Some((_, to, falls)) => {
                    let mut next: Vec<usize> = to.iter().filter_map(target).collect();
                    next.extend(falls.then_some(i + 1));
                    next
                }
                None => vec![i + 1],
            };
            let next = next.into_iter().filter(|&n| n < starts.len()).collect();
            Block { range: starts[i]..end, next }
        })
        .collect()
}
