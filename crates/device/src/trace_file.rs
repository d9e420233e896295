//! A recording of what ran where, in the trace-event format that Perfetto and
//! `chrome://tracing` read.
//!
//! One microsecond of the picture is one cycle. Process 1 shows the kernels;
//! each SM is a process with a thread per CTA slot and one per warp slot, and,
//! where counters were read, a track for each counter that moved.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};
use upset_chip::Words;
use upset_compute::{Span, Trace};
use upset_machine::pmu::{Counter, Reading};

/// Process of the kernels.
const KERNELS: u64 = 1;
/// Process of SM 0.
const FIRST_SM: u64 = 2;
/// Threads of an SM: CTA slots from 1 on, warp slots from here on.
const FIRST_WARP: u64 = 1000;

#[derive(Serialize)]
struct Event<'a> {
    name: &'a str,
    cat: &'a str,
    ph: &'a str,
    ts: u64,
    dur: u64,
    pid: u64,
    tid: u64,
    args: Value,
}

/// Writes a recording, event by event, in the words for its chip; `about` is
/// kept as it is.
pub fn write(
    to: impl Write,
    trace: &Trace,
    readings: &[Reading],
    words: Words,
    about: &Value,
) -> io::Result<()> {
    let mut out = Events { to, words, any: false };
    write!(out.to, "{{\"displayTimeUnit\":\"ns\",\"otherData\":")?;
    serde_json::to_writer(&mut out.to, about)?;
    write!(out.to, ",\"traceEvents\":[")?;
    out.names(trace)?;
    // Launches follow each other, so the kernel of a span is the first one
    // that ends no earlier.
    let kernels: Vec<(&str, u64)> = trace
        .spans
        .iter()
        .filter_map(|s| match s {
            Span::Kernel { name, cycles, .. } => Some((name.as_str(), cycles.1)),
            _ => None,
        })
        .collect();
    let launch_at = |cycle: u64| {
        let i = kernels.partition_point(|(_, end)| *end < cycle);
        (i, kernels.get(i).map_or("", |(name, _)| name))
    };
    let mut launch = 0;
    for span in &trace.spans {
        let (name, cat, pid, tid, cycles, args);
        match span {
            Span::Kernel { name: kernel, cycles: c, .. } => {
                (name, cat, pid, tid, cycles) = (kernel.clone(), "kernel", KERNELS, 1, *c);
                args = json!({ "launch": launch });
                launch += 1;
            }
            Span::Cta { sm, place, index, cycles: c, .. } => {
                let (launch, kernel) = launch_at(c.1);
                (name, cat) = (format!("{} {index}", words.group), "cta");
                (pid, tid, cycles) = (process(*sm), 1 + u64::from(*place), *c);
                args = json!({ "launch": launch, "kernel": kernel, "cta": index });
            }
            Span::Warp { sm, slot, cta, id, cycles: c, .. } => {
                let (launch, kernel) = launch_at(c.1);
                (name, cat) = (format!("{} {id} of {} {cta}", words.warp, words.group), "warp");
                (pid, tid, cycles) = (process(*sm), FIRST_WARP + u64::from(*slot), *c);
                args = json!({ "launch": launch, "kernel": kernel, "cta": cta, "warp": id });
            }
        }
        let (ts, dur) = (cycles.0, cycles.1.saturating_sub(cycles.0));
        out.event(&Event { name: &name, cat, ph: "X", ts, dur, pid, tid, args })?;
    }
    for reading in readings {
        out.counters(reading)?;
    }
    writeln!(out.to, "\n]}}")?;
    out.to.flush()
}

fn process(sm: u32) -> u64 {
    FIRST_SM + u64::from(sm)
}

struct Events<W> {
    to: W,
    words: Words,
    any: bool,
}

impl<W: Write> Events<W> {
    fn event(&mut self, event: &impl Serialize) -> io::Result<()> {
        self.to.write_all(if self.any { b",\n" } else { b"\n" })?;
        self.any = true;
        Ok(serde_json::to_writer(&mut self.to, event)?)
    }

    /// Names of the processes and threads that appear.
    fn names(&mut self, trace: &Trace) -> io::Result<()> {
        let mut places: BTreeSet<(u64, u64)> = BTreeSet::new();
        for span in &trace.spans {
            places.insert(match span {
                Span::Kernel { .. } => (KERNELS, 1),
                Span::Cta { sm, place, .. } => (process(*sm), 1 + u64::from(*place)),
                Span::Warp { sm, slot, .. } => (process(*sm), FIRST_WARP + u64::from(*slot)),
            });
        }
        let mut last = None;
        for (pid, tid) in places {
            if last != Some(pid) {
                last = Some(pid);
                let name = match pid {
                    KERNELS => "kernels".to_string(),
                    sm => format!("{} {}", self.words.processor, sm - FIRST_SM),
                };
                self.meta("process_name", pid, 0, json!({ "name": name }))?;
                self.meta("process_sort_index", pid, 0, json!({ "sort_index": pid }))?;
            }
            let name = match (pid, tid) {
                (KERNELS, _) => "kernels".to_string(),
                (_, FIRST_WARP..) => format!("{} slot {}", self.words.warp, tid - FIRST_WARP),
                _ => format!("{} slot {}", self.words.group, tid - 1),
            };
            self.meta("thread_name", pid, tid, json!({ "name": name }))?;
            self.meta("thread_sort_index", pid, tid, json!({ "sort_index": tid }))?;
        }
        Ok(())
    }

    /// What each SM counted in each period: a track per counter that moved.
    fn counters(&mut self, reading: &Reading) -> io::Result<()> {
        let totals = reading.by_sm();
        for (sm, total) in totals.iter().enumerate() {
            for (counter, _) in total.iter().filter(|(_, n)| *n != 0) {
                let mut from = 0;
                for period in &reading.periods {
                    let n = period.sms.get(sm).map_or(0, |counts| counts.get(counter));
                    self.count(sm, counter, reading.start + from, n)?;
                    from = period.to;
                }
                self.count(sm, counter, reading.start + reading.cycles, 0)?;
            }
        }
        Ok(())
    }

    /// The value of a counter's track from a cycle on.
    fn count(&mut self, sm: usize, counter: Counter, ts: u64, value: u64) -> io::Result<()> {
        let (name, pid) = (counter.name(), process(sm as u32));
        self.event(&json!({
            "name": name, "cat": "counter", "ph": "C", "ts": ts, "pid": pid,
            "args": { "value": value },
        }))
    }

    fn meta(&mut self, name: &str, pid: u64, tid: u64, args: Value) -> io::Result<()> {
        self.event(&json!({ "name": name, "ph": "M", "pid": pid, "tid": tid, "args": args }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_machine::pmu::{Counts, Period};

    #[test]
    fn spans_become_named_events() {
        let trace = Trace {
            spans: vec![
                Span::Warp {
                    sm: 3,
                    slot: 5,
                    cta: 17,
                    id: 1,
                    cycles: (10, 40),
                    rows: (0, 8),
                    lanes: !0,
                },
                Span::Cta { sm: 3, place: 2, index: 17, cycles: (10, 41), shared: (0, 0) },
                Span::Kernel { name: "vector\"Add".into(), cycles: (0, 50), local_bytes: 0 },
            ],
        };
        let mut bytes = Vec::new();
        let words = Words::default();
        write(&mut bytes, &trace, &[], words, &json!({ "chip": "x" })).expect("memory takes all");
        let v: Value = serde_json::from_slice(&bytes).expect("JSON");
        let events = v["traceEvents"].as_array().cloned().unwrap_or_default();
        let spans: Vec<&Value> = events.iter().filter(|e| e["ph"] == "X").collect();
        assert_eq!(spans[0]["name"], "warp 1 of CTA 17");
        assert_eq!((&spans[0]["ts"], &spans[0]["dur"]), (&json!(10), &json!(30)));
        assert_eq!(spans[0]["args"]["kernel"], "vector\"Add");
        assert_eq!(spans[1]["name"], "CTA 17");
        assert_eq!(spans[2]["name"], "vector\"Add");
        let names: Vec<&Value> = events.iter().map(|e| &e["args"]["name"]).collect();
        for name in ["kernels", "SM 3", "CTA slot 2", "warp slot 5"] {
            assert!(names.iter().any(|n| *n == name), "{name}");
        }
    }

    #[test]
    fn counters_are_tracks_of_their_sms() {
        let counts = |n| {
            let mut counts = Counts::default();
            counts.set(Counter::Inactive, n);
            counts
        };
        let reading = Reading {
            launch: 0,
            kernel: "k".into(),
            grid: [1; 3],
            block: [1; 3],
            lanes: 32,
            schedulers: 4,
            ended: true,
            cut: false,
            start: 100,
            cycles: 15,
            periods: vec![
                Period { to: 10, sms: vec![counts(0), counts(7)] },
                Period { to: 15, sms: vec![counts(0), counts(2)] },
            ],
        };
        let mut bytes = Vec::new();
        write(&mut bytes, &Trace::default(), &[reading], Words::default(), &json!({}))
            .expect("memory takes all");
        let v: Value = serde_json::from_slice(&bytes).expect("JSON");
        let seen: Vec<_> = v["traceEvents"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|e| (e["ts"].as_u64(), e["args"]["value"].as_u64()))
            .collect();
        assert_eq!(seen, [(100, 7), (110, 2), (115, 0)].map(|(ts, n)| (Some(ts), Some(n))), "{v}");
        let first = &v["traceEvents"][0];
        assert_eq!((&first["ph"], &first["name"]), (&json!("C"), &json!("inactive_lanes")));
        assert_eq!(first["pid"], process(1));
    }

    #[test]
    fn a_chip_of_amd_has_its_own_words() {
        let spans = vec![Span::Cta { sm: 1, place: 0, index: 4, cycles: (1, 2), shared: (0, 0) }];
        let words = upset_chip::ChipSpec::preset("hd7970").expect("a chip").words();
        let mut bytes = Vec::new();
        write(&mut bytes, &Trace { spans }, &[], words, &json!({})).expect("memory takes all");
        let text = String::from_utf8(bytes).expect("text");
        for name in ["\"CU 1\"", "\"work-group slot 0\"", "\"work-group 4\""] {
            assert!(text.contains(name), "{name}");
        }
    }

    #[test]
    fn nothing_recorded_is_still_a_file() {
        let mut bytes = Vec::new();
        write(&mut bytes, &Trace::default(), &[], Words::default(), &json!({}))
            .expect("memory takes all");
        let v: Value = serde_json::from_slice(&bytes).expect("JSON");
        assert_eq!(v["traceEvents"], json!([]));
    }
}
