//! Device memory: own address and its inverse, read back by the host.

use super::common::{ITEMS, SPREAD, about, image, words_of};
use crate::{Arg, Bench, BoardError, Group, Image, Level, Place, Shape, Test, TestAbout};

static IMAGE: Image =
    image("opencl-memory", include_str!("../../../../kernels/burn/opencl/memory.cl"));
/// Bytes that are read back at a time.
const PART: usize = 16 << 20;

/// The test.
pub struct Memory;

static ABOUT: TestAbout = about(
    "opencl-memory",
    Group::Memory,
    "device memory",
    "own address crossed with two backgrounds, and the inverse",
    "32 MB at level 1, then 1 GB, 4 GB and the largest buffer; at most half of what is free",
    "memory outside of the buffer; what caches hide",
);

impl Test for Memory {
    fn about(&self) -> &'static TestAbout {
        &ABOUT
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let module = bench.module(&IMAGE)?;
        let wanted = bench.effort.bytes.unwrap_or(match bench.effort.level {
            Level::One => 32 << 20,
            Level::Two => 1 << 30,
            Level::Three | Level::Four => 4 << 30,
        });
        let bytes = wanted.min(bench.board.free_memory()? / 2).min(16 << 30) & !3;
        let count = (bytes / 4) as u32;
        let buffer = bench.board.alloc(bytes)?;
        let shape = Shape::row(bench.board.about().sms.max(1) * 32, ITEMS);
        for background in [0u32, 0x5555_5555] {
            for inverted in [false, true] {
                if inverted {
                    let args = [Arg::Buffer(buffer), Arg::U32(count)];
                    bench.board.launch(module, "memory_invert", shape, &args)?;
                } else {
                    let args = [Arg::Buffer(buffer), Arg::U32(count), Arg::U32(background)];
                    bench.board.launch(module, "memory_fill", shape, &args)?;
                }
                bench.board.sync()?;
                let mut part = vec![0; PART];
                for at in (0..bytes).step_by(PART) {
                    let part = &mut part[..(bytes - at).min(PART as u64) as usize];
                    bench.board.read(buffer, at, part)?;
                    for (i, &found) in words_of(part).iter().enumerate() {
                        let address = at + i as u64 * 4;
                        let own = background ^ ((address / 4) as u32).wrapping_mul(SPREAD);
                        let expected = if inverted { !own } else { own };
                        if found != expected {
                            let step = if inverted { "inverse" } else { "own address" };
                            let words = (expected.into(), found.into(), 32);
                            bench.find(step, Place::address(address), words, String::new());
                        }
                    }
                }
                bench.checked(u64::from(count));
            }
        }
        bench.board.free(buffer)
    }
}
