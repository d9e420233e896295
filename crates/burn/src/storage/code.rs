//! Instruction caches: a walk over more code than they hold.

use crate::chip::Coverage;
use crate::images::ICACHE;
use crate::raw::{Code, launch_raw, on_every_sm, unwritten};
use crate::{Arg, Bench, BoardError, Group, Kind, Level, Oracle, Place, Shape, Test, TestAbout};

/// Instruction caches.
pub struct InstructionCache;

static ABOUT: TestAbout = TestAbout {
    name: "icache",
    group: Group::Storage,
    unit: "instruction caches and buffers",
    oracle: Oracle::Cpu,
    patterns: "8,704 instructions one after the other, each with a constant of its own; a \
               checksum for every 2 KB of code",
    footprint: "136 KB of code, more than the caches near the SM, twice, by one warp of each SM",
    blind: "bits of an instruction that mean nothing; lines that a fault makes miss; code of \
            other opcodes than IADD3 and LOP3",
    from: Level::One,
    not_on_model: "",
    injectable: false,
};

const CODE: Code = Code { plain: &ICACHE, inject: None };
const THREADS: u32 = 1024;
const BLOCKS: usize = 68;
const STEPS_OF_A_BLOCK: u32 = 64;
const BYTES_OF_A_BLOCK: u64 = 2048;

impl Test for InstructionCache {
    fn about(&self) -> &'static TestAbout {
        &ABOUT
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let passes = match (bench.board.about().kind, bench.effort.level) {
            (Kind::Model, _) => 2,
            (_, Level::One) => 8,
            _ => 64,
        };
        for _ in 0..bench.effort.rounds.max(1) {
            on_every_sm(bench, |bench, ctas| walk(bench, passes, ctas))?;
        }
        Ok(())
    }
}

fn walk(bench: &mut Bench<'_>, passes: u32, ctas: u32) -> Result<Coverage, BoardError> {
    let about = bench.board.about().clone();
    let sums: Vec<[u32; BLOCKS]> = (0..32).map(checksums).collect();
    let of_pass = BLOCKS * 32;
    let count = ctas as usize * passes as usize * of_pass;
    let shape = Shape::row(ctas, THREADS);
    let (found, at) = launch_raw(bench, CODE, "code_walk", shape, count, &[Arg::U32(passes)])?;
    for (walk, found) in found.chunks_exact(of_pass).enumerate() {
        let (cta, pass) = (walk / passes as usize, walk % passes as usize);
        let warp = cta * (THREADS / 32) as usize;
        for lane in 0..32 {
            // A checksum hangs on all before it: the first wrong one tells the block.
            let wrong = (0..BLOCKS).find(|b| found[b * 32 + lane] != sums[lane][*b]);
            let Some(block) = wrong else { continue };
            let (expected, found) = (sums[lane][block], found[block * 32 + lane]);
            let place = Place {
                address: Some(block as u64 * BYTES_OF_A_BLOCK),
                pipe: Some("l1i".to_string()),
                ..at.lane(warp, lane as u32, &about)
            };
            let note = format!("pass {pass} {}", unwritten(found));
            bench.find("code", place, (expected.into(), found.into(), 32), note);
        }
    }
    bench.checked(count as u64);
    Ok(at.coverage(&about, |w| w % (THREADS / 32) as usize == 0))
}

/// What a lane has computed after each block: the kernel's chain.
fn checksums(lane: u32) -> [u32; BLOCKS] {
    let mut x = lane.wrapping_mul(0x0101_0101);
    std::array::from_fn(|block| {
        let first = block as u32 * STEPS_OF_A_BLOCK;
        for k in first..first + STEPS_OF_A_BLOCK {
            x = (x ^ mixed(2 * k)).wrapping_add(mixed(2 * k + 1));
        }
        x
    })
}

/// The constant of an instruction: the kernel has the same function.
fn mixed(k: u32) -> u32 {
    let n = k + 1;
    (n.wrapping_mul(0x9e37_79b1) ^ (n.wrapping_mul(0x85eb_ca6b) >> 13)) | 1
}
