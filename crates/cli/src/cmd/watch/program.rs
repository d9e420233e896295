//! A CUDA program whose counters are read: it runs in processes of its own, as
//! `upset run --counters` does, with nothing of it on the terminal.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use upset_device::Mode;
use upset_device::pmu::Reading;

use crate::failure::{self, Failure};
use crate::subject::as_text;

/// Variable that tells a program the number of its input.
const INPUT: &str = "UPSET_INPUT";
/// The same in its arguments.
const PLACE: &str = "{}";

/// A program on a chip.
pub struct Program {
    words: Vec<String>,
    chip: String,
    set: Vec<String>,
}

impl Program {
    /// Opens it.
    pub fn open(words: &[OsString], chip: &str, set: &[String]) -> Result<Program, Failure> {
        let words = as_text(words)?;
        if words.is_empty() {
            return Err(Failure::new(failure::BAD_INPUT, "no program is given after `--`"));
        }
        let program = Program { words, chip: chip.into(), set: set.to_vec() };
        // What cannot work is told before the first run.
        upset_launcher::inspect(program.file())?;
        Ok(program)
    }

    fn file(&self) -> &Path {
        Path::new(self.words.first().map_or("", String::as_str))
    }

    /// Its command line.
    pub fn name(&self) -> String {
        self.words.join(" ")
    }

    /// Its file's bytes.
    pub fn image(&self) -> Result<Vec<u8>, Failure> {
        std::fs::read(self.file()).map_err(|e| Failure::read(self.file(), &e))
    }

    /// What is counted in a run of an input.
    pub fn readings(
        &self,
        mode: Mode,
        input: u64,
        every: Option<u64>,
    ) -> Result<Vec<Reading>, Failure> {
        let ours = |what: &str, e: &dyn std::fmt::Display| {
            Failure::new(failure::OURS, format!("cannot {what}: {e}"))
        };
        let upset = std::env::current_exe().map_err(|e| ours("find this program", &e))?;
        let folder = tempfile::tempdir().map_err(|e| ours("make a folder for counters", &e))?;
        let file = folder.path().join("counters.json");
        let mut command = Command::new(upset);
        command.arg("run").args(["--chip", &self.chip, "--quiet"]);
        for set in &self.set {
            command.args(["--set", set]);
        }
        if mode == Mode::Functional {
            command.arg("--functional");
        }
        command.arg("--counters").arg(&file);
        if let Some(every) = every {
            command.args(["--every", &every.to_string()]);
        }
        let number = input.to_string();
        command.arg("--").args(self.words.iter().map(|w| w.replace(PLACE, &number)));
        command.env(INPUT, &number).stdin(Stdio::null()).stdout(Stdio::null());
        let ran = command.output().map_err(|e| ours("start this program again", &e))?;
        if !ran.status.success() {
            let said = String::from_utf8_lossy(&ran.stderr);
            let last = said.lines().rfind(|l| !l.is_empty()).unwrap_or("it said nothing");
            let code = ran.status.code().and_then(|c| u8::try_from(c).ok());
            let code = code.filter(|c| [failure::BAD_INPUT, failure::LACKING].contains(c));
            let text = format!("{} with input {input} failed: {last}", self.name());
            return Err(Failure::new(code.unwrap_or(failure::NO), text));
        }
        #[derive(serde::Deserialize)]
        struct Counted {
            readings: Vec<Reading>,
        }
        let text = std::fs::read_to_string(&file).map_err(|e| Failure::read(&file, &e))?;
        let counted: Counted =
            serde_json::from_str(&text).map_err(|e| ours("read what was counted", &e))?;
        Ok(counted.readings)
    }
}
