//! What can go wrong around a GPU, and what `upset burn` must make of it: one
//! table for the fake libraries, the tests and the page.

use crate::behaviour::{Behaviour, Moves, NvmlBehaviour};

/// Names the scenario; without it all is well.
pub const VARIABLE: &str = "UPSET_FAKE_GPU";

/// File name of the library that stands in for both of NVIDIA's.
pub const LIBRARY: &str = "libupset_realgpu_fake.so";

/// Which libraries the program finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Both.
    Both,
    /// Neither.
    Neither,
    /// The driver alone.
    NoNvml,
    /// Something else under the driver's name.
    NotALibrary,
    /// A driver without that function.
    Without(&'static str),
}

/// What must come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Exit code; 128 and the signal's number where one ends the program.
    pub code: u8,
    /// State of each test that was asked for, as the record has it; none where
    /// no record can be written.
    pub states: &'static [&'static str],
    /// Words that the record or the message must hold.
    pub says: &'static str,
}

/// One of them.
pub struct Scenario {
    /// Its name, the value of the variable.
    pub name: &'static str,
    /// What goes wrong.
    pub what: &'static str,
    /// Libraries.
    pub setting: Setting,
    /// How the GPU behaves.
    pub behaviour: fn() -> Behaviour,
    /// Arguments of `upset burn` besides the output and the limit for hangs.
    pub arguments: &'static [&'static str],
    /// What must come out.
    pub expected: Expected,
}

/// What the environment asks for.
pub fn chosen() -> Behaviour {
    let name = std::env::var(VARIABLE).unwrap_or_default();
    let found = SCENARIOS.iter().find(|s| s.name == name);
    found.map_or_else(Behaviour::default, |s| (s.behaviour)())
}

const PASSED: &[&str] = &["passed"];
const FAILED: &[&str] = &["failed"];
const COULD_NOT: &[&str] = &["could-not-run"];
const NOT_COVERED: &[&str] = &["not-covered"];

macro_rules! gpu {
    ($($field:ident : $value:expr),* $(,)?) => {
        || Behaviour { $($field: $value,)* ..Behaviour::default() }
    };
}

macro_rules! nvml {
    ($($field:ident : $value:expr),* $(,)?) => {
        || Behaviour {
            nvml: NvmlBehaviour { $($field: $value,)* ..NvmlBehaviour::default() },
            ..Behaviour::default()
        }
    };
}

const fn scenario(
    name: &'static str,
    what: &'static str,
    setting: Setting,
    behaviour: fn() -> Behaviour,
    expected: (u8, &'static [&'static str], &'static str),
) -> Scenario {
    let (code, states, says) = expected;
    Scenario {
        name,
        what,
        setting,
        behaviour,
        arguments: &["fma"],
        expected: Expected { code, states, says },
    }
}

const fn with(mut scenario: Scenario, arguments: &'static [&'static str]) -> Scenario {
    scenario.arguments = arguments;
    scenario
}

use Setting::{Both, Neither, NoNvml, NotALibrary, Without};

/// All scenarios.
pub static SCENARIOS: &[Scenario] = &[
    scenario("good", "nothing", Both, gpu!(), (0, PASSED, "model of rtx2060")),
    // The libraries.
    scenario(
        "no-driver",
        "there is no libcuda.so.1",
        Neither,
        gpu!(),
        (3, COULD_NOT, "no NVIDIA driver: libcuda.so.1 cannot be opened"),
    ),
    scenario(
        "not-a-library",
        "libcuda.so.1 is a text file",
        NotALibrary,
        gpu!(),
        (3, COULD_NOT, "libcuda.so.1 cannot be opened"),
    ),
    scenario(
        "no-launch",
        "the driver has no cuLaunchKernel",
        Without("cuLaunchKernel"),
        gpu!(),
        (3, COULD_NOT, "libcuda.so.1 has no function cuLaunchKernel"),
    ),
    scenario(
        "no-query",
        "the driver has no cuStreamQuery",
        Without("cuStreamQuery"),
        gpu!(),
        (3, COULD_NOT, "libcuda.so.1 has no function cuStreamQuery"),
    ),
    scenario(
        "old-driver",
        "the driver knows CUDA 10.2",
        Both,
        gpu!(version: 10_020),
        (3, COULD_NOT, "the NVIDIA driver knows CUDA 10.2 only"),
    ),
    scenario(
        "init-fails",
        "cuInit says unknown error",
        Both,
        gpu!(init: 999),
        (3, COULD_NOT, "cuInit: CUDA_ERROR_UNKNOWN"),
    ),
    scenario(
        "mismatch",
        "kernel driver and library are of different versions",
        Both,
        gpu!(init: 803),
        (3, COULD_NOT, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
    ),
    // The device.
    scenario(
        "no-device",
        "cuInit finds no device",
        Both,
        gpu!(init: 100),
        (3, COULD_NOT, "CUDA_ERROR_NO_DEVICE"),
    ),
    scenario(
        "none-visible",
        "the driver counts no device",
        Both,
        gpu!(devices: 0),
        (3, COULD_NOT, "sees no GPU"),
    ),
    with(
        scenario(
            "other-device",
            "device 5 is asked for, there is one",
            Both,
            gpu!(),
            (3, COULD_NOT, "there is no GPU 5"),
        ),
        &["fma", "--device", "5"],
    ),
    scenario(
        "busy",
        "another process holds the device alone",
        Both,
        gpu!(context: 46),
        (3, COULD_NOT, "CUDA_ERROR_DEVICE_UNAVAILABLE"),
    ),
    scenario(
        "old-gpu",
        "compute capability 6.1: no machine code, and the driver refuses the PTX",
        Both,
        gpu!(capability: (6, 1), link: 218),
        (3, COULD_NOT, "CUDA_ERROR_INVALID_PTX"),
    ),
    scenario(
        "new-gpu",
        "compute capability 10.0: the driver compiles, but nobody can check its code",
        Both,
        gpu!(capability: (10, 0)),
        (3, COULD_NOT, "JIT code not checked"),
    ),
    with(
        scenario(
            "jit",
            "PTX is asked for; the driver's code has the operations under test",
            Both,
            gpu!(),
            (0, PASSED, "model of rtx2060"),
        ),
        &["fma", "--jit"],
    ),
    with(
        scenario(
            "jit-refused",
            "PTX is asked for, and the driver refuses it",
            Both,
            gpu!(link: 218),
            (3, COULD_NOT, "CUDA_ERROR_INVALID_PTX"),
        ),
        &["fma", "--jit"],
    ),
    scenario(
        "wrong-image",
        "the driver refuses the machine code",
        Both,
        gpu!(load: 209),
        (3, COULD_NOT, "CUDA_ERROR_NO_BINARY_FOR_GPU"),
    ),
    scenario(
        "no-kernel",
        "the module has no such kernel",
        Both,
        gpu!(function: 500),
        (3, COULD_NOT, "CUDA_ERROR_NOT_FOUND"),
    ),
    // Memory.
    scenario(
        "no-page-locked",
        "no page-locked memory for copies",
        Both,
        gpu!(no_page_locked: true),
        (3, COULD_NOT, "cuMemHostAlloc: CUDA_ERROR_OUT_OF_MEMORY"),
    ),
    scenario(
        "no-memory",
        "the first allocation fails",
        Both,
        gpu!(alloc_fails: Some(1)),
        (3, COULD_NOT, "CUDA_ERROR_OUT_OF_MEMORY"),
    ),
    scenario(
        "no-more-memory",
        "the second allocation fails",
        Both,
        gpu!(alloc_fails: Some(2)),
        (3, COULD_NOT, "CUDA_ERROR_OUT_OF_MEMORY"),
    ),
    // Launches.
    scenario(
        "too-large",
        "a launch needs more than there is",
        Both,
        gpu!(launch: Some((1, 701))),
        (3, COULD_NOT, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
    ),
    scenario(
        "launch-fails",
        "a launch is refused with a failure of the device",
        Both,
        gpu!(launch: Some((1, 719))),
        (1, FAILED, "CUDA_ERROR_LAUNCH_FAILED"),
    ),
    with(
        scenario(
            "illegal-address",
            "a kernel ends with an illegal address; the next test runs in a new context",
            Both,
            gpu!(ends_with: Some((1, 700))),
            (1, &["failed", "passed"], "what came after ran in a new context"),
        ),
        &["fma", "alu"],
    ),
    with(
        scenario(
            "context-lost",
            "a kernel ends with an illegal address, and there is no new context",
            Both,
            gpu!(ends_with: Some((1, 700)), lost: true),
            (1, &["failed", "could-not-run"], "the device failed in test fma: no new context"),
        ),
        &["fma", "alu"],
    ),
    with(
        scenario(
            "hang-and-more",
            "a kernel never ends; the next test cannot run",
            Both,
            gpu!(hangs: Some(1)),
            (1, &["failed", "could-not-run"], "the device failed in test fma: it hangs still"),
        ),
        &["fma", "alu"],
    ),
    scenario(
        "illegal-instruction",
        "a kernel ends with an illegal instruction",
        Both,
        gpu!(ends_with: Some((1, 715))),
        (1, FAILED, "CUDA_ERROR_ILLEGAL_INSTRUCTION"),
    ),
    scenario(
        "hang",
        "a kernel never ends",
        Both,
        gpu!(hangs: Some(1)),
        (1, FAILED, "a kernel hangs: it did not end within 1 s"),
    ),
    scenario(
        "copy-fails",
        "a copy fails with an unknown error",
        Both,
        gpu!(copy_fails: Some((1, 999))),
        (1, FAILED, "CUDA_ERROR_UNKNOWN"),
    ),
    with(
        scenario(
            "ctrl-c",
            "Ctrl-C in the first test: it and the next did not come to their end",
            Both,
            gpu!(signal: Some((1, 2))),
            (130, &["could-not-run", "could-not-run"], "stopped before its end"),
        ),
        &["fma", "alu"],
    ),
    with(
        scenario(
            "ctrl-c-echo",
            "the same signal again at once, as `timeout` sends it: that is one Ctrl-C",
            Both,
            gpu!(signal: Some((2, 2)), signal_again: true),
            (130, &["passed", "could-not-run"], "stopped before its end"),
        ),
        &["fma", "alu"],
    ),
    with(
        scenario(
            "ctrl-c-later",
            "Ctrl-C in the second test: what ran before is in the record",
            Both,
            gpu!(signal: Some((2, 2))),
            (130, &["passed", "could-not-run"], "stopped before its end"),
        ),
        &["fma", "alu"],
    ),
    with(
        scenario(
            "ctrl-c-and-defect",
            "Ctrl-C after a test has found something",
            Both,
            gpu!(signal: Some((3, 2)), broken: Some("stuck1 mufu:sm1.sub2.lane1.bit3@0..")),
            (1, &["failed", "could-not-run"], "stopped before its end"),
        ),
        &["mufu", "alu"],
    ),
    with(
        scenario(
            "terminated",
            "the program is asked to end (SIGTERM) in the second round",
            Both,
            gpu!(signal: Some((3, 15))),
            (130, &["passed", "passed"], "\"runs\": 1"),
        ),
        &["fma", "alu", "--iterations", "9"],
    ),
    scenario(
        "killed",
        "the program is killed in mid-run: no record is left, least of all a pass",
        Both,
        gpu!(signal: Some((1, 9))),
        (137, &[], ""),
    ),
    // Wrong results.
    scenario(
        "wrong-bit",
        "bit 3 of lane 5 of an FMA unit is stuck at 1",
        Both,
        gpu!(broken: Some("stuck1 fma:sm1.sub2.lane5.bit3@0..")),
        (1, FAILED, "\"sm\": 1,\n"),
    ),
    scenario(
        "wrong-copy",
        "one bit changes on the way to the host",
        Both,
        gpu!(copy: Some((1, 18, 0x10))),
        (1, FAILED, "wrong results"),
    ),
    scenario(
        "missing-sms",
        "half of the SMs that the driver counts are never reached",
        Both,
        gpu!(extra_sms: 2),
        (3, NOT_COVERED, "SMs not reached with every lane: 2 3"),
    ),
    scenario(
        "moved",
        "a warp ends on another SM than it began on: its results count, its place does not, and \
         another grid reaches what it was to reach",
        Both,
        gpu!(moves: Some(Moves::First(1))),
        (0, PASSED, "1 warps changed their SM or slot"),
    ),
    scenario(
        "always-moved",
        "all warps move in every launch: no place is known",
        Both,
        gpu!(moves: Some(Moves::All)),
        (3, NOT_COVERED, "0 of 256 lanes"),
    ),
    scenario(
        "moved-and-wrong",
        "a warp that moved has a wrong result: a defect, at no SM",
        Both,
        gpu!(moves: Some(Moves::First(1)), copy: Some((1, 18, 0x10))),
        (1, FAILED, "signature of all results; the warp moved"),
    ),
    with(
        scenario(
            "variable-and-shared",
            "nothing; tests that need a module's variable and more than 48 KB of shared memory",
            Both,
            gpu!(),
            (0, &["passed", "passed"], "model of rtx2060"),
        ),
        &["constants", "shared"],
    ),
    // What the card says.
    scenario(
        "no-nvml",
        "there is no libnvidia-ml.so.1",
        NoNvml,
        gpu!(),
        (0, PASSED, "libnvidia-ml.so.1 cannot be opened"),
    ),
    scenario(
        "nvml-fails",
        "nvmlInit fails",
        Both,
        nvml!(init: 18),
        (0, PASSED, "nvmlInit: Driver/library version mismatch"),
    ),
    scenario(
        "nvml-unknown",
        "NVML does not know the GPU",
        Both,
        nvml!(unknown: true),
        (0, PASSED, "Not Found"),
    ),
    scenario(
        "nvml-silent",
        "NVML supports none of the readings",
        Both,
        nvml!(silent: true),
        (0, PASSED, "\"temperature\","),
    ),
    scenario(
        "hot",
        "95 degrees, slowed down by the hardware",
        Both,
        nvml!(temperature: 95, clock: 300, reasons: 0x40),
        (0, PASSED, "hardware thermal slowdown"),
    ),
    scenario(
        "power-cap",
        "the clock is held down by the power limit",
        Both,
        nvml!(power: (170_000, 170_000), reasons: 0x4),
        (0, PASSED, "software power cap"),
    ),
    scenario(
        "xid",
        "an Xid in mid-run, all results right",
        Both,
        nvml!(xid: Some((1, 48))),
        (1, PASSED, "Xid 48"),
    ),
    scenario(
        "xid-and-failure",
        "an Xid with a launch that fails",
        Both,
        || Behaviour {
            ends_with: Some((1, 719)),
            nvml: NvmlBehaviour { xid: Some((1, 13)), ..NvmlBehaviour::default() },
            ..Behaviour::default()
        },
        (1, FAILED, "CUDA_ERROR_LAUNCH_FAILED (unspecified launch failure); Xid 13"),
    ),
    scenario(
        "ecc-corrected",
        "corrected ECC errors in mid-run",
        Both,
        nvml!(corrected: Some((1, 3))),
        (1, PASSED, "3 corrected ECC errors of dram"),
    ),
    scenario(
        "ecc-uncorrected",
        "an uncorrected ECC error ends a kernel",
        Both,
        || Behaviour {
            ends_with: Some((1, 214)),
            nvml: NvmlBehaviour { uncorrected: Some((1, 1)), ..NvmlBehaviour::default() },
            ..Behaviour::default()
        },
        (1, FAILED, "1 uncorrected ECC errors of dram"),
    ),
    scenario(
        "old-ecc",
        "corrected ECC errors of earlier days",
        Both,
        nvml!(old_errors: 7),
        (0, PASSED, "\"count\": 7"),
    ),
    scenario(
        "remapped",
        "a row of memory is remapped in mid-run",
        Both,
        nvml!(remapped: Some(1)),
        (1, PASSED, "rows of memory were remapped"),
    ),
    scenario(
        "lost",
        "the card falls off the bus: NVML loses it, the launch fails",
        Both,
        || Behaviour {
            ends_with: Some((1, 999)),
            nvml: NvmlBehaviour { lost: Some(1), xid: Some((1, 79)), ..NvmlBehaviour::default() },
            ..Behaviour::default()
        },
        (1, FAILED, "Xid 79"),
    ),
    scenario("mig", "MIG is on", Both, nvml!(mig: true), (0, PASSED, "\"mig\": \"on\"")),
    scenario("mps", "MPS is on", Both, nvml!(mps: true), (0, PASSED, "\"mps\": \"on\"")),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_and_there_are_thirty_faults() {
        let mut names: Vec<&str> = SCENARIOS.iter().map(|s| s.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SCENARIOS.len());
        assert!(SCENARIOS.len() > 30, "{}", SCENARIOS.len());
    }

    #[test]
    fn nothing_that_did_not_run_is_a_pass() {
        for s in SCENARIOS {
            let ran = s.expected.states.iter().all(|t| *t == "passed");
            assert!(s.expected.code != 0 || ran, "{}", s.name);
            assert!(!s.expected.states.contains(&"could-not-run") || s.expected.code != 0);
        }
    }
}
