//! What the repository keeps of the study, and sums over it.

use serde::{Deserialize, Serialize};
use upset_chip::GPUFI4;
use upset_metrics::Counts;
use upset_state::kind::is_cache;

use super::share::Share;
use crate::Outcome;

/// The study. Applications and structures are those of the specification, in its
/// order, whether they were run or not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// Of all intervals.
    pub confidence: f64,
    pub apps: Vec<String>,
    pub structures: Vec<String>,
    pub chips: Vec<Chip>,
    /// Applications by chip and number of bits.
    pub rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chip {
    pub name: String,
    pub title: String,
    /// Per bit, and where that comes from.
    pub raw_fit: f64,
    pub raw_fit_source: String,
}

/// One application on one chip under faults of so many bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub app: String,
    pub chip: String,
    pub bits: u32,
    /// Experiments over all kernels and structures.
    pub runs: u64,
    pub cycles: u64,
    /// Of warp slots.
    pub occupancy: f64,
    /// Executions in 10⁹ hours.
    pub eit: f64,
    /// The paper's wAVF: over the structures that gpuFI-4 breaks.
    pub weighted: Share,
    /// The same by gpuFI-4's rule, as far as that can be told: failures of caches
    /// count where a load took the wrong bit out.
    pub loaded: Option<Share>,
    /// Over all structures.
    pub all: Share,
    pub structures: Vec<Structure>,
}

/// One structure over the kernels, which count for their cycles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Structure {
    pub name: String,
    /// Bits of the chip.
    pub size: u64,
    /// Experiments of all kernels together, without weights.
    pub counts: Counts,
    /// Share of its bits × cycles in use.
    pub in_use: f64,
    pub avf: Share,
    pub sdc: Share,
    pub crash: Share,
    pub timeout: Share,
    pub performance: Share,
}

/// What there is to say of a structure under an application on a chip.
pub enum Cell<'a> {
    Found(&'a Structure),
    /// The chip has no such structure.
    NoSuch,
    /// The application has none.
    Unused,
    NotRun,
}

impl Study {
    /// As the repository has it: a row of the study in a line.
    pub fn text(&self) -> Outcome<String> {
        let mut out = String::from("{\n");
        out += &format!("\"confidence\": {},\n", self.confidence);
        out += &format!("\"apps\": {},\n", line(&self.apps)?);
        out += &format!("\"structures\": {},\n", line(&self.structures)?);
        let chips = self.chips.iter().map(line).collect::<Outcome<Vec<_>>>()?;
        out += &format!("\"chips\": [\n{}\n],\n", chips.join(",\n"));
        let rows = self.rows.iter().map(line).collect::<Outcome<Vec<_>>>()?;
        out += &format!("\"rows\": [\n{}\n]\n}}\n", rows.join(",\n"));
        Ok(out)
    }

    /// With the rows that an earlier study of the same kind has and this one has not.
    pub fn completed(mut self, before: Study) -> Study {
        if (self.confidence, &self.structures) != (before.confidence, &before.structures) {
            return self;
        }
        let lacks = |row: &Row| self.row(&row.app, &row.chip, row.bits).is_none();
        let rows: Vec<Row> = before.rows.into_iter().filter(lacks).collect();
        self.rows.extend(rows);
        // In the order of before.
        let mut chips = before.chips;
        for chip in std::mem::take(&mut self.chips) {
            match chips.iter_mut().find(|c| c.name == chip.name) {
                Some(same) => *same = chip,
                None => chips.push(chip),
            }
        }
        self.chips = chips;
        let Study { apps, chips, rows, .. } = &mut self;
        rows.sort_by_key(|row| {
            let chip = chips.iter().position(|chip| chip.name == row.chip);
            (chip, apps.iter().position(|app| *app == row.app), row.bits)
        });
        self
    }

    pub fn row(&self, app: &str, chip: &str, bits: u32) -> Option<&Row> {
        self.rows.iter().find(|r| r.app == app && r.chip == chip && r.bits == bits)
    }

    pub fn cell(&self, app: &str, chip: &str, bits: u32, structure: &str) -> Cell<'_> {
        let Some(row) = self.row(app, chip, bits) else { return Cell::NotRun };
        match row.structure(structure) {
            Some(found) => Cell::Found(found),
            // What is left out of a finished campaign was not there to be hit.
            None if is_cache(structure) => Cell::NoSuch,
            None => Cell::Unused,
        }
    }

    /// Applications that were run on a chip with both numbers of bits.
    pub fn run_on(&self, chip: &str) -> Vec<&str> {
        let both = |app: &&String| [1, 3].iter().all(|bits| self.row(app, chip, *bits).is_some());
        self.apps.iter().filter(both).map(String::as_str).collect()
    }

    /// FIT over the structures of the paper.
    pub fn fit(&self, row: &Row) -> Share {
        let chip = self.chips.iter().find(|c| c.name == row.chip);
        let size: u64 = row.of_paper().map(|s| s.size).sum();
        row.weighted.scaled(chip.map_or(0.0, |c| c.raw_fit) * size as f64)
    }
}

impl Row {
    pub fn structure(&self, name: &str) -> Option<&Structure> {
        self.structures.iter().find(|s| s.name == name)
    }

    /// The structures that gpuFI-4 breaks.
    pub fn of_paper(&self) -> impl Iterator<Item = &Structure> {
        self.structures.iter().filter(|s| GPUFI4.contains(&s.name.as_str()))
    }

    /// Part of a structure in the failures of those that gpuFI-4 breaks.
    pub fn part(&self, structure: &Structure) -> f64 {
        let weight = |s: &Structure| s.size as f64 * s.avf.0;
        let all: f64 = self.of_paper().map(weight).sum();
        if all > 0.0 { weight(structure) / all } else { 0.0 }
    }

    /// Experiments with other cycles alone, and all that do not fail.
    pub fn slowed(&self) -> (u64, u64) {
        let counts = self.of_paper().map(|s| s.counts);
        counts.fold((0, 0), |(slowed, all), c| {
            (slowed + c.performance, all + c.performance + c.masked)
        })
    }
}

fn line<T: Serialize>(value: &T) -> Outcome<String> {
    serde_json::to_string(value).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn structure(name: &str, size: u64, avf: f64) -> Structure {
        let near = |x: f64| Share(x, 0.9 * x, 1.1 * x);
        let counts = Counts { masked: 80, performance: 20, sdc: 6, ..Counts::default() };
        Structure {
            name: name.into(),
            size,
            counts,
            in_use: 0.5,
            avf: near(avf),
            sdc: near(avf),
            crash: Share::default(),
            timeout: Share::default(),
            performance: near(0.2),
        }
    }

    #[test]
    fn parts_and_fit_are_of_what_the_paper_breaks() {
        let structures =
            vec![structure("rf", 300, 0.04), structure("l1i", 500, 0.5), structure("l2", 100, 0.0)];
        let row = Row {
            app: "hs".into(),
            chip: "titan".into(),
            bits: 1,
            runs: 318,
            cycles: 9,
            occupancy: 0.5,
            eit: 1e12,
            weighted: Share(0.03, 0.02, 0.04),
            loaded: None,
            all: Share(0.3, 0.2, 0.4),
            structures,
        };
        assert_eq!(row.part(&row.structures[0]), 1.0);
        assert_eq!(row.slowed(), (40, 200));
        let chip = Chip {
            name: "titan".into(),
            title: "GeForce GTX Titan".into(),
            raw_fit: 1e-3,
            raw_fit_source: "28 nm".into(),
        };
        let study = Study {
            confidence: 0.99,
            apps: vec!["hs".into(), "km".into()],
            structures: ["rf", "l1d", "lmem", "l2"].map(String::from).to_vec(),
            chips: vec![chip],
            rows: vec![row],
        };
        assert!((study.fit(&study.rows[0]).0 - 0.03 * 1e-3 * 400.0).abs() < 1e-12);
        let cell = |app: &str, name: &str| study.cell(app, "titan", 1, name);
        assert!(matches!(cell("hs", "rf"), Cell::Found(s) if s.size == 300));
        assert!(matches!(cell("hs", "l1d"), Cell::NoSuch));
        assert!(matches!(cell("hs", "lmem"), Cell::Unused));
        assert!(matches!(cell("km", "rf"), Cell::NotRun));
        assert!(study.run_on("titan").is_empty(), "no triple bits");
        let again: Study = serde_json::from_str(&study.text().unwrap()).unwrap();
        assert_eq!(again, study);
    }
}
