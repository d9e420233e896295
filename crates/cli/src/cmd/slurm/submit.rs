//! `upset slurm submit`.

use std::path::PathBuf;

use upset_campaign::Spec;
use upset_slurm::{Request, Submitted, What, submit};

use super::args::SubmitArgs;
use crate::failure::{self, Failure, print};
use crate::words::counted;

/// Runs the command.
pub fn run(args: &SubmitArgs) -> Result<(), Failure> {
    let mut spec = Spec::load(&args.spec)?;
    let wrong = |e: clap::Error| Failure::new(failure::BAD_INPUT, e.to_string());
    args.flags.apply(&mut spec).map_err(wrong)?;
    spec.model = upset_campaign::tables::in_model(&spec.model)?;
    let ours = |what, e| Failure::new(failure::OURS, format!("cannot find {what}: {e}"));
    let request = Request {
        spec: &spec,
        shards: args.shards,
        folder: folder(args),
        directory: std::env::current_dir().map_err(|e| ours("this folder", e))?,
        program: std::env::current_exe().map_err(|e| ours("the program upset", e))?,
        version: env!("CARGO_PKG_VERSION"),
        options: &args.options,
        dry_run: args.dry_run,
    };
    let done = submit(&request)?;
    for note in &done.notes {
        failure::say(&format!("upset: note: {note}\n"));
    }
    print(&text(args, &done))
}

/// `study.slurm` beside nothing in particular: where the command is given.
fn folder(args: &SubmitArgs) -> PathBuf {
    args.folder.clone().unwrap_or_else(|| {
        let stem = args.spec.file_stem().unwrap_or_default().to_string_lossy();
        PathBuf::from(format!("{stem}.slurm"))
    })
}

fn text(args: &SubmitArgs, done: &Submitted) -> String {
    let folder = folder(args);
    let folder = folder.display();
    let mut text = format!("{folder}: {}", counted(done.shards.into(), "shard"));
    let parts = [
        (done.empty, "with nothing to do"),
        (done.done, "done"),
        (done.queued, "in the queue"),
        (done.submitted, "to run"),
    ];
    for (n, what) in parts.into_iter().filter(|(n, _)| *n > 0) {
        text += &format!(", {n} {what}");
    }
    text += "\n";
    if args.dry_run {
        return text + &done.commands.iter().map(|c| format!("{c}\n")).collect::<String>();
    }
    for job in &done.jobs {
        text += &match &job.what {
            What::Shards { offset: 0, indices } => format!("job {}: shards {indices}\n", job.id),
            What::Shards { offset, indices } => {
                format!("job {}: shards {indices}, each + {offset}\n", job.id)
            }
            What::Merge => format!("job {}: merge and report, after them\n", job.id),
        };
    }
    if done.jobs.is_empty() {
        text += "nothing is left to submit\n";
    }
    text + &format!("how far it is: upset slurm status {folder}\n")
}
