//! The applications on a machine that skips no cycle: the same run.

use upset_apps::{App, Scale, built_in_for};
use upset_chip::{ChipSpec, Vendor};
use upset_device::{Change, Device};
use upset_state::{Registry, Site};

const CHIP: [&str; 1] = ["sm.count=1"];

/// What a run shows: end, cycles, outputs, statistics, and the state at its end.
fn shown(app: &dyn App, fault: Option<(&str, bool)>, limit: u64, slow: bool) -> (u64, [String; 3]) {
    let chip = ChipSpec::load("rtx2060", &CHIP).expect("a chip");
    let mut device = Device::timed(&chip).expect("a device");
    device.limit_cycles(limit);
    if slow {
        device.go_slowly();
    }
    if let Some((name, value)) = fault {
        let registry = Registry::of(device.machine_mut().expect("a machine"));
        let site = Site::parse(name, &registry).expect(name);
        let force = upset_state::Force { array: site.array, bit: site.bit, value };
        device.plan(0, Change::Hold(force));
    }
    let ended = app.run(&mut device, Scale::Small, app.default_seed());
    let ended = format!("{:?}", ended.map(|run| run.outputs.len()).map_err(|e| e.to_string()));
    let cycles = device.cycles().expect("cycles");
    let visible = format!("{ended} {cycles} {:?}", device.stats());
    (cycles, [visible, device.outputs().digest(), device.digest()])
}

#[test]
fn no_application_needs_a_cycle_that_was_skipped() {
    // Wires that act all the time, one of each sort; a run each.
    const WIRES: [(&str, bool); 12] = [
        ("fma:sm0.sub0.lane3.bit9", true),
        ("alu:sm0.sub1.lane5.bit33", true),
        ("lsud:sm0.sub2.lane1.bit20", false),
        ("opnd:sm0.sub3.b.lane17.bit4", true),
        ("lsua:sm0.sub0.lane2.bit3", false),
        ("sched:sm0.sub0.warp0.ready", true),
        ("sched:sm0.sub1.warp0.select", true),
        ("sched:sm0.sub2.warp1.select", false),
        ("div:sm0.sub0.arrive.bit3", false),
        ("port:sm0.mask.bit4", false),
        ("wstate:sm0.warp1.waiting", false),
        ("wstate:sm0.warp2.finished", true),
    ];
    let mut changed = 0;
    for (i, app) in built_in_for(Vendor::Nvidia).enumerate() {
        let (cycles, golden) = shown(app, None, u64::MAX, false);
        assert_eq!(
            (cycles, &golden),
            (cycles, &shown(app, None, u64::MAX, true).1),
            "{}",
            app.id()
        );
        let (fault, limit) = (WIRES[i % WIRES.len()], 2 * cycles);
        let fast = shown(app, Some(fault), limit, false);
        assert_eq!(fast, shown(app, Some(fault), limit, true), "{} {fault:?}", app.id());
        changed += usize::from(fast.1 != golden);
    }
    assert!(changed >= 6, "{changed}");
}
