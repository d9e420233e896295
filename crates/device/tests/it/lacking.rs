//! Which flips of one bit of compiled code lead to instructions that this tool
//! does not execute: they are tool errors, and there must be few.

use std::collections::BTreeMap;

use upset_sass::decode::decode;
use upset_sass::{Arch, LowerError, Word, container};

macro_rules! cubins {
    ($($app:literal)*) => {
        [$(include_bytes!(concat!("../../../../kernels/", $app, "/", $app, ".sm_75.cubin")).as_slice()),*]
    };
}

const APPS: [&[u8]; 19] = cubins!(
    "va" "sp" "hs" "km" "srad1" "srad2" "lud" "bfs" "pathf" "nw" "ge" "bp"
    "fft" "gray" "mmul" "reduce" "sobel" "sort" "tran"
);

/// Flips, and those that lead to something lacking, by name.
fn flips() -> (u64, BTreeMap<&'static str, u64>) {
    let (mut all, mut lacking) = (0, BTreeMap::new());
    for image in APPS {
        let module = container::open(image).and_then(|c| c.module(75)).expect("our own cubin");
        for function in &module.code {
            for bytes in function.code.bytes.as_chunks::<16>().0 {
                for bit in 0..128 {
                    all += 1;
                    let word = Word(u128::from_le_bytes(*bytes) ^ 1 << bit);
                    let Ok(decoded) = decode(word, Arch::Sm75) else { continue };
                    if let Err(LowerError::Unimplemented(what)) = decoded.lower() {
                        *lacking.entry(what).or_default() += 1;
                    }
                }
            }
        }
    }
    (all, lacking)
}

#[test]
fn few_flips_lead_to_instructions_we_lack() {
    let (all, lacking) = flips();
    let mut list: Vec<_> = lacking.iter().map(|(name, n)| (*n, *name)).collect();
    list.sort_unstable_by(|a, b| b.cmp(a));
    let sum: u64 = lacking.values().sum();
    println!("{sum} of {all}: {list:?}");
    assert!(!lacking.keys().any(|name| name.contains("bindless constant")), "{list:?}");
    assert!(sum * 250 < all, "{sum} of {all}: {list:?}");
}
