//! What a replay came to, for people and for programs.

use std::fmt::Write as _;

use serde_json::{Value, json};
use upset_quarantine::replay::Answer;

use super::subject::Program;

/// For people.
pub fn words(program: &Program<'_>, groups: u32, answer: &Answer) -> String {
    let mut text = format!("GPU      {}, {groups} groups of SMs\n", program.uuid);
    let _ = writeln!(text, "runs     {}, the first two on the same SMs", program.runs.len());
    for (i, run) in program.runs.iter().enumerate() {
        let sms = program.sms.get(&run.groups).map(|sms| ranges(sms)).unwrap_or_default();
        let _ = writeln!(text, "  {:>2}  output {}  SMs {sms}", i + 1, letter(run.output));
    }
    text.push('\n');
    let _ = writeln!(text, "{}", verdict(program, answer));
    text
}

fn verdict(program: &Program<'_>, answer: &Answer) -> String {
    let difference = first_difference(program);
    match answer {
        Answer::TooFew => {
            "no verdict: the driver divides this GPU into fewer than three groups of \
                           SMs, too few for a vote"
                .to_string()
        }
        Answer::NotDeterministic(_) => format!(
            "no verdict: two runs on the same SMs differ ({difference}). The output must hang on \
             the input alone: no times, addresses, random numbers or sums whose order changes; \
             --no-stdout and --output FILE choose what is compared. If it does, these SMs fail \
             now and then: `upset burn`"
        ),
        Answer::Same(sets) => {
            let size = sets.first().map_or(0, Vec::len);
            format!("the output is the same on {} sets of {size} groups", sets.len())
        }
        Answer::NoMajority(_) => format!(
            "defect: no two of three sets of SMs give the same output ({difference}); more than \
             one is wrong, or the output hangs on which SMs there are"
        ),
        Answer::Bad(parts) => {
            let named: Vec<String> = parts.iter().map(|part| named(program, part)).collect();
            format!("defect: {} ({difference})", named.join("; "))
        }
    }
}

fn named(program: &Program<'_>, part: &[u32]) -> String {
    let sms = sms(program, part);
    let list = ranges(&sms);
    match part {
        [_] if sms.len() == 1 => format!("SM {list}"),
        [_] => format!("SMs {list}, which the driver does not divide"),
        _ => format!("SMs {list} together, but no half of them alone"),
    }
}

/// SMs of groups, as far as a run has told them.
fn sms(program: &Program<'_>, part: &[u32]) -> Vec<u32> {
    program.sms.get(part).cloned().unwrap_or_default()
}

fn first_difference(program: &Program<'_>) -> String {
    match program.outputs.as_slice() {
        [a, b, ..] => a.differs(b, program.files).unwrap_or_default(),
        _ => String::new(),
    }
}

fn letter(output: usize) -> String {
    match u8::try_from(output) {
        Ok(n) if n < 26 => char::from(b'A' + n).to_string(),
        _ => format!("#{output}"),
    }
}

/// `0-3 6 8-11`.
fn ranges(numbers: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &n in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == n => *last = n,
            _ => runs.push((n, n)),
        }
    }
    let one = |&(a, b): &(u32, u32)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    runs.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// For programs.
pub fn json(program: &Program<'_>, groups: u32, answer: &Answer) -> Value {
    let (name, parts) = match answer {
        Answer::TooFew => ("too-few-groups", Vec::new()),
        Answer::NotDeterministic(set) => ("not-deterministic", vec![set.clone()]),
        Answer::Same(sets) => ("same", sets.clone()),
        Answer::NoMajority(sets) => ("no-majority", sets.clone()),
        Answer::Bad(parts) => ("bad", parts.clone()),
    };
    let runs = program.runs.iter().map(|run| {
        json!({
            "groups": run.groups, "sms": sms(program, &run.groups),
            "output": run.output, "seconds": run.seconds,
        })
    });
    let sms: Vec<Vec<u32>> = parts.iter().map(|part| sms(program, part)).collect();
    let words: Vec<_> = program.words.iter().map(|w| w.to_string_lossy()).collect();
    json!({
        "schema": 1, "program": words, "gpu": program.uuid, "groups": groups,
        "runs": runs.collect::<Vec<_>>(), "answer": name, "sets": parts, "sms": sms,
        "difference": first_difference(program),
    })
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn neighbours_are_joined() {
        assert_eq!(ranges(&[0, 1, 2, 6, 8, 9]), "0-2 6 8-9");
        assert_eq!(ranges(&[]), "");
    }
}
