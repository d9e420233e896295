//! Differences in bytes that the host carries are followed, and come to light
//! where it looks: each ghost is the faulty run.

use upset_chip::ChipSpec;
use upset_device::{DevPtr, Device, DeviceError};

use crate::ghosts::{check, draw};
use crate::propagation::lab::{Lab, WORDS, copy, ramp};

/// Bytes of a row.
const ROW: usize = 4 * WORDS;

/// A host that gives bytes back to the device round after round, and looks at a
/// part of them between.
fn there_and_back(device: &mut Device, keeps: bool) -> Result<String, DeviceError> {
    let spare = ChipSpec::load("rtx2060", &["sm.count=1"]).expect("a chip");
    let spare = Device::new(&spare).expect("a device");
    let mut lab = Lab { device: std::mem::replace(device, spare) };
    if keeps {
        lab.device.keep_outputs();
    }
    let kernel = lab.kernel(&copy());
    let first = lab.buffer(&ramp(2 * WORDS, 3));
    let second = lab.buffer(&[0; 2 * WORDS]);
    let mut seen = Vec::new();
    let mut rounds = |lab: &mut Lab| -> Result<(), DeviceError> {
        for round in 0..6u64 {
            // In every other round the bytes go elsewhere within their line.
            let from = DevPtr(first.0 + 4 * (round % 2));
            let to = DevPtr(second.0 + 8 * (round % 3));
            lab.run_with(kernel, &[from.0, to.0, to.0])?;
            let carried = lab.device.download_carried(to, ROW)?;
            let looked = lab.device.look_at(&carried, 8..8 + 4 * round as usize);
            seen.extend_from_slice(looked);
            let back = if round % 3 == 2 { from.0 } else { first.0 + 8 * (round % 3) };
            lab.device.upload_carried(DevPtr(back), &carried)?;
        }
        Ok(())
    };
    let result = rounds(&mut lab);
    lab.device.come_to_light();
    let outputs = lab.device.outputs().digest();
    *device = lab.device;
    result.map(|()| format!("{seen:?} {outputs}"))
}

#[test]
fn ghosts_pass_through_a_host_that_does_not_look() {
    let chip = ChipSpec::load("rtx2060", &["sm.count=1"]).expect("a chip");
    let run = |device: &mut Device| there_and_back(device, true);
    let list = draw(&chip, &run, &["rf", "l1d", "l2", "gmem"], 120, 1);
    let [never, _, otherwise] = check("there and back", &chip, &run, &list);
    assert!(never > 0 && otherwise > 0, "{never} {otherwise}");
}

/// Nobody can correct what was not kept: runs leave at the copy.
#[test]
fn without_kept_outputs_ghosts_leave_at_the_copy() {
    let chip = ChipSpec::load("rtx2060", &["sm.count=1"]).expect("a chip");
    let run = |device: &mut Device| there_and_back(device, false);
    let list = draw(&chip, &run, &["l2", "gmem"], 60, 2);
    let [never, _, otherwise] = check("there and back", &chip, &run, &list);
    assert!(never > 0 && otherwise > 0, "{never} {otherwise}");
}
