//! Statements of the paper's text, each beside what the study has of it.

use super::kept::{APPS, Study};
use super::percent::percent;

/// What the paper says and what is here.
pub fn all(study: &Study) -> Vec<(&'static str, String)> {
    let vrf = |app: &str| study.find(app, 4, "vrf");
    let value = |share: Option<f64>| share.map_or("-".into(), |s| format!("{} %", percent(s)));
    vec![
        (
            "vector registers: MM is highest with 21 %",
            format!("{}; MM {}", highest(study, "vrf"), value(vrf("mm").map(|s| s.avf))),
        ),
        (
            "HIS: vector registers' AVF-util 80.1 %, AVF 6.7 %",
            format!(
                "{}, {}",
                value(vrf("his").and_then(|s| s.avf_util)),
                value(vrf("his").map(|s| s.avf))
            ),
        ),
        (
            "local memory: HIS is highest with 91 %",
            format!(
                "{}; HIS {}",
                highest(study, "lds"),
                value(study.find("his", 4, "lds").map(|s| s.avf))
            ),
        ),
        ("scalar registers: 0.2 % (BinS) to 16 % (MM), mean 6.3 %", range(study, "srf")),
        ("vector registers: ACE more than twice injection in most kernels", ratios(study, "vrf")),
        ("local memory: ACE within the margin but for MT (8 points above)", ratios(study, "lds")),
        ("scalar registers: ACE about twice injection, but for DCT", ratios(study, "srf")),
        ("fewer SIMD units raise the vector registers' AVF", trend(study, "vrf")),
        ("fewer SIMD units lower the local memory's AVF", trend(study, "lds")),
        ("fewer SIMD units lower the scalar registers' AVF", trend(study, "srf")),
        (
            "fewer SIMD units: longer runs, hardly so for BinS, HIS and RED",
            change(study, |r| r.eit),
        ),
        ("one SIMD unit has the lower FIT everywhere but for QRS", change(study, |r| r.fit)),
        (
            "one SIMD unit has the higher EPF on average, but for BinS, DCT and MM",
            change(study, |r| r.epf),
        ),
    ]
}

/// AVFs of a structure with four SIMD units, of kernels that use it.
fn avfs(study: &Study, name: &str) -> Vec<(&'static str, f64)> {
    let of = |app: &str| study.find(app, 4, name).filter(|s| s.in_use > 0.0).map(|s| s.avf);
    APPS.iter().filter_map(|(app, label)| Some((*label, of(app)?))).collect()
}

fn highest(study: &Study, name: &str) -> String {
    let all = avfs(study, name);
    let most = all.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    most.map_or("-".into(), |(app, avf)| format!("{app} is highest with {} %", percent(*avf)))
}

fn range(study: &Study, name: &str) -> String {
    let all = avfs(study, name);
    let by = |a: &&(&str, f64), b: &&(&str, f64)| a.1.total_cmp(&b.1);
    let (Some(low), Some(high)) = (all.iter().min_by(by), all.iter().max_by(by)) else {
        return "-".into();
    };
    let mean = all.iter().map(|(_, avf)| avf).sum::<f64>() / all.len() as f64;
    format!(
        "{} % ({}) to {} % ({}), mean {} %",
        percent(low.1),
        low.0,
        percent(high.1),
        high.0,
        percent(mean)
    )
}

/// How far the analysis is above injection; kernels whose AVF is not told from
/// zero have no ratio.
fn ratios(study: &Study, name: &str) -> String {
    let mut all: Vec<f64> = APPS
        .iter()
        .filter_map(|(app, _)| {
            let s = study.find(app, 4, name).filter(|s| s.low > 0.0)?;
            Some(s.ace? / s.avf)
        })
        .collect();
    all.sort_by(f64::total_cmp);
    let Some(middle) = all.get(all.len() / 2) else { return "-".into() };
    let twice = all.iter().filter(|r| **r > 2.0).count();
    format!(
        "{:.1} to {:.1} times, median {middle:.1}; above twice in {twice} of {}",
        all[0],
        all[all.len() - 1],
        all.len()
    )
}

/// In how many kernels one SIMD unit has another AVF than four.
fn trend(study: &Study, name: &str) -> String {
    let (mut higher, mut lower, mut same) = (0, 0, 0);
    for (app, _) in APPS {
        let of = |simds| study.find(app, simds, name).filter(|s| s.in_use > 0.0);
        let (Some(four), Some(one)) = (of(4), of(1)) else { continue };
        // What intervals that overlap do not tell apart is the same.
        match () {
            () if one.low > four.high => higher += 1,
            () if one.high < four.low => lower += 1,
            () => same += 1,
        }
    }
    format!(
        "with one instead of four: higher in {higher}, lower in {lower}, not told apart in {same}"
    )
}

/// One SIMD unit over four.
fn change(study: &Study, of: fn(&super::kept::Row) -> Option<f64>) -> String {
    let ratio = |app: &str| Some(of(study.row(app, 1)?)? / of(study.row(app, 4)?)?);
    let mut all: Vec<(f64, &str)> =
        APPS.iter().filter_map(|(app, label)| Some((ratio(app)?, *label))).collect();
    all.retain(|(r, _)| r.is_finite() && *r > 0.0);
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(low), Some(high)) = (all.first(), all.last()) else { return "-".into() };
    let mean = (all.iter().map(|(r, _)| r.ln()).sum::<f64>() / all.len() as f64).exp();
    let above: Vec<&str> = all.iter().filter(|(r, _)| *r > 1.0).map(|(_, app)| *app).collect();
    let names = if above.is_empty() { "none".into() } else { above.join(", ") };
    format!(
        "one over four: {:.2} ({}) to {:.2} ({}), geometric mean {mean:.2}; above 1: {names}",
        low.0, low.1, high.0, high.1
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sifi::kept::{Row, Structure};

    fn row(app: &str, simds: u32, avf: f64, ace: f64, epf: f64) -> Row {
        let structure = Structure {
            name: "srf".into(),
            avf,
            low: avf * 0.9,
            high: avf * 1.1,
            ace: Some(ace),
            ace_refined: None,
            in_use: 0.5,
            avf_util: Some(2.0 * avf),
        };
        let structures = vec![structure];
        let (app, fit, eit) = (app.into(), Some(1.0), Some(1.0));
        Row { app, simds, runs: 1, cycles: 1, structures, fit, eit, epf: Some(epf) }
    }

    #[test]
    fn statements_are_about_the_rows() {
        let rows = vec![
            row("bins", 4, 0.01, 0.03, 8.0),
            row("bins", 1, 0.005, 0.03, 4.0),
            row("mm", 4, 0.11, 0.11, 2.0),
            row("mm", 1, 0.11, 0.11, 8.0),
        ];
        let study = Study { rows };
        assert_eq!(range(&study, "srf"), "1.00 % (BinS) to 11.00 % (MM), mean 6.00 %");
        assert_eq!(highest(&study, "srf"), "MM is highest with 11.00 %");
        assert_eq!(ratios(&study, "srf"), "1.0 to 3.0 times, median 3.0; above twice in 1 of 2");
        let trends = "with one instead of four: higher in 0, lower in 1, not told apart in 1";
        assert_eq!(trend(&study, "srf"), trends);
        let epf = "one over four: 0.50 (BinS) to 4.00 (MM), geometric mean 1.41; above 1: MM";
        assert_eq!(change(&study, |r| r.epf), epf);
        assert_eq!(range(&study, "lds"), "-");
        assert_eq!(all(&study).len(), 13);
    }
}
