//! Copies between host and device: sizes and alignments of all kinds.

use crate::random::Random;
use crate::raw::with_buffers;
use crate::{Bench, BoardError, Group, Kind, Level, Oracle, Place, Test, TestAbout};

/// Copies there and back.
pub struct Copies;

static ABOUT: TestAbout = TestAbout {
    name: "copies",
    group: Group::Memory,
    unit: "copy engines and the bus",
    oracle: Oracle::Cpu,
    patterns: "random bytes, copied there and back, with sizes around powers of two and every \
               alignment of 16 bytes; what lies around them must stay as it was",
    footprint: "1 byte to 64 KB on the model, to 256 MB on real chips",
    blind: "which engine copied; peer-to-peer links",
    from: Level::One,
    injectable: false,
    not_on_model: "",
};

/// Bytes on both sides of a copy that nobody may touch.
const MARGIN: usize = 64;
const UNTOUCHED: u8 = 0xc3;

impl Test for Copies {
    fn about(&self) -> &'static TestAbout {
        &ABOUT
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let largest = match (bench.board.about().kind, bench.effort.level) {
            (Kind::Model, _) => 16,
            (_, Level::One) => 20,
            _ => 28,
        };
        let apart = match (bench.board.about().kind, bench.effort.level) {
            (Kind::Cuda | Kind::Opencl, Level::One) => 5,
            _ => 1,
        };
        let sizes = sizes(largest);
        let room = (1usize << largest) + 2 * MARGIN + 32;
        let mut source = Random::new(bench.seed, "copies");
        with_buffers(bench, [room as u64], |bench, [buffer]| {
            for _ in 0..bench.effort.rounds.max(1) {
                for (i, &size) in sizes.iter().enumerate() {
                    // Large copies at one alignment each, small ones at all of them.
                    let alignments = if size <= 256 { 0..16 } else { i % 16..i % 16 + 1 };
                    for alignment in alignments.step_by(apart) {
                        let bytes: Vec<u8> = (0..size).map(|_| source.bits() as u8).collect();
                        round_trip(bench, buffer, alignment, &bytes)?;
                    }
                }
            }
            Ok(())
        })
    }
}

/// Around every power of two.
fn sizes(largest: u32) -> Vec<usize> {
    let mut all: Vec<usize> = (0..=largest)
        .flat_map(|p| [(1usize << p).saturating_sub(1).max(1), 1 << p, (1 << p) + 1])
        .filter(|n| *n <= 1 << largest)
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn round_trip(
    bench: &mut Bench<'_>,
    buffer: crate::Buffer,
    alignment: usize,
    bytes: &[u8],
) -> Result<(), BoardError> {
    let whole = 2 * MARGIN + alignment + bytes.len();
    bench.board.write(buffer, 0, &vec![UNTOUCHED; whole])?;
    let start = MARGIN + alignment;
    bench.board.write(buffer, start as u64, bytes)?;
    let mut back = vec![0; bytes.len()];
    bench.board.read(buffer, start as u64, &mut back)?;
    let mut around = vec![0; whole];
    bench.board.read(buffer, 0, &mut around)?;
    let operation = format!("{} bytes at {alignment}", bytes.len());
    let mut find = |name: &str, at: usize, expected: u8, found: u8| {
        let place = Place::address(buffer.handle + at as u64);
        bench.find(&operation, place, (expected.into(), found.into(), 8), name.to_string());
    };
    for (i, (&expected, &found)) in bytes.iter().zip(&back).enumerate() {
        if expected != found {
            find("copied back alone", start + i, expected, found);
        }
    }
    for (i, &found) in around.iter().enumerate() {
        let inside = i.checked_sub(start).and_then(|k| bytes.get(k));
        let (name, expected) = match inside {
            Some(&byte) => ("copied back with what is around", byte),
            None => ("outside of the copy", UNTOUCHED),
        };
        if found != expected {
            find(name, i, expected, found);
        }
    }
    bench.checked((bytes.len() + whole) as u64);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_surround_every_power_of_two() {
        assert_eq!(sizes(3), [1, 2, 3, 4, 5, 7, 8]);
    }
}
