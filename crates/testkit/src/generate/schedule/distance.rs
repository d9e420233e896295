//! Least distances in cycles between the issue of an instruction of fixed
//! latency and of one that uses its result.
//!
//! From Mesa NAK's latency tables for sm_75 and sm_80 (the latter stands for
//! sm_90 as well) and from public measurements of Volta. `tight` is what the
//! tables allow, the other numbers leave room.

use super::effects::{Effects, Timing, is_predicate};
use crate::Rng;
use upset_isa::Unit;
use upset_sass::Arch;

/// How a result is used.
#[derive(Clone, Copy)]
pub(crate) enum Use<'a> {
    /// As a source of (or overwritten by) this instruction.
    Source(&'a Effects),
    /// As a guard or for a branch.
    Early,
    /// By whatever comes next; no branch through a register.
    Anything,
}

/// Cycles from `producer` until `resource` can be used so.
pub(crate) fn least(
    producer: &Effects,
    resource: usize,
    used: Use<'_>,
    arch: Arch,
    tight: bool,
    rng: &mut Rng,
) -> u8 {
    let early = match used {
        Use::Early => true,
        Use::Anything => is_predicate(resource),
        Use::Source(_) => false,
    };
    match producer.unit {
        Unit::Uniform => uniform(used, early, tight),
        Unit::Fp64 if early => 15,
        Unit::Fp64 => {
            if tight {
                10
            } else {
                12
            }
        }
        Unit::Half | Unit::System => {
            if early {
                15
            } else {
                8
            }
        }
        _ if early && arch == Arch::Sm75 && tight => 12,
        _ if early => 13,
        _ => match used {
            Use::Source(consumer) if tight => source(producer, consumer, arch, rng),
            _ => 6,
        },
    }
}

fn uniform(used: Use<'_>, early: bool, tight: bool) -> u8 {
    match used {
        _ if early => 13,
        Use::Source(c) if tight && c.unit == Unit::Uniform => 6,
        Use::Source(c) if tight && c.timing == Timing::Fixed => 8,
        Use::Source(_) if tight => 10,
        _ => 12,
    }
}

/// ALU and multiply-add pipes.
fn source(producer: &Effects, consumer: &Effects, arch: Arch, rng: &mut Rng) -> u8 {
    let cross = producer.unit != consumer.unit;
    let least = match consumer.timing {
        // The high word of a wide product comes late.
        _ if producer.wide => 6,
        Timing::Fixed if cross => 5,
        Timing::Fixed if producer.integer && arch == Arch::Sm70 => 5,
        Timing::Fixed => 4,
        _ if arch <= Arch::Sm75 => 6,
        _ => 5,
    };
    least + rng.below(2) as u8
}
