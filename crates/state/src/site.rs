//! One bit and its name.

use serde::{Deserialize, Serialize};

use crate::registry::{Registry, Visit, with_array};
use crate::{ArrayId, Layout};

/// One bit of one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Site {
    /// The array.
    pub array: ArrayId,
    /// The bit's number in it.
    pub bit: u64,
}

/// Why a name is no site.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SiteError {
    /// No colon after the kind.
    #[error("`{0}` is no site: write kind:path.bitN, e.g. rf:sm0.sub0.row3.lane5.bit12")]
    NoKind(String),
    /// The chip has no such arrays.
    #[error("this chip has no `{kind}` arrays; it has {known}")]
    UnknownKind {
        /// As written.
        kind: String,
        /// What there is.
        known: String,
    },
    /// No array of the kind has such a path.
    #[error("no bit of `{kind}` is called `{path}`; names look like {example}")]
    UnknownPath {
        /// Kind.
        kind: String,
        /// As written.
        path: String,
        /// The last bit of the first array.
        example: String,
    },
}

impl Site {
    /// Finds a site by its name.
    pub fn parse(name: &str, registry: &Registry) -> Result<Site, SiteError> {
        let (kind, path) =
            name.trim().split_once(':').ok_or_else(|| SiteError::NoKind(name.to_string()))?;
        let mut arrays = registry.arrays.iter().filter(|l| l.kind == kind).peekable();
        let Some(first) = arrays.peek().copied() else {
            let mut known: Vec<&str> = registry.arrays.iter().map(|l| l.kind.as_str()).collect();
            known.dedup();
            known.sort_unstable();
            known.dedup();
            return Err(SiteError::UnknownKind { kind: kind.into(), known: known.join(", ") });
        };
        arrays.find_map(|l| bit_in(l, path).map(|bit| Site { array: l.id, bit })).ok_or_else(|| {
            SiteError::UnknownPath {
                kind: kind.into(),
                path: path.into(),
                example: first.name(first.bits().saturating_sub(1)),
            }
        })
    }

    /// Its name.
    pub fn name(&self, registry: &Registry) -> Option<String> {
        registry.layout(self.array).map(|l| l.name(self.bit))
    }

    /// Its value.
    pub fn read(&self, machine: &mut dyn Visit) -> Option<bool> {
        with_array(machine, self.array, |b| b.get(self.bit))
    }

    /// Inverts it. False when the machine has no such array.
    pub fn flip(&self, machine: &mut dyn Visit) -> bool {
        with_array(machine, self.array, |b| b.flip(self.bit)).is_some()
    }

    /// Sets it.
    pub fn set(&self, machine: &mut dyn Visit, value: bool) -> bool {
        with_array(machine, self.array, |b| b.set(self.bit, value)).is_some()
    }
}

/// The bit of `layout` that `path` names.
fn bit_in(layout: &Layout, path: &str) -> Option<u64> {
    let mut rest = path;
    if !layout.path.is_empty() {
        rest = rest.strip_prefix(layout.path.as_str())?.strip_prefix('.')?;
    }
    let mut words = rest.split('.');
    let mut bit = 0u64;
    for (i, axis) in layout.axes.iter().enumerate() {
        if layout.parted
            && i + 1 == layout.axes.len()
            && words.next()? != layout.id.part.to_string()
        {
            return None;
        }
        let word = words.next()?;
        let digit = match axis.names.iter().position(|n| *n == word) {
            Some(named) => named as u64,
            None if axis.names.is_empty() => word.strip_prefix(axis.name)?.parse().ok()?,
            None => return None,
        };
        if digit >= axis.size {
            return None;
        }
        bit = bit.checked_mul(axis.size)?.checked_add(digit)?;
    }
    words.next().is_none().then_some(bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{Bytes, Rows};
    use crate::{Axis, Kind, Part, Visitor};

    struct Toy {
        rows: Vec<[u32; 32]>,
        tags: Vec<u8>,
    }

    impl Visit for Toy {
        fn visit(&mut self, v: &mut dyn Visitor) {
            let rf = ArrayId::data(Kind::Rf, 0);
            if v.wants(rf) {
                let axes = vec![Axis::new("row", 4), Axis::new("lane", 32), Axis::new("bit", 32)];
                let layout = Layout {
                    id: rf,
                    kind: "rf".into(),
                    path: "sm0.sub0".into(),
                    axes,
                    parted: false,
                };
                v.array(&layout, &mut Rows(&mut self.rows));
            }
            let tag = ArrayId { kind: Kind::Cache(0), instance: 0, part: Part::Tag };
            if v.wants(tag) {
                let axes = vec![Axis::new("set", 2), Axis::new("way", 2), Axis::new("bit", 8)];
                let layout =
                    Layout { id: tag, kind: "l1d".into(), path: "sm0".into(), axes, parted: true };
                v.array(&layout, &mut Bytes(&mut self.tags));
            }
        }
    }

    fn toy() -> Toy {
        Toy { rows: vec![[0; 32]; 4], tags: vec![0; 4] }
    }

    #[test]
    fn every_bit_has_a_name_that_finds_it() {
        let mut t = toy();
        let registry = Registry::of(&mut t);
        for layout in &registry.arrays {
            for bit in 0..layout.bits() {
                let site = Site { array: layout.id, bit };
                let name = site.name(&registry).unwrap();
                assert_eq!(Site::parse(&name, &registry), Ok(site), "{name}");
            }
        }
    }

    #[test]
    fn a_named_bit_can_be_flipped() {
        let mut t = toy();
        let registry = Registry::of(&mut t);
        let site = Site::parse("l1d:sm0.set1.way0.tag.bit3", &registry).unwrap();
        assert!(site.flip(&mut t));
        assert_eq!(t.tags, [0, 0, 8, 0]);
        assert_eq!(site.read(&mut t), Some(true));
    }

    #[test]
    fn wrong_names_say_what_is_there() {
        let registry = Registry::of(&mut toy());
        let say = |n| Site::parse(n, &registry).unwrap_err().to_string();
        assert!(say("rf").contains("write kind:path"));
        assert_eq!(say("l9:sm0.bit1"), "this chip has no `l9` arrays; it has l1d, rf");
        assert!(say("rf:sm0.sub0.row4.lane0.bit0").contains("rf:sm0.sub0.row3.lane31.bit31"));
        assert!(say("rf:sm0.sub0.row3.lane0.bit0.x").contains("no bit"));
    }
}
