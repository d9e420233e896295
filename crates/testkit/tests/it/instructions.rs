//! Single instructions, one run of lanes each: `cargo xtask hardware verify` compares all runs.

use std::collections::BTreeSet;

use upset_testkit::answers::{self, Model, RUNS};
use upset_testkit::verdict::{Verdict, judge};

use crate::{chip, oracle};

fn model() -> Model {
    Model::new(chip(), &oracle("alu/probe.sm_90.cubin")).expect("the probe")
}

#[test]
fn floating_point_instructions_answer_as_an_h200() {
    let recorded = answers::unpack(&oracle("alu/sm_90.answers")).expect("an undamaged recording");
    let model = model();
    let (mut equal, mut rejected, mut wrong) = (0, 0, Vec::new());
    let mut lacking = BTreeSet::new();
    for (i, (case, answer)) in recorded.iter().enumerate() {
        // Another run for each case, so that all operands get their turn.
        let run = i % RUNS;
        match judge(&model, case, answer, run..run + 1) {
            Verdict::Equal => equal += 1,
            Verdict::Rejected => rejected += 1,
            Verdict::Lacking(_) => {
                lacking.insert(case.text.split('?').next().unwrap_or_default().to_string());
            }
            Verdict::Differs(how) => wrong.push(format!("{i} {}: {how}", case.text)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Spellings that the tools do not name either are all that is left out.
    let unnamed = BTreeSet::from(["FRND.".to_string(), "FRND.FTZ.".to_string()]);
    assert!(lacking.is_subset(&unnamed), "not implemented: {lacking:?}");
    assert!(equal > 2000 && rejected > 150, "{equal} equal, {rejected} rejected");
}

#[test]
fn integer_instructions_answer_as_an_h200() {
    let (operands, recorded) = answers::unpack_with_operands(&oracle("alu/sm_90.integers"))
        .expect("an undamaged recording");
    let model = model();
    let (mut equal, mut wrong) = (0, Vec::new());
    for (case, answer) in &recorded {
        match (answer.status, model.run(&case.words, &operands)) {
            (0, Ok(out)) if [answers::digest(0, &out)] == answer.digests[..] => equal += 1,
            (0, ours) => wrong.push(format!("{}: {:?}", case.text, ours.err())),
            (status, Ok(_)) => wrong.push(format!("{}: the GPU gives error {status}", case.text)),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(equal > 1500, "{equal} equal");
}
