//! All bits of a structure, numbered.

use std::collections::BTreeMap;

use upset_state::{ArrayId, Layout, Registry, Site};

use crate::geometry::{Columns, Geometry};
use crate::names::{hint, kinds};
use crate::{FaultError, Structure};

/// The bits of a structure on a chip, or on some of its SMs.
#[derive(Clone, Debug)]
pub struct Space {
    structure: Structure,
    pub(crate) arrays: Vec<Member>,
    /// Bits of all arrays up to and including each.
    ends: Vec<u64>,
    /// Arrays of the same shape together, so that a draw looks at few.
    pub(crate) classes: Vec<Class>,
    /// Arrays at the same place together: the parts of one cache.
    pub(crate) instances: Vec<Instance>,
}

#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub id: ArrayId,
    pub geometry: Geometry,
    /// Its columns. They are no part of the shape that arrays are sorted by:
    /// draws of other patterns depend on that.
    pub columns: Columns,
    /// Number of its instance.
    pub instance: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub geometry: Geometry,
    pub arrays: Vec<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub arrays: Vec<usize>,
    pub bits: u64,
}

impl Space {
    /// The bits of a structure; with `sms`, only of arrays in these SMs and of
    /// arrays that are in no SM.
    pub fn of(
        registry: &Registry,
        structure: &Structure,
        sms: Option<&[u32]>,
    ) -> Result<Space, FaultError> {
        let all: Vec<&Layout> = registry.arrays.iter().filter(|l| structure.has(l)).collect();
        if all.is_empty() {
            return Err(unknown(registry, structure));
        }
        let kept = all.into_iter().filter(|l| l.bits() > 0).filter(|l| match (sms, sm_of(l)) {
            (Some(sms), Some(sm)) => sms.contains(&sm),
            _ => true,
        });
        let mut space = Space {
            structure: structure.clone(),
            arrays: Vec::new(),
            ends: Vec::new(),
            classes: Vec::new(),
            instances: Vec::new(),
        };
        let mut paths = BTreeMap::new();
        for layout in kept {
            space.add(layout, &mut paths);
        }
        if space.arrays.is_empty() {
            return Err(FaultError::Nothing(format!("none of these SMs has bits of {structure}")));
        }
        Ok(space)
    }

    fn add<'l>(&mut self, layout: &'l Layout, paths: &mut BTreeMap<&'l str, usize>) {
        let number = self.arrays.len();
        let geometry = Geometry::of(layout);
        let bits = geometry.bits;
        let instance = *paths.entry(layout.path.as_str()).or_insert(self.instances.len());
        match self.instances.get_mut(instance) {
            Some(known) => {
                known.arrays.push(number);
                known.bits += bits;
            }
            None => self.instances.push(Instance { arrays: vec![number], bits }),
        }
        match self.classes.iter_mut().find(|c| c.geometry == geometry) {
            Some(class) => class.arrays.push(number),
            None => self.classes.push(Class { geometry, arrays: vec![number] }),
        }
        self.ends.push(self.bits() + bits);
        let columns = Columns::of(layout);
        self.arrays.push(Member { id: layout.id, geometry, columns, instance });
    }

    /// What it is the space of.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// How many bits it has.
    pub fn bits(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Bits of its largest entry: a lane's result or register, a word of memory.
    pub fn entry_bits(&self) -> u64 {
        self.classes.iter().map(|class| class.geometry.entry).max().unwrap_or(1)
    }

    /// How many instances it has: sub-cores, SMs, slices.
    pub fn instances(&self) -> usize {
        self.instances.len()
    }

    /// The nth bit, from 0, in the registry's order. Numbers beyond the last
    /// bit are taken as the last.
    pub fn site(&self, n: u64) -> Site {
        let (array, bit) = self.place(n);
        Site { array: self.arrays[array].id, bit }
    }

    /// Array and bit of the nth bit.
    pub(crate) fn place(&self, n: u64) -> (usize, u64) {
        let n = n.min(self.bits() - 1);
        let array = self.ends.partition_point(|&end| end <= n);
        (array, n - (self.ends[array] - self.arrays[array].geometry.bits))
    }
}

/// The SM that an array is in.
fn sm_of(layout: &Layout) -> Option<u32> {
    layout.path.split('.').next()?.strip_prefix("sm")?.parse().ok()
}

fn unknown(registry: &Registry, structure: &Structure) -> FaultError {
    let mut known: Vec<String> = Vec::new();
    for kind in kinds(registry) {
        known.push(kind.to_string());
        let parted = registry.arrays.iter().find(|l| l.kind == kind && l.parted);
        if let Some(first) = parted {
            let parts = registry.arrays.iter().filter(|l| l.kind == kind && l.path == first.path);
            known.extend(parts.map(|l| format!("{kind}.{}", l.id.part)));
        }
    }
    let name = structure.to_string();
    let hint = hint(&name, known.iter().map(String::as_str));
    FaultError::UnknownStructure { name, hint, known: known.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy;

    fn space(name: &str, sms: Option<&[u32]>) -> Result<Space, FaultError> {
        Space::of(&toy::registry(), &name.parse().unwrap(), sms)
    }

    #[test]
    fn every_bit_has_its_number() {
        let registry = toy::registry();
        for name in ["rf", "l2", "l1d.tag", "smem", "lmem", "mask"] {
            let space = space(name, None).unwrap();
            let structure: Structure = name.parse().unwrap();
            let all: Vec<Site> = registry
                .arrays
                .iter()
                .filter(|l| structure.has(l))
                .flat_map(|l| (0..l.bits()).map(|bit| Site { array: l.id, bit }))
                .collect();
            assert_eq!(space.bits(), all.len() as u64, "{name}");
            for (n, site) in all.iter().enumerate() {
                assert_eq!(space.site(n as u64), *site, "{name} {n}");
            }
            assert_eq!(space.site(u64::MAX), all[all.len() - 1]);
        }
    }

    #[test]
    fn some_sms_only() {
        assert_eq!(space("rf", Some(&[1])).unwrap().bits(), 2 * 128);
        assert_eq!(space("l2", Some(&[1])).unwrap().bits(), 2 * 6 * 19);
        assert_eq!(space("l1d", None).unwrap().instances(), 2);
        assert_eq!(space("rf", None).unwrap().entry_bits(), 8);
        let problem = space("rf", Some(&[7])).unwrap_err().to_string();
        assert_eq!(problem, "nothing to draw from: none of these SMs has bits of rf");
    }

    #[test]
    fn unknown_structures_say_what_there_is() {
        assert_eq!(
            space("l1.tag", None).unwrap_err().to_string(),
            "this chip has no structure `l1.tag` (did you mean `l1d.tag`?); it has rf, mask, upred, \
             smem, l1d, l1d.data, l1d.tag, l1d.state, l2, l2.data, l2.tag, l2.state, lmem"
        );
        assert!(space("rf.tag", None).is_err());
    }
}
