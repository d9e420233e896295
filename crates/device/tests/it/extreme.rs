//! Sums, minima and maxima that compilers of CUDA 13 make single instructions of
//! on sm_90: the same source, spelled out for sm_75, leaves the same memory.

use std::collections::BTreeSet;

use upset_device::{Args, Device, Launch};
use upset_sass::container::cubin;
use upset_sass::{Arch, Word, decode};

use crate::assembled::chip;

const SM_75: &[u8] = include_bytes!("../later/extreme/extreme.sm_75.cubin");
const SM_90: &[u8] = include_bytes!("../later/extreme/extreme.sm_90.cubin");

/// Values where signs, carries and halves change meaning.
const VALUES: [u32; 16] = [
    0,
    1,
    0xffff_ffff,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_7fff,
    0x7fff_8000,
    0xffff_0000,
    0x0000_ffff,
    0x0001_ffff,
    0xffff_0001,
    0x8000_8000,
    0x7fff_7fff,
    0x1234_5678,
    0xfedc_ba98,
    0xffff_fffb,
];

/// Every A with every B and every C.
fn operands() -> [Vec<u8>; 3] {
    let n = VALUES.len();
    let word = |i: usize| VALUES[i % n].to_le_bytes();
    let all = |of: fn(usize, usize) -> usize| (0..n * n * n).flat_map(|i| word(of(i, n))).collect();
    [all(|i, _| i), all(|i, n| i / n), all(|i, n| i / n / n)]
}

/// What `kernel` makes of all operands.
fn made(device: &mut Device, image: &[u8], kernel: &str) -> Vec<u32> {
    let module = device.load_module(image).expect("a cubin");
    let function = device.function(module, kernel).expect("the same kernels in both");
    let sources = operands();
    let bytes = sources[0].len();
    let out = device.malloc(bytes as u64).expect("room");
    let mut args = Args::new().ptr(out);
    for source in &sources {
        let at = device.malloc(bytes as u64).expect("room");
        device.upload(at, source).expect("a copy");
        args = args.ptr(at);
    }
    let threads = bytes as u32 / 4;
    let shape = Launch { grid: [threads / 256, 1, 1], block: [256, 1, 1], ..Launch::default() };
    device.launch(function, &shape, &args).expect("it runs");
    let mut result = vec![0; bytes];
    device.download(out, &mut result).expect("a copy");
    result.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

fn kernels() -> Vec<String> {
    let module = cubin::parse(SM_75).expect("a cubin");
    module.kernels.iter().map(|kernel| kernel.name.clone()).collect()
}

#[test]
fn one_instruction_does_what_several_do() {
    let kernels = kernels();
    assert!(kernels.len() > 40, "{kernels:?}");
    for kernel in kernels {
        let mut old = Device::new(&chip(Arch::Sm75)).expect("a device");
        let mut new = Device::new(&chip(Arch::Sm90)).expect("a device");
        let (old, new) = (made(&mut old, SM_75, &kernel), made(&mut new, SM_90, &kernel));
        let wrong = old.iter().zip(&new).position(|(old, new)| old != new);
        assert_eq!(wrong, None, "{kernel}: {:x?}", wrong.map(|i| (old[i], new[i])));
    }
}

#[test]
fn the_instructions_are_in_there() {
    let module = cubin::parse(SM_90).expect("a cubin");
    let mut names = BTreeSet::new();
    for section in &module.code {
        for bytes in section.code.bytes.as_chunks().0 {
            let word = decode(Word::from_bytes(*bytes), Arch::Sm90).expect("a legal word");
            names.extend(word.row.later.then_some(word.row.op.name));
        }
    }
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["VIADD", "VIADDMNMX", "VIMNMX", "VIMNMX3"]);
}

/// Of each kernel: its name, and a sum over what an H200 stored, word by word
/// (FNV-1a).
const H200: &str = include_str!("../later/extreme/h200.txt");

#[test]
fn an_h200_stores_the_same() {
    let lines: Vec<&str> = H200.lines().collect();
    assert_eq!(lines.len(), kernels().len());
    for line in lines {
        let (kernel, sum) = line.split_once(' ').expect("a kernel and its sum");
        let mut device = Device::new(&chip(Arch::Sm90)).expect("a device");
        let words = made(&mut device, SM_90, kernel);
        let own = words.iter().fold(0xcbf2_9ce4_8422_2325u64, |sum, word| {
            (sum ^ u64::from(*word)).wrapping_mul(0x100_0000_01b3)
        });
        assert_eq!(format!("{own:016x}"), sum, "{kernel}");
    }
}
