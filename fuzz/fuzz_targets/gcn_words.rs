//! Any words as machine code of Southern Islands: decoding and text never
//! panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let words: Vec<u32> = data.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    for (_, inst) in upset_gcn::listed(&words) {
        if let Ok(inst) = inst {
            let _ = upset_gcn::text(&inst);
        }
    }
});
