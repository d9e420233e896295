//! Bounds of the ACE analysis beside injected rates.

use serde::Deserialize;

/// What `upset ace --json` wrote of one application on one chip.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct AceBounds {
    app: String,
    chip: String,
    scale: String,
    rows: Vec<AceRow>,
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

    /// The bound of a kernel's structure, if it is about this subject.
    pub(crate) fn of(
        &self,
        (app, scale, chip): (&str, &str, &str),
        kernel: Option<&str>,
        structure: &str,
    ) -> Option<AceBound> {
        if (self.app.as_str(), self.scale.as_str(), self.chip.as_str()) != (app, scale, chip) {
            return None;
        }
        let wanted = |r: &&AceRow| r.kernel.as_deref() == kernel && r.structure == structure;
        let row = self.rows.iter().find(wanted)?;
        Some(AceBound { avf: row.avf, refined: row.avf_refined })
    }
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
}
