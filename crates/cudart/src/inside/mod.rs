//! NVIDIA's runtime inside a program: nvcc links it in unless it is told
//! otherwise. An unstripped file still names its functions, so that each can be
//! led to the function of that name in the facade of the same release, before
//! any of them has run. So can those of NVIDIA's shared library, where a program, such as
//! PyTorch, loads it by its path.
//!
//! "Before" is what [`begins`] is for: the start-up code that compilers put into
//! every program and library calls `__gmon_start__`, where somebody has it, ahead
//! of the file's own constructors, which register its GPU code. The launcher's
//! facade [`HOST`], which is loaded before all others, has it. It is so for
//! libraries that are loaded later, too.

mod entries;
mod jump;
mod loaded;

use std::fs::File;
use std::path::Path;

use upset_agent::config;
use upset_agent::report::{self, Record};
use upset_agent::say::say;

pub use entries::{Entry, Inside, look};

use crate::host::{Ours, variable};
pub use loaded::HOST;
use loaded::Loaded;

/// What it has to lead to [`begins`].
pub const NAMES: &[&str] = &["__gmon_start__"];

/// A program or library begins: those that have come since the last time are
/// looked at.
#[unsafe(export_name = "upset___gmon_start__")]
pub extern "C" fn begins() {
    // This code is a part of `upset` itself as well.
    if variable(config::CHIP).is_none() {
        return;
    }
    let _ours = Ours::enter();
    let new = loaded::new();
    let facades = loaded::facades();
    for new in new.iter().filter(|l| l.path.parent() != facades.as_deref()) {
        lead(new, facades.as_deref());
    }
}

/// For files without that start-up code.
#[used]
#[unsafe(link_section = ".init_array")]
static AT_START: extern "C" fn() = begins;

/// Leads the runtime inside a file, if there is one, to ours.
fn lead(loaded: &Loaded, facades: Option<&Path>) {
    let Ok(file) = File::open(&loaded.path) else { return };
    let Inside::Named(release, entries) = look(file) else { return };
    if let Err(why) = jump::lead(loaded.base, release, facades, &entries) {
        let name = loaded.path.display();
        say(&format!(
            "{name} has NVIDIA's runtime library inside, which cannot be led to ours: {why}"
        ));
        report::send(Record::Missing { name: format!("the runtime inside {name}") });
    }
}
