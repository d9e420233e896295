//! The study out of what `upset report --json` wrote.

use serde::Deserialize;
use serde_json::Value;
use upset_chip::GPUFI4;
use upset_metrics::{Counts, Estimate};

use super::kept::{Chip, Row, Structure, Study};
use super::share::{Share, short, sum};
use crate::Outcome;

/// The specification.
pub const SPEC: &str = "studies/ispass22.toml";

/// What the specification asks for.
#[derive(Deserialize)]
pub struct Spec {
    pub apps: Vec<String>,
    pub chips: Vec<String>,
    pub structures: Vec<String>,
    pub bits: Vec<u32>,
}

impl Spec {
    pub fn parse(text: &str) -> Outcome<Spec> {
        toml::from_str(text).map_err(|e| format!("{SPEC}: {e}"))
    }
}

/// The study, from a report and the text of its specification.
pub fn study(report: &Value, spec: &str) -> Outcome<Study> {
    let spec = Spec::parse(spec)?;
    let (mut chips, mut rows) = (Vec::new(), Vec::new());
    for name in &spec.chips {
        let before = rows.len();
        for app in &spec.apps {
            for bits in &spec.bits {
                let of = |list: &str| -> Vec<&Value> {
                    let all = report[list].as_array().into_iter().flatten();
                    let own =
                        |v: &&Value| v["app"] == **app && v["chip"] == **name && v["bits"] == *bits;
                    all.filter(own).collect()
                };
                let Some(total) = of("totals").first().copied() else { continue };
                let lacking =
                    || format!("{app} on {name}, {bits} bits: the report lacks finished figures");
                let row = row((app, name, *bits), total, &of("rows")).ok_or_else(lacking)?;
                agrees(&row, &of("rows"))?;
                rows.push(row);
            }
        }
        if rows.len() > before {
            chips.push(chip(report, name)?);
        }
    }
    let confidence = report["confidence"].as_f64();
    match (confidence, rows.is_empty()) {
        (Some(confidence), false) => {
            Ok(Study { confidence, apps: spec.apps, structures: spec.structures, chips, rows })
        }
        _ => Err("nothing of the study is in this report".into()),
    }
}

fn chip(report: &Value, name: &str) -> Outcome<Chip> {
    let raw = match &report["raw_fit"]["by_chip"] {
        Value::Null => &report["raw_fit"],
        by_chip => &by_chip[name],
    };
    let (Some(raw_fit), Some(source)) = (raw["per_bit"].as_f64(), raw["source"].as_str()) else {
        return Err(format!("{name}: the report has no raw FIT: make it with --raw-fit chip"));
    };
    let mut all = report["chips"].as_array().into_iter().flatten();
    let title = all.find(|c| c["name"] == name).and_then(|c| c["title"].as_str());
    Ok(Chip {
        name: name.into(),
        title: title.unwrap_or(name).into(),
        raw_fit,
        raw_fit_source: source.into(),
    })
}

fn row((app, chip, bits): (&str, &str, u32), total: &Value, rows: &[&Value]) -> Option<Row> {
    let structure = |s: &Value| {
        let own: Vec<&Value> =
            rows.iter().filter(|r| r["structure"] == s["structure"]).copied().collect();
        Some(Structure {
            name: s["structure"].as_str()?.into(),
            size: s["bits"].as_u64()?,
            counts: counts(&own)?,
            in_use: short(s["occupancy"].as_f64()?),
            avf: estimate(&s["avf"])?.short(),
            sdc: class(&own, "sdc")?.short(),
            crash: class(&own, "crash")?.short(),
            timeout: class(&own, "timeout")?.short(),
            performance: class(&own, "performance")?.short(),
        })
    };
    Some(Row {
        app: app.into(),
        chip: chip.into(),
        bits,
        runs: total["runs"].as_u64()?,
        cycles: total["cycles"].as_u64()?,
        occupancy: short(total["occupancy"].as_f64()?),
        eit: short(total["eit"].as_f64()?),
        weighted: over(rows, |s| GPUFI4.contains(&s))?.short(),
        loaded: None,
        all: estimate(&total["avf"])?.short(),
        structures: total["structures"].as_array()?.iter().map(structure).collect::<Option<_>>()?,
    })
}

/// Adds what `upset doors --json` tells of an application.
pub fn loads(study: &mut Study, app: &str, doors: &Value) {
    for row in study.rows.iter_mut().filter(|r| r.app == app) {
        let all = doors["loaded"]["rows"].as_array().into_iter().flatten();
        let own = |v: &&Value| v["app"] == app && v["chip"] == *row.chip && v["bits"] == row.bits;
        let rows: Vec<&Value> = all.filter(own).collect();
        row.loaded = over(&rows, |s| GPUFI4.contains(&s)).map(Share::short);
    }
}

/// AVF over kernels, which count for their cycles, and some of their structures,
/// which count for their bits.
fn over(rows: &[&Value], has: impl Fn(&str) -> bool) -> Option<Share> {
    let rows: Vec<&Value> =
        rows.iter().copied().filter(|r| r["structure"].as_str().is_some_and(&has)).collect();
    let number = |r: &Value, key: &str| r[key].as_f64();
    let mut kernels: Vec<(&Value, f64, f64)> = Vec::new();
    for r in &rows {
        let bits = number(r, "structure_bits")?;
        match kernels.iter_mut().find(|(name, ..)| *name == &r["kernel"]) {
            Some((_, _, sum)) => *sum += bits,
            None => kernels.push((&r["kernel"], number(r, "cycles")?, bits)),
        }
    }
    let cycles: f64 = kernels.iter().map(|(_, cycles, _)| cycles).sum();
    let part = |r: &&Value| {
        let (_, own, bits) = kernels.iter().find(|(name, ..)| *name == &r["kernel"])?;
        let weight = own / cycles * number(r, "structure_bits")? / bits * number(r, "derating")?;
        Some((weight, estimate(&r["rate"])?))
    };
    let parts = rows.iter().map(part).collect::<Option<Vec<_>>>()?;
    (!parts.is_empty()).then(|| sum(parts))
}

fn estimate(value: &Value) -> Option<Share> {
    let of = |key: &str| value[key].as_f64();
    Share::of(Estimate { value: of("value"), low: of("low")?, high: of("high")? })
}

fn counts(rows: &[&Value]) -> Option<Counts> {
    let mut sum = Counts::default();
    for row in rows {
        sum += serde_json::from_value::<Counts>((*row).clone()).ok()?;
    }
    Some(sum)
}

/// The share of a class over the kernels, with the weights of the AVF.
fn class(rows: &[&Value], name: &str) -> Option<Share> {
    let cycles: f64 = rows.iter().filter_map(|r| r["cycles"].as_f64()).sum();
    let part = |r: &&Value| {
        let weight = r["cycles"].as_f64()? / cycles.max(1.0) * r["derating"].as_f64()?;
        Some((weight, estimate(&r["classes"][name])?))
    };
    Some(sum(rows.iter().map(part).collect::<Option<Vec<_>>>()?))
}

/// Sums are made here, since the report has them over all structures alone: of
/// all of them both must say the same.
fn agrees(row: &Row, rows: &[&Value]) -> Outcome<()> {
    let ours = over(rows, |_| true).unwrap_or_default();
    let theirs = row.all;
    // Six digits are kept; failures of the tool widen a sum's limits by another rule.
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-4 * b.abs() + 1e-9;
    let sure = row.structures.iter().all(|s| s.counts.tool_error == 0);
    if near(ours.0, theirs.0) && (!sure || near(ours.1, theirs.1) && near(ours.2, theirs.2)) {
        return Ok(());
    }
    Err(format!(
        "{} on {}, {} bits: kernels and structures add up to {ours:?}, the report has {theirs:?}",
        row.app, row.chip, row.bits
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ASKED: &str = "apps = ['hs']\nchips = ['rtx2060', 'titan']\nstructures = ['rf', 'l1d', 'l2']\nbits = [1]\n";

    fn report() -> Value {
        let share = |v: f64| json!({ "value": v, "low": v, "high": v });
        let row = |kernel: &str, cycles: u64, sdc: u64| {
            let classes = json!({
                "sdc": share(sdc as f64 / 100.0), "crash": share(0.0), "timeout": share(0.0),
                "performance": share(0.01),
            });
            json!({
                "app": "hs", "chip": "titan", "bits": 1, "structure": "rf", "kernel": kernel,
                "cycles": cycles, "derating": 1.0, "structure_bits": 1000,
                "rate": share(sdc as f64 / 100.0), "masked": 99 - sdc, "performance": 1,
                "sdc": sdc, "crash": 0, "timeout": 0, "tool_error": 0, "classes": classes,
            })
        };
        json!({
            "confidence": 0.99,
            "raw_fit": { "by_chip": { "titan": { "per_bit": 1.2e-5, "source": "28 nm" } } },
            "chips": [{ "name": "titan", "title": "GeForce GTX Titan" }],
            "rows": [row("a", 300, 10), row("b", 100, 2)],
            "totals": [{
                "app": "hs", "chip": "titan", "bits": 1, "runs": 200, "cycles": 400,
                "occupancy": 0.25, "eit": 5e15, "avf": share(0.08),
                "structures": [{ "structure": "rf", "bits": 1000, "occupancy": 0.5, "avf": share(0.08) }],
            }],
        })
    }

    #[test]
    fn kernels_count_for_their_cycles() {
        let study = study(&report(), ASKED).unwrap();
        assert_eq!(study.chips.len(), 1, "rtx2060 was not run");
        assert_eq!(study.chips[0].raw_fit, 1.2e-5);
        let rf = study.rows[0].structure("rf").unwrap();
        assert_eq!((rf.counts.sdc, rf.counts.runs(), rf.size), (12, 200, 1000));
        assert_eq!((rf.sdc.0, rf.performance.0), (0.08, 0.01));
    }

    #[test]
    fn sums_are_over_what_the_paper_breaks() {
        let mut report = report();
        // An instruction cache that fails more often, which is not among them.
        let mut more = report["rows"].as_array().unwrap().clone();
        for r in &mut more {
            r["structure"] = json!("l1i");
            r["rate"] = json!({ "value": 0.5, "low": 0.5, "high": 0.5 });
        }
        report["rows"].as_array_mut().unwrap().extend(more);
        report["totals"][0]["avf"] = json!({ "value": 0.29, "low": 0.29, "high": 0.29 });
        let mut study = study(&report, ASKED).unwrap();
        assert_eq!((study.rows[0].weighted.0, study.rows[0].all.0), (0.08, 0.29));
        for r in report["rows"].as_array_mut().unwrap() {
            r["rate"] = json!({ "value": 0.02, "low": 0.01, "high": 0.03 });
        }
        loads(&mut study, "hs", &json!({ "loaded": report }));
        assert_eq!(study.rows[0].loaded.unwrap().0, 0.02);
    }

    #[test]
    fn what_is_unfinished_or_does_not_add_up_is_refused() {
        let refused = |change: fn(&mut Value)| {
            let mut report = report();
            change(&mut report);
            study(&report, ASKED).unwrap_err()
        };
        let of = refused(|r| r["totals"][0]["structures"][0]["avf"]["value"] = Value::Null);
        assert!(of.contains("lacks finished"), "{of}");
        let of = refused(|r| r["totals"][0]["avf"]["value"] = json!(0.5));
        assert!(of.contains("add up"), "{of}");
        let of = refused(|r| r["raw_fit"] = Value::Null);
        assert!(of.contains("--raw-fit chip"), "{of}");
        assert!(refused(|r| r["totals"] = json!([])).contains("nothing"));
    }
}
