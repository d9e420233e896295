//! The raw failure rate of a bit: an input, with its source.

use std::collections::BTreeMap;

use serde::Serialize;

/// FIT per bit and where the number is from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RawFit {
    /// Upsets per bit in 10^9 hours.
    pub per_bit: f64,
    /// Where it comes from.
    pub source: String,
}

/// Values that papers use, by name.
const NAMED: [(&str, f64, &str); 3] = [
    (
        "12nm",
        1.8e-6,
        "gpuFI-4 (Sartzetakis et al., ISPASS 2022), section VI.F: RTX 2060 and Quadro GV100, 12 nm",
    ),
    ("28nm", 1.2e-5, "gpuFI-4 (Sartzetakis et al., ISPASS 2022), section VI.F: GTX Titan, 28 nm"),
    ("sifi", 1e-3, "SIFI (Vallero et al., IOLTS 2017), section IV.B: 1 mFIT/bit"),
];

/// Why a raw FIT was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RawFitError {
    /// Neither a name nor a number.
    #[error("raw FIT `{0}`: give chip, 12nm, 28nm, sifi, or a number of FIT per bit")]
    Unknown(String),
    /// A number without a source.
    #[error("raw FIT {0}: say where the number comes from, with --raw-fit-source TEXT")]
    NoSource(String),
    /// A name and a source.
    #[error("raw FIT `{0}` has its source already: leave --raw-fit-source out")]
    TwoSources(String),
}

impl RawFit {
    /// A value by name, or a number with its source.
    pub fn parse(value: &str, source: Option<&str>) -> Result<RawFit, RawFitError> {
        let named = NAMED.into_iter().find(|(name, ..)| *name == value);
        match (named, source.map(str::trim).filter(|s| !s.is_empty())) {
            (Some((_, per_bit, from)), None) => Ok(RawFit { per_bit, source: from.into() }),
            (Some(_), Some(_)) => Err(RawFitError::TwoSources(value.into())),
            (None, source) => {
                let number = value.parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0);
                let per_bit = number.ok_or_else(|| RawFitError::Unknown(value.into()))?;
                let source = source.ok_or_else(|| RawFitError::NoSource(value.into()))?;
                Ok(RawFit { per_bit, source: source.into() })
            }
        }
    }
}

/// Raw FITs of the chips of a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum RawFits {
    /// One for all of them.
    One(RawFit),
    /// Each chip has its own, by its name.
    Each {
        /// Chips and their raw FITs.
        by_chip: BTreeMap<String, RawFit>,
    },
}

impl RawFits {
    /// That of a chip.
    pub fn of(&self, chip: &str) -> Option<&RawFit> {
        match self {
            RawFits::One(raw) => Some(raw),
            RawFits::Each { by_chip } => by_chip.get(chip),
        }
    }

    /// All of them, as sentences have them.
    pub fn all(&self) -> Vec<&RawFit> {
        match self {
            RawFits::One(raw) => vec![raw],
            RawFits::Each { by_chip } => by_chip.values().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_chip_its_own() {
        let raw = |name| RawFit::parse(name, None).unwrap();
        let one = RawFits::One(raw("12nm"));
        assert_eq!(one.of("anything"), Some(&raw("12nm")));
        let by_chip =
            BTreeMap::from([("gv100".into(), raw("12nm")), ("titan".into(), raw("28nm"))]);
        let each = RawFits::Each { by_chip };
        assert_eq!(each.of("titan"), Some(&raw("28nm")));
        assert_eq!(each.of("h200"), None);
        assert_eq!((one.all().len(), each.all().len()), (1, 2));
        // One for all is written as it always was.
        assert_eq!(serde_json::to_value(&one).unwrap(), serde_json::to_value(raw("12nm")).unwrap());
        let told = serde_json::to_value(&each).unwrap();
        assert_eq!(told["by_chip"]["titan"]["per_bit"], 1.2e-5);
    }

    #[test]
    fn by_name_or_with_a_source() {
        assert_eq!(RawFit::parse("12nm", None).unwrap().per_bit, 1.8e-6);
        assert_eq!(RawFit::parse("28nm", None).unwrap().per_bit, 1.2e-5);
        assert_eq!(RawFit::parse("sifi", None).unwrap().per_bit, 1e-3);
        let own = RawFit::parse("2e-5", Some("beam test")).unwrap();
        assert_eq!((own.per_bit, own.source.as_str()), (2e-5, "beam test"));
    }

    #[test]
    fn refused() {
        assert!(matches!(RawFit::parse("2e-5", None), Err(RawFitError::NoSource(_))));
        assert!(matches!(RawFit::parse("2e-5", Some(" ")), Err(RawFitError::NoSource(_))));
        assert!(matches!(RawFit::parse("12nm", Some("x")), Err(RawFitError::TwoSources(_))));
        for bad in ["7nm", "-1", "0", "NaN", "inf", ""] {
            assert!(matches!(RawFit::parse(bad, Some("x")), Err(RawFitError::Unknown(_))), "{bad}");
        }
    }
}
