//! Applications: every byte that they copy back.

use upset_apps::Scale;
use upset_chip::Vendor;
use upset_device::{Device, Outputs, journal};

use crate::{chip, oracle};

/// Applications that may still wait for a recording (`cargo xtask hardware`).
const NEWER: [&str; 7] = ["fft", "gray", "mmul", "reduce", "sobel", "sort", "tran"];

#[test]
fn small_applications_copy_back_what_an_h200_did() {
    let text = String::from_utf8(oracle("apps/sm_90.txt")).expect("text");
    let recorded = |name: &str| {
        let line = text.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no recording of {name}"))
    };
    let (mut wrong, mut unknown) = (Vec::new(), Vec::new());
    for app in upset_apps::built_in_for(Vendor::Nvidia) {
        let mut device = Device::new(&chip()).expect("a device");
        device.start_journal();
        app.run(&mut device, Scale::Small, app.default_seed())
            .unwrap_or_else(|e| panic!("{}: {e}", app.id()));
        let mut outputs = Outputs::default();
        outputs.copied(&journal::downloads(&device.take_journal()));
        let name = format!("{}.{}", app.id(), Scale::Small.name());
        match recorded(&name) {
            // The application is newer than the last recording.
            "not measured" => unknown.push(name),
            right if right == outputs.digest() => {}
            _ => wrong.push(name),
        }
    }
    assert!(wrong.is_empty(), "differ from the GPU: {wrong:?}");
    let newer = NEWER.map(|id| format!("{id}.small"));
    assert!(unknown.iter().all(|name| newer.contains(name)), "not measured: {unknown:?}");
}
