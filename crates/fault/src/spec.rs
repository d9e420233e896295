//! Fault models to draw from, by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use upset_state::How;
use upset_state::how::{Condition, Does, Rate};
use upset_state::syndrome::{Table, table};

use crate::parse::number;
use crate::random::Draws;
use crate::{FaultError, Model, When, Window};

/// What is to happen to drawn bits: `flip`, `stuck1`, `stuck:500`,
/// `burst1:10/90:5000`, `invert:rate=0.01`, `syndrome:units`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ModelSpec {
    /// They flip at the drawn cycle.
    #[default]
    Flip,
    /// They stick from the drawn cycle on.
    Stuck {
        /// At what; `None` for a fair coin per fault.
        value: Option<bool>,
        /// For how many cycles; `None` for good.
        duration: Option<u64>,
    },
    /// They stick now and then from the drawn cycle on.
    Burst {
        /// At what; `None` for a fair coin per fault.
        value: Option<bool>,
        /// Cycles that they stick.
        on: u64,
        /// Cycles that they are free.
        off: u64,
        /// For how many cycles; `None` to the end of the window.
        duration: Option<u64>,
    },
    /// They misbehave at their uses from the drawn cycle on.
    Quirk {
        /// What happens.
        does: QuirkSpec,
        /// The share of uses at which it does; all without one.
        rate: Option<Rate>,
        /// Uses at which it can happen.
        only: Option<Condition>,
        /// For how many cycles; `None` for good.
        duration: Option<u64>,
    },
}

/// What is to happen to drawn bits at a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuirkSpec {
    /// They stick; `None` for a fair coin per fault.
    Stick(Option<bool>),
    /// They are inverted.
    Invert,
    /// They are wrong as a table says.
    Syndrome(&'static Table),
}

impl ModelSpec {
    /// The model and time of a fault that begins at `cycle`; `ends`: where it
    /// cannot be for good, it lasts to the end of the window.
    pub(crate) fn at(
        &self,
        cycle: u64,
        window: &Window,
        ends: bool,
        draws: &mut Draws,
    ) -> (Model, When) {
        let mut choose = |value: Option<bool>| value.unwrap_or_else(|| draws.coin());
        let span = |cycles: u64| When::Span { from: cycle, to: cycle.saturating_add(cycles) };
        match *self {
            ModelSpec::Flip => (Model::Flip, When::At(cycle)),
            ModelSpec::Stuck { value, duration } => {
                (Model::Stuck(choose(value)), duration.map_or(When::From(cycle), span))
            }
            ModelSpec::Burst { value, on, off, duration } => {
                let when = span(duration.unwrap_or(window.end().saturating_sub(cycle)));
                (Model::Burst { value: choose(value), on, off }, when)
            }
            ModelSpec::Quirk { does, rate, only, duration } => {
                let does = match does {
                    QuirkSpec::Stick(value) => Does::Stick(choose(value)),
                    QuirkSpec::Invert => Does::Invert,
                    QuirkSpec::Syndrome(table) => Does::Syndrome(table),
                };
                let how = How { does, rate, seed: 0, only };
                // Each fault has its own series; 32 bits are short in a name.
                let seed = if how.draws() { draws.below(1 << 32) } else { 0 };
                let rest = ends.then(|| window.end().saturating_sub(cycle));
                let when = duration.or(rest).map_or(When::From(cycle), span);
                (Model::Quirk(How { seed, ..how }), when)
            }
        }
    }
}

impl fmt::Display for ModelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digit = |value: Option<bool>| value.map_or("", |v| if v { "1" } else { "0" });
        let duration = match *self {
            ModelSpec::Flip => return f.write_str("flip"),
            ModelSpec::Stuck { value, duration } => {
                write!(f, "stuck{}", digit(value))?;
                duration
            }
            ModelSpec::Burst { value, on, off, duration } => {
                write!(f, "burst{}:{on}/{off}", digit(value))?;
                duration
            }
            ModelSpec::Quirk { does, rate, only, duration } => {
                match does {
                    QuirkSpec::Stick(value) => write!(f, "stuck{}", digit(value))?,
                    QuirkSpec::Invert => f.write_str("invert")?,
                    QuirkSpec::Syndrome(table) => write!(f, "syndrome:{table}")?,
                }
                if let Some(rate) = rate {
                    write!(f, ":rate={rate}")?;
                }
                if let Some(only) = only {
                    write!(f, ":if={only}")?;
                }
                duration
            }
        };
        match duration {
            Some(cycles) => write!(f, ":{cycles}"),
            None => Ok(()),
        }
    }
}

impl FromStr for ModelSpec {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<ModelSpec, FaultError> {
        parse(text).ok_or_else(|| FaultError::Spec {
            text: text.to_string(),
            what: "fault model",
            forms: "flip; stuck, stuck0 or stuck1, for a time as stuck1:CYCLES; \
                    burst0:ON/OFF or burst1:ON/OFF, for a time as burst1:ON/OFF:CYCLES \
                    (all numbers at least 1); invert; syndrome:TABLE (units, pipeline, scheduler, \
                    FILE.toml, FILE.csv); stuck, invert and syndrome at some uses only as \
                    stuck1:rate=0.01 or stuck1:if=a&0x80000000=0x80000000, then :CYCLES",
        })
    }
}

fn parse(text: &str) -> Option<ModelSpec> {
    let mut words = text.split(':');
    let word = words.next()?;
    let value = match word.as_bytes().last() {
        Some(b'0') => Some(false),
        Some(b'1') => Some(true),
        _ => None,
    };
    let spec = match if value.is_some() { &word[..word.len() - 1] } else { word } {
        "flip" if value.is_none() => ModelSpec::Flip,
        "stuck" => {
            let (rate, only, duration) = at_some_uses(&mut words)?;
            match (rate, only) {
                (None, None) => ModelSpec::Stuck { value, duration },
                _ => ModelSpec::Quirk { does: QuirkSpec::Stick(value), rate, only, duration },
            }
        }
        "invert" if value.is_none() => {
            let (rate, only, duration) = at_some_uses(&mut words)?;
            ModelSpec::Quirk { does: QuirkSpec::Invert, rate, only, duration }
        }
        "syndrome" if value.is_none() => {
            let does = QuirkSpec::Syndrome(table(words.next()?).ok()?);
            let (rate, only, duration) = at_some_uses(&mut words)?;
            ModelSpec::Quirk { does, rate, only, duration }
        }
        "burst" => {
            let (on, off) = words.next()?.split_once('/')?;
            let (on, off) = (positive(on)?, positive(off)?);
            let duration = words.next().map(positive);
            ModelSpec::Burst { value, on, off, duration: spread(duration)? }
        }
        _ => return None,
    };
    words.next().is_none().then_some(spec)
}

fn positive(word: &str) -> Option<u64> {
    number(word).filter(|n| *n > 0)
}

/// What may follow: `rate=0.01`, `if=a=0x1`, cycles, in this order.
fn at_some_uses<'t>(
    words: &mut impl Iterator<Item = &'t str>,
) -> Option<(Option<Rate>, Option<Condition>, Option<u64>)> {
    let mut word = words.next();
    let (mut rate, mut only) = (None, None);
    if let Some(text) = word.and_then(|w| w.strip_prefix("rate=")) {
        rate = Some(text.parse().ok()?);
        word = words.next();
    }
    if let Some(text) = word.and_then(|w| w.strip_prefix("if=")) {
        only = Some(text.parse().ok()?);
        word = words.next();
    }
    Some((rate, only, spread(word.map(positive))?))
}

/// Nothing written is fine, something unreadable is not.
fn spread(written: Option<Option<u64>>) -> Option<Option<u64>> {
    match written {
        None => Some(None),
        Some(read) => read.map(Some),
    }
}

impl TryFrom<String> for ModelSpec {
    type Error = FaultError;

    fn try_from(text: String) -> Result<ModelSpec, FaultError> {
        text.parse()
    }
}

impl From<ModelSpec> for String {
    fn from(spec: ModelSpec) -> String {
        spec.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;

    #[test]
    fn specs_print_and_parse() {
        for text in [
            "flip",
            "stuck0",
            "stuck1",
            "stuck",
            "stuck1:500",
            "stuck:7",
            "burst1:10/90:5000",
            "burst:1/2",
            "burst0:3/4",
            "invert",
            "invert:500",
            "stuck1:rate=0.01",
            "stuck:rate=0.01:500",
            "stuck0:if=a&0x80000000=0x80000000",
            "invert:rate=0.5:if=c!=0x0:9",
            "syndrome:units",
            "syndrome:1=2/zero=3:rate=0.001:7",
        ] {
            assert_eq!(text.parse::<ModelSpec>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "flip1",
            "flip:3",
            "stuck2",
            "stuck1:",
            "stuck1:0",
            "stuck1:5:6",
            "burst1",
            "burst1:10",
            "burst1:10/0",
            "burst1:1/2:3:4",
            "burst1:+1/2",
            "invert1",
            "invert:",
            "invert:0",
            "stuck1:rate=0",
            "stuck1:rate=2",
            "stuck1:rate=0.1:rate=0.1",
            "stuck1:500:rate=0.1",
            "stuck1:if=d=1",
            "syndrome",
            "syndrome:uints",
            "syndrome:units:x",
            "1",
            "0",
        ] {
            let problem = text.parse::<ModelSpec>().unwrap_err().to_string();
            assert!(problem.contains("is no fault model; write flip;"), "{problem}");
        }
        let json = serde_json::to_string(&ModelSpec::Flip).unwrap();
        assert_eq!(json, "\"flip\"");
        assert!(serde_json::from_str::<ModelSpec>("\"stuck9\"").is_err());
    }

    #[test]
    fn times_follow_from_the_cycle() {
        let window = Window::from(0..100);
        let mut draws = Draws::new(Key::new(0, ""), 0);
        let mut of =
            |text: &str, ends| text.parse::<ModelSpec>().unwrap().at(40, &window, ends, &mut draws);
        assert_eq!(of("stuck1:rate=0.25", true).1, When::Span { from: 40, to: 100 });
        assert_eq!(of("stuck1:rate=0.25:5", true).1, When::Span { from: 40, to: 45 });
        assert_eq!(of("stuck1", true).1, When::From(40));
        let mut at = |text: &str| of(text, false);
        assert_eq!(at("flip"), (Model::Flip, When::At(40)));
        assert_eq!(at("stuck1"), (Model::Stuck(true), When::From(40)));
        assert_eq!(at("stuck0:5"), (Model::Stuck(false), When::Span { from: 40, to: 45 }));
        let burst = Model::Burst { value: true, on: 2, off: 3 };
        assert_eq!(at("burst1:2/3"), (burst, When::Span { from: 40, to: 100 }));
        assert_eq!(at("burst1:2/3:9"), (burst, When::Span { from: 40, to: 49 }));
        assert_eq!(at("invert:5").0, Model::Quirk(How::always(Does::Invert)));
        let (Model::Quirk(how), when) = at("stuck1:rate=0.25:7") else { panic!() };
        assert_eq!((how.does, how.rate), (Does::Stick(true), Rate::new(0.25)));
        assert_eq!(when, When::Span { from: 40, to: 47 });
        let seed = |(model, when)| match model {
            Model::Quirk(how) if when == When::From(40) => how.seed,
            other => panic!("{other:?}"),
        };
        assert_ne!(seed(at("syndrome:units")), seed(at("syndrome:units")));
        let ones = (0..1000).filter(|_| at("stuck").0 == Model::Stuck(true)).count();
        assert!(ones.abs_diff(500) < 80, "{ones}");
    }
}
