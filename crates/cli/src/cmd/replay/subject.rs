//! Runs of a program on groups of SMs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use upset_quarantine::replay::Subject;
use upset_quarantine_orders::{EVERY, Line, Order, Place};

use super::output::Output;
use crate::cmd::preloaded::{Preloaded, cannot_start, code};
use crate::failure::{self, Failure};

/// How often a run that goes on is looked after.
const TICK: Duration = Duration::from_millis(5);

/// One run.
pub struct Run {
    /// The driver's groups it was given.
    pub groups: Vec<u32>,
    /// Which of the outputs it had.
    pub output: usize,
    /// Seconds it took.
    pub seconds: f64,
}

/// The program, and all that it did.
pub struct Program<'a> {
    /// It and its arguments.
    pub words: &'a [OsString],
    /// Files that are compared.
    pub files: &'a [PathBuf],
    stdout: bool,
    limit: Duration,
    /// The GPU it ran on.
    pub uuid: String,
    /// Outputs that were seen, each once.
    pub outputs: Vec<Output>,
    /// Runs on sets of groups, in order.
    pub runs: Vec<Run>,
    /// SMs that sets of groups reached.
    pub sms: BTreeMap<Vec<u32>, Vec<u32>>,
}

impl<'a> Program<'a> {
    /// Not run yet.
    pub fn new(
        words: &'a [OsString],
        files: &'a [PathBuf],
        stdout: bool,
        limit: Duration,
    ) -> Program<'a> {
        let (outputs, runs, sms) = (Vec::new(), Vec::new(), BTreeMap::new());
        Program { words, files, stdout, limit, uuid: String::new(), outputs, runs, sms }
    }

    /// Runs it on all SMs: how many groups there are, and whether it works.
    pub fn on_all(&mut self) -> Result<u32, Failure> {
        let (output, made, said) = self.start(Place::AllGroups)?;
        let (uuid, of, _) = made?;
        self.uuid = uuid;
        match output.code {
            Some(0) => Ok(of),
            Some(code) => Err(lacking(format!(
                "the program ends with exit code {code} on all SMs: there is nothing to compare{said}"
            ))),
            None => Err(lacking(format!(
                "the program did not end within {} s on all SMs: say more with --limit",
                self.limit.as_secs()
            ))),
        }
    }

    /// What it left, the GPU with its number of groups and the SMs it had, and
    /// the end of what it said.
    #[allow(clippy::type_complexity)]
    fn start(
        &self,
        place: Place,
    ) -> Result<(Output, Result<(String, u32, Vec<u32>), Failure>, String), Failure> {
        for file in self.files {
            match std::fs::remove_file(file) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Failure::write(file, &e));
                }
                _ => {}
            }
        }
        let mut program = Preloaded::new(self.words, Order { uuid: EVERY.into(), place })?;
        program.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child =
            program.command.spawn().map_err(|e| cannot_start(program.command.get_program(), &e))?;
        let (code, stdout, stderr) = self.follow(child)?;
        let files = self.files.iter().map(|file| std::fs::read(file).ok()).collect();
        let output = Output { code, stdout: self.stdout.then_some(stdout), files };
        let said = String::from_utf8_lossy(&stderr);
        let said = said.lines().last().map(|line| format!(" ({line})")).unwrap_or_default();
        Ok((output, made(&program.report()), said))
    }

    /// Waits for its end: exit code, standard output, standard error.
    #[allow(clippy::type_complexity)]
    fn follow(&self, mut child: Child) -> Result<(Option<u8>, Vec<u8>, Vec<u8>), Failure> {
        let ours = |e: std::io::Error| Failure::new(failure::OURS, format!("cannot wait: {e}"));
        let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
        std::thread::scope(|scope| {
            let out = scope.spawn(|| everything(&mut out));
            let err = scope.spawn(|| everything(&mut err));
            let begun = Instant::now();
            let status = loop {
                if let Some(status) = child.try_wait().map_err(ours)? {
                    break Some(status);
                }
                if begun.elapsed() > self.limit {
                    child.kill().and_then(|()| child.wait()).map_err(ours)?;
                    break None;
                }
                std::thread::sleep(TICK);
            };
            let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
            Ok((status.map(code), out, err))
        })
    }
}

fn everything(from: &mut Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        // What came before a broken pipe is what there is.
        let _ = from.read_to_end(&mut bytes);
    }
    bytes
}

/// What the library told: the GPU, its number of groups and the SMs.
fn made(report: &[Line]) -> Result<(String, u32, Vec<u32>), Failure> {
    let mut found: Option<(String, u32, Vec<u32>)> = None;
    for line in report {
        match line {
            Line::Refused(why) => return Err(lacking(format!("the program was refused: {why}"))),
            Line::Made { uuid, of, sms, .. } => match &found {
                Some((other, ..)) if other != uuid => {
                    return Err(lacking(format!(
                        "the program computes on {other} and on {uuid}: show it one of them with \
                         CUDA_VISIBLE_DEVICES"
                    )));
                }
                Some(_) => {}
                None => found = Some((uuid.clone(), *of, sms.clone())),
            },
        }
    }
    found.ok_or_else(|| {
        lacking(
            "the program made no context on a GPU that was seen here: nothing was divided".into(),
        )
    })
}

fn lacking(why: String) -> Failure {
    Failure::new(failure::LACKING, why)
}

impl Subject for Program<'_> {
    type Trouble = Failure;

    fn run(&mut self, groups: &[u32]) -> Result<usize, Failure> {
        let begun = Instant::now();
        let (output, made, _) = self.start(Place::Groups(groups.to_vec()))?;
        // A run that was ended may not have come to its context.
        match (made, output.code) {
            (Ok((_, _, sms)), _) => {
                self.sms.insert(groups.to_vec(), sms);
            }
            (Err(_), None) => {}
            (Err(e), Some(_)) => return Err(e),
        }
        let known = self.outputs.iter().position(|o| *o == output);
        let number = known.unwrap_or_else(|| {
            self.outputs.push(output);
            self.outputs.len() - 1
        });
        let seconds = begun.elapsed().as_secs_f64();
        self.runs.push(Run { groups: groups.to_vec(), output: number, seconds });
        Ok(number)
    }
}
