//! Made-up results.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use upset_metrics::Class;
use upset_store::*;

/// A header.
pub fn header() -> Header {
    Header {
        tool: "0.1.0".into(),
        spec: "app = [\"hs\"]\nruns = 100\n".into(),
        seed: u64::MAX - 6,
        confidence: 0.95,
    }
}

/// An application on a chip.
pub fn subject(id: u32) -> Subject {
    Subject {
        id,
        app: "hs".into(),
        scale: "small".into(),
        command: vec![],
        chip: "rtx2060".into(),
        chip_toml: "[sm]\ncount = 30\n".into(),
        binaries: vec![("hs.cubin".into(), "0123".into())],
        profile: Profile {
            cycles: 10_000,
            core_mhz: 1365.0,
            limit: 20_000,
            launches: vec![LaunchSpan { kernel: "hotspot".into(), start: 5, end: 9_000 }],
            kernels: vec![KernelProfile {
                name: "hotspot".into(),
                launches: 1,
                cycles: 8_995,
                registers: 32,
                shared_bytes: 3072,
                local_bytes: 0,
                threads_per_sm: 0.1 + 0.2,
                ctas_per_sm: 1.0 / 3.0,
                occupancy: 0.91,
                busy: 1.0,
                sms_used: 30,
                thread_insts: 1_000_000,
            }],
            structures: vec![StructureSize { name: "rf".into(), bits: 62_914_560, instances: 120 }],
            output_digest: "abcd".into(),
            output_bytes: 262_144,
            sms: 30,
            registers_per_sm: 65_536,
            shared_per_sm: 65_536,
            whole_words: id.is_multiple_of(2),
        },
    }
}

/// Experiments of one kind.
pub fn stratum(id: u32, subject: u32) -> Stratum {
    Stratum {
        id,
        subject,
        kernel: id.is_multiple_of(2).then(|| "hotspot".into()),
        window: String::new(),
        structure: "rf".into(),
        bits: 1,
        model: "flip".into(),
        spread: "entry".into(),
        sampling: "physical".into(),
        cycles: 8_995,
        structure_bits: 62_914_560,
        derating: 1.0,
        occupancy: id.is_multiple_of(2).then_some(0.25),
        planned: 1_000_000,
        stop_at_failures: 0,
        stop_at_margin: None,
    }
}

/// An experiment that differs from every other, with all that an experiment
/// can have in some of them.
pub fn experiment(stratum: u32, number: u64) -> Experiment {
    let class = Class::ALL[(number % 6) as usize];
    Experiment {
        stratum,
        number,
        fault: format!("rf:sm{stratum}.sub1.row{number}.lane5.bit12@{}", 1000 + number),
        hit: Hit {
            structure: "rf".into(),
            sm: Some(stratum.into()),
            subcore: Some(1),
            row: Some(number),
            lane: Some(5),
            bit: Some(12),
            bits: 1,
            cycle: 1000 + number,
            allocated: [None, Some(false), Some(true)][(number % 3) as usize],
            kernel: "hotspot".into(),
            launch: Some(0),
            function: "hotspot".into(),
            instruction: Some(16 * number),
            register: "R7".into(),
            ..Hit::default()
        },
        cause_kind: String::new(),
        class,
        cause: if class == Class::Crash { "illegal address, \"0x7\"\n".into() } else { "".into() },
        cycles: 10_000 + number,
        reached: [None, Some(false), Some(true)][(number % 3) as usize],
        how: "simulated".into(),
        output_digest: format!("{number:032x}"),
        sdc: (class == Class::Sdc).then(|| Sdc {
            element: "f32".into(),
            elements: 65_536,
            wrong: number,
            max_relative: Some(1.0 / (number as f64 + 3.0)),
            nan: 0,
            inf: 1,
            bit_counts: (0..32).collect(),
            first: 77,
            length_differs: false,
        }),
        attempts: 1,
        noticed: None,
    }
}

/// Experiments of a stratum.
pub fn experiments(stratum: u32, numbers: impl IntoIterator<Item = u64>) -> Vec<Experiment> {
    numbers.into_iter().map(|n| experiment(stratum, n)).collect()
}

/// A folder and the name of a store in it.
pub fn place() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("campaign.db");
    (dir, path)
}

/// A new store with two subjects and four strata.
pub fn planned(path: &Path) -> Store {
    let mut store = Store::create(path, &header()).unwrap();
    store.put_subject(&subject(0)).unwrap();
    store.put_subject(&subject(1)).unwrap();
    let strata: Vec<_> = (0..4).map(|id| stratum(id, id / 2)).collect();
    store.put_strata(&strata).unwrap();
    store
}

/// Names of the files in a store's folder.
pub fn files(path: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(path.parent().unwrap()).unwrap();
    let mut names: Vec<_> =
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
