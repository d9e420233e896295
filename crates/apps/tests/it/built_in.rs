use crate::{CHIPS, device};
use std::collections::BTreeMap;
use upset_apps::{App, AppRun, Scale, Values, built_in_for, find};
use upset_chip::{ChipSpec, Vendor};
use upset_device::Device;

fn run(app: &dyn App, chip: &str, scale: Scale, seed: u64) -> AppRun {
    let run = app.run(&mut device(chip), scale, seed);
    run.unwrap_or_else(|e| panic!("{} on {chip}, {scale}: {e}", app.id()))
}

fn assert_right(app: &dyn App, chip: &str, run: &AppRun) {
    let verdict = app.check(run);
    let elements: usize = run.outputs.iter().map(|o| o.values.len()).sum();
    assert_eq!(verdict.compared, elements as u64, "{}", app.id());
    assert!(
        verdict.passed,
        "{} on {chip}, {}, seed {}: {} (largest distance {} ulp of {} allowed)",
        app.id(),
        run.scale,
        run.seed,
        verdict.first_mismatch.map(|m| m.to_string()).unwrap_or_default(),
        verdict.max_ulps,
        verdict.tolerance.ulps,
    );
}

/// Every application, every architecture, two inputs.
fn right_at_small_scale(id: &str) {
    let app = find(id).unwrap();
    for chip in CHIPS {
        for seed in [app.default_seed(), 4711] {
            assert_right(app, chip, &run(app, chip, Scale::Small, seed));
        }
    }
}

/// Published launches and a right answer at paper scale.
fn right_at_paper_scale(id: &str) {
    let app = find(id).unwrap();
    for chip in CHIPS {
        let run = run(app, chip, Scale::Paper, app.default_seed());
        assert_right(app, chip, &run);
        assert_published_launches(app, &run);
    }
}

fn assert_published_launches(app: &dyn App, run: &AppRun) {
    let mut found: BTreeMap<&str, (u32, [u32; 3], [u32; 3])> = BTreeMap::new();
    for launch in &run.launches {
        let entry = found.entry(&launch.kernel).or_insert((0, launch.grid, launch.block));
        entry.0 += 1;
        let sizes = launch.grid.into_iter().chain(launch.block);
        for (largest, size) in entry.1.iter_mut().chain(&mut entry.2).zip(sizes) {
            *largest = size.max(*largest);
        }
    }
    let three = |sizes: &[u32]| {
        let mut padded = [1; 3];
        padded[..sizes.len()].copy_from_slice(sizes);
        padded
    };
    let published: BTreeMap<&str, (u32, [u32; 3], [u32; 3])> = app
        .manifest()
        .kernels
        .iter()
        .map(|k| (k.name.as_str(), (k.launches, three(&k.grid), three(&k.block))))
        .collect();
    assert_eq!(found, published, "{}", app.id());
}

macro_rules! applications {
    ($($id:ident)*) => {
        mod small {
            $(#[test] fn $id() { super::right_at_small_scale(stringify!($id)); })*
        }
        mod paper {
            $(#[test] fn $id() { super::right_at_paper_scale(stringify!($id)); })*
        }
        const TESTED: &[&str] = &[$(stringify!($id)),*];
    };
}
applications!(
    va sp hs km srad1 srad2 lud bfs pathf nw ge bp
    fft gray mmul reduce sobel sort tran
);

#[test]
fn no_application_goes_untested() {
    let ids: Vec<_> = built_in_for(Vendor::Nvidia).map(|app| app.id()).collect();
    assert_eq!(ids, TESTED);
}

/// One SM, 16 KiB of shared memory, 16,384 registers: every block fits.
#[test]
#[ignore = "minutes"]
fn the_smallest_chip_has_room_for_paper_scale_with_timing() {
    let chip = ChipSpec::preset("flexgrip").expect("a chip of ours");
    for app in built_in_for(Vendor::Nvidia) {
        let mut device = Device::timed(&chip).expect("a device");
        let run = app.run(&mut device, Scale::Paper, app.default_seed());
        let run = run.unwrap_or_else(|e| panic!("{}: {e}", app.id()));
        assert_right(app, "flexgrip", &run);
    }
}

#[test]
fn same_seed_same_bytes_and_another_seed_others() {
    let app = find("hs").unwrap();
    let first = run(app, "rtx2060", Scale::Small, 5);
    assert_eq!(first, run(app, "rtx2060", Scale::Small, 5));
    assert_ne!(first.outputs, run(app, "rtx2060", Scale::Small, 6).outputs);
}

/// The checks are no formality: a high mantissa bit or any integer bit is seen.
#[test]
fn one_wrong_bit_is_noticed_in_every_application() {
    for app in built_in_for(Vendor::Nvidia) {
        let mut run = run(app, "rtx2060", Scale::Small, app.default_seed());
        for output in &mut run.outputs {
            match &mut output.values {
                Values::F32(v) => {
                    let one = 1.min(v.len() - 1);
                    v[one] = f32::from_bits(v[one].to_bits() ^ (1 << 22));
                }
                Values::I32(v) => v[1] ^= 1,
                Values::U32(v) => v[1] ^= 1,
                Values::U8(v) => v[1] ^= 1,
                other => panic!("{}: {:?}", app.id(), other.element_type()),
            }
        }
        assert!(!app.check(&run).passed, "{}", app.id());
    }
}
