//! Any bytes as an application's manifest: an error or buffers of known size.
#![no_main]

use libfuzzer_sys::fuzz_target;
use upset_apps::{Files, FolderApp, Manifest, Scale};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(manifest) = Manifest::parse(text) else { return };
    if let Ok(app) = FolderApp::from_parts(manifest, Vec::new(), Files::new()) {
        for scale in Scale::ALL {
            let _ = app.sizes(scale);
        }
    }
});
