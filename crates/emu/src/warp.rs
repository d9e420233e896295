//! A warp and its registers.

use upset_isa::barrier::{BarCounter, BarCounters, CtaWarps};
use upset_isa::control::barriers::Convergence;
use upset_isa::program::{ConstBanks, Layout};
use upset_isa::warp::{ConstWindow, Destinations, Env, Operands, write_pred, write_row};
use upset_isa::{Codes, Lanes, Mask, PT, Space, TrapKind, URZ, WARP};

use crate::cta::Cta;
use crate::launch::Grid;
use crate::memory::GlobalMemory;

/// Register rows kept per warp: every encodable register, `RZ` included, so
/// that reading needs no branch. Row 255 stays zero.
const ROWS: usize = 256;
const ZERO: Lanes = [0; WARP];

/// One warp.
pub struct Warp {
    /// Program counters, and convergence barriers or a stack.
    pub flow: Convergence,
    /// Registers and predicates.
    pub regs: Registers,
    /// Number within the CTA.
    pub id: u32,
    /// Thread coordinates.
    pub tid: [Lanes; 3],
    /// Local memory, lane after lane.
    pub local: Vec<u8>,
    /// Result of the last CTA barrier reduction this warp took part in.
    pub bar_result: u32,
}

/// What instructions compute with.
pub struct Registers {
    rows: Box<[Lanes; ROWS]>,
    /// The last one is always true.
    preds: [Mask; 8],
    /// The condition codes, of machines that have them.
    codes: Option<Codes>,
    /// The last one is always zero.
    uregs: [u32; 64],
    /// Each all ones or all zeroes, the last one all ones.
    upreds: [Mask; 8],
}

impl Warp {
    /// An empty warp to be [`Warp::reset`].
    pub fn new() -> Warp {
        Warp {
            flow: Convergence::new(0, 0),
            regs: Registers {
                rows: Box::new([ZERO; ROWS]),
                preds: [0; 8],
                codes: None,
                uregs: [0; 64],
                upreds: [0; 8],
            },
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
        (layout, entry): (Layout, u32),
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
        self.flow = layout.start(entry, mask);
        self.regs.reset(registers, layout);
        self.id = id;
        self.local.clear();
        self.local.resize(local_bytes as usize * WARP, 0);
        self.bar_result = 0;
    }

    /// What special registers say.
    pub fn env<'a>(&'a self, grid: &Grid<'_>, cta: &Cta, clock: u64) -> Env<'a> {
        Env {
            tid: &self.tid,
            ctaid: cta.id,
            block: grid.block,
            windows: grid.windows,
            shared_bytes: grid.shared_bytes,
            sm: 0,
            warp_slot: self.id,
            clock,
            global_timer: clock,
        }
    }
}

/// The warps of a CTA in the order of their numbers, and its barriers' counters.
pub struct Warps<'a>(pub &'a mut [Warp], pub &'a mut BarCounters);

impl CtaWarps for Warps<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn counter(&mut self, number: u8) -> &mut BarCounter {
        &mut self.1[usize::from(number) % self.1.len()]
    }

    fn control(&mut self, warp: usize) -> &mut Convergence {
        &mut self.0[warp].flow
    }

    fn reduced(&mut self, warp: usize, result: u32) {
        self.0[warp].bar_result = result;
    }
}

impl Registers {
    fn reset(&mut self, registers: u32, layout: Layout) {
        self.rows[..(registers as usize).min(ROWS - 1)].fill(ZERO);
        self.preds = [0; 8];
        self.preds[usize::from(PT)] = u32::MAX;
        self.codes = (layout == Layout::Grouped).then_some([0; 4]);
        self.uregs = [0; 64];
        self.upreds = self.preds;
    }

    /// The registers as operands.
    #[inline]
    pub fn with<'a>(&'a self, banks: &'a ConstBanks, memory: &'a GlobalMemory) -> View<'a> {
        View { regs: self, banks, memory }
    }
}

impl Destinations for Registers {
    #[inline]
    fn write_row(&mut self, r: u8, mask: Mask, value: &Lanes) {
        write_row(&mut self.rows[usize::from(r)], mask, value);
    }

    #[inline]
    fn write_ureg(&mut self, r: u8, value: u32) {
        self.uregs[usize::from(r & URZ)] = value;
    }

    #[inline]
    fn write_pred(&mut self, p: u8, mask: Mask, value: Mask) {
        write_pred(&mut self.preds[usize::from(p & PT)], mask, value);
    }

    #[inline]
    fn write_code(&mut self, flag: usize, mask: Mask, value: Mask) {
        if let Some(codes) = &mut self.codes {
            write_pred(&mut codes[flag], mask, value);
        }
    }

    #[inline]
    fn write_upred(&mut self, p: u8, value: Mask) {
        self.upreds[usize::from(p & PT)] = value;
    }
}

/// Registers and constants of a warp.
pub struct View<'a> {
    regs: &'a Registers,
    banks: &'a ConstBanks,
    memory: &'a GlobalMemory,
}

impl Operands for View<'_> {
    #[inline]
    fn row(&self, r: u8) -> &Lanes {
        &self.regs.rows[usize::from(r)]
    }

    #[inline]
    fn preds(&self) -> &[Mask; 8] {
        &self.regs.preds
    }

    #[inline]
    fn upreds(&self) -> &[Mask; 8] {
        &self.regs.upreds
    }

    #[inline]
    fn codes(&self) -> Option<&Codes> {
        self.regs.codes.as_ref()
    }

    #[inline]
    fn ureg(&self, r: u8) -> u32 {
        self.regs.uregs[usize::from(r.min(URZ))]
    }

    #[inline]
    fn constant(&self, bank: u8, offset: i64) -> Result<u32, TrapKind> {
        self.banks.word(bank, offset)
    }

    fn bindless(&self, ureg: u8, offset: i64) -> Result<u32, TrapKind> {
        let Some(addr) = ConstWindow::of(self, ureg).address(offset, 4) else { return Ok(0) };
        let word = self.memory.read(addr, 4).and_then(|b| b.first_chunk());
        let word = word.ok_or(TrapKind::AddressOutOfRange { space: Space::Const, addr })?;
        Ok(u32::from_le_bytes(*word))
    }
}
