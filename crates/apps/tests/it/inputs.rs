//! Any seed gives an input of its own, and the right answer to it.

use std::collections::BTreeSet;

use upset_apps::{App, Scale, built_in_for, find};
use upset_chip::{ChipSpec, Vendor};
use upset_device::{Device, Mode};

/// Digest of what an application copies back, after its own check.
fn outputs(app: &dyn App, chip: &ChipSpec, mode: Mode, scale: Scale, seed: u64) -> String {
    let mut device = Device::in_mode(chip, mode).expect("a device");
    let what = format!("{} on {}, {scale}, {mode:?}, seed {seed}", app.id(), chip.chip.name);
    let run = app.run(&mut device, scale, seed).unwrap_or_else(|e| panic!("{what}: {e}"));
    let verdict = app.check(&run);
    let first = verdict.first_mismatch.map(|m| m.to_string()).unwrap_or_default();
    assert!(verdict.passed, "{what}: {first}, {} ulp", verdict.max_ulps);
    device.outputs().digest()
}

/// Seeds `1..=seeds` pass in both modes and give as many different outputs;
/// both modes give the same bytes.
fn all_right(id: &str, scale: Scale, seeds: u64, timed: u64) {
    let app = find(id).expect("an application of ours");
    let chip = ChipSpec::preset("rtx2060").expect("a chip of ours");
    let mut seen = BTreeSet::new();
    for seed in 1..=seeds {
        let plain = outputs(app, &chip, Mode::Functional, scale, seed);
        if seed <= timed {
            assert_eq!(outputs(app, &chip, Mode::Timing, scale, seed), plain, "{id}, {seed}");
        }
        seen.insert(plain);
    }
    assert_eq!(seen.len() as u64, seeds, "{id}, {scale}: seeds with the same outputs");
}

#[test]
fn every_application_takes_its_input_from_the_seed() {
    for app in built_in_for(Vendor::Nvidia) {
        all_right(app.id(), Scale::Small, 3, 1);
    }
}

/// `cargo nextest run --release -p upset-apps --run-ignored only inputs`.
#[test]
#[ignore = "minutes, in a release build"]
fn a_hundred_inputs_of_each_are_right_at_small_scale() {
    for app in built_in_for(Vendor::Nvidia) {
        all_right(app.id(), Scale::Small, 100, 100);
    }
}

#[test]
#[ignore = "minutes, in a release build"]
fn a_hundred_inputs_of_each_are_right_at_paper_scale() {
    for app in built_in_for(Vendor::Nvidia) {
        all_right(app.id(), Scale::Paper, 100, 0);
    }
}
