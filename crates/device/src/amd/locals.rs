//! Where a launch's local arguments lie in a work-group's LDS.

use upset_gcn::container::{ArgumentKind, Kernel};

use crate::Args;

/// Alignment where a container names none: that of a vector of four words.
const ALIGN: u32 = 16;

/// Places of the arguments in LDS, behind what the kernel itself declares.
pub(super) struct Locals {
    /// Where each explicit argument lies, if it is one in LDS.
    places: Vec<Option<u32>>,
    /// Bytes of LDS with all of them.
    pub end: u64,
}

impl Locals {
    /// Lays out the arguments of a launch one behind the other, or says which
    /// one is not what the kernel takes.
    pub fn of(kernel: &Kernel, args: &Args) -> Result<Locals, String> {
        let mut end = u64::from(kernel.abi.lds_bytes());
        let wanted: Vec<_> = kernel.explicit().collect();
        if wanted.len() != args.iter().len() {
            let given = args.iter().len();
            return Err(format!("{given} arguments given, it takes {}", wanted.len()));
        }
        let mut places = Vec::new();
        for (n, (to, from)) in wanted.into_iter().zip(args.iter()).enumerate() {
            if let ArgumentKind::Other(what) = &to.kind {
                return Err(format!("argument {n} is {what}, which is not supported"));
            }
            let bytes = from.bytes.first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
            places.push(match (to.kind == ArgumentKind::Lds, from.local) {
                (false, false) => None,
                (true, true) => {
                    let place = end.next_multiple_of(u64::from(aligned(to.align)));
                    end = place + u64::from(bytes);
                    Some(u32::try_from(place).unwrap_or(u32::MAX))
                }
                (true, false) => {
                    return Err(format!("argument {n} points to local memory: give its size"));
                }
                (false, true) => {
                    return Err(format!("argument {n} does not point to local memory"));
                }
            });
        }
        Ok(Locals { places, end })
    }

    /// What the kernel gets for explicit argument `n` if that is in LDS.
    pub fn value(&self, n: usize) -> Option<Vec<u8>> {
        let place = self.places.get(n).copied().flatten()?;
        Some(place.to_le_bytes().to_vec())
    }
}

/// What a container says of alignment, if that is one.
fn aligned(says: u32) -> u32 {
    if says.is_power_of_two() { says } else { ALIGN }
}
