//! Performance counters of kernels that can be counted by hand, in both modes.

use upset_device::laws::{self, Findings};
use upset_device::pmu::{Counter as C, Counts, Reading, Sampling};
use upset_device::{Args, Device, DeviceError, Launch, Mode};
use upset_sass::{Arch, Word};
use upset_testkit::asm::float::{Function, dadd, ffma, mufu};
use upset_testkit::asm::flow::{
    bar_sync, bra, break_, bssy, bsync, exit, nop, warpsync_all, yield_,
};
use upset_testkit::asm::int::{Combine, Compare, iadd3, isetp};
use upset_testkit::asm::memory::{Size, lds};
use upset_testkit::asm::uniform::umov;
use upset_testkit::asm::warp::{Special, s2r};
use upset_testkit::asm::{Code, P, PT, R, RZ, Src, U};

use crate::assembled::{MODES, chip, kernel, releasing, slow, waiting};

const ARCHS: [Arch; 3] = [Arch::Sm70, Arch::Sm75, Arch::Sm90];
const P0: P = P::new(0);

/// P0 where the thread's number is below `n`; two instructions.
fn below(n: u32) -> [Word; 2] {
    let less = isetp(P0, Compare::Lt, true, R(0), Src::Imm(n), Combine::And, PT);
    [releasing(s2r(R(0), Special::TidX)), waiting(less)]
}

fn program(first: &[Word], then: &[Code]) -> Vec<Word> {
    first.iter().copied().chain(then.iter().map(|&c| slow(c))).collect()
}

fn device(arch: Arch, mode: Mode, sampling: Sampling) -> Device {
    let mut device = Device::in_mode(&chip(arch), mode).expect("a device");
    device.start_counting(sampling).expect("it has counters");
    device
}

fn launch(
    device: &mut Device,
    arch: Arch,
    words: &[Word],
    (ctas, threads): (u32, u32),
) -> Result<(), DeviceError> {
    let module = device.load_module(&kernel(arch, words, 0, Vec::new()).image())?;
    let function = device.function(module, "k")?;
    let shape = Launch { grid: [ctas, 1, 1], block: [threads, 1, 1], ..Launch::default() };
    device.launch(function, &shape, &Args::new())
}

/// What does not depend on time: sums over all SMs.
fn counted(arch: Arch, mode: Mode, words: &[Word], shape: (u32, u32)) -> Counts {
    let mut device = device(arch, mode, Sampling::AtEnd);
    launch(&mut device, arch, words, shape).expect("it runs");
    let [reading] = device.readings() else { panic!("one launch") };
    assert_eq!(laws::check(reading), Findings::default(), "{mode:?} on {arch}");
    let total = reading.total();
    let (_, warps, threads) = device.stats().total();
    assert_eq!((total.get(C::WarpInsts), total.get(C::ThreadInsts)), (warps, threads));
    total
}

/// Compares counters; all that are not named must be zero, but for those of
/// time and of classes.
fn expect(words: impl Fn(Arch) -> Vec<Word>, shape: (u32, u32), expected: &[(C, u64)]) {
    for arch in ARCHS {
        for mode in MODES {
            let total = counted(arch, mode, &words(arch), shape);
            for (counter, found) in total.iter() {
                let name = counter.name();
                let beside = ["inst_", "stall_", "issue_"].iter().any(|b| name.starts_with(b));
                let is = expected.iter().find(|(c, _)| *c == counter).map(|(_, n)| *n);
                if is.is_some() || !beside {
                    assert_eq!(found, is.unwrap_or(0), "{name}, {mode:?} on {arch}");
                }
            }
        }
    }
}

fn launches(ctas: u64, warps: u64, threads: u64) -> Vec<(C, u64)> {
    vec![
        (C::CtasLaunched, ctas),
        (C::CtasExited, ctas),
        (C::WarpsLaunched, ctas * warps),
        (C::WarpsExited, ctas * warps),
        (C::ThreadsLaunched, ctas * threads),
        (C::ThreadsExited, ctas * threads),
    ]
}

fn with(mut all: Vec<(C, u64)>, more: &[(C, u64)]) -> Vec<(C, u64)> {
    all.extend_from_slice(more);
    all
}

#[test]
fn two_sides_of_a_branch_meet_again() {
    // Threads 0 to 3 of 48 jump: the first warp divides, the second does not.
    let words = |arch| {
        let then =
            [bssy(0, 64), bra(arch, 32).guard(P0), nop(), bra(arch, 16), nop(), bsync(0), exit()];
        program(&below(4), &then)
    };
    // Of the first warp four instructions are issued by 32 threads, three by
    // the 28 that fall through, two by the 4 that jump, one by 32 again; of the
    // second eight by 16.
    let threads = (4 * 32 + 3 * 28 + 2 * 4 + 32) + 8 * 16;
    let ctas = 3;
    let expected = with(
        launches(ctas, 2, 48),
        &[
            (C::WarpInsts, ctas * 18),
            (C::ThreadInsts, ctas * threads),
            (C::Inactive, ctas * (18 * 32 - threads)),
            (C::Branches, ctas * 4),
            (C::Diverged, ctas),
            (C::ConvOpened, ctas * 2),
            (C::ConvArrived, ctas * 3),
            (C::ConvReleased, ctas * 2),
            (C::ConvLanesIn, ctas * 48),
            (C::ConvLanesOut, ctas * 48),
            // To the other side, and to both together.
            (C::Switched, ctas * 2),
            // BSSY, two BRA, BSYNC, EXIT; the second BSYNC; the same of one
            // group; the rest is S2R and NOP, and one ISETP for each warp.
            (C::Branch, ctas * (6 + 5)),
            (C::Alu, ctas * 2),
            (C::System, ctas * (3 + 2)),
        ],
    );
    expect(words, (3, 48), &expected);
}

#[test]
fn threads_that_break_out_or_exit_are_not_waited_for() {
    for breaks in [true, false] {
        let words = |arch| {
            let then = [
                bssy(0, 16),
                bra(arch, 32).guard(P0),
                bsync(0),
                exit(),
                if breaks { break_(0) } else { nop() },
                exit(),
            ];
            program(&below(8), &then)
        };
        let threads = 4 * 32 + 24 + 2 * 8 + 24;
        let expected = with(
            launches(1, 1, 32),
            &[
                (C::WarpInsts, 8),
                (C::ThreadInsts, threads),
                (C::Inactive, 8 * 32 - threads),
                (C::Branches, 1),
                (C::Diverged, 1),
                (C::ConvOpened, 1),
                (C::ConvArrived, 1),
                (C::ConvReleased, 1),
                (C::ConvBroken, u64::from(breaks)),
                (C::ConvLanesIn, 24),
                (C::ConvLanesOut, 24),
                (C::Switched, 2),
            ],
        );
        expect(words, (1, 32), &expected);
    }
}

#[test]
fn threads_that_a_barrier_does_not_name_pass() {
    // Nobody has opened it.
    let words = |_| program(&[], &[bsync(0), exit()]);
    let expected = with(
        launches(1, 1, 20),
        &[
            (C::WarpInsts, 2),
            (C::ThreadInsts, 40),
            (C::Inactive, 24),
            (C::ConvArrived, 1),
            (C::ConvLanesIn, 20),
            (C::ConvLanesOut, 20),
        ],
    );
    expect(words, (1, 20), &expected);
}

#[test]
fn groups_that_meet_at_a_warp_sync_issue_it_again() {
    let words = |arch| program(&below(4), &[bra(arch, 0).guard(P0), warpsync_all(arch), exit()]);
    // Each side alone, and both together.
    let threads = 3 * 32 + 28 + 4 + 32 + 32;
    let expected = with(
        launches(2, 1, 32),
        &[
            (C::WarpInsts, 2 * 7),
            (C::ThreadInsts, 2 * threads),
            (C::Inactive, 2 * (7 * 32 - threads)),
            (C::Branches, 2),
            (C::Diverged, 2),
            (C::SyncLanesIn, 2 * 32),
            (C::SyncLanesOut, 2 * 32),
            (C::Switched, 2 * 2),
        ],
    );
    expect(words, (2, 32), &expected);
    // Nobody to wait for: it is issued once, and lets all go on.
    let words = |arch| program(&[], &[warpsync_all(arch), exit()]);
    let expected = with(
        launches(1, 1, 32),
        &[(C::WarpInsts, 2), (C::ThreadInsts, 64), (C::SyncLanesIn, 32), (C::SyncLanesOut, 32)],
    );
    expect(words, (1, 32), &expected);
}

#[test]
fn threads_wait_at_cta_barriers_and_are_released() {
    // Twice by all 40.
    let words = |_| program(&[], &[bar_sync(0), bar_sync(0), exit()]);
    let expected = with(
        launches(2, 2, 40),
        &[
            (C::WarpInsts, 2 * 2 * 3),
            (C::ThreadInsts, 2 * 40 * 3),
            (C::Inactive, 2 * 24 * 3),
            (C::BarArrived, 2 * 80),
            (C::BarReleased, 2 * 80),
            (C::System, 2 * 2 * 2),
            (C::Branch, 2 * 2),
        ],
    );
    expect(words, (2, 40), &expected);
    // By the threads of the first warp alone: those of the second end.
    let words = |_| {
        let first = below(32);
        program(&first, &[exit().guard(!P0), bar_sync(0), exit()])
    };
    let expected = with(
        launches(1, 2, 40),
        &[
            (C::WarpInsts, 5 + 3),
            (C::ThreadInsts, 5 * 32 + 3 * 8),
            (C::Inactive, 3 * 24),
            (C::BarArrived, 32),
            (C::BarReleased, 32),
        ],
    );
    expect(words, (1, 40), &expected);
    // By both sides of a warp, one after the other; the one that came last goes
    // on first.
    let words = |arch| {
        let then = [bra(arch, 32).guard(P0), bar_sync(0), exit(), bar_sync(0), exit()];
        program(&below(8), &then)
    };
    let expected = with(
        launches(1, 1, 32),
        &[
            (C::WarpInsts, 3 + 4),
            (C::ThreadInsts, 3 * 32 + 2 * 32),
            (C::Inactive, 4 * 32 - 2 * 32),
            (C::Branches, 1),
            (C::Diverged, 1),
            (C::BarArrived, 32),
            (C::BarReleased, 32),
            (C::Switched, 2),
        ],
    );
    expect(words, (1, 32), &expected);
}

#[test]
fn who_yields_lets_another_group_run() {
    for yields in [true, false] {
        let words = |arch| {
            let then =
                [bra(arch, 32).guard(P0), if yields { yield_() } else { nop() }, exit(), exit()];
            program(&below(8), &then)
        };
        let expected = with(
            launches(1, 1, 32),
            &[
                (C::WarpInsts, 6),
                (C::ThreadInsts, 3 * 32 + 2 * 24 + 8),
                (C::Inactive, 2 * 8 + 24),
                (C::Branches, 1),
                (C::Diverged, 1),
                (C::Switched, if yields { 2 } else { 1 }),
            ],
        );
        expect(words, (1, 32), &expected);
    }
}

#[test]
fn instructions_are_counted_in_their_class() {
    let words = |arch| {
        let mut then = vec![
            ffma(R(4), R(4), R(4), R(4)),
            iadd3(R(5), R(5), R(5), RZ),
            iadd3(R(5), R(5), R(5), RZ),
            dadd(R(6), R(6), R(6)),
            mufu(R(8), Function::Rcp, R(8)),
            lds(R(9), RZ, 0, Size::Word),
            bar_sync(0),
        ];
        if arch >= Arch::Sm75 {
            then.push(umov(U(4), Src::Imm(1)));
        }
        // Nobody executes these, but they are issued.
        then.push(ffma(R(4), R(4), R(4), R(4)).guard(!PT));
        then.push(exit());
        let mut words = vec![slow(nop())];
        words.extend(then.into_iter().map(releasing_all));
        words
    };
    for arch in ARCHS {
        for mode in MODES {
            let image = kernel(arch, &words(arch), 0, Vec::new());
            let mut device = device(arch, mode, Sampling::AtEnd);
            let module = device.load_module(&image.image()).expect("a module");
            let function = device.function(module, "k").expect("the kernel");
            let shape = Launch {
                grid: [1, 1, 1],
                block: [32, 1, 1],
                shared_bytes: 64,
                ..Launch::default()
            };
            device.launch(function, &shape, &Args::new()).expect("it runs");
            let total = device.readings()[0].total();
            let uniform = u64::from(arch >= Arch::Sm75);
            let expected = [
                (C::Fma, 2),
                (C::Alu, 2),
                (C::Fp64, 1),
                (C::Half, 0),
                (C::Mufu, 1),
                (C::Tensor, 0),
                (C::Uniform, uniform),
                (C::Branch, 1),
                (C::LoadStore, 1),
                (C::Texture, 0),
                (C::System, 2),
                (C::WarpInsts, 10 + uniform),
            ];
            for (counter, n) in expected {
                assert_eq!(total.get(counter), n, "{counter:?}, {mode:?} on {arch}");
            }
        }
    }
}

/// The word, which waits for scoreboard 0 and releases it if it writes late.
fn releasing_all(code: Code) -> Word {
    use upset_testkit::asm::Control;
    // Opcodes of variable latency among those above: MUFU, DADD, LDS.
    let late = matches!(code.0 & 0x1ff, 0x108 | 0x029 | 0x184);
    let write = late.then_some(0);
    code.word(Control { wait: 1, write, ..Control::stall(15) })
}

#[test]
fn time_is_accounted_for_in_every_period() {
    for arch in ARCHS {
        let words = program(&below(4), &[bar_sync(0), nop(), exit()]);
        let read = |sampling| -> (Reading, Device) {
            let mut device = device(arch, Mode::Timing, sampling);
            launch(&mut device, arch, &words, (70, 96)).expect("it runs");
            (device.readings()[0].clone(), device)
        };
        let (whole, device) = read(Sampling::AtEnd);
        let timing = device.stats().timing().expect("timing mode");
        assert_eq!(whole.cycles, timing.cycles);
        let stalls: Vec<u64> =
            upset_device::pmu::STALLS.iter().map(|&c| whole.total().get(c)).collect();
        assert_eq!(stalls, timing.cores.sm.stalls, "as they are counted besides");
        for sampling in [Sampling::Every(1), Sampling::Every(37), Sampling::Parts(10)] {
            let (reading, other) = read(sampling);
            assert_eq!(reading.total(), whole.total(), "{sampling:?} on {arch}");
            assert_eq!((reading.cycles, other.stats()), (whole.cycles, device.stats()));
            let ends: Vec<u64> = reading.periods.iter().map(|p| p.to).collect();
            let every = match sampling {
                Sampling::Every(n) => n,
                _ => whole.cycles.div_ceil(10),
            };
            let expected = (1..).map(|i| i * every).take_while(|&t| t < whole.cycles);
            assert_eq!(ends, expected.chain([whole.cycles]).collect::<Vec<_>>());
            let findings = laws::check(&reading);
            assert_eq!(findings, Findings::default(), "{sampling:?} on {arch}");
            // Each period alone adds up too, on each SM.
            let mut from = 0;
            for p in &reading.periods {
                for counts in &p.sms {
                    let cycles = counts.get(C::IssueCycles) + counts.sum(upset_device::pmu::STALLS);
                    assert_eq!(cycles, u64::from(reading.schedulers) * (p.to - from));
                }
                from = p.to;
            }
        }
    }
}

#[test]
fn counting_changes_no_digest() {
    let arch = Arch::Sm75;
    let words = program(&below(4), &[bar_sync(0), nop(), exit()]);
    let digest = |counting: Option<(Mode, Sampling)>, mode| {
        let mut device = Device::in_mode(&chip(arch), mode).expect("a device");
        if let Some((_, sampling)) = counting {
            device.start_counting(sampling).expect("counters");
        }
        for _ in 0..2 {
            launch(&mut device, arch, &words, (70, 96)).expect("it runs");
        }
        device.digest()
    };
    for mode in MODES {
        let plain = digest(None, mode);
        assert_eq!(digest(Some((mode, Sampling::AtEnd)), mode), plain);
    }
    let plain = digest(None, Mode::Timing);
    for sampling in [Sampling::Every(13), Sampling::Parts(10)] {
        assert_eq!(digest(Some((Mode::Timing, sampling)), Mode::Timing), plain);
    }
}

#[test]
fn launches_that_trap_or_run_too_long_are_read_too() {
    let arch = Arch::Sm75;
    // The second launch does not end: BRA to itself.
    let good = program(&[], &[nop(), exit()]);
    let endless = program(&[], &[bra(arch, -16), exit()]);
    for mode in MODES {
        let mut device = device(arch, mode, Sampling::AtEnd);
        launch(&mut device, arch, &good, (1, 32)).expect("it runs");
        device.limit(upset_device::Limits { warp_insts: 200_000 });
        if mode == Mode::Timing {
            device.limit_cycles(device.cycles().unwrap_or(0) + 1_000);
        }
        assert!(launch(&mut device, arch, &endless, (1, 32)).is_err());
        let [first, second] = device.readings() else { panic!("two launches") };
        assert!(first.ended && !second.ended);
        assert_eq!((first.launch, second.launch), (0, 1));
        let total = second.total();
        assert!(total.get(C::Branches) > 20, "{mode:?}");
        assert_eq!((total.get(C::ThreadsLaunched), total.get(C::ThreadsExited)), (32, 0));
        let findings = laws::check(second);
        assert!(findings.unended && findings.broken.is_empty(), "{mode:?}: {findings:?}");
        if mode == Mode::Timing {
            assert_eq!(second.cycles, 1_000);
        }
    }
}

#[test]
fn what_has_no_counters_says_so() {
    let amd = upset_chip::ChipSpec::preset("hd7970").expect("a chip");
    for mode in MODES {
        let mut device = Device::in_mode(&amd, mode).expect("a device");
        let e = device.start_counting(Sampling::AtEnd).expect_err("none there");
        assert!(e.to_string().starts_with("chip `hd7970` has no performance counters"), "{e}");
    }
    let mut plain = Device::new(&chip(Arch::Sm75)).expect("a device");
    let e = plain.start_counting(Sampling::Every(10)).expect_err("no time there");
    assert!(e.to_string().starts_with("functional mode has no cycles"), "{e}");
    assert!(plain.start_counting_each(vec![10]).is_err());
}
