//! A record as OpenMetrics text, for those who watch many boards.

use std::fmt::Write as _;

use crate::Sensors;
use crate::record::{Record, State};

/// The record in OpenMetrics 1.0 text format.
pub fn render(record: &Record) -> String {
    let board = label(record.board.uuid.as_deref().unwrap_or(&record.board.name));
    let mut text = String::new();
    family(
        &mut text,
        "upset_burn_exit_code",
        "gauge",
        "0 passed, 1 defect, 3 could not run, 130 stopped",
    );
    let _ = writeln!(text, "upset_burn_exit_code{{board=\"{board}\"}} {}", record.exit_code);
    family(&mut text, "upset_burn_test_state", "stateset", "State of each test");
    for test in &record.tests {
        for state in [State::Passed, State::Failed, State::NotCovered, State::CouldNotRun] {
            let _ = writeln!(
                text,
                "upset_burn_test_state{{board=\"{board}\",test=\"{}\",upset_burn_test_state=\"{}\"}} {}",
                test.name,
                state_name(state),
                u8::from(test.state == state)
            );
        }
    }
    family(&mut text, "upset_burn_errors", "counter", "Wrong results of each test");
    for test in &record.tests {
        let _ = writeln!(
            text,
            "upset_burn_errors_total{{board=\"{board}\",test=\"{}\"}} {}",
            test.name, test.errors
        );
    }
    family(&mut text, "upset_burn_results", "counter", "Results compared by each test");
    for test in &record.tests {
        let _ = writeln!(
            text,
            "upset_burn_results_total{{board=\"{board}\",test=\"{}\"}} {}",
            test.name, test.results
        );
    }
    family(&mut text, "upset_burn_sm_errors", "counter", "Wrong results of each SM with any");
    for sm in &record.map {
        let errors: u64 = sm.errors.iter().sum();
        if errors > 0 {
            let _ = writeln!(
                text,
                "upset_burn_sm_errors_total{{board=\"{board}\",sm=\"{}\"}} {errors}",
                sm.sm
            );
        }
    }
    sensors(&mut text, &board, &record.sensors.after);
    text.push_str("# EOF\n");
    text
}

fn sensors(text: &mut String, board: &str, s: &Sensors) {
    let gauges = [
        ("upset_burn_temperature_celsius", "Temperature of the chip", s.temperature),
        ("upset_burn_power_watts", "Power drawn", s.power),
        ("upset_burn_sm_clock_hertz", "Clock of the SMs", s.sm_clock.map(|mhz| mhz * 1e6)),
    ];
    for (name, help, value) in gauges {
        if let Some(v) = value {
            family(text, name, "gauge", help);
            let _ = writeln!(text, "{name}{{board=\"{board}\"}} {v}");
        }
    }
}

fn family(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# TYPE {name} {kind}\n# HELP {name} {help}");
}

fn state_name(state: State) -> &'static str {
    match state {
        State::Passed => "passed",
        State::Failed => "failed",
        State::NotCovered => "not-covered",
        State::CouldNotRun => "could-not-run",
    }
}

/// Escapes a label's value.
fn label(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
