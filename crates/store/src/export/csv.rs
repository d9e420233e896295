//! Comma-separated values: a line per experiment.

use std::io::{self, Write};

use super::columns::{COLUMNS, Cell, column_names, each_joined};
use crate::{Reader, StoreError};

/// Writes a header line and all experiments.
pub fn write(reader: &Reader, out: &mut impl Write) -> Result<(), StoreError> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(column_names()).map_err(failed)?;
    each_joined(reader, |joined| {
        for column in COLUMNS {
            let done = match (column.value)(joined) {
                Cell::Text(s) => table.write_field(s.as_bytes()),
                Cell::Integer(n) => table.write_field(n.to_string()),
                // The shortest form that reads back as the same number.
                Cell::Real(x) => table.write_field(format!("{x:?}")),
                Cell::Bool(b) => table.write_field(if b { "true" } else { "false" }),
                Cell::None => table.write_field(""),
            };
            done.map_err(failed)?;
        }
        table.write_record(None::<&[u8]>).map_err(failed)
    })?;
    table.flush().map_err(StoreError::Export)
}

fn failed(e: csv::Error) -> StoreError {
    StoreError::Export(match e.into_kind() {
        csv::ErrorKind::Io(e) => e,
        other => io::Error::other(format!("{other:?}")),
    })
}
