//! Listens to one fault-free run.

use std::sync::{Arc, Mutex, PoisonError};

use upset_device::{Device, Issued, Kernel, Span, Witness};
use upset_state::{By, Event, Part, Registry, Site, Watch};

use crate::arrays::{Kinds, is_observed};
use crate::clock::{Launches, Tally};
use crate::listing::Listing;
use crate::questions::Answer;
use crate::refined::Refined;
use crate::result::{Ace, Inputs};
use crate::{amd, nvidia};

/// An analysis under way.
pub struct Analysis {
    launches: Launches,
    kinds: Kinds,
    refined: Refined,
    /// Code of each kernel, in the order of their first launches.
    code: Vec<Listing>,
    /// Who makes something of whole instructions: one of these hears of some.
    nvidia: nvidia::Front,
    amd: amd::Front,
    questions: usize,
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
            launches: Launches::default(),
            kinds: Kinds::default(),
            refined: Refined::default(),
            code: Vec::new(),
            nvidia: nvidia::Front::new(subcores),
            amd: amd::Front::default(),
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
        let refined = self.refined.tallies().flat_map(|t| t.questions.numbers());
        // At a cut more counts than lifetimes say: what is in both bounds does.
        refined.for_each(|(n, yes)| answers[n].refined &= yes);
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
        self.nvidia.event(event, &self.refined);
        self.amd.event(event);
    }

    fn settle_all(&mut self) {
        self.nvidia.settle_all(&self.launches, &mut self.refined);
        self.amd.settle_all(&self.launches, &mut self.refined);
    }

    /// A kernel begins.
    fn begin(&mut self, cycle: u64, name: &str, code: Listing) {
        self.settle_all();
        self.launches.begin(cycle, name);
        if self.code.len() < self.launches.names.len() {
            self.code.push(code);
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
        self.begin(cycle, &kernel.name, Listing::Nvidia(kernel.code.clone(), kernel.entry));
        self.nvidia.launch(kernel);
    }

    fn issued(&mut self, issued: &Issued<'_>) {
        self.nvidia.issued(issued, &self.launches, &mut self.refined);
    }
}

impl upset_cu::Witness for Analysis {
    fn launch(&mut self, cycle: u64, kernel: &upset_cu::Kernel) {
        let entry = kernel.entry.wrapping_sub(kernel.code.base) as u32;
        self.begin(cycle, &kernel.name, Listing::Amd(kernel.code.clone(), entry));
        self.amd.launch(kernel);
    }

    fn issued(&mut self, issued: &upset_cu::Issued<'_>) {
        self.amd.issued(issued, &self.launches, &mut self.refined);
    }

    fn stepped(&mut self, step: &upset_cu::Step) {
        self.amd.stepped(step);
    }
}
