//! `upset quarantine run`: an unmodified program on the SMs that are left.

use upset_quarantine::plan::{Plan, Way};
use upset_quarantine_orders::{Line, Order, Place};

use super::args::RunArgs;
use super::identity;
use crate::cmd::preloaded::{Preloaded, cannot_start, code};
use crate::failure::{self, Failure, say};

/// Runs the command.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let bad = |why: String| Failure::new(failure::BAD_INPUT, why);
    let path = &args.plan;
    let text = std::fs::read_to_string(path).map_err(|e| Failure::read(path, &e))?;
    let plan = Plan::parse(&text).map_err(|e| bad(format!("{} is {e}", path.display())))?;
    let Some(uuid) = plan.board.uuid.clone().filter(|_| plan.way(Way::GreenContext).is_some())
    else {
        return Err(bad(format!(
            "{}: a plan for {} has no green context; programs run without SMs on a GPU that \
             CUDA's driver runs",
            path.display(),
            plan.board.name
        )));
    };
    if let Some(told) = plan.board.differs(&identity::now(&plan.board)?) {
        return Err(bad(format!(
            "{}: {told}; SMs may be numbered anew, so burn the GPU again",
            path.display()
        )));
    }
    let order = Order { uuid, place: Place::Without(plan.sms.clone()) };
    let mut program = Preloaded::new(&args.program, order)?;
    let status =
        program.command.status().map_err(|e| cannot_start(program.command.get_program(), &e))?;
    let report = program.report();
    for line in report.iter().filter(|line| matches!(line, Line::Made { .. })) {
        say(&format!("upset: quarantine: {}\n", line.written()));
    }
    if report.is_empty() {
        say(
            "upset: quarantine: the program made no context on the plan's GPU that was seen here\n",
        );
    }
    match code(status) {
        0 => Ok(()),
        code => Err(Failure::new(code, "")),
    }
}
