//! Differences in bytes that the host carries are followed, and come to light
//! where it looks: each ghost is the faulty run.

use upset_chip::ChipSpec;
use upset_device::{DevPtr, Device, DeviceError, FunctionId};

use crate::ghosts::{check, draw};
use crate::propagation::lab::{Lab, WORDS, copy, ramp};

/// Bytes of a row.
const ROW: usize = 4 * WORDS;

/// What a host has to do with: a kernel that copies words, and two rows of them.
#[derive(Clone, Copy)]
struct Desk {
    kernel: FunctionId,
    first: DevPtr,
    second: DevPtr,
}

/// A host of several rounds, each of which may see something of the device's bytes and
/// says whether another follows.
fn in_rounds(
    device: &mut Device,
    keeps: bool,
    mut turn: impl FnMut(&mut Lab, Desk, u64, &mut Vec<u8>) -> Result<bool, DeviceError>,
) -> Result<String, DeviceError> {
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
    let mut result = Ok(true);
    for round in 0..6 {
        if let Ok(true) = result {
            result = turn(&mut lab, Desk { kernel, first, second }, round, &mut seen);
        }
    }
    lab.device.come_to_light();
    let outputs = lab.device.outputs().digest();
    *device = lab.device;
    result.map(|_| format!("{seen:?} {outputs}"))
}

/// A host that gives bytes back to the device round after round, and looks at a
/// part of them between.
fn there_and_back(device: &mut Device, keeps: bool) -> Result<String, DeviceError> {
    in_rounds(device, keeps, |lab, Desk { kernel, first, second }, round, seen| {
        // In every other round the bytes go elsewhere within their line.
        let from = DevPtr(first.0 + 4 * (round % 2));
        let to = DevPtr(second.0 + 8 * (round % 3));
        lab.run_with(kernel, &[from.0, to.0, to.0])?;
        let carried = lab.device.download_carried(to, ROW)?;
        seen.extend_from_slice(lab.device.look_at(&carried, 8..8 + 4 * round as usize));
        let back = if round % 3 == 2 { from.0 } else { first.0 + 8 * (round % 3) };
        lab.device.upload_carried(DevPtr(back), &carried)?;
        Ok(true)
    })
}

#[test]
fn ghosts_pass_through_a_host_that_does_not_look() {
    let chip = ChipSpec::load("rtx2060", &["sm.count=1"]).expect("a chip");
    let run = |device: &mut Device| there_and_back(device, true);
    let list = draw(&chip, &run, &["rf", "l1d", "l2", "gmem"], 120, 1);
    let [never, _, otherwise] = check("there and back", &chip, &run, &list);
    assert!(never > 0 && otherwise > 0, "{never} {otherwise}");
}

/// A host that makes something else of the bytes, gives it back, and keeps a part of
/// it: of most bits nothing comes, of some that it fails, or that it gives back less.
fn worked_out(device: &mut Device) -> Result<String, DeviceError> {
    in_rounds(device, true, |lab, Desk { kernel, first, second }, round, seen| {
        lab.run_with(kernel, &[first.0, second.0, second.0])?;
        let carried = lab.device.download_carried(second, ROW)?;
        let half = (&carried, 0..ROW / 2);
        let parts = [half.clone(), (&carried, ROW / 2 + 4..ROW), half];
        let made = lab.device.work_out(&parts, |parts| {
            let sum = parts[1].iter().fold(round as u8, |all, b| all.wrapping_add(b & 0xf0));
            let bytes: Vec<u8> = parts.concat().iter().map(|b| b & 0x3c).collect();
            match parts[0][8] {
                high if high >= 0xc0 => Err(format!("{high}")),
                high if high >= 0x80 => Ok(vec![sum; 12]),
                _ => Ok([vec![sum; 4], bytes[..ROW - 4].to_vec()].concat()),
            }
        });
        let made = match made {
            Ok(made) => made,
            Err(failure) => {
                seen.extend_from_slice(failure.as_bytes());
                return Ok(false);
            }
        };
        if round % 2 == 1 {
            seen.extend_from_slice(lab.device.look_at(&made, 0..4));
        }
        lab.device.upload_carried(first, &made)?;
        Ok(true)
    })
}

#[test]
fn ghosts_pass_through_what_a_host_works_out() {
    let chip = ChipSpec::load("rtx2060", &["sm.count=1"]).expect("a chip");
    let list = draw(&chip, &worked_out, &["rf", "l1d", "l2", "gmem"], 160, 3);
    let [never, _, otherwise] = check("worked out", &chip, &worked_out, &list);
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
