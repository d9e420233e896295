//! The program as people use it: output, exit code, files.

mod ace;
mod arrays;
mod bulk;
mod burn_scenarios;
mod c;
mod campaign;
mod clocks;
mod commands;
mod compare;
mod counters;
mod counting;
mod cuda_programs;
mod doors;
mod driver;
mod driver_programs;
mod errors;
mod exhaustive;
mod fake_machine;
mod folder_ptx;
mod grade;
mod graph_nodes;
mod hits;
mod hvf;
mod in_use;
mod inject;
mod kepler;
mod kepler_faults;
#[cfg(target_os = "linux")]
mod kills;
mod limits;
#[cfg(target_os = "linux")]
mod live;
mod logic;
mod many_bits;
mod models;
mod opencl;
mod pages;
mod program_campaigns;
mod program_forms;
mod program_ghosts;
mod program_prefix;
mod programs;
mod programs_end;
mod programs_refused;
mod ptx;
mod python_kernels;
mod quarantine;
mod real_gpu;
mod report_page;
mod shards;
#[cfg(target_os = "linux")]
mod slurm;
mod sms;
mod static_runtime;
mod streams;
mod timing;
#[cfg(unix)]
mod toolkit;
mod unasked;
mod verify;
mod watch;

use std::process::{Command, Output};

/// Runs `upset` in the repository's root.
fn upset(args: &[&str]) -> Output {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    Command::new(env!("CARGO_BIN_EXE_upset"))
        .args(args)
        .current_dir(root)
        .output()
        .expect("upset starts")
}

fn code(o: &Output) -> i32 {
    o.status.code().unwrap_or(-1)
}

fn stdout(o: &Output) -> String {
    String::from_utf8_lossy(&o.stdout).into_owned()
}

fn stderr(o: &Output) -> String {
    String::from_utf8_lossy(&o.stderr).into_owned()
}
