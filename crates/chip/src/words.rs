//! What people call the parts of a chip: each vendor has its own words. Keys of
//! JSON and stores are the same for all.

use crate::spec::{ChipSpec, CoreSpec};
use crate::tree::{Node, Value};

/// Words of a vendor, as they stand in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// What runs code.
    pub processor: &'static str,
    /// Threads that execute together.
    pub warp: &'static str,
    /// Threads that share memory and barriers.
    pub group: &'static str,
    /// One of them.
    pub thread: &'static str,
    /// Memory that a group shares.
    pub shared_memory: &'static str,
    /// The same at the head of a column.
    pub shared: &'static str,
    /// The key of a chip file that says how many processors there are.
    pub count_key: &'static str,
}

/// NVIDIA's.
const SM: Words = Words {
    processor: "SM",
    warp: "warp",
    group: "CTA",
    thread: "thread",
    shared_memory: "shared memory",
    shared: "shared",
    count_key: "sm.count",
};

/// AMD's.
const CU: Words = Words {
    processor: "CU",
    warp: "wavefront",
    group: "work-group",
    thread: "work-item",
    shared_memory: "local data share",
    shared: "LDS",
    count_key: "cu.count",
};

impl Default for Words {
    fn default() -> Words {
        SM
    }
}

impl Words {
    /// Those for a chip as a store keeps it. A text that nobody can read has the
    /// words of most.
    pub fn of_toml(text: &str) -> Words {
        let tree = Node::parse(text, "chip").ok();
        let vendor = tree.as_ref().and_then(|t| t.at(&["chip", "vendor"]));
        match vendor.map(|v| &v.value) {
            Some(Value::Text(vendor)) if vendor == "amd" => CU,
            _ => SM,
        }
    }
}

impl ChipSpec {
    /// What its parts are called.
    pub fn words(&self) -> Words {
        match self.core {
            CoreSpec::Sm(_) => SM,
            CoreSpec::Cu(_) => CU,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PRESETS;

    #[test]
    fn a_chip_and_its_text_have_the_same_words() {
        for preset in PRESETS {
            let chip = ChipSpec::preset(preset.name).expect("a preset");
            assert_eq!(Words::of_toml(&chip.to_toml()), chip.words(), "{}", preset.name);
        }
        assert_eq!(Words::of_toml("no = chip").processor, "SM");
        assert_eq!(ChipSpec::preset("hd7970").expect("a preset").words().warp, "wavefront");
    }

    #[test]
    fn the_key_of_the_count_is_one_that_chips_have() {
        for (name, words) in [("rtx2060", SM), ("hd7970", CU)] {
            let one = ChipSpec::load(name, &[format!("{}=1", words.count_key)]).expect("a chip");
            assert_eq!(one.processors(), 1);
        }
    }
}
