//! The model against a real GPU's answers over whole blocks of inputs.
//!
//! A block is all mantissas of one sign and exponent. The recorded digests
//! cover every block of every function: the default tests check a few, the
//! ignored one all of them (43 thousand million evaluations, minutes):
//! `cargo test --release -p upset-isa mufu -- --ignored`

use super::*;
use std::num::Wrapping;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const BLOCKS: usize = 512;
const BLOCK_INPUTS: u32 = 1 << 23;

/// Digests per function and block as little-endian 64-bit words.
const DIGESTS: &[u8] = include_bytes!("../../../../../oracles/mufu/digests.bin");
/// Lines of function, format and digest over all 16-bit inputs.
const HALF_DIGESTS: &str = include_str!("../../../../../oracles/mufu/half-digests.txt");

fn recorded(func: Func, block: usize) -> u64 {
    let at = (func as usize * BLOCKS + block) * 8;
    u64::from_le_bytes(DIGESTS[at..at + 8].try_into().unwrap())
}

/// The digest of `oracles/mufu/mufu.cu`: a sum, so that order does not matter.
fn mix(input: u32, output: u32) -> Wrapping<u64> {
    let mut z = (u64::from(input) << 32 | u64::from(output)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    Wrapping(z ^ z >> 31)
}

fn digest(func: Func, block: usize) -> u64 {
    let base = (block as u32) << 23;
    let inputs = base..=base + (BLOCK_INPUTS - 1);
    let sum: Wrapping<u64> = with_function!(func, f => inputs.map(|x| mix(x, f(x))).sum());
    sum.0
}

fn check(func: Func, blocks: &[usize]) {
    for &block in blocks {
        assert_eq!(digest(func, block), recorded(func, block), "{func:?}, block {block}");
    }
}

#[test]
fn rcp_is_the_hardware_s() {
    check(Func::Rcp, &[0, 127, 508]);
}

#[test]
fn rsq_is_the_hardware_s() {
    check(Func::Rsq, &[126, 127, 256]);
}

#[test]
fn sqrt_is_the_hardware_s() {
    check(Func::Sqrt, &[0, 127, 128]);
}

#[test]
fn ex2_is_the_hardware_s() {
    check(Func::Ex2, &[127, 382, 389]);
}

#[test]
fn lg2_is_the_hardware_s() {
    check(Func::Lg2, &[1, 126, 127]);
}

#[test]
fn sin_is_the_hardware_s() {
    check(Func::Sin, &[125, 132, 375]);
}

#[test]
fn cos_is_the_hardware_s() {
    check(Func::Cos, &[125, 132, 375]);
}

#[test]
fn tanh_is_the_hardware_s() {
    check(Func::Tanh, &[118, 126, 385]);
}

#[test]
fn rcp64h_is_the_hardware_s() {
    check(Func::Rcp64H, &[127, 255]);
}

#[test]
fn rsq64h_is_the_hardware_s() {
    check(Func::Rsq64H, &[127, 255]);
}

#[test]
fn half_formats_are_the_hardware_s() {
    let mut seen = 0;
    for line in HALF_DIGESTS.lines() {
        let [name, format, expected] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("malformed line: {line}")
        };
        let func = Func::ALL.into_iter().find(|f| format!("{f:?}").eq_ignore_ascii_case(name));
        let function = if format == "f16" { f16 } else { bf16 };
        let sum: Wrapping<u64> = (0..=u16::MAX)
            .map(|x| mix(x.into(), function(func.expect("a function"), x).into()))
            .sum();
        assert_eq!(format!("{:016x}", sum.0), expected, "{line}");
        seen += 1;
    }
    assert_eq!(seen, 16);
}

#[test]
fn warps_are_lanes() {
    let x: Lanes = std::array::from_fn(|i| (i as u32 * 0x0822_1357) ^ 0x3f80_0000);
    for func in Func::ALL {
        assert_eq!(eval(func, &x), x.map(|x| f32(func, x)), "{func:?}");
        let narrow = x.map(|x| x >> 16);
        let half: Lanes = narrow.map(|x| f16(func, x as u16).into());
        assert_eq!(eval_f16(func, &narrow), half, "{func:?}");
        let brain: Lanes = narrow.map(|x| bf16(func, x as u16).into());
        assert_eq!(eval_bf16(func, &narrow), brain, "{func:?}");
    }
}

#[test]
#[ignore = "all 2^32 inputs of all functions: minutes, and only in release mode"]
fn every_input_of_every_function_is_the_hardware_s() {
    let jobs: Vec<(Func, usize)> =
        Func::ALL.into_iter().flat_map(|f| (0..BLOCKS).map(move |b| (f, b))).collect();
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(&(func, block)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if digest(func, block) != recorded(func, block) {
                        wrong.lock().unwrap().push((func, block));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} blocks differ: {wrong:?}", wrong.len());
}
