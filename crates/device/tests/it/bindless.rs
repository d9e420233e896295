//! Bindless constants: what the uniform pair holds is taken for a descriptor.

use upset_device::{Args, Device, DeviceError, TrapKind};
use upset_isa::Space;
use upset_sass::{Arch, Word};
use upset_testkit::asm::cubin::param_base;
use upset_testkit::asm::flow::exit;
use upset_testkit::asm::memory::{At, Order, Size, stg};
use upset_testkit::asm::moves::mov;
use upset_testkit::asm::uniform::uldc;
use upset_testkit::asm::{Code, P, R, RZ, Src, U, constant};

use crate::assembled::{MODES, chip, kernel, launch, releasing, slow, waiting};

const ARCH: Arch = Arch::Sm75;

/// `MOV d, cx[UR4][offset]`.
fn mov_bindless(d: R, offset: u16) -> Code {
    Code(mov(d, constant(0, offset)).0 | 4 << 32 | 1 << 91)
}

/// `LDC d, cx[UR4][a + offset]`, with `wide` a pair.
fn ldc_bindless(d: R, a: R, offset: u16, wide: bool) -> Code {
    let (d, a, offset) = (u128::from(d.0), u128::from(a.0), u128::from(offset));
    let size = if wide { 5 } else { 4 };
    Code(
        0x182
            | 2 << 9
            | 7 << 12
            | d << 16
            | 4 << 24
            | offset << 38
            | a << 64
            | size << 73
            | 1 << 91,
    )
}

/// `ULDC d, cx[UR4][offset]`.
fn uldc_bindless(d: U, offset: u16) -> Code {
    Code(uldc(d, 0, offset, false).0 | 4 << 24 | 1 << 91)
}

/// `DADD d, a, cx[UR4][offset]`: a constant of two words.
fn dadd_bindless(d: R, a: R, offset: u16) -> Code {
    let (d, a, offset) = (u128::from(d.0), u128::from(a.0), u128::from(offset / 4));
    Code(0x029 | 3 << 9 | 7 << 12 | d << 16 | a << 24 | 4 << 32 | offset << 40 | 1 << 91)
}

/// `IMAD.WIDE.U32 d, a, b, cx[UR4][offset]`, which reads its addend late.
fn wide_bindless(d: R, a: R, b: R, offset: u16) -> Code {
    let code = upset_testkit::asm::int::imad_wide_c(d, a, b, constant(0, offset));
    Code(code.0 | 4 << 32 | 1 << 91)
}

/// Loads the descriptor into UR4 and UR5, does `body`, which leaves its result
/// in R4 and R5, and stores that.
fn program(body: &[Word]) -> Vec<u8> {
    let params = param_base(ARCH);
    let mut words = vec![
        slow(uldc(U(4), 0, params + 8, true)),
        slow(mov(R(2), constant(0, params))),
        slow(mov(R(3), constant(0, params + 4))),
        slow(mov(R(4), Src::Imm(0xdead))),
        slow(mov(R(5), Src::Imm(0xdead))),
    ];
    words.extend(body);
    words.push(waiting(stg(ARCH, At::Reg(R(2), 0), R(4), Size::Pair, Order::Weak)));
    words.push(slow(exit()));
    kernel(ARCH, &words, 2, Vec::new()).image()
}

const WORDS: u32 = 16;

/// The two words, with a descriptor of `size` bytes of numbers 100, 101, ….
fn run(body: &[Word], size: u64) -> [u32; 2] {
    let found = MODES.map(|mode| {
        let mut device = Device::in_mode(&chip(ARCH), mode).expect("a device");
        let out = device.malloc(8).expect("room");
        let data = device.malloc(u64::from(4 * WORDS)).expect("room");
        let bytes: Vec<u8> = (100..100 + WORDS).flat_map(u32::to_le_bytes).collect();
        device.upload(data, &bytes).expect("a copy");
        let args = Args::new().ptr(out).u64(data.0 >> 4 | size >> 4 << 45);
        launch(&mut device, &program(body), 1, &args).expect("it runs");
        let mut bytes = [0; 8];
        device.download(out, &mut bytes).expect("a copy");
        [0, 4].map(|at| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i])))
    });
    assert_eq!(found[0], found[1], "functional and timing mode");
    found[0]
}

/// Every instruction that reads words 6 and 7 of the bank, or word 6 alone.
fn readers() -> Vec<(&'static str, Vec<Word>, [u32; 2])> {
    let to_register =
        slow(Code(mov(R(4), RZ).0 & !(7 << 9) & !(0xff << 32) | 6 << 9 | 6 << 32 | 1 << 91));
    vec![
        ("operand", vec![slow(mov_bindless(R(4), 24))], [106, 0xdead]),
        ("pair", vec![releasing(dadd_bindless(R(4), RZ, 24))], [106, 107]),
        ("addend", vec![slow(wide_bindless(R(4), RZ, RZ, 24))], [106, 107]),
        ("LDC", vec![releasing(ldc_bindless(R(4), RZ, 24, false))], [106, 0xdead]),
        (
            "LDC.64 with an index",
            vec![slow(mov(R(6), Src::Imm(16))), releasing(ldc_bindless(R(4), R(6), 8, true))],
            [106, 107],
        ),
        ("ULDC", vec![slow(uldc_bindless(U(6), 24)), to_register], [106, 0xdead]),
    ]
}

#[test]
fn a_descriptor_leads_to_memory() {
    for (name, body, expected) in readers() {
        assert_eq!(run(&body, 64), expected, "{name}");
        assert_eq!(run(&body, 32), expected, "{name}");
    }
}

#[test]
fn beyond_the_described_size_zeros_are_read() {
    for (name, body, expected) in readers() {
        let zeros = expected.map(|w| if w == 0xdead { w } else { 0 });
        for size in [16, 0] {
            assert_eq!(run(&body, size), zeros, "{name}, {size} bytes");
        }
    }
}

#[test]
fn a_described_address_that_is_not_mapped_traps_where_somebody_reads_it() {
    for (name, body, _) in readers() {
        for mode in MODES {
            let descriptor = 0x7ff0_0000_0000_u64 >> 4 | 4 << 45;
            let mut device = Device::in_mode(&chip(ARCH), mode).expect("a device");
            let out = device.malloc(8).expect("room");
            let args = Args::new().ptr(out).u64(descriptor);
            let trapped = launch(&mut device, &program(&body), 1, &args);
            let Err(DeviceError::Trap { trap, .. }) = trapped else {
                panic!("{name}: {trapped:?}")
            };
            let addr = 0x7ff0_0000_0000 + 24;
            let expected = TrapKind::AddressOutOfRange { space: Space::Const, addr };
            assert_eq!(trap.kind, expected, "{name}, {mode:?}");
            // P0 and UP0 are false.
            let off: Vec<Word> = body
                .iter()
                .map(|w| slow(Code(w.0 & !(0x1f_ffff << 105)).guard(P::new(0))))
                .collect();
            launch(&mut device, &program(&off), 1, &args).expect("nobody executes it");
        }
    }
}

#[test]
fn a_descriptor_in_an_odd_pair_is_misaligned() {
    for mode in MODES {
        let odd = slow(Code(mov_bindless(R(4), 24).0 | 1 << 32));
        let mut device = Device::in_mode(&chip(ARCH), mode).expect("a device");
        let out = device.malloc(8).expect("room");
        let trapped = launch(&mut device, &program(&[odd]), 1, &Args::new().ptr(out).u64(0));
        let Err(DeviceError::Trap { trap, .. }) = trapped else { panic!("{trapped:?}") };
        assert_eq!(trap.kind, TrapKind::MisalignedRegister(5), "{mode:?}");
    }
}
