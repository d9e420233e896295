//! Constant operands, through the constant cache.

use upset_isa::trap::TrapKind;
use upset_isa::warp::{ConstWindow, guarded};
use upset_isa::{ConstAddr, Space};
use upset_mem::{LINE, Read, end_flight};
use upset_state::{Origin, Probe, Sourced};

use crate::code::Op;
use crate::sm::{Cx, Sm};
use crate::view::{Constants, View, described};

impl Sm {
    /// Reads the constant words an instruction names. `Ok(Err(..))`: they are
    /// not there; look again at a cycle, or when a line arrives.
    #[inline(never)]
    pub(crate) fn constants<P: Probe>(
        &mut self,
        slot: u32,
        op: &Op,
        cx: &mut Cx<'_, P>,
    ) -> Result<Result<Constants, Option<u64>>, TrapKind> {
        let mut constants = Constants::default();
        if P::GHOSTS {
            self.shadows.issuing.forget();
        }
        for &addr in &op.consts[..usize::from(op.const_count)] {
            let (bank, offset, addr) = match addr {
                ConstAddr::Bank { bank, offset } => {
                    (bank, offset, Some(constant_address(cx.kernel, bank, offset.into(), 4)?))
                }
                ConstAddr::Bindless { ureg, offset } => {
                    (described(ureg), offset, self.bound(slot, op, ureg, offset.into(), cx)?)
                }
            };
            let Some(addr) = addr else {
                constants.push(bank, offset, 0);
                continue;
            };
            match self.constant_at(slot, addr, cx) {
                Ok((word, origin)) => {
                    if P::GHOSTS {
                        self.shadows.issuing.keep_constant(constants.count(), origin, cx.probe);
                    }
                    constants.push(bank, offset, word);
                }
                Err(wait) => return Ok(Err(wait)),
            }
        }
        Ok(Ok(constants))
    }

    /// Address of a bindless constant; none where nothing is read: beyond the
    /// described end, and when no lane executes the instruction.
    // Kept apart: most constants are in banks.
    #[inline(never)]
    fn bound<P: Probe>(
        &self,
        slot: u32,
        op: &Op,
        ureg: u8,
        offset: i64,
        cx: &Cx<'_, P>,
    ) -> Result<Option<u64>, TrapKind> {
        let warp = &self.warps[slot as usize];
        let view = View::of(&self.files, warp, &Constants::NONE);
        if guarded(&view, op.inst.guard, warp.flow.active) == 0 {
            return Ok(None);
        }
        described_address(&view, ureg, offset, 4, cx)
    }

    /// One constant word of a bank through the cache.
    pub(crate) fn constant_word<P: Probe>(
        &mut self,
        waiter: u32,
        bank: u8,
        offset: i64,
        cx: &mut Cx<'_, P>,
    ) -> Result<Result<(u32, Origin), Option<u64>>, TrapKind> {
        let addr = constant_address(cx.kernel, bank, offset, 4)?;
        Ok(self.constant_at(waiter, addr, cx))
    }

    /// One constant word through the cache, and where it comes from: keep what
    /// ghosts have there before anything else is read.
    // Inlined: most have no use for where it comes from.
    #[inline(always)]
    fn constant_at<P: Probe>(
        &mut self,
        waiter: u32,
        addr: u64,
        cx: &mut Cx<'_, P>,
    ) -> Result<(u32, Origin), Option<u64>> {
        let line = addr & !(LINE - 1);
        let bytes = 0xf << (addr & (LINE - 1));
        match self.l1c.read(cx.now, line, bytes, waiter, false, cx.out, cx.probe) {
            Read::Hit(row) => {
                let at = (addr & u64::from(self.l1c.line_bytes() - 1)) as usize;
                let (word, origin) = first_word(self.l1c.line(row).skip(at));
                // Nobody else asks where it comes from, which takes a division.
                Ok((word, if P::GHOSTS { origin } else { Origin::ALIKE }))
            }
            _ if cx.config.perfect => Ok(self.constant_below(addr, cx)),
            Read::Miss => Err(None),
            Read::Blocked => Err(Some(cx.now + u64::from(cx.config.timing.retry))),
        }
    }

    /// A constant word from below its cache, without time.
    pub(crate) fn constant_below<P: Probe>(
        &mut self,
        addr: u64,
        cx: &mut Cx<'_, P>,
    ) -> (u32, Origin) {
        let aside = &mut self.shadows.issuing.flight;
        end_flight(cx.probe, std::mem::take(aside));
        let mut word = [0; 4];
        // Banks are mapped when a module is loaded.
        let _ = cx.mem.core_read(cx.now, addr, &mut word, aside, cx.probe);
        let origin = Origin::flight(*aside, (addr % LINE / 4) as u32);
        (u32::from_le_bytes(word), origin)
    }
}

/// The word that bytes begin with.
fn first_word(from: Sourced<'_>) -> (u32, Origin) {
    let word = from.bytes.first_chunk().copied().unwrap_or_default();
    (u32::from_le_bytes(word), from.origin)
}

/// Where `len` bytes of the bank that a uniform pair describes are; none beyond
/// its end.
pub(crate) fn described_address<P: Probe>(
    view: &View<'_>,
    ureg: u8,
    offset: i64,
    len: u64,
    cx: &Cx<'_, P>,
) -> Result<Option<u64>, TrapKind> {
    let Some(addr) = ConstWindow::of(view, ureg).address(offset, len) else { return Ok(None) };
    match cx.mem.mapped(addr, len) {
        true => Ok(Some(addr)),
        false => Err(TrapKind::AddressOutOfRange { space: Space::Const, addr }),
    }
}

/// Where `len` bytes of a constant bank are.
pub(crate) fn constant_address(
    kernel: &crate::Kernel,
    bank: u8,
    offset: i64,
    len: u32,
) -> Result<u64, TrapKind> {
    let b = kernel.banks.get(usize::from(bank)).copied().unwrap_or_default();
    let end = u64::try_from(offset).ok().map(|o| o + u64::from(len));
    match end {
        Some(end) if end <= u64::from(b.len) => Ok(b.addr + offset as u64),
        _ => Err(TrapKind::InvalidConstant { bank, offset }),
    }
}
