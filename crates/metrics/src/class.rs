//! What became of a run.

use serde::{Deserialize, Serialize};

/// Outcome of one experiment, against the fault-free run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Same outputs in the same number of cycles.
    Masked,
    /// Same outputs in another number of cycles. Not a failure.
    Performance,
    /// The outputs differ and nobody was told.
    Sdc,
    /// A trap, an error exit, a signal.
    Crash,
    /// More cycles than the limit, or nothing can ever happen again.
    Timeout,
    /// Our own failure: the run tells nothing about the fault.
    ToolError,
}

impl Class {
    /// Every class, in the order of reports.
    pub const ALL: [Class; 6] = [
        Class::Masked,
        Class::Performance,
        Class::Sdc,
        Class::Crash,
        Class::Timeout,
        Class::ToolError,
    ];

    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Class::Masked => "masked",
            Class::Performance => "performance",
            Class::Sdc => "sdc",
            Class::Crash => "crash",
            Class::Timeout => "timeout",
            Class::ToolError => "tool_error",
        }
    }

    /// The class of a name.
    pub fn parse(name: &str) -> Option<Class> {
        Class::ALL.into_iter().find(|c| c.name() == name)
    }

    /// Whether the program failed because of the fault.
    pub fn is_failure(self) -> bool {
        match self {
            Class::Sdc | Class::Crash | Class::Timeout => true,
            Class::Masked | Class::Performance | Class::ToolError => false,
        }
    }
}

/// How many runs ended in which class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Same outputs, same cycles.
    pub masked: u64,
    /// Same outputs, other cycles.
    pub performance: u64,
    /// Other outputs.
    pub sdc: u64,
    /// Trap, error exit, signal.
    pub crash: u64,
    /// Beyond the limit.
    pub timeout: u64,
    /// Our own failures.
    pub tool_error: u64,
}

impl Counts {
    /// Counts one run.
    pub fn add(&mut self, class: Class) {
        *self.of_mut(class) += 1;
    }

    /// Counts many of one class.
    pub fn add_many(&mut self, class: Class, number: u64) {
        *self.of_mut(class) += number;
    }

    /// Runs of one class.
    pub fn of(&self, class: Class) -> u64 {
        match class {
            Class::Masked => self.masked,
            Class::Performance => self.performance,
            Class::Sdc => self.sdc,
            Class::Crash => self.crash,
            Class::Timeout => self.timeout,
            Class::ToolError => self.tool_error,
        }
    }

    fn of_mut(&mut self, class: Class) -> &mut u64 {
        match class {
            Class::Masked => &mut self.masked,
            Class::Performance => &mut self.performance,
            Class::Sdc => &mut self.sdc,
            Class::Crash => &mut self.crash,
            Class::Timeout => &mut self.timeout,
            Class::ToolError => &mut self.tool_error,
        }
    }

    /// All runs.
    pub fn runs(&self) -> u64 {
        Class::ALL.into_iter().map(|c| self.of(c)).sum()
    }

    /// Runs that tell something: all but tool errors. The n of every rate.
    pub fn valid(&self) -> u64 {
        self.runs() - self.tool_error
    }

    /// SDC, crashes and timeouts.
    pub fn failures(&self) -> u64 {
        Class::ALL.into_iter().filter(|c| c.is_failure()).map(|c| self.of(c)).sum()
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        for class in Class::ALL {
            *self.of_mut(class) += other.of(class);
        }
    }
}
