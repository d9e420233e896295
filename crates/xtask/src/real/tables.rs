//! The tables of the page.

use std::fmt::Write;

use super::kept::{Study, Test};

/// All of them.
pub fn all(study: &Study) -> String {
    let mut page = String::from("\n");
    let _ = writeln!(
        page,
        "{}, {} SMs of {} sub-cores, driver {}, {} cards.\n",
        study.gpu, study.sms, study.sub_cores, study.driver, study.cards
    );
    page += "| what | found |\n|---|---|\n";
    for (what, found) in summary(study) {
        let _ = writeln!(page, "| {what} | {found} |");
    }
    page += "\nLevel 1 once:\n\n| test | results compared | lanes reached | seconds | wrong |\n\
             |---|---|---|---|---|\n";
    study.tests.iter().for_each(|test| row(&mut page, test));
    page += "\nReferences of the CPU against the GPU (level 2), each computed by every lane:\n\n\
             | test | references | results compared | seconds | wrong |\n|---|---|---|---|---|\n";
    for Test { name, references, results, seconds, errors, .. } in &study.references {
        let results = thousands(*results);
        let references = match references {
            0 => "not counted".to_string(),
            n => thousands(*n),
        };
        let _ = writeln!(page, "| `{name}` | {references} | {results} | {seconds:.1} | {errors} |");
    }
    page += "\n";
    page
}

fn row(page: &mut String, test: &Test) {
    let Test { name, results, lanes, seconds, errors, .. } = test;
    let results = thousands(*results);
    let _ = writeln!(page, "| `{name}` | {results} | {lanes} | {seconds:.3} | {errors} |");
}

fn summary(study: &Study) -> Vec<(&'static str, String)> {
    let made = &study.injected;
    let runs: u64 = study.clean.iter().map(|c| c.runs).sum();
    let took: f64 = study.clean.iter().map(|c| c.seconds).sum();
    let alarms: u64 = study.clean.iter().map(|c| c.errors).sum();
    let slower = study.groups.iter().map(|g| (g.slowdown - g.share) * 100.0);
    let same = study.groups.iter().filter(|g| g.same && g.outside == 0).count();
    let memory = &study.memory;
    let power = &study.power;
    let passed = |tests: &[Test]| {
        let passed = tests.iter().filter(|t| t.state == "passed").count();
        format!("{passed} of {} tests passed", tests.len())
    };
    vec![
        (
            "errors made on purpose",
            format!(
                "{} of {} found at their place and bit, {} elsewhere, {} missed; {:.0} s",
                made.found, made.errors, made.elsewhere, made.missed, made.seconds
            ),
        ),
        ("clean runs of level 1", format!("{runs} runs, {alarms} alarms; {took:.0} s")),
        (
            "each group of SMs (a TPC) left out",
            format!(
                "{same} of {} without work there and with the same results; slower by the lost \
                 share and {:.2} to {:.2} points more",
                study.groups.len(),
                slower.clone().fold(f64::INFINITY, f64::min),
                slower.fold(f64::NEG_INFINITY, f64::max)
            ),
        ),
        (
            "March C- over device memory",
            format!(
                "{:.1} GB, {:.1} % of all there is, {} backgrounds in {:.2} s: {:.2} s each",
                memory.bytes as f64 / 1e9,
                memory.share * 100.0,
                memory.backgrounds,
                memory.seconds,
                memory.seconds / memory.backgrounds.max(1) as f64
            ),
        ),
        (
            "power, load that comes and goes once a second",
            format!(
                "{:.0} to {:.0} W ({:.0} W before the test)",
                power.low, power.high, power.idle
            ),
        ),
        ("temperature", study.temperature.clone()),
        ("NVIDIA's OpenCL", passed(&study.opencl)),
        ("PTX that the driver compiled, checked", passed(&study.jit)),
        (
            "a program with NVIDIA's runtime linked in, under quarantine",
            format!("ran on {} of {} SMs", study.quarantine.0, study.quarantine.1),
        ),
        (
            "the same program replayed on sets of SMs that share none",
            format!("{} runs, output {}", study.replay.0, study.replay.1),
        ),
    ]
}

/// 12,345,678.
fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let parts: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|part| std::str::from_utf8(part).ok())
        .collect();
    parts.join(",")
}

#[cfg(test)]
mod tests {
    #[test]
    fn digits_in_threes() {
        let told = [0, 999, 1000, 1234567].map(super::thousands);
        assert_eq!(told, ["0", "999", "1,000", "1,234,567"]);
    }
}
