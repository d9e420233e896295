//! `upset quarantine run`: an unmodified program on the SMs that are left.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};

use upset_quarantine::plan::{Plan, Way};
use upset_quarantine_orders::{LIBRARY, ORDERS, Order, REFUSED, REPORT, written};

use super::args::RunArgs;
use super::identity;
use crate::failure::{self, Failure, say};

/// Says where the library is, when it is elsewhere.
const VARIABLE: &str = "UPSET_QUARANTINE_LIBRARY";

/// Runs the command.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let bad = |why: String| Failure::new(failure::BAD_INPUT, why);
    let path = &args.plan;
    let text = std::fs::read_to_string(path).map_err(|e| Failure::read(path, &e))?;
    let plan = Plan::parse(&text).map_err(|e| bad(format!("{} is {e}", path.display())))?;
    let Some(uuid) = plan.board.uuid.clone().filter(|_| plan.way(Way::GreenContext).is_some())
    else {
        return Err(bad(format!(
            "{}: a plan for {} ({}) has no green context; programs run without SMs on a GPU \
             that CUDA's driver runs",
            path.display(),
            plan.board.name,
            plan.board.kind
        )));
    };
    if let Some(told) = plan.board.differs(&identity::now(&plan.board)?) {
        return Err(bad(format!(
            "{}: {told}; SMs may be numbered anew, so burn the GPU again",
            path.display()
        )));
    }
    let library = library()?;
    let report = tempfile::NamedTempFile::new()
        .map_err(|e| Failure::new(failure::OURS, format!("no room for a temporary file: {e}")))?;
    let [name, rest @ ..] = args.program.as_slice() else {
        return Err(bad("no program is given after `--`".into()));
    };
    let mut preload = OsString::from(&library);
    if let Some(others) = env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        preload.push(":");
        preload.push(others);
    }
    let orders = written(&[Order { uuid, sms: plan.sms.clone() }]);
    let status = Command::new(name)
        .args(rest)
        .env("LD_PRELOAD", preload)
        .env(ORDERS, orders)
        .env(REPORT, report.path())
        .status()
        .map_err(|e| bad(format!("cannot run {}: {e}", name.display())))?;
    let told = std::fs::read_to_string(report.path()).unwrap_or_default();
    for line in told.lines() {
        say(&format!("upset: quarantine: {line}\n"));
    }
    if told.is_empty() && status.code() != Some(REFUSED) {
        say(
            "upset: quarantine: the program made no context on the plan's GPU that was seen here\n",
        );
    }
    match code(status) {
        0 => Ok(()),
        code => Err(Failure::new(code, "")),
    }
}

/// The program's own code; 128 and the number of the signal, as shells have it.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(failure::OURS)
}

/// The library that is loaded into the program: built or installed with this
/// one.
fn library() -> Result<PathBuf, Failure> {
    if let Some(said) = env::var_os(VARIABLE).filter(|said| !said.is_empty()) {
        return Ok(PathBuf::from(said));
    }
    let program = env::current_exe()
        .map_err(|e| Failure::new(failure::OURS, format!("cannot find this program: {e}")))?;
    let places = ["", "deps", "../lib/upset", "../lib"];
    let beside = program.parent().map(PathBuf::from).unwrap_or_default();
    let found = places.into_iter().map(|place| beside.join(place).join(LIBRARY));
    found.into_iter().find(|file| file.is_file()).ok_or_else(|| {
        Failure::new(
            failure::BAD_INPUT,
            format!(
                "{LIBRARY} is not beside {}: build it with `cargo build --release`, or say where \
                 it is with {VARIABLE}",
                program.display()
            ),
        )
    })
}
