//! Makes a profile of runs: some to learn from, others to calibrate with.

use upset_machine::pmu::{Counter, Reading};

use crate::constants::{Confirmed, LaunchConstants, NotConstant, Steerings};
use crate::laws;
use crate::paper::{self, Paper};
use crate::profile::{Lessons, Method, Profile, Subject, VERSION};
use crate::regions::{CYCLES, LAUNCHES, Learner, Regions, SHAPE};
use crate::run::launches;
use crate::statistics::conformal;

/// Why there is no profile.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LearnError {
    /// The bound cannot be promised.
    #[error(
        "{given} calibration inputs cannot promise a false-alarm rate of {alpha}: at least \
         {needed} are needed (--calibration {needed})"
    )]
    TooFew {
        /// Rate asked for.
        alpha: f64,
        /// Inputs given.
        given: u64,
        /// Inputs needed.
        needed: u64,
    },
    /// A rate that is none.
    #[error("a false-alarm rate lies between 0 and 1: {0} does not (--alpha)")]
    Alpha(f64),
    /// Nothing to learn from.
    #[error("{0} inputs are too few to learn from: at least 2 are needed (--inputs)")]
    Inputs(u64),
    /// Nothing was launched.
    #[error("it launches no kernel: there is nothing to count")]
    NoLaunch,
    /// A proved constant varied.
    #[error(transparent)]
    NotConstant(#[from] NotConstant),
    /// A law broken without a fault.
    #[error(
        "the law `{law}` does not hold in the fault-free run of input {input}, kernel {kernel}: \
         {left} and {right}"
    )]
    Law {
        /// Its name.
        law: String,
        /// Number of the input.
        input: u64,
        /// Kernel.
        kernel: String,
        /// One side.
        left: f64,
        /// The other.
        right: f64,
    },
}

impl LearnError {
    /// Whether it is a mistake of this program, not of what it was asked.
    pub fn is_ours(&self) -> bool {
        matches!(self, LearnError::NotConstant(_) | LearnError::Law { .. })
    }
}

/// Checks what is asked for, before anything is run.
pub fn can_learn(method: Method, lessons: &Lessons) -> Result<(), LearnError> {
    let Lessons { inputs, calibration, alpha, .. } = *lessons;
    if inputs < 2 {
        return Err(LearnError::Inputs(inputs));
    }
    if method == Method::Paper {
        return Ok(());
    }
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(LearnError::Alpha(alpha));
    }
    match conformal::rank(alpha, calibration) {
        0 => {
            let needed = conformal::needed(alpha);
            Err(LearnError::TooFew { alpha, given: calibration, needed })
        }
        _ => Ok(()),
    }
}

/// Takes in runs: first those to learn from, in order of inputs, then those to
/// calibrate with.
pub struct Teacher {
    method: Method,
    lessons: Lessons,
    code: Steerings,
    learner: Learner,
    confirmed: Confirmed,
    paper: Paper,
    runs: u64,
    learned: Option<(Vec<LaunchConstants>, Regions)>,
    scores: Vec<f64>,
}

impl Teacher {
    /// A teacher; `code` is what kernels' counts depend on.
    pub fn new(method: Method, lessons: Lessons, code: Steerings) -> Result<Teacher, LearnError> {
        can_learn(method, &lessons)?;
        Ok(Teacher {
            method,
            learner: Learner::new(lessons.every.clone()),
            lessons,
            code,
            confirmed: Confirmed::default(),
            paper: Paper::default(),
            runs: 0,
            learned: None,
            scores: Vec::new(),
        })
    }

    /// Runs that are wanted in all.
    pub fn wanted(&self) -> u64 {
        match self.method {
            Method::Full => self.lessons.inputs + self.lessons.calibration,
            Method::Paper => self.lessons.inputs,
        }
    }

    /// Takes the next run in.
    pub fn take(&mut self, run: &[Reading]) -> Result<(), LearnError> {
        if run.is_empty() {
            return Err(LearnError::NoLaunch);
        }
        if let Some(broken) = laws::judge(run).into_iter().next() {
            return Err(LearnError::Law {
                law: broken.what,
                input: self.lessons.seed + self.runs,
                kernel: broken.kernel,
                left: broken.value,
                right: broken.allowed.0,
            });
        }
        let run = launches(run);
        self.runs += 1;
        let paper_inputs = match self.method {
            Method::Full => paper::INPUTS as u64,
            Method::Paper => self.lessons.inputs,
        };
        if self.runs <= paper_inputs {
            self.paper.add(&run);
        }
        if self.runs <= self.lessons.inputs {
            self.confirmed.add(&run, &self.code)?;
            self.learner.add(&run);
        } else {
            let (_, regions) = self.learned();
            let score = regions.score(&run);
            self.scores.push(score);
        }
        Ok(())
    }

    fn learned(&mut self) -> &(Vec<LaunchConstants>, Regions) {
        let (confirmed, learner) = (&mut self.confirmed, &mut self.learner);
        self.learned.get_or_insert_with(|| {
            let constants = std::mem::take(confirmed).constants();
            let regions = std::mem::take(learner).regions(&constants);
            (constants, regions)
        })
    }

    /// The profile, when all runs are in.
    pub fn profile(mut self, subject: Subject) -> Result<Profile, LearnError> {
        let (constants, regions) = self.learned().clone();
        let Teacher { method, lessons, paper, scores, .. } = self;
        let threshold = conformal::threshold(&scores, lessons.alpha);
        if method == Method::Full && threshold.is_none() {
            let (alpha, given) = (lessons.alpha, scores.len() as u64);
            return Err(LearnError::TooFew { alpha, given, needed: conformal::needed(alpha) });
        }
        let read = Counter::ALL.iter().map(|c| c.name().to_string());
        let others = [CYCLES, LAUNCHES, SHAPE].map(String::from);
        Ok(Profile {
            version: VERSION,
            subject,
            lessons,
            method,
            counters: read.chain(others).collect(),
            constants,
            regions,
            threshold,
            scores,
            paper,
        })
    }
}
