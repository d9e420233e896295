//! `upset chips show NAME --arrays`: every array of the machine, counted from
//! its registry.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value, json};
use upset_chip::ChipSpec;
use upset_device::Machine;
use upset_state::{Layout, Part, Registry};

use crate::table::{bytes, grouped, render, row};

/// One kind of array.
struct ArrayRow {
    /// `rf`, `l2`; a cache's state bits are `l2.state`.
    structure: String,
    /// SMs or slices that have it.
    instances: u64,
    /// Bits of one of them.
    bits_each: u64,
    /// Bits of all of them.
    bits: u64,
    /// How one of them is made up.
    shape: String,
    /// Names of the first and the last bit.
    names: [String; 2],
    /// In the papers' tables: `Some(true)` when also in their sums.
    papers: Option<bool>,
    /// Wires and latches of logic, which hold nothing.
    wire: bool,
}

/// What rows are told together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Papers,
    Beyond,
    Logic,
}

impl ArrayRow {
    fn mebibytes(&self) -> f64 {
        mebibytes(self.bits)
    }

    fn group(&self) -> Group {
        match (self.wire, self.papers) {
            (true, _) => Group::Logic,
            (false, Some(_)) => Group::Papers,
            (false, None) => Group::Beyond,
        }
    }
}

fn mebibytes(bits: u64) -> f64 {
    bits as f64 / 8.0 / 1024.0 / 1024.0
}

/// Bits of the rows that `which` picks.
fn sum(rows: &[ArrayRow], which: impl Fn(&ArrayRow) -> bool) -> u64 {
    rows.iter().filter(|r| which(r)).map(|r| r.bits).sum()
}

/// The inventory as text.
pub fn text(chip: &ChipSpec) -> String {
    let rows = rows(chip);
    let c = &chip.chip;
    let mut out = format!("{}: {} ({}, {})\n", c.name, c.title, c.family, c.arch);
    let head = || row!["STRUCTURE", "INSTANCES", "BITS EACH", "BITS", "MiB"];
    // The shape goes to the left, behind columns that go to the right.
    let mut part = |title: &str, group: Group, sums: &[(&str, u64)]| {
        let _ = writeln!(out, "\n{title}");
        let mut cells = vec![head()];
        let mut shapes = vec!["ONE INSTANCE"];
        for r in rows.iter().filter(|r| r.group() == group) {
            cells.push(row![
                r.structure,
                r.instances,
                grouped(r.bits_each),
                grouped(r.bits),
                format!("{:.3}", r.mebibytes()),
            ]);
            shapes.push(&r.shape);
        }
        for (name, bits) in sums {
            cells.push(row![name, "", "", grouped(*bits), format!("{:.3}", mebibytes(*bits))]);
        }
        let shapes = shapes.into_iter().chain(std::iter::repeat(""));
        for (line, shape) in render(&cells).lines().zip(shapes) {
            let _ = writeln!(out, "{}", format!("{line}  {shape}").trim_end());
        }
    };
    let injected = sum(&rows, |r| r.papers == Some(true));
    let papers = sum(&rows, |r| r.group() == Group::Papers);
    let beyond = sum(&rows, |r| r.group() == Group::Beyond);
    let memory = bytes(chip.memory.bytes);
    if chip.sm().is_err() {
        part(
            "Registers, local memory and caches: data and tags",
            Group::Papers,
            &[("all of these", papers)],
        );
        part(
            "Beyond them",
            Group::Beyond,
            &[("all of these", beyond), ("everything", papers + beyond)],
        );
        let _ = writeln!(
            out,
            "\ngmem (global memory) is backing memory, sized by use: at most {memory}\n\
             a bit's name: {}",
            rows.first().map_or("", |r| &r.names[1]),
        );
        return out;
    }
    part(
        "As the gpuFI-4 papers count: data and tags",
        Group::Papers,
        &[("all of these", papers), ("without l1c, l1i", injected)],
    );
    part(
        "Beyond the papers' count",
        Group::Beyond,
        &[("all of these", beyond), ("everything", papers + beyond)],
    );
    let wires = sum(&rows, |r| r.wire);
    part("Logic: wires and latches, which hold nothing", Group::Logic, &[("all of these", wires)]);
    let _ = writeln!(
        out,
        "\ngmem and lmem (global and local memory) are backing memory, sized by use: at most {}\n\
         a bit's name: {}",
        memory,
        rows.iter().find(|r| r.structure == "rf").map_or("", |r| &r.names[1]),
    );
    out
}

/// The inventory as JSON.
pub fn json(chip: &ChipSpec) -> Value {
    let rows = rows(chip);
    let list: Vec<Value> = rows
        .iter()
        .map(|r| {
            json!({
                "structure": r.structure, "instances": r.instances, "bits_each": r.bits_each,
                "bits": r.bits, "mebibytes": r.mebibytes(), "shape": r.shape,
                "first_bit": r.names[0], "last_bit": r.names[1],
                "wire": r.wire, "in_papers": r.papers.is_some(), "injected_by_gpufi4": r.papers == Some(true),
            })
        })
        .collect();
    json!({
        "chip": chip.chip.name,
        "arrays": list,
        "bits": sum(&rows, |r| !r.wire),
        "papers_bits": sum(&rows, |r| r.papers.is_some()),
        "gpufi4_bits": sum(&rows, |r| r.papers == Some(true)),
    })
}

/// All arrays of a machine of this chip, by kind, in the registry's order.
fn rows(chip: &ChipSpec) -> Vec<ArrayRow> {
    let Ok(mut machine) = Machine::new(chip) else { return Vec::new() };
    let registry = Registry::of(&mut machine);
    let counted = chip.inventory();
    let mut groups: Vec<(String, Vec<&Layout>)> = Vec::new();
    // A machine keeps an empty stand-in for a cache that its chip lacks.
    let real = |l: &&Layout| !l.parted || chip.cache(&l.kind).is_some();
    for layout in registry.arrays.iter().filter(real) {
        let name = match layout.id.part {
            Part::State => format!("{}.state", layout.kind),
            Part::Data | Part::Tag => layout.kind.clone(),
        };
        match groups.iter_mut().find(|(n, _)| *n == name) {
            Some((_, list)) => list.push(layout),
            None => groups.push((name, vec![layout])),
        }
    }
    groups
        .into_iter()
        .filter_map(|(structure, arrays)| {
            let (first, last) = (arrays.first()?, arrays.last()?);
            let places: BTreeSet<&str> = arrays.iter().map(|l| place(l)).collect();
            let instances = places.len() as u64;
            let bits: u64 = arrays.iter().map(|l| l.bits()).sum();
            let in_first: Vec<&Layout> =
                arrays.iter().copied().filter(|l| place(l) == place(first)).collect();
            Some(ArrayRow {
                papers: counted
                    .iter()
                    .find(|a| a.structure == structure)
                    .map(|a| a.injected_by_gpufi4()),
                wire: first.id.kind.about().wire,
                structure,
                instances,
                bits_each: bits / instances.max(1),
                bits,
                shape: shape(&in_first),
                names: [first.name(0), last.name(last.bits().saturating_sub(1))],
            })
        })
        .collect()
}

/// The SM or slice of an array.
fn place(layout: &Layout) -> &str {
    layout.path.split('.').next().unwrap_or_default()
}

/// What the arrays of one SM or slice look like.
fn shape(arrays: &[&Layout]) -> String {
    let Some((first, others)) = arrays.split_first() else { return String::new() };
    if first.parted {
        return lines(arrays);
    }
    let mut words: Vec<String> = match others.len() {
        0 => Vec::new(),
        n => vec![format!("{} sub-cores", n + 1)],
    };
    words.extend(first.axes.iter().map(|a| match a.names {
        [] => counted(a.size, a.name),
        names => names.join(" and "),
    }));
    words.join(" x ")
}

/// Lines of a cache: their data and tag bits, or their state bits.
fn lines(parts: &[&Layout]) -> String {
    let Some(first) = parts.first() else { return String::new() };
    let [outer @ .., _] = first.axes.as_slice() else { return String::new() };
    let mut words: Vec<String> = outer.iter().map(|a| counted(a.size, a.name)).collect();
    let bits: Vec<String> = parts
        .iter()
        .filter_map(|p| Some(format!("{} {}", p.axes.last()?.size, p.id.part)))
        .collect();
    words.push(match bits.as_slice() {
        [one] if one.starts_with("1 ") => format!("{one} bit"),
        [one] => format!("{one} bits"),
        several => format!("({} bits)", several.join(" + ")),
    });
    words.join(" x ")
}

/// `1 set`, `4 sets`: an axis in words.
fn counted(n: u64, axis: &str) -> String {
    let (one, many) = match axis {
        "p" | "up" => ("predicate", "predicates"),
        "ur" => ("register", "registers"),
        "b" => ("barrier", "barriers"),
        "sb" => ("counter", "counters"),
        "entry" => ("entry", "entries"),
        "row" => ("row", "rows"),
        "lane" => ("lane", "lanes"),
        "bit" => ("bit", "bits"),
        "byte" => ("byte", "bytes"),
        "warp" => ("warp", "warps"),
        "cta" => ("CTA", "CTAs"),
        "set" => ("set", "sets"),
        "way" => ("way", "ways"),
        other => (other, other),
    };
    format!("{n} {}", if n == 1 { one } else { many })
}
