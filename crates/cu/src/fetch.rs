//! Instruction fetch, from the cache of several compute units into the waves' buffers.

use upset_gcn::trap::TrapKind;
use upset_mem::{LINE, Read};
use upset_state::{By, Probe};

use crate::cu::Cu;
use crate::group::Cx;
use crate::ibuf::ROW;
use crate::shared::Shared;
use crate::tokens::SLOT_BITS;

impl Cu {
    /// Fetches for a wave. Tells when the next instruction can issue; nothing
    /// when a line is on its way.
    pub(crate) fn fetch<P: Probe>(
        &mut self,
        slot: u32,
        shared: &mut Shared,
        cx: &mut Cx<'_, P>,
    ) -> Result<Option<u64>, TrapKind> {
        let now = cx.now;
        let wave = &self.waves[slot as usize];
        let at = wave.ibuf.fetch_at();
        let code = &*cx.kernel.code;
        if at.wrapping_add(ROW) <= code.base || at >= code.end() {
            return Err(TrapKind::PcOutOfRange(wave.pc));
        }
        if P::ACTIVE {
            let pc = wave.pc.wrapping_sub(code.base) as u32;
            cx.probe.acting(By::Warp { sm: self.id, slot, pc });
        }
        let start = self.fetch_free.max(now);
        let line = at & !(LINE - 1);
        let block = cx.config.fetch_bytes;
        let rows = u64::from(wave.ibuf.room()).min((block - at % block) / ROW).max(1);
        let bytes = ((1u128 << (rows * ROW)) - 1) << (at % LINE);
        let token = self.local << SLOT_BITS | slot;
        let row = match shared.l1i.read(now, line, bytes, token, false, cx.out, cx.probe) {
            Read::Hit(row) => row,
            Read::Blocked => return Ok(Some(now + u64::from(cx.config.retry))),
            Read::Miss => {
                self.waves[slot as usize].ibuf.waiting = true;
                return Ok(None);
            }
        };
        self.fetch_free = start + 1;
        let ready = start + u64::from(cx.config.fetch_latency);
        let from = shared.l1i.line(row);
        let first = (at % from.bytes.len() as u64) as usize;
        let ibuf = &mut self.waves[slot as usize].ibuf;
        for n in 0..rows as usize {
            let row = from.skip(first + n * ROW as usize);
            let Some(bits) = row.bytes.first_chunk().map(|b| u128::from_le_bytes(*b)) else {
                break;
            };
            ibuf.push(now, bits, ready, row.origin, cx.probe);
        }
        Ok(Some(ready))
    }

    /// Fetches ahead, if there is room for a row and none is on its way.
    pub(crate) fn fetch_ahead<P: Probe>(
        &mut self,
        slot: u32,
        shared: &mut Shared,
        cx: &mut Cx<'_, P>,
    ) {
        let ibuf = &self.waves[slot as usize].ibuf;
        if ibuf.waiting || ibuf.room() == 0 || ibuf.fetch_at() >= cx.kernel.code.end() {
            return;
        }
        // Where it leads nowhere the wave will say so when it comes there.
        let _ = self.fetch(slot, shared, cx);
    }
}
