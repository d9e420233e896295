//! Texture fetches by integer coordinates, and loads through the texture unit.

use upset_isa::inst::TEXTURES;
use upset_isa::texture::{Lod, TexDim, TexHandle, TexKind};
use upset_isa::{ConstAddr, Exec, Inst, RZ, TexOp, Width};

use crate::LowerError;
use crate::kepler::Fields;

type Lowered = Result<Inst, LowerError>;

const W: Width = Width::W1;

/// `TLD` of a bound texture: texels at integer coordinates, which stand in
/// registers from A on. The handle's place is a word of constant bank 0; channels
/// go to registers from the destination on.
pub fn tld(f: &Fields) -> Lowered {
    if f.bit(44) || f.bits(41, 3) != 0 {
        return Err(LowerError::Unimplemented("TLD with levels, offsets, samples or clamping"));
    }
    let dim = match f.bits(38, 3) {
        0 => TexDim::D1,
        2 => TexDim::D2,
        4 => TexDim::D3,
        _ => return Err(LowerError::Unimplemented("TLD of layers")),
    };
    let from = |lo: u32, i: usize| match f.bits(lo, 8) as u8 {
        RZ => RZ,
        r => r.saturating_add(i as u8),
    };
    let mut coords = [RZ; 3];
    for (i, coord) in coords.iter_mut().enumerate().take(dim.coordinates()) {
        *coord = from(10, i);
    }
    let handle = ConstAddr::Bank { bank: 0, offset: 4 * f.bits(45, 13) as i32 };
    let mut i = f.inst(Exec::Tex(TexOp {
        kind: TexKind::Fetch,
        dim,
        handle: TexHandle::Constant(handle),
        coords,
        layer: RZ,
        lod: Lod::Zero,
        channels: f.bits(34, 4) as u8,
        dst2: from(2, 2),
    }));
    i.dst = f.rd(W)?;
    i.src[0] = f.ra(W)?;
    Ok(i)
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
}
