//! Wires and latches of an SM's logic: which there are, and where each is driven.
//!
//! A wire holds nothing. Whoever drives it asks the probe what becomes of the
//! value, and goes on with that: broken bits act there and nowhere else. With a
//! probe that breaks nothing all of it compiles to nothing.

mod flow;
mod memory;
mod operands;
mod port;
mod results;

use upset_isa::{Lanes, Unit, WARP};
use upset_state::kind::{KINDS, Per};
use upset_state::{ArrayId, Axis, Bits, Kind, Layout, Probe, Use, Visitor};

use crate::config::{Config, UnitTiming, unit_index};
use crate::sched::line_names::LINES;
use crate::units::latency::has_lite_pipe;

const PIPES: &[&str] = &["heavy", "lite"];
const PORTS: &[&str] = &["a", "b", "c"];
const OUTPUTS: &[&str] = &["taken", "next", "arrive", "release"];
const FIELDS: &[&str] = &["mask", "pc"];
/// Bits of an ALU lane: a word and two predicates.
const ALU_BITS: u64 = 34;

/// An SM's wires.
#[derive(Clone, Debug)]
pub(crate) struct Wires {
    sm: u32,
    /// Schedulers of the SM.
    schedulers: u32,
    /// Warps of a scheduler.
    warps: u64,
    units: [UnitTiming; crate::config::UNITS],
    /// FP32 has two pipes.
    two_pipes: bool,
}

impl Wires {
    /// Those of SM `sm`.
    pub fn new(config: &Config, sm: u32) -> Wires {
        Wires {
            sm,
            schedulers: config.schedulers,
            warps: u64::from(config.warps.div_ceil(config.schedulers.max(1))),
            units: config.units,
            two_pipes: has_lite_pipe(config),
        }
    }

    /// The unit whose latches a kind is.
    fn unit(&self, kind: Kind) -> Option<&UnitTiming> {
        let unit = match kind {
            Kind::Fma => Unit::Fma,
            Kind::Alu => Unit::Alu,
            Kind::Fp64 => Unit::Fp64,
            Kind::Mufu => Unit::Mufu,
            Kind::Lsua | Kind::Lsud => Unit::LoadStore,
            _ => return None,
        };
        Some(&self.units[unit_index(unit)])
    }

    /// Physical lanes of a unit: thread l of a warp uses lane l modulo these.
    fn lanes(&self, kind: Kind) -> usize {
        self.unit(kind).map_or(WARP, |unit| unit.lanes as usize).clamp(1, WARP)
    }

    /// The array of a kind that sub-core `s` uses: its own, or one that all
    /// sub-cores of the SM share.
    #[inline]
    pub fn array(&self, kind: Kind, s: usize) -> ArrayId {
        let own = match kind.about().per {
            Per::SubCore if self.unit(kind).is_some_and(|u| u.shared) => self.sm * self.schedulers,
            Per::SubCore => self.sm * self.schedulers + s as u32,
            Per::Sm | Per::Listed | Per::Chip => self.sm,
        };
        ArrayId::data(kind, own)
    }

    /// The shape of a kind's arrays; none where the chip has no such unit.
    fn axes(&self, kind: Kind) -> Option<Vec<Axis>> {
        let lanes = Axis::new("lane", self.unit(kind).map_or(WARP as u64, |u| u.lanes.into()));
        let bits = |n| Axis::new("bit", n);
        let mut axes = match kind {
            Kind::Fma if self.two_pipes => vec![Axis::named(PIPES), lanes, bits(32)],
            Kind::Fma | Kind::Mufu | Kind::Lsud => vec![lanes, bits(32)],
            Kind::Alu => vec![lanes, bits(ALU_BITS)],
            Kind::Fp64 | Kind::Lsua => vec![lanes, bits(64)],
            Kind::Opnd => vec![Axis::named(PORTS), lanes, bits(32)],
            Kind::Sched => vec![Axis::new("warp", self.warps), Axis::named(LINES)],
            Kind::Div => vec![Axis::named(OUTPUTS), bits(32)],
            Kind::Port => vec![Axis::named(FIELDS), bits(32)],
            _ => return None,
        };
        let groups = self.unit(kind).map_or(0, |unit| unit.groups());
        if groups > 1 {
            axes.insert(0, Axis::new("group", groups.into()));
        }
        axes.iter().all(|axis| axis.size > 0).then_some(axes)
    }

    /// Shows all of them.
    pub fn visit(&self, v: &mut dyn Visitor) {
        for about in KINDS.iter().filter(|about| about.wire) {
            let per_sm = about.per == Per::Sm || self.unit(about.kind).is_some_and(|u| u.shared);
            for s in 0..if per_sm { 1 } else { self.schedulers } {
                let id = self.array(about.kind, s as usize);
                let Some(axes) = self.axes(about.kind).filter(|_| v.wants(id)) else { continue };
                let path = match per_sm {
                    true => format!("sm{}", self.sm),
                    false => format!("sm{}.sub{s}", self.sm),
                };
                let kind = about.name.to_string();
                let layout = Layout { id, kind, path, axes, parted: false };
                let mut nothing = Nothing(layout.bits());
                v.array(&layout, &mut nothing);
            }
        }
    }

    /// Threads of each warp that use a wire; none where it is the whole warp's.
    pub fn threads(&self, kind: Kind, bit: u64) -> Vec<u32> {
        let axes = self.axes(kind).unwrap_or_default();
        let at = match axes.iter().position(|axis| axis.name == "lane") {
            Some(at) => at,
            // A mask has a bit for each thread, a program counter has not.
            None => match kind {
                Kind::Div if bit / 32 != 1 => return vec![(bit % 32) as u32],
                Kind::Port if bit / 32 == 0 => return vec![(bit % 32) as u32],
                _ => return Vec::new(),
            },
        };
        let within: u64 = axes[at + 1..].iter().map(|axis| axis.size).product();
        let lane = bit / within % axes[at].size;
        let uses = |thread: &u32| u64::from(*thread) % axes[at].size == lane;
        (0..WARP as u32).filter(uses).collect()
    }

    /// Warp of the sub-core and name of a scheduler's line.
    pub fn line(&self, kind: Kind, bit: u64) -> Option<(u32, &'static str)> {
        let lines = LINES.len() as u64;
        (kind == Kind::Sched).then(|| ((bit / lines) as u32, LINES[(bit % lines) as usize]))
    }
}

/// The bits of a wire: it holds nothing between uses.
struct Nothing(u64);

impl Bits for Nothing {
    fn len(&self) -> u64 {
        self.0
    }

    fn get(&self, _: u64) -> bool {
        false
    }

    fn set(&mut self, _: u64, _: bool) {}
}

/// Drives a row of a warp's words through latches of so many lanes, of 32 bits
/// each from bit `first` of their array on: as many threads at a time as there
/// are lanes.
fn drive_row<P: Probe>(
    probe: &mut P,
    (array, first, now): (ArrayId, u64, u64),
    lanes: usize,
    operands: [Option<&Lanes>; 3],
    row: &mut Lanes,
) {
    for (beat, words) in row.chunks_mut(lanes).enumerate() {
        let from = beat * lanes;
        let to = from + words.len();
        let operands = operands.map(|row| row.and_then(|row| row.get(from..to)));
        probe.drive(&Use { array, first, now, operands }, words);
    }
}

#[cfg(test)]
mod tests;
