//! The register file: a March test of every register that a kernel can hold,
//! with as many warps as an SM takes, then words of their own.

use super::marched::{Read, backgrounds, reads};
use super::placement;
use crate::chip::Coverage;
use crate::images::{REGISTERS, REGISTERS_INJECT};
use crate::judge::{Expected, Slabs, launch_slabs};
use crate::random::Random;
use crate::raw::{Code, on_every_sm, put, unwritten, with_buffers};
use crate::{About, Arg, Bench, BoardError, Group, Kind, Level, Oracle, Shape, Test, TestAbout};

/// Registers of every warp.
pub struct Registers;

static ABOUT: TestAbout = TestAbout {
    name: "registers",
    group: Group::Storage,
    unit: "register file",
    oracle: Oracle::Cpu,
    patterns: "March C- of each register on up to six backgrounds; a random word of its own in \
               every register of every thread (of 8 warps at level 1 on real chips)",
    footprint: "58 of 64 registers of 32 warps and 249 of 255 of 8 warps, each SM's whole file \
                allocated; 26 of 32 registers of 64 warps where an SM holds as many",
    blind: "rows that only ever hold addresses (R0 to R3 and the last two of the first and last \
            warps of a sub-core); the reuse cache; couplings between rows of different warps but \
            by words of their own",
    from: Level::One,
    not_on_model: "",
    injectable: true,
};

const CODE: Code = Code { plain: &REGISTERS, inject: Some(&REGISTERS_INJECT) };

/// A kernel: its name's ending, registers under test, threads of a CTA, and
/// CTAs that an SM holds.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// `64` of `march_64`.
    pub size: u32,
    /// Registers under test.
    pub registers: usize,
    threads: u32,
    ctas: u32,
}

/// As the source has them.
pub const VARIANTS: [Variant; 3] = [
    Variant { size: 64, registers: 58, threads: 1024, ctas: 1 },
    Variant { size: 256, registers: 249, threads: 256, ctas: 1 },
    Variant { size: 32, registers: 26, threads: 1024, ctas: 2 },
];

/// Those that fill the register file of a chip; the last one fills warp slots.
fn variants(about: &About) -> &'static [Variant] {
    if about.warps_per_sm > 32 { &VARIANTS } else { &VARIANTS[..2] }
}

/// Are there words of their own? The host makes them one by one, which takes
/// longer than the rest: on a real chip at level 1 for one variant only.
fn own_words(about: &About, level: Level, variant: &Variant) -> bool {
    about.kind == Kind::Model || level != Level::One || variant.size == 256
}

/// The first words of shared memory hold the patterns.
const PATTERN_BYTES: u32 = 256;

impl Test for Registers {
    fn about(&self) -> &'static TestAbout {
        &ABOUT
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let about = bench.board.about().clone();
        for round in 0..bench.effort.rounds.max(1) {
            for variant in variants(&about) {
                for &background in backgrounds(&about, bench.effort.level) {
                    on_every_sm(bench, |bench, ctas| march(bench, variant, background, ctas))?;
                }
                if own_words(&about, bench.effort.level, variant) {
                    let seed = bench.seed.wrapping_add(u64::from(round));
                    on_every_sm(bench, |bench, ctas| own(bench, variant, seed, ctas))?;
                }
            }
        }
        Ok(())
    }
}

fn shape(variant: &Variant, ctas: u32) -> Shape {
    Shape { dynamic_shared: PATTERN_BYTES, ..Shape::row(ctas * variant.ctas, variant.threads) }
}

fn march(
    bench: &mut Bench<'_>,
    variant: &Variant,
    background: u32,
    ctas: u32,
) -> Result<Coverage, BoardError> {
    let about = bench.board.about().clone();
    let reads = reads();
    let shape = shape(variant, ctas);
    let warps = crate::raw::warps_of(shape, &about);
    let of_warp = reads.len() * variant.registers * 32;
    let kernel = format!("march_{}", variant.size);
    let args = [Arg::U32(background)];
    let of_read = |read: &Read| vec![read.expected(background); variant.registers * 32];
    let all: Vec<u32> = reads.iter().flat_map(of_read).collect();
    let slabs = Slabs { words: of_warp, warps: 1, expected: Expected::Same(&all) };
    let (slabs, at) = launch_slabs(bench, CODE, &kernel, shape, slabs, &args)?;
    let named = registers(bench, &kernel, variant, reads.len());
    for slab in slabs {
        let warp = slab.number;
        for (i, row) in slab.words.chunks_exact(32).enumerate() {
            let (read, register) = (i / variant.registers, i % variant.registers);
            let expected = reads[read].expected(background);
            for (lane, &found) in row.iter().enumerate().filter(|(_, w)| **w != expected) {
                let mut place = at.lane(warp, lane as u32, &about);
                place.register = named.get(i).copied();
                let operation = reads[read].operation(background);
                let note = format!(
                    "{kernel}, register {register} of {} {}",
                    variant.registers,
                    unwritten(found)
                );
                bench.find(&operation, place, (expected.into(), found.into(), 32), note);
            }
        }
    }
    bench.checked((warps * of_warp) as u64);
    Ok(at.coverage(&about, |_| true))
}

fn own(
    bench: &mut Bench<'_>,
    variant: &Variant,
    seed: u64,
    ctas: u32,
) -> Result<Coverage, BoardError> {
    let about = bench.board.about().clone();
    let shape = shape(variant, ctas);
    let warps = crate::raw::warps_of(shape, &about);
    let of_warp = variant.registers * 32;
    let kernel = format!("own_{}", variant.size);
    let mut random = Random::new(seed, &kernel);
    let words: Vec<u32> = (0..warps * of_warp).map(|_| random.bits() as u32).collect();
    let (found, at) = with_buffers(bench, [words.len() as u64 * 4], |bench, [input]| {
        put(bench, input, &words)?;
        let slabs = Slabs { words: of_warp, warps: 1, expected: Expected::Input(input) };
        launch_slabs(bench, CODE, &kernel, shape, slabs, &[Arg::Buffer(input)])
    })?;
    let named = registers(bench, &kernel, variant, 1);
    let results = found.iter().flat_map(|s| s.words.iter().zip(s.number * of_warp..));
    for (&found, i) in results {
        let expected = words[i];
        if expected == found {
            continue;
        }
        let (warp, register, lane) = (i / of_warp, i % of_warp / 32, i % 32);
        let mut place = at.lane(warp, lane as u32, &about);
        place.register = named.get(register).copied();
        let other = words.iter().position(|w| *w == found);
        let note = match other {
            Some(j) => format!(
                "{kernel}; it is the word of register {} of lane {}, {} warps further",
                j % of_warp / 32,
                j % 32,
                (j / of_warp) as i64 - warp as i64
            ),
            None => format!("{kernel} {}", unwritten(found)),
        };
        bench.find("own word", place, (expected.into(), found.into(), 32), note);
    }
    bench.checked(words.len() as u64);
    Ok(at.coverage(&about, |_| true))
}

/// Which register each kept word comes from, as the machine code says; empty
/// where the board compiles it by itself.
fn registers(bench: &Bench<'_>, kernel: &str, variant: &Variant, reads: usize) -> Vec<u32> {
    let about = bench.board.about();
    let sm = about.arch.trim_start_matches("sm_").parse().unwrap_or(0);
    // Errors made on purpose cost registers: the variant holds values elsewhere.
    let image = if bench.inject.is_some() { &REGISTERS_INJECT } else { &REGISTERS };
    let kept = image.machine_code(sm).and_then(|code| placement::kept(code, sm, kernel));
    kept.filter(|k| k.len() == reads * variant.registers)
        .map(|k| {
            // Down walks keep the last register first.
            let mut by_offset = k;
            by_offset.sort_by_key(|kept| kept.offset);
            by_offset.iter().map(|kept| kept.register).collect()
        })
        .unwrap_or_default()
}
