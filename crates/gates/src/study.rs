//! What a unit's operands reach, beside what multiplying matrices reaches.

use crate::circuits::Unit;
use crate::fault::{Fault, Faults};
use crate::generate::{Effort, Generated, generate};
use crate::netlist::{Netlist, Operands};
use crate::rival::{DCGM, GPU_BURN};
use crate::set::OperandSet;
use crate::sim::{Simulator, undetected};

/// Numbers of operations at which coverages are compared.
pub const OPERATIONS: [usize; 6] = [64, 256, 1024, 2048, 8192, 65536];

/// Figures of one unit.
#[derive(Clone, Debug)]
pub struct Study {
    /// Gates that compute.
    pub gates: usize,
    /// The longest way through them.
    pub depth: usize,
    /// What generation gave besides the operands.
    pub generated: Generated,
    /// The operands and what they reach.
    pub set: OperandSet,
    /// Classes of faults by part of the unit.
    pub regions: Vec<Region>,
    /// Faults that the operands show in the first output port alone (an addition's
    /// sum without its carries, a product's low word).
    pub first_port: usize,
}

/// Faults of one part of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Its name.
    pub name: &'static str,
    /// Classes of faults there.
    pub collapsed: usize,
    /// Of those, proved untestable.
    pub untestable: usize,
    /// Of those, neither shown nor proved untestable.
    pub unknown: usize,
}

/// Generates operands for a unit and measures them.
pub fn study(unit: Unit, effort: Effort) -> Study {
    let netlist = unit.netlist();
    let faults = Faults::of(&netlist);
    let generated = generate(unit, &netlist, effort);
    let mut simulator = Simulator::new(&netlist);
    let missed = undetected(&mut simulator, &generated.patterns, &faults.collapsed).len();
    simulator.look_at(0);
    let unseen = undetected(&mut simulator, &generated.patterns, &faults.collapsed).len();
    let set = OperandSet {
        unit,
        seed: effort.seed,
        faults: faults.all,
        collapsed: faults.collapsed.len(),
        untestable: generated.untestable.len(),
        detected: faults.collapsed.len() - missed,
        patterns: generated.patterns.clone(),
    };
    Study {
        gates: netlist.logic_gates(),
        depth: netlist.depth(),
        regions: regions(&netlist, &faults.collapsed, &generated),
        first_port: faults.collapsed.len() - unseen,
        generated,
        set,
    }
}

fn regions(netlist: &Netlist, faults: &[Fault], generated: &Generated) -> Vec<Region> {
    let mut regions: Vec<Region> = Vec::new();
    let mut count = |faults: &[Fault], add: fn(&mut Region)| {
        for fault in faults {
            let name = netlist.region(fault.gate());
            let at = regions.iter().position(|r| r.name == name).unwrap_or_else(|| {
                regions.push(Region { name, collapsed: 0, untestable: 0, unknown: 0 });
                regions.len() - 1
            });
            add(&mut regions[at]);
        }
    };
    count(faults, |r| r.collapsed += 1);
    count(&generated.untestable, |r| r.untestable += 1);
    count(&generated.unknown, |r| r.unknown += 1);
    regions
}

/// Faults that a way of testing has found after some operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The way.
    pub method: String,
    /// Found faults at each of [`OPERATIONS`]; none before its first check, and
    /// of our set not beyond its end.
    pub found: [Option<usize>; OPERATIONS.len()],
}

/// Our operands and the rivals' on the multiply-add's faults.
pub fn compare(set: &OperandSet, seed: u64) -> Vec<Reached> {
    let netlist = set.unit.netlist();
    let faults = Faults::of(&netlist).collapsed;
    let mut rows = vec![exact(
        "operands of this set, every result compared",
        &netlist,
        &faults,
        &set.patterns,
    )];
    for rival in [GPU_BURN, DCGM] {
        let checks = OPERATIONS[OPERATIONS.len() - 1] / rival.length;
        let counts = rival.found(&netlist, &faults, seed, checks);
        let found = OPERATIONS
            .map(|n| (n / rival.length).checked_sub(1).and_then(|i| counts.get(i).copied()));
        rows.push(Reached { method: format!("{}, first product good", rival.name), found });
        rows.push(Reached {
            method: format!("{}, first product of the same unit", rival.name),
            found: found.map(|f| f.map(|_| 0)),
        });
    }
    let operands = GPU_BURN.operands(seed, OPERATIONS[OPERATIONS.len() - 1] / GPU_BURN.length);
    rows.push(exact("gpu-burn's operands, every result compared", &netlist, &faults, &operands));
    rows
}

/// Coverage when every result of a list of operands is compared, all bits.
fn exact(method: &str, netlist: &Netlist, faults: &[Fault], operands: &[Operands]) -> Reached {
    let mut simulator = Simulator::new(netlist);
    let mut left = faults.to_vec();
    let mut done = 0;
    let mut found = [None; OPERATIONS.len()];
    for (n, found) in OPERATIONS.into_iter().zip(&mut found) {
        if done == operands.len() {
            break;
        }
        let until = n.min(operands.len());
        left = undetected(&mut simulator, &operands[done..until], &left);
        done = until;
        *found = Some(faults.len() - left.len());
    }
    Reached { method: method.to_string(), found }
}
