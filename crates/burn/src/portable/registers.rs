//! Registers of every work-item, as a ring that turns.

use super::common::{ITEMS, SPREAD, about, image, times, words_of};
use crate::random::Random;
use crate::{Arg, Bench, BoardError, Group, Image, Place, Shape, Test, TestAbout};

static IMAGE: Image =
    image("opencl-registers", include_str!("../../../../kernels/burn/opencl/registers.cl"));
const RING: usize = 32;
/// Values that the ring begins with, each with its inverse.
const BACKGROUNDS: [u32; 3] = [0, 0x5555_5555, 0x3333_3333];

/// The test.
pub struct Registers;

static ABOUT: TestAbout = about(
    "opencl-registers",
    Group::Storage,
    "registers",
    "three backgrounds and random words, inverted at every step through 32 registers",
    "32 registers of every work-item, eight work-groups for each compute unit",
    "registers that the compiler does not use; which register it was",
);

impl Test for Registers {
    fn about(&self) -> &'static TestAbout {
        &ABOUT
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let module = bench.module(&IMAGE)?;
        let groups = bench.board.about().sms.max(1) * 8;
        let items = (groups * ITEMS) as usize;
        let steps = 101 * times(bench.effort.level) * bench.effort.rounds.max(1);
        let input = bench.board.alloc(RING as u64 * 4)?;
        let out = bench.board.alloc(items as u64 * RING as u64 * 4)?;
        let mut random = Random::new(bench.seed, "opencl-registers");
        for background in BACKGROUNDS.into_iter().map(Some).chain([None]) {
            let begin: [u32; RING] =
                std::array::from_fn(|_| background.unwrap_or_else(|| random.bits() as u32));
            let bytes: Vec<u8> = begin.iter().flat_map(|w| w.to_le_bytes()).collect();
            bench.board.write(input, 0, &bytes)?;
            bench.board.write(out, 0, &vec![0xa5; items * RING * 4])?;
            let args = [Arg::Buffer(input), Arg::U32(steps), Arg::Buffer(out)];
            bench.board.launch(module, "registers", Shape::row(groups, ITEMS), &args)?;
            bench.board.sync()?;
            let mut back = vec![0; items * RING * 4];
            bench.board.read(out, 0, &mut back)?;
            bench.checked((items * RING) as u64);
            for (item, ring) in (0u32..).zip(words_of(&back).chunks(RING)) {
                for (place, &found) in ring.iter().enumerate() {
                    let expected = turned(&begin, item, steps, place);
                    if found != expected {
                        let note = format!(
                            "work-group {}, work-item {}, value {place} of 32 after {steps} steps",
                            item / ITEMS,
                            item % ITEMS
                        );
                        let words = (expected.into(), found.into(), 32);
                        bench.find("ring", Place::default(), words, note);
                    }
                }
            }
        }
        bench.board.free(out)?;
        bench.board.free(input)
    }
}

/// What is at a place of the ring after so many steps.
fn turned(begin: &[u32; RING], item: u32, steps: u32, place: usize) -> u32 {
    let from = (place + steps as usize) % RING;
    let value = begin[from] ^ item.wrapping_mul(SPREAD);
    if steps.is_multiple_of(2) { value } else { !value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_ring_is_what_single_steps_make_of_it() {
        let begin: [u32; RING] = std::array::from_fn(|i| i as u32 * 77);
        let mut ring = begin.map(|v| v ^ 5u32.wrapping_mul(SPREAD));
        for _ in 0..37 {
            ring.rotate_left(1);
            ring = ring.map(|v| !v);
        }
        let expected: [u32; RING] = std::array::from_fn(|i| turned(&begin, 5, 37, i));
        assert_eq!(ring, expected);
    }
}
