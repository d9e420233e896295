//! What a `WARPSYNC` counts and costs: each group that comes to it issues it,
//! and groups that meet there issue it once more together.

use upset_device::{Args, Device};
use upset_sass::Arch;
use upset_testkit::asm::flow::{bra, exit, nop, warpsync, warpsync_all};
use upset_testkit::asm::int::{Combine, Compare, isetp, lop3};
use upset_testkit::asm::moves::mov;
use upset_testkit::asm::uniform::umov;
use upset_testkit::asm::warp::{Special, s2r};
use upset_testkit::asm::{Code, Control, P, PT, R, RZ, Src, U};

use crate::assembled::{MODES, chip, kernel, launch, releasing, slow, waiting};

const ARCHS: [Arch; 3] = [Arch::Sm70, Arch::Sm75, Arch::Sm90];
const FULL: u32 = u32::MAX;

/// Every way to write a `WARPSYNC` whose mask is in R2, in UR4, in bank 3 or in
/// the instruction, and instructions of the operation that threads gather for.
fn forms(arch: Arch) -> Vec<(&'static str, Code, usize)> {
    let register = warpsync(arch, R(2));
    let mut forms = vec![("immediate", warpsync_all(arch), 0), ("register", register, 0)];
    if arch < Arch::Sm90 {
        let constant = 0x148 | 5 << 9 | 7 << 12 | 3 << 54 | 7 << 87;
        forms.push(("constant", Code(constant), 0));
    }
    if arch == Arch::Sm75 {
        let uniform = 0x148 | 6 << 9 | 7 << 12 | 4 << 32 | 7 << 87 | 1 << 91;
        forms.push(("uniform", Code(uniform), 0));
    }
    if arch == Arch::Sm90 {
        forms.push((".EXCLUSIVE", Code(register.0 | 1 << 85), 0));
        // To the instruction after the next.
        forms.push((".COLLECTIVE", Code(register.0 | 1 << 86 | 4 << 16), 1));
    }
    forms
}

/// Splits a warp into `groups` by the low bits of the thread number and runs
/// all of them into one `WARPSYNC`. Warp and thread instructions of a warp of
/// `threads` that are not the `WARPSYNC`'s come with it.
fn program(
    arch: Arch,
    groups: u32,
    sync: (Code, Control, usize),
    threads: u32,
) -> (Vec<u8>, u32, u32) {
    let mut words = vec![
        releasing(s2r(R(0), Special::TidX)),
        waiting(lop3(R(0), R(0), Src::Imm(groups - 1), RZ, 0xc0)),
        slow(mov(R(2), Src::Imm(FULL))),
    ];
    if arch >= Arch::Sm75 {
        words.push(slow(umov(U(4), Src::Imm(FULL))));
    }
    let (code, control, between) = sync;
    let mut warps = words.len() as u32;
    let mut lanes = warps * threads;
    for group in 0..groups - 1 {
        let left = i64::from(groups - 2 - group);
        let is = isetp(P::new(0), Compare::Eq, true, R(0), Src::Imm(group), Combine::And, PT);
        words.push(slow(is));
        words.push(slow(bra(arch, 32 * left).guard(P::new(0))));
        warps += 2;
        lanes += 2 * (threads - threads / groups * group);
    }
    words.push(code.word(control));
    words.extend((0..between).map(|_| slow(nop())));
    words.push(slow(exit()));
    (kernel(arch, &words, 0, FULL.to_le_bytes().to_vec()).image(), warps + 1, lanes + threads)
}

fn counts(device: &mut Device, image: &[u8], threads: u32) -> (u32, u32) {
    launch(device, image, threads, &Args::new()).expect("it runs");
    let (_, warps, lanes) = device.stats().total();
    (warps as u32, lanes as u32)
}

#[test]
fn groups_that_meet_are_counted_once_more() {
    for arch in ARCHS {
        for (name, code, between) in forms(arch) {
            for (threads, groups) in [(16, 1), (16, 2), (32, 4), (32, 32)] {
                let sync = (code, Control::stall(5), between);
                let (image, warps, lanes) = program(arch, groups, sync, threads);
                // What follows `.COLLECTIVE` all do together, in place of it.
                let again = u32::from(groups > 1 || between > 0);
                let expected = (warps + groups + again, lanes + threads * (1 + again));
                for mode in MODES {
                    let mut device = Device::in_mode(&chip(arch), mode).expect("a device");
                    let found = counts(&mut device, &image, threads);
                    assert_eq!(
                        found, expected,
                        "{name} on {arch}, {threads} threads in {groups} groups, {mode:?}"
                    );
                }
            }
        }
    }
}

/// Only the group that goes on waits for the instruction's stall count; those
/// that came apart wait for each other much longer. Were the `WARPSYNC` not
/// issued again, the stall count of a divided warp would not show.
#[test]
fn the_second_issue_takes_its_stall_count() {
    for arch in ARCHS {
        let cycles = |groups, stall| {
            let sync = (warpsync_all(arch), Control::stall(stall), 0);
            let (image, ..) = program(arch, groups, sync, 32);
            let mut device = Device::timed(&chip(arch)).expect("a device");
            counts(&mut device, &image, 32);
            device.stats().timing().expect("timing mode").cycles
        };
        for groups in [1, 2, 4] {
            assert_eq!(cycles(groups, 11) - cycles(groups, 8), 3, "{groups} groups on {arch}");
        }
    }
}
