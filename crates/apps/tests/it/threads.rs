//! The applications with cores beside each other in threads of the host: the same run.

use upset_apps::{App, Scale, built_in_for};
use upset_chip::{ChipSpec, Vendor};
use upset_device::Device;

/// What a run shows, and how often threads were used.
fn shown(app: &dyn App, chip: &ChipSpec, in_threads: bool) -> ([String; 3], u64) {
    let mut device = Device::timed(chip).expect("a device");
    if in_threads {
        device.use_threads_from(0);
    }
    let ended = app.run(&mut device, Scale::Small, app.default_seed());
    let ended = format!("{:?}", ended.map(|run| run.outputs.len()).map_err(|e| e.to_string()));
    let visible = format!("{ended} {:?} {:?}", device.cycles(), device.stats());
    let times = device.machine().map_or(0, |m| m.went_beside());
    ([visible, device.outputs().digest(), device.digest()], times)
}

fn check(vendor: Vendor, chips: &[&str]) {
    for chip in chips {
        let chip = ChipSpec::load(chip, &[] as &[&str]).expect("a chip");
        let mut beside = 0;
        for app in built_in_for(vendor) {
            let (one, _) = shown(app, &chip, false);
            let (other, times) = shown(app, &chip, true);
            assert_eq!(one, other, "{} on {}", app.id(), chip.chip.name);
            beside += u64::from(times > 0);
        }
        assert!(beside > 6, "{}: threads were used by {beside} applications", chip.chip.name);
    }
}

#[test]
fn threads_change_nothing_on_nvidias_chips() {
    check(Vendor::Nvidia, &["rtx2060", "titan"]);
}

#[test]
fn threads_change_nothing_on_amds_chips() {
    check(Vendor::Amd, &["hd7970"]);
}
