//! The figures of `studies/gates.json` and on the page are those of the circuits
//! and the operands.

use serde_json::Value;
use upset_gates::{
    DCGM, Effort, Fault, Faults, GPU_BURN, OPERATIONS, OperandSet, Operands, Random, Simulator,
    Unit, Verdict, compare, draw, search, study, undetected,
};

const SEED: u64 = 1;

fn figures() -> Value {
    serde_json::from_str(include_str!("../../../../studies/gates.json")).expect("JSON")
}

fn number(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

fn list(value: &Value) -> Vec<Fault> {
    let words = value.as_array().expect("a list").iter().map(|v| v.as_str().expect("text"));
    words.map(|w| w.split(' ').next().unwrap_or(w).parse().expect("a fault")).collect()
}

fn fma() -> OperandSet {
    OperandSet::parse(include_str!("../../../../kernels/burn/operands/fma.txt")).expect("operands")
}

/// Sizes, and that what is said to be open is exactly what the operands miss.
#[test]
fn every_fault_is_shown_proved_or_listed() {
    let files = [
        include_str!("../../../../kernels/burn/operands/fma.txt"),
        include_str!("../../../../kernels/burn/operands/iadd.txt"),
        include_str!("../../../../kernels/burn/operands/imad.txt"),
    ];
    for (unit, file) in Unit::ALL.into_iter().zip(files) {
        let set = OperandSet::parse(file).expect("operands");
        let value = &figures()["units"][unit.name()];
        let netlist = unit.netlist();
        let faults = Faults::of(&netlist);
        assert_eq!(number(&value["gates"]), netlist.logic_gates());
        assert_eq!(number(&value["depth"]), netlist.depth());
        assert_eq!(number(&value["faults"]), faults.all);
        assert_eq!(number(&value["collapsed"]), faults.collapsed.len());
        assert_eq!(number(&value["operands"]), set.patterns.len());
        let mut open = list(&value["untestable"]);
        assert_eq!(open.len(), set.untestable);
        open.extend(list(&value["unknown"]));
        open.sort();
        let mut simulator = Simulator::new(&netlist);
        let mut missed = undetected(&mut simulator, &set.patterns, &faults.collapsed);
        missed.sort();
        assert_eq!(missed, open, "{}", unit.name());
        simulator.look_at(0);
        let unseen = undetected(&mut simulator, &set.patterns, &faults.collapsed).len();
        assert_eq!(number(&value["detected_first_port"]), faults.collapsed.len() - unseen);
        for part in value["parts"].as_array().expect("parts") {
            let here = |f: &&Fault| part["part"] == netlist.region(f.gate());
            assert_eq!(number(&part["collapsed"]), faults.collapsed.iter().filter(here).count());
            let untestable = list(&value["untestable"]);
            assert_eq!(number(&part["untestable"]), untestable.iter().filter(here).count());
        }
    }
}

/// What is called untestable is proved so again (a sample), and no operands that
/// generation did not see show any of it.
#[test]
fn the_untestable_are_untestable() {
    let netlist = Unit::Fma.netlist();
    let untestable = list(&figures()["units"]["fma"]["untestable"]);
    let mut random = Random::new(77);
    for &fault in untestable.iter().step_by(25) {
        assert_eq!(search(&netlist, fault, 1000, &mut random), Verdict::Untestable, "{fault}");
    }
    let fresh: Vec<Operands> = (0..20_000).map(|_| draw(Unit::Fma, &mut random)).collect();
    let mut simulator = Simulator::new(&netlist);
    assert_eq!(undetected(&mut simulator, &fresh, &untestable), untestable);
}

/// What can be said quickly about the table of methods.
#[test]
fn methods_reach_what_the_table_says() {
    let rows = &figures()["units"]["fma"]["methods"];
    let found = |name: &str, at: usize| {
        let rows = rows.as_array().expect("rows");
        let row = rows.iter().find(|r| r["method"] == name).expect("a row of this name");
        row["found"][at].as_u64().map(|n| n as usize)
    };
    let netlist = Unit::Fma.netlist();
    let faults = Faults::of(&netlist).collapsed;
    let mut simulator = Simulator::new(&netlist);
    let set = fma();
    let matrices = GPU_BURN.operands(SEED, 1);
    for (at, n) in OPERATIONS.into_iter().enumerate().take(3) {
        let count = |left: Vec<Fault>| Some(faults.len() - left.len());
        let ours = &set.patterns[..n.min(set.patterns.len())];
        assert_eq!(
            found("operands of this set, every result compared", at),
            count(undetected(&mut simulator, ours, &faults))
        );
        assert_eq!(
            found("gpu-burn's operands, every result compared", at),
            count(undetected(&mut simulator, &matrices[..n], &faults))
        );
    }
    // A matrix product can find nothing that its operands do not show.
    let operands = DCGM.operands(SEED, 1);
    assert_eq!(operands.len(), OPERATIONS[3]);
    let shown = faults.len() - undetected(&mut simulator, &operands, &faults).len();
    let told = found("DCGM diagnostic, first product good", 3).expect("a check");
    assert!(0 < told && told <= shown, "{told} of {shown}");
    for rival in [GPU_BURN, DCGM] {
        let same = format!("{}, first product of the same unit", rival.name);
        assert_eq!(found(&same, 5), Some(0));
    }
}

/// The page's tables, line by line.
#[test]
fn the_page_says_the_same() {
    let page = include_str!("../../../../docs/grading.md");
    let figures = figures();
    let says = |line: String| assert!(page.contains(&line), "docs/grading.md lacks: {line}");
    for unit in Unit::ALL {
        let u = &figures["units"][unit.name()];
        let n = |key: &str| grouped(number(&u[key]));
        let len = |key: &str| grouped(u[key].as_array().expect("a list").len());
        says(format!(
            "| `{}` | {} | {} | {} | {} | {} | {} | {} | {:.3} % |",
            unit.name(),
            n("gates"),
            n("faults"),
            n("collapsed"),
            len("untestable"),
            len("unknown"),
            n("operands"),
            n("detected"),
            u["coverage_percent"].as_f64().expect("a number")
        ));
    }
    let fma = &figures["units"]["fma"];
    for part in fma["parts"].as_array().expect("parts") {
        let n = |key: &str| grouped(number(&part[key]));
        let name = part["part"].as_str().expect("text");
        says(format!("| {name} | {} | {} | {} |", n("collapsed"), n("untestable"), n("unknown")));
    }
    let set = self::fma();
    let testable = (set.collapsed - set.untestable) as f64;
    for row in fma["methods"].as_array().expect("rows") {
        let cells =
            row["found"].as_array().expect("cells").iter().map(|cell| match cell.as_u64() {
                Some(n) => format!("{:.2}", 100.0 * n as f64 / testable),
                None => "–".into(),
            });
        let cells: Vec<String> = cells.collect();
        says(format!("| {} | {} |", row["method"].as_str().expect("text"), cells.join(" | ")));
    }
}

/// 25222 as people write it.
fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[test]
#[ignore = "takes minutes: cargo test --release -p upset-gates --test it -- --ignored"]
fn all_of_it_comes_out_again() {
    let effort = Effort { seed: SEED, quiet_blocks: 2000, conflicts: 1000 };
    let again = study(Unit::Fma, effort);
    assert_eq!(again.set, fma());
    let rows = &figures()["units"]["fma"]["methods"];
    for (row, reached) in rows.as_array().expect("rows").iter().zip(compare(&again.set, SEED)) {
        assert_eq!(row["method"], reached.method);
        let found: Vec<Option<usize>> = row["found"]
            .as_array()
            .expect("cells")
            .iter()
            .map(|c| c.as_u64().map(|n| n as usize))
            .collect();
        assert_eq!(found, reached.found);
    }
}
