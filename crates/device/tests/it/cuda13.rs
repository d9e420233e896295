//! What compilers of CUDA 13 leave to others (`later/cuda13/cuda13.cu`).

use upset_device::{Args, Device, Launch};
use upset_sass::Arch;

use crate::assembled::{MODES, chip};

const CODE: [(Arch, &[u8]); 2] = [
    (Arch::Sm75, include_bytes!("../later/cuda13/cuda13.sm_75.cubin")),
    (Arch::Sm90, include_bytes!("../later/cuda13/cuda13.sm_90.cubin")),
];
const THREADS: u32 = 64;

/// What the kernel stores, on each chip and in each mode.
fn stored(kernel: &str, expected: impl Fn(u32) -> u32) {
    for (arch, image) in CODE {
        for mode in MODES {
            let mut device = Device::in_mode(&chip(arch), mode).expect("a device");
            let module = device.load_module(image).expect("a cubin");
            let function = device.function(module, kernel).expect("a kernel");
            let out = device.malloc(4 * u64::from(THREADS)).expect("room");
            let shape = Launch { grid: [1, 1, 1], block: [THREADS, 1, 1], ..Launch::default() };
            device.launch(function, &shape, &Args::new().ptr(out)).expect("it runs");
            let mut bytes = [0; 4 * THREADS as usize];
            device.download(out, &mut bytes).expect("a copy");
            let words: Vec<u32> =
                bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
            let wanted: Vec<u32> = (0..THREADS).map(&expected).collect();
            assert_eq!(words, wanted, "{kernel} on {arch}, {mode:?}");
        }
    }
}

#[test]
fn recursion_that_the_file_does_not_tell_has_a_stack() {
    stored("recursion", |thread| [0, 1, 1, 2, 3, 5, 8, 13][thread as usize % 8]);
}

#[test]
fn groups_of_a_warp_vote_for_themselves() {
    stored("groups", |_| 3);
}

#[test]
fn a_warp_is_one_of_the_slots() {
    stored("slots", |_| 1);
}
