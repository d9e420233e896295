//! The applications on the model: right answers, published launches.

mod amd;
mod amd_runs;
mod built_in;
mod conservation;
mod counters;
mod divergence;
mod example;
mod inputs;
mod laws;
mod paper_faults;
mod slow;
mod threads;

use upset_chip::ChipSpec;
use upset_device::Device;

/// One chip per architecture that the code is compiled for, and the smallest.
const CHIPS: [&str; 4] = ["gv100", "rtx2060", "h200", "flexgrip"];

/// AMD's chips.
const AMD: [&str; 3] = ["hd7970", "hd7870", "hd7770"];

fn device(chip: &str) -> Device {
    let chip = ChipSpec::preset(chip).expect("a chip of ours");
    Device::new(&chip).expect("a device of it")
}
