//! Several stores of one campaign become one.
//!
//! Shards, whole campaigns, stores of which one was restarted while the other
//! still ran: whatever they share must be equal, and what they have together
//! must be all. The result is then the file that one undisturbed campaign makes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::lock::Lock;
use crate::record::Stop;
use crate::table::{Inserts, insert};
use crate::tally::Tally;
use crate::{
    Digests, Experiment, Header, Intent, Reader, Shard, StoreError, Stratum, Subject, fresh, paths,
};

/// What a merge made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// Digests of the results.
    pub digests: Digests,
    /// Experiments in all.
    pub experiments: u64,
}

/// A store that takes part.
struct Input {
    path: PathBuf,
    reader: Reader,
    shard: Option<Shard>,
    /// Strata of each subject, in order.
    strata: BTreeMap<u32, Vec<Stratum>>,
}

/// Merges stores of one campaign. Nothing is written unless they are all of it,
/// and nothing need be where `out` is the result already.
pub fn merge(stores: &[PathBuf], out: &Path) -> Result<Merged, StoreError> {
    let mut inputs = stores.iter().map(|path| Input::open(path)).collect::<Result<Vec<_>, _>>()?;
    if let Some(there) = Input::result(out)? {
        let merged = there.merged()?;
        inputs.push(there);
        Plan::of(&inputs)?.is_whole(&inputs)?;
        return Ok(merged);
    }
    let full = paths::absent(out)?;
    let plan = Plan::of(&inputs)?;
    plan.is_whole(&inputs)?;
    let _lock = Lock::take(&full).map_err(StoreError::while_beginning)?;
    paths::absent(out)?;
    let mut experiments = 0;
    let checked = fresh::replace(&full, |db| {
        let mut tally = Tally { complete: true, ..Tally::default() };
        tally.add(insert(db, &plan.header)?);
        for intent in &plan.intents {
            tally.add(insert(db, intent)?);
        }
        for subject in plan.subjects.values() {
            tally.add(insert(db, subject)?);
        }
        tally.subjects = plan.subjects.len() as u64;
        let all = plan.strata.values().flatten();
        for (id, stratum) in all.clone().zip(0..).map(|(stratum, id)| (id, stratum)) {
            tally.add(insert(db, &Stratum { id, ..stratum.clone() })?);
        }
        tally.strata = all.count() as u64;
        for (id, (subject, index)) in plan.places().into_iter().enumerate() {
            if let Some(runs) = plan.stop_of(&inputs, subject, index)? {
                tally.add(insert(db, &Stop { stratum: id as u32, runs })?);
                tally.stops += 1;
            }
        }
        let inserts = Inserts::new(db);
        for (id, (subject, index)) in plan.places().into_iter().enumerate() {
            for (number, found) in plan.experiments(&inputs, subject, index)? {
                let own = Experiment { stratum: id as u32, number, ..found };
                tally.add(inserts.insert_new(&own)?);
                tally.experiments += 1;
            }
        }
        experiments = tally.experiments;
        tally.save(db)
    })
    .map_err(StoreError::while_beginning)?;
    let digests = Digests { all: checked.digest, results: checked.results.text() };
    Ok(Merged { digests, experiments })
}

impl Input {
    fn open(path: &Path) -> Result<Input, StoreError> {
        let reader = Reader::open(path)?;
        let mut strata: BTreeMap<u32, Vec<Stratum>> = BTreeMap::new();
        for stratum in reader.strata()? {
            strata.entry(stratum.subject).or_default().push(stratum);
        }
        Ok(Input { path: path.into(), shard: reader.shard()?, reader, strata })
    }

    /// A file that is the finished store of a whole campaign.
    fn result(path: &Path) -> Result<Option<Input>, StoreError> {
        if !path.exists() {
            return Ok(None);
        }
        let there = Input::open(path)?;
        Ok((there.shard.is_none() && there.reader.is_complete()).then_some(there))
    }

    /// As if it had been merged just now.
    fn merged(&self) -> Result<Merged, StoreError> {
        let (all, results) = (self.reader.digest().into(), self.reader.results_digest());
        let mut experiments = 0;
        for stratum in self.strata.values().flatten() {
            experiments += self.reader.experiments(stratum.id)?.len() as u64;
        }
        Ok(Merged { digests: Digests { all, results }, experiments })
    }

    /// The number that a stratum has in this store.
    fn local(&self, subject: u32, index: usize) -> Option<u32> {
        self.strata.get(&subject)?.get(index).map(|s| s.id)
    }

    /// How it is called in messages.
    fn title(&self) -> String {
        match &self.shard {
            Some(shard) => {
                format!("shard {}/{} ({})", shard.number, shard.count, self.path.display())
            }
            None => self.path.display().to_string(),
        }
    }
}

/// What all of them say of the campaign.
struct Plan {
    header: Header,
    intents: Vec<Intent>,
    subjects: BTreeMap<u32, Subject>,
    strata: BTreeMap<u32, Vec<Stratum>>,
}

impl Plan {
    fn of(inputs: &[Input]) -> Result<Plan, StoreError> {
        let first = inputs.first().ok_or_else(|| StoreError::OtherPlan {
            what: "no store to merge: name at least one".into(),
        })?;
        let mut plan = Plan {
            header: first.reader.header().clone(),
            intents: first.reader.intents()?,
            subjects: BTreeMap::new(),
            strata: BTreeMap::new(),
        };
        for input in inputs {
            if let Some(what) = differs(&plan.header, input.reader.header()) {
                return Err(other_plan(first, input, &what));
            }
            for subject in input.reader.subjects()? {
                let known = plan.subjects.entry(subject.id).or_insert_with(|| subject.clone());
                if *known != subject {
                    let what = format!("{} is another program, chip or run there", subject.app);
                    return Err(other_plan(first, input, &what));
                }
            }
            for (subject, strata) in &input.strata {
                let known = plan.strata.entry(*subject).or_insert_with(|| strata.clone());
                let same = |(a, b): (&Stratum, &Stratum)| *a == Stratum { id: a.id, ..b.clone() };
                if known.len() != strata.len() || !known.iter().zip(strata).all(same) {
                    let what = format!("subject {subject} has other strata there");
                    return Err(other_plan(first, input, &what));
                }
            }
        }
        Ok(plan)
    }

    /// Subject and place within it of all strata, in the order of their numbers.
    fn places(&self) -> Vec<(u32, usize)> {
        let of = |(subject, strata): (&u32, &Vec<Stratum>)| {
            let subject = *subject;
            (0..strata.len()).map(move |index| (subject, index)).collect::<Vec<_>>()
        };
        self.strata.iter().flat_map(of).collect()
    }

    /// Where a sequential plan ended, if some store knows.
    fn stop_of(
        &self,
        inputs: &[Input],
        subject: u32,
        index: usize,
    ) -> Result<Option<u64>, StoreError> {
        let mut found = None;
        for input in inputs {
            let Some(local) = input.local(subject, index) else { continue };
            let Some(runs) = input.reader.stop(local)? else { continue };
            if *found.get_or_insert(runs) != runs {
                return Err(StoreError::Invalid {
                    what: format!(
                        "{} ends stratum {index} of subject {subject} after {runs} experiments, \
                         others do not: one of them is wrong",
                        input.title()
                    ),
                });
            }
        }
        Ok(found)
    }

    /// All experiments of a stratum that some store has and that count.
    fn experiments(
        &self,
        inputs: &[Input],
        subject: u32,
        index: usize,
    ) -> Result<BTreeMap<u64, Experiment>, StoreError> {
        let end = self.stop_of(inputs, subject, index)?.unwrap_or(u64::MAX);
        let mut all: BTreeMap<u64, (Experiment, usize)> = BTreeMap::new();
        for (from, input) in inputs.iter().enumerate() {
            let Some(local) = input.local(subject, index) else { continue };
            for found in input.reader.experiments(local)? {
                let own = Experiment { stratum: 0, ..found };
                if own.number >= end {
                    continue;
                }
                match all.get(&own.number) {
                    None => drop(all.insert(own.number, (own, from))),
                    Some((there, _)) if *there == own => {}
                    Some((_, other)) => {
                        return Err(StoreError::Invalid {
                            what: format!(
                                "experiment {} of stratum {index} of subject {subject} has one \
                                 result in {} and another in {}: one of them is wrong",
                                own.number,
                                inputs[*other].title(),
                                input.title()
                            ),
                        });
                    }
                }
            }
        }
        Ok(all.into_iter().map(|(number, (found, _))| (number, found)).collect())
    }

    /// Whether nothing is missing; else what, and who should have had it.
    fn is_whole(&self, inputs: &[Input]) -> Result<(), StoreError> {
        let asked: BTreeSet<u32> = self.intents.iter().map(|i| i.subject).collect();
        let begun = asked.iter().filter(|s| self.strata.contains_key(s)).count();
        let mut missing = 0;
        for (subject, index) in self.places() {
            let planned = self.strata[&subject][index].planned;
            let end = self.stop_of(inputs, subject, index)?.unwrap_or(planned);
            missing += end - self.experiments(inputs, subject, index)?.len() as u64;
        }
        if missing == 0 && begun == asked.len() {
            return Ok(());
        }
        let mut lacking = Vec::new();
        if missing > 0 {
            lacking.push(format!("{missing} experiments"));
        }
        if begun < asked.len() {
            lacking.push(format!("{} of {} subjects", asked.len() - begun, asked.len()));
        }
        let whose = whose(inputs);
        let what = format!("{} are missing; {whose}", lacking.join(" and "));
        Err(StoreError::Incomplete { what: what.trim_end_matches("; ").into() })
    }
}

/// Whose the missing experiments are, as far as the stores tell.
fn whose(inputs: &[Input]) -> String {
    let mut said: Vec<String> = inputs
        .iter()
        .filter(|i| !i.reader.is_complete())
        .map(|i| format!("{} is unfinished", i.title()))
        .collect();
    let counts: BTreeSet<u32> =
        inputs.iter().filter_map(|i| Some(i.shard.as_ref()?.count)).collect();
    for count in counts {
        let of_this = inputs.iter().filter_map(|i| i.shard.as_ref()).filter(|s| s.count == count);
        let here: BTreeSet<u32> = of_this.map(|s| s.number).collect();
        let gone: Vec<String> =
            (1..=count).filter(|n| !here.contains(n)).map(|n| format!("{n}/{count}")).collect();
        match gone.as_slice() {
            [] => {}
            [one] => said.push(format!("shard {one} is not among them")),
            many => said.push(format!("shards {} are not among them", many.join(", "))),
        }
    }
    said.join("; ")
}

/// Where two headers differ.
fn differs(a: &Header, b: &Header) -> Option<String> {
    if a.tool != b.tool {
        return Some(format!("it was made by version {}, the first by {}", b.tool, a.tool));
    }
    if a == b {
        return None;
    }
    let mut lines = a.spec.lines().zip(b.spec.lines());
    let what = match lines.find(|(x, y)| x != y) {
        Some((x, y)) => format!("`{y}` there, `{x}` in the first"),
        None => "its specification is another".into(),
    };
    Some(what)
}

fn other_plan(first: &Input, other: &Input, what: &str) -> StoreError {
    StoreError::OtherPlan {
        what: format!(
            "{} is not of the campaign of {}: {what}",
            other.path.display(),
            first.path.display()
        ),
    }
}
