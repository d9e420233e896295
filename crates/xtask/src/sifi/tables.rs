//! The tables of the page.

use std::fmt::Write as _;

use super::kept::{APPS, CHIPS, Row, Structure, Study};
use super::percent::percent;
use super::statements;

/// Arrays, in the order of the paper's Figs. 3 to 5.
const ARRAYS: [(&str, &str); 3] = [
    ("vrf", "Vector registers (Figs. 3, 6)"),
    ("lds", "Local memory (Fig. 4)"),
    ("srf", "Scalar registers (Fig. 5)"),
];

/// All of them.
pub fn all(study: &Study) -> String {
    if study.rows.is_empty() {
        return "Not run yet: `studies/sifi.sh`, then `cargo xtask sifi`.\n".into();
    }
    let mut out = String::new();
    let runs: u64 = study.rows.iter().map(|r| r.runs).sum();
    let _ = writeln!(out, "{runs} experiments. AVFs in percent, with their intervals.\n");
    out += "### What the paper says\n\n| paper | here |\n|---|---|\n";
    for (paper, here) in statements::all(study) {
        let _ = writeln!(out, "| {paper} | {here} |");
    }
    for (name, title) in ARRAYS {
        let _ = writeln!(out, "\n### {title}, four SIMD units\n");
        out += "| kernel | injection | ACE | refined | ACE / injection | in use | AVF-util |\n";
        out += "|---|---|---|---|---|---|---|\n";
        for (app, label) in APPS {
            if let Some(s) = study.find(app, 4, name).filter(|s| s.in_use > 0.0) {
                let _ = writeln!(out, "| {label} | {} |", one(s));
            }
        }
    }
    out += "\n### SIMD units per compute unit (Figs. 7 to 9)\n\n\
            | kernel | vector 4 | 2 | 1 | local 4 | 2 | 1 | scalar 4 | 2 | 1 |\n\
            |---|---|---|---|---|---|---|---|---|---|\n";
    for (app, label) in APPS {
        if study.row(app, 4).is_none() {
            continue;
        }
        let _ = write!(out, "| {label} |");
        for (name, _) in ARRAYS {
            for (simds, _) in CHIPS {
                let s = study.find(app, simds, name).filter(|s| s.in_use > 0.0);
                let _ = write!(out, " {} |", s.map_or("-".into(), |s| percent(s.avf)));
            }
        }
        out.push('\n');
    }
    out += "\n### Failures, speed, executions per failure (Fig. 10)\n\n\
            FIT at 1 mFIT/bit over the three arrays of one compute unit; EIT: executions in 10⁹ hours.\n\n\
            | kernel | FIT 4 | 2 | 1 | EIT 4 | 2 | 1 | EPF 4 | 2 | 1 |\n\
            |---|---|---|---|---|---|---|---|---|---|\n";
    for (app, label) in APPS {
        if study.row(app, 4).is_none() {
            continue;
        }
        let _ = write!(out, "| {label} |");
        for of in [|r: &Row| r.fit, |r: &Row| r.eit, |r: &Row| r.epf] {
            for (simds, _) in CHIPS {
                let value = study.row(app, simds).and_then(of);
                let _ = write!(out, " {} |", value.map_or("-".into(), three));
            }
        }
        out.push('\n');
    }
    out
}

fn one(s: &Structure) -> String {
    let share = |x: Option<f64>| x.map_or("-".into(), percent);
    let ratio = s.ace.filter(|_| s.avf > 0.0).map_or("-".into(), |a| format!("{:.1}", a / s.avf));
    let avf = format!("{} [{}, {}]", percent(s.avf), percent(s.low), percent(s.high));
    let (ace, refined, util) = (share(s.ace), share(s.ace_refined), share(s.avf_util));
    format!("{avf} | {ace} | {refined} | {ratio} | {} | {util}", percent(s.in_use))
}

/// Three digits.
fn three(x: f64) -> String {
    if (0.01..1e4).contains(&x) {
        let digits = (2 - x.log10().floor() as i32).max(0) as usize;
        return format!("{x:.digits$}");
    }
    format!("{x:.2e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_every_figure() {
        let s = Structure {
            name: "vrf".into(),
            avf: 0.0669,
            low: 0.06,
            high: 0.07,
            ace: Some(0.1338),
            ace_refined: Some(0.1),
            in_use: 0.0835,
            avf_util: Some(0.801),
        };
        assert_eq!(one(&s), "6.69 [6.00, 7.00] | 13.38 | 10.00 | 2.0 | 8.35 | 80.10");
        let row = Row {
            app: "his".into(),
            simds: 4,
            runs: 30,
            cycles: 9,
            structures: vec![s],
            fit: Some(123.4),
            eit: Some(7.77e12),
            epf: None,
        };
        let text = all(&Study { rows: vec![row] });
        assert!(text.contains("| HIS | 6.69 [6.00, 7.00] | 13.38 |"), "{text}");
        assert!(text.contains("| HIS | 6.69 | - | - | - | - | - | - | - | - |"), "{text}");
        assert!(text.contains("| HIS | 123 | - | - | 7.77e12 | - | - | - | - | - |"), "{text}");
        assert!(all(&Study::default()).starts_with("Not run yet"));
    }
}
