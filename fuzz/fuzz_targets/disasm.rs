//! Any words as machine code of any architecture: text, lowering and listing
//! never panic, and what is illegal has no meaning.
#![no_main]

use libfuzzer_sys::fuzz_target;
use upset_sass::decode::decode;
use upset_sass::{Arch, Word, disasm};

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
});
