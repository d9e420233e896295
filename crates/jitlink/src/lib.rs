//! NVIDIA's `libnvJitLink.so.12`, opened at run time: it turns PTX into machine
//! code, and links pieces of both, without a driver and without a GPU. So is the
//! driver's own compiler (`libnvidia-ptxjitcompiler.so.1`), which links nothing. They
//! are up to a hundred megabytes of foreign
//! code, so they are only ever opened in a process of its own: a hidden command of
//! `upset`, which is called as `ptxas` is.

#![allow(unsafe_code)]

mod input;
mod library;
mod order;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

pub use input::Input;
pub use library::Library;
pub use order::Order;

/// What such a process does: `LIBRARY -arch=sm_75 FROM… -o TO [OPTION…]`. The error
/// is the library's complaint, or what is wrong with the words.
pub fn run(words: &[OsString]) -> Result<(), String> {
    let order = Order::read(words)?;
    let read = |from: &PathBuf| {
        let bytes = fs::read(from).map_err(|e| trouble(from, &e))?;
        Input::of(from, bytes)
    };
    let inputs: Vec<Input> = order.from.iter().map(read).collect::<Result<_, _>>()?;
    let code = Library::open(&order.library)?.convert(&inputs, &order.options)?;
    fs::write(&order.to, code).map_err(|e| trouble(&order.to, &e))
}

fn trouble(path: &Path, e: &std::io::Error) -> String {
    format!("{}: {e}", path.display())
}
