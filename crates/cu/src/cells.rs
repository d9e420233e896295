//! Where the bits of wave and work-group slots are: the one place that takes a
//! bit's number apart.

use upset_state::{Axis, Bits, Kind};

use crate::counters;
use crate::wave::{PC_BITS, Wave};

/// Bits of a work-group's barrier counter.
pub(crate) const BAR_BITS: u32 = 6;

/// A bit of a wave slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub slot: u32,
    /// Which row, of buffers and counters.
    pub row: u32,
    pub bit: u32,
}

/// What every wave slot has of one kind: rows of so many bits.
#[derive(Clone, Copy)]
pub(crate) struct PerWave {
    pub rows: u32,
    pub bits: u32,
    /// Name of the rows' axis, where there are several.
    axis: Option<Result<&'static str, &'static [&'static str]>>,
    get: fn(&Wave, u32, u32) -> bool,
    set: fn(&mut Wave, u32, u32, bool),
}

impl PerWave {
    /// What a kind is, if wave slots have it; instruction buffers have so many rows.
    pub fn of(kind: Kind, buffer_rows: u32) -> Option<PerWave> {
        let one = |bits, get, set| PerWave { rows: 1, bits, axis: None, get, set };
        Some(match kind {
            Kind::Exec => one(64, get_exec, set_exec),
            Kind::Scc => one(1, get_scc, set_scc),
            Kind::M0 => one(32, get_m0, set_m0),
            Kind::Mode => one(32, get_mode, set_mode),
            Kind::Pc => one(PC_BITS, get_pc, set_pc),
            Kind::Ibuf => PerWave {
                rows: buffer_rows,
                bits: 128,
                axis: Some(Ok("row")),
                get: get_ibuf,
                set: set_ibuf,
            },
            Kind::Wait => PerWave {
                rows: counters::NAMES.len() as u32,
                bits: counters::BITS,
                axis: Some(Err(counters::NAMES)),
                get: get_counter,
                set: set_counter,
            },
            _ => return None,
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
    pub fn axes(&self, waves: u64) -> Vec<Axis> {
        let rows = self.axis.map(|axis| match axis {
            Ok(name) => Axis::new(name, u64::from(self.rows)),
            Err(names) => Axis::named(names),
        });
        let bit = Axis::new("bit", u64::from(self.bits));
        [Axis::new("wave", waves)].into_iter().chain(rows).chain([bit]).collect()
    }

    /// All bits of a compute unit's slots.
    pub fn over<'a>(&self, waves: &'a mut [Wave]) -> OverWaves<'a> {
        OverWaves { per_wave: *self, waves }
    }
}

/// An array of one kind over a compute unit's wave slots.
pub(crate) struct OverWaves<'a> {
    per_wave: PerWave,
    waves: &'a mut [Wave],
}

impl Bits for OverWaves<'_> {
    fn len(&self) -> u64 {
        self.waves.len() as u64 * u64::from(self.per_wave.rows) * u64::from(self.per_wave.bits)
    }

    fn get(&self, bit: u64) -> bool {
        let Cell { slot, row, bit } = self.per_wave.cell(bit);
        self.waves.get(slot as usize).is_some_and(|wave| (self.per_wave.get)(wave, row, bit))
    }

    fn set(&mut self, bit: u64, value: bool) {
        let Cell { slot, row, bit } = self.per_wave.cell(bit);
        if let Some(wave) = self.waves.get_mut(slot as usize) {
            (self.per_wave.set)(wave, row, bit, value);
        }
    }
}

/// The barrier counters of a compute unit's work-group slots.
pub(crate) struct OverBarriers<'a>(pub &'a mut [u8]);

impl OverBarriers<'_> {
    /// Its axes.
    pub fn axes(&self) -> Vec<Axis> {
        vec![Axis::new("group", self.0.len() as u64), Axis::new("bit", u64::from(BAR_BITS))]
    }
}

impl Bits for OverBarriers<'_> {
    fn len(&self) -> u64 {
        self.0.len() as u64 * u64::from(BAR_BITS)
    }

    fn get(&self, bit: u64) -> bool {
        let (slot, bit) = ((bit / u64::from(BAR_BITS)) as usize, bit % u64::from(BAR_BITS));
        self.0.get(slot).is_some_and(|v| v >> bit & 1 == 1)
    }

    fn set(&mut self, bit: u64, value: bool) {
        let (slot, bit) = ((bit / u64::from(BAR_BITS)) as usize, bit % u64::from(BAR_BITS));
        if let Some(v) = self.0.get_mut(slot) {
            *v = *v & !(1 << bit) | u8::from(value) << bit;
        }
    }
}

fn put64(word: &mut u64, bit: u32, value: bool) {
    *word = *word & !(1 << bit) | u64::from(value) << bit;
}

fn get_exec(w: &Wave, _: u32, bit: u32) -> bool {
    w.exec >> bit & 1 == 1
}

fn set_exec(w: &mut Wave, _: u32, bit: u32, value: bool) {
    put64(&mut w.exec, bit, value);
}

fn get_scc(w: &Wave, _: u32, _: u32) -> bool {
    w.scc.get(0, 0)
}

fn set_scc(w: &mut Wave, _: u32, _: u32, value: bool) {
    w.scc.set(0, 0, value);
}

fn get_m0(w: &Wave, _: u32, bit: u32) -> bool {
    w.m0.get(0, bit)
}

fn set_m0(w: &mut Wave, _: u32, bit: u32, value: bool) {
    w.m0.set(0, bit, value);
}

fn get_mode(w: &Wave, _: u32, bit: u32) -> bool {
    w.mode >> bit & 1 == 1
}

fn set_mode(w: &mut Wave, _: u32, bit: u32, value: bool) {
    w.mode = w.mode & !(1 << bit) | u32::from(value) << bit;
}

fn get_pc(w: &Wave, _: u32, bit: u32) -> bool {
    w.pc >> bit & 1 == 1
}

fn set_pc(w: &mut Wave, _: u32, bit: u32, value: bool) {
    put64(&mut w.pc, bit, value);
}

fn get_ibuf(w: &Wave, row: u32, bit: u32) -> bool {
    w.ibuf.rows.get(row, bit)
}

fn set_ibuf(w: &mut Wave, row: u32, bit: u32, value: bool) {
    w.ibuf.rows.set(row, bit, value);
}

fn get_counter(w: &Wave, counter: u32, bit: u32) -> bool {
    w.counters.get(counter as usize, bit)
}

fn set_counter(w: &mut Wave, counter: u32, bit: u32, value: bool) {
    w.counters.set(counter as usize, bit, value);
}
