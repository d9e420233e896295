//! Kernels over structures, structures over kernels, and all of it, on both sides.

use std::collections::BTreeMap;

use upset_metrics::equal::confidence_at;
use upset_metrics::paired::{Pairs, correlation};

use super::figure::{Figures, by_interval, figure};
use super::model::{Level, Line};
use super::rows::{pairs, told};
use crate::cell::Cell;
use crate::options::Options;
use crate::panel::Group;
use crate::scope::{Scope, cycles_of};
use crate::total::Total;

/// One sum.
#[derive(Clone, Copy)]
enum Of<'n> {
    Kernel(&'n str),
    Structure(&'n str),
    Chip,
}

impl Of<'_> {
    fn has(self, cell: &Cell<'_>) -> bool {
        match self {
            Of::Kernel(kernel) => cell.stratum.kernel.as_deref() == Some(kernel),
            Of::Structure(structure) => cell.stratum.structure == structure,
            Of::Chip => true,
        }
    }

    fn figures(self, total: &Total) -> Figures {
        match self {
            Of::Kernel(kernel) => {
                let own = total.kernels.iter().find(|k| k.kernel.as_deref() == Some(kernel));
                own.map_or([None; 4], |k| [k.avf, k.sdc, k.due, k.fit])
            }
            Of::Structure(structure) => {
                let own = total.structures.iter().find(|s| s.structure == structure);
                own.map_or([None; 4], |s| [s.avf, s.sdc, s.due, s.fit])
            }
            Of::Chip => [total.avf, total.sdc, total.due, total.fit],
        }
    }

    /// What a cell counts for in the sum, up to a factor that all have.
    fn weight(self, cell: &Cell<'_>, parts: &[&Cell<'_>], is_fit: bool) -> f64 {
        let s = cell.stratum;
        let (bits, cycles) = (s.structure_bits as f64, cycles_of(cell) as f64);
        let share = |own: f64, all: f64| if all > 0.0 { own / all } else { 0.0 };
        s.derating
            * match (self, is_fit) {
                (Of::Kernel(_), _) => bits,
                (Of::Structure(_), _) => cycles,
                (Of::Chip, false) => {
                    let own = parts.iter().filter(|c| c.stratum.kernel == s.kernel);
                    cycles * share(bits, own.map(|c| c.stratum.structure_bits as f64).sum())
                }
                (Of::Chip, true) => {
                    let own = parts.iter().filter(|c| c.stratum.structure == s.structure);
                    bits * share(cycles, own.map(|c| cycles_of(c) as f64).sum())
                }
            }
    }
}

/// Sums of both sides at levels of confidence, made when they are asked for.
struct Levels<'g> {
    sides: [(&'g [&'g Cell<'g>], &'g Options); 2],
    made: BTreeMap<u32, [Option<Total>; 2]>,
}

impl<'g> Levels<'g> {
    fn total((cells, options): (&[&Cell<'_>], &Options), confidence: f64) -> Option<Total> {
        // What there is to say of the sums was said once.
        Total::new(cells, options, confidence, &mut Vec::new())
    }

    fn at(&mut self, level: u32) -> &[Option<Total>; 2] {
        let sides = self.sides;
        let confidence = confidence_at(level);
        self.made.entry(level).or_insert_with(|| sides.map(|side| Levels::total(side, confidence)))
    }
}

/// The sums of two groups that say something else than their rows, and why there
/// are not more.
pub fn lines<'g>(
    a: &'g Group<'g, 'g>,
    b: &'g Group<'g, 'g>,
    options: [&'g Options; 2],
    confidence: f64,
    notes: &mut Vec<String>,
) -> Vec<Line> {
    let sides = [(a.cells.as_slice(), options[0]), (b.cells.as_slice(), options[1])];
    let [Some(x), Some(y)] = sides.map(|side| Levels::total(side, confidence)) else {
        return Vec::new();
    };
    let kernels = |t: &Total| t.kernels.iter().map(|k| k.kernel.clone()).collect::<Vec<_>>();
    let same_kernels = sorted(kernels(&x)) == sorted(kernels(&y));
    let all_kernels = x.kernels_left_out.is_empty() && y.kernels_left_out.is_empty();
    if x.window != y.window || !(same_kernels || all_kernels) {
        notes.push("Sums are over other kernels in A than in B: they are not compared.".into());
        return Vec::new();
    }
    let parts = [parts(&a.cells), parts(&b.cells)];
    let mut levels = Levels { sides, made: BTreeMap::new() };
    let mut line = |of: Of<'_>| {
        let parts = parts.each_ref().map(|all| Parts::new(of, all));
        let [p, q] = [&x, &y].map(|total| of.figures(total));
        let figures = (0..4).filter_map(|i| {
            let r = together(of, &parts, i);
            let test = || {
                Some(by_interval(r, |level| {
                    let [x, y] = levels.at(level);
                    of.figures(x.as_ref()?)[i].zip(of.figures(y.as_ref()?)[i])
                }))
            };
            Some(figure(i, p[i].zip(q[i])?, r, None, test))
        });
        let figures = figures.collect();
        let [n_a, n_b] = parts.each_ref().map(|p| p.own.iter().map(|c| told(c)).sum());
        let (level, kernel, structure) = match of {
            Of::Kernel(kernel) => (Level::Kernel, Some(kernel.to_string()), None),
            Of::Structure(structure) => (Level::Structure, None, Some(structure.to_string())),
            Of::Chip => (Level::Chip, None, None),
        };
        let own = x.kernels.iter().find(|k| kernel.is_some() && k.kernel == kernel);
        Line {
            level,
            kernel_name: own.map_or("all kernels".into(), |k| k.kernel_name.clone()),
            kernel,
            window: x.window.clone(),
            structure,
            n_a,
            n_b,
            complete: parts.iter().flat_map(|p| &p.own).all(|c| c.complete()),
            figures,
        }
    };
    let mut lines = Vec::new();
    let names = |t: &Total| sorted(t.structures.iter().map(|s| s.structure.clone()).collect());
    if x.kernels.len() > 1 {
        for kernel in x.kernels.iter().filter_map(|k| k.kernel.as_deref()) {
            let of = |all: &[&Cell<'_>]| {
                let own = all.iter().filter(|c| c.stratum.kernel.as_deref() == Some(kernel));
                sorted(own.map(|c| c.stratum.structure.clone()).collect::<Vec<String>>())
            };
            let (p, q) = (of(&parts[0]), of(&parts[1]));
            if p.len() > 1 && p == q {
                lines.push(line(Of::Kernel(kernel)));
            }
        }
    }
    // Of one kernel the sum is the row.
    if !(same_kernels && x.kernels.len() == 1) {
        for s in &x.structures {
            if y.structures.iter().any(|t| t.structure == s.structure) {
                lines.push(line(Of::Structure(&s.structure)));
            }
        }
    }
    match names(&x) == names(&y) {
        true if x.structures.len() > 1 => lines.push(line(Of::Chip)),
        true => {}
        false => notes.push(format!(
            "All structures together are {} in A and {} in B: that is not compared.",
            x.over(),
            y.over()
        )),
    }
    lines
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort();
    list
}

/// Cells that have a part in sums.
fn parts<'c, 'a>(cells: &[&'c Cell<'a>]) -> Vec<&'c Cell<'a>> {
    let scope = Scope::of(cells);
    let has = |c: &&Cell<'_>| scope.is_some_and(|scope| scope.has(c, cells));
    cells.iter().copied().filter(has).collect()
}

/// Cells of one sum, and of all.
struct Parts<'p, 'c> {
    own: Vec<&'c Cell<'c>>,
    all: &'p [&'c Cell<'c>],
}

impl<'p, 'c> Parts<'p, 'c> {
    fn new(of: Of<'_>, all: &'p [&'c Cell<'c>]) -> Parts<'p, 'c> {
        Parts { own: all.iter().copied().filter(|c| of.has(c)).collect(), all }
    }
}

/// Correlation of a sum of the first side and of the second: 0 unless every part
/// is of the same faults in both.
fn together(of: Of<'_>, [a, b]: &[Parts<'_, '_>; 2], figure: usize) -> f64 {
    let paired = |x: &Cell<'_>| {
        let s = x.stratum;
        let same = |y: &&&Cell<'_>| {
            let t = y.stratum;
            (&s.kernel, &s.structure, &s.window) == (&t.kernel, &t.structure, &t.window)
        };
        let y = b.own.iter().find(same)?;
        let weights = (of.weight(x, a.all, figure == 3), of.weight(y, b.all, figure == 3));
        // Nothing to hit in either: it does not vary.
        let pairs = match x.stratum.derating == 0.0 && y.stratum.derating == 0.0 {
            true => [Pairs::default(); 3],
            false => pairs(x, y)?,
        };
        Some((weights.0, weights.1, pairs[figure % 3]))
    };
    let all: Option<Vec<_>> = a.own.iter().map(|x| paired(x)).collect();
    all.filter(|all| all.len() == b.own.len()).map_or(0.0, correlation)
}
