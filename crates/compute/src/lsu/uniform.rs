//! Constant loads of the uniform datapath.

use upset_isa::trap::TrapKind;
use upset_isa::warp::{constant_offset, load_lane};
use upset_isa::{ConstAddr, Dst, Exec, Mask, WARP, Width};
use upset_state::{Origin, Probe};

use crate::code::Op;
use crate::fetch::constants::constant_address;
use crate::sm::{Cx, NOBODY, Sm};
use crate::units::result::begin_write;
use crate::view::{Constants, View, described};

impl Sm {
    /// `ULDC`: its words came with the operands, unless it is indexed.
    #[inline(never)]
    pub(crate) fn issue_uniform_const<P: Probe>(
        &mut self,
        slot: u32,
        op: &Op,
        mask: Mask,
        constants: &Constants,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), TrapKind> {
        let inst = &op.inst;
        let Exec::Mem(m) = inst.exec else { return Ok(()) };
        let warp = &self.warps[slot as usize];
        let view = View::of(&self.files, warp, constants);
        let offset = constant_offset(&view, inst, &m, 0)?;
        let bank = match m.bank {
            // Its words came with the operands: an index only banks have.
            Some(ConstAddr::Bindless { ureg, .. }) => described(ureg),
            Some(ConstAddr::Bank { bank, .. }) => {
                constant_address(cx.kernel, bank, offset, u32::from(m.bytes))?;
                bank
            }
            None => 0,
        };
        let mut bytes = [0; 8];
        let mut ghosts = Vec::new();
        for (i, chunk) in
            bytes.chunks_exact_mut(4).enumerate().take(usize::from(m.bytes.div_ceil(4)))
        {
            let at = (offset & !3) + 4 * i as i64;
            let word = match constants.word(bank, at) {
                Ok(word) => {
                    if P::GHOSTS
                        && let Some(number) = constants.number(bank, at)
                    {
                        let own = self.shadows.issuing.of_constant(number);
                        ghosts.extend(own.map(|(ghost, xor)| (ghost, i, xor)));
                    }
                    word
                }
                // An indexed load: its word is read when it arrives, without the index's delay.
                Err(_) => {
                    let (word, origin) = self.constant_now(bank, at, cx)?;
                    if P::GHOSTS {
                        let own = crate::haunt::shadows::differences(origin, cx.probe);
                        ghosts.extend(own.map(|(ghost, xor)| (ghost, i, xor)));
                    }
                    word
                }
            };
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        let from = (offset & 3) as usize;
        let mut out = [[0; WARP]; 4];
        let len = usize::from(m.bytes).min(8 - from);
        load_lane(&m, &bytes[from..from + len], 0, &mut out);
        let index = begin_write(&mut self.writes, slot, inst, mask, true);
        let wb = &mut self.writes[index];
        if P::ACTIVE {
            wb.pc = self.warps[slot as usize].flow.pc;
        }
        if let (Dst::UReg(d, _), 8) = (inst.dst, m.bytes) {
            wb.inst.dst = Dst::UReg(d, Width::W2);
        }
        wb.results.d = [[out[0][0]; WARP], [out[1][0]; WARP]];
        if P::GHOSTS && !ghosts.is_empty() {
            let load = |ghost: u32| {
                let mut own = bytes;
                for (_, i, xor) in ghosts.iter().filter(|g| g.0 == ghost) {
                    for (b, x) in own[4 * i..].iter_mut().zip(u32::to_le_bytes(*xor)) {
                        *b ^= x;
                    }
                }
                let mut out = [[0; WARP]; 4];
                load_lane(&m, &own[from..from + len], 0, &mut out);
                (ghost, [out[0][0], out[1][0]])
            };
            let mut who: Vec<u32> = ghosts.iter().map(|g: &(u32, usize, u32)| g.0).collect();
            who.sort_unstable();
            who.dedup();
            let words = who.into_iter().map(load).collect();
            self.haunt_words(index, words, cx);
        }
        self.warps[slot as usize].flow.advance(op.next);
        self.launch_write(index, op, cx.now);
        self.raise_read(slot, inst.ctl.read_sb, op, cx.now);
        Ok(())
    }

    /// A constant word without waiting: from the cache, else from the level below.
    fn constant_now<P: Probe>(
        &mut self,
        bank: u8,
        offset: i64,
        cx: &mut Cx<'_, P>,
    ) -> Result<(u32, Origin), TrapKind> {
        if let Ok(found) = self.constant_word(NOBODY, bank, offset, cx)? {
            return Ok(found);
        }
        let addr = constant_address(cx.kernel, bank, offset, 4)?;
        Ok(self.constant_below(addr, cx))
    }
}
