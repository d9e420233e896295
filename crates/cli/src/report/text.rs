//! The report as text.

use std::fmt::Write;

use upset_apps::Verdict;
use upset_device::{LaunchCounters, Mode, Reason};

use super::metrics::Metrics;
use super::name::short_name;
use super::{Report, Subject};
use crate::table::{bytes, fitted, percent, render, row, short};

/// Longest kernel name that is printed whole beside timing's many columns.
const NAME: usize = 24;
/// Longest kernel name beside functional mode's few columns.
const WIDE: usize = 54;
/// Most reasons shown in columns of their own.
const REASONS: usize = 6;

impl Report<'_> {
    /// The report.
    pub fn text(&self) -> String {
        let (chip, mode) = (&self.chip.chip.name, self.mode.name());
        let mut out = match &self.subject {
            Subject::App { name, scale, .. } => format!("{name} ({scale}) on {chip}, {mode}\n\n"),
            Subject::Program(p) => format!("{} on {chip}, {mode}\n\n", p.name),
        };
        match (self.mode, self.stats.timing()) {
            _ if self.stats.kernels.is_empty() => out.push_str("no kernel ran to its end\n"),
            (Mode::Timing, Some(total)) => self.timing(&mut out, &total),
            _ => self.functional(&mut out),
        }
        match &self.subject {
            Subject::App { verdict, .. } => out.push_str(&of_verdict(verdict)),
            Subject::Program(p) => out.push_str(&p.text()),
        }
        if let Some(digest) = self.output_digest {
            let _ = writeln!(out, "output digest {digest}");
        }
        if let (Mode::Timing, Some(digest)) = (self.mode, self.digest) {
            let _ = writeln!(out, "run digest    {digest}");
        }
        out
    }

    fn functional(&self, out: &mut String) {
        let stats = self.stats;
        let words = self.chip.words();
        let (warps, threads) = (head(words.warp, "insts"), head(words.thread, "insts"));
        let (w, t) = (warps.len().max(14), threads.len().max(14));
        let names: Vec<String> =
            stats.kernels.iter().map(|k| fitted(&short_name(&k.name), WIDE)).collect();
        let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(6).max(6);
        let _ = writeln!(
            out,
            "{:<width$} {:>8} {warps:>w$} {threads:>t$} {:>5} {:>8}",
            "KERNEL",
            "LAUNCHES",
            "REGS",
            head(words.shared, "")
        );
        for (k, name) in stats.kernels.iter().zip(names) {
            let _ = writeln!(
                out,
                "{name:<width$} {:>8} {:>w$} {:>t$} {:>5} {:>8}",
                k.launches, k.warp_insts, k.thread_insts, k.registers, k.shared_bytes
            );
        }
        let (launches, warp, thread) = stats.total();
        let _ = writeln!(out, "{:<width$} {launches:>8} {warp:>w$} {thread:>t$}", "total");
        let _ = writeln!(
            out,
            "\n{:.3} s, {:.1} million {} instructions/s",
            self.wall,
            self.rate(thread) / 1e6,
            words.thread
        );
    }

    fn timing(&self, out: &mut String, total: &LaunchCounters) {
        let sum = Metrics::new(self.chip, total);
        // With one kernel the total says nothing new, but for the first table.
        let mut parts: Vec<(String, Metrics<'_>)> = self
            .stats
            .kernels
            .iter()
            .filter_map(|k| {
                Some((
                    fitted(&short_name(&k.name), NAME),
                    Metrics::new(self.chip, k.timing.as_ref()?),
                ))
            })
            .collect();
        self.kernels(out, sum);
        if parts.len() > 1 {
            parts.push(("total".into(), sum));
        }
        residents(out, &parts);
        schedulers(out, &parts, sum);
        if parts.len() > 1 {
            hit_rates(out, &parts);
        }
        caches(out, sum);
        dram(out, &parts);
        let _ = writeln!(
            out,
            "\nsimulated {} cycles, {} at {} MHz",
            total.cycles,
            time(sum.seconds()),
            self.chip.clock.core_mhz
        );
        let _ = writeln!(
            out,
            "{:.3} s, {:.1} million {} instructions/s, {:.1} thousand cycles/s",
            self.wall,
            self.rate(total.cores.sm.thread_insts) / 1e6,
            self.chip.words().thread,
            self.rate(total.cycles) / 1e3
        );
    }

    fn kernels(&self, out: &mut String, sum: Metrics<'_>) {
        let words = self.chip.words();
        let mut rows = vec![row![
            "KERNEL",
            "LAUNCHES",
            "CYCLES",
            "IPC",
            "OCCUPANCY",
            head(words.warp, "insts"),
            head(words.thread, "insts"),
            "REGS",
            head(words.shared, ""),
        ]];
        for k in &self.stats.kernels {
            let Some(t) = &k.timing else { continue };
            let m = Metrics::new(self.chip, t);
            rows.push(row![
                fitted(&short_name(&k.name), NAME),
                k.launches,
                t.cycles,
                number(m.ipc(), 2),
                percent(m.occupancy()),
                k.warp_insts,
                k.thread_insts,
                k.registers,
                k.shared_bytes,
            ]);
        }
        let (launches, warp, thread) = self.stats.total();
        rows.push(row![
            "total",
            launches,
            sum.of.cycles,
            number(sum.ipc(), 2),
            percent(sum.occupancy()),
            warp,
            thread,
        ]);
        out.push_str(&render(&rows));
    }
}

fn of_verdict(v: &Verdict) -> String {
    let mut text = match (v.passed, v.compared) {
        (true, 0) => "not checked: the application names no reference".to_string(),
        (true, n) if v.max_ulps == 0.0 => format!("passed: {n} elements equal the reference"),
        (true, n) => format!(
            "passed: {n} elements within {} ulp of the reference (largest {:.2})",
            v.tolerance.ulps, v.max_ulps
        ),
        (false, n) => format!("FAILED: compared {n} elements with the reference"),
    };
    text.push('\n');
    text
}

type Parts<'a> = [(String, Metrics<'a>)];

/// A column's head: a word of the vendor's, and what is counted of it.
fn head(word: &str, what: &str) -> String {
    format!("{word} {what}").trim_end().to_uppercase()
}

/// What was resident on the SMs that had work.
fn residents(out: &mut String, parts: &Parts<'_>) {
    let words = parts.first().map(|(_, m)| m.chip.words()).unwrap_or_default();
    let many = |word: &str| head(&format!("{word}s"), "");
    let mut rows = vec![row![
        head("mean per active", words.processor),
        many(words.warp),
        many(words.thread),
        many(words.group),
        head(&format!("{}s", words.processor), "used"),
    ]];
    for (name, m) in parts {
        rows.push(row![
            name,
            number(m.mean_warps(), 2),
            number(m.mean_threads(), 1),
            number(m.mean_ctas(), 2),
            m.of.sms_used,
        ]);
    }
    section(out, &rows);
}

/// Where the schedulers' cycles went, the biggest losses of the whole run first.
fn schedulers(out: &mut String, parts: &Parts<'_>, sum: Metrics<'_>) {
    let mut reasons: Vec<Reason> =
        Reason::ALL.into_iter().filter(|r| sum.of.cores.sm.stalls[*r as usize] > 0).collect();
    reasons.sort_by_key(|r| std::cmp::Reverse(sum.of.cores.sm.stalls[*r as usize]));
    let (shown, rest) = reasons.split_at(reasons.len().min(REASONS));
    let mut head = row!["SCHEDULER CYCLES", "ISSUED"];
    head.extend(shown.iter().map(|r| r.name().to_string()));
    if !rest.is_empty() {
        head.push("other".into());
    }
    let mut rows = vec![head];
    for (name, m) in parts {
        let mut row = row![name, percent(m.issued())];
        row.extend(shown.iter().map(|r| percent(m.stalled(*r))));
        if !rest.is_empty() {
            row.push(percent(rest.iter().map(|r| m.stalled(*r)).sum()));
        }
        rows.push(row);
    }
    section(out, &rows);
}

/// Hit rate and number of lookups of each cache, kernel by kernel.
fn hit_rates(out: &mut String, parts: &Parts<'_>) {
    let mut rows = Vec::new();
    for (name, m) in parts {
        let caches = m.caches();
        if rows.is_empty() {
            let mut head = row!["HIT RATE"];
            head.extend(caches.iter().map(|c| c.name.to_string()));
            rows.push(head);
        }
        let mut row = row![name];
        row.extend(caches.iter().map(|c| match c.hit_rate() {
            None => "-".to_string(),
            rate => format!("{} of {}", percent(rate), short(c.lookups)),
        }));
        rows.push(row);
    }
    section(out, &rows);
}

/// Each cache over the whole run.
fn caches(out: &mut String, sum: Metrics<'_>) {
    let mut rows = vec![row![
        "CACHE",
        "LOOKUPS",
        "HITS",
        "MERGED",
        "MISSES",
        "HIT RATE",
        "WRITES",
        "ATOMICS",
        "EVICTED",
        "WRITTEN BACK",
    ]];
    for c in sum.caches() {
        rows.push(row![
            c.name,
            c.lookups,
            c.hits,
            c.merged,
            c.misses,
            percent(c.hit_rate()),
            c.writes,
            c.atomics,
            c.evictions,
            c.write_backs,
        ]);
    }
    section(out, &rows);
}

fn dram(out: &mut String, parts: &Parts<'_>) {
    let mut rows = vec![row!["DRAM", "READS", "WRITES", "BYTES", "ROW HITS", "OF PEAK"]];
    for (name, m) in parts {
        let c = &m.of.memory;
        rows.push(row![
            name,
            c.dram_reads,
            c.dram_writes,
            bytes(c.dram_bytes),
            percent(m.row_hit_rate()),
            percent(m.dram_share_of_peak()),
        ]);
    }
    section(out, &rows);
}

fn section(out: &mut String, rows: &[Vec<String>]) {
    out.push('\n');
    out.push_str(&render(rows));
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or("-".into(), |v| format!("{v:.digits$}"))
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.2} us", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}
