//! Maintenance of the repository: `cargo xtask <command>`.

mod bench;
mod check;
mod circles;
mod counters;
mod coverage;
mod determinism;
mod dist;
mod docs;
mod executed;
mod exhaustive;
mod gates;
mod grading;
mod hardware;
mod ispass22;
mod kernels;
mod kills;
mod kinds;
mod nvdisasm;
mod options;
mod oracle;
mod oracle_kepler;
mod outcome;
mod overhead;
mod page;
mod papers;
mod performance;
mod profile;
mod programs;
mod real;
mod repository;
mod sifi;
mod source;
mod study;
mod thesis;
mod timing;

use std::process::ExitCode;

use outcome::Outcome;
use repository::root;

const HELP: &str = "\
usage: cargo xtask <command>

  kernels [--cuda PREFIX] [--opencl PREFIX] [--check] [NAME…]
                  rebuild the compiled forms beside our CUDA and OpenCL sources;
                  with --check compare instead of writing
  bench [--chip NAME] [--scale small|paper] [--runs n] [APP…]
                  speed of both engines on the applications, and peak memory
  executed [--upset PROGRAM] [--against PROGRAM] [--chip NAME] [--scale small|paper] [APP…]
                  instructions that runs take, counted by valgrind: of one build or two
  determinism [--chip NAME] [--scale small|paper] [--runs n] [APP…]
                  whether all runs of an application give one digest
  coverage [--campaigns n] [--runs n] [--through-upset n]
                  how often intervals of repeated campaigns cover an AVF that is
                  known beforehand (docs/metrics.md)
  exhaustive [--runs n] [--seed n]
                  whether sampled AVFs agree with exact ones of small kernels
                  (docs/exhaustive.md)
  gates [--no-rivals]
                  operands that show stuck-at faults of a multiply-add, an adder
                  and a multiplier, and their coverage (docs/grading.md)
  burn OUT        studies/burn-h200.json and tables of docs/burn-gpu.md from what
                  studies/burn-h200.sh wrote
  grading OUT     studies/grading.json and tables of docs/grading.md from what
                  studies/grading.sh wrote
  check           rules about the tree: which crate may depend on which, that
                  kinds of arrays are listed in one place, and that files of a
                  crate import each other in one direction
  hardware prepare DIR | take DIR | take-apps DIR | raw DIR | verify
                  questions for a real GPU and its answers (docs/oracles.md)
  timing [FILTER] | counts [FILTER] | prepare DIR | take DIR
                  cycles on the model beside an H200's (docs/timing-hardware.md)
  papers          cycles and occupancy beside GPGPU-Sim 4's (docs/timing.md)
  study OUT       the gpuFI-4 study beside the thesis, from what studies/papers.sh
                  wrote (docs/gpufi4-study.md)
  ispass22 OUT    the gpuFI-4 paper's study on three chips, and a page with its figures,
                  from what studies/ispass22.sh wrote (docs/gpufi4-study.md)
  sifi REPORT.json…
                  SIFI's study beside its paper, from what `upset report --json` wrote
                  (docs/sifi-study.md)
  counters OUT    what performance counters notice of broken logic, from what
                  studies/counters.sh wrote (docs/in-field.md)
  programs list | build [--cuda PREFIX] [--offline] [--out DIR] [--only NAME] [--arch 70,75,90]
                  [--form shared|static|ptx]
                  the CUDA programs that run on the model (docs/programs.md)
  profile [--llvm-profdata PROGRAM]
                  counts which branches runs take, for releases to be compiled with
                  (docs/performance.md)
  kills [--rounds n] [--seed n] [--first n] [--jobs n]
                  kills campaigns, fills their disk, damages their stores, and
                  compares the end with an undisturbed one (docs/store.md)
  bench | speedup | scaling [experiments] [problems] [workers] --page [--against UPSET] [--chips A,B]
                  [--apps A,B] [--runs n] [--at-once n] [--workers n,m] [--quick]
                  the tables of docs/performance.md: runs, campaigns beside naive ones,
                  what grows with what; --quick prints a small one and writes nothing;
                  speedup and scaling without --page print theirs, and
                  speedup --programs one of the same applications as CUDA programs
  overhead [--chip NAME] [--runs n]
                  what running as a CUDA program costs (docs/cuda-programs.md)
  dist [--out DIR] [--twice] [--wheel] [--native] | [--from DIR]
                  a tarball, a Debian package, a container recipe and a Python
                  package of this commit (docs/packages.md); --twice builds all
                  again and compares
  docs [PAGE…]    run the commands that README and docs/ show, and show anew what
                  they print where that has changed
  oracle nvdisasm | nvdisasm-35 | ptx-35 | compare [--cuda PREFIX]
                  record what nvdisasm says about real and bit-flipped code (sm_35
                  on its own), or what gv100 makes of PTX for sm_35, or compare our
                  decoders with the recordings
  cuda [DEST]     fetch the CUDA 11.8 compiler into DEST (default .cuda)
";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let command = words.next();
    let rest: Vec<String> = words.collect();
    let outcome = match command.as_deref() {
        Some("kernels") => kernels::command(&rest),
        Some("oracle") => oracle::command(&rest),
        Some("coverage") => coverage::command(&rest),
        Some("exhaustive") => exhaustive::command(&rest),
        Some("gates") => gates::command(&rest),
        Some("burn") => real::command(&rest),
        Some("grading") => grading::command(&rest),
        Some("cuda") => cuda(&rest),
        Some("check") => check::command(),
        Some("bench") if for_page(&rest) => performance::bench(&rest),
        Some("bench") => bench::command(&rest),
        Some("executed") => executed::command(&rest),
        Some("determinism") => determinism::command(&rest),
        Some("timing") => timing::command(&rest),
        Some("kills") => kills::command(&rest),
        Some("papers") => papers::command(),
        Some("study") => study::command(&rest),
        Some("ispass22") => ispass22::command(&rest),
        Some("sifi") => sifi::command(&rest),
        Some("counters") => counters::command(&rest),
        Some("speedup") => performance::speedup(&rest),
        Some("scaling") => performance::scaling(&rest),
        Some("overhead") => overhead::command(&rest),
        Some("profile") => profile::command(&rest),
        Some("programs") => programs::command(&rest),
        Some("dist") => dist::command(&rest),
        Some("docs") => docs::command(&rest),
        Some("hardware") => hardware::command(&rest),
        Some("help" | "--help" | "-h") => {
            print!("{HELP}");
            Ok(())
        }
        Some(other) => Err(format!("no command {other:?}\n\n{HELP}")),
        None => Err(HELP.to_string()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Whether a table of docs/performance.md is asked for.
fn for_page(words: &[String]) -> bool {
    words.iter().any(|w| w == "--page" || w == "--quick")
}

/// `cargo xtask cuda`.
fn cuda(words: &[String]) -> Outcome<()> {
    let prefix = match words {
        [] => root().join(".cuda"),
        [dest] if !dest.starts_with('-') => {
            std::path::absolute(dest).map_err(|e| format!("{dest}: {e}"))?
        }
        _ => return Err("usage: cargo xtask cuda [DEST]".into()),
    };
    match upset_toolkit::fetch(&prefix)? {
        true => println!("CUDA {} is in {}", upset_toolkit::RELEASE, prefix.display()),
        false => println!("{} already holds a compiler", prefix.display()),
    }
    upset_toolkit::require_host_compiler(upset_toolkit::RELEASE)
}
