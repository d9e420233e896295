//! What happens to bits, and when.

use std::fmt;

use upset_state::how::Does;
use upset_state::{ArrayId, How, kind};

/// What happens to the bits of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Model {
    /// They are inverted, once.
    Flip,
    /// They have this value whatever is written.
    Stuck(bool),
    /// They stick for some cycles, are free for some, and so on.
    Burst {
        /// What they stick at.
        value: bool,
        /// Cycles that they stick; at least 1.
        on: u64,
        /// Cycles that they are free; at least 1.
        off: u64,
    },
    /// They misbehave whenever they are used.
    Quirk(How),
}

impl Model {
    /// Whether an array's bits can do this then; if not, why.
    pub(crate) fn suits(&self, array: ArrayId, when: When) -> Result<(), String> {
        let Model::Quirk(how) = self else { return Ok(()) };
        let about = array.kind.about();
        if is_control(array) {
            // Control state changes in many ways, and nobody tells of each: it is
            // used in every cycle.
            if !matches!(how.does, Does::Stick(_)) || how.rate.is_none() || how.only.is_some() {
                return Err(format!(
                    "{} are control state, of which no single writes are known: they can flip \
                     or stick (flip, stuck0, stuck1, stuck1(rate=SHARE), burst1(ON/OFF))",
                    about.noun
                ));
            }
            if when.end().is_none() {
                return Err(format!(
                    "{} are control state, which is used in every cycle: a rate needs an end \
                     there, write @{}..END",
                    about.noun,
                    when.first()
                ));
            }
            return Ok(());
        }
        if how.only.is_some() && !about.operands {
            let kinds = kind::KINDS.iter().filter(|a| a.operands).map(|a| a.name);
            let kinds: Vec<&str> = kinds.collect();
            return Err(format!(
                "{} has no operands that a condition could be about; those have: {}",
                array.kind.name().unwrap_or(about.noun),
                if kinds.is_empty() { "none".into() } else { kinds.join(", ") }
            ));
        }
        Ok(())
    }
}

/// Whether an array holds control state: bits that logic looks at at any time.
pub(crate) fn is_control(array: ArrayId) -> bool {
    let about = array.kind.about();
    about.steers && !about.wire || about.looked_through
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Model::Flip => f.write_str("flip"),
            Model::Stuck(value) => write!(f, "stuck{}", u8::from(*value)),
            Model::Burst { value, on, off } => {
                write!(f, "burst{}({on}/{off})", u8::from(*value))
            }
            Model::Quirk(how) => how.fmt(f),
        }
    }
}

/// The cycles of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum When {
    /// Before anything else in this cycle.
    At(u64),
    /// From a cycle to the one before `to`.
    Span {
        /// First cycle.
        from: u64,
        /// One past the last.
        to: u64,
    },
    /// From a cycle on, for good.
    From(u64),
}

impl When {
    /// The first cycle.
    pub fn first(self) -> u64 {
        match self {
            When::At(first) | When::Span { from: first, .. } | When::From(first) => first,
        }
    }

    /// One past the last cycle; `None` for good.
    pub fn end(self) -> Option<u64> {
        match self {
            When::At(at) => Some(at.saturating_add(1)),
            When::Span { to, .. } => Some(to),
            When::From(_) => None,
        }
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            When::At(at) => write!(f, "{at}"),
            When::Span { from, to } => write!(f, "{from}..{to}"),
            When::From(from) => write!(f, "{from}.."),
        }
    }
}

/// One thing that happens to some bits of one array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What happens.
    pub model: Model,
    /// The array.
    pub array: ArrayId,
    /// The bits' numbers in it, ascending, each once.
    pub bits: Vec<u64>,
    /// When it happens.
    pub when: When,
}
