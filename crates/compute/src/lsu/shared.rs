//! Shared memory.

use upset_isa::control::barriers::lanes;
use upset_isa::locks::Locks;
use upset_isa::warp::{load_lane, store_lane};
use upset_isa::{Mask, MemKind, MemOp, WARP, atomic};
use upset_state::{ByteArray, Probe};

use super::access::Access;
use crate::config::Config;
use crate::sm::{Cx, Sm};

impl Sm {
    /// The part of an access that lies in shared memory. Returns its cycles.
    #[inline(never)]
    pub(super) fn access_shared<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) -> u32 {
        let Sm { accesses, shared, locks, counters, shadows, .. } = self;
        let smem = &mut shared.bytes;
        let a = &mut accesses[index];
        let mut own = if P::GHOSTS && a.haunted { shadows.take_access(index) } else { Vec::new() };
        let Some(m) = a.op else { return 1 };
        let len = usize::from(m.bytes);
        let (banks, width) = (cx.config.shared_banks, cx.config.shared_bank_bytes);
        let row = words_in_a_row(a, &m);
        let passes = match row.is_some() && (banks, width) == (32, 4) {
            true => 1,
            false => conflict_passes(a, len as u32, banks, width),
        };
        let least = (len as u32 * a.shared.count_ones()).div_ceil(banks * width);
        counters.bank_conflicts += u64::from(passes.saturating_sub(least.max(1)));
        let lock: Option<fn(&mut Locks, u64) -> bool> = match m.kind {
            MemKind::LoadLock => Some(Locks::take),
            MemKind::StoreUnlock => Some(Locks::undo),
            _ => None,
        };
        if let Some(lock) = lock {
            let done = lanes(a.shared).filter(|&l| lock(locks, a.addrs[l].into()));
            a.done = done.fold(0, |m, l| m | 1 << l);
            a.shared = a.done;
        }
        let ghosts = match P::GHOSTS {
            true => crate::haunt::shared::before(&mut own, a, &m, smem, cx.probe),
            false => Vec::new(),
        };
        match (m.kind, len) {
            (MemKind::Load, 4) => load_words(a, row, smem, cx),
            (MemKind::Store, 4) => store_words(a, row, smem, cx),
            _ => access_lanes(a, &m, smem, cx),
        }
        if P::GHOSTS {
            crate::haunt::shared::after(&mut own, ghosts, a, &m, smem, cx.probe);
            a.haunted = !own.is_empty();
            shadows.put_access(index, own);
        }
        passes
    }
}

/// What an access does, lane by lane.
fn access_lanes<P: Probe>(a: &mut Access, m: &MemOp, smem: &mut ByteArray, cx: &mut Cx<'_, P>) {
    let len = usize::from(m.bytes);
    let mut word = [0; 16];
    for lane in lanes(a.shared) {
        let at = a.addrs[lane] as usize;
        let word = &mut word[..len.min(16)];
        match m.kind {
            MemKind::Load | MemKind::LoadLock | MemKind::PhaseCheck => {
                if let Some(bytes) = smem.read(cx.now, at, len, cx.probe) {
                    load_lane(m, bytes, lane, &mut a.data);
                }
            }
            MemKind::Store | MemKind::StoreUnlock => {
                store_lane(&a.data, lane, word);
                smem.write(cx.now, at, word, cx.probe);
            }
            MemKind::Atomic(op, ty) | MemKind::Reduce(op, ty) => {
                let Some(bytes) = smem.read(cx.now, at, len, cx.probe) else { continue };
                let before = bytes.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b));
                word.copy_from_slice(bytes);
                let (b, c) = a.operands(lane);
                let after = atomic::apply(op, ty, before, b, c);
                let n = len.min(8);
                word[..n].copy_from_slice(&after.to_le_bytes()[..n]);
                smem.write(cx.now, at, word, cx.probe);
                a.returned(lane, before);
            }
            MemKind::QuerySpace(_)
            | MemKind::Copy(_)
            | MemKind::Bulk(_)
            | MemKind::CopiesEnd(_) => {}
        }
    }
}

/// Bytes of a row of words.
const ROW: usize = 4 * WARP;

/// Where the words of all lanes begin, if they follow each other.
fn words_in_a_row(a: &Access, m: &MemOp) -> Option<usize> {
    let start = a.addrs[0];
    if m.bytes != 4 || a.shared != Mask::MAX {
        return None;
    }
    // Compared all together: it vectorises.
    let mut other = 0;
    for (lane, at) in a.addrs.iter().enumerate() {
        other |= at ^ start.wrapping_add(4 * lane as u32);
    }
    (other == 0).then_some(start as usize)
}

/// The same as [`access_lanes`] for loads of a word by each lane: most of them.
/// `row`: where the words begin, if they follow each other.
fn load_words<P: Probe>(a: &mut Access, row: Option<usize>, smem: &ByteArray, cx: &mut Cx<'_, P>) {
    // Who watches is told lane by lane.
    let row = row.filter(|_| !P::ACTIVE && !P::GHOSTS);
    if let Some(bytes) = row.and_then(|at| smem.read(cx.now, at, ROW, cx.probe)) {
        for (to, from) in a.data[0].iter_mut().zip(bytes.as_chunks().0) {
            *to = u32::from_le_bytes(*from);
        }
        return;
    }
    for lane in lanes(a.shared) {
        let bytes = smem.read(cx.now, a.addrs[lane] as usize, 4, cx.probe);
        if let Some(bytes) = bytes.and_then(<[u8]>::first_chunk) {
            a.data[0][lane] = u32::from_le_bytes(*bytes);
        }
    }
}

/// The same for stores.
fn store_words<P: Probe>(a: &Access, row: Option<usize>, smem: &mut ByteArray, cx: &mut Cx<'_, P>) {
    let there = |at: &usize| at + ROW <= smem.bytes().len();
    if let Some(at) = row.filter(|at| !P::ACTIVE && !P::GHOSTS && there(at)) {
        let mut bytes = [0; ROW];
        for (to, from) in bytes.as_chunks_mut().0.iter_mut().zip(&a.data[0]) {
            *to = from.to_le_bytes();
        }
        return smem.write(cx.now, at, &bytes, cx.probe);
    }
    for lane in lanes(a.shared) {
        let bytes = a.data[0][lane].to_le_bytes();
        smem.write(cx.now, a.addrs[lane] as usize, &bytes, cx.probe);
    }
}

/// No word.
const NONE: u8 = u8::MAX;

/// Passes of an access that a chip's banks take; none if it has no part in shared memory.
pub(crate) fn passes(a: &Access, config: &Config) -> Option<u32> {
    let len = a.op.map_or(4, |m| u32::from(m.bytes));
    let of = |_| conflict_passes(a, len, config.shared_banks, config.shared_bank_bytes);
    Some(a.shared).filter(|lanes| *lanes != 0).map(of)
}

/// The common case: a word of each lane, from as many banks as there are lanes.
fn passes_of_words(a: &Access) -> u32 {
    // Of banks that were asked for something, for what first; and how many other words.
    let (mut asked, mut held, mut others) = (0u32, [0u32; 32], [0u8; 32]);
    // Those others, each with the one before it in its bank.
    let (mut seen, mut before, mut last) = ([0u32; 32], [NONE; 32], [NONE; 32]);
    let (mut n, mut most) = (0, 0);
    for lane in lanes(a.shared) {
        let word = a.addrs[lane] / 4;
        let bank = word as usize % 32;
        if asked >> bank & 1 == 0 {
            asked |= 1 << bank;
            held[bank] = word;
        } else if held[bank] != word {
            let mut at = last[bank];
            while at != NONE && seen[usize::from(at) % 32] != word {
                at = before[usize::from(at) % 32];
            }
            if at == NONE {
                (seen[n % 32], before[n % 32]) = (word, last[bank]);
                last[bank] = n as u8;
                n += 1;
                others[bank] += 1;
                most = others[bank].max(most);
            }
        }
    }
    1 + u32::from(most)
}

/// Passes that a shared-memory access needs: the largest number of distinct
/// words (as wide as a bank) in one bank, per group of lanes whose data fill one pass; atomics
/// repeat for every lane on the same word.
fn conflict_passes(a: &Access, len: u32, banks: u32, width: u32) -> u32 {
    let atomic = a.atomic().is_some();
    if len <= 4 && (banks, width) == (32, 4) && !atomic {
        return passes_of_words(a);
    }
    let mut passes = 0u32;
    let words = len.div_ceil(width).max(1);
    let group = (WARP as u32 / words).max(1);
    let bank_of = |word: u32| match banks.is_power_of_two() {
        true => word & (banks - 1),
        false => word % banks,
    };
    for first in (0..WARP as u32).step_by(group as usize) {
        let who = a.shared >> first & (((1u64 << group) - 1) as u32);
        if who == 0 {
            continue;
        }
        // Words asked for, as many as there are lanes at most, each with the one before
        // it in its bank.
        let (mut seen, mut before) = ([0; WARP], [NONE; WARP]);
        let (mut last, mut per_bank) = ([NONE; 64], [0u8; 64]);
        let mut n = 0;
        for lane in lanes(who) {
            let start = a.addrs[first as usize + lane] / width;
            for word in start..start + words {
                let bank = bank_of(word) as usize % 64;
                let mut at = last[bank];
                while !atomic && at != NONE && seen[usize::from(at) % WARP] != word {
                    at = before[usize::from(at) % WARP];
                }
                if at == NONE || atomic {
                    (seen[n % WARP], before[n % WARP]) = (word, last[bank]);
                    last[bank] = n as u8;
                    n += 1;
                    per_bank[bank] += 1;
                }
            }
        }
        passes += u32::from(per_bank.iter().copied().max().unwrap_or(0));
    }
    passes.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsu::access::{Access, Level};
    use crate::testing::Bench;
    use upset_isa::atomic::{AtomOp, AtomType};
    use upset_isa::{Exec, Inst, LatencyClass, OpDef, Space, Unit};
    use upset_state::Quiet;

    static OP: OpDef = OpDef::new("TEST", Unit::LoadStore, LatencyClass::Variable);

    fn mem(kind: MemKind, bytes: u8) -> MemOp {
        crate::testing::mem_op(Space::Shared, kind, bytes)
    }

    fn access(m: MemOp, mask: Mask, at: impl Fn(u64) -> u64) -> Access {
        let mut a = Access::default();
        a.begin(0, &Inst::new(&OP, Exec::Mem(m)), Some(m), mask, Level::Data);
        a.shared = mask;
        a.addrs = std::array::from_fn(|lane| at(lane as u64) as u32);
        a
    }

    fn passes(m: MemOp, at: impl Fn(u64) -> u64) -> u32 {
        conflict_passes(&access(m, !0, at), m.bytes.into(), 32, 4)
    }

    #[test]
    fn banks_serve_one_word_a_pass() {
        let load = mem(MemKind::Load, 4);
        assert_eq!(passes(load, |l| 4 * l), 1);
        // One word for all is read once.
        assert_eq!(passes(load, |_| 64), 1);
        assert_eq!(passes(load, |l| 8 * l), 2);
        assert_eq!(passes(load, |l| 128 * l), 32);
        // Who asks for it again need not wait for it again.
        assert_eq!(passes(load, |l| 128 * (l % 3) + 4 * (l % 2)), 3);
        // Bytes of one word are in one bank, and the same word.
        assert_eq!(passes(mem(MemKind::Load, 1), |l| l), 1);
        // Wide words fill a pass with fewer lanes.
        assert_eq!(passes(mem(MemKind::Load, 8), |l| 8 * l), 2);
        assert_eq!(passes(mem(MemKind::Load, 16), |l| 16 * l), 4);
    }

    #[test]
    fn atomics_on_one_word_come_one_after_the_other() {
        let add = mem(MemKind::Reduce(AtomOp::Add, AtomType::U32), 4);
        assert_eq!(passes(add, |l| 4 * l), 1);
        assert_eq!(passes(add, |_| 0), 32);
        assert_eq!(passes(add, |l| 4 * (l / 2)), 2);
    }

    /// Carries out an access; gives back what it has collected or returned.
    fn run(bench: &mut Bench, a: Access) -> Access {
        let index = bench.sm.accesses.take();
        bench.sm.accesses[index] = a;
        bench.with(&mut Quiet, |sm, cx| sm.access_shared(index, cx));
        bench.sm.accesses[index].clone()
    }

    #[test]
    fn what_is_stored_is_loaded_and_the_highest_lane_wins() {
        let mut bench = Bench::new(32, 16, 1024);
        let mut store = access(mem(MemKind::Store, 4), 0xf, |l| 100 + 4 * (l / 2));
        store.data[0] = std::array::from_fn(|l| 1000 + l as u32);
        run(&mut bench, store);
        let load = run(&mut bench, access(mem(MemKind::Load, 4), 0b111, |l| 100 + 4 * l));
        assert_eq!(load.data[0][..3], [1001, 1003, 0]);
        assert_eq!(bench.sm.counters.bank_conflicts, 0);
    }

    #[test]
    fn a_row_is_stored_and_loaded_as_its_lanes_are() {
        let mut bench = Bench::new(32, 16, 1024);
        let mut store = access(mem(MemKind::Store, 4), !0, |l| 64 + 4 * l);
        store.data[0] = std::array::from_fn(|l| 1000 + l as u32);
        run(&mut bench, store);
        let row = run(&mut bench, access(mem(MemKind::Load, 4), !0, |l| 64 + 4 * l));
        let back = run(&mut bench, access(mem(MemKind::Load, 4), !0, |l| 64 + 4 * (31 - l)));
        for lane in 0..WARP {
            assert_eq!(row.data[0][lane], 1000 + lane as u32);
            assert_eq!(back.data[0][lane], 1031 - lane as u32);
        }
    }

    #[test]
    fn atomics_return_what_each_lane_found() {
        let mut bench = Bench::new(32, 16, 1024);
        let add = mem(MemKind::Atomic(AtomOp::Add, AtomType::U32), 4);
        let mut a = access(add, 0b111, |_| 8);
        a.data[0] = [10; WARP];
        let done = run(&mut bench, a);
        assert_eq!(done.old[0][..3], [0, 10, 20]);
        assert_eq!(bench.sm.shared.bytes.bytes()[8..12], 30u32.to_le_bytes());
        assert_eq!(bench.sm.counters.bank_conflicts, 2);
    }

    #[test]
    fn beyond_the_end_nothing_happens() {
        let mut bench = Bench::new(32, 16, 1024);
        let end = bench.sm.shared.bytes.bytes().len() as u64;
        let mut store = access(mem(MemKind::Store, 4), 1, |_| end - 2);
        store.data[0][0] = !0;
        run(&mut bench, store);
        assert!(bench.sm.shared.bytes.bytes().iter().all(|b| *b == 0));
    }
}
