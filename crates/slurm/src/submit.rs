//! Submission, the first one and later ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use upset_campaign::{Spec, shards};
use upset_store::{Reader, StoreError};

use crate::array::{Array, arrays, ranges};
use crate::folder::write;
use crate::limits::max_array_size;
use crate::plan::{Job, Plan, What, digest};
use crate::queue::{self, Phase, Queued};
use crate::{Folder, SlurmError, commands, quote, script};

/// Options of sbatch that are ours to set.
const OURS: [&str; 8] =
    ["--array", "-a", "--dependency", "-d", "--wrap", "--parsable", "--wait", "-W"];

/// What is to be submitted.
pub struct Request<'a> {
    /// The specification.
    pub spec: &'a Spec,
    /// Shards in all.
    pub shards: u32,
    /// Where everything is kept.
    pub folder: PathBuf,
    /// Where paths of the specification start.
    pub directory: PathBuf,
    /// The program upset.
    pub program: PathBuf,
    /// Its version.
    pub version: &'a str,
    /// Options for sbatch.
    pub options: &'a [String],
    /// Only tell what would be done.
    pub dry_run: bool,
}

/// What was submitted, or would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submitted {
    /// Shards in all.
    pub shards: u32,
    /// Those that have nothing to do: there is less to do than shards.
    pub empty: u32,
    /// Those that are done.
    pub done: u32,
    /// Those that an earlier submission has in the queue.
    pub queued: u32,
    /// Those that were submitted now.
    pub submitted: u32,
    /// New jobs, in order; none in a dry run.
    pub jobs: Vec<Job>,
    /// Command lines.
    pub commands: Vec<String>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Submits what is not done and not in the queue.
pub fn submit(request: &Request<'_>) -> Result<Submitted, SlurmError> {
    check(request)?;
    if !request.dry_run && !commands::is_there("sbatch") {
        return Err(SlurmError::Missing("sbatch"));
    }
    let folder = Folder::new(absolute(&request.folder)?);
    if folder.is_foreign() {
        return Err(SlurmError::Input(format!(
            "{} is there, and not from `upset slurm submit`: give a new --folder",
            folder.path().display()
        )));
    }
    let mut plan = new_plan(request)?;
    let _lock = match request.dry_run {
        true => None,
        false => {
            folder.make()?;
            Some(folder.lock()?)
        }
    };
    let mut notes = Vec::new();
    if let Some(before) = Plan::load(&folder)? {
        before.admits(&plan, &folder)?;
        if before.program_digest != plan.program_digest {
            notes.push("this is another build of upset than that of the last submission".into());
        }
        plan.jobs = before.jobs;
    }
    let intents = upset_campaign::intents(request.spec);
    let asked: Vec<u32> = shards::all(request.spec, &intents, request.shards).into_keys().collect();
    let mut done = BTreeSet::new();
    for shard in &asked {
        if is_done(&folder.store(*shard))? {
            done.insert(*shard);
        }
    }
    // What would be done can be told without a cluster.
    let there = match queue::ask(&plan.ids()) {
        Err(SlurmError::Missing(_)) if request.dry_run => Vec::new(),
        there => there?,
    };
    for held in there.iter().filter(|q| q.is_held() && !request.dry_run) {
        commands::run("scontrol", &["release".into(), held.name()])?;
        notes.push(format!("Slurm held task {} back; it is released", held.name()));
    }
    let queued: BTreeSet<u32> = in_queue(&plan, &there).difference(&done).copied().collect();
    let open: Vec<u32> =
        asked.iter().copied().filter(|s| !done.contains(s) && !queued.contains(s)).collect();
    let work = Work { request, folder: &folder, there: &there };
    let mut submitted = Submitted {
        shards: request.shards,
        empty: request.shards - asked.len() as u32,
        done: done.len() as u32,
        queued: queued.len() as u32,
        submitted: open.len() as u32,
        jobs: Vec::new(),
        commands: Vec::new(),
        notes,
    };
    let merged = is_done(&folder.merged())?;
    if merged || (open.is_empty() && work.merges(&plan)) {
        return Ok(submitted);
    }
    if !request.dry_run {
        write(&folder.spec(), &request.spec.to_toml())?;
        write(&folder.shard_script(), &script::shards(request.spec, &plan, &folder))?;
        write(&folder.merge_script(), &script::merge(&plan, &folder))?;
        plan.save(&folder)?;
    }
    for array in arrays(&open, max_array_size()) {
        let what = What::Shards { offset: array.offset, indices: ranges(&array.indices) };
        work.give(what, &work.array_words(&array), &mut plan, &mut submitted)?;
    }
    let words = work.merge_words(&plan, &submitted);
    work.give(What::Merge, &words, &mut plan, &mut submitted)?;
    Ok(submitted)
}

fn check(request: &Request<'_>) -> Result<(), SlurmError> {
    request.spec.check()?;
    let number = format!("1/{}", request.shards);
    number.parse::<upset_campaign::ShardOf>().map_err(SlurmError::Input)?;
    let name = |option: &'_ String| option.split('=').next().unwrap_or_default().to_string();
    for option in request.options.iter().map(name) {
        if OURS.contains(&option.as_str()) {
            return Err(SlurmError::Input(format!(
                "{option} is for `upset slurm submit` to set; leave it out"
            )));
        }
    }
    Ok(())
}

fn new_plan(request: &Request<'_>) -> Result<Plan, SlurmError> {
    let program = fs::read(&request.program);
    let program = program.map_err(SlurmError::io(&request.program, "read"))?;
    Ok(Plan {
        version: request.version.into(),
        program: request.program.clone(),
        program_digest: digest(&program),
        spec_digest: digest(request.spec.to_toml().as_bytes()),
        shards: request.shards,
        directory: absolute(&request.directory)?,
        jobs: Vec::new(),
    })
}

fn absolute(path: &Path) -> Result<PathBuf, SlurmError> {
    std::path::absolute(path).map_err(SlurmError::io(path, "find"))
}

/// Whether a store is there and complete.
fn is_done(store: &Path) -> Result<bool, SlurmError> {
    match Reader::open(store) {
        Ok(reader) => Ok(reader.is_complete()),
        Err(StoreError::Missing { .. }) => Ok(false),
        Err(e) => Err(e.into()),
    }
}

/// Shards whose tasks are still to come or at work.
fn in_queue(plan: &Plan, there: &[Queued]) -> BTreeSet<u32> {
    let active = there.iter().filter(|q| q.phase != Phase::Ends);
    active.filter_map(|q| plan.shard_of(q)).collect()
}

/// What submissions of one call share.
struct Work<'a> {
    request: &'a Request<'a>,
    folder: &'a Folder,
    there: &'a [Queued],
}

impl Work<'_> {
    /// Whether a merge is in the queue.
    fn merges(&self, plan: &Plan) -> bool {
        let is_merge =
            |q: &Queued| plan.jobs.iter().any(|j| j.id == q.job && j.what == What::Merge);
        self.there.iter().any(is_merge)
    }

    /// Words of sbatch that all jobs have.
    fn words(&self, name: &str, log: &str) -> Vec<String> {
        // Slurm fills in what begins with a percent sign.
        let logs = self.folder.logs().display().to_string().replace('%', "%%");
        let mut words = vec![
            "--parsable".to_string(),
            format!("--job-name={name}"),
            format!("--output={logs}/{log}"),
        ];
        words.extend_from_slice(self.request.options);
        words
    }

    fn array_words(&self, array: &Array) -> Vec<String> {
        let mut words = self.words("upset-shard", "%A.%a.log");
        words.push(format!("--array={}", ranges(&array.indices)));
        words.push(self.folder.shard_script().display().to_string());
        if array.offset > 0 {
            words.push(array.offset.to_string());
        }
        words
    }

    /// After all tasks that are on their way, and merges before.
    fn merge_words(&self, plan: &Plan, submitted: &Submitted) -> Vec<String> {
        let mut after: BTreeSet<u64> = self.there.iter().map(|q| q.job).collect();
        after.retain(|id| plan.ids().contains(id));
        after.extend(submitted.jobs.iter().map(|j| j.id));
        let mut words = self.words("upset-merge", "%j.0.log");
        let ids: Vec<String> = after.iter().map(ToString::to_string).collect();
        if self.request.dry_run {
            words.push("--dependency=afterany:ID".into());
        } else if !ids.is_empty() {
            words.push(format!("--dependency=afterany:{}", ids.join(":")));
        }
        words.push(self.folder.merge_script().display().to_string());
        words
    }

    /// Gives a job to Slurm and keeps its number.
    fn give(
        &self,
        what: What,
        words: &[String],
        plan: &mut Plan,
        submitted: &mut Submitted,
    ) -> Result<(), SlurmError> {
        submitted.commands.push(format!("sbatch {}", quote::line(words)));
        if self.request.dry_run {
            return Ok(());
        }
        let said = commands::run("sbatch", words)?;
        // With a federation of clusters, its name follows.
        let id = said.trim().split(';').next().and_then(|id| id.parse().ok());
        let id = id.ok_or_else(|| SlurmError::Command {
            command: "sbatch",
            words: format!("it should have printed the number of the job, not {:?}", said.trim()),
        })?;
        let job = Job { id, what };
        plan.jobs.push(job.clone());
        submitted.jobs.push(job);
        plan.save(self.folder)
    }
}
