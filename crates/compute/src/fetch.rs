//! Instruction fetch and constant operands: the read-only first-level caches.

use upset_isa::program::STEP;
use upset_isa::trap::TrapKind;
use upset_isa::warp::{ConstWindow, guarded};
use upset_isa::{ConstAddr, Space};
use upset_mem::{LINE, Read, end_flight};
use upset_state::{By, Origin, Probe, Sourced};

use crate::code::Op;
use crate::ibuf::Entry;
use crate::sm::{Cx, Sm};
use crate::stats::Reason;
use crate::view::{Constants, View, described};

/// Bytes of one instruction, as a mask at its place in a line.
fn instruction_bytes(addr: u64) -> u128 {
    0xffff << (addr & (LINE - 1) & !15)
}

impl Sm {
    /// Fetches for a warp, from cycle `from` on. Tells when the next
    /// instruction can issue; nothing when a line is on its way.
    pub(crate) fn fetch<P: Probe>(
        &mut self,
        slot: u32,
        from: u64,
        cx: &mut Cx<'_, P>,
    ) -> Result<Option<u64>, TrapKind> {
        let code = &*cx.kernel.code;
        let config = cx.config;
        let (s, _) = self.place(slot);
        let mut pc = self.warps[slot as usize].ibuf.fetch_pc;
        let addr = code.program.base.wrapping_add(u64::from(pc));
        if code.slot(pc).is_none() {
            return Err(match pc.is_multiple_of(STEP) {
                true => TrapKind::PcOutOfRange(addr),
                false => TrapKind::MisalignedPc(addr),
            });
        }
        if P::ACTIVE {
            cx.probe.acting(By::Warp { sm: self.id, slot, pc });
        }
        let line = addr & !(LINE - 1);
        let start = self.subs[s].fetch_free.max(from);
        let bytes = instruction_bytes(addr);
        let found = self.l1i.read(cx.now, line, bytes, slot, false, cx.out, cx.probe);
        let (mut copy, mut flight) = ([0; LINE as usize], 0);
        let from = match found {
            Read::Hit(row) => self.l1i.line(row),
            // As if the cache had it: the bytes come from below without delay.
            _ if config.perfect => {
                read_below(line, &mut copy, &mut flight, cx);
                Sourced { bytes: &copy, origin: Origin::flight(flight, 0) }
            }
            Read::Blocked => return Ok(Some(cx.now + u64::from(cx.config.timing.retry))),
            Read::Miss => {
                self.warps[slot as usize].ibuf.waiting = true;
                self.prefetch(line, cx);
                return Ok(None);
            }
        };
        self.subs[s].fetch_free = start + 1;
        let ready = start + u64::from(config.fetch_to_issue + config.l1i_latency);
        let ibuf = &mut self.warps[slot as usize].ibuf;
        let mut at = (addr & (from.bytes.len() as u64 - 1)) as usize;
        let mut taken = 0u128;
        for _ in 0..config.fetch {
            if ibuf.held() >= config.buffer as usize {
                break;
            }
            let Sourced { bytes, origin } = from.skip(at);
            let Some(bits) = bytes.first_chunk().map(|b| u128::from_le_bytes(*b)) else { break };
            if !ibuf.push(cx.now, Entry { bits, pc, ready }, origin, cx.probe) {
                break;
            }
            if P::ACTIVE {
                taken |= instruction_bytes(code.program.base.wrapping_add(u64::from(pc)));
            }
            pc = pc.wrapping_add(STEP);
            ibuf.fetch_pc = pc;
            at += STEP as usize;
            if code.slot(pc).is_none() {
                break;
            }
        }
        end_flight(cx.probe, flight);
        // Of the first instruction the lookup has told.
        let more = taken & !instruction_bytes(addr);
        if let (Read::Hit(row), true) = (found, more != 0) {
            self.l1i.note_read(cx.now, row, line, more, cx.probe);
        }
        Ok(Some(ready))
    }

    /// The stream buffer: lines after a miss are asked for as well.
    fn prefetch<P: Probe>(&mut self, line: u64, cx: &mut Cx<'_, P>) {
        let code = &*cx.kernel.code;
        let end = code.program.base + code.program.words.len() as u64 * u64::from(STEP);
        for i in 1..=u64::from(cx.config.prefetch_lines) {
            let ahead = line + i * LINE;
            if ahead >= end {
                break;
            }
            if !self.l1i.prefetch(cx.now, ahead, u128::MAX, cx.out, cx.probe) {
                break;
            }
        }
    }

    /// A line of code has arrived for a warp.
    pub(crate) fn rouse_fetch<P: Probe>(&mut self, slot: u32, cx: &mut Cx<'_, P>) {
        if let Some(w) = self.warps.get_mut(slot as usize) {
            w.ibuf.waiting = false;
            self.rouse_if(slot, Reason::Fetch, cx.now);
        }
    }

    /// Reads the constant words an instruction names. `Ok(Err(..))`: they are
    /// not there; look again at a cycle, or when a line arrives.
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
                    let offset = i64::from(offset);
                    (bank, offset, Some(constant_address(cx.kernel, bank, offset, 4)?))
                }
                ConstAddr::Bindless { ureg, offset } => {
                    let offset = i64::from(offset);
                    (described(ureg), offset, self.bound(slot, op, ureg, offset, cx)?)
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
    fn bound<P: Probe>(
        &self,
        slot: u32,
        op: &Op,
        ureg: u8,
        offset: i64,
        cx: &Cx<'_, P>,
    ) -> Result<Option<u64>, TrapKind> {
        let warp = &self.warps[slot as usize];
        let view = View::of(&self.subs, warp, slot, Constants::default());
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
                Ok(first_word(self.l1c.line(row).skip(at)))
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

/// Reads a line as the level below has it, without time. Ghosts differ in it
/// under `flight`.
fn read_below<P: Probe>(line: u64, bytes: &mut [u8], flight: &mut u32, cx: &mut Cx<'_, P>) {
    // Code and banks are mapped when a module is loaded; the last line may be short.
    for (i, sector) in bytes.chunks_exact_mut(32).enumerate() {
        let addr = line + 32 * i as u64;
        let _ = cx.mem.core_read(cx.now, addr, sector, flight, cx.probe);
    }
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
