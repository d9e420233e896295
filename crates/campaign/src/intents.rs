//! What a campaign sets out to do, as far as its specification alone tells.

use std::path::Path;

use upset_store::Intent;

use crate::size::Size;
use crate::spec::Spec;

/// One for each application on each chip, kernel that was named, structure and
/// number of bits; in the order in which they are done.
pub fn intents(spec: &Spec) -> Vec<Intent> {
    let Size { planned, stop_at_failures, stop_at_margin } = spec.size();
    let program = spec.program.first().map(|p| file_name(p));
    let apps: Vec<String> = match program {
        Some(program) => vec![program],
        None => spec.apps.clone(),
    };
    let mut list = Vec::new();
    for (number, app) in apps.iter().enumerate() {
        for (chip_number, chip) in spec.chips.iter().enumerate() {
            for kernel in &spec.kernels {
                for structure in &spec.structures {
                    for &bits in &spec.bits {
                        list.push(Intent {
                            id: list.len() as u32,
                            subject: (number * spec.chips.len() + chip_number) as u32,
                            app: app.clone(),
                            scale: match spec.program.is_empty() {
                                true => spec.scale.to_string(),
                                false => String::new(),
                            },
                            chip: chip.clone(),
                            kernel: kernel.clone(),
                            window: spec.window_name(),
                            structure: structure.clone(),
                            bits,
                            model: spec.model.clone(),
                            sampling: spec.sampling.to_string(),
                            planned,
                            stop_at_failures,
                            stop_at_margin,
                        });
                    }
                }
            }
        }
    }
    list
}

fn file_name(path: &str) -> String {
    Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_asked_for_is_there_before_anything_runs() {
        let spec = Spec {
            apps: vec!["hs".into(), "va".into()],
            chips: vec!["rtx2060".into(), "gv100".into()],
            structures: vec!["rf".into(), "l2".into()],
            bits: vec![1, 3],
            margin: Some(0.01),
            ..Spec::default()
        };
        let all = intents(&spec);
        assert_eq!(all.len(), 16);
        assert!(all.iter().zip(0..).all(|(i, n)| i.id == n));
        let last = &all[15];
        assert_eq!((last.subject, last.app.as_str(), last.chip.as_str()), (3, "va", "gv100"));
        assert_eq!((last.structure.as_str(), last.bits, last.kernel.as_str()), ("l2", 3, "each"));
        // A few more than the 9,604 that a half takes by the usual formula.
        assert!((9604..10_600).contains(&last.planned), "{}", last.planned);
        assert_eq!((last.stop_at_failures, last.stop_at_margin), (0, Some(0.01)));
        let stops = intents(&Spec { margin: None, relative: Some(0.1), ..spec });
        assert_eq!((stops[0].planned, stops[0].stop_at_failures), (100_000, 386));
    }
}
