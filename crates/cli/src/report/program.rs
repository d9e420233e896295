//! What is to be said about somebody's program, beside what its kernels did.

use std::fmt::Write;

use serde_json::{Value, json};
use upset_launcher::{End, Records, Trapped, signal_name};

/// A program that ended.
pub struct Program<'a> {
    /// As it was called.
    pub name: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// How it ended.
    pub end: End,
    /// What its CUDA calls did.
    pub records: &'a Records,
}

impl Program<'_> {
    /// It ended well, no kernel trapped, and nothing was lacking.
    pub fn passed(&self) -> bool {
        let r = self.records;
        self.end == End::Exit(0)
            && r.traps.is_empty()
            && r.missing.is_empty()
            && r.lacking.is_empty()
            && r.failures.is_empty()
    }

    /// The lines below the tables.
    pub fn text(&self) -> String {
        let mut out = match self.end {
            End::Exit(code) => format!("exit code {code}\n"),
            End::Signal(signal) => format!("ended by {}\n", signal_name(signal)),
        };
        for t in &self.records.traps {
            let _ = writeln!(out, "trap ({}): {}", t.error, t.message);
        }
        if self.records.processes.len() > 1 {
            let _ = writeln!(out, "{} processes used a device", self.records.processes.len());
        }
        out
    }

    /// Fields of the JSON object.
    pub fn json(&self) -> Value {
        let r = self.records;
        let (code, signal) = match self.end {
            End::Exit(code) => (Some(code), None),
            End::Signal(signal) => (None, Some(signal_name(signal))),
        };
        let trap =
            |t: &Trapped| json!({ "message": t.message, "error": t.error, "asked": t.asked });
        let traps: Vec<Value> = r.traps.iter().map(trap).collect();
        // Their numbers differ from run to run, and say nothing.
        let processes: Vec<Value> = r
            .processes
            .iter()
            .map(|p| {
                let launches: u64 = p.kernels.iter().map(|k| k.launches).sum();
                json!({
                    "launches": launches, "output_digest": p.output_digest, "digest": p.digest,
                })
            })
            .collect();
        let unasked: Vec<Value> =
            r.unasked.iter().map(|u| json!({ "call": u.call, "error": u.error })).collect();
        json!({
            "program": self.name, "args": self.args, "passed": self.passed(),
            "exit_code": code, "signal": signal, "missing": r.missing, "lacking": r.lacking,
            "traps": traps, "unasked": unasked, "notes": r.notes, "failures": r.failures,
            "processes": processes, "held": r.held,
        })
    }
}
