//! Fat binaries and host programs: list, choose, unpack and load every image.
#![no_main]

use libfuzzer_sys::fuzz_target;
use upset_sass::container::{self, Container, fatbin};

fuzz_target!(|bytes: &[u8]| {
    let Ok(Container::Fat(entries)) = container::open(bytes) else { return };
    for sm in [70, 75, 80, 86, 90] {
        let _ = fatbin::choose(&entries, sm).map_err(|e| e.to_string());
    }
    // Many entries may share one payload; a few are enough.
    for entry in entries.iter().take(8) {
        if let Ok(image) = entry.image() {
            let _ = container::cubin::parse(&image).map_err(|e| e.to_string());
        }
    }
});
