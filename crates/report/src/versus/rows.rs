//! A structure under a kernel, on both sides.

use upset_metrics::equal::{confidence_at, p_of_ratio};
use upset_metrics::paired::{Pairs, correlation};
use upset_metrics::{Class, Estimate};

use super::figure::{Figures, by_interval, figure};
use super::model::{Level, Line};
use crate::cell::Cell;
use crate::name::short_name;
use crate::options::Options;
use crate::row::{avf_of, fit_of};

/// What counts for AVF, SDC and DUE.
const COUNTS: [fn(Class) -> bool; 3] = [
    Class::is_failure,
    |class| class == Class::Sdc,
    |class| class.is_failure() && class != Class::Sdc,
];

/// The line of two cells; `options` are those of the sides.
pub fn line(a: &Cell<'_>, b: &Cell<'_>, options: [&Options; 2], confidence: f64) -> Line {
    let sides = [a, b];
    let at = |confidence: f64| [0, 1].map(|i| figures(sides[i], options[i], confidence));
    let pairs = pairs(a, b);
    let [x, y] = at(confidence);
    let figures = (0..4).filter_map(|i| {
        let own = pairs.map(|pairs| pairs[i % 3]);
        let r = own.map_or(0.0, |own| correlation([(1.0, 1.0, own)]));
        let weights = [0, 1].map(|side| weight(sides[side], options[side], i));
        let test = || match own {
            Some(own) if weights[0] == weights[1] => Some(("mcnemar", own.mcnemar())),
            None if fixed(a) && fixed(b) && weights.iter().all(|w| *w > 0.0) => {
                let counts = sides.map(|cell| count(cell, COUNTS[i % 3]));
                exact(counts, weights).map(|p| ("exact", p))
            }
            _ => Some(by_interval(r, |level| {
                let [x, y] = at(confidence_at(level));
                x[i].zip(y[i])
            })),
        };
        Some(figure(i, x[i].zip(y[i])?, r, own, test))
    });
    let figures = figures.collect();
    let [n_a, n_b] = sides.map(told);
    Line {
        level: Level::Row,
        kernel: a.stratum.kernel.clone(),
        kernel_name: a.stratum.kernel.as_deref().map_or("whole run".into(), short_name),
        window: a.stratum.window.clone(),
        structure: Some(a.stratum.structure.clone()),
        n_a,
        n_b,
        complete: a.complete() && b.complete(),
        figures,
    }
}

/// Runs that tell something.
pub fn told(cell: &Cell<'_>) -> u64 {
    cell.experiments().iter().filter(|e| e.class != Class::ToolError).count() as u64
}

/// The report's figures of a cell.
fn figures(cell: &Cell<'_>, options: &Options, confidence: f64) -> Figures {
    let shares = cell.shares(options.interval, confidence);
    let avf = avf_of(cell, shares.failures());
    let [_, sdc, due] = COUNTS.map(|counts| avf_of(cell, shares.of(|e| counts(e.class))));
    [avf, sdc, due, fit_of(cell, avf, options)]
}

/// What a figure of the cell is of each failure in a run.
fn weight(cell: &Cell<'_>, options: &Options, figure: usize) -> f64 {
    let one = Estimate { value: Some(1.0), low: 1.0, high: 1.0 }.scaled(cell.stratum.derating);
    let of = if figure == 3 { fit_of(cell, Some(one), options) } else { Some(one) };
    of.map_or(0.0, |e| e.high)
}

/// Whether the number of runs was fixed beforehand, and they are all there.
fn fixed(cell: &Cell<'_>) -> bool {
    let runs = cell.experiments().len() as u64;
    runs > 0 && cell.complete() && !cell.stratum.is_sequential() && runs == cell.planned()
}

/// How the same faults went on both sides, if they are the same, one by one.
pub fn pairs(a: &Cell<'_>, b: &Cell<'_>) -> Option<[Pairs; 3]> {
    if !(fixed(a) && fixed(b) && same_faults(a, b)) || a.planned() != b.planned() {
        return None;
    }
    let mut pairs = [Pairs::default(); 3];
    for (x, y) in a.experiments().into_iter().zip(b.experiments()) {
        for (pairs, counts) in pairs.iter_mut().zip(COUNTS) {
            let answer = |class| (class != Class::ToolError).then(|| counts(class));
            pairs.add(answer(x.class), answer(y.class));
        }
    }
    Some(pairs)
}

/// Whether both drew the same faults in the same order, as far as both went.
pub fn same_faults(a: &Cell<'_>, b: &Cell<'_>) -> bool {
    let (x, y) = (a.experiments(), b.experiments());
    let same = x.iter().zip(&y).all(|(e, f)| e.number == f.number && e.fault == f.fault);
    !x.is_empty() && !y.is_empty() && same
}

/// Times it happened, runs that may have been such (failures of ours), all runs.
fn count(cell: &Cell<'_>, counts: fn(Class) -> bool) -> [u64; 3] {
    let all = cell.experiments();
    let of = |so: &dyn Fn(Class) -> bool| all.iter().filter(|e| so(e.class)).count() as u64;
    [of(&counts), of(&|class| class == Class::ToolError), all.len() as u64]
}

/// The exact test. Runs without a result count for whatever makes p largest.
fn exact([a, b]: [[u64; 3]; 2], weights: [f64; 2]) -> Option<f64> {
    let limits =
        |[k, ours, n]: [u64; 3], weight: f64| [k, k + ours].map(|k| weight * k as f64 / n as f64);
    let ([a_low, a_high], [b_low, b_high]) = (limits(a, weights[0]), limits(b, weights[1]));
    let (k1, k2) = if a_low > b_high {
        (a[0], b[0] + b[1])
    } else if a_high < b_low {
        (a[0] + a[1], b[0])
    } else {
        return Some(1.0);
    };
    p_of_ratio(k1, a[2], k2, b[2], weights[1] / weights[0])
}
