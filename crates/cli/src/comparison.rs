//! How results are compared: options that `upset campaign` and `upset inject` share.

use clap::Args;
use upset_campaign::Spec;
use upset_campaign::choices::Comparison;
use upset_trial::Element;

/// The options.
#[derive(Debug, Args)]
pub struct ComparisonArgs {
    /// What decides on silent corruption: outputs (default), results, verdict; programs: outputs, stdout, files, message, command
    #[arg(long, value_name = "WHAT")]
    compare: Option<Comparison>,
    /// Relative error of floats that still counts as right, in results and copies of them
    #[arg(long, value_name = "X")]
    tolerance: Option<f64>,
    /// Type of the elements of a program's outputs: f32, f64, i32, u32 (default), u8
    #[arg(long, value_name = "TYPE")]
    elements: Option<Element>,
    /// Output files of a program, for --compare files
    #[arg(long, value_name = "FILE,…", value_delimiter = ',')]
    files: Vec<String>,
    /// What a program prints when its result is right, for --compare message
    #[arg(long, value_name = "TEXT")]
    success: Option<String>,
    /// What a program prints when it finds its result wrong, for --compare message: SDC whatever its exit code
    #[arg(long, value_name = "TEXT")]
    failure: Option<String>,
    /// A command that exits with 0 when the result is right, for --compare command
    #[arg(long, value_name = "COMMAND", value_delimiter = ' ')]
    command: Vec<String>,
    /// A program sees the real clock and random bytes, not those that are the same in every run
    #[arg(long)]
    real_clock: bool,
}

impl ComparisonArgs {
    /// Whether an option that only programs have was given.
    pub fn is_for_programs(&self) -> bool {
        self.elements.is_some()
            || self.success.is_some()
            || self.failure.is_some()
            || !(self.files.is_empty() && self.command.is_empty())
    }

    /// Puts what was given into a specification.
    pub fn apply(&self, spec: &mut Spec) {
        for (given, to) in [(&self.files, &mut spec.files), (&self.command, &mut spec.command)] {
            if !given.is_empty() {
                *to = given.clone();
            }
        }
        set(&mut spec.compare, self.compare);
        set(&mut spec.tolerance, self.tolerance);
        set(&mut spec.elements, self.elements);
        set(&mut spec.success, self.success.clone());
        set(&mut spec.failure, self.failure.clone());
        spec.real_clock |= self.real_clock;
    }
}

/// Takes over what was given.
pub fn set<T>(to: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *to = given;
    }
}
