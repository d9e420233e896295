//! The committed sources under tickets are what `wrap` makes of the originals.

use std::fs;
use std::path::PathBuf;

/// The applications of gpuFI-4.
pub const APPLICATIONS: [&str; 12] =
    ["va", "sp", "hs", "km", "srad1", "srad2", "lud", "bfs", "pathf", "nw", "ge", "bp"];

/// A file of `kernels`.
pub fn kernels(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../kernels").join(path)
}

#[test]
fn wrapped_sources_are_up_to_date() {
    for app in APPLICATIONS {
        let source = fs::read_to_string(kernels(&format!("{app}/{app}.cu"))).unwrap();
        let wrapped = upset_quarantine::wrap(&format!("{app}.cu"), &source).unwrap();
        let file = kernels(&format!("quarantine/ticket_{app}/ticket_{app}.cu"));
        if std::env::var_os("UPSET_WRITE").is_some() {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, &wrapped).unwrap();
        }
        let told = "make it anew: UPSET_WRITE=1 cargo test -p upset-quarantine wrapped";
        assert_eq!(fs::read_to_string(&file).unwrap_or_default(), wrapped, "{app}: {told}");
    }
}

#[test]
fn machine_code_under_tickets_asks_the_hardware_for_no_block() {
    for app in APPLICATIONS {
        for sm in [70, 75, 80, 90] {
            let name = format!("ticket_{app}.sm_{sm}.cubin");
            let bytes = fs::read(kernels(&format!("quarantine/ticket_{app}/{name}"))).unwrap();
            let looked = upset_quarantine::machine_code::tickets(&bytes).unwrap();
            assert_eq!(looked.sm, sm);
            assert!(looked.obstacles.is_empty(), "{name}: {:?}", looked.obstacles[0]);
        }
        // The originals do, so the check sees something.
        let bytes = fs::read(kernels(&format!("{app}/{app}.sm_75.cubin"))).unwrap();
        let looked = upset_quarantine::machine_code::tickets(&bytes).unwrap();
        assert!(!looked.obstacles.is_empty(), "{app}");
    }
}
