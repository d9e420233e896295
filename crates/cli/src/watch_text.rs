//! What `upset watch` tells.

use serde_json::{Value, json};
use upset_metrics::Class;
use upset_watch::analysis::Level;
use upset_watch::constants::Steerings;
use upset_watch::regions::limit;
use upset_watch::statistics::drift::{Drift, rank_sum};
use upset_watch::{Alarm, Layer, Method, Profile, Verdict};

use crate::table::{render, row};
use crate::words::counted;

/// Alarms of a run that are told one by one.
const TOLD: usize = 8;
/// Probability below which scores have moved.
const DRIFTED: f64 = 0.001;

/// A checked input.
pub struct Input {
    /// Its number.
    pub number: u64,
    /// What became of a run with a fault.
    pub class: Option<Class>,
    /// What the profile says.
    pub verdict: Verdict,
}

/// All checked inputs.
pub struct Checked<'a> {
    profile: &'a Profile,
    fault: Option<&'a str>,
    inputs: Vec<Input>,
    drift: Option<Drift>,
}

impl<'a> Checked<'a> {
    /// Of these inputs.
    pub fn new(profile: &'a Profile, fault: Option<&'a str>, inputs: Vec<Input>) -> Checked<'a> {
        let scores: Vec<f64> = inputs.iter().map(|i| i.verdict.score).collect();
        let drift = rank_sum(&profile.scores, &scores).filter(|_| fault.is_none());
        Checked { profile, fault, inputs, drift }
    }

    /// Inputs with an alarm.
    pub fn alarms(&self) -> usize {
        self.inputs.iter().filter(|i| !i.verdict.alarms.is_empty()).count()
    }
}

/// A number as short as it can be said.
fn number(x: f64) -> String {
    match x == x.trunc() && x.abs() < 1e15 {
        true => format!("{x:.0}"),
        false => format!("{x:.3}"),
    }
}

/// What is wrong, in one line.
pub fn alarm(a: &Alarm) -> String {
    let place = match (a.period, a.sm) {
        (Some(period), Some(sm)) => format!(", period {period}, SM {sm}"),
        (Some(period), None) => format!(", period {period}"),
        (None, Some(sm)) => format!(", SM {sm}"),
        (None, None) => String::new(),
    };
    let (value, low, high) = (number(a.value), number(a.allowed.0), number(a.allowed.1));
    let what = match a.layer {
        Layer::Laws => format!("law `{}` is broken: {value} and {low} do not fit", a.what),
        Layer::Constants => format!("{} is {value}, and must be {low}", a.what),
        Layer::Regions => format!("{} is {value}, outside {low} to {high}", a.what),
        Layer::Between => {
            format!("{} is {value} deviations from other SMs, above {high}", a.what)
        }
        Layer::Paper => format!("{} is {value}, outside {low} to {high}", a.what),
    };
    let when = if a.cycle > 0 { format!(", cycle {}", a.cycle) } else { String::new() };
    format!("{}: {what} (launch {}, {}{place}{when})", a.layer.name(), a.launch, a.kernel)
}

/// What was checked.
pub fn checked(c: &Checked<'_>) -> String {
    let p = c.profile;
    let mut out = String::new();
    let scale = p.subject.scale.as_deref().map_or(String::new(), |s| format!(" ({s})"));
    let broken = c.fault.map_or(String::new(), |f| format!(" with {f}"));
    out += &format!("{}{scale} on {}{broken}\n", p.subject.name, p.subject.chip);
    for input in &c.inputs {
        let alarms = &input.verdict.alarms;
        // Quiet inputs among many are counted, not told.
        if alarms.is_empty() && c.inputs.len() > 1 {
            continue;
        }
        let class = input.class.map_or(String::new(), |c| format!(", {}", c.name()));
        let score = match (&p.threshold, p.method) {
            (Some(t), Method::Full) => {
                format!(", score {:.3} of {:.3} allowed", input.verdict.score, limit(t))
            }
            _ => String::new(),
        };
        let what = if alarms.is_empty() { "quiet" } else { "ALARM" };
        out += &format!("input {}: {what}{score}{class}\n", input.number);
        for a in alarms.iter().take(TOLD) {
            out += &format!("  {}\n", alarm(a));
        }
        if alarms.len() > TOLD {
            out += &format!("  and {} more\n", alarms.len() - TOLD);
        }
    }
    if c.inputs.len() > 1 {
        out +=
            &format!("alarms in {} of {}\n", c.alarms(), counted(c.inputs.len() as u64, "input"));
    }
    if let Some(d) = c.drift {
        let verdict = if d.p < DRIFTED {
            "the inputs are not like those of the calibration: the bound does not hold for them"
        } else {
            "no drift"
        };
        out += &format!("{verdict} (rank-sum z {:.2}, p {:.3})\n", d.z, d.p);
    }
    out
}

/// The same as one object.
pub fn json(c: &Checked<'_>) -> Value {
    let inputs: Vec<Value> = c
        .inputs
        .iter()
        .map(|i| {
            json!({
                "input": i.number, "class": i.class.map(Class::name), "score": i.verdict.score,
                "alarms": i.verdict.alarms, "paper": i.verdict.paper,
            })
        })
        .collect();
    json!({
        "subject": c.profile.subject, "fault": c.fault, "inputs": inputs, "alarms": c.alarms(),
        "limit": c.profile.threshold.as_ref().map(limit),
        "bound": c.profile.threshold.map(|t| t.bound()),
        "drift": c.drift.map(|d| json!({ "z": d.z, "p": d.p })),
    })
}

/// What a profile knows.
pub fn profile(p: &Profile, code: &Steerings) -> String {
    let scale = p.subject.scale.as_deref().map_or(String::new(), |s| format!(" ({s})"));
    let mut out =
        format!("{}{scale} on {}, {} mode\n", p.subject.name, p.subject.chip, p.subject.mode);
    let l = &p.lessons;
    let last = l.seed + l.inputs.saturating_sub(1);
    match (p.method, &p.threshold) {
        (Method::Full, Some(t)) => {
            out += &format!(
                "learned from inputs {} to {last}, calibrated with the next {}\n",
                l.seed, t.inputs
            );
            out += &format!(
                "alarm above score {:.3}; a false alarm in at most {} of {} runs (rate {})\n",
                limit(t),
                t.rank,
                t.inputs + 1,
                t.bound()
            );
        }
        _ => {
            out += &format!("learned from inputs {} to {last}\n", l.seed);
            let rate = upset_watch::statistics::tolerance::outside_range(l.inputs);
            out += &format!("no bound on false alarms: up to {rate:.3} of runs for each ratio\n");
        }
    }
    for r in &p.paper.ranges {
        let (low, high) = (number(r.low), number(r.high));
        out += &format!(
            "{} of {} published inputs: {low} to {high} in {} samples, {} without divisor\n",
            r.name, p.paper.inputs, p.paper.samples, r.without_divisor
        );
    }
    if p.method == Method::Full {
        out += "\n";
        out += &launches(p, code);
    }
    out
}

/// A row for each kernel: how much of it is constant.
fn launches(p: &Profile, code: &Steerings) -> String {
    let mut rows = vec![row!["KERNEL", "LAUNCHES", "STEERED BY", "CONSTANTS", "RANGES", "PERIODS"]];
    for (kernel, region) in &p.regions.launches {
        let constants = p.constants.iter().filter(|c| c.key.kernel == *kernel);
        let most = constants.map(|c| c.values.len()).max().unwrap_or(0);
        let learned: Vec<_> = p.regions.list.iter().filter(|l| l.key.kernel == *kernel).collect();
        let ranges = learned.iter().map(|l| l.totals.len() + l.between.len()).max().unwrap_or(0);
        let periods = learned.iter().map(|l| l.periods.len()).max().unwrap_or(0);
        let by = match code.get(kernel).map(|s| (s.level, s.at)) {
            Some((Level::Launch, _)) => "launch".to_string(),
            Some((Level::Parameters, _)) => "parameters".into(),
            Some((Level::Data, Some(at))) => format!("data at +{at:#x}"),
            Some((Level::Data, None)) => "data".into(),
            None => "-".into(),
        };
        let count = match region.low == region.high {
            true => number(region.high),
            false => format!("{}-{}", number(region.low), number(region.high)),
        };
        rows.push(row![kernel, count, by, most, ranges, periods]);
    }
    render(&rows)
}
