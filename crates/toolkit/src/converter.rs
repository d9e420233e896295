//! Fetching a converter of PTX: NVIDIA's nvJitLink, from its Python package.

use std::fs;
use std::path::Path;

use crate::Outcome;
use crate::files::{copy, make, trouble};
use crate::wheels::fetch_wheels;

const WHEEL: &str = "nvidia-nvjitlink-cu12==12.9.86";
/// Where the package has it, and where it goes.
const FROM: &str = "wheels/nvidia/nvjitlink/lib/libnvJitLink.so.12";
const TO: &str = "lib64/libnvJitLink.so.12";
/// What is fetched, for people.
pub const CONVERTER: &str = "nvJitLink 12.9";

/// Makes `prefix` hold the library, and says whether it was missing.
pub fn fetch_converter(prefix: &Path) -> Outcome<bool> {
    let library = prefix.join(TO);
    if library.exists() {
        return Ok(false);
    }
    let work = prefix.join("download-converter");
    if work.exists() {
        fs::remove_dir_all(&work).map_err(|e| trouble(&work, &e))?;
    }
    make(&work)?;
    let fetched = fetch_wheels(&work, &[WHEEL]).and_then(|()| {
        make(&prefix.join("lib64"))?;
        // Under another name first: a fetch that was broken off starts again.
        let half = library.with_extension("new");
        copy(&work.join(FROM), &half)?;
        fs::rename(&half, &library).map_err(|e| trouble(&library, &e))
    });
    fs::remove_dir_all(&work).map_err(|e| trouble(&work, &e))?;
    fetched.map(|()| true)
}
