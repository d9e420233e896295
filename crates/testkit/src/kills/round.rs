//! One campaign, disturbed and resumed until it is finished.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::campaigns::{Reference, export};
use super::damage::{Copy, Damage};
use super::disk::Disk;
use super::harness::Harness;
use super::kind::Disturbance;
use super::process::{Ended, OverLimit, Running, Starter};
use crate::Rng;

/// What happened, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Disturbances that came in time, by kind.
    pub landed: BTreeMap<&'static str, Landed>,
    /// Campaigns that went on with `--resume`.
    pub resumed: u64,
    /// Campaigns that were begun anew since there was no store yet.
    pub begun_anew: u64,
}

/// What one kind of disturbance led to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Landed {
    /// How many there were.
    pub times: u64,
    /// The campaign ended before its results were complete.
    pub ended: u64,
    /// It came to its end nevertheless.
    pub survived: u64,
    /// The store was refused.
    pub refused: u64,
}

impl Tally {
    /// Adds another.
    pub fn add(&mut self, other: &Tally) {
        for (name, more) in &other.landed {
            let sum = self.landed.entry(name).or_default();
            sum.times += more.times;
            sum.ended += more.ended;
            sum.survived += more.survived;
            sum.refused += more.refused;
        }
        self.resumed += other.resumed;
        self.begun_anew += other.begun_anew;
    }

    /// Disturbances in all.
    pub fn times(&self) -> u64 {
        self.landed.values().map(|l| l.times).sum()
    }

    fn entry(&mut self, name: &'static str) -> &mut Landed {
        let landed = self.landed.entry(name).or_default();
        landed.times += 1;
        landed
    }
}

impl Harness {
    /// Runs one round in a folder; the error tells what differs from the
    /// undisturbed campaign.
    pub fn round(&self, number: u64, folder: &Path) -> Result<Tally, String> {
        run(self, number, folder)
    }
}

/// Times that a round is begun again because nothing came in time.
const TRIES: u64 = 100;

/// Runs round `number`. The error tells what differs.
fn run(harness: &Harness, number: u64, folder: &Path) -> Result<Tally, String> {
    for attempt in 0..TRIES {
        let mut rng = Rng::new(harness.seed);
        let mut rng = Rng::new(rng.u64() ^ (number << 8 | attempt));
        let reference = &harness.references[rng.below(harness.references.len() as u32) as usize];
        let own = folder.join(format!("round-{number}-{attempt}"));
        let starter = harness.starter(&format!("round-{number}"), own.join("log"));
        // Elsewhere writing takes the time that it takes on a real disk.
        let disk = match harness.may_mount && rng.below(3) == 0 {
            true => Disk::mount(&own.join("disk")),
            false => None,
        };
        let place = disk.as_ref().map_or_else(|| own.join("store"), |d| d.path().join("store"));
        fs::create_dir_all(&place).map_err(|e| e.to_string())?;
        let mut round = Round {
            reference,
            starter,
            store: place.join("x.db"),
            disk,
            tally: Tally::default(),
            before: BTreeSet::new(),
            history: Vec::new(),
        };
        let done = round.run_to_the_end(&mut rng);
        let gone = round.starter.all_gone();
        if let Err(e) = done.and(gone) {
            let (name, history) = (reference.name(), round.history.join("\n  "));
            return Err(format!("{e}\n  campaign: {name}\n  {history}"));
        }
        let tally = std::mem::take(&mut round.tally);
        drop(round);
        fs::remove_dir_all(&own).map_err(|e| format!("cannot clear {}: {e}", own.display()))?;
        if tally.times() > 0 {
            return Ok(tally);
        }
    }
    Err(format!("nothing came in time in {TRIES} tries"))
}

struct Round<'a> {
    reference: &'a Reference,
    starter: Starter<'a>,
    store: PathBuf,
    disk: Option<Disk>,
    tally: Tally,
    /// What the store held when it was last looked at.
    before: BTreeSet<String>,
    history: Vec<String>,
}

impl Round<'_> {
    fn run_to_the_end(&mut self, rng: &mut Rng) -> Result<(), String> {
        let mut wanted = 1 + u32::from(rng.below(3) == 0) + u32::from(rng.below(6) == 0);
        loop {
            let kind = (wanted > 0).then(|| Disturbance::draw(rng, self.disk.is_some()));
            wanted = wanted.saturating_sub(1);
            let finished = match kind {
                Some(kind) => self.disturbed(rng, kind)?,
                None => self.undisturbed(rng)?,
            };
            if finished {
                return self.is_as_undisturbed();
            }
        }
    }

    /// The words that begin or go on.
    fn words(&mut self, rng: &mut Rng) -> Vec<String> {
        let jobs = 1 + rng.below(3);
        match self.store.exists() {
            true => Reference::resume(&self.store, jobs),
            false => self.reference.begin(&self.store, jobs),
        }
    }

    fn start(&mut self, rng: &mut Rng, over: OverLimit) -> Result<Running, String> {
        if self.tally.times() > 0 {
            match self.store.exists() {
                true => self.tally.resumed += 1,
                false => self.tally.begun_anew += 1,
            }
        }
        let words = self.words(rng);
        self.starter.start(&words, over).map_err(|e| format!("cannot start upset: {e}"))
    }

    fn undisturbed(&mut self, rng: &mut Rng) -> Result<bool, String> {
        let (ended, said) = self.start(rng, OverLimit::Fails)?.wait()?;
        self.history.push(format!("undisturbed: {ended:?} {said}"));
        match ended {
            Ended::Code(0) => Ok(true),
            _ => Err(format!("undisturbed, it ends with {ended:?}: {said}")),
        }
    }

    /// Runs and disturbs; whether the campaign is finished.
    fn disturbed(&mut self, rng: &mut Rng, kind: Disturbance) -> Result<bool, String> {
        let mut running = self.start(rng, kind.over_limit())?;
        let place = (self.store.as_path(), self.reference.time);
        let landed = kind.strike(rng, &mut running, &self.starter, self.disk.as_ref(), place)?;
        let age = running.age();
        let (ended, said) = running.wait()?;
        if let Some(disk) = &self.disk {
            disk.free();
        }
        self.history.push(format!("{} after {age:?}: {ended:?} {said}", kind.name()));
        // A campaign may be resumed while the last one's workers are still going.
        if rng.below(2) == 0 {
            self.starter.all_gone()?;
        }
        let unfinished = kind
            .allows(ended, &said)
            .ok_or_else(|| format!("{}: it ends with {ended:?}: {said}", kind.name()))?;
        if !landed {
            return Ok(!unfinished);
        }
        if kind == Disturbance::Damage {
            return self.damaged(rng, !unfinished);
        }
        match unfinished {
            true => self.tally.entry(kind.name()).ended += 1,
            // Only workers can be lost without an effect: else it came too late.
            false if matches!(kind, Disturbance::Worker | Disturbance::Forked) => {
                self.tally.entry(kind.name()).survived += 1;
            }
            false => {}
        }
        if unfinished && self.store.exists() {
            self.holds_a_part()?;
        }
        Ok(!unfinished)
    }

    /// Damages the files of a campaign that has ended and tries to go on.
    fn damaged(&mut self, rng: &mut Rng, finished: bool) -> Result<bool, String> {
        if !self.store.exists() {
            return Ok(false);
        }
        let failed = |e: std::io::Error| format!("cannot damage the store: {e}");
        let copy = Copy::take(&self.store).map_err(failed)?;
        let damage = Damage::draw(rng, &self.store);
        let place = damage.strike(rng, &self.store).map_err(failed)?;
        let (ended, said) = self.start(rng, OverLimit::Fails)?.wait()?;
        self.history.push(format!("{place}: {ended:?} {said}"));
        let says_what_to_do = said.contains("is damaged")
            && said.contains("run the campaign again")
            || said.contains("is not a store of Upset") && said.contains("check the name")
            || said.contains("use a newer upset");
        match ended {
            // The damage hit bytes that carry nothing; the results must show it.
            Ended::Code(0) => {
                self.tally.entry(damage.name()).survived += 1;
                Ok(true)
            }
            Ended::Code(2) if says_what_to_do => {
                self.tally.entry(damage.name()).refused += 1;
                // Nor may anything wrong be read from it.
                if let Ok(text) = export(&self.starter, &self.store)? {
                    self.reference.contains(&text)?;
                }
                copy.restore(&self.store).map_err(failed)?;
                match finished {
                    true => Ok(true),
                    false => self.holds_a_part().map(|()| false),
                }
            }
            _ => Err(format!("{place}: it ends with {ended:?}: {said}")),
        }
    }

    /// An unfinished store holds nothing but results, each once, and all that
    /// it held before.
    fn holds_a_part(&mut self) -> Result<(), String> {
        let text = export(&self.starter, &self.store)?
            .map_err(|e| format!("the unfinished store is refused: {e}"))?;
        self.reference.contains(&text)?;
        let now: BTreeSet<String> = text.lines().map(String::from).collect();
        if let Some(line) = self.before.difference(&now).next()
            && !self.reference.sequential
        {
            return Err(format!("lost: {line}"));
        }
        self.before = now;
        Ok(())
    }

    fn is_as_undisturbed(&self) -> Result<(), String> {
        self.starter.all_gone()?;
        let store = fs::read(&self.store).map_err(|e| format!("the finished store: {e}"))?;
        let text = export(&self.starter, &self.store)?
            .map_err(|e| format!("the finished store is refused: {e}"))?;
        if text != self.reference.export {
            let wrong = text.lines().zip(self.reference.export.lines()).find(|(a, b)| a != b);
            return Err(format!("the results differ: {wrong:?}"));
        }
        if store != self.reference.store {
            return Err("the results are the same, the bytes of the store are not".into());
        }
        let folder = self.store.parent().unwrap_or(&self.store);
        let entries = fs::read_dir(folder).map_err(|e| e.to_string())?;
        let names: Vec<_> = entries.filter_map(|e| Some(e.ok()?.file_name())).collect();
        match names.len() {
            1 => Ok(()),
            _ => Err(format!("files left beside the store: {names:?}")),
        }
    }
}
