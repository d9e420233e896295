//! Digests of compute units' state: equal digests, equal future.
//!
//! Structures are taken apart field by field, so that a new field does not
//! compile until somebody has said here whether it can be seen. Left out are
//! statistics, spare storage, the numbers that things in flight are stored
//! under, and values that are written before they are read again.

use upset_gcn::encode;
use upset_gcn::inst::Inst;
use upset_gcn::wave::each;
use upset_state::Digest;

use crate::access::{Access, Line, Way};
use crate::cu::{Cu, Pipe};
use crate::resident::WorkGroup;
use crate::shared::Shared;
use crate::simd::{Simd, Turn};
use crate::todo::Todo;
use crate::tokens::{LINE_BITS, SLOT_BITS, UNIT_SHIFT};
use crate::wave::Wave;

/// The units of a group and their shared caches.
pub(crate) fn group(cus: &[Cu], shared: &Shared, now: u64, d: &mut Digest) {
    for cu in cus {
        cu.digest(now, d);
    }
    let Shared { l1s, l1i } = shared;
    let reads = |token: u32| {
        let cu = token >> UNIT_SHIFT;
        let own = token & ((1 << UNIT_SHIFT) - 1);
        cus.get(cu as usize).map_or(0, |c| c.waiter(own)) ^ u64::from(cu) << 40
    };
    l1s.digest(&reads, d);
    l1i.digest(&|token| u64::from(token) & ((1 << (SLOT_BITS + 8)) - 1), d);
}

impl Cu {
    /// A waiter that is a line of an access: the access by its age.
    pub(crate) fn waiter(&self, token: u32) -> u64 {
        let line = u64::from(token & ((1 << LINE_BITS) - 1));
        self.accesses.age(token >> LINE_BITS) << LINE_BITS | line | 1 << 63
    }

    fn digest(&self, now: u64, d: &mut Digest) {
        let Cu {
            id: _,
            local: _,
            simds,
            waves,
            groups,
            bars,
            lds,
            lds_room,
            l1v,
            next_admission,
            next_simd,
            todo,
            accesses,
            pipe,
            in_order,
            last_end,
            last_taken,
            share_free,
            scalar_free,
            fetch_free,
            outcome: _,
            wake,
            ended,
            vacated,
            counters: _,
            occupied_from: _,
            // Only counts.
            held: _,
            // Whoever is compared has no ghosts.
            shadows: _,
        } = self;
        simds.iter().for_each(|s| s.digest(now, d));
        waves.iter().for_each(|w| w.digest(now, d));
        for (group, arrived) in groups.iter().zip(bars) {
            digest_group(group.as_ref(), d);
            if group.is_some() {
                d.put(*arrived);
            }
        }
        d.bytes(lds.bytes());
        d.value(&lds_room.taken());
        d.time(now, *next_admission);
        d.put(*next_simd);
        l1v.digest(&|token| self.waiter(token), d);
        d.count(todo.len());
        todo.each(|at, what| {
            d.time(now, at);
            match *what {
                Todo::Take(i) => d.value(&(1u8, accesses.age(i))),
                Todo::Serve => d.put(2u64),
                Todo::Complete(i) => d.value(&(3u8, accesses.age(i))),
                Todo::Share(i) => d.value(&(4u8, accesses.age(i))),
                Todo::Lookup(i) => d.value(&(5u8, accesses.age(i))),
                Todo::Vacate(group) => d.value(&(6u8, group)),
                Todo::Settle => d.put(7u64),
            }
        });
        let live = accesses.by_age();
        d.count(live.len());
        live.iter().for_each(|i| accesses[*i].digest(d));
        let Pipe { queue, free, scheduled, blocked } = pipe;
        for queue in [queue].into_iter().chain(in_order) {
            d.count(queue.len());
            queue.iter().for_each(|i| d.put(accesses.age(*i)));
        }
        d.time(now, *free);
        d.value(&(scheduled, blocked));
        let taken = last_end.iter().chain(last_taken);
        for t in taken.chain(share_free).chain([scalar_free, fetch_free, wake]) {
            d.time(now, *t);
        }
        d.value(&(ended, vacated));
    }
}

fn digest_group(group: Option<&WorkGroup>, d: &mut Digest) {
    let Some(group) = group else { return d.put(u64::MAX) };
    let WorkGroup { index, id, lds, taken, slots, left, items, since: _ } = group;
    d.value(&(index, id, lds, taken, slots, left, items));
}

impl Simd {
    fn digest(&self, now: u64, d: &mut Digest) {
        let Simd {
            vector,
            vector_room,
            scalar,
            scalar_room,
            awake,
            turns,
            turn,
            vector_free,
            // Of the cycle that is over.
            taken: _,
            wake,
            idle_from: _,
            idle_why: _,
            ..
        } = self;
        vector.rows().iter().for_each(|row| d.words(row));
        d.words(scalar.rows());
        d.value(&(vector_room.taken(), scalar_room.taken()));
        let (order, count) = self.by_age();
        d.count(count);
        d.put(*awake);
        for &wave in &order[..count] {
            let Turn { ready, why } = turns[usize::from(wave)];
            d.put(wave);
            d.time(now, ready);
            d.put(why as u64);
        }
        d.time(now, *vector_free);
        // Which SIMD unit's turn it is follows from the cycle.
        d.put(now % turn);
        d.time(now, *wake);
    }
}

impl Wave {
    fn digest(&self, now: u64, d: &mut Digest) {
        let Wave {
            pc,
            exec,
            mode,
            scc,
            m0,
            counters,
            ibuf,
            first_row,
            vgprs,
            first_sgpr,
            sgprs,
            // For traces.
            began: _,
            group,
            id,
            held,
            resident,
            ended,
            at_barrier,
            in_flight,
            priority,
            since: _,
            late,
            fresh,
        } = self;
        d.value(&(held, resident));
        // Whoever comes next brings all of it.
        if !held && !resident {
            return;
        }
        d.value(&(pc, exec, mode, scc.rows()[0], m0.rows()[0], counters));
        d.value(&(ibuf.fetch_at(), ibuf.waiting));
        for (bits, ready) in ibuf.waiting_rows() {
            d.value(&bits);
            d.time(now, ready);
        }
        d.value(&(first_row, vgprs, first_sgpr, sgprs, group, id));
        d.value(&(ended, at_barrier, in_flight, priority));
        for (registers, until) in [late, fresh] {
            if *until > now {
                d.value(registers);
                d.time(now, *until);
            }
        }
    }
}

/// An instruction, by its words.
fn digest_inst(inst: &Inst, d: &mut Digest) {
    d.words(encode(inst).as_slice());
}

impl Access {
    fn digest(&self, d: &mut Digest) {
        let Access {
            slot,
            pc: _,
            inst,
            way,
            at,
            share,
            raw,
            returned,
            operands,
            in_range,
            scalar_at,
            m0,
            lines,
            next,
            pending,
            ready,
            late,
            haunted: _,
        } = self;
        digest_inst(inst, d);
        d.value(&(slot, way, in_range, scalar_at, m0, next, pending, ready, late));
        d.count(lines.len());
        for Line { addr, bytes, lanes } in lines {
            d.value(&(addr, bytes, lanes));
        }
        match way {
            Way::Scalar => d.words(&raw[0][..16]),
            Way::Vector => {
                let Some(at) = at else { return };
                d.value(&(at.lanes, at.dead, at.short, at.bytes, at.shape));
                for lane in each(at.lanes) {
                    d.put(at.addrs[lane]);
                    d.put(at.reach(lane) as u64);
                    raw.iter().for_each(|row| d.put(row[lane]));
                    d.put(returned.words[0][lane / 32][lane % 32]);
                    d.put(returned.words[1][lane / 32][lane % 32]);
                }
            }
            Way::Share => {
                let Some(at) = share else { return };
                d.value(&(at.active, at.lanes, at.elements, at.bytes));
                for lane in each(at.active) {
                    at.addrs.iter().for_each(|row| d.put(row[lane]));
                    operands.iter().for_each(|row| d.put(row[lane]));
                    returned.words.iter().for_each(|w| d.put(w[lane / 32][lane % 32]));
                }
            }
        }
    }
}
