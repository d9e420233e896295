//! Stuck bits come back after every write; let go, the next write is right.

use upset_device::{Change, DeviceError, Trap, TrapKind};
use upset_state::{Force, Site};
use upset_testkit::asm::int::{self, Combine, Compare};
use upset_testkit::asm::memory::{Size, lds, sts};
use upset_testkit::asm::uniform::umov;
use upset_testkit::asm::{Code, P, PT, RZ, U, moves};

use super::lab::*;

/// What a program leaves with a bit held at a value: twice, and once more
/// after it was let go.
fn with_held(body: &[Code], site: impl FnOnce(&mut Lab) -> Site, value: bool) -> [Vec<u32>; 3] {
    let mut lab = Lab::new(&[]);
    let program = lab.kernel(body);
    let buffers = lab.two();
    let run = |lab: &mut Lab| {
        let shape = upset_device::Launch {
            grid: [1, 1, 1],
            block: [32, 1, 1],
            shared_bytes: 256,
            ..Default::default()
        };
        let args =
            upset_device::Args::new().ptr(buffers[0]).ptr(buffers[1]).ptr(upset_device::DevPtr(0));
        lab.device.launch(program, &shape, &args).expect("it runs");
        lab.words(buffers[1], WORDS)
    };
    let golden = run(&mut lab);
    let site = site(&mut lab);
    let force = lab.hold(site, value);
    let held = [run(&mut lab), run(&mut lab)];
    lab.let_go(force);
    let after = run(&mut lab);
    assert_eq!(after, golden, "let go, the next write is right");
    let [first, second] = held;
    [first, second, golden]
}

/// The words in which two results differ, and how.
fn difference(a: &[u32], b: &[u32]) -> Vec<(usize, u32)> {
    (0..a.len()).filter(|&i| a[i] != b[i]).map(|i| (i, a[i] ^ b[i])).collect()
}

fn named(name: &'static str) -> impl FnOnce(&mut Lab) -> Site {
    move |lab| lab.site(name)
}

#[test]
fn registers() {
    let body = fill(0x40);
    for (bit, value) in [(0, true), (6, false)] {
        let name = ["rf:sm0.sub0.row10.lane9.bit0", "rf:sm0.sub0.row10.lane9.bit6"][bit / 6];
        let [first, second, golden] = with_held(&body, named(name), value);
        assert_eq!(difference(&first, &golden), [(9, 1 << bit)]);
        assert_eq!(first, second);
    }
}

#[test]
fn predicates() {
    let p = P::new(1);
    let body = [
        moves::mov(X, 1),
        moves::mov(Y, 2),
        int::isetp(p, Compare::Lt, false, ID, 4, Combine::And, PT),
        moves::sel(X, X, Y, p),
        store(SECOND, X),
    ];
    let [first, second, golden] = with_held(&body, named("pred:sm0.warp0.p1.bit30"), true);
    assert_eq!(difference(&first, &golden), [(30, 3)]);
    assert_eq!(first, second);
}

#[test]
fn uniform_registers() {
    let body = [umov(U(4), 0), moves::mov(Y, 1), int::iadd3(X, Y, U(4), RZ), store(SECOND, X)];
    let [first, second, _] = with_held(&body, named("ureg:sm0.warp0.ur4.bit8"), true);
    assert_eq!(first, [0x101; WORDS]);
    assert_eq!(first, second);
}

#[test]
fn shared_memory() {
    let body = [
        moves::mov(X, 6),
        sts(RZ, 64, X, Size::Word),
        lds(Y, RZ, 64, Size::Word),
        store(SECOND, Y),
    ];
    let [first, second, _] = with_held(&body, named("smem:sm0.byte64.bit0"), true);
    assert_eq!(first, [7; WORDS]);
    assert_eq!(first, second);
}

#[test]
fn data_of_a_cache() {
    let l2 = |lab: &mut Lab| {
        let out = lab.buffer_of_second();
        lab.line("l2", out).data(32 * 3 + 7)
    };
    let [first, second, golden] = with_held(&fill(0), l2, true);
    assert_eq!(difference(&first, &golden), [(3, 1 << 7)]);
    assert_eq!(first, second);
}

#[test]
fn a_stuck_bit_of_a_cache_also_survives_fills() {
    let mut lab = Lab::new(&["cache.l1d.ways=1"]);
    let program = lab.kernel(&copy());
    let buffers = lab.two();
    let site = lab.site("l1d:sm0.set0.way0.data.bit64");
    lab.hold(site, true);
    for _ in 0..2 {
        lab.run(program, 1, &buffers);
        let values = lab.words(buffers[1], WORDS);
        assert_eq!(difference(&values, &ramp(WORDS, 1)), [(2, 1)]);
    }
}

#[test]
fn valid_bits() {
    // A sector that cannot be valid misses every time.
    let mut lab = Lab::new(&["cache.l1d.ways=1"]);
    let program = lab.kernel(&copy());
    let buffers = lab.two();
    let site = lab.site("l1d:sm0.set0.way0.state.bit2");
    lab.hold(site, false);
    let mut counts = Vec::new();
    for _ in 0..3 {
        lab.run(program, 1, &buffers);
        assert_eq!(lab.words(buffers[1], WORDS), ramp(WORDS, 1));
        counts.push(lab.device.stats().timing().expect("counters").cores.l1d.misses);
    }
    assert!(counts[0] < counts[1] && counts[1] < counts[2], "{counts:?}");
}

#[test]
fn tags() {
    let mut lab = Lab::new(&["cache.l1d.ways=1"]);
    let mut at = lab.buffer(&ramp(3 * WORDS, 1)).0;
    at += at & 128;
    let out = lab.buffer(&[0; WORDS]);
    let [even, odd] = [at, at + 128].map(upset_device::DevPtr);
    let program = lab.kernel(&copy());
    let site = lab.site("l1d:sm0.set0.way0.tag.bit0");
    lab.hold(site, true);
    lab.run(program, 1, &[even, out]);
    let first = lab.words(out, WORDS);
    // The even line was stored under the odd one's tag.
    lab.run(program, 1, &[odd, out]);
    assert_eq!(lab.words(out, WORDS), first);
}

#[test]
fn instruction_buffers() {
    // Bit 33 is the second of MOV's immediate; the number of the register that
    // the store takes has it already. The hold begins after the prologue.
    let body = [[moves::mov(X, 0); 6].as_slice(), &[store(SECOND, X)]].concat();
    let begin = writes(&Lab::events(&body), X)[0];
    let mut seen = Vec::new();
    for entry in 0..3 {
        let mut lab = Lab::new(&[]);
        let program = lab.kernel(&body);
        let out = lab.buffer(&[9; 2 * WORDS]);
        // The second CTA's warp is in slot 1.
        let site = lab.site(&format!("ibuf:sm0.warp1.entry{entry}.bit33"));
        let force = Force { array: site.array, bit: site.bit, value: true };
        lab.device.plan(begin, Change::Hold(force));
        lab.run(program, 2, &[out, out]);
        let values = lab.words(out, 2 * WORDS);
        assert_eq!(values[..WORDS], [0; WORDS], "another warp's buffer");
        assert!(values[WORDS..].iter().all(|v| *v == values[WORDS]));
        seen.push(values[WORDS]);
    }
    // The last MOV passes through one of the entries.
    seen.sort_unstable();
    assert_eq!(seen, [0, 0, 2]);
}

#[test]
fn dependence_counters() {
    let mut lab = Lab::new(&[]);
    let program = lab.kernel(&fill(1));
    let buffers = lab.two();
    let site = lab.site("sb:sm0.warp0.sb3.bit0");
    let force = lab.hold(site, true);
    let hung = lab.try_run(program, 1, &buffers);
    assert!(matches!(
        hung,
        Err(DeviceError::Trap { trap: Trap { kind: TrapKind::Deadlock, .. }, .. })
    ));
    lab.let_go(force);
    lab.run(program, 1, &buffers);
    assert_eq!(lab.words(buffers[1], WORDS), [1; WORDS]);
}

#[test]
fn active_masks() {
    // Switched off after every step, the thread never gets anywhere.
    let mut lab = Lab::new(&[]);
    let program = lab.kernel(&fill(1));
    let buffers = lab.two();
    lab.device.limit_cycles(100_000);
    let site = lab.site("mask:sm0.warp0.active.bit7");
    lab.hold(site, false);
    let ran = lab.try_run(program, 1, &buffers);
    assert!(ran.is_err(), "it can neither run nor leave");
    let mut expected = [1; WORDS];
    expected[7] = 0;
    assert_eq!(lab.words(buffers[1], WORDS), expected, "the others did");
}
