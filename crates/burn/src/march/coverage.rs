//! Which faults a March test finds, by trying all of them.

use super::{Class, Fault, March, Memory, Op, Order, Sense};

/// Faults of one class: how many there are, how many are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The class.
    pub class: Class,
    /// Faults tried.
    pub faults: u64,
    /// Faults found whatever the memory held before the test.
    pub detected: u64,
}

impl Coverage {
    /// Whether every fault is found.
    pub fn is_complete(&self) -> bool {
        self.detected == self.faults
    }
}

/// Tries every fault of a class in a memory of so many cells: of couplings and
/// address faults, every ordered pair of cells. A fault counts as found when it
/// is found for every content of the concerned cells before the test.
pub fn coverage(march: &March, class: Class, cells: usize) -> Coverage {
    let mut coverage = Coverage { class, faults: 0, detected: 0 };
    let mut count = |found: bool| {
        coverage.faults += 1;
        coverage.detected += u64::from(found);
    };
    for x in 0..cells {
        for fault in Fault::of_one(class, x) {
            count(detects(march, fault, cells));
        }
        for y in (0..cells).filter(|&y| y != x) {
            for fault in Fault::of_two(class, x, y) {
                count(detects(march, fault, cells));
            }
        }
    }
    coverage
}

/// Whether a March test finds a fault in a memory of so many cells.
///
/// Only visits to the concerned cells are simulated where no other cell can
/// change what happens there; a test compares with the whole memory.
pub fn detects(march: &March, fault: Fault, cells: usize) -> bool {
    match concerned(fault) {
        // Of a cell alone its place in the walk does not matter, of two only
        // which comes first.
        Concerned::One => every_start::<1>(march, moved(fault, 0, 0)),
        Concerned::Two(one, other) if one < other => every_start::<2>(march, moved(fault, 0, 1)),
        Concerned::Two(..) => every_start::<2>(march, moved(fault, 1, 0)),
        Concerned::All => detects_in_whole(march, fault, cells),
    }
}

/// The same with every cell of the memory simulated, from all zeroes and all ones.
pub fn detects_in_whole(march: &March, fault: Fault, cells: usize) -> bool {
    [false, true].into_iter().all(|start| fails(march, Some(fault), &mut vec![start; cells]))
}

/// The cells whose visits decide whether a fault is found.
enum Concerned {
    One,
    Two(usize, usize),
    /// Wires keep what other cells left.
    All,
}

fn concerned(fault: Fault) -> Concerned {
    match fault {
        Fault::NoCell { sense: Sense::Kept, .. } | Fault::Stolen { sense: Sense::Kept, .. } => {
            Concerned::All
        }
        Fault::StuckAt { .. } | Fault::Transition { .. } | Fault::NoCell { .. } => Concerned::One,
        Fault::Stolen { x, y, .. } | Fault::Merged { x, y } | Fault::Shared { x, y, .. } => {
            Concerned::Two(x, y)
        }
        Fault::Inverting { aggressor, victim, .. }
        | Fault::Idempotent { aggressor, victim, .. }
        | Fault::State { aggressor, victim, .. } => Concerned::Two(aggressor, victim),
    }
}

/// The same fault at other cells.
fn moved(fault: Fault, one: usize, other: usize) -> Fault {
    let (x, y, aggressor, victim) = (one, other, one, other);
    match fault {
        Fault::StuckAt { value, .. } => Fault::StuckAt { cell: one, value },
        Fault::Transition { fails, .. } => Fault::Transition { cell: one, fails },
        Fault::NoCell { sense, .. } => Fault::NoCell { x, sense },
        Fault::Stolen { sense, wired, .. } => Fault::Stolen { x, y, sense, wired },
        Fault::Merged { .. } => Fault::Merged { x, y },
        Fault::Shared { wired, .. } => Fault::Shared { x, y, wired },
        Fault::Inverting { on, .. } => Fault::Inverting { aggressor, victim, on },
        Fault::Idempotent { on, value, .. } => Fault::Idempotent { aggressor, victim, on, value },
        Fault::State { state, value, .. } => Fault::State { aggressor, victim, state, value },
    }
}

/// Whether a fault in a memory this small is found from every content.
fn every_start<const CELLS: usize>(march: &March, fault: Fault) -> bool {
    (0..1u32 << CELLS).all(|bits| {
        let mut cells = std::array::from_fn::<bool, CELLS, _>(|i| bits >> i & 1 == 1);
        fails(march, Some(fault), &mut cells)
    })
}

/// Runs the test on these cells; whether some read is not as expected.
fn fails(march: &March, fault: Option<Fault>, cells: &mut [bool]) -> bool {
    let count = cells.len();
    let mut memory = Memory::new(cells, fault);
    let mut visit = |address: usize, ops: &[Op]| {
        ops.iter().any(|op| match *op {
            Op::Read(expected) => memory.read(address) != expected,
            Op::Write(value) => {
                memory.write(address, value);
                false
            }
        })
    };
    march.elements().iter().any(|element| match element.order {
        Order::Up | Order::Either => (0..count).any(|a| visit(a, &element.ops)),
        Order::Down => (0..count).rev().any(|a| visit(a, &element.ops)),
    })
}

#[cfg(test)]
mod tests {
    use super::super::algorithms::{MARCH_B, MARCH_C_MINUS, MARCH_X, MARCH_Y, MATS_PLUS};
    use super::super::{ALGORITHMS, Algorithm};
    use super::*;

    const CELLS: usize = 1024;

    fn found(algorithm: &Algorithm, class: Class, cells: usize) -> (u64, u64) {
        let coverage = coverage(&algorithm.march(), class, cells);
        (coverage.detected, coverage.faults)
    }

    /// All faults there are in 1,024 cells; the counts are worked out by hand.
    #[test]
    fn march_c_minus_finds_every_fault_of_1024_cells() {
        let pairs = 1024 * 1023;
        let expected = [
            (Class::StuckAt, 2 * 1024),
            (Class::Transition, 2 * 1024),
            (Class::Inverting, 2 * pairs),
            (Class::Idempotent, 4 * pairs),
            (Class::State, 4 * pairs),
        ];
        for (class, faults) in expected {
            assert_eq!(found(&MARCH_C_MINUS, class, CELLS), (faults, faults), "{class:?}");
        }
    }

    /// Wires that keep what other cells left need the whole memory: the pairs
    /// without them at 1,024 cells, all of them at 48.
    #[test]
    fn march_c_minus_and_mats_plus_find_every_address_fault() {
        for algorithm in [&MARCH_C_MINUS, &MATS_PLUS] {
            let march = algorithm.march();
            for x in 0..CELLS {
                let one = Fault::of_one(Class::Address, x);
                assert!(one.into_iter().all(|f| detects(&march, f, CELLS)), "{x}");
                for y in (0..CELLS).filter(|&y| y != x) {
                    let pairs = Fault::of_two(Class::Address, x, y);
                    let quick = |f: &Fault| !matches!(concerned(*f), Concerned::All);
                    assert!(pairs.into_iter().filter(quick).all(|f| detects(&march, f, CELLS)));
                }
            }
            let (detected, faults) = found(algorithm, Class::Address, 48);
            assert_eq!((detected, faults), (48 * 3 + 48 * 47 * 9, 48 * 3 + 48 * 47 * 9));
        }
    }

    #[test]
    fn mats_plus_misses_what_it_is_known_to_miss() {
        let pairs = 1024 * 1023;
        assert_eq!(found(&MATS_PLUS, Class::StuckAt, CELLS), (2048, 2048));
        // The last write is never read: no fall is seen.
        assert_eq!(found(&MATS_PLUS, Class::Transition, CELLS), (1024, 2048));
        for (class, of_a_pair) in [(Class::Inverting, 2), (Class::Idempotent, 4), (Class::State, 4)]
        {
            let (detected, faults) = found(&MATS_PLUS, class, CELLS);
            assert_eq!(faults, of_a_pair * pairs);
            assert!(detected < faults, "{class:?}");
        }
    }

    /// As in van de Goor's book, which says nothing of March B and CFst.
    #[test]
    fn the_others_find_what_they_are_known_for() {
        let complete = |algorithm: &Algorithm| {
            let march = algorithm.march();
            Class::ALL.map(|class| coverage(&march, class, 24).is_complete())
        };
        //                                    SAF   TF    AF    CFin  CFid   CFst
        assert_eq!(complete(&MATS_PLUS), [true, false, true, false, false, false]);
        assert_eq!(complete(&MARCH_X), [true, true, true, true, false, false]);
        assert_eq!(complete(&MARCH_Y), [true, true, true, true, false, false]);
        assert_eq!(complete(&MARCH_B), [true, true, true, true, true, true]);
        assert_eq!(complete(&MARCH_C_MINUS), [true, true, true, true, true, true]);
    }

    /// The shortcut of simulating only the concerned cells is exact.
    #[test]
    fn two_cells_stand_for_the_whole_memory() {
        const N: usize = 7;
        for algorithm in &ALGORITHMS {
            let march = algorithm.march();
            for class in Class::ALL {
                for x in 0..N {
                    let two = (0..N).filter(|&y| y != x).flat_map(|y| Fault::of_two(class, x, y));
                    for fault in Fault::of_one(class, x).into_iter().chain(two) {
                        // Any content of all cells against any of the concerned ones.
                        let whole = (0..1u32 << N).all(|bits| {
                            let mut cells: [bool; N] = std::array::from_fn(|i| bits >> i & 1 == 1);
                            fails(&march, Some(fault), &mut cells)
                        });
                        assert_eq!(detects(&march, fault, N), whole, "{march} {fault:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_memory_without_faults_passes_every_test() {
        for algorithm in &ALGORITHMS {
            assert!(!fails(&algorithm.march(), None, &mut [true; 64]));
        }
    }
}
