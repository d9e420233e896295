//! Drawing from the bits that live threads and CTAs own.
//!
//! All pairs of a live bit and a cycle of the window are equally likely. A stay
//! is chosen by its bits x cycles, never a cycle first and a thread then: a
//! cycle with one live warp would count as much as one with a thousand, and the
//! rate of failures times the live share would not be the AVF.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use upset_state::{ArrayId, Owner, kind};

use crate::experiment::MAX_CHANGES;
use crate::random::Draws;
use crate::{
    CtaStay, Experiment, Fault, FaultError, Key, ModelSpec, Residency, Structure, WarpStay, Window,
};

const WORD_BITS: u64 = 32;
/// Bits between a thread's words in local memory: 32 lanes.
const ROW_BITS: u64 = 32 * WORD_BITS;

/// Who gets the mask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The drawn thread.
    #[default]
    Thread,
    /// Every thread that exists in its warp.
    Warp,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scope::Thread => "thread",
            Scope::Warp => "warp",
        })
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Scope, String> {
        match text {
            "thread" => Ok(Scope::Thread),
            "warp" => Ok(Scope::Warp),
            _ => Err(format!("`{text}` must be thread, warp")),
        }
    }
}

/// What kind of faults to draw from live bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActiveRecipe {
    /// What happens to the bits.
    pub model: ModelSpec,
    /// Bits of the mask: distinct bits of one 32-bit word.
    pub bits: u32,
    /// Words of the thread (registers, words of local memory) or of the CTA's
    /// shared memory that get the mask.
    pub registers: u32,
    /// Who gets it; shared memory has no threads.
    pub scope: Scope,
    /// Live CTAs that get it at the same offsets (all, when fewer live at that
    /// cycle); 1 for registers and local memory.
    pub ctas: u32,
}

impl Default for ActiveRecipe {
    fn default() -> ActiveRecipe {
        ActiveRecipe {
            model: ModelSpec::Flip,
            bits: 1,
            registers: 1,
            scope: Scope::Thread,
            ctas: 1,
        }
    }
}

/// The bits that someone owns for a while.
#[derive(Clone, Debug)]
struct Stay {
    cycles: Range<u64>,
    array: ArrayId,
    /// Bit 0 of word 0 of lane 0.
    first_bit: u64,
    /// Bits from a word to the next.
    stride: u64,
    /// Threads; only lane 0 for shared memory.
    lanes: u64,
    /// Bits of each thread. The last word of shared memory may be cut.
    bits: u64,
}

impl Stay {
    fn of_registers(warp: &WarpStay) -> Stay {
        let register_bits = u64::from(warp.width) * WORD_BITS;
        Stay {
            cycles: warp.cycles.clone(),
            array: warp.rf,
            first_bit: u64::from(warp.first_row) * register_bits,
            stride: register_bits,
            lanes: warp.lanes,
            bits: u64::from(warp.registers) * WORD_BITS,
        }
    }

    fn of_local(warp: &WarpStay) -> Option<Stay> {
        warp.local.as_ref().map(|local| Stay {
            cycles: warp.cycles.clone(),
            array: local.array,
            first_bit: local.first_byte * 8,
            stride: ROW_BITS,
            lanes: warp.lanes,
            bits: u64::from(local.bytes.div_ceil(4)) * WORD_BITS,
        })
    }

    fn of_shared(cta: &CtaStay) -> Stay {
        Stay {
            cycles: cta.cycles.clone(),
            array: cta.array,
            first_bit: cta.first_byte * 8,
            stride: WORD_BITS,
            lanes: 1,
            bits: cta.bytes * 8,
        }
    }

    fn all_bits(&self) -> u64 {
        self.bits * u64::from(self.lanes.count_ones())
    }

    /// Words that are whole.
    fn words(&self) -> u64 {
        self.bits / WORD_BITS
    }

    fn word_bits(&self, word: u64) -> u64 {
        WORD_BITS.min(self.bits.saturating_sub(word * WORD_BITS))
    }

    fn each_lane(&self) -> impl Iterator<Item = u64> {
        (0..64).filter(|lane| self.lanes >> lane & 1 == 1)
    }

    fn nth_lane(&self, n: u64) -> u64 {
        self.each_lane().nth(n as usize).unwrap_or(0)
    }
}

/// What the bits of a structure belong to.
fn owner(structure: &Structure) -> Option<Owner> {
    kind::named(&structure.kind).map(|about| about.owner)
}

/// The live bits x cycles of a structure in a window, ready to draw from.
#[derive(Clone, Debug)]
pub struct ActiveIndex {
    structure: Structure,
    window: Window,
    stays: Vec<Stay>,
    /// Bits x cycles of all stays up to and including each.
    ends: Vec<u128>,
    /// The most whole words that a thread or CTA has.
    most_words: u64,
    /// The most bits that a word has.
    widest: u64,
}

impl ActiveIndex {
    /// Collects the stays that reach into the window. The structure is `rf`,
    /// `lmem` or `smem`, or on AMD's chips `vrf` or `lds`.
    pub fn new(
        residency: &Residency,
        structure: &Structure,
        window: &Window,
    ) -> Result<ActiveIndex, FaultError> {
        let all: Vec<Stay> = match owner(structure) {
            Some(Owner::Register) => residency.warps.iter().map(Stay::of_registers).collect(),
            Some(Owner::Local) => residency.warps.iter().filter_map(Stay::of_local).collect(),
            Some(Owner::Cta) => residency.ctas.iter().map(Stay::of_shared).collect(),
            Some(Owner::Warp | Owner::Line | Owner::Chip) | None => {
                return Err(FaultError::Nothing(format!(
                    "{structure} has no owners: rf, lmem and smem (vrf and lds) can be sampled \
                     actively, the others physically"
                )));
            }
        };
        let mut index = ActiveIndex {
            structure: structure.clone(),
            window: window.clone(),
            stays: Vec::new(),
            ends: Vec::new(),
            most_words: 0,
            widest: 0,
        };
        for stay in all {
            let cycles =
                window.before(stay.cycles.end).saturating_sub(window.before(stay.cycles.start));
            let area = u128::from(stay.all_bits()) * u128::from(cycles);
            if area > 0 {
                index.ends.push(index.area() + area);
                index.most_words = index.most_words.max(stay.words());
                index.widest = index.widest.max(stay.word_bits(0));
                index.stays.push(stay);
            }
        }
        Ok(index)
    }

    /// Live bits x cycles in the window.
    pub fn area(&self) -> u128 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The share of the structure's bits x the window's cycles that is live:
    /// what a rate of failures of active samples is multiplied by.
    pub fn derating(&self, structure_bits: u64) -> f64 {
        let all = u128::from(structure_bits) * u128::from(self.window.cycles());
        if all == 0 { 0.0 } else { self.area() as f64 / all as f64 }
    }

    /// Any live bit at any cycle: the stay, the cycle and the bit in it.
    fn anchor(&self, draws: &mut Draws) -> (usize, u64, u64) {
        let n = draws.below_wide(self.area());
        let at = self.ends.partition_point(|&end| end <= n);
        let stay = &self.stays[at];
        let within = n - if at == 0 { 0 } else { self.ends[at - 1] };
        let bits = u128::from(stay.all_bits());
        let first = self.window.before(stay.cycles.start);
        let cycle = self.window.nth(first + (within / bits) as u64).unwrap_or(0);
        (at, cycle, (within % bits) as u64)
    }
}

/// Live bits x cycles of `rf`, `lmem` or `smem` in a window. As a share of the
/// structure's bits x the window's cycles it is the derating factor.
pub fn active_area(
    residency: &Residency,
    structure: &Structure,
    window: &Window,
) -> Result<u128, FaultError> {
    Ok(ActiveIndex::new(residency, structure, window)?.area())
}

/// Experiment `number` of a key: a mask of bits in words of a live thread, of
/// all threads of its warp, or of live CTAs.
pub fn draw_active(
    index: &ActiveIndex,
    recipe: &ActiveRecipe,
    key: Key,
    number: u64,
) -> Result<Experiment, FaultError> {
    check(index, recipe)?;
    let mut draws = Draws::new(key, number);
    let (bits, words) = (u64::from(recipe.bits), u64::from(recipe.registers));
    // Where the pattern doesn't fit, another place is drawn: `check` has seen
    // that there is one, and so all that fit are equally likely.
    let (at, cycle, word, lane, bit) = loop {
        let (at, cycle, n) = index.anchor(&mut draws);
        let stay = &index.stays[at];
        let (lane, n) = (stay.nth_lane(n / stay.bits), n % stay.bits);
        let (word, bit) = (n / WORD_BITS, n % WORD_BITS);
        let several = words > 1 && (word >= stay.words() || stay.words() < words);
        if stay.word_bits(word) >= bits && !several {
            break (at, cycle, word, lane, bit);
        }
    };
    let stay = &index.stays[at];
    let mask = draws.distinct_with(bit, bits, stay.word_bits(word));
    let words = if words > 1 { draws.distinct_with(word, words, stay.words()) } else { vec![word] };
    let offsets: Vec<u64> = words
        .iter()
        .flat_map(|word| mask.iter().map(move |bit| word * stay.stride + bit))
        .collect();
    let (model, when) = recipe.model.at(cycle, &index.window, false, &mut draws);
    let lanes: Vec<u64> = match recipe.scope {
        Scope::Thread => vec![lane],
        Scope::Warp => stay.each_lane().collect(),
    };
    let mut owners = vec![at];
    if recipe.ctas > 1 {
        owners = ctas(index, at, cycle, &offsets, recipe, &mut draws);
    }
    let mut faults = Vec::new();
    for owner in owners {
        let stay = &index.stays[owner];
        let hit = |lane: &u64| {
            let first = stay.first_bit + lane * WORD_BITS;
            offsets.iter().map(move |offset| first + offset)
        };
        let bits = lanes.iter().flat_map(hit).collect();
        faults.push(Fault { model, array: stay.array, bits, when });
    }
    Experiment::new(faults)
}

/// CTAs that live at the cycle and have the offsets, the drawn one among them.
fn ctas(
    index: &ActiveIndex,
    drawn: usize,
    cycle: u64,
    offsets: &[u64],
    recipe: &ActiveRecipe,
    draws: &mut Draws,
) -> Vec<usize> {
    let last = offsets.iter().max().copied().unwrap_or(0);
    let live: Vec<usize> = (0..index.stays.len())
        .filter(|&i| index.stays[i].cycles.contains(&cycle) && last < index.stays[i].bits)
        .collect();
    let at = live.partition_point(|&i| i < drawn) as u64;
    let count = u64::from(recipe.ctas).min(live.len() as u64);
    let chosen = draws.distinct_with(at, count, live.len() as u64);
    chosen.into_iter().map(|i| live[i as usize]).collect()
}

fn check(index: &ActiveIndex, recipe: &ActiveRecipe) -> Result<(), FaultError> {
    let structure = &index.structure;
    if index.area() == 0 {
        let why = format!("nobody owns bits of {structure} in the window");
        return Err(FaultError::Nothing(why));
    }
    let (bits, words) = (u64::from(recipe.bits), u64::from(recipe.registers));
    let why = if recipe.bits == 0 || recipe.registers == 0 || recipe.ctas == 0 {
        "bits, registers and CTAs are at least 1".to_string()
    } else if recipe.ctas > 1 && owner(structure) != Some(Owner::Cta) {
        "only shared memory belongs to CTAs".to_string()
    } else if bits > index.widest {
        format!("a word has at most {} bits", index.widest)
    } else if words > 1 && words > index.most_words {
        format!("a thread or CTA has at most {} words there", index.most_words)
    } else if bits * words * 32 * u64::from(recipe.ctas) > MAX_CHANGES {
        format!("more than {MAX_CHANGES} bits are too many for one experiment")
    } else {
        return Ok(());
    };
    Err(FaultError::NoRoom {
        pattern: format!("masks of {bits} bits in {words} words"),
        structure: structure.to_string(),
        why,
    })
}

#[cfg(test)]
mod tests;
