//! sm_35: our texts against the recorded answers of nvdisasm
//! (`oracles/nvdisasm`), and the compiled kernels.

use std::path::PathBuf;

use upset_sass::Encoding;
use upset_sass::container::{self, Module};
use upset_testkit::nvdisasm::kepler::{KeplerRecord, compare};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> Vec<u8> {
    let path = root().join(path);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn module(app: &str) -> Module {
    let image = read(&format!("kernels/{app}/{app}.sm_35.cubin"));
    container::open(&image).and_then(|c| c.module(35)).unwrap_or_else(|e| panic!("{app}: {e}"))
}

/// No deviation is accepted.
#[test]
fn every_recorded_word_reads_as_nvdisasm_prints_it() {
    let record = KeplerRecord::from_bytes(&read("oracles/nvdisasm/sm_35.z")).unwrap();
    let summary = compare(&record);
    let wrong = &summary.differences;
    assert!(wrong.is_empty(), "{} of them, first {:#?}", wrong.len(), wrong[0]);
    // The recording is large enough to mean something.
    assert!(summary.real >= 20_000, "{} real words", summary.real);
    assert!(summary.made >= 300_000, "{} made words", summary.made);
    assert!(summary.illegal >= 10_000, "{} illegal words", summary.illegal);
    // Nothing but control words is without an answer.
    assert_eq!(summary.made + summary.unanswered, record.expected.len());
}

/// Registers and static shared memory as `cuobjdump -res-usage` prints them.
#[test]
fn kernels_say_what_a_launch_needs() {
    let kernels = [
        ("va", "vectorAdd", 8, 0),
        ("hs", "calculate_temp", 29, 3072),
        ("sp", "scalarProdGPU", 31, 4096),
        ("lud", "lud_perimeter", 32, 3072),
        ("nw", "needle_cuda_shared_1", 40, 2180),
        ("bp", "bpnn_layerforward", 17, 1088),
    ];
    for (app, name, registers, shared) in kernels {
        let module = module(app);
        assert_eq!((module.sm, module.abi), (35, 7));
        let kernel = module.kernels.iter().find(|k| k.name.contains(name));
        let kernel = kernel.unwrap_or_else(|| panic!("{app} has no {name}"));
        assert_eq!((kernel.registers, kernel.shared.size), (registers, shared), "{name}");
        assert_eq!(kernel.params.base, 0x140, "{name}");
    }
}

#[test]
fn compiled_kernels_have_no_illegal_word() {
    for app in ["va", "sp", "hs", "km", "srad1", "srad2", "lud", "bfs", "pathf", "nw", "ge", "bp"] {
        for section in &module(app).code {
            let listing = Encoding::Kepler.listing(&section.code.bytes);
            assert!(listing.contains("EXIT"), "{app} {}", section.name);
            assert!(!listing.contains("ILLEGAL"), "{app} {}:\n{listing}", section.name);
            // Groups begin with a control word.
            for line in listing.lines().step_by(8) {
                assert!(line.contains("/* control */") || line.contains("BRA"), "{app}: {line}");
            }
        }
    }
}
