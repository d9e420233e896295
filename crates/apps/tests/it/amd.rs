//! The applications for AMD's chips, as far as they can be looked at without
//! running them.

use crate::device;
use upset_apps::{App, AppError, AppRun, Scale, Target, built_in_for, find};
use upset_chip::Vendor;
use upset_gcn::container::{ArgumentKind, Module, parse};

/// What a compute unit gives one work-group at most: bytes of local memory and
/// work-items (AMD's OpenCL on Southern Islands).
const MOST_LDS: u32 = 32 * 1024;
const MOST_ITEMS: u32 = 256;

fn module(app: &dyn App) -> Module {
    let chip = upset_chip::ChipSpec::preset("rtx2060").expect("a chip of ours");
    let mut amd = chip.clone();
    amd.chip.arch = Target::Gfx(601).to_string();
    assert!(app.binaries(&chip).is_empty(), "{}: it has code for NVIDIA", app.id());
    let code = app.binaries(&amd);
    let [(name, code)] = code.as_slice() else { panic!("{}: no code", app.id()) };
    assert_eq!(*name, format!("{}.gfx600.co", app.id()));
    parse(code).unwrap_or_else(|e| panic!("{}: {e}", app.id()))
}

#[test]
fn code_objects_hold_the_kernels_of_the_manifests_and_no_others() {
    for app in built_in_for(Vendor::Amd) {
        let module = module(app);
        let mut held: Vec<_> = module.kernels.iter().map(|k| k.name.as_str()).collect();
        let mut told: Vec<_> = app.manifest().kernels.iter().map(|k| k.name.as_str()).collect();
        held.sort_unstable();
        told.sort_unstable();
        assert_eq!(held, told, "{}", app.id());
    }
}

#[test]
fn kernels_fit_a_compute_unit_and_their_launches() {
    for app in built_in_for(Vendor::Amd) {
        let module = module(app);
        for note in &app.manifest().kernels {
            let kernel = module.kernel(&note.name).expect("as the test above has it");
            assert!(kernel.abi.lds_bytes() <= MOST_LDS, "{}", note.name);
            assert_eq!(kernel.abi.scratch_bytes(), 0, "{}", note.name);
            let items: u32 = note.block.iter().product();
            assert!(items <= MOST_ITEMS, "{}", note.name);
            let mut block = note.block.clone();
            block.resize(3, 1);
            let fixed = kernel.group_size.map(|size| size.to_vec());
            assert!(fixed.is_none_or(|size| size == block), "{}: {block:?}", note.name);
        }
    }
}

/// Local memory is the kernels' own, so that a launch need not give any.
#[test]
fn arguments_are_buffers_and_words() {
    for app in built_in_for(Vendor::Amd) {
        for kernel in module(app).kernels {
            for argument in &kernel.arguments {
                let fits = match &argument.kind {
                    ArgumentKind::Buffer => argument.bytes == 8,
                    ArgumentKind::Value => argument.bytes == 4,
                    ArgumentKind::Hidden(_) => true,
                    ArgumentKind::Lds | ArgumentKind::Other(_) => false,
                };
                assert!(fits, "{}: {argument:?}", kernel.name);
            }
        }
    }
}

#[test]
fn another_vendors_chip_is_refused_in_one_sentence() {
    let error = find("mm").and_then(|app| app.run(&mut device("rtx2060"), Scale::Small, 1));
    let error = error.expect_err("it runs");
    assert!(matches!(error, AppError::OtherVendor { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "mm is for AMD chips, and rtx2060 is NVIDIA's: choose another application (`upset apps`) \
         or another chip (`upset chips`)"
    );
}

/// A reference that expects nothing would let everything pass.
#[test]
fn a_run_without_outputs_is_wrong() {
    for app in built_in_for(Vendor::Amd) {
        for scale in Scale::ALL {
            let (outputs, launches) = (Vec::new(), Vec::new());
            let nothing = AppRun { app: app.id().into(), scale, seed: 1, outputs, launches };
            let verdict = app.check(&nothing);
            assert!(!verdict.passed && verdict.compared > 0, "{}, {scale}", app.id());
        }
    }
}
