//! `--raw-fit`: the raw failure rate of a bit, by name, as a number with its
//! source, or what the chip files say.

use upset_chip::ChipSpec;
use upset_report::RawFit;

use crate::failure::{self, Failure};

/// What was given; `chips` are those that it is for.
pub fn given(
    value: &str,
    source: Option<&str>,
    chips: impl FnOnce() -> Result<Vec<ChipSpec>, Failure>,
) -> Result<RawFit, Failure> {
    if value != "chip" {
        return RawFit::parse(value, source)
            .map_err(|e| Failure::new(failure::BAD_INPUT, e.to_string()));
    }
    let bad = |why: &str| Failure::new(failure::BAD_INPUT, format!("--raw-fit chip: {why}"));
    match source {
        Some(_) => Err(bad("the chip file names its source: leave --raw-fit-source out")),
        None => of_chips(&chips()?).map_err(|why| bad(&why)),
    }
}

/// What the chip files say, if they agree.
fn of_chips(chips: &[ChipSpec]) -> Result<RawFit, String> {
    let mut found: Option<(&str, RawFit)> = None;
    for chip in chips.iter().map(|spec| &spec.chip) {
        let (Some(per_bit), Some(source)) = (chip.raw_fit_per_bit, &chip.raw_fit_source) else {
            return Err(format!(
                "the chip file of {} has no raw_fit_per_bit; give a number with --raw-fit-source",
                chip.name
            ));
        };
        match &found {
            Some((other, fit)) if fit.per_bit != per_bit => {
                return Err(format!(
                    "{other} has {:e} and {} has {per_bit:e}; take them one by one",
                    fit.per_bit, chip.name
                ));
            }
            Some(_) => {}
            None => {
                let source = format!("chip file of {}: {source}", chip.name);
                found = Some((&chip.name, RawFit { per_bit, source }));
            }
        }
    }
    found.map(|(_, fit)| fit).ok_or_else(|| "there is no chip".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> Result<RawFit, Failure> {
        let load = |name: &&str| ChipSpec::preset(name).map_err(Failure::from);
        given("chip", None, || names.iter().map(load).collect())
    }

    #[test]
    fn the_chips_must_have_one_and_agree() {
        let fit = of(&["rtx2060", "gv100"]).expect("both are 12 nm");
        assert_eq!(fit.per_bit, 1.8e-6);
        assert!(fit.source.contains("chip file of rtx2060"), "{}", fit.source);
        let why = of(&["h200"]).expect_err("nobody says").message;
        assert!(why.contains("h200") && why.contains("--raw-fit-source"), "{why}");
        let why = of(&["rtx2060", "titan"]).expect_err("12 and 28 nm").message;
        assert!(why.contains("1.8e-6") && why.contains("1.2e-5"), "{why}");
        assert!(given("chip", Some("x"), || Ok(Vec::new())).is_err());
    }
}
