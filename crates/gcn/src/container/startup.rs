//! Which scalar registers hold what when a wavefront starts.
//!
//! First come the values of the user, then what hardware adds, without gaps:
//! the enabled coordinates of the work-group, its size, the offset of scratch
//! (CLRX, "GCN Machine State").

use std::fmt;

use super::abi::Abi;
use super::amd::{DataClass, UserData};
use super::descriptor::UserValue;

/// What scalar registers hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// A value of the HSA ABI.
    Hsa(UserValue),
    /// A value of AMD's older ABI: its class, and which of them.
    AppSdk(DataClass, u32),
    /// A coordinate of the work-group: 0 to 2.
    GroupId(usize),
    /// Size of the work-group in wavefronts, and which of them this is.
    GroupSize,
    /// Where the wavefront's scratch begins.
    ScratchOffset,
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Given::Hsa(value) => f.write_str(value.name()),
            Given::AppSdk(class, slot) => write!(f, "{} {slot}", class.name()),
            Given::GroupId(i) => write!(f, "group id {}", ["x", "y", "z"].get(*i).unwrap_or(&"?")),
            Given::GroupSize => f.write_str("group size"),
            Given::ScratchOffset => f.write_str("scratch offset"),
        }
    }
}

/// Scalar registers with something in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Startup {
    /// First register.
    pub first: u32,
    /// How many.
    pub count: u32,
    /// What they hold.
    pub given: Given,
}

impl fmt::Display for Startup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Startup { first, count, given } = self;
        match count {
            1 => write!(f, "s{first} {given}"),
            _ => write!(f, "s[{first}:{}] {given}", (first + count).saturating_sub(1)),
        }
    }
}

impl Abi {
    /// What scalar registers hold when a wavefront starts; others hold anything.
    pub fn startup(&self) -> Vec<Startup> {
        let mut list = match self {
            Abi::Hsa(d) => {
                let mut next = 0;
                let place = |value: UserValue| {
                    let (first, count) = (next, value.registers());
                    next += count;
                    Startup { first, count, given: Given::Hsa(value) }
                };
                d.user_values().map(place).collect()
            }
            Abi::AppSdk(a) => {
                let place = |u: &UserData| Startup {
                    first: u.first,
                    count: u.count,
                    given: Given::AppSdk(u.class, u.slot),
                };
                a.user_data.iter().map(place).collect::<Vec<_>>()
            }
        };
        let rsrc2 = self.rsrc2();
        let ids = (0..3).filter(|&i| rsrc2.group_ids()[i]).map(Given::GroupId);
        let size = rsrc2.has_group_size().then_some(Given::GroupSize);
        let scratch = rsrc2.has_scratch_offset().then_some(Given::ScratchOffset);
        for (first, given) in (rsrc2.user_sgprs()..).zip(ids.chain(size).chain(scratch)) {
            list.push(Startup { first, count: 1, given });
        }
        list
    }
}
