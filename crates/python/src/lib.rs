//! `upset._upset`: what the Python package asks of Upset. Numbers and work come
//! from the same code as the program's; what Python makes of them is in `upset/`.

mod asked;
mod carried;
mod failed;
mod numbers;
mod stored;

use pyo3::prelude::*;

/// The part of the package that is not Python.
#[pymodule]
mod _upset {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::asked::{ask, work};
    #[pymodule_export]
    use crate::numbers::{colour_of, interval, palette, percent_with};
    #[pymodule_export]
    use crate::stored::{Comparison, Report, about, compare, report, runs};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::carried::carry();
        module.add("VERSION", env!("CARGO_PKG_VERSION"))
    }
}
