//! The operands in the repository reach what their files say, and all of them
//! are needed for it.

use upset_gates::{Fault, Faults, Netlist, OperandSet, Operands, Simulator, Unit, undetected};

fn committed(unit: Unit) -> OperandSet {
    let text = match unit {
        Unit::Fma => include_str!("../../../../kernels/burn/operands/fma.txt"),
        Unit::Iadd => include_str!("../../../../kernels/burn/operands/iadd.txt"),
        Unit::Imad => include_str!("../../../../kernels/burn/operands/imad.txt"),
    };
    let set = OperandSet::parse(text).expect("the file is as `cargo xtask gates` writes it");
    assert_eq!(set.unit, unit);
    set
}

fn missed(netlist: &Netlist, patterns: &[Operands], faults: &[Fault]) -> usize {
    undetected(&mut Simulator::new(netlist), patterns, faults).len()
}

/// Coverage as stated, at least what is promised, and less without any one of
/// some of the operands.
fn check(unit: Unit, most: usize, least_percent: f64) {
    let set = committed(unit);
    let netlist = unit.netlist();
    let faults = Faults::of(&netlist);
    assert_eq!((faults.all, faults.collapsed.len()), (set.faults, set.collapsed));
    assert!(set.patterns.len() <= most, "{} operands", set.patterns.len());
    assert!(set.coverage() >= least_percent, "{} %", set.coverage());
    let left = missed(&netlist, &set.patterns, &faults.collapsed);
    assert_eq!(set.collapsed - left, set.detected, "faults that the operands show");
    for without in [0, set.patterns.len() / 2, set.patterns.len() - 1] {
        let mut fewer = set.patterns.clone();
        fewer.remove(without);
        let more = missed(&netlist, &fewer, &faults.collapsed);
        assert!(more > left, "operands {without} of {} are needless", unit.name());
    }
}

#[test]
fn multiply_add() {
    check(Unit::Fma, 1000, 99.0);
}

#[test]
fn addition() {
    check(Unit::Iadd, 100, 100.0);
}

#[test]
fn integer_multiply_add() {
    check(Unit::Imad, 100, 99.99);
}
