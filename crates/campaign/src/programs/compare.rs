//! Five ways to tell a right result from a wrong one.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use upset_launcher::{self as launcher, End};
use upset_metrics::Sdc;
use upset_trial::{Element, Reference};

use super::ran::Ran;
use crate::CampaignError;
use crate::choices::Comparison;
use crate::difference::compare;
use crate::golden::Array;
use crate::spec::Spec;
use crate::wire::GoldenOutputs;

/// How results are compared.
pub struct Compare {
    /// What decides: one of those for programs.
    pub way: Comparison,
    /// Output files.
    pub files: Vec<String>,
    success: String,
    failure: String,
    command: Vec<String>,
    element: Element,
    tolerance: f64,
}

impl Compare {
    /// What a specification asks for.
    pub fn of(spec: &Spec) -> Result<Compare, CampaignError> {
        let bad = |text: &str| Err(CampaignError::Spec(text.into()));
        match spec.compare {
            Comparison::Files if spec.files.is_empty() => {
                return bad("`compare` is files: name them with --files out.bin,…");
            }
            Comparison::Message if spec.success.is_empty() => {
                return bad(
                    "`compare` is message: say what the program prints when its result is \
                            right with --success PASSED",
                );
            }
            Comparison::Command if spec.command.is_empty() => {
                return bad("`compare` is command: say which with --command './check out.bin'");
            }
            _ => {}
        }
        Ok(Compare {
            way: spec.compare,
            files: spec.files.clone(),
            success: spec.success.clone(),
            failure: spec.failure.clone(),
            command: spec.command.clone(),
            element: spec.elements,
            tolerance: spec.tolerance,
        })
    }

    /// Whether the program came to a result that can be looked at: it ended well,
    /// or said itself that its result is wrong.
    pub(super) fn has_result(&self, ran: &launcher::Ran) -> bool {
        match ran.end {
            Some(End::Exit(0)) => true,
            Some(End::Exit(_)) => {
                let said = String::from_utf8_lossy(&ran.stdout);
                self.way == Comparison::Message
                    && !self.failure.is_empty()
                    && said.contains(&self.failure)
            }
            _ => false,
        }
    }

    /// Takes what is compared from a run's folder, while it is there.
    pub(super) fn gather(
        &self,
        ran: &mut Ran,
        folder: &Path,
        stdout: &Path,
    ) -> Result<(), CampaignError> {
        match self.way {
            Comparison::Stdout => {
                ran.results = vec![Array { element: Element::U8, bytes: ran.host.stdout.clone() }];
            }
            Comparison::Files => {
                for name in &self.files {
                    // A file that is not there has no bytes; that the fault-free
                    // run wrote it was seen to. One that cannot be read is our failure.
                    let bytes = match fs::read(folder.join(name)) {
                        Err(e) if !is_the_programs(e.kind()) => {
                            return Err(CampaignError::Program(format!("cannot read {name}: {e}")));
                        }
                        read => read.unwrap_or_default(),
                    };
                    if bytes.is_empty() {
                        ran.wrong = Some(format!("does not write {name}, or nothing into it"));
                    }
                    ran.results.push(Array { element: self.element, bytes });
                }
            }
            Comparison::Message => {
                let said = String::from_utf8_lossy(&ran.host.stdout);
                let found_wrong = !self.failure.is_empty() && said.contains(&self.failure);
                if found_wrong || !said.contains(&self.success) {
                    ran.wrong = Some(format!("does not print `{}`", self.success));
                }
            }
            Comparison::Command => ran.wrong = self.ask(ran, folder, stdout)?,
            // The copies are there.
            Comparison::Outputs | Comparison::Results | Comparison::Verdict => {}
        }
        Ok(())
    }

    /// Asks the user's command.
    fn ask(
        &self,
        ran: &Ran,
        folder: &Path,
        stdout: &Path,
    ) -> Result<Option<String>, CampaignError> {
        let [program, args @ ..] = self.command.as_slice() else { return Ok(None) };
        let failed = |e: &dyn std::fmt::Display| {
            CampaignError::Program(format!("the command `{}`: {e}", self.command.join(" ")))
        };
        fs::write(stdout, &ran.host.stdout).map_err(|e| failed(&e))?;
        let status = Command::new(program)
            .args(args)
            .current_dir(folder)
            .env("UPSET_STDOUT", stdout)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .map_err(|e| failed(&e))?;
        match status.code() {
            Some(0) => Ok(None),
            Some(_) => Ok(Some(format!("is wrong, says the command `{}`", self.command.join(" ")))),
            None => Err(failed(&status)),
        }
    }

    /// What is wrong with a run's result.
    pub(super) fn wrong(
        &self,
        ran: &Ran,
        golden: &GoldenOutputs,
        reference: &Reference,
    ) -> Option<Sdc> {
        let copies = |tolerance| {
            if ran.output_digest == reference.output_digest {
                return None;
            }
            let arrays = |list: &[Vec<u8>]| -> Vec<Array> {
                list.iter().map(|c| Array { element: self.element, bytes: c.clone() }).collect()
            };
            compare(&arrays(&golden.copies), &arrays(&ran.copies), tolerance)
        };
        match self.way {
            Comparison::Stdout => compare(&golden.results, &ran.results, 0.0),
            Comparison::Files => compare(&golden.results, &ran.results, self.tolerance),
            // How it looks is read from the copies, whoever found it wrong.
            Comparison::Message | Comparison::Command => {
                ran.wrong.as_ref().map(|_| copies(0.0).unwrap_or_default())
            }
            Comparison::Outputs | Comparison::Results | Comparison::Verdict => {
                copies(self.tolerance)
            }
        }
    }
}

/// Whether the program under test is why its file cannot be read: it did not
/// write it, or made something else of it.
fn is_the_programs(kind: ErrorKind) -> bool {
    use ErrorKind::{IsADirectory, NotADirectory, NotFound, PermissionDenied};
    matches!(kind, NotFound | NotADirectory | IsADirectory | PermissionDenied)
}
