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
}

/// All functions that were loaded, by address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Functions(Vec<Function>);

impl Functions {
    /// Function and byte offset in it of the instruction at an address.
    pub fn at(&self, address: u64) -> Option<(&str, u64)> {
        let after = self.0.partition_point(|f| f.start <= address);
        let found = self.0.get(after.checked_sub(1)?)?;
        let offset = address & !15;
        (address < found.end).then(|| (found.name.as_str(), offset - found.start))
    }
}

impl Device {
    /// Every function that was loaded.
    pub fn functions(&self) -> Functions {
        let cuda = self.nvidia.modules.iter().flat_map(|m| m.functions());
        let all = cuda.chain(self.amd.iter().flat_map(|amd| amd.functions()));
        let all = all.map(|(name, start, end)| Function { name: name.to_string(), start, end });
        let mut all: Vec<Function> = all.collect();
        all.sort_by_key(|f| f.start);
        Functions(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_in_the_last_function_that_begins_before_it() {
        let f = |name: &str, start, end| Function { name: name.into(), start, end };
        let all = Functions(vec![f("a", 0x100, 0x180), f("b", 0x180, 0x200), f("c", 0x400, 0x410)]);
        assert_eq!(all.at(0xff), None);
        assert_eq!(all.at(0x100), Some(("a", 0)));
        assert_eq!(all.at(0x17f), Some(("a", 0x70)));
        assert_eq!(all.at(0x180), Some(("b", 0)));
        assert_eq!(all.at(0x200), None);
        assert_eq!(all.at(0x40f), Some(("c", 0)));
        assert_eq!(all.at(0x410), None);
    }
}
