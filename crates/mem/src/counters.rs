//! What happened, as numbers.

use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// Declares a struct of u64 counters whose values can be added and subtracted.
macro_rules! counters {
    ($(#[$of:meta])* $name:ident { $($(#[$doc:meta])* $field:ident,)* }) => {
        $(#[$of])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct $name {
            $($(#[$doc])* pub $field: u64,)*
        }

        impl Sub for $name {
            type Output = $name;
            fn sub(self, other: $name) -> $name {
                $name { $($field: self.$field.wrapping_sub(other.$field),)* }
            }
        }

        impl Add for $name {
            type Output = $name;
            fn add(self, other: $name) -> $name {
                $name { $($field: self.$field.wrapping_add(other.$field),)* }
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: $name) {
                *self = *self + other;
            }
        }
    };
}

counters! {
    /// Of everything below the first-level caches; packets unless it says otherwise.
    MemoryCounters {
        /// Reads served by L2.
        l2_reads,
        /// Writes served by L2.
        l2_writes,
        /// Atomics served by L2.
        l2_atomics,
        /// Served from the line at once.
        l2_hits,
        /// That had to fetch.
        l2_misses,
        /// That waited for a fetch under way.
        l2_merged,
        /// Times the first packet of a slice's queue could not be served.
        l2_blocked,
        /// Lines that left L2 for another.
        l2_evictions,
        /// Of these, lines with bytes that memory did not have.
        l2_write_backs,
        /// Reads of a DRAM channel.
        dram_reads,
        /// Writes of a DRAM channel.
        dram_writes,
        /// Of both, how many found their row open.
        dram_row_hits,
        /// Bytes moved by DRAM.
        dram_bytes,
        /// Flits from SMs to slices.
        flits_to_l2,
        /// Flits from slices to SMs.
        flits_to_sm,
    }
}

counters! {
    /// Of one first-level cache.
    FirstLevelCounters {
        /// Loads, but for those that were blocked.
        reads,
        /// Loads served from the line.
        hits,
        /// Loads that sent a request.
        misses,
        /// Loads that joined a miss under way.
        merged,
        /// Loads that must be tried again.
        blocked,
        /// Stores.
        writes,
        /// Atomics that passed.
        atomics,
        /// Lines that left for another.
        evictions,
        /// Dirty bytes sent below, in packets.
        write_backs,
        /// Replies whose bytes were kept.
        fills,
    }
}
