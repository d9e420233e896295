//! JSON: one object, or a line per record.

use std::io::Write;

use serde::Serialize;

use crate::record::{Record, json};
use crate::{Reader, StoreError, VERSION};

/// Writes one object. `digest` is there when the campaign is complete.
pub fn object(reader: &Reader, out: &mut impl Write) -> Result<(), StoreError> {
    let complete = reader.is_complete();
    put(out, format!("{{\n\"schema\":{VERSION},\n\"complete\":{complete},\n"))?;
    if complete {
        put(out, format!("\"digest\":\"{}\",\n", reader.digest()))?;
    }
    put(out, format!("\"results_digest\":\"{}\",\n", reader.results_digest()))?;
    put(out, "\"header\":")?;
    put(out, json(reader.header())?)?;
    if let Some(shard) = reader.shard()? {
        put(out, ",\n\"shard\":")?;
        put(out, json(&shard)?)?;
    }
    let mut plan = List::begin(out, "plan")?;
    reader.intents()?.iter().try_for_each(|s| plan.add(out, s))?;
    let mut subjects = List::end_and_begin(out, "subjects")?;
    reader.subjects()?.iter().try_for_each(|s| subjects.add(out, s))?;
    let mut strata = List::end_and_begin(out, "strata")?;
    reader.strata()?.iter().try_for_each(|s| strata.add(out, s))?;
    let mut experiments = List::end_and_begin(out, "experiments")?;
    reader.each_experiment(|e| experiments.add(out, &e))?;
    put(out, "\n]\n}\n")
}

/// Writes the canonical form.
pub fn lines(reader: &Reader, out: &mut impl Write) -> Result<(), StoreError> {
    put(out, Record::Header(reader.header()).line()?)?;
    for subject in &reader.subjects()? {
        put(out, Record::Subject(subject).line()?)?;
    }
    for stratum in &reader.strata()? {
        put(out, Record::Stratum(stratum).line()?)?;
    }
    reader.each_experiment(|e| put(out, Record::Experiment(&e).line()?))
}

/// A list that is being written, an element per line.
struct List {
    empty: bool,
}

impl List {
    fn begin(out: &mut impl Write, name: &str) -> Result<List, StoreError> {
        put(out, format!(",\n\"{name}\":["))?;
        Ok(List { empty: true })
    }

    fn end_and_begin(out: &mut impl Write, name: &str) -> Result<List, StoreError> {
        put(out, "\n]")?;
        List::begin(out, name)
    }

    fn add(&mut self, out: &mut impl Write, item: &impl Serialize) -> Result<(), StoreError> {
        put(out, if self.empty { "\n" } else { ",\n" })?;
        self.empty = false;
        put(out, json(item)?)
    }
}

fn put(out: &mut impl Write, text: impl AsRef<[u8]>) -> Result<(), StoreError> {
    out.write_all(text.as_ref()).map_err(StoreError::Export)
}
