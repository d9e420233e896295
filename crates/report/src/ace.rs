//! Bounds of the ACE analysis beside injected rates.

use serde::Deserialize;

use crate::cell::Cell;

/// What `upset ace --json` wrote of one application on one chip.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct AceBounds {
    app: String,
    chip: String,
    scale: String,
    /// Cycles of the fault-free run.
    #[serde(default)]
    pub(crate) cycles: u64,
    rows: Vec<AceRow>,
    /// Vulnerable bits over time.
    #[serde(default)]
    pub(crate) timeline: Vec<AceTimeline>,
    /// Values that carry most of it.
    #[serde(default)]
    pub(crate) hot_spots: Vec<AceHotSpot>,
}

/// One structure over time.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct AceTimeline {
    pub(crate) structure: String,
    /// Mean number of vulnerable bits in each of equal stretches.
    pub(crate) refined: Vec<f64>,
}

/// Values, by the instruction that wrote them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct AceHotSpot {
    pub(crate) structure: String,
    pub(crate) kernel: String,
    pub(crate) offset: Option<u64>,
    pub(crate) instruction: Option<String>,
    pub(crate) source: Option<String>,
    pub(crate) register: Option<String>,
    pub(crate) share: f64,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
struct AceRow {
    kernel: Option<String>,
    structure: String,
    avf: f64,
    avf_refined: f64,
}

/// An upper bound on an AVF, and the same without dead and masked bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AceBound {
    /// The bound.
    pub avf: f64,
    /// Refined.
    pub refined: f64,
}

impl AceBounds {
    /// Reads a file's text.
    pub fn parse(text: &str) -> Result<AceBounds, String> {
        serde_json::from_str(text)
            .map_err(|e| format!("is not what `upset ace --json` writes: {e}"))
    }

    /// Whether it is about this application, scale and chip.
    pub(crate) fn is_of(&self, (app, scale, chip): (&str, &str, &str)) -> bool {
        (self.app.as_str(), self.scale.as_str(), self.chip.as_str()) == (app, scale, chip)
    }

    /// An instruction that it names, and its line in the source.
    pub(crate) fn instruction_at(&self, function: &str, offset: u64) -> Option<String> {
        let here = |h: &&AceHotSpot| h.kernel == function && h.offset == Some(offset);
        let spot = self.hot_spots.iter().find(here)?;
        let text = spot.instruction.clone()?;
        Some(spot.source.as_ref().map_or(text.clone(), |source| format!("{text}  {source}")))
    }

    /// The bound of a kernel's structure, if it is about this subject.
    pub(crate) fn of(
        &self,
        about: (&str, &str, &str),
        kernel: Option<&str>,
        structure: &str,
    ) -> Option<AceBound> {
        if !self.is_of(about) {
            return None;
        }
        let wanted = |r: &&AceRow| r.kernel.as_deref() == kernel && r.structure == structure;
        let row = self.rows.iter().find(wanted)?;
        Some(AceBound { avf: row.avf, refined: row.avf_refined })
    }
}

/// The bound that goes with a cell's rate, of all that were given.
pub(crate) fn bound(all: &[AceBounds], cell: &Cell<'_>) -> Option<AceBound> {
    let (subject, stratum) = (cell.subject, cell.stratum);
    // The analysis is about single flips at any cycle of a kernel.
    let comparable = stratum.bits == 1 && stratum.model == "flip" && stratum.window.is_empty();
    let about = (subject.app.as_str(), subject.scale.as_str(), subject.chip.as_str());
    let of = |a: &AceBounds| a.of(about, stratum.kernel.as_deref(), &stratum.structure);
    all.iter().find_map(of).filter(|_| comparable)
}

/// The bound of a structure over kernels: each counts for its cycles. `None`
/// where one of them has none.
pub(crate) fn over_kernels(kernels: &[(u64, Option<AceBound>)]) -> Option<AceBound> {
    let all: u64 = kernels.iter().map(|(cycles, _)| cycles).sum();
    let mut sum = AceBound { avf: 0.0, refined: 0.0 };
    for (cycles, bound) in kernels {
        let share = *cycles as f64 / all as f64;
        let bound = (*bound)?;
        sum.avf += share * bound.avf;
        sum.refined += share * bound.refined;
    }
    (all > 0).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_found_by_subject_kernel_and_structure() {
        let text = r#"{"app": "hs", "chip": "c", "scale": "small", "cycles": 9, "rows": [
            {"kernel": null, "structure": "rf", "avf": 0.5, "avf_refined": 0.25},
            {"kernel": "k", "structure": "rf", "avf": 0.75, "avf_refined": 0.5}]}"#;
        let bounds = AceBounds::parse(text).unwrap();
        let of = |app, kernel| bounds.of((app, "small", "c"), kernel, "rf").map(|b| b.avf);
        assert_eq!(of("hs", None), Some(0.5));
        assert_eq!(of("hs", Some("k")), Some(0.75));
        assert_eq!(of("va", None), None);
        assert_eq!(of("hs", Some("other")), None);
        assert!(AceBounds::parse("[]").is_err());
    }

    #[test]
    fn kernels_count_for_their_cycles() {
        let bound = |avf, refined| Some(AceBound { avf, refined });
        let sum = over_kernels(&[(30, bound(0.5, 0.25)), (10, bound(0.25, 0.125))]);
        assert_eq!(sum, bound(0.4375, 0.21875));
        assert_eq!(over_kernels(&[(30, bound(0.5, 0.25)), (10, None)]), None);
        assert_eq!(over_kernels(&[]), None);
    }
}
