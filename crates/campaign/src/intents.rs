//! What a campaign sets out to do, as far as its specification alone tells.

use std::path::Path;

use upset_metrics::sample::sample_size;
use upset_metrics::sequential::failures_for_relative;
use upset_store::Intent;

use crate::spec::{Plan, Spec};

/// One for each application on each chip, kernel that was named, structure and
/// number of bits; in the order in which they are done.
pub fn intents(spec: &Spec) -> Vec<Intent> {
    let (planned, stop_at_failures) = size(spec);
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
                        });
                    }
                }
            }
        }
    }
    list
}

/// Most runs of a stratum, and the failures that end it.
fn size(spec: &Spec) -> (u64, u64) {
    match spec.plan() {
        Plan::Runs(runs) => (runs, 0),
        // How many faults there are is not known yet; with fewer it takes fewer runs.
        Plan::Margin(margin) => (sample_size(margin, spec.confidence, 0.5, None).unwrap_or(0), 0),
        Plan::Relative(relative) => {
            let failures = failures_for_relative(relative, spec.confidence);
            (spec.max_runs, failures.unwrap_or(i64::MAX as u64))
        }
    }
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
        // Leveugle et al.: 1 % at 95 %.
        assert_eq!((last.planned, last.stop_at_failures), (9604, 0));
        let stops = intents(&Spec { margin: None, relative: Some(0.1), ..spec });
        assert_eq!((stops[0].planned, stops[0].stop_at_failures), (100_000, 386));
    }
}
