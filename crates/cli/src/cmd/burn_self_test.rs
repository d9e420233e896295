//! `upset burn --self-test`: errors made on purpose must be found where they
//! were made, and nowhere else.

use std::sync::atomic::Ordering;

use upset_burn::random::Random;
use upset_burn::record::{Record, STOPPED};
use upset_burn::stop::Stoppable;
use upset_burn::suite::{self, Plan};
use upset_burn::{Board, Effort, Injection, Level, all_tests};

use super::campaign::interruptible;
use crate::failure::{self, Failure, print};

/// Makes `errors` errors, each in one test.
pub fn run(board: &mut dyn Board, names: &[String], errors: u32, seed: u64) -> Result<(), Failure> {
    let names: Vec<String> = match names {
        [] => all_tests()
            .iter()
            .map(|t| t.about())
            .filter(|a| a.injectable)
            .map(|a| a.name.to_string())
            .collect(),
        names => names.to_vec(),
    };
    let about = board.about().clone();
    let mut random = Random::new(seed, "self-test");
    let stop = interruptible()?;
    let board = &mut Stoppable::blind(board, stop);
    let (mut made, mut found, mut elsewhere) = (0, 0, 0);
    while made < errors && !stop.load(Ordering::Relaxed) {
        let injection = Injection {
            sm: random.below(about.sms),
            sub_core: random.below(about.sub_cores),
            lane: random.below(about.warp),
            mask: 1 << random.below(32),
            period: 1 + random.below(16),
        };
        let name = names[random.below(names.len() as u32) as usize].clone();
        let (tests, left_out) = Plan::choose(&[name], Level::One, about.kind)
            .map_err(|e| Failure::new(failure::BAD_INPUT, e))?;
        if let Some(other) = tests.iter().find(|t| !t.about().injectable) {
            let why = format!("test {} has no errors to make on purpose", other.about().name);
            return Err(Failure::new(failure::BAD_INPUT, why));
        }
        let plan = Plan {
            tests,
            left_out,
            effort: Effort { level: Level::One, rounds: 1, bytes: None },
            seed: random.bits(),
            inject: Some(injection),
            duration: None,
            iterations: 1,
            stop_at_first: false,
        };
        let record = suite::run_until(board, &plan, "", stop, &mut |_| {});
        if record.exit_code == STOPPED {
            break;
        }
        made += 1;
        match judged(&record, &injection) {
            Seen::There => found += 1,
            Seen::Elsewhere(what) => {
                elsewhere += 1;
                let test = record.asked.first().copied().unwrap_or_default();
                failure::say(&format!("{injection:?} in {test} seen elsewhere: {what}\n"));
            }
            Seen::Not => {
                let test = record.asked.first().copied().unwrap_or_default();
                failure::say(&format!("{injection:?} in {test} missed\n"));
            }
        }
    }
    let missed = made - found - elsewhere;
    print(&format!(
        "{made} errors made on purpose: {found} found at their place and bit, {elsewhere} \
         elsewhere, {missed} missed\n"
    ))?;
    match (found == made, made == errors) {
        (false, _) => Err(Failure::new(failure::NO, "")),
        (true, true) => Ok(()),
        (true, false) => Err(Failure::new(failure::INTERRUPTED, "stopped before all were made")),
    }
}

/// What a burn made of an error.
enum Seen {
    There,
    Elsewhere(String),
    Not,
}

/// Every wrong result must be at the error's lane, with no other bit wrong. The
/// record's verdict may name something larger: of an array that the whole SM
/// has, the SM.
fn judged(record: &Record, error: &Injection) -> Seen {
    let findings: Vec<_> = record.tests.iter().flat_map(|t| &t.findings).collect();
    if findings.is_empty() {
        return Seen::Not;
    }
    let here = (Some(error.sm), Some(error.sub_core), Some(error.lane));
    let other = findings.iter().find(|f| {
        (f.place.sm, f.place.sub_core, f.place.lane) != here
            || f.wrong_bits() & !u64::from(error.mask) != 0
    });
    match other {
        None => Seen::There,
        Some(f) => Seen::Elsewhere(format!(
            "{} at {}, {:x} should be {:x} {}",
            f.operation, f.place, f.found, f.expected, f.note
        )),
    }
}
