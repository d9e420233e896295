//! Faults of a memory of single bits.

/// A change of a cell by a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transition {
    /// From 0 to 1.
    Rise,
    /// From 1 to 0.
    Fall,
}

/// What a read of several cells at once gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wired {
    /// 1 where all are 1.
    And,
    /// 1 where one is 1.
    Or,
}

/// What a read of no cell gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sense {
    /// Always the same.
    Constant(bool),
    /// What was last on the wires.
    Kept,
}

// Fields have the names of the literature; what they mean is said at each fault.
#[allow(missing_docs)]
/// One fault, with the cells that it concerns. `x` and `y` of the address faults
/// are an address each and the cell that belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// Always this value.
    StuckAt { cell: usize, value: bool },
    /// Does not make this change.
    Transition { cell: usize, fails: Transition },
    /// Address x leads nowhere; no address leads to cell x.
    NoCell { x: usize, sense: Sense },
    /// Address x leads nowhere; address y leads to both cells.
    Stolen { x: usize, y: usize, sense: Sense, wired: Wired },
    /// Both addresses lead to cell y; none to cell x.
    Merged { x: usize, y: usize },
    /// Address x leads to both cells, address y to its own.
    Shared { x: usize, y: usize, wired: Wired },
    /// This change of the aggressor inverts the victim.
    Inverting { aggressor: usize, victim: usize, on: Transition },
    /// This change of the aggressor gives the victim a value.
    Idempotent { aggressor: usize, victim: usize, on: Transition, value: bool },
    /// While the aggressor holds `state`, the victim has `value`.
    State { aggressor: usize, victim: usize, state: bool, value: bool },
}

/// Kinds of faults, as coverage is given for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// SAF: a cell is stuck.
    StuckAt,
    /// TF: a cell does not rise or does not fall.
    Transition,
    /// AF: the four address-decoder faults.
    Address,
    /// CFin: a change inverts another cell.
    Inverting,
    /// CFid: a change sets another cell.
    Idempotent,
    /// CFst: a state forces another cell.
    State,
}

impl Class {
    /// All of them.
    pub const ALL: [Class; 6] = [
        Class::StuckAt,
        Class::Transition,
        Class::Address,
        Class::Inverting,
        Class::Idempotent,
        Class::State,
    ];

    /// As the literature writes it.
    pub fn name(self) -> &'static str {
        match self {
            Class::StuckAt => "SAF",
            Class::Transition => "TF",
            Class::Address => "AF",
            Class::Inverting => "CFin",
            Class::Idempotent => "CFid",
            Class::State => "CFst",
        }
    }
}

const BITS: [bool; 2] = [false, true];
const CHANGES: [Transition; 2] = [Transition::Rise, Transition::Fall];
const WIRED: [Wired; 2] = [Wired::And, Wired::Or];
const SENSES: [Sense; 3] = [Sense::Constant(false), Sense::Constant(true), Sense::Kept];

impl Fault {
    /// Its class.
    pub fn class(self) -> Class {
        match self {
            Fault::StuckAt { .. } => Class::StuckAt,
            Fault::Transition { .. } => Class::Transition,
            Fault::NoCell { .. }
            | Fault::Stolen { .. }
            | Fault::Merged { .. }
            | Fault::Shared { .. } => Class::Address,
            Fault::Inverting { .. } => Class::Inverting,
            Fault::Idempotent { .. } => Class::Idempotent,
            Fault::State { .. } => Class::State,
        }
    }

    /// Every fault of a class that concerns one cell alone.
    pub fn of_one(class: Class, cell: usize) -> Vec<Fault> {
        match class {
            Class::StuckAt => BITS.map(|value| Fault::StuckAt { cell, value }).to_vec(),
            Class::Transition => CHANGES.map(|fails| Fault::Transition { cell, fails }).to_vec(),
            Class::Address => SENSES.map(|sense| Fault::NoCell { x: cell, sense }).to_vec(),
            Class::Inverting | Class::Idempotent | Class::State => Vec::new(),
        }
    }

    /// Every fault of a class that concerns these two cells in these two roles.
    pub fn of_two(class: Class, x: usize, y: usize) -> Vec<Fault> {
        let (aggressor, victim) = (x, y);
        match class {
            Class::StuckAt | Class::Transition => Vec::new(),
            Class::Address => {
                let mut all = vec![Fault::Merged { x, y }];
                for wired in WIRED {
                    all.push(Fault::Shared { x, y, wired });
                    all.extend(SENSES.map(|sense| Fault::Stolen { x, y, sense, wired }));
                }
                all
            }
            Class::Inverting => {
                CHANGES.map(|on| Fault::Inverting { aggressor, victim, on }).to_vec()
            }
            Class::Idempotent => CHANGES
                .into_iter()
                .flat_map(|on| BITS.map(|value| Fault::Idempotent { aggressor, victim, on, value }))
                .collect(),
            Class::State => BITS
                .into_iter()
                .flat_map(|state| {
                    BITS.map(|value| Fault::State { aggressor, victim, state, value })
                })
                .collect(),
        }
    }
}
