//! Multiply-add by signatures; where one is wrong, every result of that group.

use super::common::{ITEMS, about, image, times, words_of};
use crate::random::Random;
use crate::{Arg, Bench, BoardError, Group, Image, Place, Shape, Test, TestAbout};

static IMAGE: Image = image("opencl-mad", include_str!("../../../../kernels/burn/opencl/mad.cl"));
const TRIPLES: usize = 256;
/// Groups of which every result is looked at.
const LOOKED_AT: usize = 4;

/// The test.
pub struct Mad;

static ABOUT: TestAbout = about(
    "opencl-mad",
    Group::Compute,
    "FP32 multiply-add",
    "random signs, fractions and exponents, with cancellation",
    "four work-groups for each compute unit",
    "denormals, infinities and NaNs, which OpenCL leaves to the device",
);

impl Test for Mad {
    fn about(&self) -> &'static TestAbout {
        &ABOUT
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let module = bench.module(&IMAGE)?;
        let triples = operands(bench.seed);
        let rounds = 16 * times(bench.effort.level) * bench.effort.rounds.max(1);
        let results: Vec<u32> =
            triples.iter().map(|[a, b, c]| a.mul_add(*b, *c).to_bits()).collect();
        let expected =
            (0..rounds).flat_map(|_| &results).fold(0u32, |sign, v| sign.rotate_left(1) ^ v);
        let groups = bench.board.about().sms.max(1) * 4;
        let items = (groups * ITEMS) as usize;
        let bytes: Vec<u8> = triples.iter().flatten().flat_map(|f| f.to_le_bytes()).collect();
        let input = bench.board.alloc(bytes.len() as u64)?;
        bench.board.write(input, 0, &bytes)?;
        let out = bench.board.alloc(items as u64 * 4)?;
        bench.board.write(out, 0, &vec![0xa5; items * 4])?;
        let count = Arg::U32(TRIPLES as u32);
        let args = [Arg::Buffer(input), count, Arg::U32(rounds), Arg::Buffer(out)];
        bench.board.launch(module, "mad_sign", Shape::row(groups, ITEMS), &args)?;
        bench.board.sync()?;
        let mut back = vec![0; items * 4];
        bench.board.read(out, 0, &mut back)?;
        bench.board.free(out)?;
        bench.checked(items as u64 * u64::from(rounds) * TRIPLES as u64);
        let signs = words_of(&back);
        let mut wrong: Vec<u32> = (0u32..)
            .zip(signs.chunks(ITEMS as usize))
            .filter(|(_, group)| group.iter().any(|s| *s != expected))
            .map(|(group, _)| group)
            .collect();
        let groups_wrong = wrong.len();
        wrong.truncate(LOOKED_AT);
        for group in wrong {
            let found = bench.findings().count();
            let raw = bench.board.alloc(TRIPLES as u64 * u64::from(ITEMS) * 4)?;
            let args = [Arg::Buffer(input), count, Arg::U32(group), Arg::Buffer(raw)];
            bench.board.launch(module, "mad_raw", Shape::row(groups, ITEMS), &args)?;
            bench.board.sync()?;
            let mut back = vec![0; TRIPLES * ITEMS as usize * 4];
            bench.board.read(raw, 0, &mut back)?;
            bench.board.free(raw)?;
            for (i, row) in words_of(&back).chunks(ITEMS as usize).enumerate() {
                for (item, &word) in row.iter().enumerate().filter(|(_, w)| **w != results[i]) {
                    let [a, b, c] = triples[i].map(f32::to_bits);
                    let note =
                        format!("work-group {group}, work-item {item}: {a:#x} {b:#x} {c:#x}");
                    bench.find("fma", Place::default(), (results[i].into(), word.into(), 32), note);
                }
            }
            if bench.findings().count() == found {
                // Not seen a second time: the signature is what there is.
                let at = (group * ITEMS) as usize;
                let bad = signs[at..at + ITEMS as usize]
                    .iter()
                    .enumerate()
                    .find(|(_, s)| **s != expected);
                let (item, sign) = bad.map_or((0, expected), |(i, s)| (i, *s));
                let note = format!(
                    "signature of work-group {group}, work-item {item}; right when repeated"
                );
                bench.find("fma", Place::default(), (expected.into(), sign.into(), 32), note);
            }
        }
        if groups_wrong > LOOKED_AT {
            bench.note(format!("{groups_wrong} work-groups were wrong, {LOOKED_AT} looked at"));
        }
        bench.board.free(input)
    }
}

/// Normal numbers whose products and sums stay normal or are exactly zero.
fn operands(seed: u64) -> Vec<[f32; 3]> {
    let mut random = Random::new(seed, "opencl-mad");
    let mut number = |spread: u32| {
        let bits = random.bits() as u32;
        let exponent = 127 - spread / 2 + random.below(spread + 1);
        f32::from_bits(bits & 0x807f_ffff | exponent << 23)
    };
    (0..TRIPLES)
        .map(|i| {
            let (a, b) = (number(40), number(40));
            // A third of them cancels all but the rounding of the product.
            let c = if i % 3 == 0 { -(a * b) } else { number(80) };
            [a, b, c]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_result_is_denormal_infinite_or_a_nan() {
        for seed in 0..20 {
            for [a, b, c] in operands(seed) {
                let v = a.mul_add(b, c);
                assert!(v == 0.0 || v.is_normal(), "{a} {b} {c} {v}");
                assert!([a, b, c].iter().all(|x| x.is_normal()));
            }
        }
    }
}
