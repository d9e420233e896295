//! What an analysis found.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use upset_state::kind::Per;
use upset_state::{Kind, Layout, Owner, Part, Registry};

use crate::arrays::{Arrays, Kinds};
use crate::clock::{Launches, Tally};
use crate::hot::ValueOrigin;
use crate::listing::Listing;
use crate::questions::Answer;
use crate::refined::Refined;

/// Upper bounds on the vulnerability of a structure while a kernel runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The kernel, all its launches; none for the whole run.
    pub kernel: Option<String>,
    /// `rf`, `l2`, `l2.tag`, …
    pub structure: String,
    /// Bits of the structure.
    pub bits: u64,
    /// Cycles of the kernel.
    pub cycles: u64,
    /// Share of all bits x cycles that somebody owned.
    pub occupancy: f64,
    /// Share of all bits, on average over the cycles, that a flip may harm.
    pub avf: f64,
    /// The bound on AVF-util: of the bits that somebody owned.
    pub avf_util: f64,
    /// [`Bound::avf`] without dead values and bits that logic masks.
    pub refined: f64,
    /// [`Bound::avf_util`], likewise.
    pub refined_util: f64,
}

/// Vulnerable bits over the time of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// The structure.
    pub structure: String,
    /// Cycles of a bucket.
    pub bucket_cycles: f64,
    /// Mean number of vulnerable bits in each bucket.
    pub ace: Vec<f64>,
    /// The refined bound in each of them.
    pub refined: Vec<f64>,
    /// Mean number of bits that somebody owned.
    pub owned: Vec<f64>,
}

impl Timeline {
    /// SIFI's AVF-util (its equation 10): the mean over time of vulnerable bits as
    /// a share of those in use. [`Bound::avf_util`] divides the sums instead, so
    /// that AVF is AVF-util times occupancy.
    pub fn mean_util(&self) -> f64 {
        let share = |(ace, owned): (&f64, &f64)| if *owned > 0.0 { ace / owned } else { 0.0 };
        let sum: f64 = self.ace.iter().zip(&self.owned).map(share).sum();
        sum / self.ace.len().max(1) as f64
    }
}

/// Values that carry vulnerability: all that one instruction wrote to one place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HotSpot {
    /// `rf` or `smem`; of AMD's `vrf`, `srf` or `lds`.
    pub structure: String,
    /// The kernel.
    pub kernel: String,
    /// Byte offset of the instruction from the kernel's first; none for values
    /// that were there before the kernel.
    pub offset: Option<u64>,
    /// Its machine word; of AMD's two dwords.
    #[serde(skip)]
    pub word: Option<u128>,
    /// The register; none for shared memory and LDS.
    pub register: Option<String>,
    /// Refined vulnerable bits times cycles.
    pub bit_cycles: u64,
    /// Share of the structure's in the whole run.
    pub share: f64,
}

/// The analysis of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ace {
    /// Cycles of the run.
    pub cycles: u64,
    /// By kernel in the order of first launches, the whole run last; by structure.
    pub bounds: Vec<Bound>,
    /// By structure.
    pub timelines: Vec<Timeline>,
    /// The most vulnerable first.
    pub hot_spots: Vec<HotSpot>,
    /// Of the bits that were asked about, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
}

/// Buckets of a timeline.
const BUCKETS: usize = 64;
/// Hot spots of each structure that are told.
const HOTTEST: usize = 32;

/// VCC among scalar registers, as operand codes have it.
pub(crate) const VCC: u8 = 106;
const VCC_HIGH: u8 = VCC + 1;

/// What results are made of.
pub(crate) struct Inputs<'a> {
    pub(crate) launches: &'a Launches,
    pub(crate) kinds: &'a Kinds,
    pub(crate) refined: &'a Refined,
    pub(crate) code: &'a [Listing],
    pub(crate) registry: &'a Registry,
    /// Warps that were there.
    pub(crate) warps: &'a Tally,
    /// Bits of local memory that threads had.
    pub(crate) local: &'a Tally,
    pub(crate) end: u64,
    pub(crate) answers: Vec<Answer>,
}

/// A weighted sum of tallies.
type Sum<'a> = Vec<(&'a Tally, u64)>;

/// A structure and what its figures are sums of.
struct Structure<'a> {
    name: String,
    bits: u64,
    ace: Sum<'a>,
    refined: Sum<'a>,
    owned: Sum<'a>,
}

impl Ace {
    pub(crate) fn new(inputs: &Inputs<'_>) -> Ace {
        let nothing = Arrays::default();
        let structures = structures(inputs, &nothing);
        let mut bounds = Vec::new();
        let cycles = inputs.launches.cycles(inputs.end);
        let by_kernel = |sum: &Sum<'_>| {
            let mut all = vec![0u64; cycles.len()];
            for (tally, weight) in sum {
                let each = tally.by_kernel(inputs.launches, inputs.end);
                all.iter_mut().zip(each).for_each(|(a, n)| *a += n * weight);
            }
            all
        };
        let figures: Vec<[Vec<u64>; 3]> = structures
            .iter()
            .map(|s| [by_kernel(&s.ace), by_kernel(&s.refined), by_kernel(&s.owned)])
            .collect();
        let names = inputs.launches.names.iter().map(|n| Some(n.clone())).chain([None]);
        for (k, kernel) in names.enumerate() {
            for (s, figures) in structures.iter().zip(&figures) {
                let of = |all: &[u64]| match kernel {
                    Some(_) => all[k],
                    None => all.iter().sum(),
                };
                let (ace, refined, owned) = (of(&figures[0]), of(&figures[1]), of(&figures[2]));
                let refined = refined.min(ace);
                let cycles = of(&cycles);
                let share = |n: u64, of: f64| if of > 0.0 { (n as f64 / of).min(1.0) } else { 0.0 };
                let area = s.bits as f64 * cycles as f64;
                bounds.push(Bound {
                    kernel: kernel.clone(),
                    structure: s.name.clone(),
                    bits: s.bits,
                    cycles,
                    occupancy: share(owned, area),
                    avf: share(ace, area),
                    avf_util: share(ace, owned as f64),
                    refined: share(refined, area),
                    refined_util: share(refined, owned as f64),
                });
            }
        }
        let timelines = structures.iter().map(|s| timeline(s, inputs.end)).collect();
        let (cycles, hot_spots) = (inputs.end, hot_spots(inputs));
        Ace { cycles, bounds, timelines, hot_spots, answers: inputs.answers.clone() }
    }
}

fn timeline(s: &Structure<'_>, end: u64) -> Timeline {
    let sum = |sum: &Sum<'_>| {
        let mut all = vec![0.0; BUCKETS];
        for (tally, weight) in sum {
            let each = tally.timeline(end, BUCKETS);
            all.iter_mut().zip(each).for_each(|(a, n)| *a += n * *weight as f64);
        }
        all
    };
    Timeline {
        structure: s.name.clone(),
        bucket_cycles: end as f64 / BUCKETS as f64,
        ace: sum(&s.ace),
        refined: sum(&s.refined),
        owned: sum(&s.owned),
    }
}

fn structures<'a>(inputs: &Inputs<'a>, nothing: &'a Arrays) -> Vec<Structure<'a>> {
    let mut structures: Vec<Structure<'a>> = Vec::new();
    for layout in &inputs.registry.arrays {
        let kind = layout.id.kind;
        let arrays = inputs.kinds.get(&kind).unwrap_or(nothing);
        if !crate::arrays::is_observed(kind) {
            continue;
        }
        if let Kind::Cache(_) = kind {
            let name = format!("{}.{}", layout.kind, layout.id.part);
            let whole = grow(&mut structures, &layout.kind, layout.bits());
            if let Some(s) = whole {
                cache(s, arrays, layout, inputs.registry, None);
            }
            if let Some(s) = grow(&mut structures, &name, layout.bits()) {
                cache(s, arrays, layout, inputs.registry, Some(layout.id.part));
            }
            continue;
        }
        let Some(s) = grow(&mut structures, &layout.kind, layout.bits()) else { continue };
        let of_warp = layout.bits() / layout.axes.first().map_or(1, |a| a.size.max(1));
        s.ace = vec![(&arrays.data, 1)];
        s.refined = vec![(inputs.refined.of(kind).unwrap_or(&arrays.data), 1)];
        s.owned = vec![match kind.about().owner {
            Owner::Register | Owner::Cta => (&arrays.owned, 1),
            // Scalar registers are given out row by row.
            Owner::Warp if kind.about().per == Per::SubCore => (&arrays.owned, 1),
            Owner::Local => (inputs.local, 1),
            // Lines are dealt with above; what is always in use has no lifetimes.
            Owner::Warp | Owner::Line | Owner::Chip => (inputs.warps, of_warp),
        }];
    }
    structures
}

/// Adds an array to its structure; gives the structure when it is new.
fn grow<'s, 'a>(
    structures: &'s mut Vec<Structure<'a>>,
    name: &str,
    bits: u64,
) -> Option<&'s mut Structure<'a>> {
    if let Some(s) = structures.iter_mut().find(|s| s.name == name) {
        s.bits += bits;
        return None;
    }
    let none = Vec::new;
    let name = name.to_string();
    structures.push(Structure { name, bits, ace: none(), refined: none(), owned: none() });
    structures.last_mut()
}

fn cache<'a>(
    s: &mut Structure<'a>,
    arrays: &'a Arrays,
    layout: &Layout,
    registry: &Registry,
    only: Option<Part>,
) {
    for part in [Part::Data, Part::Tag, Part::State] {
        if only.is_some_and(|p| p != part) {
            continue;
        }
        let bits = registry.layout(layout.id.with(part)).map_or(0, Layout::row_bits);
        s.ace.push(match part {
            Part::Data => (&arrays.data, 1),
            Part::Tag => (&arrays.tags, bits),
            Part::State => (&arrays.states, bits),
        });
        s.owned.push(match part {
            Part::Data | Part::Tag => (&arrays.lines, bits),
            // Its tag stays: that there is nothing must be told for good.
            Part::State => (&arrays.states, bits),
        });
    }
    s.refined = s.ace.clone();
}

/// The name of the register that a value lay in.
fn register(place: &ValueOrigin) -> Option<String> {
    let n = place.register?;
    Some(match (place.kind, n) {
        (Kind::Vrf, _) => format!("v{n}"),
        (Kind::Srf, VCC) => "vcc_lo".into(),
        (Kind::Srf, VCC_HIGH) => "vcc_hi".into(),
        (Kind::Srf, _) => format!("s{n}"),
        _ => format!("R{n}"),
    })
}

fn hot_spots(inputs: &Inputs<'_>) -> Vec<HotSpot> {
    let mut spots = Vec::new();
    let spent = &inputs.refined.hot.spent;
    let kinds: BTreeSet<Kind> = spent.keys().map(|place| place.kind).collect();
    for kind in kinds {
        let mut all: Vec<_> = spent.iter().filter(|(p, _)| p.kind == kind).collect();
        let total: u64 = all.iter().map(|(_, n)| **n).sum();
        all.sort_by_key(|(place, n)| (std::cmp::Reverse(**n), **place));
        for (place, &bit_cycles) in all.into_iter().take(HOTTEST) {
            let code = inputs.code.get(place.kernel as usize);
            let word = |pc: u32| code.and_then(|c| c.word(pc));
            let entry = code.map_or(0, Listing::entry);
            spots.push(HotSpot {
                structure: kind.name().unwrap_or_default().to_string(),
                kernel: inputs
                    .launches
                    .names
                    .get(place.kernel as usize)
                    .cloned()
                    .unwrap_or_default(),
                offset: place.pc.map(|pc| u64::from(pc.wrapping_sub(entry))),
                word: place.pc.and_then(word),
                register: register(place),
                bit_cycles,
                share: bit_cycles as f64 / total.max(1) as f64,
            });
        }
    }
    spots
}
