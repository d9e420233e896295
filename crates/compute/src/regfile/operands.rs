//! Registers an instruction reads, for those who watch.

use upset_isa::texture::TexHandle;
use upset_isa::{ConstAddr, Exec, Inst, MemKind, RZ, Src, SurfaceOp, TexOp, URZ, Width};

/// Calls `f` with every vector register read.
pub fn each_register(inst: &Inst, mut f: impl FnMut(u8)) {
    if let Exec::Tex(t) = inst.exec {
        return t.registers().for_each(f);
    }
    if let Exec::Surface(s) = inst.exec {
        s.registers().for_each(&mut f);
    }
    for (i, src) in inst.src.iter().enumerate() {
        if let Src::Reg(r, w) = *src {
            let words = match inst.exec {
                Exec::Surface(_) if i != 1 => 0,
                _ => words(inst, i, w),
            };
            for r in (0..words).map(|n| r.saturating_add(n)).filter(|&x| r != RZ && x != RZ) {
                f(r);
            }
        }
    }
}

/// Words read of operand `i`: a store's data are as wide as the access.
fn words(inst: &Inst, i: usize, width: Width) -> u8 {
    match inst.exec {
        Exec::Mem(m) | Exec::Surface(SurfaceOp { mem: m, .. })
            if i == 1 && m.kind == MemKind::Store =>
        {
            m.bytes.div_ceil(4)
        }
        _ => width.words(),
    }
}

/// Calls `f` with every uniform register read.
pub fn each_uniform(inst: &Inst, mut f: impl FnMut(u8)) {
    let base = match inst.exec {
        Exec::Mem(m) => m.ureg.map(|(r, w)| Src::UReg(r, w)),
        Exec::Tex(TexOp { handle: TexHandle::Uniform(r), .. })
        | Exec::Surface(SurfaceOp { handle: TexHandle::Uniform(r), .. }) => {
            Some(Src::UReg(r, Width::W1))
        }
        _ => None,
    };
    for (i, src) in inst.src.iter().copied().chain(base).enumerate() {
        if let Src::UReg(r, w) = src {
            let words = words(inst, i, w);
            for r in (0..words).map(|n| r.saturating_add(n)).filter(|&r| r < URZ) {
                f(r);
            }
        }
    }
    each_descriptor(inst, f);
}

/// Calls `f` with every uniform register of a descriptor of constants.
pub fn each_descriptor(inst: &Inst, mut f: impl FnMut(u8)) {
    let bank = match inst.exec {
        Exec::Mem(m) => m.bank,
        _ => None,
    };
    let operands = inst.src.iter().filter_map(|src| match *src {
        Src::Const(addr, _) => Some(addr),
        _ => None,
    });
    for addr in operands.chain(bank) {
        if let ConstAddr::Bindless { ureg, .. } = addr {
            (ureg..=ureg.saturating_add(1)).filter(|&r| r < URZ).for_each(&mut f);
        }
    }
}
