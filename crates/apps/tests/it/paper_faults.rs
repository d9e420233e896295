//! The counter paper's two faults on a chip of its size: what they do to its two
//! counters is known beforehand.

use upset_apps::{App, Scale, built_in_for};
use upset_chip::{ChipSpec, Vendor};
use upset_device::pmu::{Counter, Counts, Reading, Sampling};
use upset_device::{Change, Device};
use upset_state::{Force, Registry, Site};

/// The launches that ended, or were given up, with a bit stuck from the first cycle.
fn launches(app: &dyn App, fault: Option<(&str, bool)>, limit: u64) -> Vec<Reading> {
    let chip = ChipSpec::preset("flexgrip").expect("a chip of ours");
    let mut device = Device::timed(&chip).expect("a device");
    device.start_counting(Sampling::AtEnd).expect("it has counters");
    device.limit_cycles(limit);
    if let Some((name, value)) = fault {
        let registry = Registry::of(device.machine_mut().expect("a machine"));
        let Site { array, bit, .. } = Site::parse(name, &registry).expect(name);
        device.plan(0, Change::Hold(Force { array, bit, value }));
    }
    // A wrong or hanging run is read as far as it came.
    let ended = app.run(&mut device, Scale::Small, app.default_seed());
    assert!(fault.is_some() || ended.is_ok(), "{}: {ended:?}", app.id());
    device.readings().to_vec()
}

fn pairs(app: &dyn App, fault: (&str, bool)) -> Vec<(Counts, Counts)> {
    let good = launches(app, None, u64::MAX);
    let cycles: u64 = good.iter().map(|r| r.cycles).sum();
    let broken = launches(app, Some(fault), 2 * cycles + 1000);
    assert!(!broken.is_empty(), "{}", app.id());
    good.iter().zip(&broken).map(|(a, b)| (a.total(), b.total())).collect()
}

/// A lane that the mask memory's port never gives is missing in every instruction.
#[test]
fn a_mask_port_stuck_at_zero_takes_one_lane_of_thirty_two() {
    let mut full = Vec::new();
    for app in built_in_for(Vendor::Nvidia) {
        let pairs = pairs(app, ("port:sm0.mask.bit4", false));
        for (_, broken) in pairs.iter().filter(|(good, _)| good.get(Counter::Inactive) == 0) {
            let (inactive, insts) = (broken.get(Counter::Inactive), broken.get(Counter::WarpInsts));
            assert_eq!(inactive, insts, "{}: one lane of each instruction", app.id());
            full.push(app.id());
        }
    }
    full.dedup();
    assert_eq!(full.join(" "), "lud gray mmul tran", "the others have inactive threads themselves");
}

/// A divergence unit that says "taken" for a lane that did not jump divides other
/// threads than the program.
#[test]
fn a_stuck_output_of_the_divergence_unit_moves_the_stack() {
    use Counter::{ConvArrived, ConvBroken, ConvOpened, ConvReleased, Diverged};
    let stack = |c: &Counts| {
        let uses: u64 =
            [ConvOpened, ConvArrived, ConvReleased, ConvBroken].map(|k| c.get(k)).iter().sum();
        uses as f64 / c.get(Diverged).max(1) as f64
    };
    let mut unmoved = Vec::new();
    for app in built_in_for(Vendor::Nvidia) {
        let pairs = pairs(app, ("div:sm0.sub0.taken.bit4", true));
        let diverges = pairs.iter().any(|(good, _)| good.get(Diverged) > 0);
        let moved = pairs.iter().any(|(good, broken)| stack(good) != stack(broken));
        if diverges && !moved {
            unmoved.push(app.id());
        }
    }
    assert_eq!(unmoved, Vec::<&str>::new());
}
