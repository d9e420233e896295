//! Digests of an SM's state: equal digests, equal future.
//!
//! Structures are taken apart field by field, so that a new field does not
//! compile until somebody has said here whether it can be seen. Left out are
//! statistics, spare storage, the numbers that things in flight are stored
//! under, and values that are written before they are read again.

use upset_isa::control::barriers::lanes;
use upset_isa::{Copies, Dst, Exec, Inst, Lanes, Mask, MemKind, PT, Src, WARP, Width};
use upset_state::Digest;

use crate::config::unit_index;
use crate::cta::resident::Cta;
use crate::fetch::ibuf::Ibuf;
use crate::lsu::access::{Access, Line, TexelFetch};
use crate::lsu::engine::Engine;
use crate::lsu::pipe::Pipe;
use crate::regfile::RegisterFile;
use crate::sched::{Sched, Scheduler};
use crate::sm::{IS_ACCESS, LINE_BITS, Sm};
use crate::subcore::SubCore;
use crate::todo::Todo;
use crate::units::Units;
use crate::units::result::{Flags, WriteBack};
use crate::view::Constants;
use crate::warp::Warp;
use upset_machine::Reason;

impl Sm {
    /// A waiter that is a line of an access: the access by its age.
    pub(crate) fn waiter(&self, token: u32) -> u64 {
        let index = (token & !IS_ACCESS) >> LINE_BITS;
        let line = u64::from(token & ((1 << LINE_BITS) - 1));
        self.accesses.age(index) << LINE_BITS | line | 1 << 63
    }

    pub(crate) fn digest(&self, now: u64, d: &mut Digest) {
        let Sm {
            id: _,
            subs,
            files,
            warps,
            ctas,
            bars,
            shared,
            locks,
            threads,
            next_admission,
            l1d,
            l1t,
            l1c,
            l1i,
            has_level: _,
            has_uniform: _,
            has_stack: _,
            wires: _,
            todo,
            writes,
            accesses,
            pipe,
            engine,
            texture_free,
            in_order,
            last_end,
            units,
            groups,
            turn,
            scratch: _,
            waiters: _,
            wake,
            ended,
            vacated,
            counters: _,
            occupied_from: _,
            // Only counts.
            held: _,
            pmu: _,
            // Whoever is compared has no ghosts.
            shadows: _,
        } = self;
        for (s, sub) in subs.iter().enumerate() {
            if let Some(RegisterFile { rows, room }) = files.get(s) {
                rows.rows().as_ref().iter().for_each(|row: &Lanes| d.words(row));
                d.value(&room.taken());
            }
            sub.digest(now, units, d);
        }
        warps.iter().for_each(|w| w.digest(now, d));
        for (cta, bars) in ctas.iter().zip(bars) {
            digest_cta(cta.as_ref(), d);
            // Whoever comes next brings them.
            if cta.is_some() {
                d.value(bars);
            }
        }
        d.bytes(shared.bytes.bytes());
        d.value(&shared.room.taken());
        if !locks.are_free() {
            d.value(locks);
        }
        d.put(*threads);
        d.time(now, *next_admission);
        let access = |t: u32| self.waiter(t);
        let slot = |t: u32| u64::from(t);
        let constant = |t: u32| match t & IS_ACCESS != 0 {
            true => self.waiter(t),
            false => u64::from(t),
        };
        l1d.digest(&access, d);
        l1t.digest(&access, d);
        l1c.digest(&constant, d);
        l1i.digest(&slot, d);
        d.count(todo.len());
        todo.each(|at, what| {
            d.time(now, at);
            match *what {
                Todo::Compute(i) => writes[i].digest(false, d),
                Todo::Write(i) => writes[i].digest(true, d),
                Todo::Lower { slot, counter } => d.value(&(2u8, slot, counter)),
                Todo::Arrive(i) => d.value(&(3u8, accesses.age(i))),
                Todo::Serve => d.put(4u64),
                Todo::Lookup(i) => d.value(&(5u8, accesses.age(i))),
                Todo::Complete(i) => d.value(&(6u8, accesses.age(i))),
                Todo::Vacate(cta) => d.value(&(7u8, cta)),
                Todo::Settle => d.put(8u64),
            }
        });
        let live = accesses.by_age();
        d.count(live.len());
        live.iter().for_each(|i| {
            let a = &accesses[*i];
            a.digest(d);
            d.put(a.part_of.map_or(0, |of| accesses.age(of) + 1));
        });
        let Engine { queue, busy } = engine;
        d.count(queue.len());
        queue.iter().for_each(|i| d.put(accesses.age(*i)));
        d.value(busy);
        let Pipe { queue, free, scheduled, blocked } = pipe;
        d.count(queue.len());
        queue.iter().for_each(|i| d.put(accesses.age(*i)));
        d.time(now, *free);
        d.value(&(scheduled, blocked));
        for queue in in_order {
            d.count(queue.len());
            queue.iter().for_each(|i| d.put(accesses.age(*i)));
        }
        d.time(now, *texture_free);
        last_end.iter().for_each(|t| d.time(now, *t));
        let Units { free, lite_free: _ } = units;
        free.iter().for_each(|t| d.time(now, *t));
        groups.each_free(|t| d.time(now, t));
        if let Some(turn) = turn.known() {
            d.value(&turn);
        }
        // As if each scheduler had all its looks.
        let looks = subs.iter().map(|sub| sub.sched.next_look(now));
        d.time(now, looks.fold(*wake, u64::min));
        d.value(&(ended, vacated));
    }
}

fn digest_cta(cta: Option<&Cta>, d: &mut Digest) {
    let Some(cta) = cta else { return d.put(u64::MAX) };
    let Cta { index, id, shared, taken, slots, ended, threads, barriers, since: _ } = cta;
    d.value(&(index, id, shared, taken, slots));
    d.value(&(ended, threads, barriers));
}

impl SubCore {
    fn digest(&self, now: u64, shared_units: &Units, d: &mut Digest) {
        let SubCore { reuse, sched, units, address_free, queued, fetch_free } = self;
        let Scheduler {
            order,
            awake,
            warps,
            // The chip's.
            count: _,
            // Follows from what keeps each.
            until: _,
            known: _,
            later: _,
            outbid: _,
            needs: _,
            last,
            issue_free,
            owed,
            // Told as if no look were left out.
            wake: _,
            spared: _,
            // Only counts.
            idle_from: _,
            idle_why: _,
            // Only the look at every cycle asks.
            polling: _,
            // Where it is not, nobody waits.
            queuing: _,
        } = sched;
        d.count(order.len());
        d.put(*awake);
        for i in 0..order.len() {
            let warp = order.at(i);
            let Some(sched) = warps.get(usize::from(warp)) else { continue };
            // Until when a warp need not be tried follows from what keeps it.
            let Sched { ready, why, wait, refused: _, refused_why: _ } = sched;
            d.put(warp);
            d.time(now, *ready);
            d.put(*why as u64);
            // Only who sleeps for counters is woken by them.
            if *why == Reason::Scoreboard && awake >> warp & 1 == 0 {
                d.put(*wait);
            }
        }
        d.put(*last);
        d.time(now, *issue_free);
        if *owed != 0 {
            d.put(*owed);
        }
        let Units { free, lite_free } = units;
        free.iter().for_each(|t| d.time(now, *t));
        d.time(now, *lite_free);
        // Of two free pipes the one that was free first is taken.
        let fma = unit_index(upset_isa::Unit::Fma);
        d.value(&(*lite_free <= free[fma], *lite_free <= shared_units.free[fma]));
        d.time(now, *address_free);
        d.put(*queued);
        d.time(now, *fetch_free);
        d.value(reuse);
        d.time(now, sched.next_look(now));
    }
}

impl Warp {
    fn digest(&self, now: u64, d: &mut Digest) {
        let Warp {
            flow,
            preds,
            codes,
            codes_of: _,
            upreds,
            uregs,
            counters,
            scoreboard,
            awaited,
            ibuf,
            first_row,
            rows,
            // The slot's.
            home: _,
            // Follows from the masks.
            counted: _,
            // For traces.
            began: _,
            cta,
            id,
            held,
            resident,
            ready,
            waiting,
            finished,
            in_flight,
            // The accesses say it.
            unnamed: _,
            bar_result,
            since: _,
            // Counts hazards.
            unwritten: _,
        } = self;
        d.value(&(held, resident));
        // Whoever comes next brings all of it.
        if !held && !resident {
            return;
        }
        flow.observe(d);
        d.words(preds.rows());
        if let Some(codes) = codes {
            d.words(codes);
            d.value(&(scoreboard, awaited));
        }
        d.words(upreds.rows());
        d.words(uregs.rows());
        d.value(counters);
        digest_ibuf(ibuf, now, d);
        d.value(&(first_row, rows, cta, id, in_flight, bar_result));
        d.value(&(ready, waiting, finished));
    }
}

fn digest_ibuf(ibuf: &Ibuf, now: u64, d: &mut Digest) {
    d.count(ibuf.held());
    for e in ibuf.waiting_entries() {
        d.value(&(e.bits, e.pc));
        d.time(now, e.ready);
    }
    d.value(&(ibuf.fetch_pc, ibuf.waiting));
}

/// The lanes of a row that count.
fn digest_lanes(row: &Lanes, mask: Mask, d: &mut Digest) {
    if mask == Mask::MAX {
        return d.words(row);
    }
    lanes(mask).for_each(|l| d.put(row[l]));
}

fn digest_constants(constants: &Constants, d: &mut Digest) {
    d.value(&constants.words());
}

impl WriteBack {
    /// A result that is `known`, or an instruction that has still to compute it.
    fn digest(&self, known: bool, d: &mut Digest) {
        let WriteBack {
            slot,
            inst,
            mask,
            results,
            flags,
            writes,
            constants,
            rest,
            pc: _,
            haunted: _,
            behind,
            // The instruction says it.
            written: _,
        } = self;
        d.value(&(u8::from(known), slot, mask, writes, inst.ctl.write_sb));
        if *behind {
            d.value(behind);
        }
        if !writes {
            return;
        }
        let Inst { op, guard: _, ctl: _, dst, pdst, src, psrc, mods, uniform, joins: _, exec } =
            inst;
        d.value(&(dst, pdst, uniform));
        if !known {
            d.value(&(op.name, src, psrc, mods, rest));
            d.put(function(exec));
            digest_constants(constants, d);
            // What cannot be computed leaves what is there.
            if src.iter().any(|s| matches!(s, Src::Const(..))) {
                results.d.iter().for_each(|row| d.words(row));
                d.words(&results.p);
            }
            return;
        }
        match flags {
            Flags::None => {}
            Flags::Predicates(value, select) => {
                d.value(&(value.map(|v| v & mask), select.map(|s| s & mask)));
                return;
            }
            Flags::Codes(value, select) => {
                d.value(&(value.map(|v| v & mask), select.map(|s| s & mask)));
            }
        }
        let (rows, which) = match dst {
            Dst::None => (0, 0),
            Dst::Reg(_, w) => (1 + usize::from(*w != Width::W1), *mask),
            Dst::UReg(_, w) => {
                (1 + usize::from(*w != Width::W1), 1 << (mask.trailing_zeros() % WARP as u32))
            }
        };
        results.d.iter().take(rows).for_each(|row| digest_lanes(row, which, d));
        for (dst, value) in pdst.iter().zip(&results.p) {
            if dst.pred < PT {
                d.put(value & mask);
            }
        }
    }
}

/// A number for the function of an instruction. Where functions lie differs
/// from process to process, how far they lie apart does not.
fn function(exec: &Exec) -> u64 {
    let Exec::Alu(f) = exec else { return 0 };
    let here: fn(&Exec) -> u64 = function;
    (*f as usize as u64).wrapping_sub(here as usize as u64)
}

impl Access {
    fn digest(&self, d: &mut Digest) {
        let Access {
            slot,
            pc: _,
            read_sb,
            write_sb,
            // The instruction says it, and what it does here.
            unnamed: _,
            late: _,
            form: _,
            dst,
            pdst,
            op,
            tex,
            level,
            mask,
            done,
            // Their lines say the rest.
            addrs: _,
            shared,
            data,
            old,
            rows,
            lines,
            next,
            pending,
            ready,
            shared_done,
            haunted: _,
            bulk,
            part_of,
            // The instruction says it.
            written: _,
        } = self;
        d.value(&(slot, read_sb, write_sb, dst, pdst));
        d.value(&(op, level, mask, done, shared, rows));
        d.value(&(*next as usize, pending, ready, shared_done, bulk));
        let mut touched = *shared;
        d.count(lines.len());
        // Whether lanes are neighbours can be seen by their addresses.
        for Line { addr, bytes, lanes, word, local, in_a_row: _ } in lines {
            d.value(&(addr, bytes, lanes, word, local));
            touched |= lanes;
        }
        // Texel fetches and empty accesses leave the addresses as they were.
        if tex.is_none() {
            lanes(touched).for_each(|l| d.put(self.address(l)));
        }
        data.iter().take(self.rows_in_use()).for_each(|row| digest_lanes(row, *mask, d));
        if let Some(MemKind::Load | MemKind::LoadLock) = op.map(|m| m.kind) {
            (self.rows_in_use()..data.len()).for_each(|_| digest_lanes(&[0; WARP], *mask, d));
        }
        let copies = self.copies() == Some(Copies::Lanes) || part_of.is_some();
        if copies || matches!(op.map(|m| m.kind), Some(MemKind::PhaseCheck)) {
            old.iter().for_each(|row| digest_lanes(row, *mask, d));
        }
        if matches!(op.map(|m| m.kind), Some(MemKind::Atomic(..))) {
            old.iter().for_each(|row| digest_lanes(row, *done, d));
        }
        if let Some((op, fetch)) = tex.as_deref() {
            let TexelFetch { rows, uniform, constants, lines } = fetch;
            d.bytes(format!("{op:?}").as_bytes());
            d.value(&(rows, uniform, lines));
            digest_constants(constants, d);
        }
    }
}
