//! `cargo xtask gates`: operands that show stuck-at faults of arithmetic units,
//! and how far multiplying matrices gets (docs/grading.md).

use std::time::Instant;

use serde_json::{Value, json};
use upset_gates::{Effort, Fault, OPERATIONS, Reached, Study, Unit, compare, study};

use crate::{Outcome, root};

/// Where the operands are, in the repository.
const OPERANDS: &str = "kernels/burn/operands";
/// Where the figures are.
const FIGURES: &str = "studies/gates.json";

/// Enough that more of either finds next to nothing.
const EFFORT: Effort = Effort { seed: 1, quiet_blocks: 2000, conflicts: 1000 };

/// Runs the command.
pub fn command(words: &[String]) -> Outcome<()> {
    let compared = match words {
        [] => true,
        [flag] if flag == "--no-rivals" => false,
        _ => return Err("usage: cargo xtask gates [--no-rivals]".into()),
    };
    let begin = Instant::now();
    let mut figures = serde_json::Map::new();
    for unit in Unit::ALL {
        let result = study(unit, EFFORT);
        show(unit, &result, begin);
        write(&format!("{OPERANDS}/{}.txt", unit.name()), &result.set.text())?;
        let mut value = describe(unit, &result);
        if unit == Unit::Fma && compared {
            let rows = compare(&result.set, EFFORT.seed);
            show_rows(&rows, result.set.collapsed - result.set.untestable, begin);
            value["methods"] =
                rows.iter().map(|r| json!({"method": r.method, "found": r.found})).collect();
        }
        figures.insert(unit.name().into(), value);
    }
    if !compared {
        println!("figures not written: they have the rivals among them");
        return Ok(());
    }
    let figures = json!({
        "made_by": "cargo xtask gates",
        "seed": EFFORT.seed,
        "operations": OPERATIONS,
        "units": figures,
    });
    let text = serde_json::to_string_pretty(&figures).map_err(|e| e.to_string())?;
    write(FIGURES, &(text + "\n"))
}

fn write(path: &str, text: &str) -> Outcome<()> {
    let path = root().join(path);
    let told = |e: std::io::Error| format!("cannot write {}: {e}", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(told)?;
    }
    std::fs::write(&path, text).map_err(told)
}

fn show(unit: Unit, s: &Study, begin: Instant) {
    println!(
        "{}: {} gates, {} faults in {} classes; {} proved untestable, {} not known; {} operands show \
         {} ({:.3} % of what is not untestable); {:.0} s",
        unit.name(),
        s.gates,
        s.set.faults,
        s.set.collapsed,
        s.set.untestable,
        s.generated.unknown.len(),
        s.set.patterns.len(),
        s.set.detected,
        s.set.coverage(),
        begin.elapsed().as_secs_f64(),
    );
}

fn show_rows(rows: &[Reached], testable: usize, begin: Instant) {
    print!("{:<50}", "% of testable faults, after operations:");
    OPERATIONS.iter().for_each(|n| print!(" {n:>7}"));
    println!();
    for row in rows {
        print!("{:<50}", row.method);
        for found in row.found {
            match found {
                Some(n) => print!(" {:>7.2}", 100.0 * n as f64 / testable as f64),
                None => print!(" {:>7}", "-"),
            }
        }
        println!();
    }
    println!("{:.0} s", begin.elapsed().as_secs_f64());
}

fn describe(unit: Unit, s: &Study) -> Value {
    let netlist = unit.netlist();
    let list = |faults: &[Fault]| -> Value {
        let named = faults.iter().map(|f| format!("{f} {}", netlist.region(f.gate())));
        named.collect::<Vec<_>>().into()
    };
    let regions = s.regions.iter().map(|r| {
        json!({"part": r.name, "collapsed": r.collapsed, "untestable": r.untestable, "unknown": r.unknown})
    });
    json!({
        "gates": s.gates,
        "depth": s.depth,
        "faults": s.set.faults,
        "collapsed": s.set.collapsed,
        "operands": s.set.patterns.len(),
        "detected": s.set.detected,
        "detected_first_port": s.first_port,
        "coverage_percent": (s.set.coverage() * 1000.0).round() / 1000.0,
        "random_tried": s.generated.tried,
        "by_random": s.generated.by_random,
        "by_search": s.generated.by_search,
        "parts": regions.collect::<Vec<_>>(),
        "untestable": list(&s.generated.untestable),
        "unknown": list(&s.generated.unknown),
    })
}
