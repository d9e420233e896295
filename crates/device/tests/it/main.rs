//! What hardware traps on traps here, with a named cause.
//!
//! Each test runs `vectorAdd` (sm_75) with its first instruction replaced.

mod amd;
mod assembled;
mod bindless;
mod bulk;
mod carried;
mod completeness;
mod counters;
mod cuda13;
mod describe;
mod extreme;
mod faults;
mod ghosts;
mod grouped;
mod heap;
mod lacking;
mod logic;
mod many_kernels;
mod messages;
mod outside;
mod propagation;
mod registry;
mod same_state;
mod slow;
mod sm_numbers;
mod stall_counts;
mod threads;
mod together;
mod uses;
mod warpsync;
mod waves;

use upset_chip::ChipSpec;
use upset_device::{Args, Device, DeviceError, Launch, Mode, TrapKind};
use upset_sass::container;

const CUBIN: &[u8] = include_bytes!("../../../../kernels/va/va.sm_75.cubin");

/// Scheduling fields that wait for everything: stall 15, no scoreboards.
const CTL: u128 = 15 << 105 | 7 << 110 | 7 << 113;
const PT: u128 = 7 << 12;

/// The cubin with `words` in place of its first instructions.
fn patched(words: &[u128]) -> Vec<u8> {
    let module = container::open(CUBIN).and_then(|c| c.module(75)).expect("our own cubin");
    let code = &module.code[0].code.bytes;
    let at = CUBIN.windows(code.len()).position(|w| w == code).expect("the code");
    let mut image = CUBIN.to_vec();
    for (i, w) in words.iter().enumerate() {
        image[at + 16 * i..at + 16 * (i + 1)].copy_from_slice(&w.to_le_bytes());
    }
    image
}

/// Launches 64 threads of `image` on 256-byte vectors, on both engines.
fn launch(image: &[u8]) -> Result<(), DeviceError> {
    let functional = launch_in(Mode::Functional, image);
    let timed = launch_in(Mode::Timing, image);
    assert_eq!(format!("{functional:?}"), format!("{timed:?}"));
    timed
}

fn launch_in(mode: Mode, image: &[u8]) -> Result<(), DeviceError> {
    let chip = ChipSpec::preset("rtx2060").expect("a preset");
    let mut device = Device::in_mode(&chip, mode)?;
    let p = [device.malloc(256)?, device.malloc(256)?, device.malloc(256)?];
    let module = device.load_module(image)?;
    let kernel = device.function(module, "vectorAdd")?;
    let shape = Launch { grid: [1, 1, 1], block: [64, 1, 1], shared_bytes: 0, ..Launch::default() };
    device.launch(kernel, &shape, &Args::new().ptr(p[0]).ptr(p[1]).ptr(p[2]).i32(64))
}

fn trap(words: &[u128]) -> TrapKind {
    match launch(&patched(words)) {
        Err(DeviceError::Trap { trap, .. }) => trap.kind,
        other => panic!("expected a trap, got {other:?}"),
    }
}

#[test]
fn untouched_code_runs() {
    launch(CUBIN).expect("it runs");
}

#[test]
fn a_word_that_is_no_instruction() {
    assert_eq!(trap(&[0x1ff | PT | CTL]), TrapKind::IllegalEncoding);
}

#[test]
fn an_instruction_we_lack_is_not_illegal() {
    // BMMA.88128.XOR.POPC R0, R0.ROW, R0.COL, R0
    let lacking = launch(&patched(&[0x23d | PT | 1 << 74 | 1 << 80 | CTL]));
    assert!(lacking.as_ref().is_err_and(DeviceError::is_lacking), "{lacking:?}");
}

#[test]
fn a_register_the_kernel_does_not_own() {
    // MOV R200, RZ: the kernel has 12.
    let mov = 0x202 | PT | 200 << 16 | 255 << 32 | 15 << 72 | CTL;
    assert_eq!(trap(&[mov]), TrapKind::RegisterOutOfRange(200));
}

#[test]
fn a_register_pair_that_is_not_even() {
    // LDG.E.64.SYS R3, [R2]
    let ldg = 0x381 | PT | 3 << 16 | 2 << 24 | 0x1eeb00 << 64 | CTL;
    assert_eq!(trap(&[ldg]), TrapKind::MisalignedRegister(3));
}

#[test]
fn an_address_that_is_not_mapped() {
    // LDG.E.SYS R4, [R2] with R2:R3 = 0
    let ldg = 0x381 | PT | 4 << 16 | 2 << 24 | 0x1ee900 << 64 | CTL;
    assert!(matches!(trap(&[ldg]), TrapKind::AddressOutOfRange { addr: 0, .. }));
}

#[test]
fn an_address_that_is_not_aligned() {
    // LDS R4, [RZ+0x1]
    let lds = 0x984 | PT | 4 << 16 | 255 << 24 | 1 << 40 | 0x800 << 64 | CTL;
    assert!(matches!(trap(&[lds]), TrapKind::MisalignedAddress { addr: 1, .. }));
}

#[test]
fn shared_memory_that_is_not_there() {
    let lds = 0x984 | PT | 4 << 16 | 255 << 24 | 0x100 << 40 | 0x800 << 64 | CTL;
    assert!(matches!(trap(&[lds]), TrapKind::AddressOutOfRange { addr: 0x100, .. }));
}

#[test]
fn a_constant_bank_that_is_not_there() {
    // MOV R4, c[0x7][0x10]
    let mov = 0xa02 | PT | 4 << 16 | 4 << 40 | 7 << 54 | 15 << 72 | CTL;
    assert_eq!(trap(&[mov]), TrapKind::InvalidConstant { bank: 7, offset: 0x10 });
}

#[test]
fn a_jump_out_of_the_code() {
    // BRA .+0x100000
    let bra = 0x947 | PT | (0x10_0000 / 4) << 34 | 7 << 87 | CTL;
    assert!(matches!(trap(&[bra]), TrapKind::PcOutOfRange(_)));
}

#[test]
fn a_jump_between_two_instructions() {
    let bra = 0x947 | PT | (0x18 / 4) << 34 | 7 << 87 | CTL;
    assert!(matches!(trap(&[bra]), TrapKind::MisalignedPc(_)));
}

#[test]
fn threads_that_wait_for_ever() {
    // BAR.SYNC 0x0 for the even lanes alone would be released by EXIT; two
    // barriers that need each other are not: warp 0 waits at 1, warp 1 at 2.
    let s2r = 0x919 | PT | 4 << 16 | 0x21 << 72 | 15 << 105 | 7 << 113;
    // ISETP.LT.AND P0, PT, R4, 0x20, PT
    let isetp =
        0x80c | PT | 4 << 24 | 0x20 << 32 | 1 << 73 | 1 << 76 | 7 << 84 | 7 << 87 | CTL | 1 << 116;
    let bar = |n: u128, guard: u128| 0xb1d | guard << 12 | n << 54 | CTL;
    let kind = trap(&[s2r, isetp, bar(1, 0), bar(2, 8)]);
    assert_eq!(kind, TrapKind::Deadlock);
}

#[test]
fn arguments_must_match_the_kernel() {
    let chip = ChipSpec::preset("rtx2060").expect("a preset");
    let mut device = Device::new(&chip).expect("a device");
    let module = device.load_module(CUBIN).expect("our own cubin");
    let kernel = device.function(module, "vectorAdd").expect("the kernel");
    let shape = Launch { grid: [1, 1, 1], block: [64, 1, 1], shared_bytes: 0, ..Launch::default() };
    let e = device.launch(kernel, &shape, &Args::new().u32(1)).expect_err("too few arguments");
    assert!(e.to_string().contains("it takes 4 arguments, 1 were given"), "{e}");
    let big = Launch { block: [2048, 1, 1], ..shape };
    let e = device.launch(kernel, &big, &Args::new()).expect_err("too many threads");
    assert!(e.to_string().contains("2048 threads per block"), "{e}");
}
