//! The columns of the table forms.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::{Experiment, FirstAlarm, Noticed, Reader, Sdc, StoreError, Stratum, Subject};

/// An experiment with what it belongs to.
#[derive(Clone, Copy)]
pub struct Joined<'a> {
    pub subject: &'a Subject,
    pub stratum: &'a Stratum,
    pub experiment: &'a Experiment,
}

/// A value in a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    Text(Cow<'a, str>),
    Integer(u64),
    Real(f64),
    Bool(bool),
    None,
}

/// What a column holds. All but text may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    Text,
    Integer,
    Real,
    Bool,
}

/// A column.
pub struct Column {
    pub name: &'static str,
    pub kind: ColumnKind,
    pub value: for<'a> fn(Joined<'a>) -> Cell<'a>,
}

/// All columns, in order.
pub const COLUMNS: &[Column] = &[
    integer("subject", |j| Cell::Integer(j.subject.id.into())),
    text("app", |j| word(&j.subject.app)),
    text("scale", |j| word(&j.subject.scale)),
    text("command", |j| Cell::Text(j.subject.command.join(" ").into())),
    text("chip", |j| word(&j.subject.chip)),
    integer("stratum", |j| Cell::Integer(j.stratum.id.into())),
    text("kernel", |j| word(j.stratum.kernel.as_deref().unwrap_or(""))),
    text("window", |j| word(&j.stratum.window)),
    text("structure", |j| word(&j.stratum.structure)),
    integer("bits", |j| Cell::Integer(j.stratum.bits.into())),
    text("model", |j| word(&j.stratum.model)),
    text("spread", |j| word(&j.stratum.spread)),
    text("sampling", |j| word(&j.stratum.sampling)),
    integer("window_cycles", |j| Cell::Integer(j.stratum.cycles)),
    integer("structure_bits", |j| Cell::Integer(j.stratum.structure_bits)),
    real("derating", |j| Cell::Real(j.stratum.derating)),
    real("occupancy", |j| j.stratum.occupancy.map_or(Cell::None, Cell::Real)),
    integer("number", |j| Cell::Integer(j.experiment.number)),
    text("fault", |j| word(&j.experiment.fault)),
    text("hit_structure", |j| word(&j.experiment.hit.structure)),
    text("hit_part", |j| word(&j.experiment.hit.part)),
    integer("hit_sm", |j| number(j.experiment.hit.sm)),
    integer("hit_subcore", |j| number(j.experiment.hit.subcore)),
    integer("hit_slice", |j| number(j.experiment.hit.slice)),
    integer("hit_warp", |j| number(j.experiment.hit.warp)),
    integer("hit_row", |j| number(j.experiment.hit.row)),
    integer("hit_set", |j| number(j.experiment.hit.set)),
    integer("hit_way", |j| number(j.experiment.hit.way)),
    integer("hit_lane", |j| number(j.experiment.hit.lane)),
    integer("hit_bit", |j| number(j.experiment.hit.bit)),
    integer("hit_bits", |j| Cell::Integer(j.experiment.hit.bits)),
    integer("hit_cycle", |j| Cell::Integer(j.experiment.hit.cycle)),
    truth("hit_allocated", |j| j.experiment.hit.allocated.map_or(Cell::None, Cell::Bool)),
    text("hit_kernel", |j| word(&j.experiment.hit.kernel)),
    integer("hit_launch", |j| number(j.experiment.hit.launch)),
    text("hit_function", |j| word(&j.experiment.hit.function)),
    integer("hit_instruction", |j| number(j.experiment.hit.instruction)),
    text("hit_register", |j| word(&j.experiment.hit.register)),
    text("class", |j| word(j.experiment.class.name())),
    text("cause", |j| word(&j.experiment.cause)),
    text("cause_kind", |j| word(&j.experiment.cause_kind)),
    integer("cycles", |j| Cell::Integer(j.experiment.cycles)),
    truth("reached", |j| j.experiment.reached.map_or(Cell::None, Cell::Bool)),
    text("how", |j| word(&j.experiment.how)),
    text("output_digest", |j| word(&j.experiment.output_digest)),
    integer("attempts", |j| Cell::Integer(j.experiment.attempts.into())),
    text("sdc_element", |j| word(sdc(j).map_or("", |s| &s.element))),
    integer("sdc_elements", |j| number(sdc(j).map(|s| s.elements))),
    integer("sdc_wrong", |j| number(sdc(j).map(|s| s.wrong))),
    real("sdc_max_relative", |j| {
        sdc(j).and_then(|s| s.max_relative).map_or(Cell::None, Cell::Real)
    }),
    integer("sdc_nan", |j| number(sdc(j).map(|s| s.nan))),
    integer("sdc_inf", |j| number(sdc(j).map(|s| s.inf))),
    integer("sdc_first", |j| number(sdc(j).map(|s| s.first))),
    truth("sdc_length_differs", |j| sdc(j).map_or(Cell::None, |s| Cell::Bool(s.length_differs))),
    text("sdc_bit_counts", |j| Cell::Text(sdc(j).map_or_else(String::new, bit_counts).into())),
    truth("noticed", |j| noticed(j).map_or(Cell::None, |n| Cell::Bool(n.is_alarm()))),
    text("noticed_layers", |j| {
        Cell::Text(noticed(j).map_or_else(String::new, |n| n.layers.join(" ")).into())
    }),
    text("noticed_first", |j| word(first(j).map_or("", |f| &f.what))),
    integer("noticed_cycle", |j| number(first(j).map(|f| f.cycle))),
    integer("noticed_sm", |j| number(first(j).and_then(|f| f.sm).map(u64::from))),
    truth("noticed_before_output", |j| {
        first(j).map_or(Cell::None, |f| Cell::Bool(f.before_output))
    }),
    text("noticed_ways", |j| Cell::Text(noticed(j).map_or_else(String::new, ways).into())),
    text("noticed_paper", |j| {
        Cell::Text(noticed(j).map_or_else(String::new, |n| n.paper.join(" ")).into())
    }),
    real("noticed_score", |j| noticed(j).map_or(Cell::None, |n| Cell::Real(n.score))),
];

type Value = for<'a> fn(Joined<'a>) -> Cell<'a>;

const fn text(name: &'static str, value: Value) -> Column {
    Column { name, kind: ColumnKind::Text, value }
}

const fn integer(name: &'static str, value: Value) -> Column {
    Column { name, kind: ColumnKind::Integer, value }
}

const fn real(name: &'static str, value: Value) -> Column {
    Column { name, kind: ColumnKind::Real, value }
}

const fn truth(name: &'static str, value: Value) -> Column {
    Column { name, kind: ColumnKind::Bool, value }
}

fn word(s: &str) -> Cell<'_> {
    Cell::Text(s.into())
}

fn number<'a>(n: Option<u64>) -> Cell<'a> {
    n.map_or(Cell::None, Cell::Integer)
}

fn sdc<'a>(j: Joined<'a>) -> Option<&'a Sdc> {
    j.experiment.sdc.as_ref()
}

fn noticed<'a>(j: Joined<'a>) -> Option<&'a Noticed> {
    j.experiment.noticed.as_ref()
}

fn first<'a>(j: Joined<'a>) -> Option<&'a FirstAlarm> {
    noticed(j).and_then(|n| n.first.as_ref())
}

/// Sets of counters that are enough: `a b; c`.
fn ways(noticed: &Noticed) -> String {
    noticed.ways.iter().map(|way| way.join(" ")).collect::<Vec<_>>().join("; ")
}

fn bit_counts(sdc: &Sdc) -> String {
    sdc.bit_counts.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

/// Finds what experiments belong to.
pub struct Joiner {
    subjects: BTreeMap<u32, Subject>,
    strata: BTreeMap<u32, Stratum>,
}

impl Joiner {
    /// Of a store.
    pub fn new(reader: &Reader) -> Result<Joiner, StoreError> {
        Ok(Joiner {
            subjects: reader.subjects()?.into_iter().map(|s| (s.id, s)).collect(),
            strata: reader.strata()?.into_iter().map(|s| (s.id, s)).collect(),
        })
    }

    /// Of an experiment. A campaign that has just begun may have added a
    /// stratum after we read them; it is left to the next export.
    pub fn join<'a>(&'a self, experiment: &'a Experiment) -> Option<Joined<'a>> {
        let stratum = self.strata.get(&experiment.stratum)?;
        Some(Joined { subject: self.subjects.get(&stratum.subject)?, stratum, experiment })
    }
}

/// Names of the columns of the table forms, in order.
pub fn column_names() -> impl Iterator<Item = &'static str> {
    COLUMNS.iter().map(|c| c.name)
}

/// Hands every experiment with its stratum and subject to `each`.
pub fn each_joined(
    reader: &Reader,
    mut each: impl FnMut(Joined<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let joiner = Joiner::new(reader)?;
    reader.each_experiment(|experiment: Experiment| match joiner.join(&experiment) {
        Some(joined) => each(joined),
        None => Ok(()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_column_is_there_twice() {
        for (i, column) in COLUMNS.iter().enumerate() {
            assert!(COLUMNS[..i].iter().all(|c| c.name != column.name), "{}", column.name);
        }
    }
}
