//! What can be wrong with a fault, and how to mend it.

use upset_state::Site;

/// Why there is no such fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    /// A name that cannot be read.
    #[error("fault `{text}`, column {column}: {problem}")]
    Name {
        /// The term that is wrong.
        text: String,
        /// Where in the whole name, in characters from 1.
        column: usize,
        /// What is wrong and how to mend it.
        problem: String,
    },
    /// No fault at all, or a fault of no bit.
    #[error(
        "an experiment needs at least one bit; write site@cycle, e.g. rf:sm0.sub0.row3.lane5.bit12@1000"
    )]
    Empty,
    /// A flip without a cycle, or a stuck bit without a span.
    #[error("{0}")]
    When(String),
    /// A model that is not for such bits.
    #[error("{0}")]
    Unsuited(String),
    /// The same bit is hit twice at the same time.
    #[error("{name} is {what}; leave one of the two out")]
    Twice {
        /// The bit.
        site: Site,
        /// Its name, or what stands for it where no registry is at hand.
        name: String,
        /// In which way.
        what: &'static str,
    },
    /// More than can be planned.
    #[error(
        "{changes} changes of bits are too many for one experiment; at most {limit} are possible: name fewer bits or a shorter span"
    )]
    TooMany {
        /// What it takes.
        changes: u128,
        /// What is possible.
        limit: u64,
    },
    /// A structure that the chip lacks.
    #[error("this chip has no structure `{name}`{hint}; it has {known}")]
    UnknownStructure {
        /// As written.
        name: String,
        /// What was probably meant.
        hint: String,
        /// All there are.
        known: String,
    },
    /// A specification of faults that cannot be read.
    #[error("`{text}` is no {what}; write {forms}")]
    Spec {
        /// As written.
        text: String,
        /// What it should be.
        what: &'static str,
        /// What can be written.
        forms: &'static str,
    },
    /// Nothing to draw from.
    #[error("nothing to draw from: {0}")]
    Nothing(String),
    /// A pattern that the structure has no room for, or that is no pattern.
    #[error("cannot draw {pattern} from {structure}: {why}")]
    NoRoom {
        /// Pattern.
        pattern: String,
        /// Structure.
        structure: String,
        /// Reason and remedy.
        why: String,
    },
}
