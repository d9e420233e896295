//! Launches: what a machine must know of one, and what it remembers of those
//! that have begun.

use upset_state::Digest;

/// What a machine must know of a launch; the rest is between it and the cores.
pub trait Kernel {
    /// Its name.
    fn name(&self) -> &str;
    /// Address of its program.
    fn base(&self) -> u64;
    /// Work-groups of the grid.
    fn groups(&self) -> u64;
    /// Work-groups in x, y, z.
    fn grid(&self) -> [u32; 3];
    /// Threads per work-group in x, y, z.
    fn block(&self) -> [u32; 3];
    /// Bytes of local memory per thread.
    fn local_bytes(&self) -> u32;
    /// Address of the first warp slot's local memory, and bytes of each slot's.
    fn local_memory(&self) -> (u64, u64);
    /// Whether all its accesses are of whole words of 32 bits.
    fn accesses_words(&self) -> bool;
    /// What decides its course beside code and memory.
    fn digest(&self, d: &mut Digest);
}

/// A launch that has begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Its number, from 0.
    pub launch: u64,
    /// First cycle.
    pub cycle: u64,
    /// Kernel.
    pub kernel: String,
    /// Address of its program.
    pub base: u64,
    block: [u32; 3],
    /// Address of the first warp slot's local memory, and bytes of each slot's.
    pub local_memory: (u64, u64),
}

impl Begun {
    pub(crate) fn new(launch: u64, cycle: u64, kernel: &impl Kernel) -> Begun {
        Begun {
            launch,
            cycle,
            kernel: kernel.name().to_string(),
            base: kernel.base(),
            block: kernel.block(),
            local_memory: kernel.local_memory(),
        }
    }

    /// Coordinates of a thread of a work-group.
    pub fn thread(&self, number: u32) -> [u32; 3] {
        let [x, y, _] = self.block.map(|n| n.max(1));
        [number % x, number / x % y, number / x / y]
    }
}
