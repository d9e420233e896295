//! The ACE analysis as people read it.

use std::fmt::Write;

use upset_ace::{Ace, Timeline};

use crate::report::short_name;
use crate::table::{fitted, grouped, render, row};

/// Longest kernel name that is printed whole.
const NAME: usize = 24;
/// Hot spots of each structure that are shown.
const SHOWN: usize = 6;
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Where the values of a hot spot come from.
pub struct Origin {
    /// The instruction that wrote them; none when they were there before.
    pub instruction: Option<String>,
    /// Its file and line, where there is a line table.
    pub source: Option<String>,
}

/// Tables: bounds, vulnerability over time, hot spots.
pub fn text(title: &str, ace: &Ace, origins: &[Origin], has_lines: bool) -> String {
    let mut out = format!("{title}: upper bounds from one run of {} cycles\n\n", ace.cycles);
    let mut rows =
        vec![row!["KERNEL", "STRUCTURE", "BITS", "CYCLES", "AVF", "UTIL", "REFINED", "UTIL"]];
    for b in &ace.bounds {
        let kernel = b.kernel.as_deref().map_or("(all)".into(), short_name);
        rows.push(row![
            fitted(&kernel, NAME),
            b.structure,
            grouped(b.bits),
            b.cycles,
            percent(b.avf),
            percent(b.avf_util),
            percent(b.refined),
            percent(b.refined_util),
        ]);
    }
    out += &render(&rows);
    out += "\nVULNERABLE BITS OVER TIME (refined)\n";
    let mut rows = vec![row!["STRUCTURE", "", "MOST BITS"]];
    for t in &ace.timelines {
        let most = t.refined.iter().copied().fold(0.0, f64::max);
        rows.push(row![t.structure, curve(t, most), grouped(most.round() as u64)]);
    }
    out += &render(&rows);
    hot_spots(&mut out, ace, origins, has_lines);
    out
}

fn hot_spots(out: &mut String, ace: &Ace, origins: &[Origin], has_lines: bool) {
    let mut shown: Vec<&str> = Vec::new();
    let mut rows = vec![row!["SHARE", "STRUCTURE", "KERNEL", "REGISTER", "OFFSET"]];
    let mut texts = vec!["INSTRUCTION".to_string()];
    for (h, origin) in ace.hot_spots.iter().zip(origins) {
        let before = shown.iter().filter(|s| **s == h.structure).count();
        if before == SHOWN {
            continue;
        }
        shown.push(&h.structure);
        rows.push(row![
            percent(h.share),
            h.structure,
            fitted(&short_name(&h.kernel), NAME),
            h.register.clone().unwrap_or("-".into()),
            h.offset.map_or("-".into(), |at| format!("{at:#06x}")),
        ]);
        let before = || "(there before the kernel)".to_string();
        let mut text = origin.instruction.clone().unwrap_or_else(before);
        if let Some(source) = &origin.source {
            let _ = write!(text, "  // {source}");
        }
        texts.push(text);
    }
    if rows.len() > 1 {
        *out += "\nHOT SPOTS: values that carry most of it, by the instruction that wrote them\n";
        for (line, text) in render(&rows).lines().zip(texts) {
            let _ = writeln!(out, "{line}  {text}");
        }
        if !has_lines {
            *out += "No source lines: the code has no line table (nvcc -lineinfo)\n";
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.3} %", 100.0 * share)
}

fn curve(t: &Timeline, most: f64) -> String {
    let height = |bits: f64| match most > 0.0 {
        true => ((bits / most * 7.0).round() as usize).min(7),
        false => 0,
    };
    t.refined.iter().map(|&bits| HEIGHTS[height(bits)]).collect()
}
