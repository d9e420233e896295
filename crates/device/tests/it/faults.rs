//! Bits of a running machine, broken through the registry: what happens
//! afterwards follows from the arrays alone.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use upset_chip::ChipSpec;
use upset_device::{Args, Change, DevPtr, Device, DeviceError, Launch};
use upset_isa::trap::TrapKind;
use upset_state::{
    Access, ArrayId, Bits, Event, Extent, Force, Kind, Layout, Part, Registry, Site, Visit,
    Visitor, Watch,
};

use crate::CUBIN;

/// A vector addition on a timed rtx2060.
struct Run {
    device: Device,
    out: DevPtr,
    n: usize,
}

const N: usize = 2048;

fn input(i: usize) -> f32 {
    i as f32 * 0.5
}

/// Everything up to the launch.
fn prepared() -> (Run, impl FnOnce(&mut Run) -> Result<(), DeviceError>) {
    let chip = ChipSpec::preset("rtx2060").expect("a preset");
    let mut device = Device::timed(&chip).expect("a device");
    let bytes: Vec<u8> = (0..N).flat_map(|i| input(i).to_le_bytes()).collect();
    let p: Vec<DevPtr> = (0..3).map(|_| device.malloc(4 * N as u64).expect("room")).collect();
    for &p in &p[..2] {
        device.upload(p, &bytes).expect("a copy");
    }
    let module = device.load_module(CUBIN).expect("our own cubin");
    let kernel = device.function(module, "vectorAdd").expect("its kernel");
    let out = p[2];
    let go = move |run: &mut Run| {
        let shape =
            Launch { grid: [8, 1, 1], block: [256, 1, 1], shared_bytes: 0, ..Launch::default() };
        let args = Args::new().ptr(p[0]).ptr(p[1]).ptr(p[2]).i32(N as i32);
        run.device.launch(kernel, &shape, &args)
    };
    (Run { device, out, n: N }, go)
}

impl Run {
    fn output(&mut self) -> Vec<f32> {
        let mut bytes = vec![0; 4 * self.n];
        self.device.download(self.out, &mut bytes).expect("a copy");
        let (words, _) = bytes.as_chunks::<4>();
        words.iter().map(|w| f32::from_le_bytes(*w)).collect()
    }

    fn registry(&mut self) -> Registry {
        Registry::of(self.machine())
    }

    fn machine(&mut self) -> &mut dyn Visit {
        self.device.machine_mut().expect("a timed device")
    }

    /// L2 slice and row of the line that holds `addr`, by its stored tag.
    fn l2_line(&mut self, addr: u64) -> (ArrayId, u64, Layout) {
        struct Find {
            tag: u64,
            found: Option<(ArrayId, u64, Layout)>,
        }
        impl Visitor for Find {
            fn wants(&self, id: ArrayId) -> bool {
                id.part == Part::Tag && matches!(id.kind, Kind::Cache(_)) && self.found.is_none()
            }
            fn array(&mut self, layout: &Layout, bits: &mut dyn Bits) {
                if layout.kind != "l2" {
                    return;
                }
                let width = layout.axes[2].size;
                for row in 0..bits.len() / width {
                    let tag =
                        (0..width).fold(0, |t, b| t | u64::from(bits.get(row * width + b)) << b);
                    if tag == self.tag {
                        self.found = Some((layout.id, row, layout.clone()));
                    }
                }
            }
        }
        let mut find = Find { tag: addr >> 7, found: None };
        self.machine().visit(&mut find);
        find.found.expect("the line is in L2")
    }
}

fn wrong(values: &[f32]) -> Vec<usize> {
    (0..values.len()).filter(|&i| values[i] != 2.0 * input(i)).collect()
}

#[test]
fn a_flipped_bit_of_a_dirty_l2_line_reaches_the_host() {
    let (mut run, go) = prepared();
    go(&mut run).expect("it runs");
    let at = run.out.0 + 4 * 100;
    let (id, row, _) = run.l2_line(at);
    let data = Site { array: id.with(Part::Data), bit: row * 1024 + (at % 128) * 8 + 31 };
    assert!(data.flip(run.machine()));
    let values = run.output();
    assert_eq!(wrong(&values), [100]);
    assert_eq!(values[100], -2.0 * input(100));
    // Memory itself has never seen the result: it is only in the cache.
    let gmem = Site { array: ArrayId::data(Kind::Gmem, 0), bit: 0 };
    let base = upset_state::memory::BASE;
    let word: u32 = (0..32)
        .map(|b| Site { bit: (at - base) * 8 + b, ..gmem })
        .map(|s| u32::from(s.read(run.machine()).expect("memory")))
        .enumerate()
        .fold(0, |w, (i, b)| w | b << i);
    assert_eq!(word, 0);
}

#[test]
fn a_flipped_tag_makes_a_dirty_line_answer_for_another_address() {
    let (mut run, go) = prepared();
    go(&mut run).expect("it runs");
    let (id, row, layout) = run.l2_line(run.out.0 + 512);
    let width = layout.axes[2].size;
    Site { array: id, bit: row * width + 40 }.flip(run.machine());
    let values = run.output();
    // The 32 results of the line are gone: memory still holds what was there before.
    assert_eq!(wrong(&values), (128..160).collect::<Vec<_>>());
    assert!(values[128..160].iter().all(|&v| v == 0.0));
}

/// A bit of thread masks of warp slot 0 on SM 0, which the first CTA has.
fn stuck_mask(run: &mut Run, which: &str, lane: u32, value: bool) {
    let registry = run.registry();
    let name = format!("mask:sm0.warp0.{which}.bit{lane}");
    let site = Site::parse(&name, &registry).expect("a bit");
    let force = Force { array: site.array, bit: site.bit, value };
    run.device.watch(Watch::default());
    run.device.plan(0, Change::Hold(force));
}

#[test]
fn logic_of_the_same_cycle_sees_what_is_stuck() {
    let never_ends = |which, value| {
        let (mut run, go) = prepared();
        run.device.limit_cycles(20_000);
        stuck_mask(&mut run, which, 5, value);
        match go(&mut run) {
            Err(DeviceError::Trap { trap, .. }) => {
                matches!(trap.kind, TrapKind::Deadlock | TrapKind::CycleLimit(_))
            }
            other => panic!("{other:?}"),
        }
    };
    // The last thread of the warp exits, and yet one lives: the warp stays.
    assert!(never_ends("live", true));
    // A thread that can never be active never runs, and never ends.
    assert!(never_ends("active", false));
}

#[test]
fn a_register_stuck_at_one_shows_in_every_warp_that_gets_the_row() {
    let (mut run, go) = prepared();
    let registry = run.registry();
    let site = Site::parse("rf:sm0.sub0.row5.lane3.bit30", &registry).expect("a site");
    let force = Force { array: site.array, bit: site.bit, value: true };
    run.device.plan(0, Change::Hold(force));
    let ran = go(&mut run);
    assert_eq!(site.read(run.machine()), Some(true));
    // Whatever the row holds (an address, an operand), the bit was one throughout.
    if ran.is_ok() {
        let bad = wrong(&run.output());
        assert!(bad.iter().all(|i| i % 32 == 3), "{bad:?}");
    }
}

#[test]
fn a_flipped_instruction_bit_decodes_to_something_else() {
    let (mut run, go) = prepared();
    go(&mut run).expect("it runs");
    let cycles = run.device.cycles();
    // The opcode's lowest bits, in the buffer of a warp about to run.
    let mut classes = BTreeMap::new();
    for bit in 0..12 {
        let (mut run, go) = prepared();
        let registry = run.registry();
        let site = Site::parse(&format!("ibuf:sm0.warp0.entry0.bit{bit}"), &registry);
        run.device.plan(300, Change::Flip(site.expect("a site")));
        run.device.limit_cycles(100_000);
        let class = match go(&mut run) {
            Err(_) => "trap",
            Ok(()) if !wrong(&run.output()).is_empty() => "wrong",
            Ok(()) if run.device.cycles() != cycles => "slower",
            Ok(()) => "masked",
        };
        *classes.entry(class).or_insert(0) += 1;
    }
    assert!(classes.get("trap").is_some_and(|&n| n > 3), "{classes:?}");
}

#[test]
fn observers_see_registers_allocated_written_read_and_released() {
    let (mut run, go) = prepared();
    let seen: Arc<Mutex<Vec<Event>>> = Arc::default();
    let log = seen.clone();
    run.device.watch(Watch::observe(move |e| log.lock().unwrap().push(*e)));
    go(&mut run).expect("it runs");
    assert!(wrong(&run.output()).is_empty());
    let seen = seen.lock().unwrap();
    let file = ArrayId::data(Kind::Rf, 0);
    let used = seen.iter().find(|e| e.array == file && e.access == Access::Read);
    let row = used.expect("a register read").row;
    let rf: Vec<&Event> = seen.iter().filter(|e| e.array == file && e.row == row).collect();
    let kinds: Vec<Access> = rf.iter().map(|e| e.access).collect();
    assert_eq!(kinds.first(), Some(&Access::Allocate));
    assert_eq!(kinds.last(), Some(&Access::Release));
    let write = kinds.iter().position(|a| *a == Access::Write).expect("a write");
    let read = kinds.iter().position(|a| *a == Access::Read).expect("a read");
    assert!(write < read, "{kinds:?}");
    assert!(rf.iter().any(|e| e.extent == Extent::Lanes(u32::MAX)));
    assert!(rf.windows(2).all(|w| w[0].cycle <= w[1].cycle));
    for access in [Access::Fill, Access::Write, Access::CopyOut] {
        let caches = |e: &&Event| matches!(e.array.kind, Kind::Cache(_)) && e.access == access;
        assert!(seen.iter().any(|e| caches(&e)), "{access:?}");
    }
}

#[test]
fn watching_changes_nothing() {
    let (mut plain, go) = prepared();
    go(&mut plain).expect("it runs");
    let (mut watched, go) = prepared();
    watched.device.watch(Watch::default());
    go(&mut watched).expect("it runs");
    assert_eq!(plain.device.digest(), watched.device.digest());
}

/// Flips anywhere, at any time: an outcome, never a panic or an endless run.
#[test]
fn any_bit_of_any_array_may_flip() {
    let (mut golden, go) = prepared();
    go(&mut golden).expect("it runs");
    let end = golden.device.cycles().expect("cycles");
    let registry = golden.registry();
    let mut kinds: Vec<&str> = registry.arrays.iter().map(|l| l.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below.max(1)
    };
    let mut visible = 0;
    for kind in kinds {
        let arrays: Vec<&Layout> =
            registry.arrays.iter().filter(|l| l.kind == kind && l.bits() > 0).collect();
        for _ in 0..24 {
            let layout = arrays[random(arrays.len().min(4) as u64) as usize];
            let site = Site { array: layout.id, bit: random(layout.bits()) };
            let (mut run, go) = prepared();
            run.device.limit_cycles(20 * end);
            run.device.plan(random(end), Change::Flip(site));
            match go(&mut run) {
                Err(DeviceError::Trap { .. }) => visible += 1,
                Err(other) => panic!("{}: {other}", layout.name(site.bit)),
                Ok(()) => visible += usize::from(!wrong(&run.output()).is_empty()),
            }
        }
    }
    assert!(visible > 0);
}
