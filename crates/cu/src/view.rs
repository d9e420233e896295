//! A wave's storage as the semantics see it.

use upset_gcn::wave::{Destinations, Operands, Reg};
use upset_lanes::{Lanes, Mask};
use upset_state::{Array, Probe};

use crate::simd::Simd;
use crate::wave::Wave;

/// A wave's registers.
pub struct View<'a> {
    /// Rows of its vector registers, two of each.
    pub vector: &'a [Lanes],
    /// Its scalar registers, the last two being VCC.
    pub scalar: &'a [u32],
    /// The rest.
    pub wave: &'a Wave,
}

impl<'a> View<'a> {
    /// The registers of a wave on its SIMD unit.
    #[inline]
    pub fn of(simd: &'a Simd, wave: &'a Wave) -> View<'a> {
        let (v, s) = (wave.first_row as usize, wave.first_sgpr as usize);
        View {
            vector: &simd.vector.rows()[v..v + 2 * wave.vgprs as usize],
            scalar: &simd.scalar.rows()[s..s + wave.sgprs as usize],
            wave,
        }
    }
}

/// Number of a scalar register among those of a wave; VCC is the last two.
#[inline]
pub fn sgpr_number(reg: Reg, sgprs: u32) -> Option<u32> {
    match reg {
        Reg::Sgpr(n) => Some(u32::from(n)).filter(|n| *n < sgprs),
        Reg::Vcc(half) => (sgprs + u32::from(half)).checked_sub(2),
        _ => None,
    }
}

impl Operands for View<'_> {
    #[inline]
    fn vgpr(&self, n: u32, half: usize) -> &Lanes {
        // Beyond what the wave was given hardware reads v0.
        self.vector.get(2 * n as usize + half).unwrap_or(&self.vector[half])
    }

    #[inline]
    fn scalar(&self, reg: Reg) -> u32 {
        match reg {
            Reg::Sgpr(n) => self.scalar.get(usize::from(n)).copied().unwrap_or(0),
            Reg::Vcc(half) => self.scalar[self.scalar.len() - 2 + usize::from(half & 1)],
            Reg::Exec(half) => (self.wave.exec >> (32 * (half & 1))) as u32,
            Reg::M0 => self.wave.m0.rows()[0],
            Reg::Scc => self.wave.scc.rows()[0] & 1,
            Reg::Mode => self.wave.mode,
        }
    }

    #[inline]
    fn exec(&self) -> u64 {
        self.wave.exec
    }
}

/// Where a wave's results go.
pub(crate) struct Target<'a, P> {
    pub vector: &'a mut Array<Lanes>,
    pub scalar: &'a mut Array<u32>,
    pub wave: &'a mut Wave,
    pub now: u64,
    pub probe: &'a mut P,
}

impl<P: Probe> Destinations for Target<'_, P> {
    #[inline]
    fn write_vgpr(&mut self, n: u32, half: usize, mask: Mask, value: &Lanes) {
        if n < self.wave.vgprs {
            let row = self.wave.first_row + 2 * n + half as u32;
            self.vector.write(self.now, row, mask, value, self.probe);
        }
    }

    #[inline]
    fn write_scalar(&mut self, reg: Reg, value: u32) {
        let wave = &mut *self.wave;
        match reg {
            Reg::Sgpr(_) | Reg::Vcc(_) => {
                if let Some(n) = sgpr_number(reg, wave.sgprs) {
                    self.scalar.write(self.now, wave.first_sgpr + n, !0, &value, self.probe);
                }
            }
            Reg::Exec(half) => {
                let at = 32 * (half & 1);
                wave.exec = wave.exec & !(0xffff_ffff << at) | u64::from(value) << at;
            }
            Reg::M0 => wave.m0.write(self.now, 0, !0, &value, self.probe),
            Reg::Scc => {
                let all = 0u32.wrapping_sub(value & 1);
                wave.scc.write(self.now, 0, !0, &all, self.probe);
            }
            Reg::Mode => wave.mode = value,
        }
    }
}
