//! `--raw-fit`: the raw failure rate of a bit, by name, as a number with its
//! source, or what the chip files say.

use std::collections::BTreeMap;

use upset_chip::ChipSpec;
use upset_report::{RawFit, RawFits};

use crate::failure::{self, Failure};

/// What was given; `chips` are those that it is for, as stores name them.
pub fn given(
    value: &str,
    source: Option<&str>,
    chips: impl FnOnce() -> Result<Vec<(String, ChipSpec)>, Failure>,
) -> Result<RawFits, Failure> {
    if value != "chip" {
        return RawFit::parse(value, source)
            .map(RawFits::One)
            .map_err(|e| Failure::new(failure::BAD_INPUT, e.to_string()));
    }
    let bad = |why: &str| Failure::new(failure::BAD_INPUT, format!("--raw-fit chip: {why}"));
    match source {
        Some(_) => Err(bad("the chip file names its source: leave --raw-fit-source out")),
        None => of_chips(&chips()?).map_err(|why| bad(&why)),
    }
}

/// What the chip files say: one for all where they agree.
fn of_chips(chips: &[(String, ChipSpec)]) -> Result<RawFits, String> {
    let mut by_chip: BTreeMap<String, RawFit> = BTreeMap::new();
    for (name, chip) in chips.iter().map(|(name, spec)| (name, &spec.chip)) {
        let (Some(per_bit), Some(source)) = (chip.raw_fit_per_bit, &chip.raw_fit_source) else {
            return Err(format!(
                "the chip file of {name} has no raw_fit_per_bit; give a number with --raw-fit-source"
            ));
        };
        let source = format!("chip file of {name}: {source}");
        let raw = RawFit { per_bit, source };
        if let Some(other) = by_chip.get(name).filter(|other| **other != raw) {
            return Err(format!(
                "two chips are called {name} and have {:e} and {per_bit:e}; take them one by one",
                other.per_bit
            ));
        }
        by_chip.insert(name.clone(), raw);
    }
    let first = chips.first().and_then(|(name, _)| by_chip.get(name));
    let first = first.ok_or_else(|| "there is no chip".to_string())?;
    match by_chip.values().all(|raw| raw.per_bit == first.per_bit) {
        true => Ok(RawFits::One(first.clone())),
        false => Ok(RawFits::Each { by_chip }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> Result<RawFits, Failure> {
        let load = |name: &&str| Ok((name.to_string(), ChipSpec::preset(name)?));
        given("chip", None, || names.iter().map(load).collect())
    }

    #[test]
    fn each_chip_must_have_one() {
        let RawFits::One(fit) = of(&["rtx2060", "gv100"]).expect("both are 12 nm") else {
            panic!("they agree");
        };
        assert_eq!(fit.per_bit, 1.8e-6);
        assert!(fit.source.contains("chip file of rtx2060"), "{}", fit.source);
        let each = of(&["rtx2060", "titan", "gv100", "titan"]).expect("12 and 28 nm");
        let of_chip = |name: &str| each.of(name).map(|raw| raw.per_bit);
        let three = ["rtx2060", "gv100", "titan"].map(of_chip);
        assert_eq!(three, [Some(1.8e-6), Some(1.8e-6), Some(1.2e-5)]);
        assert!(matches!(each, RawFits::Each { .. }));
        let why = of(&["h200"]).expect_err("nobody says").message;
        assert!(why.contains("h200") && why.contains("--raw-fit-source"), "{why}");
        let mut other = ChipSpec::preset("titan").expect("a preset");
        other.chip.raw_fit_per_bit = Some(1e-9);
        let titan = |spec| ("titan".to_string(), spec);
        let two = || Ok(vec![titan(ChipSpec::preset("titan")?), titan(other)]);
        let why = given("chip", None, two).expect_err("one name, two chips").message;
        assert!(why.contains("1.2e-5") && why.contains("1e-9"), "{why}");
        assert!(given("chip", Some("x"), || Ok(Vec::new())).is_err());
    }
}
