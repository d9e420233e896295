//! One file per command.

pub mod ace;
mod ace_against;
pub mod apps;
pub mod campaign;
pub mod chips;
pub mod disasm;
pub mod env;
pub mod exhaustive;
pub mod export;
pub mod inject;
mod inject_program;
mod program;
pub mod report;
pub mod run;
pub mod verify;
