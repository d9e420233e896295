//! NVIDIA's chips: CTAs, and what their warps do.

mod back;
mod inputs;
mod joint;
mod masking;
mod matters;
mod trace;

use upset_device::{Issued, Kernel};
use upset_isa::WARP;
use upset_isa::warp::Scratch;
use upset_state::{Access, By, Event, Extent, Kind};

use crate::clock::Launches;
use crate::refined::Refined;
use crate::tables::{at, entry};
use back::{Arrival, Subject, back};
use trace::Trace;

/// Words of operands that the trace of one CTA may hold. A longer one is dealt
/// with in parts.
const MOST_VALUES: usize = 1 << 20;

/// What is known of the CTAs that run.
pub(crate) struct Front {
    subcores: u32,
    /// The kernel that runs.
    running: Option<Kernel>,
    /// By SM and CTA slot.
    ctas: Vec<Vec<Option<Cta>>>,
    /// By SM and warp slot: the CTA slot.
    places: Vec<Vec<u32>>,
    /// By register file and row: the last cycle in which it was written.
    written: Vec<Vec<u64>>,
    scratch: Box<Scratch>,
    most_values: usize,
}

struct Cta {
    index: u64,
    trace: Trace,
    /// First byte of its shared memory.
    shared: u32,
    warps: Vec<Arrival>,
    /// Its trace up to this cycle was dealt with.
    continues: Option<u64>,
}

impl Front {
    /// Nothing has run. SMs have so many sub-cores.
    pub(crate) fn new(subcores: u32) -> Front {
        Front {
            subcores: subcores.max(1),
            running: None,
            ctas: Vec::new(),
            places: Vec::new(),
            written: Vec::new(),
            scratch: Box::new([[0; WARP]; 6]),
            most_values: MOST_VALUES,
        }
    }

    /// An access to an array; `refined` knows which ones are followed.
    pub(crate) fn event(&mut self, event: &Event, refined: &Refined) {
        let By::Warp { sm, slot, pc } = event.by else { return };
        match (event.array.kind, event.access) {
            (Kind::Smem, Access::Read | Access::Write) => {
                if let Some(cta) = cta_of(&self.places, &mut self.ctas, sm, slot) {
                    cta.trace.accessed(event.cycle, slot, pc);
                }
            }
            (kind, Access::Write) if refined.of(kind).is_some() => {
                let lanes = match event.extent {
                    Extent::Lanes(lanes) => lanes,
                    _ => 0,
                };
                if kind == Kind::Rf {
                    let at = at(&mut self.written, event.array.instance as usize, event.row);
                    *at = event.cycle;
                }
                if let Some(cta) = cta_of(&self.places, &mut self.ctas, sm, slot) {
                    cta.trace.written(event.cycle, slot, pc, lanes);
                }
            }
            _ => {}
        }
    }

    /// A kernel begins.
    pub(crate) fn launch(&mut self, kernel: &Kernel) {
        self.running = Some(kernel.clone());
    }

    /// Deals with a CTA's trace; with `cut` it goes on after that cycle.
    fn settle(
        &mut self,
        sm: usize,
        place: usize,
        cut: Option<u64>,
        launches: &Launches,
        to: &mut Refined,
    ) {
        let Some(kernel) = &self.running else { return };
        let Some(cta) = self.ctas.get_mut(sm).and_then(|s| s.get_mut(place)) else { return };
        let Some(cta) = cta else { return };
        let subject = Subject {
            code: &kernel.code,
            kernel: launches.kernel(),
            registers: kernel.registers,
            shared_bytes: kernel.shared_bytes,
            sm: sm as u32,
            shared: cta.shared,
            warps: &cta.warps,
            cut,
            continues: cta.continues,
        };
        back(&subject, &cta.trace, launches, to);
        cta.trace.cut();
        cta.continues = cut;
    }

    /// Deals with all that is there.
    pub(crate) fn settle_all(&mut self, launches: &Launches, to: &mut Refined) {
        for sm in 0..self.ctas.len() {
            for place in 0..self.ctas[sm].len() {
                self.settle(sm, place, None, launches, to);
                self.ctas[sm][place] = None;
            }
        }
    }

    /// An instruction reads its operands.
    pub(crate) fn issued(&mut self, i: &Issued<'_>, launches: &Launches, to: &mut Refined) {
        let (sm, place) = (i.sm as usize, i.place as usize);
        let entry = entry(&mut self.ctas, sm, place);
        if entry.as_ref().is_some_and(|c| c.index != i.cta) {
            self.settle(sm, place, None, launches, to);
            self.ctas[sm][place] = None;
        }
        *at(&mut self.places, sm, i.slot) = i.place + 1;
        let Some(kernel) = &self.running else { return };
        let cta = self.ctas[sm][place].get_or_insert_with(|| Cta {
            index: i.cta,
            trace: Trace::default(),
            shared: i.shared,
            warps: Vec::new(),
            continues: None,
        });
        let warp = i.warp as usize;
        if cta.warps.len() <= warp {
            cta.warps.resize(warp + 1, Arrival::default());
        }
        if cta.warps[warp].before.is_empty() {
            let file = i.sm * self.subcores + i.slot % self.subcores;
            let rows = i.first_row..i.first_row + kernel.registers;
            let written = &mut self.written;
            let before = rows.map(|row| *at(written, file as usize, row)).collect();
            let (slot, first_row) = (i.slot, i.first_row);
            cta.warps[warp] = Arrival { slot, file, first_row, before };
        }
        cta.trace.issued(i, kernel, &mut self.scratch);
        if cta.trace.values.len() > self.most_values {
            self.settle(sm, place, Some(i.cycle), launches, to);
        }
    }
}

/// The CTA of a warp slot.
fn cta_of<'a>(
    places: &[Vec<u32>],
    ctas: &'a mut [Vec<Option<Cta>>],
    sm: u32,
    slot: u32,
) -> Option<&'a mut Cta> {
    let place = places.get(sm as usize)?.get(slot as usize)?.checked_sub(1)?;
    ctas.get_mut(sm as usize)?.get_mut(place as usize)?.as_mut()
}
