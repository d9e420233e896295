//! The applications for AMD's chips: right answers in both modes, the same
//! bytes in both, and the same run again and again.

use crate::AMD;
use upset_apps::{App, Scale, built_in_for, find};
use upset_chip::{ChipSpec, Vendor};
use upset_device::{Device, Mode};

/// Runs an application; gives back the digests of its outputs and of the run.
fn run(app: &dyn App, chip: &ChipSpec, scale: Scale, mode: Mode) -> (String, String) {
    let mut device = Device::in_mode(chip, mode).expect("a device");
    let what = format!("{} on {}, {scale}, {mode:?}", app.id(), chip.chip.name);
    let run = app.run(&mut device, scale, app.default_seed());
    let run = run.unwrap_or_else(|e| panic!("{what}: {e}"));
    let verdict = app.check(&run);
    let elements: usize = run.outputs.iter().map(|o| o.values.len()).sum();
    assert_eq!(verdict.compared, elements as u64, "{what}");
    assert!(
        verdict.passed,
        "{what}: {}",
        verdict.first_mismatch.map(|m| m.to_string()).unwrap_or_default()
    );
    (device.outputs().digest(), device.digest())
}

/// On every chip, at both scales, with and without time.
fn right_everywhere(id: &str) {
    let app = find(id).expect("an application of ours");
    for scale in [Scale::Small, Scale::Paper] {
        let mut all = Vec::new();
        for name in AMD {
            let chip = ChipSpec::preset(name).expect("a chip of ours");
            all.extend([Mode::Functional, Mode::Timing].map(|mode| run(app, &chip, scale, mode).0));
        }
        assert!(
            all.windows(2).all(|two| two[0] == two[1]),
            "{id}, {scale}: outputs differ: {all:?}"
        );
    }
}

/// With fewer SIMD units, as SIFI's study has them.
fn right_with_fewer_simds(id: &str) {
    let app = find(id).expect("an application of ours");
    for simds in ["cu.simds=1", "cu.simds=2"] {
        let chip = ChipSpec::load("hd7970", &[simds]).expect("a chip");
        run(app, &chip, Scale::Small, Mode::Timing);
    }
}

macro_rules! applications {
    ($($id:ident)*) => {
        mod everywhere {
            $(#[test] fn $id() { super::right_everywhere(stringify!($id)); })*
        }
        mod fewer_simds {
            $(#[test] fn $id() { super::right_with_fewer_simds(stringify!($id)); })*
        }
        const TESTED: &[&str] = &[$(stringify!($id)),*];
    };
}
applications!(bins bits dct dwt fwt fw his mm mt qrs rg red sc urng);

#[test]
fn no_application_goes_untested() {
    let ids: Vec<_> = built_in_for(Vendor::Amd).map(|app| app.id()).collect();
    assert_eq!(ids, TESTED);
}

#[test]
fn twenty_runs_are_one() {
    let chip = ChipSpec::preset("hd7770").expect("a chip of ours");
    for app in built_in_for(Vendor::Amd) {
        let runs: Vec<_> = (0..20).map(|_| run(app, &chip, Scale::Small, Mode::Timing)).collect();
        assert!(runs.windows(2).all(|two| two[0] == two[1]), "{}: {runs:?}", app.id());
    }
}
