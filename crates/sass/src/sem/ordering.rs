//! Fences, cache control, and which loads a cache may serve.

use upset_isa::{CacheOp, Exec, FenceScope, Inst};

use crate::{Arch, Fields, LowerError};

type Lowered = Result<Inst, LowerError>;

/// May the first-level cache serve this load? Bits 77-80, numbered as
/// `LOAD_ORDER` in the table prints them.
///
/// It may unless the value has to be one that other SMs agree on: strong order
/// at the scope of the GPU or the system, and device registers (`.MMIO`).
pub(super) fn cached(f: &Fields) -> bool {
    if f.arch <= Arch::Sm75 {
        let (scope, order) = (f.bits(77, 2), f.bits(79, 2));
        match order {
            // `.CONSTANT` and weak.
            0 | 1 => true,
            // `.STRONG`: threads of one CTA or SM share the cache.
            2 => scope < 2,
            _ => false,
        }
    } else {
        // `.STRONG.GPU.PRIVATE`, `.STRONG.GPU`, `.MMIO.GPU`, `.STRONG.SYS`, `.MMIO.SYS`.
        !matches!(f.bits(77, 4), 6 | 7 | 8 | 10 | 12)
    }
}

/// `MEMBAR`: scope in bits 76-78. Scopes that no manual names count as the
/// widest.
pub fn membar(f: &Fields) -> Lowered {
    let scope = match f.bits(76, 3) {
        // `.CTA`, `.SM`.
        0 | 1 => FenceScope::Cta,
        2 => FenceScope::Gpu,
        // `.CTA.PARTIAL`.
        6 if f.arch == Arch::Sm90 => FenceScope::Cta,
        // `.SYS`, `.VC`.
        _ => FenceScope::Sys,
    };
    Ok(f.inst(Exec::Fence(scope)))
}

/// `.IV`, `.IVALL` or `.IVALLP` in bits 87-90.
fn invalidates(f: &Fields) -> bool {
    matches!(f.bits(87, 4), 3 | 4 | 6)
}

/// `CCTL`: which cache in bits 78-80, what to do in bits 87-90.
pub fn cctl(f: &Fields) -> Lowered {
    let op = match f.bits(78, 3) {
        0 if invalidates(f) => CacheOp::InvalidateL1,
        2 if invalidates(f) => CacheOp::InvalidateConst,
        _ => CacheOp::Other,
    };
    Ok(f.inst(Exec::CacheControl(op)))
}

/// `CCTLL`: the same for local memory.
pub fn cctll(f: &Fields) -> Lowered {
    let op = if invalidates(f) { CacheOp::InvalidateL1 } else { CacheOp::Other };
    Ok(f.inst(Exec::CacheControl(op)))
}

/// `CCTLT`: `.IVTH` or `.IVALL` of the texture cache.
pub fn cctlt(f: &Fields) -> Lowered {
    Ok(f.inst(Exec::CacheControl(CacheOp::InvalidateTexture)))
}
