//! Listens to one fault-free run.

use std::sync::{Arc, Mutex, PoisonError};

use upset_device::{Code, Device, Issued, Kernel, Span, Witness};
use upset_isa::WARP;
use upset_isa::warp::Scratch;
use upset_state::{Access, By, Event, Extent, Kind, Part, Registry, Site, Watch};

use crate::arrays::{Kinds, is_observed};
use crate::back::{Arrival, Refined, Subject, back};
use crate::clock::{Launches, Tally};
use crate::questions::Answer;
use crate::result::{Ace, Inputs};
use crate::trace::Trace;

/// Words of operands that the trace of one CTA may hold. A longer one is dealt
/// with in parts.
const MOST_VALUES: usize = 1 << 20;

/// An analysis under way.
pub struct Analysis {
    subcores: u32,
    launches: Launches,
    kinds: Kinds,
    refined: Refined,
    /// The kernel that runs.
    running: Option<Kernel>,
    /// Code and first instruction of each kernel, in the order of their first launches.
    code: Vec<(Arc<Code>, u32)>,
    /// By SM and CTA slot.
    ctas: Vec<Vec<Option<Cta>>>,
    /// By SM and warp slot: the CTA slot.
    places: Vec<Vec<u32>>,
    /// By register file and row: the last cycle in which it was written.
    written: Vec<Vec<u64>>,
    scratch: Box<Scratch>,
    most_values: usize,
    questions: usize,
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

/// An analysis that a device tells of its run.
pub struct Listening(Arc<Mutex<Analysis>>);

impl Listening {
    /// Begins to listen. The device must not have launched anything.
    pub fn to(device: &mut Device) -> Listening {
        let shared = Arc::new(Mutex::new(Analysis::new(device.chip().subcores())));
        let heard = Arc::clone(&shared);
        device.watch(Watch::observe(move |event| {
            heard.lock().unwrap_or_else(PoisonError::into_inner).event(event);
        }));
        device.witness(shared.clone());
        device.start_trace();
        Listening(shared)
    }

    /// Finds the bounds, and tells of each of these bits whether its flip at that cycle
    /// would count. `registry` has the arrays as they are at the end of the run.
    pub fn asking(device: &mut Device, registry: &Registry, sites: &[(Site, u64)]) -> Listening {
        let listening = Listening::to(device);
        listening.0.lock().unwrap_or_else(PoisonError::into_inner).ask(registry, sites);
        listening
    }

    /// What was found, when the run is over.
    pub fn finish(self, device: &mut Device) -> Ace {
        device.unwatch();
        let mut analysis = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        analysis.finish(device)
    }
}

impl Analysis {
    fn new(subcores: u32) -> Analysis {
        Analysis {
            subcores: subcores.max(1),
            launches: Launches::default(),
            kinds: Kinds::default(),
            refined: Refined::default(),
            running: None,
            code: Vec::new(),
            ctas: Vec::new(),
            places: Vec::new(),
            written: Vec::new(),
            scratch: Box::new([[0; WARP]; 6]),
            most_values: MOST_VALUES,
            questions: 0,
        }
    }

    fn ask(&mut self, registry: &Registry, sites: &[(Site, u64)]) {
        for (number, &(site, cycle)) in sites.iter().enumerate() {
            let kind = site.array.kind;
            let Some(layout) = registry.layout(site.array).filter(|_| is_observed(kind)) else {
                continue;
            };
            let arrays = self.kinds.entry(kind).or_default();
            let plain = match site.array.part {
                Part::Data => &mut arrays.data,
                Part::Tag => &mut arrays.tags,
                Part::State => &mut arrays.states,
            };
            let ask = |tally: &mut Tally| {
                tally.questions.ask(number, site, cycle, layout.row_bits().max(1));
            };
            ask(plain);
            self.refined.of_mut(kind).into_iter().for_each(ask);
        }
        self.questions = sites.len();
    }

    fn answers(&self) -> Vec<Answer> {
        let mut answers = vec![Answer::default(); self.questions];
        for arrays in self.kinds.values() {
            for tally in [&arrays.data, &arrays.tags, &arrays.states] {
                tally.questions.yes().for_each(|n| answers[n].ace = true);
            }
        }
        // What has no refinement counts as before.
        answers.iter_mut().for_each(|a| a.refined = a.ace);
        let r = &self.refined;
        let all = [&r.rf, &r.pred, &r.ureg, &r.upred, &r.smem];
        let refined = all.iter().flat_map(|t| t.questions.numbers()).collect::<Vec<_>>();
        refined.into_iter().for_each(|(n, yes)| answers[n].refined = yes);
        answers
    }

    fn event(&mut self, event: &Event) {
        if event.by == By::Host {
            self.launches.open(event.cycle);
        }
        // Before the first launch the host prepares; faults come later.
        let decided = if self.launches.before_first() { 0 } else { event.cycle + 1 };
        let kind = event.array.kind;
        if is_observed(kind) {
            self.kinds.entry(kind).or_default().event(event, decided, &self.launches);
        }
        let By::Warp { sm, slot, pc } = event.by else { return };
        match (kind, event.access) {
            (Kind::Smem, Access::Read | Access::Write) => {
                if let Some(cta) = cta_of(&self.places, &mut self.ctas, sm, slot) {
                    cta.trace.accessed(event.cycle, slot, pc);
                }
            }
            (_, Access::Write) if self.refined.of(kind).is_some() => {
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

    /// Deals with a CTA's trace; with `cut` it goes on after that cycle.
    fn settle(&mut self, sm: usize, place: usize, cut: Option<u64>) {
        let Some(kernel) = &self.running else { return };
        let Some(cta) = self.ctas.get_mut(sm).and_then(|s| s.get_mut(place)) else { return };
        let Some(cta) = cta else { return };
        let subject = Subject {
            code: &kernel.code,
            kernel: self.launches.kernel(),
            registers: kernel.registers,
            shared_bytes: kernel.shared_bytes,
            sm: sm as u32,
            shared: cta.shared,
            warps: &cta.warps,
            cut,
            continues: cta.continues,
        };
        back(&subject, &cta.trace, &self.launches, &mut self.refined);
        cta.trace.cut();
        cta.continues = cut;
    }

    fn settle_all(&mut self) {
        for sm in 0..self.ctas.len() {
            for place in 0..self.ctas[sm].len() {
                self.settle(sm, place, None);
                self.ctas[sm][place] = None;
            }
        }
    }

    fn finish(&mut self, device: &mut Device) -> Ace {
        self.settle_all();
        let end = device.cycles().unwrap_or(0);
        self.launches.open(end);
        for (kind, arrays) in &mut self.kinds {
            arrays.close(*kind, end, &self.launches);
        }
        let registry = device.machine_mut().map(|m| Registry::of(m)).unwrap_or_default();
        let mut warps = Tally::default();
        let mut local = Tally::default();
        let spans = device.trace().map(|t| t.spans.as_slice()).unwrap_or_default();
        let mut of_launch = Vec::new();
        for span in spans {
            match *span {
                Span::Warp { cycles, lanes, .. } => {
                    warps.add(&self.launches, cycles.0, cycles.1, 1);
                    of_launch.push((cycles, lanes.count_ones()));
                }
                Span::Kernel { local_bytes, .. } => {
                    for (cycles, lanes) in of_launch.drain(..) {
                        let bits = u64::from(local_bytes) * 8 * u64::from(lanes);
                        local.add(&self.launches, cycles.0, cycles.1, bits);
                    }
                }
                Span::Cta { .. } => {}
            }
        }
        Ace::new(&Inputs {
            launches: &self.launches,
            kinds: &self.kinds,
            refined: &self.refined,
            code: &self.code,
            registry: &registry,
            warps: &warps,
            local: &local,
            end,
            answers: self.answers(),
        })
    }
}

impl Witness for Analysis {
    fn launch(&mut self, cycle: u64, kernel: &Kernel) {
        self.settle_all();
        self.launches.begin(cycle, &kernel.name);
        if self.code.len() < self.launches.names.len() {
            self.code.push((kernel.code.clone(), kernel.entry));
        }
        self.running = Some(kernel.clone());
    }

    fn issued(&mut self, i: &Issued<'_>) {
        let (sm, place) = (i.sm as usize, i.place as usize);
        let entry = entry(&mut self.ctas, sm, place);
        if entry.as_ref().is_some_and(|c| c.index != i.cta) {
            self.settle(sm, place, None);
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
            self.settle(sm, place, Some(i.cycle));
        }
    }
}

fn entry<T>(table: &mut Vec<Vec<Option<T>>>, outer: usize, inner: usize) -> &mut Option<T> {
    if table.len() <= outer {
        table.resize_with(outer + 1, Vec::new);
    }
    let row = &mut table[outer];
    if row.len() <= inner {
        row.resize_with(inner + 1, || None);
    }
    &mut row[inner]
}

fn at<T: Clone + Default>(table: &mut Vec<Vec<T>>, outer: usize, inner: u32) -> &mut T {
    if table.len() <= outer {
        table.resize_with(outer + 1, Vec::new);
    }
    let row = &mut table[outer];
    if row.len() <= inner as usize {
        row.resize_with(inner as usize + 1, T::default);
    }
    &mut row[inner as usize]
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
