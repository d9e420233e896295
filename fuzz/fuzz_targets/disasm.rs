//! Any words as machine code of any architecture: text, lowering and listing
//! never panic, and what is illegal has no meaning.
#![no_main]

use libfuzzer_sys::fuzz_target;
use upset_sass::decode::decode;
use upset_sass::{Arch, Word, disasm, kepler};

fuzz_target!(|data: &[u8]| {
    for arch in Arch::ALL {
        let _ = disasm::listing(data, arch);
        for (i, bytes) in data.as_chunks::<16>().0.iter().enumerate() {
            if let Ok(d) = decode(Word::from_bytes(*bytes), arch) {
                let _ = disasm::text(&d, 16 * i as u64);
                let _ = d.lower();
            }
        }
    }
    let _ = kepler::disasm::listing(data);
    for (i, bytes) in data.as_chunks::<8>().0.iter().enumerate() {
        if let Ok(d) = kepler::decode(kepler::Word::from_bytes(*bytes)) {
            let _ = kepler::disasm::text(&d, 8 * i as u64);
            let _ = d.lower();
        }
    }
});
