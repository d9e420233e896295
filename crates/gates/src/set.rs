//! A file of operands: what made them, what they reach, and the operands.

use std::fmt::Write as _;

use crate::circuits::Unit;
use crate::netlist::Operands;

/// Operands for a unit and the coverage they are said to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperandSet {
    /// The unit.
    pub unit: Unit,
    /// Seed that they were made from.
    pub seed: u64,
    /// Stuck-at faults of the circuit.
    pub faults: usize,
    /// Classes of them that no test can tell apart.
    pub collapsed: usize,
    /// Classes that no operands can show: proved.
    pub untestable: usize,
    /// Classes that these operands show.
    pub detected: usize,
    /// The operands: a, b, c, and for sums the carries that come in.
    pub patterns: Vec<Operands>,
}

impl OperandSet {
    /// Detected classes among those not proved untestable, in percent.
    pub fn coverage(&self) -> f64 {
        100.0 * self.detected as f64 / (self.collapsed - self.untestable) as f64
    }

    fn columns(unit: Unit) -> &'static [&'static str] {
        match unit {
            Unit::Fma | Unit::Imad => &["a", "b", "c"],
            Unit::Iadd => &["a", "b", "c", "p"],
        }
    }

    /// The file.
    pub fn text(&self) -> String {
        let columns = OperandSet::columns(self.unit);
        let mut text = format!(
            "# Operands that show stuck-at faults, written by `cargo xtask gates` (docs/grading.md)\n\
             # unit {}\n# seed {}\n# faults {}\n# collapsed {}\n# untestable {}\n# detected {}\n# columns {}\n",
            self.unit.name(),
            self.seed,
            self.faults,
            self.collapsed,
            self.untestable,
            self.detected,
            columns.join(" "),
        );
        for pattern in &self.patterns {
            let words: Vec<String> =
                pattern[..columns.len()].iter().map(|w| format!("{w:08x}")).collect();
            let _ = writeln!(text, "{}", words.join(" "));
        }
        text
    }

    /// Reads a file.
    pub fn parse(text: &str) -> Result<OperandSet, String> {
        let mut header = std::collections::BTreeMap::new();
        let mut rows = Vec::new();
        for (i, line) in text.lines().enumerate() {
            match line.strip_prefix("# ") {
                Some(entry) => {
                    let (key, value) = entry.split_once(' ').unwrap_or((entry, ""));
                    header.insert(key, value);
                }
                None if line.trim().is_empty() => {}
                None => rows.push((i + 1, line)),
            }
        }
        let entry = |key: &str| {
            let missing = || {
                format!(
                    "the operands' header has no line `# {key} …`: write the file anew with `cargo xtask gates`"
                )
            };
            header.get(key).copied().ok_or_else(missing)
        };
        let number = |key: &str| -> Result<usize, String> {
            let value = entry(key)?;
            value.parse().map_err(|_| format!("`# {key} {value}` is no number"))
        };
        let name = entry("unit")?;
        let unit = Unit::ALL.into_iter().find(|u| u.name() == name);
        let unit = unit.ok_or_else(|| format!("no unit {name:?}: there are fma, iadd and imad"))?;
        let columns = OperandSet::columns(unit).len();
        let mut patterns = Vec::new();
        for (line, row) in rows {
            let words: Vec<u32> = row
                .split_whitespace()
                .map(|w| u32::from_str_radix(w, 16))
                .collect::<Result<_, _>>()
                .map_err(|_| format!("line {line}: {row:?} are not hexadecimal numbers"))?;
            if words.len() != columns {
                return Err(format!(
                    "line {line}: {} numbers, {} has {columns}",
                    words.len(),
                    unit.name()
                ));
            }
            let mut pattern = [0; 4];
            pattern[..columns].copy_from_slice(&words);
            patterns.push(pattern);
        }
        Ok(OperandSet {
            unit,
            seed: number("seed")? as u64,
            faults: number("faults")?,
            collapsed: number("collapsed")?,
            untestable: number("untestable")?,
            detected: number("detected")?,
            patterns,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set() -> OperandSet {
        OperandSet {
            unit: Unit::Iadd,
            seed: 3,
            faults: 10,
            collapsed: 8,
            untestable: 1,
            detected: 7,
            patterns: vec![[1, 2, 3, 1], [0xffff_ffff, 0, 7, 0]],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(OperandSet::parse(&set().text()), Ok(set()));
        assert_eq!(set().coverage(), 100.0);
    }

    #[test]
    fn bad_files_say_what_is_wrong() {
        let text = set().text();
        let told = |from: &str, to: &str| OperandSet::parse(&text.replace(from, to)).unwrap_err();
        assert!(told("# seed 3\n", "").contains("no line `# seed"));
        assert!(told("unit iadd", "unit fdiv").contains("no unit \"fdiv\""));
        assert!(told("00000002", "zz").contains("line 9"));
        assert!(told("00000002", "").contains("3 numbers, iadd has 4"));
        assert!(told("detected 7", "detected x").contains("no number"));
    }
}
