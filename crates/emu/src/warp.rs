//! A warp's registers and how operands reach the semantics.

use upset_isa::convergence::Convergence;
use upset_isa::{
    ConstAddr, Dst, Guard, Inst, Lanes, Mask, PT, PredDst, PredSrc, RZ, Results, Src, URZ, WARP,
    Width,
};

use crate::program::ConstBanks;
use crate::trap::TrapKind;

/// Register rows kept per warp: every encodable register, `RZ` included, so
/// that reading needs no branch. Row 255 stays zero.
const ROWS: usize = 256;
static ZERO: Lanes = [0; WARP];

/// One warp.
pub struct Warp {
    /// Program counters and convergence barriers.
    pub flow: Convergence,
    /// Register rows.
    pub regs: Vec<Lanes>,
    /// Predicates; the last one is always true.
    pub preds: [Mask; 8],
    /// Uniform registers; the last one is always zero.
    pub uregs: [u32; 64],
    /// Uniform predicates, each all ones or all zeroes.
    pub upreds: [Mask; 8],
    /// Number within the CTA.
    pub id: u32,
    /// Thread coordinates.
    pub tid: [Lanes; 3],
    /// Local memory, lane after lane.
    pub local: Vec<u8>,
    /// Result of the last CTA barrier reduction this warp took part in.
    pub bar_result: u32,
}

/// Broadcast copies of operands that are no register rows.
pub type Scratch = [Lanes; 6];

impl Warp {
    /// An empty warp to be [`Warp::reset`].
    pub fn new() -> Warp {
        Warp {
            flow: Convergence::new(0, 0),
            regs: vec![ZERO; ROWS],
            preds: [0; 8],
            uregs: [0; 64],
            upreds: [0; 8],
            id: 0,
            tid: [ZERO; 3],
            local: Vec::new(),
            bar_result: 0,
        }
    }

    /// Makes it warp `id` of a CTA of shape `block`, at `entry`.
    pub fn reset(
        &mut self,
        id: u32,
        block: [u32; 3],
        entry: u32,
        registers: u32,
        local_bytes: u32,
    ) {
        let threads = u64::from(block[0]) * u64::from(block[1]) * u64::from(block[2]);
        let mut mask = 0;
        for lane in 0..WARP {
            let t = id * WARP as u32 + lane as u32;
            if u64::from(t) < threads {
                mask |= 1 << lane;
            }
            self.tid[0][lane] = t % block[0];
            self.tid[1][lane] = t / block[0] % block[1];
            self.tid[2][lane] = t / block[0] / block[1];
        }
        self.flow = Convergence::new(entry, mask);
        self.regs[..(registers as usize).min(ROWS - 1)].fill(ZERO);
        self.preds = [0; 8];
        self.preds[usize::from(PT)] = u32::MAX;
        self.uregs = [0; 64];
        self.upreds = self.preds;
        self.id = id;
        self.local.clear();
        self.local.resize(local_bytes as usize * WARP, 0);
        self.bar_result = 0;
    }

    /// Lanes of the active group whose guard holds.
    #[inline]
    pub fn guarded(&self, g: Guard) -> Mask {
        if g.is_always() {
            return self.flow.active;
        }
        let set = if g.uniform { &self.upreds } else { &self.preds };
        let p = set[usize::from(g.pred & 7)];
        self.flow.active & if g.negate { !p } else { p }
    }

    /// A predicate source.
    #[inline]
    pub fn pred(&self, p: PredSrc) -> Mask {
        let set = if p.uniform { &self.upreds } else { &self.preds };
        let v = set[usize::from(p.pred & 7)];
        if p.negate { !v } else { v }
    }

    /// Puts the operands that are not register rows into `scratch`.
    #[inline]
    pub fn load_scratch(
        &self,
        inst: &Inst,
        banks: &ConstBanks,
        scratch: &mut Scratch,
    ) -> Result<(), TrapKind> {
        for (i, src) in inst.src.iter().enumerate() {
            match *src {
                Src::Zero | Src::Reg(..) => {}
                Src::Imm(v) => scratch[2 * i].fill(v),
                Src::ImmHigh(v) => scratch[2 * i + 1].fill(v),
                Src::UReg(r, w) => {
                    scratch[2 * i].fill(self.ureg(r));
                    if w != Width::W1 {
                        scratch[2 * i + 1].fill(self.ureg_high(r));
                    }
                }
                Src::Const(addr, w) => {
                    scratch[2 * i].fill(self.constant(addr, 0, banks)?);
                    if w != Width::W1 {
                        scratch[2 * i + 1].fill(self.constant(addr, 4, banks)?);
                    }
                }
            }
        }
        Ok(())
    }

    /// A 32-bit constant word.
    pub fn constant(
        &self,
        addr: ConstAddr,
        plus: i64,
        banks: &ConstBanks,
    ) -> Result<u32, TrapKind> {
        match addr {
            ConstAddr::Bank { bank, offset } => banks.word(bank, i64::from(offset) + plus),
            ConstAddr::Bindless { .. } => {
                Err(TrapKind::Unimplemented("bindless constant operand".into()))
            }
        }
    }

    /// The six operand rows of an instruction; call [`Warp::load_scratch`] first.
    #[inline]
    pub fn rows<'a>(&'a self, inst: &Inst, scratch: &'a Scratch) -> [&'a Lanes; 6] {
        let mut rows = [&ZERO; 6];
        for (i, src) in inst.src.iter().enumerate() {
            match *src {
                Src::Zero => {}
                Src::Reg(r, w) => {
                    rows[2 * i] = &self.regs[usize::from(r)];
                    if w != Width::W1 {
                        rows[2 * i + 1] = &self.regs[high(r)];
                    }
                }
                Src::Imm(_) => rows[2 * i] = &scratch[2 * i],
                Src::ImmHigh(_) => rows[2 * i + 1] = &scratch[2 * i + 1],
                Src::UReg(_, w) | Src::Const(_, w) => {
                    rows[2 * i] = &scratch[2 * i];
                    if w != Width::W1 {
                        rows[2 * i + 1] = &scratch[2 * i + 1];
                    }
                }
            }
        }
        rows
    }

    /// One lane of a 32- or 64-bit source that is a register, or a broadcast value.
    pub fn value(&self, src: Src, lane: usize, banks: &ConstBanks) -> Result<u64, TrapKind> {
        Ok(match src {
            Src::Zero => 0,
            Src::Reg(r, Width::W1) => u64::from(self.regs[usize::from(r)][lane]),
            Src::Reg(r, _) => {
                u64::from(self.regs[usize::from(r)][lane])
                    | u64::from(self.regs[high(r)][lane]) << 32
            }
            Src::UReg(r, Width::W1) => u64::from(self.ureg(r)),
            Src::UReg(r, _) => u64::from(self.ureg(r)) | u64::from(self.ureg_high(r)) << 32,
            Src::Imm(v) => u64::from(v),
            Src::ImmHigh(v) => u64::from(v) << 32,
            Src::Const(a, Width::W1) => u64::from(self.constant(a, 0, banks)?),
            Src::Const(a, _) => {
                u64::from(self.constant(a, 0, banks)?)
                    | u64::from(self.constant(a, 4, banks)?) << 32
            }
        })
    }

    /// A uniform register.
    pub fn ureg(&self, r: u8) -> u32 {
        self.uregs[usize::from(r & URZ)]
    }

    /// The high word of a uniform pair.
    pub fn ureg_high(&self, r: u8) -> u32 {
        if r >= URZ { 0 } else { self.uregs[usize::from(r) + 1] }
    }

    /// Writes results under `mask`.
    #[inline]
    pub fn write_back(&mut self, inst: &Inst, mask: Mask, r: &Results) {
        match inst.dst {
            Dst::None => {}
            Dst::Reg(d, w) => {
                self.write_reg(d, mask, &r.d[0]);
                if w != Width::W1 {
                    self.write_reg(d.saturating_add(1), mask, &r.d[1]);
                }
            }
            Dst::UReg(d, w) => {
                // One value for the warp: that of the first executing lane.
                let lane = mask.trailing_zeros() as usize % WARP;
                self.write_ureg(d, r.d[0][lane]);
                if w != Width::W1 {
                    self.write_ureg(d.saturating_add(1), r.d[1][lane]);
                }
            }
        }
        // The first destination wins when both name one predicate (an H200).
        for (dst, &value) in inst.pdst.iter().zip(&r.p).rev() {
            self.write_pred(*dst, mask, value);
        }
    }

    /// Writes a register row under `mask`.
    #[inline]
    pub fn write_reg(&mut self, r: u8, mask: Mask, value: &Lanes) {
        if r == RZ {
            return;
        }
        let row = &mut self.regs[usize::from(r)];
        if mask == u32::MAX {
            *row = *value;
        } else {
            for l in 0..WARP {
                // A constant bit per lane keeps this loop vectorisable.
                row[l] = if mask & (1 << l) != 0 { value[l] } else { row[l] };
            }
        }
    }

    /// Writes a uniform register.
    pub fn write_ureg(&mut self, r: u8, value: u32) {
        if r < URZ {
            self.uregs[usize::from(r)] = value;
        }
    }

    /// Writes a predicate under `mask`.
    #[inline]
    pub fn write_pred(&mut self, dst: PredDst, mask: Mask, value: Mask) {
        if dst.pred >= PT || mask == 0 {
            return;
        }
        let i = usize::from(dst.pred);
        if dst.uniform {
            let lane = mask.trailing_zeros() % WARP as u32;
            self.upreds[i] = if value >> lane & 1 == 1 { u32::MAX } else { 0 };
        } else {
            self.preds[i] = self.preds[i] & !mask | value & mask;
        }
    }
}

/// Row of the high word of a pair; a pair of `RZ` is zero.
fn high(r: u8) -> usize {
    usize::from(r.saturating_add(1))
}
