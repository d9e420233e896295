//! Apache Parquet: the columns of the CSV form, with types.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result as Answer};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::columns::{COLUMNS, Cell, Column, ColumnKind, Joined, each_joined};
use crate::{Reader, StoreError};

/// Experiments that are kept in memory until they are written.
const GROUP: usize = 1 << 16;

/// Writes all experiments.
pub fn write(reader: &Reader, out: &mut (impl Write + Send)) -> Result<(), StoreError> {
    let schema = Arc::new(schema().map_err(failed)?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by("upset".into())
        .build();
    let mut file = SerializedFileWriter::new(out, schema, Arc::new(properties)).map_err(failed)?;
    let mut group = Group::default();
    each_joined(reader, |joined| {
        group.add(joined);
        match group.rows == GROUP {
            true => std::mem::take(&mut group).write(&mut file).map_err(failed),
            false => Ok(()),
        }
    })?;
    group.write(&mut file).map_err(failed)?;
    file.close().map(|_| ()).map_err(failed)
}

fn schema() -> Answer<Type> {
    let fields = COLUMNS.iter().map(field).collect::<Answer<Vec<_>>>()?;
    Type::group_type_builder("experiments").with_fields(fields).build()
}

fn field(column: &Column) -> Answer<Arc<Type>> {
    let (physical, logical) = match column.kind {
        ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnKind::Integer => (Physical::INT64, Some(LogicalType::integer(64, false))),
        ColumnKind::Real => (Physical::DOUBLE, None),
        ColumnKind::Bool => (Physical::BOOLEAN, None),
    };
    let repetition =
        if column.kind == ColumnKind::Text { Repetition::REQUIRED } else { Repetition::OPTIONAL };
    let built = Type::primitive_type_builder(column.name, physical)
        .with_repetition(repetition)
        .with_logical_type(logical)
        .build()?;
    Ok(Arc::new(built))
}

/// Values of one column.
#[derive(Default)]
struct Values {
    texts: Vec<ByteArray>,
    integers: Vec<i64>,
    reals: Vec<f64>,
    bools: Vec<bool>,
    /// Whether each row has a value, for all but texts.
    present: Vec<i16>,
}

/// Rows that are written together.
#[derive(Default)]
struct Group {
    rows: usize,
    columns: Vec<Values>,
}

impl Group {
    fn add(&mut self, joined: Joined<'_>) {
        self.rows += 1;
        self.columns.resize_with(COLUMNS.len(), Values::default);
        for (column, values) in COLUMNS.iter().zip(&mut self.columns) {
            let cell = (column.value)(joined);
            values.present.push(i16::from(cell != Cell::None));
            match cell {
                Cell::Text(s) => values.texts.push(s.as_bytes().to_vec().into()),
                // The same 64 bits; the schema says that they have no sign.
                Cell::Integer(n) => values.integers.push(n as i64),
                Cell::Real(x) => values.reals.push(x),
                Cell::Bool(b) => values.bools.push(b),
                Cell::None => {}
            }
        }
    }

    fn write<W: Write + Send>(self, file: &mut SerializedFileWriter<W>) -> Answer<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = file.next_row_group()?;
        for values in self.columns {
            if let Some(column) = group.next_column()? {
                values.write(column)?;
            }
        }
        group.close().map(|_| ())
    }
}

impl Values {
    fn write(self, mut column: SerializedColumnWriter<'_>) -> Answer<()> {
        let present = Some(&self.present[..]);
        match column.untyped() {
            ColumnWriter::ByteArrayColumnWriter(w) => w.write_batch(&self.texts, None, None)?,
            ColumnWriter::Int64ColumnWriter(w) => w.write_batch(&self.integers, present, None)?,
            ColumnWriter::DoubleColumnWriter(w) => w.write_batch(&self.reals, present, None)?,
            ColumnWriter::BoolColumnWriter(w) => w.write_batch(&self.bools, present, None)?,
            _ => return Err(ParquetError::General("a column of another type".into())),
        };
        column.close()
    }
}

fn failed(e: ParquetError) -> StoreError {
    StoreError::Export(io::Error::other(e))
}
