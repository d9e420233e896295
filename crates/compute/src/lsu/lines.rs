//! The lines of a memory instruction, one after the other to their cache.

use upset_isa::control::barriers::lanes;
use upset_mem::{AtomicBatch, Filled, LINE, LaneOp, Read};
use upset_state::Probe;

use super::access::{Level, Line, atomic_apply, atomic_code};
use crate::levels::client::{CONSTANT, DATA, TEXTURE};
use crate::sm::{Cx, IS_ACCESS, LINE_BITS, Sm};
use crate::todo::Todo;

impl Sm {
    /// Sends lines to the data cache until it blocks. True when all are sent.
    pub(super) fn access_lines<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) -> bool {
        let a = &self.accesses[index];
        if a.next as usize == a.lines.len() {
            return true;
        }
        if a.is_store() {
            self.store_lines(index, cx);
        } else if a.atomic().is_some() {
            self.send_atomics(index, cx);
        } else {
            return self.load_lines(index, cx);
        }
        true
    }

    /// The lines of a load, until the cache blocks. True when all are sent.
    #[inline(never)]
    fn load_lines<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) -> bool {
        let a = &self.accesses[index];
        let (mut n, count, past) = (a.next as usize, a.lines.len(), a.bypass());
        let mut waits = 0;
        while n < count {
            let Line { addr, bytes, local, .. } = self.accesses[index].lines[n];
            let (token, aligned) = (index << LINE_BITS | n as u32, addr & !(LINE - 1));
            let bypass = past || cx.config.past_l1d[usize::from(local)];
            match self.l1d.read(cx.now, aligned, bytes, token, bypass, cx.out, cx.probe) {
                Read::Hit(row) => {
                    if P::GHOSTS {
                        self.haunt_filled(DATA, index, n, aligned, &Filled::Line(row), cx);
                    }
                    self.accesses[index].collect(n, self.l1d.line(row).bytes, addr);
                }
                Read::Miss => waits += 1,
                Read::Blocked => break,
            }
            n += 1;
        }
        let a = &mut self.accesses[index];
        a.pending += waits;
        a.next = n as u32;
        n == count
    }

    /// The lines of a store.
    #[inline(never)]
    fn store_lines<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        let a = &self.accesses[index];
        for n in a.next as usize..a.lines.len() {
            let a = &self.accesses[index];
            let Line { addr, local, .. } = a.lines[n];
            let mut data = cx.mem.write_box();
            data.mask = a.spread(n, &mut data.bytes);
            if P::GHOSTS && a.haunted {
                self.haunt_spread(index, n, &mut data, cx);
            }
            self.l1d.write(cx.now, addr & !(LINE - 1), data, local, cx.out, cx.probe);
        }
        let a = &mut self.accesses[index];
        a.next = a.lines.len() as u32;
    }

    /// The lines of an atomic.
    #[inline(never)]
    fn send_atomics<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        while let a = &self.accesses[index]
            && let Some(line) = a.lines.get(a.next as usize)
        {
            let (token, aligned) = (index << LINE_BITS | a.next, line.addr & !(LINE - 1));
            self.send_atomic(index, aligned, token, cx);
            self.accesses[index].next += 1;
        }
    }

    /// The next line of an atomic goes below.
    fn send_atomic<P: Probe>(&mut self, index: u32, line: u64, token: u32, cx: &mut Cx<'_, P>) {
        let a = &mut self.accesses[index];
        let Some((op, ty, returns)) = a.atomic() else { return };
        let lanes = lanes(a.lines[a.next as usize].lanes)
            .map(|lane| {
                let (b, c) = a.operands(lane);
                let offset = (u64::from(a.addrs[lane]) & (LINE - 1)) as u8;
                LaneOp { lane: lane as u8, offset, b, c, old: 0 }
            })
            .collect();
        let mut batch = AtomicBatch {
            width: ty.bytes(),
            code: atomic_code(op, ty),
            apply: atomic_apply,
            lanes,
            returns,
            flight: 0,
        };
        a.pending += u32::from(returns);
        if P::GHOSTS && a.haunted {
            self.haunt_batch(index, &mut batch, cx);
        }
        self.l1d.atomic(cx.now, line, Box::new(batch), token, cx.out, cx.probe);
    }

    /// Texture fetches and constant loads ask their caches.
    #[inline(never)]
    pub(crate) fn lookup<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        if !self.accesses[index].shared_done {
            self.accesses[index].shared_done = true;
            self.release_operands(index, cx.now);
        }
        while (self.accesses[index].next as usize) < self.accesses[index].lines.len() {
            let a = &mut self.accesses[index];
            let n = a.next as usize;
            let line = a.lines[n];
            let aligned = line.addr & !(LINE - 1);
            let mut token = index << LINE_BITS | n as u32;
            let level = if a.level == Level::Texture {
                &mut self.l1t
            } else {
                token |= IS_ACCESS;
                &mut self.l1c
            };
            match level.read(cx.now, aligned, line.bytes, token, false, cx.out, cx.probe) {
                Read::Hit(row) => {
                    let which = if a.level == Level::Texture { TEXTURE } else { CONSTANT };
                    if P::GHOSTS {
                        self.haunt_filled(which, index, n, aligned, &Filled::Line(row), cx);
                    }
                    let Sm { l1t, l1c, accesses, .. } = self;
                    let level = if which == TEXTURE { l1t } else { l1c };
                    accesses[index].collect(n, level.line(row).bytes, line.addr);
                }
                Read::Miss => a.pending += 1,
                Read::Blocked => {
                    self.todo.push(cx.now + u64::from(cx.config.timing.retry), Todo::Lookup(index));
                    return;
                }
            }
            self.accesses[index].next += 1;
        }
        if self.accesses[index].pending == 0 {
            let extra = self.accesses[index].lines.len().saturating_sub(1) as u64;
            self.gathered(index, extra, cx);
        }
    }

    /// All bytes of an access are there: they go to the registers, after those
    /// of earlier accesses where the pipe keeps order.
    pub(crate) fn gathered<P: Probe>(&mut self, index: u32, extra: u64, cx: &mut Cx<'_, P>) {
        let level = self.accesses[index].level;
        if level == Level::Data {
            let after = self.return_time(index, cx.config);
            self.todo.push(cx.now + after + extra, Todo::Complete(index));
            return;
        }
        self.accesses[index].ready = true;
        let queue = usize::from(level == Level::Texture);
        while let Some(&head) = self.in_order[queue].front() {
            if !self.accesses[head].ready {
                break;
            }
            self.in_order[queue].pop_front();
            let after = self.return_time(head, cx.config);
            let at = (cx.now + after + extra).max(self.last_end[queue]);
            self.last_end[queue] = at;
            self.todo.push(at, Todo::Complete(head));
        }
    }
}
