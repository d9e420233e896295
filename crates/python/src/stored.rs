//! Stores: what they were made for, their experiments, reports on them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use upset_cli::Failure;
use upset_store::export::{FrameColumn, FrameValues, frame};
use upset_store::{Reader, StoreError};

use crate::failed::{failed, unreadable};

/// What a store is about, as JSON.
#[pyfunction]
pub fn about(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    py.detach(|| described(&path)).map_err(|e| unreadable(py, &e))
}

fn described(path: &Path) -> Result<String, StoreError> {
    let reader = Reader::open(path)?;
    let header = reader.header();
    // It was written by us; what cannot be read is shown as it is.
    let spec = toml::from_str::<Value>(&header.spec).unwrap_or_else(|_| json!(header.spec));
    Ok(json!({
        "file": path, "complete": reader.is_complete(), "tool": header.tool,
        "spec": spec, "seed": header.seed, "confidence": header.confidence,
        "shard": reader.shard()?, "intents": reader.intents()?,
        "subjects": reader.subjects()?, "strata": reader.strata()?,
        "digest": reader.digest(), "results_digest": reader.results_digest(),
    })
    .to_string())
}

/// Name, kind, words of a text, values as bytes, and a byte for each that is there.
type PyColumn = (&'static str, &'static str, Vec<String>, Py<PyBytes>, Py<PyBytes>);

/// A store's experiments, column by column.
#[pyfunction]
pub fn runs(py: Python<'_>, path: PathBuf) -> PyResult<Vec<PyColumn>> {
    let read = py.detach(|| frame(&Reader::open(&path)?));
    let columns = read.map_err(|e| unreadable(py, &e))?;
    Ok(columns.into_iter().map(|column| handed_over(py, column)).collect())
}

fn handed_over(py: Python<'_>, column: FrameColumn) -> PyColumn {
    let (kind, words, values): (_, _, Vec<u8>) = match column.values {
        FrameValues::Text(words, codes) => {
            ("text", words, codes.iter().flat_map(|c| c.to_ne_bytes()).collect())
        }
        FrameValues::Integer(v) => {
            ("integer", Vec::new(), v.iter().flat_map(|n| n.to_ne_bytes()).collect())
        }
        FrameValues::Real(v) => {
            ("real", Vec::new(), v.iter().flat_map(|x| x.to_ne_bytes()).collect())
        }
        FrameValues::Bool(v) => ("bool", Vec::new(), v.iter().map(|b| u8::from(*b)).collect()),
    };
    let present: Vec<u8> = column.present.iter().map(|p| u8::from(*p)).collect();
    let bytes = |v: &[u8]| PyBytes::new(py, v).unbind();
    (column.name, kind, words, bytes(&values), bytes(&present))
}

/// What `upset report` makes of stores.
#[pyclass(frozen)]
pub struct Report(upset_report::Report);

#[pymethods]
impl Report {
    /// All numbers, as `--json` writes them.
    fn json(&self) -> String {
        self.0.json().to_string()
    }

    /// The tables.
    fn text(&self) -> String {
        self.0.text()
    }

    /// The page.
    fn html(&self) -> String {
        self.0.html()
    }
}

/// The report on stores, given the words that follow `upset report`.
#[pyfunction]
pub fn report(py: Python<'_>, words: Vec<OsString>) -> PyResult<Report> {
    let made = py.detach(|| guarded(|| upset_cli::report_of(&words)));
    made.map(Report).map_err(|f| failed(py, f, None))
}

/// What `upset compare` makes of two sides.
#[pyclass(frozen)]
pub struct Comparison(upset_report::Versus);

#[pymethods]
impl Comparison {
    /// All numbers, as `--json` writes them.
    fn json(&self) -> String {
        self.0.json().to_string()
    }

    /// The tables.
    fn text(&self) -> String {
        self.0.text()
    }

    /// Figures that differ, corrected for all tests.
    fn different(&self) -> u64 {
        self.0.different()
    }
}

/// Two sides compared, given the words that follow `upset compare`.
#[pyfunction]
pub fn compare(py: Python<'_>, words: Vec<OsString>) -> PyResult<Comparison> {
    let made = py.detach(|| guarded(|| upset_cli::comparison_of(&words)));
    made.map(Comparison).map_err(|f| failed(py, f, None))
}

/// A panic of ours becomes a failure of ours.
fn guarded<T>(make: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(make))
        .unwrap_or_else(|_| Err(Failure { code: 4, message: "a panic: please report it".into() }))
}
