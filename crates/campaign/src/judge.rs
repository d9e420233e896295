//! Right or wrong: what a run of an application came to.

use upset_apps::{AppError, AppRun};
use upset_device::Device;
use upset_metrics::{Class, Sdc};
use upset_state::Watch;
use upset_trial::{Element, End, Outcome, judge};
use upset_watch::Profile;

use crate::CampaignError;
use crate::choices::Comparison;
use crate::difference::compare;
use crate::golden::{Array, Bench, arrays};
use crate::spec::Spec;
use crate::watched;
use crate::wire::{GoldenOutputs, Setup};

/// Judges runs of one application.
pub(crate) struct Judge<'a> {
    pub(crate) setup: &'a Setup,
    pub(crate) spec: &'a Spec,
    pub(crate) golden: &'a GoldenOutputs,
    pub(crate) bench: &'a Bench,
    /// By which counters are watched.
    pub(crate) profile: Option<&'a Profile>,
}

impl Judge<'_> {
    pub(crate) fn device(&self) -> Result<Device, CampaignError> {
        let mut device = self.bench.device()?;
        device.limit_cycles(self.setup.limit);
        if self.setup.holds {
            device.watch(Watch::default());
        }
        if let Some(profile) = self.profile {
            watched::count(&mut device, profile)?;
        }
        Ok(device)
    }

    pub(crate) fn run(&self, device: &mut Device) -> Result<AppRun, AppError> {
        self.bench.app().run(device, self.bench.scale, self.bench.seed)
    }

    pub(crate) fn outcome(
        &self,
        device: &mut Device,
        ran: Result<Result<AppRun, AppError>, End>,
    ) -> Outcome {
        let reference = self.setup.reference();
        let (end, run) = match ran {
            Ok(Ok(run)) => (End::Done, Some(run)),
            Ok(Err(e)) => (end_of(&e), None),
            Err(end) => (end, None),
        };
        let cycles = device.cycles().unwrap_or(0);
        let digest = device.outputs().digest();
        let outcome = judge(&reference, end, cycles, digest.clone(), || {
            if digest == self.setup.output_digest {
                return None;
            }
            let (right, found) = (&self.golden.copies, device.outputs().kept());
            wrong(self.spec, self.bench, &self.golden.results, right, run.as_ref()?, found)
        });
        // A failure of ours says nothing of the fault.
        let profile = self.profile.filter(|_| outcome.class != Class::ToolError);
        Outcome { noticed: profile.map(|p| watched::noticed(p, device)), ..outcome }
    }
}

/// What an application's error means for its run.
pub fn end_of(error: &AppError) -> End {
    match error {
        AppError::Device(e) => End::of(e),
        AppError::Host(_) => End::Crash(error.to_string()),
        // The fault-free run had its code and files: that they are gone is no
        // fault's doing.
        _ => End::Tool(error.to_string()),
    }
}

/// What is wrong with the outputs of an application's run, as a specification
/// asks. The copies to the host differ from those of the fault-free run.
pub fn wrong(
    spec: &Spec,
    bench: &Bench,
    right_results: &[Array],
    right_copies: &[Vec<u8>],
    run: &AppRun,
    copies: &[Vec<u8>],
) -> Option<Sdc> {
    let results = arrays(run);
    let of_results = |tolerance| compare(right_results, &results, tolerance);
    match spec.compare {
        // Copies that differ though no result does were on the way: words.
        Comparison::Outputs if spec.tolerance == 0.0 => of_results(0.0).or_else(|| {
            let words = |list: &[Vec<u8>]| -> Vec<Array> {
                list.iter().map(|c| Array { element: Element::U32, bytes: c.clone() }).collect()
            };
            compare(&words(right_copies), &words(copies), 0.0)
        }),
        Comparison::Verdict => match bench.app().check(run).passed {
            true => None,
            false => of_results(0.0).or_else(|| Some(Sdc::default())),
        },
        Comparison::Outputs => {
            let right = typed_copies(right_results, right_copies, right_copies);
            let found = typed_copies(right_results, right_copies, copies);
            compare(&right, &found, spec.tolerance)
        }
        Comparison::Results => of_results(spec.tolerance),
        // Those of programs: refused for applications.
        Comparison::Stdout | Comparison::Files | Comparison::Message | Comparison::Command => None,
    }
}

/// Copies to the host with the types of the results that they are. One that is
/// none (a flag, a part of a result) is words, and no word is nearly right.
fn typed_copies(results: &[Array], right: &[Vec<u8>], copies: &[Vec<u8>]) -> Vec<Array> {
    let element = |copy: Option<&Vec<u8>>| {
        let result = results.iter().find(|r| copy.is_some_and(|c| *c == r.bytes));
        result.map_or(Element::U32, |r| r.element)
    };
    let typed = |(i, copy): (usize, &Vec<u8>)| Array {
        element: element(right.get(i)),
        bytes: copy.clone(),
    };
    copies.iter().enumerate().map(typed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies of a run: a flag that a loop reads, then the result.
    fn copies(flag: u32, result: f32) -> Vec<Vec<u8>> {
        vec![flag.to_le_bytes().to_vec(), result.to_le_bytes().to_vec()]
    }

    #[test]
    fn a_tolerance_is_for_results_among_the_copies_and_not_for_the_others() {
        let right = copies(1000, 2.0);
        let results = [Array { element: Element::F32, bytes: right[1].clone() }];
        let wrong = |found: &[Vec<u8>], tolerance| {
            let typed = |list| typed_copies(&results, &right, list);
            compare(&typed(&right), &typed(found), tolerance)
        };
        assert_eq!(wrong(&copies(1000, 2.01), 0.1), None);
        assert_eq!(wrong(&copies(1000, 2.5), 0.1).map(|s| s.wrong), Some(1));
        // The flag is off by a thousandth and makes the host do something else.
        assert_eq!(wrong(&copies(1001, 2.0), 0.1).map(|s| s.wrong), Some(1));
        let more = [copies(1000, 2.0), vec![vec![0; 4]]].concat();
        assert!(wrong(&more, 0.1).is_some_and(|s| s.length_differs));
    }
}
