//! Deviations from nvdisasm that we accept, each with its reason.

use upset_sass::{Arch, Word};

/// A family of words on which we may differ.
#[derive(Clone, Debug)]
pub struct Accepted {
    archs: Vec<Arch>,
    mask: u128,
    value: u128,
    /// Why we differ.
    pub reason: String,
}

/// The list cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("oracles/nvdisasm/accepted.toml: {0}")]
pub struct AcceptedError(String);

impl Accepted {
    /// Reads the list: tables `[[accepted]]` with `archs`, `mask`, `value`, `reason`.
    pub fn parse(text: &str) -> Result<Vec<Accepted>, AcceptedError> {
        let table: toml::Table = text.parse().map_err(|e| AcceptedError(format!("{e}")))?;
        let Some(list) = table.get("accepted") else { return Ok(Vec::new()) };
        let list = list.as_array().ok_or_else(|| AcceptedError("accepted is not a list".into()))?;
        list.iter()
            .enumerate()
            .map(|(n, entry)| entry_of(entry).map_err(|e| AcceptedError(format!("entry {n}: {e}"))))
            .collect()
    }

    /// Does the entry cover this word?
    pub fn covers(&self, arch: Arch, word: Word) -> bool {
        self.archs.contains(&arch) && word.0 & self.mask == self.value
    }
}

fn entry_of(entry: &toml::Value) -> Result<Accepted, String> {
    let text = |key: &str| {
        entry.get(key).and_then(|v| v.as_str()).ok_or_else(|| format!("{key} is missing"))
    };
    let bits = |key: &str| {
        let t = text(key)?;
        u128::from_str_radix(t.trim_start_matches("0x"), 16).map_err(|e| format!("{key}: {e}"))
    };
    let archs = entry
        .get("archs")
        .and_then(|v| v.as_array())
        .ok_or("archs is missing")?
        .iter()
        .map(|v| v.as_integer().and_then(|n| Arch::from_number(n as u32)))
        .collect::<Option<Vec<Arch>>>()
        .ok_or("archs holds something that is not an architecture")?;
    Ok(Accepted {
        archs,
        mask: bits("mask")?,
        value: bits("value")?,
        reason: text("reason")?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_cover_by_mask_and_architecture() {
        let list = Accepted::parse(
            "[[accepted]]\narchs = [75]\nmask = '0xfff'\nvalue = '0x918'\nreason = 'x'\n",
        )
        .unwrap();
        assert!(list[0].covers(Arch::Sm75, Word(0x7918)));
        assert!(!list[0].covers(Arch::Sm80, Word(0x7918)));
        assert!(!list[0].covers(Arch::Sm75, Word(0x7919)));
    }

    #[test]
    fn an_entry_without_a_reason_is_refused() {
        let text = "[[accepted]]\narchs = [75]\nmask = '0xf'\nvalue = '0x1'\n";
        assert!(Accepted::parse(text).unwrap_err().to_string().contains("reason"));
    }
}
