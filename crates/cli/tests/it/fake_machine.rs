//! A machine whose GPU is the model behind a driver and an NVML of ours, and a
//! CUDA program for it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use upset_realgpu_fake::{FAULT_VARIABLE, LIBRARY, SMS_VARIABLE};

use crate::c::Programs;

/// A machine with the fake driver, and a program for it.
pub struct Machine {
    pub programs: Programs,
    pub program: String,
    /// What is broken.
    pub fault: &'static str,
    sms: u32,
}

impl Machine {
    pub fn new(sms: u32, fault: &'static str) -> Option<Machine> {
        let programs = Programs::new()?;
        let source = include_str!("vector_add.c");
        let program = programs.compile("vector_add", source, &["-w", "-ldl"]);
        let folder = Path::new(env!("CARGO_BIN_EXE_upset")).parent().expect("a folder");
        let places = [folder.join("deps").join(LIBRARY), folder.join(LIBRARY)];
        let library = places.into_iter().find(|p| p.is_file()).expect("the fake is built");
        for name in ["libcuda.so.1", "libnvidia-ml.so.1"] {
            std::os::unix::fs::symlink(&library, programs.path(name)).expect("linked");
        }
        Some(Machine { programs, program, fault, sms })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.programs.path(name)
    }

    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.programs.dir.path());
        command.env("LD_LIBRARY_PATH", self.programs.dir.path());
        command.env(SMS_VARIABLE, self.sms.to_string()).env(FAULT_VARIABLE, self.fault);
        command
    }

    pub fn upset(&self, args: &[&str]) -> Output {
        self.command(env!("CARGO_BIN_EXE_upset")).args(args).output().expect("upset starts")
    }

    /// Arguments of the program after `--`.
    pub fn program<'a>(&'a self, cubin: &'a str) -> [&'a str; 4] {
        ["--", &self.program, cubin, "out.bin"]
    }
}

pub fn cubin() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/va/va.sm_75.cubin").to_string()
}
