//! Lists of changes on their way between processes: bits side by side that
//! change alike are one entry, so that a dead bank is a line and not a book.
//!
//! For `#[serde(with = "upset_state::changes")]`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{ArrayId, Change, Force, How, Quirk, Site};

/// What is done to bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum What {
    Flip,
    Hold(bool),
    LetGo(bool),
    Begin(How),
    End(How),
}

/// Changes of bits of one array at one cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Batch {
    cycle: u64,
    what: What,
    array: ArrayId,
    /// First bit of each stretch, and how many.
    bits: Vec<(u64, u64)>,
}

fn what(change: &Change) -> What {
    match change {
        Change::Flip(_) => What::Flip,
        Change::Hold(force) => What::Hold(force.value),
        Change::LetGo(force) => What::LetGo(force.value),
        Change::Begin(quirk) => What::Begin(quirk.how),
        Change::End(quirk) => What::End(quirk.how),
    }
}

fn pack(changes: &[(u64, Change)]) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    for (cycle, change) in changes {
        let (what, Site { array, bit }) = (what(change), change.site());
        let alike = |b: &&mut Batch| (b.cycle, b.what, b.array) == (*cycle, what, array);
        match batches.last_mut().filter(alike) {
            Some(batch) => match batch.bits.last_mut() {
                Some((first, count)) if *first + *count == bit => *count += 1,
                _ => batch.bits.push((bit, 1)),
            },
            None => batches.push(Batch { cycle: *cycle, what, array, bits: vec![(bit, 1)] }),
        }
    }
    batches
}

fn unpack(batches: &[Batch]) -> Vec<(u64, Change)> {
    let mut changes = Vec::new();
    for b in batches {
        let change = |bit: u64| match b.what {
            What::Flip => Change::Flip(Site { array: b.array, bit }),
            What::Hold(value) => Change::Hold(Force { array: b.array, bit, value }),
            What::LetGo(value) => Change::LetGo(Force { array: b.array, bit, value }),
            What::Begin(how) => Change::Begin(Quirk { array: b.array, bit, how }),
            What::End(how) => Change::End(Quirk { array: b.array, bit, how }),
        };
        for &(first, count) in &b.bits {
            changes.extend((first..first.saturating_add(count)).map(|bit| (b.cycle, change(bit))));
        }
    }
    changes
}

/// Writes a list.
pub fn serialize<S: Serializer>(changes: &[(u64, Change)], to: S) -> Result<S::Ok, S::Error> {
    pack(changes).serialize(to)
}

/// Reads a list.
pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<(u64, Change)>, D::Error> {
    Ok(unpack(&Vec::<Batch>::deserialize(from)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use proptest::prelude::*;

    fn change(n: u64, bit: u64) -> (u64, Change) {
        let array = ArrayId::data(Kind::Rf, (n / 4 % 2) as u32);
        let force = Force { array, bit, value: n % 2 == 1 };
        let how = ["invert", "syndrome(units,seed=3)"][(n / 2 % 2) as usize].parse().unwrap();
        let change = match n % 5 {
            0 => Change::Flip(Site { array, bit }),
            1 => Change::Hold(force),
            2 => Change::Begin(Quirk { array, bit, how }),
            3 => Change::End(Quirk { array, bit, how }),
            _ => Change::LetGo(force),
        };
        (n / 8, change)
    }

    proptest! {
        #[test]
        fn lists_arrive_as_they_were_sent(list in prop::collection::vec((0u64..24, 0u64..6), 0..40)) {
            let list: Vec<_> = list.into_iter().map(|(n, bit)| change(n, bit)).collect();
            prop_assert_eq!(unpack(&pack(&list)), list);
        }
    }

    #[test]
    fn a_bank_is_one_entry() {
        let list: Vec<_> = (0..524_288).map(|bit| change(3, bit)).collect();
        assert_eq!(pack(&list).len(), 1);
        assert_eq!(pack(&list)[0].bits, [(0, 524_288)]);
    }
}
