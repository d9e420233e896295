//! Texture fetches.
//!
//! Operands are a list, found by compiling one kernel per texture function
//! (nvcc 11.8): the handle, if it is in a register; the layer; the coordinates;
//! the level of detail, or the gradients. The first four are registers from A on,
//! the rest from B on. Channels go to registers from the destination on.

use upset_isa::inst::TEXTURES;
use upset_isa::texture::{Lod, TexDim, TexHandle, TexKind};
use upset_isa::{ConstAddr, Exec, Inst, RZ, TexOp, Width};

use crate::LowerError;
use crate::kepler::Fields;

type Lowered = Result<Inst, LowerError>;

const W: Width = Width::W1;

/// Operands that A holds.
const IN_A: usize = 4;

fn dim(f: &Fields) -> Result<TexDim, LowerError> {
    Ok(match f.bits(38, 3) {
        0 => TexDim::D1,
        1 => TexDim::Array1D,
        2 => TexDim::D2,
        3 => TexDim::Array2D,
        4 => TexDim::D3,
        6 => TexDim::Cube,
        7 => TexDim::ArrayCube,
        _ => return Err(LowerError::Unimplemented("layers of a volume")),
    })
}

/// Register `i` from a field's on.
fn from(f: &Fields, lo: u32, i: usize) -> u8 {
    match f.bits(lo, 8) as u8 {
        RZ => RZ,
        r => r.saturating_add(i as u8),
    }
}

/// The list of operands.
struct List<'a> {
    f: &'a Fields,
    next: usize,
}

impl List<'_> {
    fn take(&mut self) -> u8 {
        let i = self.next;
        self.next += 1;
        match i.checked_sub(IN_A) {
            None => from(self.f, 10, i),
            Some(i) => from(self.f, 23, i),
        }
    }
}

/// What stands behind the coordinates.
#[derive(Clone, Copy)]
enum Behind {
    /// The first level.
    Zero,
    /// Nothing: neighbouring lanes say which level.
    Nothing,
    /// A level.
    Level,
    /// Gradients.
    Gradients,
}

/// A fetch whose handle is in constant bank 0, at the word that the 13 bits at
/// `slot` name, or with none the first of the list.
fn fetch(f: &Fields, kind: TexKind, behind: Behind, slot: Option<u32>) -> Lowered {
    let dim = dim(f)?;
    let mut list = List { f, next: 0 };
    let handle = match slot {
        Some(lo) => {
            let offset = 4 * f.bits(lo, 13) as i32;
            TexHandle::Constant(ConstAddr::Bank { bank: 0, offset })
        }
        None => TexHandle::Register(list.take()),
    };
    let layer = if dim.is_layered() { list.take() } else { RZ };
    let mut coords = [RZ; 3];
    coords[..dim.coordinates()].fill_with(|| list.take());
    let lod = match behind {
        Behind::Zero => Lod::Zero,
        Behind::Nothing => Lod::Implicit,
        Behind::Level => Lod::Register(list.take()),
        Behind::Gradients => {
            let mut all = [RZ; 4];
            let count = 2 * dim.coordinates();
            all.iter_mut().take(count).for_each(|r| *r = list.take());
            Lod::Gradients(all)
        }
    };
    let channels = f.bits(34, 4) as u8;
    let op = TexOp { kind, dim, handle, coords, layer, lod, channels, dst2: from(f, 2, 2) };
    let mut i = f.inst(Exec::Tex(op));
    i.dst = f.rd(W)?;
    i.src[0] = f.ra(W)?;
    i.src[1] = f.rb(W)?;
    Ok(i)
}

/// Refuses what changes the result in ways we lack.
fn refuse(f: &Fields, bits: &[(u32, &'static str)]) -> Result<(), LowerError> {
    match bits.iter().find(|(bit, _)| f.bit(*bit)) {
        Some((_, what)) => Err(LowerError::Unimplemented(what)),
        None => Ok(()),
    }
}

const OFFSETS: &str = "texture with offsets";
const COMPARISON: &str = "texture with depth comparison";

fn sample(f: &Fields, slot: Option<u32>) -> Lowered {
    refuse(f, &[(43, OFFSETS), (42, COMPARISON)])?;
    let behind = match f.bits(44, 3) {
        0 => Behind::Nothing,
        1 => Behind::Zero,
        3 => Behind::Level,
        _ => return Err(LowerError::Unimplemented("texture with a bias or limit of its level")),
    };
    fetch(f, TexKind::Sample, behind, slot)
}

/// `TEX`.
pub fn tex(f: &Fields) -> Lowered {
    sample(f, Some(47))
}

/// `TEX.B`.
pub fn tex_bindless(f: &Fields) -> Lowered {
    sample(f, None)
}

fn gather(f: &Fields, slot: Option<u32>) -> Lowered {
    refuse(f, &[(43, OFFSETS), (44, OFFSETS), (42, COMPARISON)])?;
    fetch(f, TexKind::Gather(f.bits(45, 2) as u8), Behind::Zero, slot)
}

/// `TLD4`.
pub fn tld4(f: &Fields) -> Lowered {
    gather(f, Some(47))
}

/// `TLD4.B`.
pub fn tld4_bindless(f: &Fields) -> Lowered {
    gather(f, None)
}

fn load(f: &Fields, slot: Option<u32>) -> Lowered {
    refuse(f, &[(41, OFFSETS), (43, "texture load of samples"), (42, "clamped texture load")])?;
    let behind = if f.bit(44) { Behind::Level } else { Behind::Zero };
    fetch(f, TexKind::Fetch, behind, slot)
}

/// `TLD`: texels at integer coordinates.
pub fn tld(f: &Fields) -> Lowered {
    load(f, Some(45))
}

/// `TLD.B`.
pub fn tld_bindless(f: &Fields) -> Lowered {
    load(f, None)
}

/// `TXD`.
pub fn txd(f: &Fields) -> Lowered {
    refuse(f, &[(54, OFFSETS)])?;
    fetch(f, TexKind::Sample, Behind::Gradients, Some(41))
}

/// `TXD.B`.
pub fn txd_bindless(f: &Fields) -> Lowered {
    refuse(f, &[(54, OFFSETS)])?;
    fetch(f, TexKind::Sample, Behind::Gradients, None)
}

/// `TEXDEPBAR`: waits until no more fetches of the warp are on their way than it says.
pub fn texdepbar(f: &Fields) -> Lowered {
    let at_most = f.bits(23, 6) as u8;
    Ok(f.inst(Exec::DepBar { counter: TEXTURES, at_most, also_zero: 0 }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kepler::{Word, decode};
    use upset_isa::{Space, Unit};

    fn lowered(word: u64) -> Inst {
        decode(Word(word)).expect("legal").lower().expect("implemented")
    }

    #[test]
    fn read_only_loads_and_waits_are_the_texture_units() {
        // LDG.E.P R4, [R2]; TEXDEPBAR 0x3
        let ldg = lowered(0x6002_1086_7f9c_0811);
        let Exec::Mem(m) = ldg.exec else { panic!("no access") };
        assert_eq!((ldg.op.unit, m.space, m.bytes), (Unit::Texture, Space::Global, 4));
        let wait = lowered(0x7700_0000_001c_003e | 3 << 23).exec;
        assert!(matches!(wait, Exec::DepBar { counter: TEXTURES, at_most: 3, also_zero: 0 }));
    }

    fn op(word: u64) -> TexOp {
        match lowered(word).exec {
            Exec::Tex(t) => t,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn operands_of_compiled_fetches() {
        // TEX.P R4, R4, 0x50, ARRAY_2D, 0x1: layer, x, y
        let t = op(0x6028_00c6_7f9c_1011);
        assert_eq!((t.layer, t.coords, t.lod), (4, [5, 6, RZ], Lod::Implicit));
        let bank = ConstAddr::Bank { bank: 0, offset: 0x140 };
        assert_eq!((t.handle, t.channels), (TexHandle::Constant(bank), 1));
        // TEX.P R8, R2, 0x50, 2D, 0xf
        let t = op(0x6028_00be_7f9c_0821);
        assert_eq!((t.coords, t.channels, t.dst2), ([2, 3, RZ], 15, 10));
        // TLD.LZ.P R4, R0, 0x50, 1D, 0xf
        let t = op(0x700a_003e_7f9c_0012);
        assert_eq!((t.kind, t.coords, t.lod), (TexKind::Fetch, [0, RZ, RZ], Lod::Zero));
    }

    #[test]
    fn operands_of_compiled_bindless_fetches() {
        // TEX.B.LL.P R5, R4, R8, 0x0, ARRAY_CUBE, 0x1: handle, layer, x, y | z, level
        let t = op(0x7d80_31c6_041c_1016);
        assert_eq!((t.handle, t.layer), (TexHandle::Register(4), 5));
        assert_eq!((t.coords, t.lod), ([6, 7, 8], Lod::Register(9)));
        // TEX.B.LL.P R5, R4, 0x0, 2D, 0x1: handle, x, y, level
        let t = op(0x7d80_3086_7f9c_1016);
        assert_eq!((t.coords, t.lod), ([5, 6, RZ], Lod::Register(7)));
        // TXD.B.P R5, R4, R8, 0x0, 2D, 0x1: handle, x, y, a gradient | the others
        let t = op(0x7e00_0086_041c_1016);
        assert_eq!((t.coords, t.lod), ([5, 6, RZ], Lod::Gradients([7, 8, 9, 10])));
        // TLD.B.LZ.P R5, R4, 0x0, 1D, 0x1; TLD4.R.B.P R4, R4, 0x0, 2D, 0xf
        let t = op(0x7800_0006_7f9c_1016);
        assert_eq!((t.handle, t.coords[0]), (TexHandle::Register(4), 5));
        let t = op(0x7dc0_00be_7f9c_1012);
        assert_eq!((t.kind, t.coords), (TexKind::Gather(0), [5, 6, RZ]));
    }
}
