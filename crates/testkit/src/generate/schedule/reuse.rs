//! Operands that the next instruction reads again from the same place.

use super::blocks::Block;
use super::effects::Timing;
use super::item::Item;
use crate::Rng;
use crate::asm::{Code, Control};
use upset_isa::{Inst, RZ, Src, Width};
use upset_sass::Arch;
use upset_sass::decode::decode;

/// Sets reuse flags where the next instruction of the block finds the same
/// register in the same slot, and this one does not change it.
pub(crate) fn set(
    codes: &[Code],
    items: &[Item],
    blocks: &[Block],
    controls: &mut [Control],
    arch: Arch,
) {
    for block in blocks {
        for i in block.range.start..block.range.end.saturating_sub(1) {
            let fixed = |i: usize| items[i].effects.timing == Timing::Fixed;
            if controls[i].yields || !fixed(i) || !fixed(i + 1) {
                continue;
            }
            let mut rng = Rng::new(items[i].key ^ 0x2e05e);
            if rng.below(2) == 0 {
                continue;
            }
            let (Some(this), Some(next)) = (inst(codes[i], arch), inst(codes[i + 1], arch)) else {
                continue;
            };
            // An instruction that no lane executes might not take what was kept.
            if !this.guard.is_always() || !next.guard.is_always() {
                continue;
            }
            for slot in 0..3 {
                let Some(r) = register(&this, slot) else { continue };
                if register(&next, slot) != Some(r) || items[i].effects.writes.contains(&r) {
                    continue;
                }
                let with = Control { reuse: controls[i].reuse | 1 << slot, ..controls[i] };
                // Which operands can be kept depends on the form.
                if decode(codes[i].word(with), arch).is_ok() {
                    controls[i] = with;
                }
            }
        }
    }
}

fn inst(code: Code, arch: Arch) -> Option<Inst> {
    decode(code.word(Control::stall(1)), arch).ok()?.lower().ok()
}

fn register(inst: &Inst, slot: usize) -> Option<usize> {
    match inst.src[slot] {
        Src::Reg(r, Width::W1) if r != RZ => Some(usize::from(r)),
        _ => None,
    }
}
