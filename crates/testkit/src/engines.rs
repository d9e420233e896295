//! The ways to run code, and whether two of them agree.

use std::fmt::Write;

use upset_chip::{ChipError, ChipSpec};
use upset_device::{Device, DeviceError};

/// A way to run code: its name, and how it makes a device.
#[derive(Clone, Copy)]
pub struct Engine {
    /// For messages.
    pub name: &'static str,
    /// A new device of a chip.
    pub device: fn(&ChipSpec) -> Result<Device, DeviceError>,
}

/// The engines that must agree. This is the place where another one is added.
pub const ENGINES: &[Engine] = &[FUNCTIONAL, TIMING];

/// Instructions without time.
pub const FUNCTIONAL: Engine = Engine { name: "functional", device: |chip| Device::new(chip) };

/// Cycle by cycle, values in the chip's arrays.
pub const TIMING: Engine = Engine { name: "timing", device: |chip| Device::timed(chip) };

/// Global memory after a run: every buffer, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Name and bytes.
    pub buffers: Vec<(String, Vec<u8>)>,
    /// Digest of all of them.
    pub digest: String,
}

/// What is different when a program runs on two engines, each on a new device;
/// nothing if they agree.
pub(crate) fn disagreement(
    chip: &Result<ChipSpec, ChipError>,
    first: Engine,
    second: Engine,
    run: impl Fn(&mut Device) -> Result<Memory, String>,
) -> Option<String> {
    let chip = match chip {
        Ok(chip) => chip,
        Err(e) => return Some(e.to_string()),
    };
    let memory = |e: Engine| {
        let mut device = (e.device)(chip).map_err(|e| e.to_string())?;
        run(&mut device)
    };
    match (memory(first), memory(second)) {
        (Ok(a), Ok(b)) if a == b => None,
        (Ok(a), Ok(b)) => Some(difference(&a, &b, first.name, second.name)),
        (Err(e), _) => Some(format!("{}: {e}", first.name)),
        (_, Err(e)) => Some(format!("{}: {e}", second.name)),
    }
}

/// The first words that differ, per buffer.
fn difference(a: &Memory, b: &Memory, first: &str, second: &str) -> String {
    let mut text = String::new();
    for ((name, a), (_, b)) in a.buffers.iter().zip(&b.buffers) {
        let word =
            |bytes: &[u8]| bytes.iter().rev().fold(0u32, |v, &byte| v << 8 | u32::from(byte));
        let different: Vec<usize> = a
            .chunks(4)
            .zip(b.chunks(4))
            .enumerate()
            .filter(|(_, (a, b))| a != b)
            .map(|(i, _)| i)
            .collect();
        if let Some(&i) = different.first() {
            let (a, b) = (&a[4 * i..(4 * i + 4).min(a.len())], &b[4 * i..(4 * i + 4).min(b.len())]);
            let _ = write!(
                text,
                "{name}: {} words differ, the first at {:#x}: {:#010x} ({first}), {:#010x} ({second}); ",
                different.len(),
                4 * i,
                word(a),
                word(b),
            );
        }
    }
    text
}
