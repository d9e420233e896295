//! One application on one chip under one kind of fault.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::Serialize;
use upset_chip::Words;
use upset_store::Results;

use crate::breakdown::{self, Breakdown};
use crate::cell::{Cell, same_subject};
use crate::ecc::{self, Protected, ProtectedTotal};
use crate::options::Options;
use crate::row::Row;
use crate::shape::{self, Cause, Shape};
use crate::total::Total;
use crate::worst::{self, WorstSdc};

/// A kind of fault.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Variant {
    /// Bits per experiment.
    pub bits: u32,
    /// Fault model.
    pub model: String,
    /// How several bits lie.
    pub spread: String,
    /// `physical` or `active`.
    pub sampling: String,
    /// Stores, where the same question was asked in different ways; else empty.
    pub from: String,
}

impl Variant {
    /// Of cells that agree in all but how the bits lie, which each structure may
    /// have its own way of.
    fn of(cells: &[&Cell<'_>]) -> Variant {
        let first = cells[0].stratum;
        let mut spreads: Vec<&str> = cells.iter().map(|c| c.stratum.spread.as_str()).collect();
        spreads.sort_unstable();
        spreads.dedup();
        Variant {
            bits: first.bits,
            model: first.model.clone(),
            spread: spreads.join(" / "),
            sampling: first.sampling.clone(),
            from: String::new(),
        }
    }

    /// `single bit`, `3 bits (entry), stuck1, active sampling`.
    pub fn label(&self) -> String {
        let mut text = match (self.bits, self.spread.as_str()) {
            _ if self.is_single() => "single bit".to_string(),
            // Each structure has its own way; the rows tell which.
            (n, spread) if spread.is_empty() || spread.contains(" / ") => plural(n),
            (1, "column") => "a column of bits".to_string(),
            (n, spread) => format!("{} ({spread})", plural(n)),
        };
        if self.model != "flip" {
            text += &format!(", {}", self.model);
        }
        if self.sampling != "physical" {
            text += &format!(", {} sampling", self.sampling);
        }
        if !self.from.is_empty() {
            text += &format!(", from {}", self.from);
        }
        text
    }

    /// One bit, and that in one place only.
    pub fn is_single(&self) -> bool {
        let alone = |spread| {
            matches!(spread, "" | "entry" | "adjacent" | "array" | "structure" | "thread" | "1x1")
        };
        self.bits == 1 && self.spread.split(" / ").all(alone)
    }
}

fn plural(bits: u32) -> String {
    match bits {
        1 => "1 bit".into(),
        n => format!("{n} bits"),
    }
}

/// Rows that belong together, and their sums.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Panel {
    /// Application.
    pub app: String,
    /// Size of its input.
    pub scale: String,
    /// Chip.
    pub chip: String,
    /// What the chip's parts are called.
    #[serde(skip)]
    pub words: Words,
    /// Kind of fault.
    pub variant: Variant,
    /// Structures under kernels.
    pub rows: Vec<Row>,
    /// Sums.
    pub total: Option<Total>,
    /// What wrong outputs look like.
    pub shape: Option<Shape>,
    /// Why runs crashed or did not end.
    pub causes: Vec<Cause>,
    /// Structures taken apart by bit, part, place, time and instruction.
    pub breakdowns: Vec<Breakdown>,
    /// The worst silent corruptions.
    pub worst: Vec<WorstSdc>,
    /// The rows under ECC.
    pub ecc: Vec<Protected>,
    /// Their sum.
    pub ecc_total: Option<ProtectedTotal>,
    /// Stores it comes from: numbers in `sources`.
    pub sources: Vec<usize>,
    /// Whether nothing is left to run.
    pub complete: bool,
}

impl Panel {
    /// Whether the rows differ in how several bits lie.
    pub fn has_spreads(&self) -> bool {
        !self.variant.is_single() && self.rows.windows(2).any(|w| w[0].spread != w[1].spread)
    }

    /// Experiments planned in all rows.
    pub fn planned(&self) -> u64 {
        self.rows.iter().map(|r| r.planned).sum()
    }

    /// Application, scale, chip.
    pub(crate) fn about(&self) -> (&str, &str, &str) {
        (&self.app, &self.scale, &self.chip)
    }

    /// `hs (paper)`.
    pub fn application(&self) -> String {
        match self.scale.as_str() {
            "" => self.app.clone(),
            scale => format!("{} ({scale})", self.app),
        }
    }

    /// `hs (paper) on rtx2060`.
    pub fn subject(&self) -> String {
        format!("{} on {}", self.application(), self.chip)
    }

    fn new(
        Group { cells, variant }: Group<'_, '_>,
        stores: &[Results],
        options: &Options,
        confidence: f64,
        notes: &mut Vec<String>,
    ) -> Panel {
        let cells = &cells;
        let first = cells[0];
        let rows: Vec<Row> = cells.iter().map(|c| Row::new(c, options, confidence)).collect();
        let ecc = ecc::protect(cells, options, confidence);
        let ecc_total = ecc::total(cells, &ecc, options, confidence);
        Panel {
            app: first.subject.app.clone(),
            scale: first.subject.scale.clone(),
            chip: first.subject.chip.clone(),
            words: Words::of_toml(&first.subject.chip_toml),
            variant,
            complete: rows.iter().all(|r| r.complete),
            rows,
            total: Total::new(cells, options, confidence, notes),
            shape: shape::shape(cells),
            causes: shape::causes(cells),
            breakdowns: breakdown::breakdowns(cells, options.interval, confidence),
            worst: worst::worst(cells, stores),
            ecc,
            ecc_total,
            sources: sources(cells),
        }
    }
}

/// Cells that belong together: an application on a chip under one kind of fault.
pub(crate) struct Group<'c, 'a> {
    pub(crate) cells: Vec<&'c Cell<'a>>,
    pub(crate) variant: Variant,
}

/// All groups of cells, as panels.
pub fn panels(
    cells: &[Cell<'_>],
    stores: &[Results],
    options: &Options,
    confidence: f64,
    notes: &mut Vec<String>,
) -> Vec<Panel> {
    let groups = groups(cells, stores, notes);
    let panel = |group| {
        let mut notes = Vec::new();
        (Panel::new(group, stores, options, confidence, &mut notes), notes)
    };
    // Intervals of thousands of bins take their time.
    let made: Vec<(Panel, Vec<String>)> = groups.into_par_iter().map(panel).collect();
    let add = |(panel, own)| {
        notes.extend(own);
        panel
    };
    made.into_iter().map(add).collect()
}

/// Sorts cells into groups. Two answers to the same question from different
/// specifications are not mixed.
pub(crate) fn groups<'c, 'a>(
    cells: &'c [Cell<'a>],
    stores: &[Results],
    notes: &mut Vec<String>,
) -> Vec<Group<'c, 'a>> {
    let alike = |a: &Cell<'_>, b: &Cell<'_>| {
        let (s, t) = (a.stratum, b.stratum);
        (s.bits, &s.model, &s.sampling) == (t.bits, &t.model, &t.sampling)
            && same_subject(a.subject, b.subject)
    };
    let mut found: Vec<Vec<&Cell<'_>>> = Vec::new();
    for cell in cells {
        match found.iter_mut().find(|g| alike(g[0], cell)) {
            Some(group) => group.push(cell),
            None => found.push(vec![cell]),
        }
    }
    let mut groups = Vec::new();
    for group in found {
        let parts = apart(group, notes);
        let several = parts.len() > 1;
        for cells in parts {
            let mut variant = Variant::of(&cells);
            if several {
                let files =
                    sources(&cells).into_iter().filter_map(|i| Some(stores.get(i)?.file.as_str()));
                variant.from = files.collect::<Vec<_>>().join(", ");
            }
            groups.push(Group { cells, variant });
        }
    }
    groups
}

/// Numbers of the stores that cells come from.
fn sources(cells: &[&Cell<'_>]) -> Vec<usize> {
    let mut sources: Vec<usize> = cells.iter().flat_map(|c| c.sources.iter().copied()).collect();
    sources.sort_unstable();
    sources.dedup();
    sources
}

/// Kinds of fault together under their application and chip.
pub fn sort(panels: &mut [Panel]) {
    panels.sort_by(|a, b| {
        (&a.app, &a.scale, &a.chip, &a.variant).cmp(&(&b.app, &b.scale, &b.chip, &b.variant))
    });
}

fn apart<'c, 'a>(group: Vec<&'c Cell<'a>>, notes: &mut Vec<String>) -> Vec<Vec<&'c Cell<'a>>> {
    let question = |c: &Cell<'_>| {
        (c.stratum.kernel.clone(), c.stratum.structure.clone(), c.stratum.window.clone())
    };
    let mut questions: Vec<_> = group.iter().map(|c| question(c)).collect();
    questions.sort();
    if questions.windows(2).all(|w| w[0] != w[1]) {
        return vec![group];
    }
    let first = group[0];
    notes.push(format!(
        "{} on {}: stores with different specifications ask for the same structures; they are kept apart.",
        first.subject.app, first.subject.chip
    ));
    let mut parts: Vec<(usize, Vec<&Cell<'a>>)> = Vec::new();
    for cell in group {
        match parts.iter_mut().find(|(asked, _)| *asked == cell.asked) {
            Some((_, part)) => part.push(cell),
            None => parts.push((cell.asked, vec![cell])),
        }
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_bit_in_one_place_is_a_single_bit() {
        let label = |bits, spread: &str| {
            let (model, sampling) = ("flip".into(), "physical".into());
            Variant { bits, model, spread: spread.into(), sampling, from: String::new() }.label()
        };
        assert_eq!(label(1, "entry"), "single bit");
        assert_eq!(label(1, "array / entry"), "single bit");
        assert_eq!(label(1, "entry, 2 copies"), "1 bit (entry, 2 copies)");
        assert_eq!(label(1, "warp"), "1 bit (warp)");
        assert_eq!(label(3, "entry"), "3 bits (entry)");
        assert_eq!(label(3, "array / entry"), "3 bits");
    }
}
