//! Memory instructions on the way back.

use upset_gcn::inst::{Detail, Inst};
use upset_gcn::operand::Operand;
use upset_gcn::sem::Does;
use upset_gcn::sem::buffer::BufferOp;
use upset_gcn::sem::share::{ShareAccess, ShareOp};
use upset_gcn::sem::texel::Shape;
use upset_gcn::wave::share::{Located, locate, source_lane};
use upset_gcn::wave::{Operands, WAVE, buffer, scalar_read};

use super::addresses;
use super::back::{Back, join};
use super::compute;
use super::held::{Input, Place};
use super::life::{LdsLife, all_lanes, lane_needs};
use super::matters::{Matters, WORDS};
use super::trace::{Done, Item};
use crate::needs::Need;

impl Back<'_> {
    /// The result of a memory instruction is written: what was there before
    /// does not matter.
    pub(crate) fn completed(&mut self, item: &Item, done: &Done, inst: &Inst) {
        let mut matters = self.results.remove(&item.inst).unwrap_or(Box::new(Matters::NOTHING));
        let when = (item.cycle, done.pc);
        let Some(wave) = self.waves.get_mut(done.wave as usize) else { return };
        if let Does::ScalarRead { .. } | Does::Time = inst.row.does {
            for (reg, _) in scalar_read::results(inst, &[0; 16]) {
                if let Some(place) = self.subject.given.place(reg) {
                    wave.write_scalar(place, when, &mut self.book);
                }
            }
            return;
        }
        let to_lds = matches!(inst.detail, Detail::Buffer(b) if b.lds);
        let Operand::Vgpr(first) = inst.dst else { return };
        if to_lds {
            return;
        }
        let lanes = self.held.exec();
        for word in 0..usize::from(inst.result_dwords()).min(WORDS) {
            for half in 0..2 {
                let at = (u32::from(first) + word as u32, half);
                let mask = (lanes >> (32 * half)) as u32;
                let taken = wave.write_vector(at, mask, when, &mut self.book);
                (matters.alone[word][half], matters.jointly[word][half]) = taken;
            }
        }
        self.results.insert(item.inst, matters);
    }

    /// A scalar read issued: all that says where it goes matters, for another
    /// address may not be there.
    pub(crate) fn issue_scalar(&mut self, item: &Item, done: &Done, inst: &Inst) {
        let Some(wave) = self.waves.get_mut(done.wave as usize) else { return };
        let (held, book) = (&mut self.held, &mut self.book);
        let inputs = held.inputs.clone();
        addresses::sources(inst, held, &inputs, (0, !0), |found| {
            join(wave, found, item.cycle, book);
        });
    }

    /// An access to vector memory issued.
    pub(crate) fn issue_buffer(&mut self, item: &Item, done: &Done, inst: &Inst, op: BufferOp) {
        self.results.remove(&item.inst);
        let Some(wave) = self.waves.get_mut(done.wave as usize) else { return };
        // One lane more or less goes somewhere else.
        if !matches!(op, BufferOp::Invalidate) {
            wave.guard(!0);
        }
        if !done.begun {
            return;
        }
        let (held, book) = (&mut self.held, &mut self.book);
        let inputs = held.inputs.clone();
        if matches!(inst.detail, Detail::Buffer(b) if b.lds) {
            compute::everything(held, &mut |found| join(wave, found, item.cycle, book));
            return;
        }
        addresses::sources(inst, held, &inputs, (0, !0), |found| {
            join(wave, found, item.cycle, book);
        });
    }

    /// The data of a store or an atomic is read: it matters as far as it is
    /// stored.
    pub(crate) fn taken(&mut self, item: &Item, done: &Done, inst: &Inst) {
        let Some(wave) = self.waves.get_mut(done.wave as usize) else { return };
        let (Ok(op), Ok(at)) = (buffer::operation(inst), buffer::locate(&self.held, inst)) else {
            return;
        };
        let Operand::Vgpr(first) = inst.src[upset_gcn::wave::uses::DATA] else { return };
        let bits = match (op, at.shape) {
            (BufferOp::Store(_), Shape::Small { bytes: 1, .. }) => 0xff,
            (BufferOp::Store(_), Shape::Small { .. }) => 0xffff,
            _ => !0,
        };
        for n in 0..u32::from(inst.row.src[upset_gcn::wave::uses::DATA].kind.dwords) {
            let register = self.subject.given.vgpr(u32::from(first) + n);
            let needs = all_lanes(bits);
            wave.read_vector(register, &needs, at.lanes, item.cycle, &mut self.book);
        }
    }

    /// An access to LDS issued: addresses and data were read.
    pub(crate) fn issue_share(&mut self, item: &Item, done: &Done, inst: &Inst, op: ShareOp) {
        let matters = self.results.remove(&item.inst).unwrap_or(Box::new(Matters::NOTHING));
        let Some(wave) = self.waves.get_mut(done.wave as usize) else { return };
        let exec = self.held.exec();
        // A lane more or less: of a read, what it gets or keeps matters.
        let reads = matches!(op.access, ShareAccess::Read { .. } | ShareAccess::Swizzle);
        let live = match reads {
            true => matters.lanes(),
            false => !0,
        };
        let awaited = match inst.dst {
            Operand::Vgpr(first) => (0..u32::from(inst.result_dwords()))
                .fold(0, |all, n| all | wave.awaited(u32::from(first) + n) & !exec),
            _ => 0,
        };
        let guarded = match op.access {
            // What a lane gives to another depends on whether it executes.
            ShareAccess::Swizzle if live | awaited != 0 => !0,
            _ => live | awaited,
        };
        wave.guard(guarded);
        if !done.begun {
            return;
        }
        let (held, book) = (&mut self.held, &mut self.book);
        let data = |source: usize, word: u32| match inst.src[source] {
            Operand::Vgpr(r) => Some(u32::from(r) + word),
            _ => None,
        };
        let given = self.subject.given;
        match op.access {
            ShareAccess::Swizzle => {
                let (Operand::Vgpr(r), Detail::Share(share)) = (inst.src[0], inst.detail) else {
                    return;
                };
                let mut from = [Need::default(); WAVE];
                for lane in (0..WAVE).filter(|l| exec >> l & 1 == 1) {
                    from[source_lane(share.offset, lane)].join(matters.moved(0, lane));
                }
                let needs = lane_needs(|lane| from[lane]);
                wave.read_vector(given.vgpr(r.into()), &needs, exec, item.cycle, book);
                return;
            }
            ShareAccess::Read { .. } => {}
            ShareAccess::Write => {
                let per = usize::from(op.bytes).div_ceil(4);
                let elements = if inst.row.offsets == upset_gcn::row::Offsets::Two { 2 } else { 1 };
                for element in 0..elements {
                    for word in 0..per {
                        let Some(r) = data(1 + element, word as u32) else { continue };
                        let needs = lane_needs(|lane| matters.moved(per * element + word, lane));
                        wave.read_vector(given.vgpr(r), &needs, exec, item.cycle, book);
                    }
                }
            }
            ShareAccess::Atomic(_) | ShareAccess::FromLds(_) | ShareAccess::Count(_) => {
                compute::everything(held, &mut |found| join(wave, found, item.cycle, book));
                return;
            }
        }
        let address = match inst.src[0] {
            Operand::Vgpr(r) => Some(Input::Vector(given.vgpr(r.into()))),
            _ => None,
        };
        let inputs: Vec<Input> = address.into_iter().chain([Input::Scalar(Place::M0)]).collect();
        let bytes = self.subject.lds_bytes;
        addresses::sources(inst, held, &inputs, (bytes, live), |found| {
            join(wave, found, item.cycle, book);
        });
    }

    /// LDS is accessed.
    pub(crate) fn shared(&mut self, item: &Item, done: &Done, inst: &Inst) {
        let Does::Share(op) = inst.row.does else { return };
        let mut matters = self.results.remove(&item.inst).unwrap_or(Box::new(Matters::NOTHING));
        if let Ok(located) = locate(&self.held, inst, self.subject.lds_bytes) {
            self.access(item, done.pc, op, &located, &mut matters);
        }
        self.results.insert(item.inst, matters);
    }

    /// Elements from the last to the first: where lanes store to one place the
    /// last wins.
    fn access(&mut self, item: &Item, pc: u32, op: ShareOp, at: &Located, matters: &mut Matters) {
        let per = usize::from(op.bytes).div_ceil(4);
        for element in (0..at.elements).rev() {
            for lane in (0..WAVE).rev().filter(|l| at.lanes[element] >> l & 1 == 1) {
                let to = at.addrs[element][lane];
                let bytes = self.lds.element(to, at.bytes, item.cycle, &mut self.book);
                for (i, byte) in bytes.iter_mut().enumerate() {
                    let (word, shift) = (per * element + i / 4, 8 * (i % 4));
                    match op.access {
                        ShareAccess::Read { signed } => {
                            let mut need = matters.moved(word, lane);
                            // The sign of a narrow value goes on to the left.
                            if signed && op.bytes < 4 {
                                let top = 8 * u32::from(op.bytes) - 1;
                                if matters.jointly[word][lane / 32][lane % 32] >> top != 0 {
                                    need.join(Need::all(1 << top));
                                }
                            }
                            byte.need.join(need.map(|bits| bits >> shift & 0xff));
                        }
                        ShareAccess::Write => {
                            let need = std::mem::take(&mut byte.need);
                            let (half, l) = (lane / 32, lane % 32);
                            matters.alone[word][half][l] |= need.alone << shift;
                            matters.jointly[word][half][l] |= need.jointly << shift;
                        }
                        ShareAccess::Atomic(_)
                        | ShareAccess::FromLds(_)
                        | ShareAccess::Count(_) => {
                            byte.need = Need::all(0xff);
                        }
                        ShareAccess::Swizzle => {}
                    }
                }
                if matches!(op.access, ShareAccess::Write) {
                    LdsLife::spent(bytes, pc, &mut self.book);
                }
            }
        }
    }
}
