//! Scheduling fields, as compilers set them: hardware checks no dependence of
//! its own.
//!
//! Results of fixed latency are waited for by stall counts ([`stalls`]), those
//! of variable latency by scoreboards ([`boards`]). What an instruction reads
//! and writes comes from decoding it ([`effects`]).

mod blocks;
mod boards;
mod distance;
mod effects;
mod item;
mod reuse;
mod stalls;

use super::emit::{Emitter, Line};
use super::layout::Layout;
use crate::Rng;
use crate::asm::Control;
use effects::Effects;
use item::Item;

/// The scheduling fields of all instructions.
pub(crate) fn controls(e: &Emitter<'_>, layout: &Layout) -> Vec<Control> {
    let arch = e.arch();
    let ops = e.lines.iter().filter_map(|l| match l {
        Line::Insn(op, key) => Some((*op, *key)),
        Line::Label(_) => None,
    });
    let codes: Vec<_> =
        ops.clone().enumerate().map(|(i, (op, _))| layout.code(op, 16 * i as u64, arch)).collect();
    let items: Vec<Item> = ops
        .zip(&codes)
        .map(|((_, key), code)| Item { effects: Effects::of(*code, arch, key), key })
        .collect();
    let blocks = blocks::find(&e.lines, &e.tables);
    let mut controls: Vec<Control> = items.iter().map(boards::choose).collect();
    boards::waits(&items, &blocks, &mut controls);
    stalls::set(&items, &blocks, &mut controls, arch, e.shape().tight);
    for (item, control) in items.iter().zip(&mut controls) {
        let mut rng = Rng::new(item.key ^ 0x9e1d);
        // Long stalls exist only with the flag.
        control.yields = control.stall > 11 || rng.below(4) == 0;
    }
    reuse::set(&codes, &items, &blocks, &mut controls, arch);
    controls
}
