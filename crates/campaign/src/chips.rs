//! The chips of a specification, before anything is run: who mistypes the last
//! of them should not learn it after hours.

use upset_chip::ChipSpec;

use crate::CampaignError;
use crate::spec::Spec;

/// Loads each. Results are told apart by the chip's name, so that no two may
/// have the same.
pub fn check(spec: &Spec) -> Result<(), CampaignError> {
    let mut names: Vec<(String, &String)> = Vec::new();
    for text in &spec.chips {
        let name = ChipSpec::load(text, &spec.set)?.chip.name;
        if let Some((_, other)) = names.iter().find(|(n, _)| *n == name) {
            return Err(CampaignError::Spec(format!(
                "`chips` has two that are called {name}: {other} and {text}; end one in \
                 :chip.name=OTHER"
            )));
        }
        names.push((name, text));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn say(chips: &[&str]) -> Result<(), String> {
        let chips = chips.iter().map(|c| c.to_string()).collect();
        check(&Spec { chips, ..Spec::default() }).map_err(|e| e.to_string())
    }

    #[test]
    fn all_chips_must_be_there_and_have_names_of_their_own() {
        say(&["hd7970:cu.count=1", "hd7970:cu.count=1:cu.simds=2", "hd7970"]).unwrap();
        assert!(say(&["hd7970", "hd7970:cu.cuont=1"]).unwrap_err().contains("cu.count"));
        let same = say(&["hd7970", "hd7970:cu.count=1:chip.name=hd7970"]).unwrap_err();
        assert!(same.contains("two that are called hd7970"), "{same}");
    }
}
