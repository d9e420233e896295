//! The campaigns that are disturbed, and what they give when they are not.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::process::{Ended, OverLimit, Starter};

/// Small campaigns of every kind. All run on a chip with two SMs.
const CAMPAIGNS: [&str; 7] = [
    "--app va --structure rf,l1d,l2 --runs 100 --bits 1,3",
    "--app va --structure rf,l2 --runs 25 --model stuck",
    "--app pathf --structure rf,smem,pc,mask --runs 25",
    "--app sp --structure rf,l1d --runs 25 --model burst1:5/20:2000",
    "--app hs --structure rf,smem --runs 60 --sampling active",
    "--app va,sp --structure rf,l2.tag,ibuf --runs 20 --bits 1,2",
    "--app va --structure rf,pred --runs 15 --exact off",
];

/// A sequential plan of two rounds, one stratum of which ends in the first, and
/// one that ends by a margin.
const SEQUENTIAL: [&str; 2] = [
    "--app va --structure rf,l2 --sampling active --relative 80% --max-runs 2000",
    "--app va --structure rf,l2 --sampling active --margin 3%",
];
/// A fixed plan that holds all its experiments.
const FIXED: &str = "--app va --structure rf,l2 --sampling active --runs 2000";

/// What is the same in all.
const COMMON: &str = "campaign --chip rtx2060 --set sm.count=2 --quiet";

/// A campaign and what it gives when nobody disturbs it.
pub struct Reference {
    args: &'static str,
    /// Bytes of the finished store.
    pub store: Vec<u8>,
    /// Its export.
    pub export: String,
    /// Lines that an export may have on the way.
    lines: BTreeSet<String>,
    /// Whether experiments go away again when it is known how many count.
    pub sequential: bool,
    /// How long it takes.
    pub time: Duration,
}

impl Reference {
    /// Makes all of them.
    pub fn all(starter: &Starter<'_>, folder: &Path) -> Result<Vec<Reference>, String> {
        let mut all = Reference::few(starter, folder, CAMPAIGNS.len())?;
        let fixed = Reference::make(starter, folder, FIXED)?;
        for args in SEQUENTIAL {
            let mut sequential = Reference::make(starter, folder, args)?;
            let mut own = sequential.lines.difference(&fixed.lines);
            if own.any(|l| is_experiment(l)) {
                return Err(format!("{args} has experiments that the fixed plan lacks"));
            }
            let more = fixed.lines.iter().filter(|l| is_experiment(l)).cloned();
            sequential.lines.extend(more);
            sequential.sequential = true;
            all.push(sequential);
        }
        Ok(all)
    }

    /// Makes the first of them.
    pub fn few(
        starter: &Starter<'_>,
        folder: &Path,
        count: usize,
    ) -> Result<Vec<Reference>, String> {
        CAMPAIGNS.iter().take(count).map(|args| Reference::make(starter, folder, args)).collect()
    }

    fn make(starter: &Starter<'_>, folder: &Path, args: &'static str) -> Result<Reference, String> {
        let path = folder.join("reference.db");
        let mut reference = Reference {
            args,
            store: Vec::new(),
            export: String::new(),
            lines: BTreeSet::new(),
            sequential: false,
            time: Duration::MAX,
        };
        // The faster of two: the first warms up the machine's caches.
        for jobs in [1, 2] {
            let words = reference.begin(&path, jobs);
            let mut running = starter.start(&words, OverLimit::Fails).map_err(|e| e.to_string())?;
            let (ended, said) = running.wait()?;
            if ended != Ended::Code(0) {
                return Err(format!("{words:?} ends with {ended:?}: {said}"));
            }
            reference.time = reference.time.min(running.age());
            let store = fs::read(&path).map_err(|e| e.to_string())?;
            if jobs == 2 && store != reference.store {
                return Err(format!("{words:?}: the store depends on the number of jobs"));
            }
            reference.store = store;
            reference.export = export(starter, &path)?.map_err(|e| format!("{words:?}: {e}"))?;
            fs::remove_file(&path).map_err(|e| e.to_string())?;
        }
        reference.lines = reference.export.lines().map(String::from).collect();
        Ok(reference)
    }

    /// The words that begin it.
    pub fn begin(&self, store: &Path, jobs: u32) -> Vec<String> {
        let words = COMMON.split(' ').chain(self.args.split(' '));
        let mut words: Vec<String> = words.map(String::from).collect();
        words.extend(out(store, jobs));
        words
    }

    /// The words that go on with it.
    pub fn resume(store: &Path, jobs: u32) -> Vec<String> {
        let mut words = ["campaign", "--resume", "--quiet"].map(String::from).to_vec();
        words.extend(out(store, jobs));
        words
    }

    /// Its name in messages.
    pub fn name(&self) -> &'static str {
        self.args
    }

    /// Whether what an unfinished store holds is a part of the results, each
    /// line once.
    pub fn contains(&self, export: &str) -> Result<(), String> {
        let mut seen = BTreeSet::new();
        for line in export.lines() {
            if !seen.insert(line) {
                return Err(format!("twice in the store: {line}"));
            }
            if !self.lines.contains(line) {
                return Err(format!("not in the undisturbed campaign: {line}"));
            }
        }
        Ok(())
    }
}

fn out(store: &Path, jobs: u32) -> [String; 4] {
    let store = store.display().to_string();
    ["--out".into(), store, "--jobs".into(), jobs.to_string()]
}

fn is_experiment(line: &str) -> bool {
    line.contains("\"fault\":")
}

/// A store's canonical export; the inner error is a refusal.
pub fn export(starter: &Starter<'_>, store: &Path) -> Result<Result<String, String>, String> {
    let store = store.display().to_string();
    let (ended, text, said) = starter.output(&["export", &store, "--format", "jsonl"])?;
    match ended {
        Ended::Code(0) => Ok(Ok(text)),
        Ended::Code(2) => Ok(Err(said.trim().into())),
        other => Err(format!("the export ends with {other:?}: {said}")),
    }
}
