//! Any bytes as a GPGPU-Sim configuration: an error or a chip that loads.
#![no_main]

use libfuzzer_sys::fuzz_target;
use upset_chip::ChipSpec;
use upset_chip::import::{gpgpusim, render_notes};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(imported) = gpgpusim(text, "fuzz.config", "fuzz") {
        let again = ChipSpec::parse(&imported.toml, "again.toml", &[""; 0]);
        assert_eq!(again.as_ref(), Ok(&imported.chip));
        let _ = render_notes(&imported.notes);
    }
});
