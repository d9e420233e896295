//! What README and docs/ show is what `upset` prints: every page's commands are
//! run, in a folder of its own (`upset_testkit::pages` has the rules).
//! `cargo xtask docs` renews what has changed.
//!
//! Commands that compile CUDA sources are skipped where neither `$UPSET_CUDA`
//! nor `.cuda` holds a compiler, unless `UPSET_REQUIRE_PROGRAMS=1` is set.

use std::collections::BTreeSet;
use std::path::Path;

use upset_testkit::pages::{self, Setting};

/// Each page becomes a test, so that they run side by side and the one that is
/// stale has a name.
macro_rules! pages {
    ($($name:ident $path:literal)*) => {
        const PAGES: &[&str] = &[$($path),*];
        $(
            #[test]
            fn $name() {
                check($path);
            }
        )*
    };
}

pages! {
    readme "README.md"
    contributing "CONTRIBUTING.md"
    ace "docs/ace.md"
    adding_a_structure "docs/adding-a-structure.md"
    adding_an_api_function "docs/adding-an-api-function.md"
    adding_an_application "docs/adding-an-application.md"
    adding_an_opcode "docs/adding-an-opcode.md"
    amd_containers "docs/amd-containers.md"
    applications "docs/applications.md"
    architecture "docs/architecture.md"
    burn "docs/burn.md"
    burn_gpu "docs/burn-gpu.md"
    burn_scenarios "docs/burn-scenarios.md"
    burn_tests "docs/burn-tests.md"
    campaign "docs/campaign.md"
    chips "docs/chips.md"
    compare "docs/compare.md"
    compute_units "docs/compute-units.md"
    containers "docs/containers.md"
    counters "docs/counters.md"
    cuda_programs "docs/cuda-programs.md"
    doors "docs/doors.md"
    driver_api "docs/driver-api.md"
    exactness "docs/exactness.md"
    exhaustive "docs/exhaustive.md"
    faults "docs/faults.md"
    first_program "docs/first-program.md"
    ghosts "docs/ghosts.md"
    glossary "docs/glossary.md"
    gpufi4_study "docs/gpufi4-study.md"
    grading "docs/grading.md"
    in_field "docs/in-field.md"
    inject "docs/inject.md"
    installing "docs/installing.md"
    kepler_control "docs/kepler-control.md"
    kepler "docs/kepler.md"
    live "docs/live.md"
    logic "docs/logic.md"
    memory "docs/memory.md"
    metrics "docs/metrics.md"
    mufu "docs/mufu.md"
    oracles "docs/oracles.md"
    packages "docs/packages.md"
    performance "docs/performance.md"
    programs "docs/programs.md"
    python "docs/python.md"
    python_kernels "docs/python-kernels.md"
    quarantine "docs/quarantine.md"
    random_programs "docs/random-programs.md"
    replay "docs/replay.md"
    report "docs/report.md"
    running "docs/running.md"
    sass_encoding "docs/sass-encoding.md"
    shards "docs/shards.md"
    sifi_study "docs/sifi-study.md"
    sites "docs/sites.md"
    slurm "docs/slurm.md"
    southern_islands "docs/southern-islands.md"
    store "docs/store.md"
    syscalls "docs/syscalls.md"
    timing_hardware "docs/timing-hardware.md"
    timing "docs/timing.md"
}

fn setting() -> Setting {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Setting::of_repository(Path::new(env!("CARGO_BIN_EXE_upset")), &root)
}

fn check(page: &str) {
    let checked = pages::check(page, &setting()).unwrap_or_else(|why| panic!("{why}"));
    let required = std::env::var_os("UPSET_REQUIRE_PROGRAMS").is_some_and(|set| set == "1");
    assert!(!required || checked.skipped == 0, "{page} needs a CUDA compiler");
    if checked.skipped > 0 {
        eprintln!("skipped: {} commands of {page} need a CUDA compiler", checked.skipped);
    }
    assert!(checked.wrong.is_empty(), "{}", checked.wrong.join("\n\n"));
}

#[test]
fn every_page_has_a_test() {
    let tested: BTreeSet<String> = PAGES.iter().map(ToString::to_string).collect();
    assert_eq!(tested.len(), PAGES.len(), "a page is there twice");
    let there = pages::all(&setting().root).expect("a list");
    assert_eq!(tested, there, "left: pages that are tested, right: those that are there");
}

/// A page that shows something else than `upset` prints is told, with its line.
#[test]
fn a_stale_page_is_told() {
    let root = tempfile::tempdir().expect("a folder");
    let real = setting();
    for name in ["chips", "kernels", "oracles", "programs", "studies", "docs", "crates"] {
        let to = real.root.join(name).canonicalize().expect("a folder");
        std::os::unix::fs::symlink(to, root.path().join(name)).expect("a link");
    }
    let page = "See [nothing](nowhere.md) and `upset run --never`.\n\n```text\n\
                $ upset apps | head -1\nAPP    VENDOR  ALIASES              DESCRIPTION\n\
                $ upset apps | head -1\nsomething else\n```\n";
    std::fs::write(root.path().join("page.md"), page).expect("written");
    let setting = Setting { root: root.path().to_path_buf(), ..real };
    let checked = pages::check("page.md", &setting).expect("a check");
    assert_eq!(checked.ran, 2);
    let [flag, link, line] = checked.wrong.as_slice() else { panic!("{:?}", checked.wrong) };
    assert!(flag.contains("has no --never"), "{flag}");
    assert!(link.contains("nowhere.md"), "{link}");
    assert!(line.starts_with("page.md:6:") && line.contains("something else"), "{line}");
    let renewed = pages::renewed("page.md", &setting).expect("a text").expect("it is stale");
    std::fs::write(root.path().join("page.md"), renewed).expect("written");
    assert_eq!(pages::renewed("page.md", &setting).expect("a text"), None);
}
