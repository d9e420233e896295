//! What the recording program wrote, reduced to one number each, and the file
//! in the repository that keeps them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;
use upset_device::{Args, DeviceError, Launch, Mode, journal};

use super::bench::Bench;
use super::file::read;
use super::median::median;
use super::model::device;
use super::profile;
use crate::{Outcome, root};

const HEADER: &str = "\
# Times measured on a real H200 (docs/timing-hardware.md). Written by
# `cargo xtask timing take`.
";

/// The numbers in the repository.
#[derive(Deserialize)]
pub struct Recording {
    /// Micro-benchmarks by name.
    pub micro: BTreeMap<String, Measured>,
    /// Applications by name and scale.
    pub apps: BTreeMap<String, Application>,
}

/// One micro-benchmark.
#[derive(Deserialize)]
pub struct Measured {
    /// Median over the runs.
    pub cycles: f64,
    /// Cycles of all its launches, from the first warp to the last on the busiest SM.
    pub kernel: Option<f64>,
}

/// One application.
#[derive(Deserialize)]
pub struct Application {
    /// Cycles of all launches together.
    pub cycles: f64,
    /// Warp instructions executed.
    pub instructions: u64,
    /// Thread instructions executed, in recordings that have them.
    pub threads: Option<u64>,
}

impl Recording {
    /// Reads the file.
    pub fn load(path: &Path) -> Outcome<Recording> {
        let text = String::from_utf8(read(path)?).map_err(|e| e.to_string())?;
        toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
    }
}

/// Launches that only the hardware needs: an empty kernel and the clock's rate.
pub fn extras() -> Outcome<Vec<(String, Vec<journal::Event>)>> {
    let image = read(&root().join("kernels/micro/control/control.sm_90.cubin"))?;
    let launches = |kernel: &str, times: u32, cycles: Option<u32>| {
        record(&image, kernel, times, cycles).map_err(|e| format!("{kernel}: {e}"))
    };
    Ok(vec![
        ("empty".into(), launches("empty", 20, None)?),
        ("clock_rate".into(), launches("clock_rate", 2, Some(1 << 21))?),
    ])
}

fn record(
    image: &[u8],
    kernel: &str,
    times: u32,
    cycles: Option<u32>,
) -> Outcome<Vec<journal::Event>> {
    let fail = |e: DeviceError| e.to_string();
    let mut device = device(Mode::Functional)?;
    device.start_journal();
    let module = device.load_module(image).map_err(fail)?;
    let function = device.function(module, kernel).map_err(fail)?;
    let out = device.malloc(32).map_err(fail)?;
    let args = match cycles {
        None => Args::new(),
        Some(cycles) => Args::new().ptr(out).ptr(out).ptr(out).u32(cycles),
    };
    let launch =
        Launch { grid: [1, 1, 1], block: [32, 1, 1], shared_bytes: 0, ..Launch::default() };
    for _ in 0..times {
        device.launch(function, &launch, &args).map_err(fail)?;
    }
    device.download(out, &mut [0; 32]).map_err(fail)?;
    Ok(device.take_journal())
}

/// Reduces a recording to the text of the repository's file.
pub fn take(dir: &Path, benches: &[Bench]) -> Outcome<String> {
    let answers = answers(&read(&dir.join("answers.bin"))?)?;
    let mut text = HEADER.to_string();
    text.push_str("\n[device]\n");
    for line in String::from_utf8_lossy(&read(&dir.join("device.txt"))?).lines() {
        let (key, value) = line.split_once(' ').ok_or("device.txt is damaged")?;
        let _ = match value.parse::<u64>() {
            Ok(number) => writeln!(text, "{key} = {number}"),
            Err(_) => writeln!(text, "{key} = {value:?}"),
        };
    }
    text.push_str("\n[micro]\n");
    let kernels = profile::whole_kernels(dir)?;
    for bench in benches {
        let Some(runs) = answers.get(&bench.name) else {
            println!("{}: not recorded", bench.name);
            continue;
        };
        let mut values = runs.iter().map(|r| bench.value(r)).collect::<Outcome<Vec<f64>>>()?;
        values.sort_by(f64::total_cmp);
        let (low, high) = (values[0], values[values.len() - 1]);
        let _ = write!(text, "{} = {{ cycles = {:.3}", bench.name, median(&values));
        let _ = write!(text, ", low = {low:.3}, high = {high:.3}");
        if let Some(kernel) = kernels.get(&bench.name) {
            let _ = write!(text, ", kernel = {kernel}");
        }
        text.push_str(" }\n");
    }
    text.push_str(&profile::text(dir)?);
    Ok(text)
}

/// Bytes of each run of each journal.
fn answers(bytes: &[u8]) -> Outcome<BTreeMap<String, Vec<Vec<u8>>>> {
    let mut rest = bytes;
    let mut all = BTreeMap::new();
    let damaged = || "answers.bin is damaged".to_string();
    let mut next = |n: usize| -> Outcome<&[u8]> {
        let (head, tail) = rest.split_at_checked(n).ok_or_else(damaged)?;
        rest = tail;
        Ok(head)
    };
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0usize, |n, &b| n << 8 | usize::from(b));
    let mut left = bytes.len();
    while left > 0 {
        let length = number(next(4)?);
        let name = String::from_utf8_lossy(next(length)?).into_owned();
        let runs = number(next(4)?);
        let each = number(next(8)?);
        let bytes = (0..runs).map(|_| Ok(next(each)?.to_vec())).collect::<Outcome<Vec<_>>>()?;
        all.insert(name, bytes);
        left -= 16 + length + runs * each;
    }
    Ok(all)
}
