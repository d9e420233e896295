//! What the hardware's counters gave for the applications' kernels, in several
//! runs: `oracles/counters/apps.sm_90.tsv`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::file::read;
use super::profile::{noted, rows};
use crate::Outcome;

const HEADER: &str = "\
# What an H200's counters gave for the applications' kernels: sums over the launches
# of a run, the least and the most of all runs. oracles/counters/record.sh,
# cargo xtask timing take-counts
# application\tkernel\tlaunches\truns\tmetric\tleast\tmost
";

/// Counters whose names begin so are kept; other columns describe the launch.
const METRICS: [&str; 2] = ["smsp__", "sm__"];

/// Launches of a kernel in a run, and the sum of each metric.
type Sums = (u64, BTreeMap<String, u64>);

/// Application and kernel to its runs, in the order of the launches.
type Kernels = Vec<((String, String), BTreeMap<String, Sums>)>;

/// The file, from what the recording program and the profiler wrote to `dirs`.
pub fn text(dirs: &[&Path]) -> Outcome<String> {
    let mut kernels = Kernels::new();
    for dir in dirs {
        add(dir, &mut kernels).map_err(|e| format!("{}: {e}", dir.display()))?;
    }
    lines(&kernels)
}

/// Adds one folder's recording.
fn add(dir: &Path, kernels: &mut Kernels) -> Outcome<()> {
    let noted = noted(&dir.join("counts.launches"))?;
    let table = String::from_utf8(read(&dir.join("counts.csv"))?).map_err(|e| e.to_string())?;
    let (header, rows) = rows(&table)?;
    if noted.len() != rows.len() {
        return Err(format!("{} launches, {} lines of the profiler", noted.len(), rows.len()));
    }
    for (line, row) in noted.iter().zip(rows) {
        let [application, run, _, kernel, ..] = &line[..] else {
            return Err("counts.launches is damaged".into());
        };
        let key = (application.clone(), kernel.clone());
        let at = kernels.iter().position(|(k, _)| *k == key).unwrap_or_else(|| {
            kernels.push((key, BTreeMap::new()));
            kernels.len() - 1
        });
        let sums = kernels[at].1.entry(run.clone()).or_default();
        sums.0 += 1;
        for (column, value) in header.iter().zip(&row) {
            match column.as_str() {
                "Kernel Name" if value != kernel => {
                    return Err(format!("table and launches part at {application} {kernel}"));
                }
                // The profiler adds means and extremes of its own accord.
                name if METRICS.iter().any(|m| name.starts_with(m)) && name.ends_with(".sum") => {
                    let number = value.replace(',', "").parse::<f64>();
                    let number = number.map_err(|_| format!("{name} of {kernel}: {value:?}"))?;
                    *sums.1.entry(name.to_string()).or_default() += number as u64;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// One line for each application, kernel and metric.
fn lines(kernels: &Kernels) -> Outcome<String> {
    let mut text = HEADER.to_string();
    for ((application, kernel), runs) in kernels {
        let Some((launches, metrics)) = runs.values().next() else { continue };
        if runs.values().any(|(n, _)| n != launches) {
            return Err(format!("{application}: runs with more and fewer launches of {kernel}"));
        }
        for metric in metrics.keys() {
            let values = || runs.values().filter_map(|(_, sums)| sums.get(metric));
            let (least, most) = (values().min().unwrap_or(&0), values().max().unwrap_or(&0));
            let runs = runs.len();
            let _ = writeln!(
                text,
                "{application}\t{kernel}\t{launches}\t{runs}\t{metric}\t{least}\t{most}"
            );
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_of_a_run_are_summed_and_runs_compared() {
        let dir = std::env::temp_dir().join(format!("upset-counted-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let launches =
            "a.small 0 0 k 1 0\na.small 0 1 k 1 0\na.small 1 0 k 1 0\na.small 1 1 k 1 0\n";
        let csv = "==PROF== text\n\"ID\",\"Kernel Name\",\"smsp__x.sum\",\"launch__y\"\n\
                   \"\",\"\",\"inst\",\"\"\n\
                   \"0\",\"k\",\"1,000\",\"7\"\n\"1\",\"k\",\"20\",\"7\"\n\
                   \"2\",\"k\",\"1,000\",\"7\"\n\"3\",\"k\",\"21\",\"7\"\n";
        std::fs::write(dir.join("counts.launches"), launches).unwrap();
        std::fs::write(dir.join("counts.csv"), csv).unwrap();
        let made = text(&[&dir]).unwrap();
        assert_eq!(made.lines().last(), Some("a.small\tk\t2\t2\tsmsp__x.sum\t1020\t1021"));
        assert_eq!(made.lines().count(), HEADER.lines().count() + 1);
        std::fs::write(dir.join("counts.launches"), &launches[..17]).unwrap();
        let error = text(&[&dir]).unwrap_err();
        assert!(error.ends_with(": 1 launches, 4 lines of the profiler"), "{error}");
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
