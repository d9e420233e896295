//! Registers an instruction reads, for those who watch.

use upset_isa::{Exec, Inst, MemKind, RZ, Src, URZ, Width};

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
                Exec::Mem(m) if i == 1 && m.kind == MemKind::Store => m.bytes.div_ceil(4),
                _ => w.words(),
            };
            for r in (0..words).map(|n| r.saturating_add(n)).filter(|&x| r != RZ && x != RZ) {
                f(r);
            }
        }
    }
}

/// Calls `f` with every uniform register read.
pub fn each_uniform(inst: &Inst, mut f: impl FnMut(u8)) {
    let base = match inst.exec {
        Exec::Mem(m) => m.ureg.map(|(r, w)| Src::UReg(r, w)),
        _ => None,
    };
    for src in inst.src.iter().copied().chain(base) {
        if let Src::UReg(r, w) = src {
            let words = if w == Width::W1 { 1 } else { 2 };
            for r in (0..words).map(|n| r.saturating_add(n)).filter(|&r| r < URZ) {
                f(r);
            }
        }
    }
}
