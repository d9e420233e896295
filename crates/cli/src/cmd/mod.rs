//! One file per command.

pub mod ace;
mod ace_against;
pub mod apps;
pub mod campaign;
pub mod chips;
pub mod compile;
pub mod disasm;
mod disasm_amd;
pub mod doors;
pub mod env;
pub mod exhaustive;
mod experiment;
pub mod export;
pub mod inject;
pub mod inject_args;
mod inject_program;
mod program;
mod raw_fit;
pub mod report;
pub mod run;
pub mod run_args;
pub mod shell;
pub mod toolkit;
pub mod verify;
