//! The way back through a work-group's trace: from what its stores, addresses
//! and jumps need to the bits that feed them.

use std::collections::HashMap;

use upset_cu::Code;
use upset_cu::code::Decoded;
use upset_gcn::inst::Inst;
use upset_gcn::sem::Does;
use upset_gcn::wave::{Operands, Outcome, Reg};

use super::compute::{self, Found};
use super::held::{Given, Held, guards};
use super::life::{Arrival, Book, LdsLife, WaveLife};
use super::matters::{Matters, SCALARS};
use super::trace::{Done, Item, Trace, What};
use crate::clock::Launches;
use crate::refined::Refined;

/// What the way back needs of a work-group.
pub(crate) struct Subject<'a> {
    pub(crate) code: &'a Code,
    pub(crate) kernel: u32,
    pub(crate) given: Given,
    pub(crate) lds_bytes: u32,
    pub(crate) cu: u32,
    /// First byte of its LDS, and when its bytes were written before it came.
    pub(crate) lds: u32,
    pub(crate) lds_before: &'a [u64],
    pub(crate) waves: &'a [Arrival],
    /// The trace goes on after this cycle: all that is there may matter.
    pub(crate) cut: Option<u64>,
    /// The trace began before: what is there was there.
    pub(crate) continues: Option<u64>,
}

/// Where the way back stands.
pub(crate) struct Back<'a> {
    pub(crate) subject: &'a Subject<'a>,
    trace: &'a Trace,
    pub(crate) waves: Vec<WaveLife>,
    pub(crate) lds: LdsLife,
    /// What matters of results that were written, until the instruction is reached.
    pub(crate) results: HashMap<u32, Box<Matters>>,
    pub(crate) book: Book<'a>,
    pub(crate) held: Held,
    right: Outcome,
    wrong: Outcome,
}

/// Goes back through a trace.
pub(crate) fn back(subject: &Subject<'_>, trace: &Trace, launches: &Launches, to: &mut Refined) {
    let (fill, until) = match subject.cut {
        Some(cycle) => (!0, cycle),
        None => (0, trace.items.last().map_or(0, |i| i.cycle)),
    };
    let wave = |a| WaveLife::new(subject.cu, a, subject.given, fill, until);
    let mut back = Back {
        subject,
        trace,
        waves: subject.waves.iter().map(wave).collect(),
        lds: LdsLife::new(subject.cu, subject.lds, subject.lds_bytes, fill, until),
        results: HashMap::new(),
        book: Book { launches, to, kernel: subject.kernel },
        held: Held::default(),
        right: Outcome::default(),
        wrong: Outcome::default(),
    };
    for open in trace.open() {
        back.results.insert(open, Box::new(Matters::ALL));
    }
    for item in trace.items.iter().rev() {
        back.item(item);
    }
    let Back { waves, mut lds, mut book, .. } = back;
    for (mut wave, arrival) in waves.into_iter().zip(subject.waves) {
        wave.end(arrival, subject.continues, &mut book);
    }
    lds.end(subject.lds_before, subject.continues, &mut book);
}

impl<'a> Back<'a> {
    fn item(&mut self, item: &Item) {
        let Some(&done) = self.trace.done.get(item.inst as usize) else { return };
        let code: &'a Code = self.subject.code;
        let Some(index) = code.index(code.base + u64::from(done.pc)) else { return };
        let Decoded::Op(op) = code.at(index) else { return };
        let inst = &op.inst;
        self.held.load(inst, self.subject.given, &self.trace.values, done.values as usize);
        match (item.what, inst.row.does) {
            (What::Issued, Does::Buffer(op)) => self.issue_buffer(item, &done, inst, op),
            (What::Issued, Does::Share(op)) => self.issue_share(item, &done, inst, op),
            (What::Issued, Does::ScalarRead { .. }) => self.issue_scalar(item, &done, inst),
            (What::Issued, _) => self.compute(item, &done, inst),
            (What::Taken, _) => self.taken(item, &done, inst),
            (What::Shared, _) => self.shared(item, &done, inst),
            (What::Completed, _) => self.completed(item, &done, inst),
        }
    }

    /// Results are written, and operands were read for them.
    fn compute(&mut self, item: &Item, done: &Done, inst: &Inst) {
        let Back { subject, waves, book, held, right, wrong, .. } = self;
        let Some(wave) = waves.get_mut(done.wave as usize) else { return };
        compute::carry_out(held, inst, right);
        let when = (item.cycle, done.pc);
        let mut matters = Box::new(Matters::NOTHING);
        let rows = right.rows;
        for word in 0..u32::from(rows.count).min(2) {
            for half in 0..2 {
                let at = (rows.first.wrapping_add(word), half);
                let taken = wave.write_vector(at, rows.lanes[half], when, book);
                let word = word as usize;
                (matters.alone[word][half], matters.jointly[word][half]) = taken;
            }
        }
        // The last one stays where two go to one place.
        for (n, (reg, _)) in right.scalars.list().iter().enumerate().rev().take(SCALARS) {
            if let Some(place) = subject.given.place(*reg) {
                matters.scalars[n] = wave.write_scalar(place, when, book);
            }
        }
        if guards(inst) {
            let lanes = matters.lanes() | flags(right, &matters) | off_lanes(wave, held, right);
            wave.guard(lanes);
        }
        compute::sources(inst, held, &matters, (right, wrong), |found| {
            join(wave, found, item.cycle, book);
        });
    }
}

/// An input is read.
pub(crate) fn join(wave: &mut WaveLife, found: Found, cycle: u64, book: &mut Book<'_>) {
    match found {
        Found::Vector(n, needs, lanes) => wave.read_vector(n, &needs, lanes, cycle, book),
        Found::Scalar(place, need) => wave.read_scalar(place, need, cycle, book),
    }
}

/// Lanes whose bits in scalar results matter.
fn flags(right: &Outcome, matters: &Matters) -> u64 {
    let results = right.scalars.list().iter().zip(&matters.scalars).enumerate();
    let bits = results.map(|(n, ((reg, _), need))| match reg {
        // No lane's.
        Reg::Scc | Reg::M0 | Reg::Mode if need.jointly != 0 => u64::MAX,
        _ => u64::from(need.jointly) << (32 * (n % 2)),
    });
    bits.fold(0, |all, bits| all | bits)
}

/// Lanes that do not execute, but whose value would be lost if they did.
fn off_lanes(wave: &WaveLife, held: &Held, right: &Outcome) -> u64 {
    let rows = right.rows;
    let words = (0..u32::from(rows.count)).map(|word| rows.first.wrapping_add(word));
    words.fold(0, |all, register| all | wave.awaited(register)) & !held.exec()
}
