//! Which registers a kernel really holds its values in, as its machine code says.
//!
//! A compiler may put values wherever it likes: that the register test walks over
//! distinct registers in the order of a March test is read from what it made.

use upset_isa::{Exec, Inst, MemKind, Space, Src};
use upset_sass::{Arch, Word, container, decode};

/// A store to device memory at a fixed distance from where the thread's words begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The distance in bytes.
    pub offset: i32,
    /// The register that is stored.
    pub register: u32,
}

/// The stores of a kernel's words under test, in the order of execution: those
/// through the address register and of the kind (volatile ones) that most stores
/// are. `None` where the code cannot be read.
pub fn kept(code: &[u8], sm: u32, kernel: &str) -> Option<Vec<Kept>> {
    let stores: Vec<((Src, u32), Kept)> =
        instructions(code, sm, kernel)?.iter().filter_map(store).collect();
    let count = |base: &(Src, u32)| stores.iter().filter(|(b, _)| b == base).count();
    let most = stores.iter().map(|(base, _)| *base).max_by_key(|base| count(base))?;
    Some(stores.iter().filter(|(base, _)| *base == most).map(|(_, kept)| *kept).collect())
}

/// The instructions of a kernel.
pub fn instructions(code: &[u8], sm: u32, kernel: &str) -> Option<Vec<Inst>> {
    let arch = Arch::from_number(sm)?;
    let module = container::open(code).ok()?.module(sm).ok()?;
    let bytes = module.code_of(module.kernel(kernel)?);
    let word = |w: &[u8]| <[u8; 16]>::try_from(w).ok().map(Word::from_bytes);
    let words = bytes.chunks_exact(16).filter_map(word);
    Some(words.filter_map(|w| decode(w, arch).ok()?.lower().ok()).collect())
}

fn store(inst: &Inst) -> Option<((Src, u32), Kept)> {
    let Exec::Mem(op) = inst.exec else { return None };
    let (Space::Global, MemKind::Store, Src::Reg(register, _)) = (op.space, op.kind, inst.src[1])
    else {
        return None;
    };
    Some(((inst.src[0], op.hints), Kept { offset: op.offset, register: register.into() }))
}

#[cfg(test)]
mod tests {
    use super::super::registers::VARIANTS;
    use super::*;
    use crate::images::REGISTERS;
    use std::collections::BTreeSet;

    /// For each chip's code: every word of a read comes from a register of its
    /// own, all reads from the same one, and the walks are each other's reverse.
    #[test]
    fn the_register_test_is_a_march_test_of_distinct_registers() {
        for code in REGISTERS.cubins {
            for variant in VARIANTS {
                // Turing's SM holds no 64 warps, and its compiler had 64
                // registers to play with: this one is not run there.
                if code.sm == 75 && variant.size == 32 {
                    continue;
                }
                let name = format!("march_{}", variant.size);
                let kept = kept(code.bytes, code.sm, &name).expect("readable code");
                let n = variant.registers;
                assert_eq!(kept.len(), 5 * n, "{name} of sm_{}", code.sm);
                let walk: Vec<u32> = kept[..n].iter().map(|k| k.register).collect();
                assert_eq!(walk.iter().collect::<BTreeSet<_>>().len(), n, "{name}: {walk:?}");
                let reverse: Vec<u32> = walk.iter().rev().copied().collect();
                let walks = [&walk, &walk, &reverse, &reverse, &walk];
                for (read, expected) in walks.into_iter().enumerate() {
                    let found = kept[read * n..][..n].iter().map(|k| k.register);
                    assert!(found.eq(expected.iter().copied()), "read {read} of {name}");
                    // And the host looks for each word where it is kept.
                    let offsets = kept[read * n..][..n].iter().map(|k| k.offset as usize);
                    let first = read * n * 128;
                    assert!(offsets.clone().all(|o| (first..first + n * 128).contains(&o)));
                    assert_eq!(offsets.collect::<BTreeSet<_>>().len(), n);
                }
                let even = walk.iter().filter(|r| *r % 2 == 0).count();
                assert!(even.abs_diff(n - even) <= 1, "both banks alike: {even} of {n} are even");
            }
        }
    }
}
