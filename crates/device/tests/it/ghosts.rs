//! A ghost is the faulty run.
//!
//! Random programs run on random chips with ghosts of random flips. A ghost
//! that never leaves must be a faulty run that ends like the fault-free one,
//! at the same cycle; a run that becomes a ghost when it must leave must end
//! like the faulty run from the start.

use std::sync::{Arc, Mutex};

use upset_chip::ChipSpec;
use upset_device::{Args, Change, Device, DeviceError, Launch};
use upset_sass::Arch;
use upset_state::{Ghosts, Part, Registry, Site};
use upset_testkit::Rng;
use upset_testkit::asm::memory::{Size, lds, sts};
use upset_testkit::asm::{R, RZ, int};
use upset_testkit::generate::{Program, chip, run};

use crate::completeness::{KINDS, programs, spare, texels, used_rows};
use crate::propagation::lab::{FIRST, ID, Lab, SECOND, WORDS, X, Y, load, ramp, store};

pub(crate) type Run<'a> = &'a dyn Fn(&mut Device) -> Result<String, DeviceError>;

/// A flip of bits at a cycle.
pub(crate) type Flips = (u64, Vec<Site>);

fn ended(chip: &ChipSpec, run: Run<'_>, limit: u64, prepare: impl FnOnce(&mut Device)) -> String {
    let mut device = Device::timed(chip).expect("a device");
    device.limit_cycles(limit);
    prepare(&mut device);
    let ended = run(&mut device);
    format!("{ended:?} after {:?}", device.cycles())
}

pub(crate) fn draw(
    chip: &ChipSpec,
    run: Run<'_>,
    kinds: &[&str],
    many: usize,
    seed: u64,
) -> Vec<Flips> {
    let mut rng = Rng::new(seed ^ 0x6057);
    let (rows, registry) = used_rows(chip, run);
    let mut list = Vec::new();
    for &kind in kinds {
        let used: Vec<_> = rows
            .iter()
            .filter_map(|((id, row), cycles)| {
                let layout = registry.layout(*id)?;
                (layout.kind == kind && id.part == Part::Data).then_some((layout, *row, *cycles))
            })
            .collect();
        for _ in 0..if used.is_empty() { 0 } else { many } {
            let mut flips = (0, Vec::new());
            for _ in 0..1 + rng.below(8) / 5 {
                let (layout, row, (first, last)) = used[rng.below(used.len() as u32) as usize];
                let bit = u64::from(row) * layout.row_bits() + rng.u64() % layout.row_bits();
                flips.0 = first + rng.u64() % (last - first + 1);
                flips.1.push(Site { array: layout.id, bit });
            }
            flips.1.dedup();
            list.push(flips);
        }
    }
    list
}

/// Checks ghosts of one program: how many never left, left without a trace,
/// and left for another end.
pub(crate) fn check(name: &str, chip: &ChipSpec, run: Run<'_>, list: &[Flips]) -> [usize; 3] {
    let golden = ended(chip, run, u64::MAX, |_| ());
    let cycles: u64 = {
        let mut device = Device::timed(chip).expect("a device");
        run(&mut device).expect("it runs");
        device.cycles().expect("cycles")
    };
    let limit = 3 * cycles + 1000;
    let left: Arc<Mutex<Vec<u32>>> = Arc::default();
    let log = left.clone();
    let haunted = ended(chip, run, limit, |device| {
        let part = move |ghost, _| {
            log.lock().unwrap().push(ghost);
            false
        };
        device.haunt(Ghosts::of(list.to_vec()), Box::new(part));
    });
    assert_eq!(haunted, golden, "{name}: ghosts change nothing");
    let left = left.lock().unwrap().clone();
    let registry = {
        let mut device = Device::timed(chip).expect("a device");
        run(&mut device).expect("it runs");
        Registry::of(device.machine_mut().expect("a machine"))
    };
    let mut sums = [0; 3];
    for (i, (cycle, sites)) in list.iter().enumerate() {
        let names: Vec<_> = sites.iter().map(|s| s.name(&registry).unwrap_or_default()).collect();
        let about = format!("{name}: {}@{cycle}", names.join("+"));
        let naive = ended(chip, run, limit, |device| {
            sites.iter().for_each(|s| device.plan(*cycle, Change::Flip(*s)));
        });
        if !left.contains(&(i as u32)) {
            assert_eq!(naive, golden, "{about}: it never left");
            sums[0] += 1;
            continue;
        }
        let own = ended(chip, run, limit, |device| {
            let one = Ghosts::of(vec![(*cycle, sites.clone())]);
            device.haunt(one, Box::new(|_, _| true));
        });
        assert_eq!(own, naive, "{about}: it left");
        sums[if naive == golden { 1 } else { 2 }] += 1;
    }
    sums
}

/// Checks ghosts of random programs: `many` flips in each of some kinds of arrays.
fn check_programs(kinds: &[&str], many: usize) {
    let (first, last) = programs((0, 3));
    let mut sums = [0; 3];
    for seed in first..last {
        let arch = [Arch::Sm75, Arch::Sm70, Arch::Sm90][seed as usize % 3];
        let program = Program::with_size(seed, arch, 24);
        let chip = chip(&program).expect("a chip");
        let run = |device: &mut Device| run(&program, device).map(|m| m.digest);
        let list = draw(&chip, &run, kinds, many, seed);
        let counts = check(&format!("program {seed} for {arch:?}"), &chip, &run, &list);
        (0..3).for_each(|i| sums[i] += counts[i]);
    }
    println!("{} never left, {} left in vain, {} ended otherwise", sums[0], sums[1], sums[2]);
    assert!(sums.iter().all(|n| *n > 0), "{sums:?}");
}

#[test]
fn a_ghost_is_the_faulty_run() {
    check_programs(&KINDS, 8);
}

/// Flipped instructions: many of them take the same course with other operands,
/// results or places to write to.
#[test]
fn a_ghost_with_another_instruction_is_the_faulty_run() {
    check_programs(&["ibuf"], 100);
}

#[test]
fn ghosts_of_texels_are_the_faulty_runs() {
    let settings = ["sm.count=1", "cache.l1t.sets=1", "cache.l1t.ways=2"];
    let chip = ChipSpec::load("rtx2060", &settings).expect("a chip");
    let list = draw(&chip, &texels, &["l1t", "l2", "rf"], 60, 1);
    let [never, _, otherwise] = check("texels", &chip, &texels, &list);
    assert!(never > 0 && otherwise > 0, "{never} {otherwise}");
}

/// Every thread stores its number to shared memory, and takes words from there and from
/// global memory.
fn gathers(device: &mut Device) -> Result<String, DeviceError> {
    let body = [
        int::imad(X, ID, 4, RZ),
        sts(X, 0, ID, Size::Word),
        lds(Y, X, 0, Size::Word),
        load(R(12), FIRST),
        int::iadd3(Y, Y, R(12), RZ),
        // What was stored elsewhere may become what is there anyway.
        sts(X, 0, RZ, Size::Word),
        lds(R(13), X, 0, Size::Word),
        int::iadd3(Y, Y, R(13), RZ),
        store(SECOND, Y),
    ];
    let mut lab = Lab { device: std::mem::replace(device, spare()) };
    let program = lab.kernel(&body);
    let from = lab.buffer(&ramp(2 * WORDS, 3));
    let to = lab.buffer(&[0; WORDS]);
    let shape =
        Launch { grid: [1, 1, 1], block: [32, 1, 1], shared_bytes: 256, ..Launch::default() };
    let args = Args::new().ptr(from).ptr(to).ptr(to);
    let ran = lab.device.launch(program, &shape, &args);
    let seen = lab.words(to, WORDS);
    *device = lab.device;
    ran.map(|()| format!("{seen:?}"))
}

/// A ghost whose access goes elsewhere by the same course is followed to the end.
#[test]
fn accesses_of_the_same_course_are_followed() {
    let chip = ChipSpec::load("rtx2060", &["sm.count=1"]).expect("a chip");
    let mut device = Device::timed(&chip).expect("a device");
    gathers(&mut device).expect("it runs");
    let cycles = device.cycles().expect("cycles");
    let registry = Registry::of(device.machine_mut().expect("a machine"));
    // Bits of addresses of lane 5 (registers 10 and 2), and whether what is there is as
    // many turns of the banks, or the same sector.
    let cases = [
        // The word of another lane.
        (vec!["row10.lane5.bit2"], true),
        (vec!["row10.lane5.bit3"], true),
        // Another word of its own bank.
        (vec!["row10.lane5.bit7"], true),
        // One of a bank that another lane wants a word of.
        (vec!["row10.lane5.bit2", "row10.lane5.bit7"], false),
        // Outside.
        (vec!["row10.lane5.bit9"], false),
        (vec!["row2.lane5.bit2"], true),
        // Its sector is wanted by others.
        (vec!["row2.lane5.bit4"], true),
        // Another line.
        (vec!["row2.lane5.bit7"], false),
    ];
    let mut list: Vec<Flips> = Vec::new();
    let mut is_followed = Vec::new();
    for (names, followed) in &cases {
        let site = |n: &&str| Site::parse(&format!("rf:sm0.sub0.{n}"), &registry).expect("a site");
        for cycle in (1..cycles).step_by(5) {
            list.push((cycle, names.iter().map(site).collect()));
            is_followed.push(*followed);
        }
    }
    let log: Arc<Mutex<Vec<(u32, u64)>>> = Arc::default();
    let own = log.clone();
    ended(&chip, &gathers, u64::MAX, |device| {
        let part = move |ghost, cycle| {
            own.lock().unwrap().push((ghost, cycle));
            false
        };
        device.haunt(Ghosts::of(list.clone()), Box::new(part));
    });
    // Those that left before the host looked at the result.
    let (mut early, mut late) = ([0, 0], [0, 0]);
    for (ghost, cycle) in log.lock().unwrap().iter() {
        let followed = usize::from(is_followed[*ghost as usize]);
        if *cycle < cycles { early[followed] += 1 } else { late[followed] += 1 }
    }
    assert_eq!(early[1], 0, "they take the same course: {early:?} {late:?}");
    assert!(early[0] > 10 && late[1] > 10, "{early:?} {late:?}");
    let [_, _, otherwise] = check("gathers", &chip, &gathers, &list);
    assert!(otherwise > 10, "{otherwise}");
}
