//! Which function an address of code is in, when the device is gone.

use serde::{Deserialize, Serialize};

use crate::Device;

/// A function's code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Name.
    pub name: String,
    /// First address.
    pub start: u64,
    /// One past the last.
    pub end: u64,
    /// Instructions begin at multiples of this.
    pub step: u64,
}

/// All functions that were loaded, by address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Functions(Vec<Function>);

impl Functions {
    /// Function and byte offset in it of the instruction at an address.
    pub fn at(&self, address: u64) -> Option<(&str, u64)> {
        let after = self.0.partition_point(|f| f.start <= address);
        let found = self.0.get(after.checked_sub(1)?)?;
        let offset = address - found.start;
        (address < found.end).then(|| (found.name.as_str(), offset - offset % found.step.max(1)))
    }
}

impl Device {
    /// Every function that was loaded.
    pub fn functions(&self) -> Functions {
        let of = |step| {
            move |(name, start, end): (&str, u64, u64)| Function {
                name: name.to_string(),
                start,
                end,
                step,
            }
        };
        let cuda = self
            .nvidia
            .modules
            .iter()
            .flat_map(|m| m.functions().map(of(u64::from(m.layout().step()))));
        let amd = self.amd.iter().flat_map(|amd| amd.functions()).map(of(16));
        let mut all: Vec<Function> = cuda.chain(amd).collect();
        all.sort_by_key(|f| f.start);
        Functions(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_in_the_last_function_that_begins_before_it() {
        let f = |name: &str, start, end, step| Function { name: name.into(), start, end, step };
        let all = Functions(vec![
            f("a", 0x100, 0x180, 16),
            f("b", 0x180, 0x200, 8),
            f("c", 0x400, 0x410, 16),
        ]);
        assert_eq!(all.at(0xff), None);
        assert_eq!(all.at(0x100), Some(("a", 0)));
        assert_eq!(all.at(0x17f), Some(("a", 0x70)));
        assert_eq!(all.at(0x180), Some(("b", 0)));
        assert_eq!(all.at(0x19f), Some(("b", 0x18)));
        assert_eq!(all.at(0x200), None);
        assert_eq!(all.at(0x40f), Some(("c", 0)));
        assert_eq!(all.at(0x410), None);
    }
}
