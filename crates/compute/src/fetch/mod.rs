//! Instruction fetch, from the instruction cache into the warps' buffers.

pub(crate) mod constants;
pub(crate) mod ibuf;

use upset_isa::program::{GROUP, Layout, control_byte};
use upset_isa::trap::TrapKind;
use upset_mem::{LINE, Read, end_flight};
use upset_state::words::{WORDS, Words};
use upset_state::{By, Origin, Probe, Sourced};

use crate::fetch::ibuf::{Entry, Ibuf};
use crate::sm::{Cx, Sm};
use upset_machine::Reason;

/// Bytes that say what one instruction does, as a mask at their place in a line.
fn instruction_bytes(layout: Layout, addr: u64) -> u128 {
    let at = addr & (LINE - 1);
    match layout {
        Layout::Wide => 0xffff << (at & !15),
        // Its own, and the control word of its group.
        Layout::Grouped => 0xff << (at & !7) | 0xff << (at & !(GROUP_BYTES - 1)),
    }
}

const GROUP_BYTES: u64 = 8 * GROUP as u64;

/// The bits of the instruction at a byte of a line, as [`Layout::words`] puts
/// them together.
#[inline]
fn bits_at(layout: Layout, line: &[u8], at: usize) -> Option<u128> {
    match layout {
        Layout::Wide => line.get(at..)?.first_chunk().map(|b| u128::from_le_bytes(*b)),
        Layout::Grouped => {
            let word = |at: usize| line.get(at..)?.first_chunk().map(|b| u64::from_le_bytes(*b));
            let control = word(at & !(GROUP_BYTES as usize - 1))?;
            let byte = control_byte(control, at / 8 % GROUP);
            Some(u128::from(word(at)?) | u128::from(byte) << 64)
        }
    }
}

/// The newest instruction of a buffer is one of a group: ghosts that differ in
/// its line have what they have in its own bytes and in its control byte.
fn haunt_newest<P: Probe>(ibuf: &Ibuf, line: Origin, at: usize, probe: &mut P) {
    let Some(g) = probe.ghosts().filter(|g| !g.is_alike(line)) else { return };
    for delta in g.at_origin(line) {
        g.put(ibuf.newest_place(), delta.ghost, &entry_words(&delta.words, at));
    }
}

/// Of the words of a line (or of differences of them), those of the entry that
/// the instruction at a byte makes.
fn entry_words(line: &Words, at: usize) -> Words {
    let word = |byte: usize| line[byte / 4 % line.len()];
    let group = at & !(GROUP_BYTES as usize - 1);
    let control = u64::from(word(group)) | u64::from(word(group + 4)) << 32;
    let byte = control_byte(control, at / 8 % GROUP);
    let mut words = [0; WORDS];
    (words[0], words[1], words[2]) = (word(at), word(at + 4), u32::from(byte));
    words
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
        let warp = &self.warps[slot as usize];
        let s = usize::from(warp.home.scheduler);
        let layout = code.program.layout;
        let pc = warp.ibuf.fetch_pc;
        let addr = code.address(pc);
        if code.at(pc).is_none() {
            return Err(match code.is_aligned(pc) {
                true => TrapKind::PcOutOfRange(addr),
                false => TrapKind::MisalignedPc(addr),
            });
        }
        if P::ACTIVE {
            cx.probe.acting(By::Warp { sm: self.id, slot, pc });
        }
        let line = addr & !(LINE - 1);
        let start = self.subs[s].fetch_free.max(from);
        let bytes = instruction_bytes(layout, addr);
        let found = self.l1i.read(cx.now, line, bytes, slot, false, cx.out, cx.probe);
        if let Read::Hit(row) = found
            && !P::ACTIVE
            && !P::GHOSTS
        {
            self.subs[s].fetch_free = start + 1;
            return Ok(Some(match layout {
                Layout::Wide => self.take_wide(slot, row, addr, start, cx),
                Layout::Grouped => self.take_grouped(slot, row, addr, start, cx),
            }));
        }
        Ok(self.take_found(slot, start, found, cx))
    }

    /// A lookup has found a line, or not: the same in every other case.
    // Kept apart, because the short way needs no room for a line.
    #[inline(never)]
    fn take_found<P: Probe>(
        &mut self,
        slot: u32,
        start: u64,
        found: Read,
        cx: &mut Cx<'_, P>,
    ) -> Option<u64> {
        let (code, config) = (&*cx.kernel.code, cx.config);
        let layout = code.program.layout;
        let (s, _) = self.place(slot);
        let mut pc = self.warps[slot as usize].ibuf.fetch_pc;
        let addr = code.address(pc);
        let line = addr & !(LINE - 1);
        let (mut copy, mut flight) = ([0; LINE as usize], 0);
        let from = match found {
            Read::Hit(row) => self.l1i.line(row),
            // As if the cache had it: the bytes come from below without delay.
            _ if config.perfect => {
                read_below(line, &mut copy, &mut flight, cx);
                Sourced { bytes: &copy, origin: Origin::flight(flight, 0) }
            }
            Read::Blocked => return Some(cx.now + u64::from(cx.config.timing.retry)),
            Read::Miss => {
                self.warps[slot as usize].ibuf.waiting = true;
                self.prefetch(line, cx);
                return None;
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
            let Some(bits) = bits_at(layout, from.bytes, at) else { break };
            let origin = match layout {
                Layout::Wide => from.skip(at).origin,
                // Its bits come from two places.
                Layout::Grouped => Origin::ALIKE,
            };
            if !ibuf.push(cx.now, Entry { bits, pc, ready }, origin, cx.probe) {
                break;
            }
            if P::GHOSTS && layout == Layout::Grouped {
                haunt_newest(ibuf, from.origin, at, cx.probe);
            }
            if P::ACTIVE {
                taken |= instruction_bytes(layout, code.address(pc));
            }
            let next = layout.after(pc);
            at += next.wrapping_sub(pc) as usize;
            pc = next;
            ibuf.fetch_pc = pc;
            if code.at(pc).is_none() {
                break;
            }
        }
        end_flight(cx.probe, flight);
        // Of the first instruction the lookup has told.
        let more = taken & !instruction_bytes(layout, addr);
        if let (Read::Hit(row), true) = (found, more != 0) {
            self.l1i.note_read(cx.now, row, line, more, cx.probe);
        }
        Some(ready)
    }

    /// Takes instructions of 16 bytes from a row of the cache, where nobody watches and
    /// nobody is followed: the short way. Tells when they can issue.
    #[inline]
    fn take_wide<P: Probe>(
        &mut self,
        slot: u32,
        row: u32,
        addr: u64,
        start: u64,
        cx: &mut Cx<'_, P>,
    ) -> u64 {
        let (code, config) = (&*cx.kernel.code, cx.config);
        let ready = start + u64::from(config.fetch_to_issue + config.l1i_latency);
        let line = self.l1i.line(row).bytes;
        let at = (addr & (line.len() as u64 - 1)) as usize;
        let (instructions, _) = line.get(at..).unwrap_or_default().as_chunks::<16>();
        let ibuf = &mut self.warps[slot as usize].ibuf;
        let room = (config.buffer as usize).saturating_sub(ibuf.held());
        let mut pc = ibuf.fetch_pc;
        let most = room.min(config.fetch as usize).min(code.slots_from(pc));
        for bits in instructions.iter().take(most) {
            let bits = u128::from_le_bytes(*bits);
            if !ibuf.push(cx.now, Entry { bits, pc, ready }, Origin::ALIKE, cx.probe) {
                break;
            }
            pc = pc.wrapping_add(16);
        }
        ibuf.fetch_pc = pc;
        ready
    }

    /// The same for instructions in groups.
    fn take_grouped<P: Probe>(
        &mut self,
        slot: u32,
        row: u32,
        addr: u64,
        start: u64,
        cx: &mut Cx<'_, P>,
    ) -> u64 {
        let (code, config) = (&*cx.kernel.code, cx.config);
        let ready = start + u64::from(config.fetch_to_issue + config.l1i_latency);
        let line = self.l1i.line(row).bytes;
        let (words, _) = line.as_chunks::<8>();
        let mut at = (addr & (line.len() as u64 - 1)) as usize / 8;
        let ibuf = &mut self.warps[slot as usize].ibuf;
        let room = (config.buffer as usize).saturating_sub(ibuf.held());
        let mut pc = ibuf.fetch_pc;
        for _ in 0..room.min(config.fetch as usize) {
            let (Some(word), Some(control)) = (words.get(at), words.get(at & !(GROUP - 1))) else {
                break;
            };
            let control = control_byte(u64::from_le_bytes(*control), at % GROUP);
            let bits = u128::from(u64::from_le_bytes(*word)) | u128::from(control) << 64;
            if !ibuf.push(cx.now, Entry { bits, pc, ready }, Origin::ALIKE, cx.probe) {
                break;
            }
            let next = Layout::Grouped.after(pc);
            at += next.wrapping_sub(pc) as usize / 8;
            pc = next;
            if code.slots_from(pc) == 0 {
                break;
            }
        }
        ibuf.fetch_pc = pc;
        ready
    }

    /// The stream buffer: lines after a miss are asked for as well.
    fn prefetch<P: Probe>(&mut self, line: u64, cx: &mut Cx<'_, P>) {
        let code = &*cx.kernel.code;
        for i in 1..=u64::from(cx.config.prefetch_lines) {
            let ahead = line + i * LINE;
            if ahead >= code.end() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_a_group_has_its_word_and_its_control_byte() {
        let line: [u8; LINE as usize] = std::array::from_fn(|i| (7 * i + i / 3) as u8);
        let words: Words = std::array::from_fn(|i| {
            line[4 * i..].first_chunk().map_or(0, |b| u32::from_le_bytes(*b))
        });
        for slot in (0..16).filter(|slot| slot % GROUP != 0) {
            let at = 8 * slot;
            let bits = bits_at(Layout::Grouped, &line, at).expect("within the line");
            // As the whole code's words are put together.
            assert_eq!(bits, Layout::Grouped.words(&line)[slot], "slot {slot}");
            let entry = entry_words(&words, at);
            let together =
                entry.iter().take(4).rev().fold(0u128, |all, w| all << 32 | u128::from(*w));
            assert_eq!(together, bits, "slot {slot}");
            // And so many bytes say what it does.
            assert_eq!(instruction_bytes(Layout::Grouped, at as u64).count_ones(), 16);
        }
        assert_eq!(bits_at(Layout::Grouped, &line, 128), None);
        assert_eq!(bits_at(Layout::Wide, &line, 16), Some(Layout::Wide.words(&line)[1]));
    }
}
