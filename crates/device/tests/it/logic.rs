//! Broken logic: what a stuck wire or warp state does to a vector addition.

use upset_chip::ChipSpec;
use upset_device::{Args, Change, DevPtr, Device, DeviceError, Launch, TrapKind};
use upset_state::{Force, Registry, Site};

use crate::CUBIN;

const N: usize = 512;

fn input(i: usize) -> f32 {
    1.0 + i as f32
}

/// What came of a vector addition on one SM.
struct Ran {
    ended: Result<(), DeviceError>,
    cycles: u64,
    warp_insts: u64,
    thread_insts: u64,
    output: Vec<f32>,
}

impl Ran {
    /// Threads whose sum is not right.
    fn wrong(&self) -> Vec<usize> {
        (0..N).filter(|&i| self.output[i] != 2.0 * input(i)).collect()
    }

    fn hangs(&self) -> bool {
        let stuck = |kind: &TrapKind| matches!(kind, TrapKind::Deadlock | TrapKind::CycleLimit(_));
        matches!(&self.ended, Err(DeviceError::Trap { trap, .. }) if stuck(&trap.kind))
    }
}

/// Two CTAs of 256 threads, with bits stuck from the first cycle on.
fn run(faults: &[(&str, bool)]) -> Ran {
    let chip = ChipSpec::load("rtx2060", &["sm.count=1"]).expect("a chip");
    let mut device = Device::timed(&chip).expect("a device");
    device.limit_cycles(20_000);
    let bytes: Vec<u8> = (0..N).flat_map(|i| input(i).to_le_bytes()).collect();
    let p: Vec<DevPtr> = (0..3).map(|_| device.malloc(4 * N as u64).expect("room")).collect();
    p[..2].iter().for_each(|p| device.upload(*p, &bytes).expect("a copy"));
    let module = device.load_module(CUBIN).expect("our own cubin");
    let kernel = device.function(module, "vectorAdd").expect("its kernel");
    let registry = Registry::of(device.machine_mut().expect("a machine"));
    for (name, value) in faults {
        let site = Site::parse(name, &registry).expect(name);
        let force = Force { array: site.array, bit: site.bit, value: *value };
        device.plan(0, Change::Hold(force));
    }
    let shape =
        Launch { grid: [2, 1, 1], block: [256, 1, 1], shared_bytes: 0, ..Launch::default() };
    let args = Args::new().ptr(p[0]).ptr(p[1]).ptr(p[2]).i32(N as i32);
    let ended = device.launch(kernel, &shape, &args);
    let (cycles, warp_insts, thread_insts) = {
        let (_, warps, threads) = device.stats().total();
        (device.cycles().expect("cycles"), warps, threads)
    };
    let mut bytes = vec![0; 4 * N];
    device.download(p[2], &mut bytes).expect("a copy");
    let (words, _) = bytes.as_chunks::<4>();
    let output = words.iter().map(|w| f32::from_le_bytes(*w)).collect();
    Ran { ended, cycles, warp_insts, thread_insts, output }
}

/// Threads of the warps of a sub-core, by lane.
fn threads(sub: usize, lane: impl Fn(usize) -> bool) -> Vec<usize> {
    (0..N).filter(|i| i / 32 % 4 == sub && lane(i % 32)).collect()
}

#[test]
fn a_port_without_a_mask_bit_loses_the_lane_in_every_warp() {
    let golden = run(&[]);
    assert!(golden.wrong().is_empty());
    let lost = run(&[("port:sm0.mask.bit4", false)]);
    lost.ended.as_ref().expect("it ends");
    assert_eq!(lost.wrong(), (0..N).filter(|i| i % 32 == 4).collect::<Vec<_>>());
    // The same instructions, each with one lane of 32 less.
    assert_eq!(lost.warp_insts, golden.warp_insts);
    assert_eq!(32 * lost.thread_insts, 31 * golden.thread_insts);
}

#[test]
fn a_stuck_result_bit_is_wrong_in_its_lane_alone() {
    // A bit of the sum's exponent that no address has.
    let fma = run(&[("fma:sm0.sub1.lane5.bit30", false)]);
    fma.ended.as_ref().expect("it ends");
    assert_eq!(fma.wrong(), threads(1, |lane| lane % 16 == 5));
    // Sums are positive.
    assert!(run(&[("fma:sm0.sub1.lane5.bit31", false)]).wrong().is_empty());
    // Addresses pass the same latches.
    assert!(run(&[("fma:sm0.sub1.lane5.bit31", true)]).ended.is_err());
    // Nothing is double here.
    assert!(run(&[("fp64:sm0.lane1.bit63", true)]).wrong().is_empty());
    // Loaded and stored words alike.
    let data = run(&[("lsud:sm0.sub2.lane3.bit31", true)]);
    assert_eq!(data.wrong(), threads(2, |lane| lane % 8 == 3));
}

#[test]
fn a_scheduler_line_starves_its_warp_or_does_not() {
    let golden = run(&[]);
    let never = run(&[("sched:sm0.sub0.warp1.ready", false)]);
    assert!(never.hangs(), "{:?}", never.ended);
    let bubble = run(&[("sched:sm0.sub0.warp1.select", false)]);
    assert!(bubble.hangs(), "{:?}", bubble.ended);
    // Lines of warps that are not there.
    let empty = run(&[("sched:sm0.sub0.warp7.ready", false)]);
    assert!(empty.wrong().is_empty() && empty.cycles == golden.cycles);
    // Taken before its operands are there.
    let eager = run(&[("sched:sm0.sub0.warp0.ready", true)]);
    assert!(!eager.wrong().is_empty() || eager.cycles != golden.cycles, "{:?}", eager.ended);
}

#[test]
fn the_states_of_warps_decide_who_runs_and_when_a_cta_ends() {
    let golden = run(&[]);
    // Its warp never runs, and its CTA ends all the same.
    let gone = run(&[("wstate:sm0.warp2.finished", true)]);
    gone.ended.as_ref().expect("it ends");
    assert_eq!(gone.wrong(), (64..96).collect::<Vec<_>>());
    for name in ["wstate:sm0.warp2.valid", "wstate:sm0.warp2.ready"] {
        let never = run(&[(name, false)]);
        assert!(never.hangs() && never.wrong().contains(&64), "{name}: {:?}", never.ended);
    }
    let kept = run(&[("wstate:sm0.warp2.finished", false)]);
    assert!(kept.hangs() && kept.wrong().is_empty(), "{:?}", kept.ended);
    assert!(run(&[("wstate:sm0.warp2.waiting", true)]).hangs());
    // There is no barrier, and another slot for the warp.
    for name in ["wstate:sm0.warp2.waiting", "wstate:sm0.warp30.ready"] {
        let same = run(&[(name, false)]);
        assert!(same.wrong().is_empty() && same.cycles == golden.cycles, "{name}");
    }
    let other = run(&[("wstate:sm0.warp2.valid", true)]);
    assert!(other.wrong().is_empty(), "{:?}", other.ended);
}
