//! Times of the applications' launches: the profiler's table (ncu), line by
//! line the launches that the recording program noted, and CUPTI's timestamps.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::file::read;
use super::median::median;
use crate::Outcome;

/// Columns of the profiler's table that are kept.
const COLUMNS: [&str; 6] = [
    "sm__cycles_active.max",
    "gpc__cycles_elapsed.max",
    "gpu__time_duration.sum",
    "smsp__inst_executed.sum",
    "launch__shared_mem_config_size",
    "smsp__thread_inst_executed.sum",
];

/// (journal, launch) to kernel and, column by column, one value per run.
type Launches = BTreeMap<(String, usize), (String, Vec<Vec<f64>>)>;

/// The sections `[launch]` and `[apps]`.
pub fn text(dir: &Path) -> Outcome<String> {
    let mut launches = profiled(dir, "apps")?;
    timestamps(dir, &mut launches)?;
    let mut apps: BTreeMap<String, Vec<(String, Vec<f64>)>> = BTreeMap::new();
    for ((journal, _), (kernel, mut columns)) in launches {
        columns.iter_mut().for_each(|c| c.sort_by(f64::total_cmp));
        let medians = columns.iter().map(|c| if c.is_empty() { 0.0 } else { median(c) });
        apps.entry(journal).or_default().push((kernel, medians.collect()));
    }
    let mut text = String::from("\n[launch]\n");
    if let Some(empty) = apps.remove("empty") {
        let middle = |i: usize| {
            let mut values: Vec<f64> = empty.iter().map(|(_, m)| m[i]).collect();
            values.sort_by(f64::total_cmp);
            median(&values)
        };
        let _ = writeln!(
            text,
            "empty = {{ cycles = {}, elapsed = {}, nanoseconds = {} }}",
            middle(0),
            middle(1),
            middle(COLUMNS.len())
        );
    }
    apps.remove("clock_rate");
    for (name, launches) in apps {
        let sum = |i: usize| launches.iter().map(|(_, m)| m[i]).sum::<f64>();
        let _ = writeln!(text, "\n[apps.\"{name}\"]\nlaunches = {}", launches.len());
        let _ = writeln!(text, "cycles = {}\nelapsed = {}", sum(0), sum(1));
        let _ = writeln!(text, "nanoseconds = {}\ninstructions = {}", sum(COLUMNS.len()), sum(3));
        let _ = writeln!(text, "threads = {}", sum(5));
        // Kernels in order of first launch.
        let mut kernels: Vec<(&str, f64, f64)> = Vec::new();
        for (kernel, m) in &launches {
            match kernels.iter_mut().find(|(k, ..)| k == kernel) {
                Some(entry) => entry.1 += m[0],
                None => kernels.push((kernel, m[0], m[4])),
            }
        }
        let table: Vec<String> = kernels
            .iter()
            .map(|(k, c, s)| format!("{k} = {{ cycles = {c}, shared = {s} }}"))
            .collect();
        let _ = writeln!(text, "kernels = {{ {} }}", table.join(", "));
    }
    Ok(text)
}

/// Lines of the recording program: journal, run, launch, kernel, the two times.
pub fn noted(path: &Path) -> Outcome<Vec<Vec<String>>> {
    let text = String::from_utf8(read(path)?).map_err(|e| e.to_string())?;
    Ok(text.lines().map(|l| l.split_whitespace().map(String::from).collect()).collect())
}

/// Cycles of the micro-benchmarks' launches, from first warp to last on the busiest SM.
pub fn whole_kernels(dir: &Path) -> Outcome<BTreeMap<String, f64>> {
    let mut sums = BTreeMap::new();
    for ((journal, _), (_, mut columns)) in profiled(dir, "micro")? {
        columns[0].sort_by(f64::total_cmp);
        *sums.entry(journal).or_insert(0.0) += median(&columns[0]);
    }
    Ok(sums)
}

/// The profiler's table: names of the columns, and the rows below the units.
pub fn rows(table: &str) -> Outcome<(Vec<String>, Vec<Vec<String>>)> {
    let mut rows = table
        .lines()
        .filter(|l| l.starts_with('"'))
        .map(|l| l.trim_matches('"').split("\",\"").map(String::from).collect::<Vec<String>>());
    let header = rows.next().ok_or("the profiler's table is empty")?;
    // The line after the header names the units.
    Ok((header, rows.skip(1).collect()))
}

/// The profiler's rows, which come in the order of the launches.
fn profiled(dir: &Path, which: &str) -> Outcome<Launches> {
    let noted = noted(&dir.join(format!("{which}-ncu.launches")))?;
    let table = read(&dir.join(format!("{which}-ncu.csv")))?;
    let table = String::from_utf8(table).map_err(|e| e.to_string())?;
    let (header, rows) = rows(&table)?;
    let place = |name: &str| {
        header
            .iter()
            .position(|h| h == name)
            .ok_or_else(|| format!("the profiler's table has no {name}"))
    };
    let kernel_at = place("Kernel Name")?;
    let places = COLUMNS.iter().map(|c| place(c)).collect::<Outcome<Vec<usize>>>()?;
    let mut launches = Launches::new();
    for (line, row) in noted.iter().zip(rows) {
        let [journal, _, launch, kernel, ..] = &line[..] else {
            return Err("the launches are damaged".into());
        };
        if row.get(kernel_at) != Some(kernel) {
            return Err(format!("table and launches part at {journal} {launch}"));
        }
        let key = (journal.clone(), launch.parse().map_err(|_| "the launches are damaged")?);
        let entry =
            launches.entry(key).or_insert((kernel.clone(), vec![Vec::new(); COLUMNS.len() + 1]));
        for (column, &at) in entry.1.iter_mut().zip(&places) {
            let value = row.get(at).map(|v| v.replace(',', "")).unwrap_or_default();
            column.push(value.parse().map_err(|_| format!("in the profiler's table: {value:?}"))?);
        }
    }
    Ok(launches)
}

/// Adds CUPTI's times as a last column.
fn timestamps(dir: &Path, launches: &mut Launches) -> Outcome<()> {
    for line in noted(&dir.join("apps.launches"))? {
        let [journal, _, launch, _, _, nanoseconds] = &line[..] else {
            return Err("apps.launches is damaged".into());
        };
        let (Ok(launch), Ok(time)) = (launch.parse(), nanoseconds.parse()) else {
            return Err("apps.launches is damaged".into());
        };
        if let Some((_, columns)) = launches.get_mut(&(journal.clone(), launch)) {
            columns[COLUMNS.len()].push(time);
        }
    }
    Ok(())
}
