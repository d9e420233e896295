//! A memory instruction on its way through the SM.

use std::mem::offset_of;

use super::engine::Bulk;
use crate::depend::counters::is_counted;
use crate::depend::scoreboard::Scoreboard;
use crate::kernel::Kernel;
use crate::units::latency::is_unnamed;
use crate::view::Constants;
use upset_isa::arrival::is_past;
use upset_isa::atomic::{self, AtomOp, AtomType};
use upset_isa::control::barriers::lanes;
use upset_isa::warp::{Addresses, Words, load_lane};
use upset_isa::{
    BulkTo, Dst, Exec, Inst, Lanes, Mask, MemKind, MemOp, PredDst, RZ, Space, TexOp, Unit, WARP,
};

/// Which first-level cache serves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Data cache.
    Data,
    /// Texture cache.
    Texture,
    /// Constant cache.
    Constant,
}

impl Level {
    /// The one that serves a load, store or atomic.
    pub fn of(inst: &Inst, m: &MemOp) -> Level {
        match (m.space, inst.op.unit) {
            (Space::Const, _) => Level::Constant,
            (_, Unit::Texture) => Level::Texture,
            _ => Level::Data,
        }
    }
}

/// Part of an access that lies in one cache line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Line {
    /// Address of the line, aligned to the cache's line size.
    pub addr: u64,
    /// Bytes touched, relative to the 128-byte line.
    pub bytes: u128,
    /// Lanes that touch it.
    pub lanes: Mask,
    /// Which word of each lane (local memory: words lie in different lines).
    pub word: u8,
    /// The lanes are thread-local memory.
    pub local: bool,
    /// Neighbouring lanes touch words one after the other.
    pub in_a_row: bool,
}

/// What a texture fetch needs again when its texels have arrived.
#[derive(Clone, Debug, Default)]
pub struct TexelFetch {
    /// Coordinate and handle registers as they were at issue.
    pub rows: Vec<(u8, Lanes)>,
    /// Uniform registers, likewise.
    pub uniform: Vec<(u8, u32)>,
    /// Constant words read at issue.
    pub constants: Constants,
    /// Lines that have arrived.
    pub lines: Vec<(u64, [u8; 128])>,
}

/// What sort of instruction an access comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A load, store or atomic.
    Plain,
    /// A copy of each lane's own, past the registers.
    Copy,
    /// A bulk copy, or a part of one.
    Bulk(BulkTo),
    /// A load from a surface.
    SurfaceLoad,
    /// Textures, and the rest of surfaces.
    Other,
}

impl Form {
    fn of(inst: &Inst) -> Form {
        match inst.exec {
            Exec::Mem(MemOp { kind: MemKind::Copy(_), .. }) => Form::Copy,
            Exec::Mem(MemOp { kind: MemKind::Bulk(to), .. }) => Form::Bulk(to),
            Exec::Mem(_) => Form::Plain,
            Exec::Surface(s) if s.mem.kind == MemKind::Load => Form::SurfaceLoad,
            _ => Form::Other,
        }
    }
}

/// A memory instruction. What every access uses lies together, and its rows as
/// the registers do: a chip's accesses do not fit into the host's nearest caches.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Access {
    /// Store data, or what a load has collected; atomics: operands b and c.
    pub data: [Lanes; 4],
    /// Where each lane's first byte is: shared byte, or the lower half of its
    /// [physical address](Access::address).
    pub addrs: Lanes,
    /// What atomics return. Copies: where lanes write in shared memory, and how many
    /// bytes they read; parts of bulk copies to global memory: where they write there.
    /// Checks of a phase: what is asked.
    pub old: [Lanes; 2],
    /// Warp slot.
    pub slot: u32,
    /// Where the instruction stands; known only when somebody watches.
    pub pc: u32,
    /// Lanes that execute.
    pub mask: Mask,
    /// Lanes that do anything (an atomic may not exist where its address leads).
    pub done: Mask,
    /// Lanes in shared memory.
    pub shared: Mask,
    /// Registers that the collected rows go to.
    pub rows: [u8; 4],
    /// Lines that have not come back.
    pub pending: u32,
    /// Lines already sent to the cache.
    pub next: u32,
    /// Lines, in the order of their first lane.
    pub lines: Vec<Line>,
    /// Which cache.
    pub level: Level,
    /// Its data are there; it waits for those before it.
    pub ready: bool,
    /// The shared-memory part is done; texture and constant pipes: operands are released.
    pub shared_done: bool,
    /// Ghosts have other data.
    pub haunted: bool,
    /// The counter that falls when its operands are read.
    pub read_sb: u8,
    /// The counter that falls when it ends.
    pub write_sb: u8,
    /// It [names no counter](is_unnamed).
    pub unnamed: bool,
    /// See [`Access::ends_with_operands`].
    pub late: bool,
    /// What it does to memory; textures have none.
    pub op: Option<MemOp>,
    /// The bulk copy that it is a part of.
    pub part_of: Option<u32>,
    /// Texture fetches.
    pub tex: Option<Box<(TexOp, TexelFetch)>>,
    /// What sort of instruction it is.
    pub form: Form,
    /// Register destination of the instruction.
    pub dst: Dst,
    /// Its predicate destinations.
    pub pdst: [PredDst; 2],
    /// Its places on the scoreboard, if the chip has one.
    pub written: Scoreboard,
    /// The bulk copy that it is, and how far that is.
    pub bulk: Option<Bulk>,
}

/// What is looked at each time that an access comes by lies in two lines of the host's caches.
const _: () = {
    let (from, to) = (offset_of!(Access, slot), offset_of!(Access, written));
    assert!(from.is_multiple_of(64) && to == from + 128);
};

impl Default for Access {
    fn default() -> Self {
        Access {
            data: [[0; WARP]; 4],
            addrs: [0; WARP],
            old: [[0; WARP]; 2],
            slot: 0,
            pc: 0,
            mask: 0,
            done: 0,
            shared: 0,
            rows: [RZ; 4],
            pending: 0,
            next: 0,
            lines: Vec::new(),
            level: Level::Data,
            ready: false,
            shared_done: false,
            haunted: false,
            read_sb: 0,
            write_sb: 0,
            unnamed: false,
            late: false,
            op: None,
            part_of: None,
            tex: None,
            form: Form::Other,
            dst: Dst::None,
            pdst: [PredDst::NONE; 2],
            written: Scoreboard::default(),
            bulk: None,
        }
    }
}

/// An instruction without a counter.
const NO_COUNTER: u8 = 7;

/// Address of lane `lane` for word `word` of local memory: words of a warp's
/// lanes lie side by side, so that equal offsets share a line.
pub fn local_address(base: u64, offset: u64, lane: usize) -> u64 {
    base + (offset / 4) * 128 + lane as u64 * 4 + offset % 4
}

impl Access {
    /// Makes it ready for a new instruction.
    pub fn begin(&mut self, slot: u32, inst: &Inst, op: Option<MemOp>, mask: Mask, level: Level) {
        self.clear(slot, op, mask, level);
        (self.read_sb, self.write_sb) = (inst.ctl.read_sb, inst.ctl.write_sb);
        self.unnamed = is_unnamed(inst);
        self.late = ends_late(inst, op);
        self.form = Form::of(inst);
        (self.dst, self.pdst) = (inst.dst, inst.pdst);
    }

    /// Makes it ready for a part of a bulk copy, which has the counters.
    pub fn begin_as_part(
        &mut self,
        (slot, pc): (u32, u32),
        of: u32,
        op: Option<MemOp>,
        mask: Mask,
    ) {
        self.clear(slot, op, mask, Level::Data);
        (self.read_sb, self.write_sb) = (NO_COUNTER, NO_COUNTER);
        (self.unnamed, self.late) = (false, false);
        (self.pc, self.part_of) = (pc, Some(of));
    }

    /// Forgets the instruction before.
    #[inline]
    fn clear(&mut self, slot: u32, op: Option<MemOp>, mask: Mask, level: Level) {
        self.slot = slot;
        (self.mask, self.done, self.shared) = (mask, mask, 0);
        self.rows = [RZ; 4];
        (self.pending, self.next) = (0, 0);
        self.lines.clear();
        self.level = level;
        (self.ready, self.shared_done, self.haunted) = (false, false, false);
        self.op = op;
        self.part_of = None;
        if self.tex.is_some() {
            self.tex = None;
        }
        self.bulk = None;
    }

    /// Where a lane's first byte is: its line knows the upper half.
    pub fn address(&self, lane: usize) -> u64 {
        let low = self.addrs[lane];
        let touches = |l: &&Line| l.lanes >> lane & 1 == 1 && l.word == 0;
        self.lines.iter().find(touches).map_or(u64::from(low), |line| {
            line.addr.wrapping_add(low.wrapping_sub(line.addr as u32).into())
        })
    }

    /// Rows of its data that count. What lies behind them in those of a load is
    /// what an earlier access left there, and counts as zero.
    pub fn rows_in_use(&self) -> usize {
        match self.op.map(|m| (m.kind, m.bytes)) {
            None | Some((MemKind::Atomic(..) | MemKind::Reduce(..), _)) => self.data.len(),
            Some((MemKind::QuerySpace(_) | MemKind::Bulk(_) | MemKind::CopiesEnd(_), _)) => 0,
            Some((_, bytes)) => usize::from(bytes.div_ceil(4)),
        }
    }

    /// Lanes that a load does not read get zero.
    pub fn clear_loaded(&mut self) {
        let rows = self.rows_in_use();
        self.data.iter_mut().take(rows).for_each(|row| *row = [0; WARP]);
    }

    /// Notes that `lane` touches `len` bytes at `addr`; `size` is the cache's line size.
    #[inline]
    pub fn touch(&mut self, lane: usize, addr: u64, len: u32, word: u8, local: bool, size: u64) {
        let line = addr & !(size - 1);
        let bytes = ((1u128 << (len & 127)) - 1) << (addr & 127);
        let is_it = |l: &Line| l.addr == line && l.word == word && l.local == local;
        match self.lines.iter_mut().rev().find(|l| is_it(l)) {
            Some(l) => {
                l.bytes |= bytes;
                l.lanes |= 1 << lane;
            }
            None => {
                let lanes = 1 << lane;
                self.lines.push(Line { addr: line, bytes, lanes, word, local, in_a_row: false });
            }
        }
    }

    /// Notes that the lanes in `who` touch `len` bytes each of global memory, if all are
    /// aligned and `is_there` says yes to what it is asked: once for each line.
    pub fn touch_global(
        &mut self,
        at: &impl Addresses,
        who: Mask,
        len: u32,
        size: u64,
        mut is_there: impl FnMut(u64) -> bool,
    ) -> bool {
        if self.touch_rows(at, who, len, size, &mut is_there) {
            return true;
        }
        let ones = (1u64 << (len & 63)) - 1;
        // A bit of each line, by which most of those that are new show.
        let mut seen = if self.lines.is_empty() { 0u64 } else { !0 };
        let shift = size.trailing_zeros();
        // The line that the last lane touched, and what it was given since.
        let (mut line, mut index) = (u64::MAX, 0);
        let (mut bytes, mut own, mut low) = ([0u64; 2], 0, 0);
        let mut left = who;
        while left != 0 {
            let lane = left.trailing_zeros() as usize % WARP;
            left &= left - 1;
            let at = at.of(lane);
            self.addrs[lane] = at as u32;
            low |= at;
            if at & !(size - 1) != line {
                self.add_to(index, bytes, own);
                (line, bytes, own) = (at & !(size - 1), [0; 2], 0);
                let bit = 1 << (line >> shift & 63);
                let known = match seen & bit {
                    0 => None,
                    _ => self.lines.iter().rposition(|l| l.addr == line),
                };
                seen |= bit;
                index = known.unwrap_or(self.lines.len());
                if known.is_none() {
                    if !is_there(at) {
                        self.lines.clear();
                        return false;
                    }
                    self.lines.push(Line { addr: line, ..Line::default() });
                }
            }
            bytes[(at / 64) as usize % 2] |= ones << (at % 64);
            own |= 1 << lane;
        }
        self.add_to(index, bytes, own);
        let aligned = low & u64::from(len - 1) == 0;
        if !aligned {
            self.lines.clear();
        }
        aligned
    }

    /// Lanes touch bytes of a line that others have touched.
    #[inline]
    fn add_to(&mut self, index: usize, [low, high]: [u64; 2], own: Mask) {
        if let Some(line) = self.lines.get_mut(index) {
            line.bytes |= u128::from(low) | u128::from(high) << 64;
            line.lanes |= own;
        }
    }

    /// The same if all lanes follow each other, or those of each half of the warp that takes
    /// part, as in tiles that are so wide.
    #[inline]
    fn touch_rows(
        &mut self,
        at: &impl Addresses,
        who: Mask,
        len: u32,
        size: u64,
        mut is_there: impl FnMut(u64) -> bool,
    ) -> bool {
        const HALF: usize = WARP / 2;
        let (rows, count): (&[usize], usize) = match who {
            Mask::MAX if at.follow::<WARP>(0, len) => (&[0], WARP),
            Mask::MAX => (&[0, HALF], HALF),
            0x0000_ffff => (&[0], HALF),
            0xffff_0000 => (&[HALF], HALF),
            _ => return false,
        };
        let mut fits = |&first: &usize| {
            (count == WARP || at.follow::<HALF>(first, len))
                && is_there(at.of(first))
                && is_there(at.of(first + count - 1))
        };
        let fits = rows.iter().all(&mut fits);
        if fits {
            rows.iter().for_each(|&first| self.add_row((first, count), at.of(first), len, size));
        }
        fits
    }

    /// So many lanes from `first` on touch `len` bytes each, one after the other from `start` on.
    fn add_row(&mut self, (first, count): (usize, usize), start: u64, len: u32, size: u64) {
        let (step, count) = (u64::from(len), count as u64);
        let mut done = 0;
        while done < count {
            let at = start + done * step;
            let addr = at & !(size - 1);
            let more = ((addr + size - at) / step).min(count - done);
            let bytes = ones(more * step) << (at & 127);
            let lanes = (((1u64 << more) - 1) as u32) << (first as u64 + done);
            match self.lines.iter_mut().find(|l| l.addr == addr) {
                Some(line) => {
                    line.bytes |= bytes;
                    line.lanes |= lanes;
                    line.in_a_row = false;
                }
                None => {
                    let (word, local, in_a_row) = (0, false, step == 4);
                    self.lines.push(Line { addr, bytes, lanes, word, local, in_a_row });
                }
            }
            done += more;
        }
        let addrs = self.addrs[first..].iter_mut().take(count as usize).enumerate();
        addrs.for_each(|(l, to)| *to = (start as u32).wrapping_add(len * l as u32));
    }

    /// Notes that lanes touch `len` bytes each of a CTA's shared memory, which
    /// begins at `base`, if all of them are there and aligned.
    pub fn share(
        &mut self,
        addrs: &[u64; WARP],
        who: Mask,
        len: u8,
        base: u32,
        kernel: &Kernel,
    ) -> bool {
        let Some(last) = u64::from(kernel.shared_bytes).checked_sub(len.into()) else {
            return false;
        };
        if who == Mask::MAX {
            // No choices: it vectorises. Who is beyond the last has a difference below zero.
            let (mut low, mut over) = (0, 0);
            for (to, at) in self.addrs.iter_mut().zip(addrs) {
                (low, over) = (low | at, over | at | last.wrapping_sub(*at));
                *to = base.wrapping_add(*at as u32);
            }
            let fits = low & (u64::from(len) - 1) == 0 && over >> 63 == 0;
            self.shared |= if fits { who } else { 0 };
            return fits;
        }
        let (mut low, mut most) = (0, 0);
        for lane in lanes(who) {
            let at = addrs[lane];
            (low, most) = (low | at, most.max(at));
            self.addrs[lane] = base.wrapping_add(at as u32);
        }
        let fits = low & (u64::from(len) - 1) == 0 && most <= last;
        if fits {
            self.shared |= who;
        }
        fits
    }

    /// The same for addresses as they come from a register.
    #[inline]
    pub fn share_words(
        &mut self,
        at: &Words<'_>,
        who: Mask,
        len: u8,
        base: u32,
        kernel: &Kernel,
    ) -> bool {
        let last = kernel.shared_bytes.checked_sub(len.into()).filter(|last| last >> 31 == 0);
        let fits = |last| at.behind(base, who, len.into(), last, &mut self.addrs);
        let fits = last.is_some_and(fits);
        self.shared |= if fits { who } else { 0 };
        fits
    }

    /// Bytes each lane moves in one piece.
    fn piece(&self, line: &Line) -> usize {
        let bytes = usize::from(self.op.map_or(4, |m| m.bytes));
        if line.local { bytes.min(4) } else { bytes }
    }

    /// Offset of a lane's piece in the bytes that start at `base`.
    #[inline]
    fn offset(&self, line: &Line, lane: usize, base: u64) -> usize {
        let at = self.addrs[lane].wrapping_add(u32::from(line.word) * 128);
        at.wrapping_sub(base as u32) as usize
    }

    /// The lanes of a line whose lanes are neighbours.
    fn row_of(&self, line: &Line) -> (usize, usize) {
        let first = line.lanes.trailing_zeros() as usize % WARP;
        (first, first + line.lanes.count_ones() as usize)
    }

    /// Collects the lanes of line `index` from bytes that start at address `base`.
    pub fn collect(&mut self, index: usize, bytes: &[u8], base: u64) {
        let Access { lines, op, data, addrs, .. } = self;
        let line = &lines[index];
        let signed = match *op {
            Some(MemOp { bytes: 4, .. }) if !line.local => None,
            Some(MemOp { bytes: 1, signed, .. }) if !line.local => Some(signed),
            _ => return self.collect_other(index, bytes, base),
        };
        let row = &mut data[0];
        let mut left = line.lanes;
        if let Some(signed) = signed {
            while left != 0 {
                let lane = left.trailing_zeros() as usize % WARP;
                left &= left - 1;
                if let Some(&byte) = bytes.get(addrs[lane].wrapping_sub(base as u32) as usize) {
                    row[lane] = if signed { byte as i8 as u32 } else { byte.into() };
                }
            }
            return;
        }
        // Each at a multiple of its length.
        let (words, _) = bytes.as_chunks();
        let place = |at: u32| at.wrapping_sub(base as u32) as usize / 4;
        if line.in_a_row {
            let first = line.lanes.trailing_zeros() as usize % WARP;
            let words = words.get(place(addrs[first])..).unwrap_or_default();
            let count = line.lanes.count_ones() as usize;
            for (to, word) in row[first..].iter_mut().take(count).zip(words) {
                *to = u32::from_le_bytes(*word);
            }
            return;
        }
        while left != 0 {
            let lane = left.trailing_zeros() as usize % WARP;
            left &= left - 1;
            if let Some(word) = words.get(place(addrs[lane])) {
                row[lane] = u32::from_le_bytes(*word);
            }
        }
    }

    /// The same for texels, thread-local memory, and other lengths.
    #[inline(never)]
    fn collect_other(&mut self, index: usize, bytes: &[u8], base: u64) {
        let line = self.lines[index];
        if let Some((_, texels)) = self.tex.as_deref_mut() {
            let mut copy = [0; 128];
            let at = (base & 127) as usize;
            // Other sectors need not have come.
            let wanted = |to: usize| sector_mask(line.bytes) >> (to / 32) & 1 == 1;
            for (to, from) in (at..128).zip(bytes).filter(|(to, _)| wanted(*to)) {
                copy[to] = *from;
            }
            texels.lines.push((base & !127, copy));
            return;
        }
        let Some(m) = self.op else { return };
        let len = self.piece(&line);
        let word = usize::from(line.word);
        for lane in lanes(line.lanes) {
            let at = self.offset(&line, lane, base);
            let Some(piece) = bytes.get(at..at + len) else { continue };
            if word == 0 {
                load_lane(&m, piece, lane, &mut self.data);
            } else if let Some(&[a, b, c, d]) = piece.first_chunk() {
                self.data[word & 3][lane] = u32::from_le_bytes([a, b, c, d]);
            }
        }
    }

    /// Whether operands count as read when the access ends: an atomic whose one result is a
    /// predicate has no counter for results in code of sm_90, which waits for its operands
    /// and then uses the predicate.
    pub fn ends_with_operands(&self) -> bool {
        self.late
    }

    /// Bytes and mask that a store puts into line `index` (128 bytes from the aligned address).
    pub fn spread(&self, index: usize, bytes: &mut [u8; 128]) -> u128 {
        let line = &self.lines[index];
        let len = self.piece(line);
        let base = line.addr & !127;
        if line.in_a_row {
            let (first, to) = self.row_of(line);
            let at = self.offset(line, first, base) & 127;
            for (word, to) in self.data[0][first..to].iter().zip(bytes[at..].chunks_exact_mut(4)) {
                to.copy_from_slice(&word.to_le_bytes());
            }
            return line.bytes;
        }
        let row = &self.data[usize::from(line.word & 3)];
        // Lanes in order: the highest lane wins where several write one place.
        let mut left = line.lanes;
        match len {
            4 => {
                let (words, _) = bytes.as_chunks_mut();
                while left != 0 {
                    let lane = left.trailing_zeros() as usize % WARP;
                    left &= left - 1;
                    words[self.offset(line, lane, base) / 4 % 32] = row[lane].to_le_bytes();
                }
                line.bytes
            }
            1 => {
                while left != 0 {
                    let lane = left.trailing_zeros() as usize % WARP;
                    left &= left - 1;
                    bytes[self.offset(line, lane, base) % 128] = row[lane] as u8;
                }
                line.bytes
            }
            _ => self.spread_other(line, len, bytes),
        }
    }

    /// The same for pieces of other lengths.
    #[inline(never)]
    fn spread_other(&self, line: &Line, len: usize, bytes: &mut [u8; 128]) -> u128 {
        for lane in lanes(line.lanes) {
            let at = self.offset(line, lane, line.addr & !127) & 127;
            let word = usize::from(line.word);
            let mut source = [0; 16];
            for (i, chunk) in source.chunks_exact_mut(4).enumerate() {
                if let Some(row) = self.data.get(word + i) {
                    chunk.copy_from_slice(&row[lane].to_le_bytes());
                }
            }
            if let Some(target) = bytes.get_mut(at..at + len) {
                target.copy_from_slice(&source[..len]);
            }
        }
        line.bytes
    }

    /// The atomic it carries out.
    pub fn atomic(&self) -> Option<(AtomOp, AtomType, bool)> {
        match self.op?.kind {
            MemKind::Atomic(op, ty) => Some((op, ty, true)),
            MemKind::Reduce(op, ty) => Some((op, ty, false)),
            _ => None,
        }
    }

    /// Operands b and c of a lane.
    pub fn operands(&self, lane: usize) -> (u64, u64) {
        let pair =
            |i: usize| u64::from(self.data[i][lane]) | u64::from(self.data[i + 1][lane]) << 32;
        (pair(0), pair(2))
    }

    /// Keeps what an atomic returned to a lane, or to all that arrive with it.
    pub fn returned(&mut self, lane: usize, before: u64) {
        if let Some((op, ty, _)) = self.atomic() {
            let (b, _) = self.operands(lane);
            let back = atomic::returned(op, ty, before, b);
            let together = match op {
                AtomOp::Arrive(_) => 0..WARP,
                _ => lane & 31..(lane & 31) + 1,
            };
            for to in together.filter(|&to| self.addrs[to] == self.addrs[lane & 31]) {
                self.old[0][to] = back as u32;
                self.old[1][to] = (back >> 32) as u32;
            }
        }
    }

    /// Lanes whose barrier is past the phase that they ask for.
    pub fn phases_past(&self) -> Mask {
        let past = |l: &usize| is_past(u64::from(self.data[1][*l]) << 32, self.old[0][*l]);
        lanes(self.mask).filter(past).fold(0, |m, l| m | 1 << l)
    }

    /// Does its result go to registers?
    pub fn has_result(&self) -> bool {
        match self.op {
            Some(m) => matches!(
                m.kind,
                MemKind::Load
                    | MemKind::Atomic(..)
                    | MemKind::LoadLock
                    | MemKind::StoreUnlock
                    | MemKind::Copy(_)
                    | MemKind::PhaseCheck
            ),
            None => self.dst != Dst::None,
        }
    }

    /// Is it a store or reduction?
    pub fn is_store(&self) -> bool {
        self.op.is_some_and(|m| matches!(m.kind, MemKind::Store))
    }

    /// May L1 serve it?
    pub fn bypass(&self) -> bool {
        self.op.is_some_and(|m| !m.cached && m.space != Space::Local)
    }
}

/// Whether the operands of an access count as read when it ends.
fn ends_late(inst: &Inst, op: Option<MemOp>) -> bool {
    let atomic = matches!(op.map(|m| m.kind), Some(MemKind::Atomic(..)));
    atomic && !is_counted(inst.ctl.write_sb) && inst.pdst[0] != PredDst::NONE
}

/// So many ones.
fn ones(count: u64) -> u128 {
    if count >= 128 { !0 } else { (1 << count) - 1 }
}

/// Sectors of a byte mask.
#[inline]
pub fn sector_mask(bytes: u128) -> u8 {
    let (low, high) = (bytes as u64, (bytes >> 64) as u64);
    u8::from(low as u32 != 0)
        | u8::from(low >> 32 != 0) << 1
        | u8::from(high as u32 != 0) << 2
        | u8::from(high >> 32 != 0) << 3
}

const OPS: [AtomOp; 11] = [
    AtomOp::Add,
    AtomOp::Min,
    AtomOp::Max,
    AtomOp::Inc,
    AtomOp::Dec,
    AtomOp::And,
    AtomOp::Or,
    AtomOp::Xor,
    AtomOp::Exch,
    AtomOp::Cas,
    AtomOp::CasTest,
];
const TYPES: [AtomType; 9] = [
    AtomType::U32,
    AtomType::S32,
    AtomType::U64,
    AtomType::S64,
    AtomType::F32Ftz,
    AtomType::F32,
    AtomType::F64,
    AtomType::F16x2,
    AtomType::Bf16x2,
];

/// An atomic as a number, for memory that knows no instructions.
pub fn atomic_code(op: AtomOp, ty: AtomType) -> u32 {
    let o = OPS.iter().position(|&x| x == op).unwrap_or(0);
    let t = TYPES.iter().position(|&x| x == ty).unwrap_or(0);
    (o | t << 8) as u32
}

/// Carries out what [`atomic_code`] names.
pub fn atomic_apply(code: u32, before: u64, b: u64, c: u64) -> u64 {
    let op = OPS.get((code & 0xff) as usize).copied().unwrap_or(AtomOp::Add);
    let ty = TYPES.get((code >> 8) as usize).copied().unwrap_or(AtomType::U32);
    atomic::apply(op, ty, before, b, c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_atomic_has_a_number() {
        for op in OPS {
            for ty in TYPES {
                let code = atomic_code(op, ty);
                assert_eq!(OPS[(code & 0xff) as usize], op);
                assert_eq!(TYPES[(code >> 8) as usize], ty);
            }
        }
    }

    fn touched(lanes: usize, stride: u64, len: u32, size: u64) -> Access {
        let mut a = Access::default();
        for lane in 0..lanes {
            let at = 0x2000 + stride * lane as u64;
            a.addrs[lane] = at as u32;
            a.touch(lane, at, len, 0, false, size);
        }
        a
    }

    #[test]
    fn lanes_that_share_a_line_ask_for_it_once() {
        let a = touched(32, 4, 4, 128);
        assert_eq!((a.lines.len(), a.lines[0].lanes, a.lines[0].bytes), (1, !0, !0));
        let a = touched(32, 8, 4, 128);
        assert_eq!(a.lines.iter().map(|l| l.lanes).collect::<Vec<_>>(), [0xffff, 0xffff_0000]);
        assert_eq!(touched(32, 128, 4, 128).lines.len(), 32);
        // Caches with short lines are asked for each of theirs.
        assert_eq!(touched(32, 4, 4, 32).lines.len(), 4);
        assert_eq!((sector_mask(a.lines[0].bytes), sector_mask(1 << 40)), (15, 2));
    }

    #[test]
    fn rows_touch_what_their_lanes_do() {
        let rows = |a: u64, b: u64, step: u64| -> [u64; WARP] {
            std::array::from_fn(|l| [a, b][l / 16] + step * (l % 16) as u64)
        };
        let told = |a: &Access, who| -> Vec<_> {
            let addrs = lanes(who).map(|lane| a.address(lane)).collect::<Vec<_>>();
            a.lines.iter().map(|l| (l.addr, l.bytes, l.lanes, addrs.clone())).collect()
        };
        for who in [!0, 0xffff, 0xffff_0000, 0x0ff0_1234, 0] {
            let others = [0x7_0000_2200, 0x1_0000_2040, 0x1_0000_1ff0, 0x1_0000_2000];
            for (b, step) in others.into_iter().flat_map(|b| [(b, 4), (b, 8), (b, 12), (b, 0)]) {
                let addrs = rows(0x1_0000_2000, b, step);
                let (mut all, mut each) = (Access::default(), Access::default());
                assert!(all.touch_global(&addrs, who, 4, 128, |_| true));
                for lane in lanes(who) {
                    each.addrs[lane] = addrs[lane] as u32;
                    each.touch(lane, addrs[lane], 4, 0, false, 128);
                    assert_eq!(all.address(lane), addrs[lane]);
                }
                assert_eq!(told(&all, who), told(&each, who));
            }
        }
        let touches = |addrs: &[u64; WARP], who, end| {
            let mut a = Access::default();
            let touches = a.touch_global(addrs, who, 4, 128, |at| at < end);
            assert_eq!(touches, !a.lines.is_empty());
            touches
        };
        assert!(!touches(&rows(0x2002, 0x2200, 4), !0, u64::MAX), "not aligned");
        assert!(!touches(&rows(0x2000, 0x2202, 4), !1, u64::MAX), "not aligned");
        assert!(!touches(&rows(0x2000, 0x2200, 4), !0, 0x2200), "beyond the end");
        assert!(!touches(&rows(0x2000, 0x2200, 4), !1, 0x2200), "beyond the end");
    }

    #[test]
    fn what_is_spread_over_lines_is_collected_again() {
        let op = crate::testing::mem_op(Space::Global, MemKind::Store, 8);
        let mut store = touched(32, 24, 8, 128);
        store.op = Some(op);
        for row in 0..2 {
            store.data[row] = std::array::from_fn(|l| (100 * row + l) as u32);
        }
        let mut load = store.clone();
        load.op = Some(MemOp { kind: MemKind::Load, ..op });
        load.data = [[0; WARP]; 4];
        for line in 0..store.lines.len() {
            let mut bytes = [0xee; 128];
            let mask = store.spread(line, &mut bytes);
            let stored = (0..128).filter(|i| mask >> i & 1 == 1);
            assert!(
                stored.clone().count() > 0
                    && (0..128).all(|i| mask >> i & 1 == 1 || bytes[i] == 0xee)
            );
            load.collect(line, &bytes, store.lines[line].addr);
        }
        assert_eq!(load.data[..2], store.data[..2]);
    }

    #[test]
    fn local_words_of_a_warp_share_a_line() {
        let line = |lane| local_address(0x1000, 8, lane) & !127;
        assert!((0..32).all(|l| line(l) == 0x1100));
        assert_eq!(local_address(0x1000, 9, 3), 0x1100 + 13);
    }
}
