//! AMD's code objects and binaries of its APP SDK: what is read can be shown.
//! Seeds: `crates/gcn/tests/data`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use upset_gcn::container::parse;

fuzz_target!(|bytes: &[u8]| {
    let Ok(module) = parse(bytes) else { return };
    for kernel in &module.kernels {
        assert!(module.bytes(kernel.entry, 4).is_some());
        let _ = kernel.abi.startup();
        let _ = upset_gcn::listing(&module, kernel);
    }
});
