//! Copies from global to shared memory, and what waits for them.
//!
//! A copy is a load whose bytes, once they are all there, pass through the
//! load/store pipe again as a store to shared memory. Copies of a warp end in any
//! order; what waits for them looks for older ones that have not ended.

use upset_isa::control::barriers::lanes;
use upset_isa::{BulkTo, Copies, MemKind, MemOp, Space};
use upset_state::Probe;

use super::access::{Access, Form};
use crate::sm::{Cx, Sm};
use crate::todo::Todo;

impl Access {
    /// The copies that it is one of, on its first or its second way.
    pub fn copies(&self) -> Option<Copies> {
        match self.form {
            Form::Copy if self.part_of.is_none() => Some(Copies::Lanes),
            Form::Bulk(BulkTo::Global | BulkTo::Reduced(..)) if self.part_of.is_none() => {
                Some(Copies::Bulk)
            }
            _ => None,
        }
    }

    /// The copies before it that it waits for.
    pub(super) fn awaits(&self) -> Option<Copies> {
        self.op.and_then(|m| m.awaits())
    }

    /// What it has collected becomes what it stores; lanes that read fewer bytes
    /// than they write have zeros in their place.
    fn turn_to_store(&mut self) {
        let [at, read] = self.old;
        for lane in lanes(self.mask) {
            self.addrs[lane] = at[lane];
            for (word, row) in self.data.iter_mut().enumerate() {
                let bytes = read[lane].saturating_sub(4 * word as u32).min(4);
                row[lane] &= ((1u64 << (8 * bytes)) - 1) as u32;
            }
        }
        self.op = self.op.map(|m| MemOp { space: Space::Shared, kind: MemKind::Store, ..m });
        self.shared = self.mask;
        self.lines.clear();
        (self.next, self.shared_done) = (0, false);
    }
}

impl Sm {
    /// All bytes of a copy are there: they go on to shared memory.
    pub(crate) fn store_copied(&mut self, index: u32, now: u64) {
        let a = &mut self.accesses[index];
        a.turn_to_store();
        self.shadows.each_of(index).for_each(Access::turn_to_store);
        self.queue_again(index, now);
    }

    /// Sends an access through the load/store pipe that did not come from a scheduler.
    pub(super) fn queue_again(&mut self, index: u32, now: u64) {
        let (s, _) = self.place(self.accesses[index].slot);
        self.subs[s].queued += 1;
        self.pipe.queue.push_back(index);
        if !self.pipe.blocked {
            self.schedule_serve(now);
        }
    }

    /// An instruction that waits for the warp's copies has issued.
    pub(crate) fn await_copies<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        self.release_operands(index, cx.now);
        self.accesses[index].ready = true;
        self.settle_copies(self.accesses[index].slot, cx.now);
    }

    /// Lets go on what no copy of the warp keeps any more.
    pub(crate) fn settle_copies(&mut self, slot: u32, now: u64) {
        let mut under_way = [false; 2];
        for index in self.accesses.by_age() {
            let a = &mut self.accesses[index];
            if a.slot != slot {
                continue;
            }
            if let Some(copies) = a.copies() {
                under_way[copies as usize] = true;
            }
            let over = a.awaits().is_some_and(|copies| !under_way[copies as usize]);
            if over && std::mem::take(&mut a.ready) {
                match a.op.map(|m| m.kind) {
                    Some(MemKind::CopiesEnd(_)) => self.todo.push(now + 1, Todo::Complete(index)),
                    _ => self.queue_again(index, now),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_isa::{CopyTo, WARP};

    #[test]
    fn bytes_that_were_not_read_are_zero() {
        let to = CopyTo { offset: 0, partial: true };
        let mut a = Access {
            mask: 0b1011,
            op: Some(crate::testing::mem_op(Space::Global, MemKind::Copy(to), 8)),
            data: [[!0; WARP]; 4],
            ..Access::default()
        };
        for (lane, read) in [8, 5, 2, 0].into_iter().enumerate() {
            (a.old[0][lane], a.old[1][lane]) = (16 * lane as u32, read);
        }
        a.turn_to_store();
        assert_eq!(a.data[0][..4], [!0, !0, !0, 0]);
        assert_eq!(a.data[1][..4], [!0, 0xff, !0, 0]);
        assert_eq!((a.shared, a.addrs[..4].to_vec()), (0b1011, vec![0, 16, 0, 48]));
        assert!(a.is_store() && a.lines.is_empty());
    }
}
