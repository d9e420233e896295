//! Cubins: parse and place. Seeds: the compiled files in `crates/sass/tests/data/containers`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use upset_sass::container::{Addresses, cubin};

fuzz_target!(|bytes: &[u8]| {
    let Ok(module) = cubin::parse(bytes) else { return };
    let mut addresses = Addresses { code: 0x7f00_0000_1000, globals: 0x7e00_0000_0000, ..Addresses::default() };
    addresses.handles = module.number_references(1);
    addresses.externs = module.symbols.iter().map(|s| (s.name.clone(), 0x1000)).collect();
    if let Ok(placed) = module.place(&addresses) {
        assert_eq!(placed.kernels.len(), module.kernels.len());
        assert!(placed.code.len() <= 4096 * (module.code.len() + 1) + bytes.len());
    }
});
