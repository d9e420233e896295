//! Where the bits of warp and CTA slots are: the one place that takes a bit's
//! number apart. The registry, stuck bits, owners and ghosts all ask here.

use upset_isa::barrier::{BARRIERS, BarCounter, BarCounters, COUNTER_BITS as BAR_BITS};
use upset_isa::codes::FLAGS;
use upset_isa::control::stack::{self, DEPTH_BITS, ENTRY_BITS};
use upset_state::{Axis, Bits, Kind};

use crate::depend::counters::{self, COUNTERS};
use crate::warp::{PRED_ROWS, UNIFORM_ROWS, Warp};

/// Convergence barriers of a warp.
const BARRIER_ROWS: u32 = 16;
const MASKS: &[&str] = &["active", "live"];
/// What the state memory of the warp unit says of a slot.
pub(crate) const STATES: &[&str] = &["valid", "ready", "waiting", "finished"];

/// A bit of a warp slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub slot: u32,
    /// Which register, entry or thread.
    pub row: u32,
    /// Its bit; of masks the lane.
    pub bit: u32,
}

/// What every warp slot has of one kind: rows of so many bits.
#[derive(Clone, Copy)]
pub(crate) struct PerWarp {
    pub rows: u32,
    pub bits: u32,
    axis: Result<&'static str, &'static [&'static str]>,
    get: fn(&Warp, usize, u32) -> bool,
    set: fn(&mut Warp, usize, u32, bool),
}

impl PerWarp {
    /// What a kind is, if warp slots have it; instruction buffers have so many
    /// `entries`. Warps have a `stack`, or a program counter for each thread
    /// and convergence barriers, and dependence counters with those.
    pub fn of(kind: Kind, entries: u32, stack: bool) -> Option<PerWarp> {
        let rows = |rows, bits, name, get, set| PerWarp { rows, bits, axis: Ok(name), get, set };
        let named = |names: &'static [&'static str], bits, get, set| PerWarp {
            rows: names.len() as u32,
            bits,
            axis: Err(names),
            get,
            set,
        };
        Some(match kind {
            Kind::Pc if stack => named(&["shared"], 32, get_shared_pc, set_shared_pc),
            Kind::Conv | Kind::Sb if stack => return None,
            Kind::Stack if stack => {
                rows(stack::ENTRIES as u32, ENTRY_BITS, "entry", get_stack, set_stack)
            }
            Kind::Sdepth if stack => named(&["entries"], DEPTH_BITS, get_depth, set_depth),
            Kind::Tstate if stack => named(&stack::STATES, 32, get_left, set_left),
            Kind::Cc if stack => named(&FLAGS, 32, get_code, set_code),
            Kind::Stack | Kind::Sdepth | Kind::Tstate | Kind::Cc => return None,
            Kind::Pred => rows(PRED_ROWS, 32, "p", get_pred, set_pred),
            Kind::Upred => rows(PRED_ROWS, 1, "up", get_upred, set_upred),
            Kind::Ureg => rows(UNIFORM_ROWS, 32, "ur", get_ureg, set_ureg),
            Kind::Ibuf => rows(entries, 128, "entry", get_ibuf, set_ibuf),
            Kind::Pc => rows(32, 32, "lane", get_pc, set_pc),
            Kind::Mask => {
                PerWarp { rows: 2, bits: 32, axis: Err(MASKS), get: get_mask, set: set_mask }
            }
            Kind::Conv => rows(BARRIER_ROWS, 32, "b", get_conv, set_conv),
            Kind::Sb => rows(COUNTERS as u32, counters::BITS, "sb", get_counter, set_counter),
            Kind::Wstate => {
                PerWarp { rows: 4, bits: 1, axis: Err(STATES), get: get_state, set: set_state }
            }
            Kind::Rf | Kind::Smem | Kind::Bar | Kind::Lmem | Kind::Gmem | Kind::Cache(_) => {
                return None;
            }
            // Wires: no slot holds them.
            Kind::Fma
            | Kind::Alu
            | Kind::Fp64
            | Kind::Mufu
            | Kind::Lsua
            | Kind::Lsud
            | Kind::Opnd
            | Kind::Sched
            | Kind::Div
            | Kind::Port => return None,
            // A compute unit's.
            Kind::Vrf
            | Kind::Srf
            | Kind::Lds
            | Kind::Exec
            | Kind::Scc
            | Kind::M0
            | Kind::Mode
            | Kind::Wait => return None,
        })
    }

    /// Takes a bit's number apart.
    pub fn cell(&self, bit: u64) -> Cell {
        let (rows, bits) = (u64::from(self.rows), u64::from(self.bits));
        Cell {
            slot: (bit / (rows * bits)) as u32,
            row: (bit / bits % rows) as u32,
            bit: (bit % bits) as u32,
        }
    }

    /// Its axes over so many slots.
    pub fn axes(&self, warps: u64) -> Vec<Axis> {
        let row = match self.axis {
            Ok(name) => Axis::new(name, u64::from(self.rows)),
            Err(names) => Axis::named(names),
        };
        let mut axes = vec![Axis::new("warp", warps), row];
        // A bit with a name of its own needs no number.
        if self.bits > 1 || self.axis.is_ok() {
            axes.push(Axis::new("bit", u64::from(self.bits)));
        }
        axes
    }

    /// All bits of an SM's slots.
    pub fn over<'a>(&self, warps: &'a mut [Warp]) -> OverWarps<'a> {
        OverWarps { per_warp: *self, warps }
    }
}

/// An array of one kind over an SM's warp slots.
pub(crate) struct OverWarps<'a> {
    per_warp: PerWarp,
    warps: &'a mut [Warp],
}

impl Bits for OverWarps<'_> {
    fn len(&self) -> u64 {
        self.warps.len() as u64 * u64::from(self.per_warp.rows) * u64::from(self.per_warp.bits)
    }

    fn get(&self, bit: u64) -> bool {
        let Cell { slot, row, bit } = self.per_warp.cell(bit);
        let warp = self.warps.get(slot as usize);
        warp.is_some_and(|warp| (self.per_warp.get)(warp, row as usize, bit))
    }

    fn set(&mut self, bit: u64, value: bool) {
        let Cell { slot, row, bit } = self.per_warp.cell(bit);
        if let Some(warp) = self.warps.get_mut(slot as usize) {
            (self.per_warp.set)(warp, row as usize, bit, value);
        }
    }
}

const FIELDS: &[&str] = &["arrived", "expected"];

/// The barrier counters of an SM's CTA slots.
pub(crate) struct OverBarriers<'a>(pub &'a mut [BarCounters]);

impl OverBarriers<'_> {
    /// Its axes.
    pub fn axes(&self) -> Vec<Axis> {
        vec![
            Axis::new("cta", self.0.len() as u64),
            Axis::new("b", BARRIERS as u64),
            Axis::named(FIELDS),
            Axis::new("bit", u64::from(BAR_BITS)),
        ]
    }

    /// CTA slot and barrier of a bit.
    pub fn place(bit: u64) -> (usize, usize) {
        let barrier = bit / u64::from(BAR_BITS) / FIELDS.len() as u64;
        ((barrier / BARRIERS as u64) as usize, (barrier % BARRIERS as u64) as usize)
    }

    fn field(counter: &mut BarCounter, bit: u64) -> &mut u16 {
        match bit / u64::from(BAR_BITS) % FIELDS.len() as u64 {
            0 => &mut counter.arrived,
            _ => &mut counter.expected,
        }
    }
}

impl Bits for OverBarriers<'_> {
    fn len(&self) -> u64 {
        self.axes().iter().map(|a| a.size).product()
    }

    fn get(&self, bit: u64) -> bool {
        let (cta, b) = OverBarriers::place(bit);
        let mut counter = self.0.get(cta).map_or(BarCounter::default(), |bars| bars[b]);
        *OverBarriers::field(&mut counter, bit) >> (bit % u64::from(BAR_BITS)) & 1 == 1
    }

    fn set(&mut self, bit: u64, value: bool) {
        let (cta, b) = OverBarriers::place(bit);
        if let Some(bars) = self.0.get_mut(cta) {
            let field = OverBarriers::field(&mut bars[b], bit);
            let at = bit % u64::from(BAR_BITS);
            *field = *field & !(1 << at) | u16::from(value) << at;
        }
    }
}

fn bit32(word: u32, bit: u32) -> bool {
    word >> bit & 1 == 1
}

fn put32(word: &mut u32, bit: u32, value: bool) {
    *word = *word & !(1 << bit) | u32::from(value) << bit;
}

fn get_pred(w: &Warp, p: usize, bit: u32) -> bool {
    w.preds.get(p as u32, bit)
}

fn set_pred(w: &mut Warp, p: usize, bit: u32, value: bool) {
    w.preds.set(p as u32, bit, value);
}

fn get_ureg(w: &Warp, r: usize, bit: u32) -> bool {
    w.uregs.get(r as u32, bit)
}

fn set_ureg(w: &mut Warp, r: usize, bit: u32, value: bool) {
    w.uregs.set(r as u32, bit, value);
}

fn get_upred(w: &Warp, p: usize, bit: u32) -> bool {
    w.upreds.get(p as u32, bit)
}

fn set_upred(w: &mut Warp, p: usize, bit: u32, value: bool) {
    w.upreds.set(p as u32, bit, value);
}

fn get_ibuf(w: &Warp, entry: usize, bit: u32) -> bool {
    w.ibuf.bits.get(entry as u32, bit)
}

fn set_ibuf(w: &mut Warp, entry: usize, bit: u32, value: bool) {
    w.ibuf.bits.set(entry as u32, bit, value);
}

fn get_pc(w: &Warp, lane: usize, bit: u32) -> bool {
    bit32(w.flow.pc_of(lane), bit)
}

/// A thread whose counter changes is no longer with its group.
fn set_pc(w: &mut Warp, lane: usize, bit: u32, value: bool) {
    let mut pc = w.flow.pc_of(lane);
    let before = pc;
    put32(&mut pc, bit, value);
    if pc != before {
        w.flow.active &= !(1 << lane);
        w.flow.thread_pcs_mut()[lane] = pc;
    }
}

fn get_mask(w: &Warp, which: usize, bit: u32) -> bool {
    bit32(if which == 0 { w.flow.active } else { w.flow.live }, bit)
}

fn set_mask(w: &mut Warp, which: usize, bit: u32, value: bool) {
    put32(if which == 0 { &mut w.flow.active } else { &mut w.flow.live }, bit, value);
}

fn get_state(w: &Warp, which: usize, _: u32) -> bool {
    match which {
        0 => w.resident,
        1 => w.ready,
        2 => w.waiting,
        _ => w.finished,
    }
}

fn set_state(w: &mut Warp, which: usize, _: u32, value: bool) {
    let state = match which {
        0 => &mut w.resident,
        1 => &mut w.ready,
        2 => &mut w.waiting,
        _ => &mut w.finished,
    };
    *state = value;
}

fn get_conv(w: &Warp, b: usize, bit: u32) -> bool {
    bit32(w.flow.barriers[b], bit)
}

fn set_conv(w: &mut Warp, b: usize, bit: u32, value: bool) {
    put32(&mut w.flow.barriers[b], bit, value);
}

fn get_shared_pc(w: &Warp, _: usize, bit: u32) -> bool {
    bit32(w.flow.pc, bit)
}

fn set_shared_pc(w: &mut Warp, _: usize, bit: u32, value: bool) {
    put32(&mut w.flow.pc, bit, value);
}

fn get_stack(w: &Warp, entry: usize, bit: u32) -> bool {
    w.flow.stack().is_some_and(|s| s.entries[entry].bit(bit))
}

fn set_stack(w: &mut Warp, entry: usize, bit: u32, value: bool) {
    if let Some(stack) = w.flow.stack_mut() {
        stack.entries[entry].set_bit(bit, value);
    }
}

fn get_depth(w: &Warp, _: usize, bit: u32) -> bool {
    w.flow.stack().is_some_and(|s| s.depth >> bit & 1 == 1)
}

fn set_depth(w: &mut Warp, _: usize, bit: u32, value: bool) {
    if let Some(stack) = w.flow.stack_mut() {
        stack.depth = stack.depth & !(1 << bit) | u16::from(value) << bit;
    }
}

fn get_left(w: &Warp, state: usize, bit: u32) -> bool {
    w.flow.stack().is_some_and(|s| bit32(s.left[state], bit))
}

fn set_left(w: &mut Warp, state: usize, bit: u32, value: bool) {
    if let Some(stack) = w.flow.stack_mut() {
        put32(&mut stack.left[state], bit, value);
    }
}

fn get_code(w: &Warp, flag: usize, bit: u32) -> bool {
    w.codes.is_some_and(|codes| bit32(codes[flag], bit))
}

fn set_code(w: &mut Warp, flag: usize, bit: u32, value: bool) {
    if let Some(codes) = &mut w.codes {
        put32(&mut codes[flag], bit, value);
    }
}

fn get_counter(w: &Warp, c: usize, bit: u32) -> bool {
    w.counters.get(c, bit)
}

fn set_counter(w: &mut Warp, c: usize, bit: u32, value: bool) {
    w.counters.set(c, bit, value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::warp::Home;
    use upset_isa::program::Layout;
    use upset_state::kind::KINDS;
    use upset_state::{ArrayId, Place, Quiet};

    const ENTRIES: u32 = 2;

    /// What warps with and without a stack have.
    fn all() -> impl Iterator<Item = (Kind, bool, PerWarp)> {
        [false, true].into_iter().flat_map(|stack| {
            KINDS
                .iter()
                .filter_map(move |a| Some((a.kind, stack, PerWarp::of(a.kind, ENTRIES, stack)?)))
        })
    }

    #[test]
    fn warps_have_a_stack_or_what_later_ones_have() {
        let has = |stack| -> Vec<Kind> {
            all().filter(|(_, of, _)| *of == stack).map(|(kind, ..)| kind).collect()
        };
        let (with, without) = (has(true), has(false));
        for kind in [Kind::Stack, Kind::Sdepth, Kind::Tstate, Kind::Cc] {
            assert!(with.contains(&kind) && !without.contains(&kind), "{kind:?}");
        }
        for kind in [Kind::Conv, Kind::Sb] {
            assert!(!with.contains(&kind) && without.contains(&kind), "{kind:?}");
        }
    }

    #[test]
    fn every_bit_is_a_cell_of_its_own_and_holds_what_it_is_given() {
        for (kind, stack, per_warp) in all() {
            let mut warps: Vec<Warp> =
                (0..3).map(|slot| Warp::new(0, slot, Home::default(), ENTRIES, stack)).collect();
            let layout = if stack { Layout::Grouped } else { Layout::Wide };
            warps.iter_mut().for_each(|w| w.start(layout.start(8, 0), (0, 0), 0, &mut Quiet));
            let len = per_warp.over(&mut warps).len();
            let axes: u64 = per_warp.axes(3).iter().map(|a| a.size).product();
            assert_eq!(len, axes, "{kind:?}");
            // Each alone, and none beside it.
            for bit in (0..len).step_by(7) {
                let mut bits = per_warp.over(&mut warps);
                let before: Vec<bool> = (0..len).map(|i| bits.get(i)).collect();
                bits.flip(bit);
                let changed: Vec<u64> =
                    (0..len).filter(|&i| bits.get(i) != before[i as usize]).collect();
                assert_eq!(changed, [bit], "{kind:?}");
                let cell = per_warp.cell(bit);
                let number = u64::from(cell.slot * per_warp.rows + cell.row)
                    * u64::from(per_warp.bits)
                    + u64::from(cell.bit);
                assert_eq!(number, bit, "{kind:?}");
            }
            // Beyond the end there is nothing.
            let mut bits = per_warp.over(&mut warps);
            bits.set(len, true);
            assert!(!bits.get(len), "{kind:?}");
        }
    }

    #[test]
    fn barrier_counters_have_their_bits_too() {
        let mut bars = vec![BarCounters::default(); 2];
        let mut bits = OverBarriers(&mut bars);
        assert_eq!(bits.len(), 2 * 16 * 2 * 12);
        for bit in 0..bits.len() {
            bits.flip(bit);
            let set: Vec<u64> = (0..bits.len()).filter(|&i| bits.get(i)).collect();
            assert_eq!(set, [bit]);
            bits.flip(bit);
        }
        bits.set(384 + 12 + 11, true);
        assert_eq!(OverBarriers::place(384 + 12 + 11), (1, 0));
        assert_eq!(bars[1][0], BarCounter { arrived: 0, expected: 1 << 11 });
    }

    #[test]
    fn rows_are_numbered_as_bits_are() {
        for (kind, stack, per_warp) in all() {
            let first = |slot| {
                let w = Warp::new(2, slot, Home::default(), ENTRIES, stack);
                Some(match kind {
                    Kind::Pred => w.preds.place(0),
                    Kind::Upred => w.upreds.place(0),
                    Kind::Ureg => w.uregs.place(0),
                    Kind::Ibuf => w.ibuf.bits.place(0),
                    _ => return None,
                })
            };
            for slot in 0..40 {
                let Some((place, word)) = first(slot) else { continue };
                let bits = u64::from(per_warp.bits);
                let bit = u64::from(slot * per_warp.rows) * bits;
                let (found, words) = Place::of_bit(ArrayId::data(kind, 2), bits, bit);
                assert_eq!(found, place, "{kind:?}");
                assert_ne!(words[word as usize] & 1, 0, "{kind:?}");
            }
        }
    }
}
