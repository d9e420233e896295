//! What the repository keeps of the study.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Outcome;

/// Kernels in the paper's order, and what it calls them.
pub const APPS: [(&str, &str); 14] = [
    ("bins", "BinS"),
    ("bits", "BitS"),
    ("dct", "DCT"),
    ("dwt", "DWT"),
    ("fwt", "FWT"),
    ("fw", "FW"),
    ("his", "HIS"),
    ("mm", "MM"),
    ("mt", "MT"),
    ("qrs", "QRS"),
    ("rg", "RG"),
    ("red", "RED"),
    ("sc", "SC"),
    ("urng", "URNG"),
];

/// Chips of `studies/sifi.toml` by their number of SIMD units.
pub const CHIPS: [(u32, &str); 3] = [(4, "simd4"), (2, "simd2"), (1, "simd1")];

/// The study.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// Kernels by chip.
    pub rows: Vec<Row>,
}

/// One kernel on one chip. AVFs are shares, not percent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub app: String,
    pub simds: u32,
    /// Experiments over all structures.
    pub runs: u64,
    pub cycles: u64,
    pub structures: Vec<Structure>,
    pub fit: Option<f64>,
    pub eit: Option<f64>,
    pub epf: Option<f64>,
}

/// One structure under a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Structure {
    /// `vrf`, `srf` or `lds`.
    pub name: String,
    pub avf: f64,
    pub low: f64,
    pub high: f64,
    pub ace: Option<f64>,
    pub ace_refined: Option<f64>,
    pub in_use: f64,
    /// Nothing in use has none.
    pub avf_util: Option<f64>,
}

impl Study {
    /// Reads what `upset report --json` wrote.
    pub fn read(reports: &[Value]) -> Outcome<Study> {
        let totals: Vec<&Value> =
            reports.iter().filter_map(|r| r["totals"].as_array()).flatten().collect();
        let mut rows = Vec::new();
        for (app, _) in APPS {
            for (simds, chip) in CHIPS {
                let own = |t: &&&Value| t["app"] == app && t["chip"] == chip;
                let Some(total) = totals.iter().find(own) else { continue };
                let lacking = || format!("{app} on {chip}: the report lacks finished figures");
                rows.push(row(app, simds, total).ok_or_else(lacking)?);
            }
        }
        match rows.is_empty() {
            true => Err("no kernel of the study is in these reports".into()),
            false => Ok(Study { rows }),
        }
    }

    /// A structure under a kernel on the chip with so many SIMD units.
    pub fn find(&self, app: &str, simds: u32, name: &str) -> Option<&Structure> {
        self.row(app, simds)?.structures.iter().find(|s| s.name == name)
    }

    /// A kernel on the chip with so many SIMD units.
    pub fn row(&self, app: &str, simds: u32) -> Option<&Row> {
        self.rows.iter().find(|r| r.app == app && r.simds == simds)
    }
}

fn row(app: &str, simds: u32, total: &Value) -> Option<Row> {
    let structure = |s: &Value| {
        let avf = |key: &str| s["avf"][key].as_f64();
        Some(Structure {
            name: s["structure"].as_str()?.into(),
            avf: avf("value")?,
            low: avf("low")?,
            high: avf("high")?,
            ace: s["ace"].as_f64(),
            ace_refined: s["ace_refined"].as_f64(),
            in_use: s["occupancy"].as_f64()?,
            avf_util: s["avf_util"]["value"].as_f64(),
        })
    };
    Some(Row {
        app: app.into(),
        simds,
        runs: total["runs"].as_u64()?,
        cycles: total["cycles"].as_u64()?,
        structures: total["structures"].as_array()?.iter().map(structure).collect::<Option<_>>()?,
        fit: total["fit"]["value"].as_f64(),
        eit: total["eit"].as_f64(),
        epf: total["epf"].as_f64(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn figures_come_from_the_totals_and_must_be_finished() {
        let mut report = json!({ "totals": [{
            "app": "mm", "chip": "simd2", "runs": 30, "cycles": 1000,
            "fit": { "value": 7.5 }, "eit": 2e9, "epf": 3e8,
            "structures": [{ "structure": "vrf", "occupancy": 0.5, "ace": 0.4, "ace_refined": 0.3,
                "avf": { "value": 0.2, "low": 0.1, "high": 0.3 }, "avf_util": { "value": 0.4 } }],
        }] });
        let study = Study::read(std::slice::from_ref(&report)).unwrap();
        let vrf = study.find("mm", 2, "vrf").unwrap();
        assert_eq!((vrf.avf, vrf.ace, vrf.in_use, vrf.avf_util), (0.2, Some(0.4), 0.5, Some(0.4)));
        assert_eq!(study.row("mm", 2).unwrap().epf, Some(3e8));
        assert!(study.find("mm", 4, "vrf").is_none());
        report["totals"][0]["structures"][0]["avf"]["value"] = Value::Null;
        assert!(Study::read(&[report]).unwrap_err().contains("lacks finished"));
        assert!(Study::read(&[json!({})]).is_err());
    }
}
