//! An SM's first-level caches.

use upset_chip::ChipSpec;
use upset_mem::{FirstLevel, Port};
use upset_state::Kind;

use crate::config::Config;

/// First-level caches by the number they send requests under.
pub mod client {
    /// Data.
    pub const DATA: u8 = 0;
    /// Texture.
    pub const TEXTURE: u8 = 1;
    /// Constants.
    pub const CONSTANT: u8 = 2;
    /// Instructions.
    pub const INSTRUCTION: u8 = 3;
}

/// Their names in chip files, in the order of the numbers above.
pub(crate) const NAMES: [&str; 4] = ["l1d", "l1t", "l1c", "l1i"];

/// The caches of SM `id`, one of each: what the chip lacks is a stand-in of one line.
pub(crate) fn new(chip: &ChipSpec, config: &Config, id: u32) -> [FirstLevel; 4] {
    let level = |(name, client): (&str, u8)| {
        let index = chip.caches.iter().position(|c| c.name == name);
        let mut spec = index.map(|i| chip.caches[i].clone()).unwrap_or_else(|| absent(name));
        if client == client::INSTRUCTION {
            // The stream buffer has entries of its own.
            spec.mshr_entries = spec.mshr_entries.map(|n| n + config.prefetch_lines);
        }
        // Stand-ins have numbers of their own, beyond those of the chip's list.
        let number = index.map_or(u8::MAX - client, |i| i as u8);
        FirstLevel::new(&spec, Kind::Cache(number), Port { core: id as u16, client })
    };
    let [data, texture, constant, instruction] = NAMES;
    [
        (data, client::DATA),
        (texture, client::TEXTURE),
        (constant, client::CONSTANT),
        (instruction, client::INSTRUCTION),
    ]
    .map(level)
}

/// A cache the chip file leaves out: one line that is always replaced.
fn absent(name: &str) -> upset_chip::CacheSpec {
    use upset_chip::{Per, Replacement, SetHash, WriteAllocate, WritePolicy};
    upset_chip::CacheSpec {
        name: name.to_string(),
        per: Per::Sm,
        serves: Vec::new(),
        next: "l2".into(),
        sets: 1,
        ways: 1,
        line_bytes: 128,
        sector_bytes: 32,
        replacement: Replacement::Lru,
        write: WritePolicy::WriteEvict,
        write_local: None,
        write_allocate: WriteAllocate::None,
        set_hash: SetHash::Linear,
        mshr_entries: Some(64),
        mshr_merge: Some(64),
        port_bytes: None,
        banks: None,
        latency: 20,
        tag_bits: 57,
        source: None,
    }
}
