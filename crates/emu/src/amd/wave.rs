//! A wave's registers.

use upset_gcn::wave::{Destinations, Operands, Reg};
use upset_lanes::{Lanes, Mask, WARP};

/// A wave: its registers and where it stands.
pub(super) struct Wave {
    /// Two rows of each vector register.
    pub vgprs: Vec<Lanes>,
    /// Scalar registers, the last two being VCC.
    pub sgprs: Vec<u32>,
    pub exec: u64,
    pub scc: u32,
    pub m0: u32,
    pub mode: u32,
    pub pc: u64,
    /// Number within its work-group.
    pub id: u32,
    pub ended: bool,
    pub at_barrier: bool,
}

impl Wave {
    /// A wave with so many registers.
    pub fn new(id: u32, vgprs: u32, sgprs: u32) -> Wave {
        Wave {
            vgprs: vec![[0; WARP]; 2 * vgprs.max(1) as usize],
            sgprs: vec![0; sgprs.max(2) as usize],
            exec: 0,
            scc: 0,
            m0: 0,
            mode: 0,
            pc: 0,
            id,
            ended: false,
            at_barrier: false,
        }
    }
}

impl Operands for Wave {
    #[inline]
    fn vgpr(&self, n: u32, half: usize) -> &Lanes {
        // Beyond what the wave was given hardware reads v0.
        self.vgprs.get(2 * n as usize + half).unwrap_or(&self.vgprs[half])
    }

    #[inline]
    fn scalar(&self, reg: Reg) -> u32 {
        match reg {
            Reg::Sgpr(n) => self.sgprs.get(usize::from(n)).copied().unwrap_or(0),
            Reg::Vcc(half) => self.sgprs[self.sgprs.len() - 2 + usize::from(half & 1)],
            Reg::Exec(half) => (self.exec >> (32 * (half & 1))) as u32,
            Reg::M0 => self.m0,
            Reg::Scc => self.scc,
            Reg::Mode => self.mode,
        }
    }

    #[inline]
    fn exec(&self) -> u64 {
        self.exec
    }
}

impl Destinations for Wave {
    #[inline]
    fn write_vgpr(&mut self, n: u32, half: usize, mask: Mask, value: &Lanes) {
        let Some(row) = self.vgprs.get_mut(2 * n as usize + half) else { return };
        if mask == Mask::MAX {
            *row = *value;
        } else {
            for (l, (to, from)) in row.iter_mut().zip(value).enumerate() {
                *to = if mask >> l & 1 == 1 { *from } else { *to };
            }
        }
    }

    #[inline]
    fn write_scalar(&mut self, reg: Reg, value: u32) {
        match reg {
            Reg::Sgpr(n) => {
                if let Some(to) = self.sgprs.get_mut(usize::from(n)) {
                    *to = value;
                }
            }
            Reg::Vcc(half) => {
                let last = self.sgprs.len() - 2;
                self.sgprs[last + usize::from(half & 1)] = value;
            }
            Reg::Exec(half) => {
                let at = 32 * (half & 1);
                self.exec = self.exec & !(0xffff_ffff << at) | u64::from(value) << at;
            }
            Reg::M0 => self.m0 = value,
            Reg::Scc => self.scc = value & 1,
            Reg::Mode => self.mode = value,
        }
    }
}
