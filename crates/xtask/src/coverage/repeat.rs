//! Repeated campaigns over one program.

use upset_fault::{
    ActiveIndex, ActiveRecipe, Key, Recipe, Structure, Window, draw_active, draw_physical,
};
use upset_metrics::sequential::failures_for_relative;
use upset_metrics::until::Looks;
use upset_metrics::{Interval, Method, Rate};
use upset_state::kind::named;

use super::subject::Subject;
use super::table::Table;
use crate::Outcome;

/// Confidence of all intervals.
pub const CONFIDENCE: f64 = 0.95;

/// How experiments are drawn.
pub enum Sampling<'s> {
    /// From all bits.
    Physical(&'s Subject),
    /// From bits that someone owns.
    Active(&'s Subject, Box<ActiveIndex>),
}

impl<'s> Sampling<'s> {
    /// The samplings that a program's array allows.
    pub fn of(subject: &'s Subject) -> Outcome<Vec<Sampling<'s>>> {
        let mut all = vec![Sampling::Physical(subject)];
        if named(subject.program.structure).is_some_and(|a| a.owner.has_stays()) {
            let structure: Structure = subject.program.structure.parse().map_err(text)?;
            let window = Window::from(subject.window());
            let index = ActiveIndex::new(&subject.residency, &structure, &window);
            all.push(Sampling::Active(subject, Box::new(index.map_err(text)?)));
        }
        Ok(all)
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Sampling::Physical(_) => "physical",
            Sampling::Active(..) => "active",
        }
    }

    /// Share of the array's bits x cycles that is drawn from.
    pub fn derating(&self) -> f64 {
        match self {
            Sampling::Physical(_) => 1.0,
            Sampling::Active(subject, index) => index.derating(subject.space.bits()),
        }
    }

    fn subject(&self) -> &'s Subject {
        match self {
            Sampling::Physical(subject) | Sampling::Active(subject, _) => subject,
        }
    }

    /// Bit and cycle of experiment `n`.
    pub fn draw(&self, seed: u64, n: u64) -> Outcome<(u64, u64)> {
        let subject = self.subject();
        let key = Key::new(seed, &format!("{} {}", subject.program.name, self.name()));
        let experiment = match self {
            Sampling::Physical(_) => {
                let (spaces, window) = (std::slice::from_ref(&subject.space), subject.window());
                draw_physical(spaces, &Window::from(window), &Recipe::default(), key, n)
            }
            Sampling::Active(_, index) => draw_active(index, &ActiveRecipe::default(), key, n),
        };
        let changes = experiment.map_err(text)?.changes();
        match changes[..] {
            [(cycle, change)] => Ok((change.site().bit, cycle)),
            _ => Err("not one flip".into()),
        }
    }
}

fn text(e: impl std::fmt::Display) -> String {
    e.to_string()
}

/// How often the intervals of one rule covered the truth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Covered {
    /// Intervals that did.
    pub yes: u64,
    /// All of them.
    pub all: u64,
}

impl Covered {
    /// Counts an interval.
    pub fn add(&mut self, interval: Interval, truth: f64) {
        self.all += 1;
        self.yes += u64::from(interval.contains(truth));
    }

    /// The share.
    pub fn share(self) -> f64 {
        self.yes as f64 / self.all.max(1) as f64
    }

    /// Standard error of the share, were it what the interval says.
    pub fn error(self) -> f64 {
        (CONFIDENCE * (1.0 - CONFIDENCE) / self.all.max(1) as f64).sqrt()
    }
}

/// What became of many campaigns.
pub struct Repeated {
    /// Failures in the runs of each campaign, by seed.
    pub failures: Vec<u64>,
    /// Wilson's intervals.
    pub wilson: Covered,
    /// Clopper and Pearson's.
    pub exact: Covered,
    /// Intervals of campaigns that stop at a number of failures.
    pub sequential: Covered,
    /// Intervals of campaigns that stop when a margin is reached, and the runs
    /// that these took on average.
    pub margin: (Covered, f64),
    /// How far the mean of all campaigns' estimates is from the truth, in
    /// standard errors.
    pub bias: f64,
}

/// Experiments of each campaign, and precision of those that stop by themselves.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Seeds 1, 2, … of so many campaigns.
    pub campaigns: u64,
    /// Runs of each.
    pub runs: u64,
    /// Of the sequential rule.
    pub relative: f64,
    /// Of those that stop at a margin.
    pub margin: f64,
}

/// Makes the campaigns: real draws, the class of each from the table of what
/// the simulation gave, real intervals.
pub fn repeat(sampling: &Sampling<'_>, table: &Table, size: Size) -> Outcome<Repeated> {
    let (truth, derating) = (sampling.subject().truth(), sampling.derating());
    let enough = failures_for_relative(size.relative, CONFIDENCE).ok_or("no such precision")?;
    let looks = Looks::for_margin(size.margin, CONFIDENCE).ok_or("no such margin")?;
    let mut done = Repeated {
        failures: Vec::new(),
        wilson: Covered::default(),
        exact: Covered::default(),
        sequential: Covered::default(),
        margin: (Covered::default(), 0.0),
        bias: 0.0,
    };
    for seed in 1..=size.campaigns {
        let fails = |n: u64| -> Outcome<bool> {
            let (bit, cycle) = sampling.draw(seed, n)?;
            let class = table.class(bit, cycle).ok_or("a bit that was not simulated")?;
            Ok(class.is_failure())
        };
        let (mut n, mut k, mut stopped) = (0, 0, None);
        let mut k_of_runs = 0;
        while n < size.runs || stopped.is_none() {
            k += u64::from(fails(n)?);
            n += 1;
            if n == size.runs {
                k_of_runs = k;
            }
            if k == enough && stopped.is_none() {
                stopped = Some(n);
            }
        }
        let fixed = |method| {
            let rate = Rate::fixed(k_of_runs, size.runs, method, CONFIDENCE);
            rate.map(|r| r.interval().scaled(derating)).ok_or("no runs")
        };
        done.wilson.add(fixed(Method::Wilson)?, truth);
        done.exact.add(fixed(Method::ClopperPearson)?, truth);
        let rate =
            stopped.and_then(|n| Rate::sequential(enough, n, CONFIDENCE)).ok_or("no runs")?;
        done.sequential.add(rate.interval().scaled(derating), truth);
        let (mut n, mut k) = (0, 0);
        for &look in looks.all() {
            for number in n..look.runs {
                k += u64::from(fails(number)?);
            }
            n = look.runs;
            if looks.ends(look, k) {
                break;
            }
        }
        done.margin.0.add(looks.interval(k, n).scaled(derating), truth);
        done.margin.1 += n as f64 / size.campaigns as f64;
        done.failures.push(k_of_runs);
    }
    let all = (size.campaigns * size.runs) as f64;
    let (rate, p) = (done.failures.iter().sum::<u64>() as f64 / all, truth / derating);
    done.bias = (rate - p) / (p * (1.0 - p) / all).sqrt();
    Ok(done)
}
