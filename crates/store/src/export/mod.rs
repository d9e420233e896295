//! Results for other programs.
//!
//! Experiments are written as they are read: the memory this needs does not
//! grow with the campaign.

mod columns;
mod csv;
mod frame;
mod json;
#[cfg(feature = "parquet")]
mod parquet;

use std::io::Write;

pub use columns::column_names;
pub use frame::{FrameColumn, FrameValues, frame};

use crate::{Reader, StoreError};

/// Form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A row per experiment with everything about its stratum and subject.
    Csv,
    /// One object: header, subjects, strata, experiments.
    Json,
    /// The canonical form: an object per line. Its XXH128 is the digest.
    JsonLines,
    /// The columns of the CSV form in Apache Parquet.
    #[cfg(feature = "parquet")]
    Parquet,
}

impl Format {
    /// Every form that this build has.
    pub const ALL: &[Format] = &[
        Format::Csv,
        Format::Json,
        Format::JsonLines,
        #[cfg(feature = "parquet")]
        Format::Parquet,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Json => "json",
            Format::JsonLines => "jsonl",
            #[cfg(feature = "parquet")]
            Format::Parquet => "parquet",
        }
    }

    /// The form of a name; `None` for an unknown one and for one that this
    /// build does not have.
    pub fn parse(name: &str) -> Option<Format> {
        Format::ALL.iter().copied().find(|f| f.name() == name)
    }
}

/// Writes all results of a store.
pub fn write(
    reader: &Reader,
    format: Format,
    out: &mut (impl Write + Send),
) -> Result<(), StoreError> {
    match format {
        Format::Csv => csv::write(reader, out)?,
        Format::Json => json::object(reader, out)?,
        Format::JsonLines => json::lines(reader, out)?,
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::write(reader, out)?,
    }
    out.flush().map_err(StoreError::Export)
}
