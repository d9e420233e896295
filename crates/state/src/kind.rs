//! The table of kinds: all that is known of a kind of array beforehand.
//!
//! A kind is one row of [`KINDS`], from which [`Kind`] is made. Everything else
//! asks a column here instead of listing kinds. What a row does not say is on
//! the safe side (`About::unsaid`): nobody tells of its uses, it steers, and
//! its flips are simulated.

use serde::{Deserialize, Serialize};

/// What there is one array of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// A sub-core or SIMD unit: the instance is `sm * sub-cores + sub-core`.
    SubCore,
    /// An SM or compute unit.
    Sm,
    /// What the chip's list of caches says: an SM or a slice.
    Listed,
    /// The chip: memory beyond the caches.
    Chip,
}

/// Bits of a row, as [`Event`](crate::Event)s count rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowBits {
    /// These many.
    Fixed(u64),
    /// Those of the last axis: one register, one entry, one line.
    LastAxis,
}

/// How accesses take a row apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granules {
    /// Granules of a row; of a cache, of its longest.
    pub count: u32,
    /// Bits of each: an access takes all of them or none.
    pub bits: u32,
}

/// What a bit belongs to, and so how long somebody has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A thread: rows that its warp was given.
    Register,
    /// A thread: its part of local memory.
    Local,
    /// A warp in its slot. Its start sets the bits anew.
    Warp,
    /// A CTA: bytes that it was given.
    Cta,
    /// The address that its line was given to.
    Line,
    /// The chip: all of it is always in use.
    Chip,
}

impl Owner {
    /// Whether it is known from when to when each owner has which bits: such
    /// bits can be sampled actively.
    pub const fn has_stays(self) -> bool {
        match self {
            Owner::Register | Owner::Local | Owner::Cta => true,
            Owner::Warp | Owner::Line | Owner::Chip => false,
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// Which kind; number 0 stands for all caches.
    pub kind: Kind,
    /// Its name in sites and structures. Caches have theirs from the chip.
    pub name: &'static str,
    /// What people read.
    pub noun: &'static str,
    /// What there is one array of.
    pub per: Per,
    /// Its lines have tags and states beside their data.
    pub parted: bool,
    /// Bits of a row.
    pub row: RowBits,
    /// How accesses take a row apart, where they are told.
    pub granules: Option<Granules>,
    /// Bits of a register of it, where `bit*` in a name means so many on every chip.
    pub register_bits: Option<u32>,
    /// Every use is told to probes while kernels run.
    pub observed: bool,
    /// Uses are told from the time the bits are there, so that lifetimes can be
    /// added up: ACE bounds, exact counts.
    pub whole_life: bool,
    /// Control state, seen by the logic at any time: a warp may wait for what a
    /// change of its bits decides, and stuck bits are put back within the cycle.
    pub steers: bool,
    /// Ghosts can follow a flip of its data from the start.
    pub followable: bool,
    /// Rows that ghosts keep together, at most 32 words.
    pub ghost_rows: u32,
    /// What its bits belong to.
    pub owner: Owner,
    /// Wires and latches of logic: they hold nothing between uses, so nothing
    /// is there to flip, and broken bits act where the wire is driven
    /// ([`Probe::drive`](crate::Probe::drive)).
    pub wire: bool,
    /// A wire that logic looks through at any time, not once for each use: what is
    /// wrong with it is so for whole cycles.
    pub looked_through: bool,
    /// Uses of it come with the operands of an instruction, lane by lane.
    pub operands: bool,
    /// Bits that every access takes together, for codes over words; of memories
    /// it is 32 in runs whose accesses are all of whole words.
    pub ecc_bits: Option<u32>,
}

impl About {
    /// A kind of which nothing else is said; the list says which.
    const fn unsaid(name: &'static str, noun: &'static str, per: Per) -> About {
        About {
            kind: Kind::Cache(u8::MAX),
            name,
            noun,
            per,
            parted: false,
            row: RowBits::LastAxis,
            granules: None,
            register_bits: None,
            observed: false,
            whole_life: false,
            steers: true,
            followable: false,
            ghost_rows: 1,
            owner: Owner::Chip,
            wire: false,
            looked_through: false,
            operands: false,
            ecc_bits: None,
        }
    }

    /// A kind of wires: there is nothing to put back between uses.
    const fn wire(mut self) -> About {
        self.wire = true;
        self.steers = false;
        self
    }

    /// Latches of what a unit makes of operands.
    const fn results(mut self) -> About {
        self.operands = true;
        self.wire()
    }

    /// A kind that carries values: all its uses are told, in granules.
    const fn values(mut self, count: u32, bits: u32, owner: Owner) -> About {
        self.granules = Some(Granules { count, bits });
        self.observed = true;
        self.whole_life = true;
        self.steers = false;
        self.followable = true;
        self.owner = owner;
        self
    }

    /// Bits of a lane, where the lanes of a row lie side by side.
    pub fn lane_bits(&self) -> Option<u32> {
        self.granules.filter(|g| g.count == 32).map(|g| g.bits)
    }
}

/// Makes [`Kind`], [`KINDS`] and the way from one to the other out of one list.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident: $about:expr,)*) => {
        /// What an array stores.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
            /// The cache with this number in the chip's list.
            Cache(u8),
        }

        /// Places in [`KINDS`]; all caches share the last.
        enum Row {
            $($kind,)*
            Cache,
        }

        /// All kinds, in the order of [`Kind::index`].
        pub static KINDS: [About; Row::Cache as usize + 1] =
            [$(About { kind: Kind::$kind, ..$about },)* CACHE];

        impl Kind {
            /// A small number: its place in [`KINDS`], and the caches from there on.
            #[inline]
            pub const fn index(self) -> usize {
                match self {
                    $(Kind::$kind => Row::$kind as usize,)*
                    Kind::Cache(n) => Row::Cache as usize + n as usize,
                }
            }
        }
    };
}

kinds! {
    /// Vector registers.
    Rf: About {
        row: RowBits::Fixed(32 * 32),
        register_bits: Some(32),
        ecc_bits: Some(32),
        ..About::unsaid("rf", "register file", Per::SubCore).values(32, 32, Owner::Register)
    },
    /// Predicates.
    Pred: About {
        register_bits: Some(32),
        ..About::unsaid("pred", "predicates", Per::Sm).values(32, 1, Owner::Warp)
    },
    /// Uniform registers.
    Ureg: About {
        register_bits: Some(32),
        ghost_rows: 32,
        ecc_bits: Some(32),
        ..About::unsaid("ureg", "uniform registers", Per::Sm).values(1, 32, Owner::Warp)
    },
    /// Uniform predicates.
    Upred: About::unsaid("upred", "uniform predicates", Per::Sm).values(1, 1, Owner::Warp),
    /// Shared memory.
    Smem: About {
        row: RowBits::Fixed(8),
        ghost_rows: 128,
        ecc_bits: Some(8),
        ..About::unsaid("smem", "shared memory", Per::Sm).values(1, 8, Owner::Cta)
    },
    /// Instruction buffers.
    Ibuf: About::unsaid("ibuf", "instruction buffers", Per::Sm).values(1, 128, Owner::Warp),
    /// Program counters.
    Pc: About { owner: Owner::Warp, ..About::unsaid("pc", "program counters", Per::Sm) },
    /// Active and live masks.
    Mask: About { owner: Owner::Warp, ..About::unsaid("mask", "thread masks", Per::Sm) },
    /// Convergence barriers.
    Conv: About { owner: Owner::Warp, ..About::unsaid("conv", "convergence barriers", Per::Sm) },
    /// Scoreboards.
    Sb: About { owner: Owner::Warp, ..About::unsaid("sb", "dependence counters", Per::Sm) },
    /// Counters of the CTAs' named barriers.
    Bar: About::unsaid("bar", "CTA barrier counters", Per::Sm),
    /// Vector registers of a SIMD unit; a row is half a register.
    Vrf: About {
        row: RowBits::Fixed(32 * 32),
        register_bits: Some(32),
        ecc_bits: Some(32),
        ..About::unsaid("vrf", "vector registers", Per::SubCore).values(32, 32, Owner::Register)
    },
    /// Scalar registers of the waves of a SIMD unit, VCC among them.
    Srf: About {
        register_bits: Some(32),
        ghost_rows: 32,
        ecc_bits: Some(32),
        ..About::unsaid("srf", "scalar registers", Per::SubCore).values(1, 32, Owner::Warp)
    },
    /// Local data share.
    Lds: About {
        row: RowBits::Fixed(8),
        ghost_rows: 128,
        ecc_bits: Some(8),
        ..About::unsaid("lds", "local data share", Per::Sm).values(1, 8, Owner::Cta)
    },
    /// Lanes that execute.
    Exec: About { owner: Owner::Warp, ..About::unsaid("exec", "execution masks", Per::Sm) },
    /// Scalar condition codes.
    Scc: About::unsaid("scc", "scalar condition codes", Per::Sm).values(1, 1, Owner::Warp),
    /// Limits of LDS accesses and register offsets.
    M0: About {
        register_bits: Some(32),
        ghost_rows: 32,
        ecc_bits: Some(32),
        ..About::unsaid("m0", "M0 registers", Per::Sm).values(1, 32, Owner::Warp)
    },
    /// Rounding and denormals.
    Mode: About { owner: Owner::Warp, ..About::unsaid("mode", "mode registers", Per::Sm) },
    /// Counters of outstanding memory operations.
    Wait: About { owner: Owner::Warp, ..About::unsaid("wait", "wait counters", Per::Sm) },
    /// Local memory in device memory.
    Lmem: About {
        row: RowBits::Fixed(128 * 8),
        ecc_bits: Some(8),
        ..About::unsaid("lmem", "local memory", Per::Chip).values(128, 8, Owner::Local)
    },
    /// Global memory.
    Gmem: About {
        row: RowBits::Fixed(128 * 8),
        // Left out of bounds and exact counts (docs/ace.md).
        whole_life: false,
        ecc_bits: Some(8),
        ..About::unsaid("gmem", "global memory", Per::Chip).values(128, 8, Owner::Chip)
    },
    /// Valid, ready, waiting and finished bits of warp slots.
    Wstate: About { owner: Owner::Warp, ..About::unsaid("wstate", "warp states", Per::Sm) },
    /// Result latches of the FP32 and integer multiply-add unit.
    Fma: About::unsaid("fma", "FMA result latches", Per::SubCore).results(),
    /// Result latches of the integer unit, predicates included.
    Alu: About::unsaid("alu", "ALU result latches", Per::SubCore).results(),
    /// Result latches of the double-precision unit.
    Fp64: About::unsaid("fp64", "FP64 result latches", Per::SubCore).results(),
    /// Result latches of the transcendental unit.
    Mufu: About::unsaid("mufu", "MUFU result latches", Per::SubCore).results(),
    /// Address latches of the load/store unit.
    Lsua: About::unsaid("lsua", "load/store address latches", Per::SubCore).wire(),
    /// Data latches of the load/store unit.
    Lsud: About::unsaid("lsud", "load/store data latches", Per::SubCore).wire(),
    /// Operand latches.
    Opnd: About::unsaid("opnd", "operand latches", Per::SubCore).wire(),
    /// The scheduler's ready and select lines.
    Sched: About::unsaid("sched", "scheduler lines", Per::SubCore).wire(),
    /// Outputs of the divergence unit.
    Div: About::unsaid("div", "divergence unit outputs", Per::SubCore).wire(),
    /// Ports of the warp pool: masks and program counters pass them.
    Port: About {
        looked_through: true,
        ..About::unsaid("port", "warp pool ports", Per::Sm).wire()
    },
    /// Entries of divergence stacks.
    Stack: About { owner: Owner::Warp, ..About::unsaid("stack", "divergence stacks", Per::Sm) },
    /// How many entries of them are in use.
    Sdepth: About { owner: Owner::Warp, ..About::unsaid("sdepth", "stack depths", Per::Sm) },
    /// Threads that have left for an entry of a stack.
    Tstate: About { owner: Owner::Warp, ..About::unsaid("tstate", "thread states", Per::Sm) },
    /// Condition codes of threads.
    Cc: About { owner: Owner::Warp, ..About::unsaid("cc", "condition codes", Per::Sm) },
}

/// The row of all caches.
const CACHE: About = About {
    kind: Kind::Cache(0),
    parted: true,
    ecc_bits: Some(8),
    ..About::unsaid("cache", "cache", Per::Listed).values(128, 8, Owner::Line)
};

/// Names of caches, nearest first, of which a chip has some.
pub const CACHES: [&str; 7] = ["l1d", "l1t", "l1c", "l1v", "l1s", "l1i", "l2"];

impl Kind {
    /// The kind with a number ([`Kind::index`]).
    pub fn with_index(index: usize) -> Kind {
        match KINDS.get(index).filter(|about| !about.parted) {
            Some(about) => about.kind,
            None => Kind::Cache((index - Row::Cache as usize) as u8),
        }
    }

    /// What is known of it.
    #[inline]
    pub fn about(self) -> &'static About {
        &KINDS[self.index().min(Row::Cache as usize)]
    }

    /// Name of every kind that is no cache.
    pub fn name(self) -> Option<&'static str> {
        let about = self.about();
        (!about.parted).then_some(about.name)
    }
}

/// The kind with a name (`rf`), unless it is that of a cache.
pub fn named(name: &str) -> Option<&'static About> {
    KINDS.iter().find(|a| !a.parted && a.name == name)
}

/// Whether some chip has a cache of this name.
pub fn is_cache(name: &str) -> bool {
    CACHES.contains(&name)
}

/// Kinds that steer.
pub fn steering() -> impl Iterator<Item = Kind> {
    KINDS.iter().filter(|a| a.steers).map(|a| a.kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_and_nouns_are_unique() {
        let names: BTreeSet<&str> = KINDS.iter().map(|a| a.name).chain(CACHES).collect();
        assert_eq!(names.len(), KINDS.len() + CACHES.len());
        assert!(names.iter().all(|n| n.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9'))));
        let nouns: BTreeSet<&str> = KINDS.iter().map(|a| a.noun).collect();
        assert_eq!(nouns.len(), KINDS.len());
        assert!(!names.contains("") && !nouns.contains(""));
    }

    #[test]
    fn every_kind_has_its_row() {
        for (i, about) in KINDS.iter().enumerate() {
            assert_eq!((about.kind.index(), about.kind.about()), (i, about));
            assert_eq!(Kind::with_index(i), about.kind);
            assert_eq!(about.kind.name(), (!about.parted).then_some(about.name));
            assert_eq!(named(about.name), (!about.parted).then_some(about));
        }
        // All caches share one.
        for n in [0, 4, u8::MAX] {
            assert_eq!(Kind::Cache(n).about(), &CACHE);
            assert_eq!(Kind::Cache(n).index(), Row::Cache as usize + usize::from(n));
            assert_eq!(Kind::with_index(Kind::Cache(n).index()), Kind::Cache(n));
        }
        assert!(CACHES.iter().all(|name| named(name).is_none() && is_cache(name)));
        assert_eq!(named("l9"), None);
    }

    #[test]
    fn what_is_not_said_is_on_the_safe_side() {
        let new = About { kind: Kind::Sb, ..About::unsaid("new", "new things", Per::Sm) };
        assert!(new.steers && !new.observed && !new.whole_life && !new.followable && !new.wire);
        assert_eq!((new.granules, new.register_bits, new.ecc_bits), (None, None, None));
        // Always in use, never lost with a warp, never sampled actively.
        assert_eq!(new.owner, Owner::Chip);
        assert!(!new.owner.has_stays());
        contradicts_itself_nowhere(&new);
    }

    #[test]
    fn no_row_contradicts_itself() {
        KINDS.iter().for_each(contradicts_itself_nowhere);
    }

    fn contradicts_itself_nowhere(a: &About) {
        let name = a.name;
        // Control is seen at any time, so its uses cannot be told one by one.
        assert!(!(a.steers && a.observed), "{name}");
        // A wire holds nothing that could be put back, told, followed or coded.
        assert!(!a.wire || !(a.steers || a.observed || a.followable), "{name}");
        assert!(!a.wire || a.ecc_bits.is_none() && a.owner == Owner::Chip, "{name}");
        assert!(a.wire || a.steers || a.observed, "{name}");
        // Ghosts move with accesses.
        assert!(!a.followable || a.observed, "{name}");
        assert!(!a.whole_life || a.observed, "{name}");
        assert_eq!(a.observed, a.granules.is_some(), "{name}");
        // Lifetimes are shares of what somebody owns.
        assert!(!a.whole_life || a.owner != Owner::Chip, "{name}");
        assert!(!a.owner.has_stays() || a.whole_life, "{name}");
        // Warps that wait are roused, and stuck bits put back, SM by SM.
        assert!(!a.steers || a.per == Per::Sm, "{name}");
        assert_eq!(a.parted, matches!(a.kind, Kind::Cache(_)), "{name}");
        assert_eq!(a.parted, a.owner == Owner::Line, "{name}");
        assert_eq!(a.parted, a.per == Per::Listed, "{name}");
        if let Some(Granules { count, bits }) = a.granules {
            // A row's granules are a mask of 128 bits; lanes are found by shifting.
            assert!((1..=128).contains(&count) && bits.is_power_of_two(), "{name}");
            let row = u64::from(count) * u64::from(bits);
            if let RowBits::Fixed(fixed) = a.row {
                assert_eq!(row, fixed, "{name}");
            }
            if let Some(register) = a.register_bits {
                assert_eq!(row % u64::from(register), 0, "{name}");
            }
        }
        // Ghosts know 32 words by one place.
        if let Some(Granules { count, bits }) = a.granules {
            let row = u64::from(count) * u64::from(bits);
            assert!(a.ghost_rows == 1 || row * u64::from(a.ghost_rows) == 1024, "{name}");
        }
        // A code's words are what accesses take.
        assert!(a.ecc_bits.is_none() || a.ecc_bits == a.granules.map(|g| g.bits), "{name}");
        assert!(a.register_bits.is_none() || a.granules.is_some(), "{name}");
        assert!(!a.operands || a.wire, "{name}");
        assert!(!a.looked_through || a.wire, "{name}");
    }
}
