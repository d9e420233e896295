//! Any bytes as a chip file: an error or a chip that survives a round trip.
#![no_main]

use libfuzzer_sys::fuzz_target;
use upset_chip::{ChipSpec, KernelResources};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // What follows a line of its own is an override.
    let (text, set) = match text.split_once("\n--set ") {
        Some((text, set)) => (text, vec![set]),
        None => (text, vec![]),
    };
    if let Ok(chip) = ChipSpec::parse(text, "fuzz.toml", &set) {
        let again = ChipSpec::parse(&chip.to_toml(), "again.toml", &[""; 0]);
        assert_eq!(again.as_ref(), Ok(&chip));
        let _ = chip.describe();
        let _ = chip.inventory();
        let kernel =
            KernelResources { threads: 256, registers: 32, shared_bytes: 4096, barriers: 1 };
        let _ = chip.occupancy(kernel);
    }
});
