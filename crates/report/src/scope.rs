//! Which cells have a part in sums, and for how many cycles.

use crate::cell::Cell;
use crate::row::kernel_profile;

/// What the sums of some cells are about.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    /// What of each kernel.
    pub(crate) window: &'a str,
    /// Kernels one by one, not the whole run.
    pub(crate) by_kernel: bool,
}

impl<'a> Scope<'a> {
    /// `None` without cells.
    pub(crate) fn of(cells: &[&'a Cell<'_>]) -> Option<Scope<'a>> {
        let first = cells.first()?;
        // A window that all share is what the sums are about; else only whole kernels are.
        let window = match cells.iter().all(|c| c.stratum.window == first.stratum.window) {
            true => first.stratum.window.as_str(),
            false => "",
        };
        // Kernels one by one where there are any; a whole run would count them twice.
        let by_kernel =
            cells.iter().any(|c| c.stratum.kernel.is_some() && c.stratum.window == window);
        Some(Scope { window, by_kernel })
    }

    /// Whether a cell has a part in the sums.
    pub(crate) fn has(&self, cell: &Cell<'_>, all: &[&Cell<'_>]) -> bool {
        cell.stratum.kernel.is_some() == self.by_kernel && takes_part(cell, all, self.window)
    }
}

/// Cycles that a cell counts for.
pub(crate) fn cycles_of(cell: &Cell<'_>) -> u64 {
    let s = cell.stratum;
    match &s.kernel {
        Some(_) if s.window.is_empty() => kernel_profile(cell).map_or(s.cycles, |k| k.cycles),
        _ => s.cycles,
    }
}

/// A window is a part of its kernel, `l2.tag` a part of `l2`, `rf+smem` a part of nothing.
fn takes_part(cell: &Cell<'_>, all: &[&Cell<'_>], window: &str) -> bool {
    let s = cell.stratum;
    let whole = s.structure.split('.').next().unwrap_or_default();
    let covered = whole != s.structure
        && all.iter().any(|c| {
            let t = c.stratum;
            t.structure == whole && t.kernel == s.kernel && t.window == window
        });
    s.window == window && !s.structure.contains('+') && !covered
}
