//! The same through the program itself: `upset campaign`, then `upset report`.

use std::path::{Path, PathBuf};
use std::process::Command;

use upset_metrics::Interval;

use super::repeat::Covered;
use super::subject::{LAUNCH, Subject, manifest};
use crate::Outcome;

/// A program in a folder of its own, as an application.
pub struct Folder(PathBuf);

impl Folder {
    /// Writes manifest and code.
    pub fn write(within: &Path, subject: &Subject) -> Outcome<Folder> {
        let program = &subject.program;
        let folder = within.join(program.name);
        let write = |file: String, bytes: &[u8]| {
            let path = folder.join(file);
            std::fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))
        };
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        write("app.toml".into(), manifest(program).as_bytes())?;
        write(format!("{}.sm_75.cubin", program.name), &program.kernel.image())?;
        Ok(Folder(folder))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The interval of a campaign's AVF, as `upset report --json` has it.
    pub fn interval(&self, upset: &Path, subject: &Subject, how: &How) -> Outcome<Interval> {
        let store = self.0.with_extension("db");
        let _ = std::fs::remove_file(&store);
        let mut campaign = Command::new(upset);
        campaign.args(["campaign", "--quiet", "--chip", "rtx2060", "--scale", "small", "--app"]);
        campaign.arg(&self.0).arg("--out").arg(&store);
        campaign.args(["--structure", subject.program.structure, "--sampling", how.sampling]);
        campaign.args(["--launch", &LAUNCH.to_string(), "--seed", &how.seed.to_string()]);
        match how.plan {
            Plan::Runs(n) => campaign.args(["--runs", &n.to_string()]),
            Plan::Relative(share) => campaign.args(["--relative", &format!("{}%", share * 100.0)]),
            Plan::Margin(share) => campaign.args(["--margin", &format!("{}%", share * 100.0)]),
        };
        for set in &subject.program.chip {
            campaign.args(["--set", set]);
        }
        succeed(&mut campaign)?;
        let mut report = Command::new(upset);
        let told = succeed(report.arg("report").arg(&store).args(["--json", "-"]))?;
        let report: serde_json::Value =
            serde_json::from_str(&told).map_err(|e| format!("upset report: {e}"))?;
        let row = &report["rows"][0];
        let number = |key: &str| row[key].as_f64().ok_or_else(|| format!("no {key} in {row}"));
        Ok(Interval { low: number("avf_low")?, high: number("avf_high")? })
    }
}

/// How many experiments.
#[derive(Clone, Copy, Debug)]
pub enum Plan {
    /// So many.
    Runs(u64),
    /// Until the rate is known this well.
    Relative(f64),
    /// Until it is known within a margin.
    Margin(f64),
}

impl std::fmt::Display for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Plan::Runs(n) => write!(f, "{n}"),
            Plan::Relative(share) => write!(f, "to within {} %", share * 100.0),
            Plan::Margin(share) => write!(f, "margin {} %", share * 100.0),
        }
    }
}

/// What a campaign is told.
pub struct How {
    /// `physical` or `active`.
    pub sampling: &'static str,
    /// Its seed.
    pub seed: u64,
    /// How many experiments.
    pub plan: Plan,
}

/// Runs a command to its end; what it printed.
pub fn succeed(command: &mut Command) -> Outcome<String> {
    let done = command.output().map_err(|e| format!("cannot start upset: {e}"))?;
    match done.status.success() {
        true => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
        false => Err(format!("upset: {}", String::from_utf8_lossy(&done.stderr).trim())),
    }
}

/// Campaigns with seeds 1, 2, … over one program.
pub fn coverage(
    upset: &Path,
    subject: &Subject,
    sampling: &'static str,
    plan: Plan,
    campaigns: u64,
) -> Outcome<Covered> {
    let within = std::env::temp_dir().join(format!("upset-coverage-{}", std::process::id()));
    let counted = (|| {
        let folder = Folder::write(&within, subject)?;
        let mut covered = Covered::default();
        for seed in 1..=campaigns {
            let how = How { sampling, seed, plan };
            covered.add(folder.interval(upset, subject, &how)?, subject.truth());
        }
        Ok(covered)
    })();
    let _ = std::fs::remove_dir_all(&within);
    counted
}
