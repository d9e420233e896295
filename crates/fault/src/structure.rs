//! What faults are drawn from, by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use upset_state::{Layout, Part};

use crate::FaultError;
use crate::parse::part;

/// All arrays of a kind, or one part of them: `rf`, `l2`, `l2.tag`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Structure {
    /// Name of the kind.
    pub kind: String,
    /// Part of the lines; `None` for all parts.
    pub part: Option<Part>,
}

impl Structure {
    /// Does the array belong to it?
    pub fn has(&self, layout: &Layout) -> bool {
        layout.kind == self.kind && self.part.is_none_or(|p| p == layout.id.part)
    }

    /// Do some arrays belong to both?
    pub fn overlaps(&self, other: &Structure) -> bool {
        let parts_meet = match (self.part, other.part) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        self.kind == other.kind && parts_meet
    }
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        match self.part {
            Some(part) => write!(f, ".{part}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Structure {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Structure, FaultError> {
        let (kind, part) = match text.split_once('.') {
            None => (text, Some(None)),
            Some((kind, word)) => (kind, part(word).map(Some)),
        };
        match part {
            Some(part) if !kind.is_empty() => Ok(Structure { kind: kind.to_string(), part }),
            _ => Err(FaultError::Spec {
                text: text.to_string(),
                what: "structure",
                forms: "a kind such as rf or l2, or a part of a cache: l2.data, l2.tag, l2.state",
            }),
        }
    }
}

impl TryFrom<String> for Structure {
    type Error = FaultError;

    fn try_from(text: String) -> Result<Structure, FaultError> {
        text.parse()
    }
}

impl From<Structure> for String {
    fn from(structure: Structure) -> String {
        structure.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_print_and_parse() {
        for name in ["rf", "l2", "l2.tag", "l1d.data", "l1t.state"] {
            assert_eq!(name.parse::<Structure>().unwrap().to_string(), name);
        }
        for name in ["", ".tag", "l2.tags", "l2.", "l2.tag.x"] {
            let problem = name.parse::<Structure>().unwrap_err().to_string();
            assert!(problem.contains("is no structure"), "{problem}");
        }
    }

    #[test]
    fn parts_overlap_with_the_whole() {
        let s = |name: &str| name.parse::<Structure>().unwrap();
        assert!(s("l2").overlaps(&s("l2.tag")));
        assert!(s("l2.tag").overlaps(&s("l2.tag")));
        assert!(!s("l2.tag").overlaps(&s("l2.data")));
        assert!(!s("l2").overlaps(&s("l1d")));
    }
}
