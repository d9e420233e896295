//! Loads and stores.

use upset_isa::{ConstAddr, Exec, Inst, MemKind, MemOp, Space, Width};

use crate::LowerError;
use crate::kepler::Fields;

type Lowered = Result<Inst, LowerError>;

const W: Width = Width::W1;

/// Bytes, sign and register width of the three bits at `lo`.
pub(super) fn size(f: &Fields, lo: u32) -> Result<(u8, bool, Width), LowerError> {
    Ok(match f.bits(lo, 3) {
        0 => (1, false, W),
        1 => (1, true, W),
        2 => (2, false, W),
        3 => (2, true, W),
        4 => (4, false, W),
        5 => (8, false, Width::W2),
        6 => (16, false, Width::W4),
        // `.U.128` of loads, whose alignment rule no compiler relies on.
        _ => return Err(LowerError::IllegalEncoding),
    })
}

/// An access without data.
pub(super) fn access(f: &Fields, space: Space, kind: MemKind, bytes: u8, offset: i32) -> Lowered {
    let addr64 = space == Space::Generic && f.bit(55);
    let mut i = f.inst(Exec::Mem(MemOp {
        space,
        kind,
        bytes,
        signed: false,
        addr64,
        ureg: None,
        offset,
        shift: 0,
        bank: None,
        cached: false,
        hints: 0,
    }));
    i.src[0] = f.ra(if addr64 { Width::W2 } else { W })?;
    Ok(i)
}

pub(super) fn with(mut i: Inst, change: impl FnOnce(&mut MemOp)) -> Inst {
    if let Exec::Mem(m) = &mut i.exec {
        change(m);
    }
    i
}

fn load(f: &Fields, space: Space, at: u32, offset: i32, cached: bool) -> Lowered {
    let (bytes, signed, width) = size(f, at)?;
    let mut i = access(f, space, MemKind::Load, bytes, offset)?;
    i.dst = f.rd(width)?;
    Ok(with(i, |m| {
        m.signed = signed;
        m.cached = cached;
    }))
}

fn store(f: &Fields, space: Space, at: u32, offset: i32) -> Lowered {
    let (bytes, _, width) = size(f, at)?;
    let mut i = access(f, space, MemKind::Store, bytes, offset)?;
    i.src[1] = f.data(width)?;
    Ok(i)
}

/// `LD`: `.CG` and `.CV` go past the first-level cache.
pub fn ld(f: &Fields) -> Lowered {
    let cached = matches!(f.bits(59, 2), 0 | 2);
    load(f, Space::Generic, 56, f.offset32(), cached)
}

/// `ST`.
pub fn st(f: &Fields) -> Lowered {
    store(f, Space::Generic, 56, f.offset32())
}

/// `LDS`.
pub fn lds(f: &Fields) -> Lowered {
    load(f, Space::Shared, 51, f.offset24(), true)
}

/// `STS`.
pub fn sts(f: &Fields) -> Lowered {
    store(f, Space::Shared, 51, f.offset24())
}

/// `LDL`.
pub fn ldl(f: &Fields) -> Lowered {
    load(f, Space::Local, 51, f.offset24(), true)
}

/// `STL`.
pub fn stl(f: &Fields) -> Lowered {
    store(f, Space::Local, 51, f.offset24())
}

/// `LDG`: global memory through the texture unit.
pub fn ldg(f: &Fields) -> Lowered {
    let (bytes, signed, width) = size(f, 47)?;
    let mut i = access(f, Space::Global, MemKind::Load, bytes, 0)?;
    i.src[0] = f.ra(if f.bit(39) { Width::W2 } else { W })?;
    i.dst = f.rd(width)?;
    Ok(with(i, |m| (m.signed, m.addr64, m.cached) = (signed, f.bit(39), true)))
}

/// `LDC`.
pub fn ldc(f: &Fields) -> Lowered {
    if f.bits(47, 2) != 0 {
        return Err(LowerError::Unimplemented("LDC.IL and LDC.IS"));
    }
    let bank = ConstAddr::Bank { bank: f.bits(39, 5) as u8, offset: f.offset16() };
    let i = load(f, Space::Const, 51, 0, true)?;
    Ok(with(i, |m| m.bank = Some(bank)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kepler::{Word, decode};
    use upset_isa::{Dst, Src};

    fn lowered(word: u64) -> (Inst, MemOp) {
        let i = decode(Word(word)).expect("legal").lower().expect("implemented");
        let Exec::Mem(m) = i.exec else { panic!("no access") };
        (i, m)
    }

    #[test]
    fn wide_and_narrow_addresses() {
        // LD.E R4, [R4]; ST.E [R6], R0
        let (i, m) = lowered(0xc480_0000_001c_1010);
        assert_eq!((i.src[0], i.dst), (Src::Reg(4, Width::W2), Dst::Reg(4, W)));
        assert!(m.addr64 && m.bytes == 4 && m.cached);
        let (i, m) = lowered(0xe480_0000_001c_1800);
        assert_eq!((i.src[0], i.src[1]), (Src::Reg(6, Width::W2), Src::Reg(0, W)));
        assert_eq!(m.kind, MemKind::Store);
        // LDS.64 R4, [R2+-0x8]: the offset is signed.
        let (i, m) = lowered(0x7a40_0000_001c_0812 | 5 << 51 | 0xff_fff8 << 23);
        assert_eq!((m.space, m.offset, m.bytes), (Space::Shared, -8, 8));
        assert_eq!(i.dst, Dst::Reg(4, Width::W2));
    }

    #[test]
    fn odd_pairs_are_misaligned() {
        let odd = decode(Word(0xc480_0000_001c_1410)).expect("legal").lower();
        assert_eq!(odd.expect_err("an odd pair"), LowerError::MisalignedRegister(5));
    }
}
