//! Texture fetches: which lines they touch, and sampling once those are here.

use upset_isa::texture::{Textures, fetch};
use upset_isa::trap::TrapKind;
use upset_isa::warp::Operands;
use upset_isa::{Codes, Inst, Lanes, Mask, TexOp, WARP};

use crate::lsu::access::TexelFetch;
use crate::view::{Constants, described};

static ZERO: Lanes = [0; WARP];
static PREDS: [Mask; 8] = [0, 0, 0, 0, 0, 0, 0, Mask::MAX];

/// Operands as they were at issue.
struct Captured<'a> {
    texels: &'a TexelFetch,
}

impl Operands for Captured<'_> {
    fn row(&self, r: u8) -> &Lanes {
        self.texels.rows.iter().find(|(n, _)| *n == r).map_or(&ZERO, |(_, row)| row)
    }
    fn preds(&self) -> &[Mask; 8] {
        &PREDS
    }
    fn codes(&self) -> Option<&Codes> {
        None
    }
    fn upreds(&self) -> &[Mask; 8] {
        &PREDS
    }
    fn ureg(&self, r: u8) -> u32 {
        self.texels.uniform.iter().find(|(n, _)| *n == r).map_or(0, |&(_, value)| value)
    }
    fn constant(&self, bank: u8, offset: i64) -> Result<u32, TrapKind> {
        self.texels.constants.word(bank, offset)
    }
    fn bindless(&self, ureg: u8, offset: i64) -> Result<u32, TrapKind> {
        self.texels.constants.word(described(ureg), offset)
    }
}

/// Keeps the operands of a fetch.
pub fn capture(ops: &impl Operands, constants: Constants, inst: &Inst, t: &TexOp) -> TexelFetch {
    let mut uniform = Vec::new();
    crate::regfile::operands::each_uniform(inst, |r| uniform.push((r, ops.ureg(r))));
    let rows = t.registers().map(|r| (r, *ops.row(r))).collect();
    TexelFetch { rows, uniform, constants, lines: Vec::new() }
}

/// Calls `touch` with every texel's address and length.
pub fn addresses(
    t: &TexOp,
    texels: &TexelFetch,
    mask: Mask,
    textures: &Textures,
    touch: &mut dyn FnMut(u64, usize),
) -> Result<(), TrapKind> {
    let ops = Captured { texels };
    let mut out = [[0; WARP]; 4];
    let mut read = |addr: u64, len: usize| {
        touch(addr, len);
        Ok(0)
    };
    fetch(&ops, t, mask, textures, &mut read, &mut out)
}

/// Samples from the lines that have arrived.
pub fn sample(
    t: &TexOp,
    texels: &TexelFetch,
    mask: Mask,
    textures: &Textures,
    out: &mut [Lanes; 4],
) -> Result<(), TrapKind> {
    let ops = Captured { texels };
    // Where the texel before was found.
    let mut last = 0;
    let mut read = |addr: u64, len: usize| {
        let line = addr & !127;
        if texels.lines.get(last).is_none_or(|(at, _)| *at != line) {
            last = texels.lines.iter().position(|(at, _)| *at == line).unwrap_or(usize::MAX);
        }
        let at = (addr & 127) as usize;
        let found = texels.lines.get(last);
        let bytes = found.and_then(|(_, bytes)| bytes.get(at..at + len)).unwrap_or(&[]);
        Ok(bytes.iter().rev().fold(0, |v, &b| v << 8 | u32::from(b)))
    };
    fetch(&ops, t, mask, textures, &mut read, out)
}
