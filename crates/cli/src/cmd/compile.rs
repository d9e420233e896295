//! `upset compile`: a CUDA source as a program for a chip.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use upset_chip::ChipSpec;
use upset_device::Device;
use upset_toolkit::{RELEASE, Toolkit, require_host_compiler};

use super::toolkit::lacking;
use crate::failure::{self, Failure, print};

/// `upset compile`.
#[derive(Debug, Args)]
pub struct CompileArgs {
    /// CUDA sources; C++ and object files too
    #[arg(required = true, value_name = "FILE.cu")]
    files: Vec<PathBuf>,
    /// Presets or chip files to make code for
    #[arg(long = "chip", required = true, value_name = "NAME|FILE", value_delimiter = ',')]
    chips: Vec<String>,
    /// Write the result here (default: the name of the first file without its ending)
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Make machine code alone, for a folder with an app.toml
    #[arg(long)]
    cubin: bool,
    /// Print the command before it runs
    #[arg(long, short)]
    verbose: bool,
    /// Options for nvcc
    #[arg(last = true, value_name = "NVCC OPTIONS")]
    options: Vec<OsString>,
}

/// Runs the command.
pub fn run(args: CompileArgs) -> Result<(), Failure> {
    refuse_other_runtimes(&args.options)?;
    for file in &args.files {
        std::fs::metadata(file).map_err(|e| Failure::read(file, &e))?;
    }
    let archs = archs(&args.chips)?;
    let output = match (&args.output, args.files.first()) {
        (Some(output), _) => output.clone(),
        (None, Some(first)) => default_output(first, args.cubin.then_some(archs[0])),
        (None, None) => return Err(bad("no file is given")),
    };
    if args.files.contains(&output) {
        return Err(bad(format!(
            "{} would be overwritten: name another with -o",
            output.display()
        )));
    }
    let toolkit = Toolkit::any().map_err(lacking)?;
    require_host_compiler(toolkit.release()).map_err(lacking)?;
    let mut nvcc = Command::new(toolkit.nvcc());
    match args.cubin {
        false => nvcc.args(toolkit.program_arguments(&archs)),
        true if archs.len() > 1 => {
            return Err(bad("--cubin makes code for one chip: give one --chip"));
        }
        true => {
            let arch = format!("-arch=sm_{}", archs[0]);
            nvcc.args(toolkit.host_arguments()).args([arch.as_str(), "-cubin"])
        }
    };
    nvcc.args(&args.options).arg("-o").arg(&output).args(&args.files);
    if args.verbose {
        print(&format!("{}\n", shown(&nvcc)))?;
    }
    let status = nvcc.status().map_err(|e| bad(format!("cannot run {}: {e}", shown(&nvcc))))?;
    if !status.success() {
        let hint = match toolkit.release() {
            RELEASE => String::new(),
            other => format!(
                "; CUDA {other} may have no code for this chip any more: `upset toolkit fetch` \
                 gets {RELEASE}"
            ),
        };
        return Err(bad(format!("nvcc ended with {status}, its own message is above{hint}")));
    }
    let code: Vec<String> = archs.iter().map(|sm| format!("sm_{sm}")).collect();
    print(&format!(
        "{}: code for {}, by CUDA {}\n",
        output.display(),
        code.join(", "),
        toolkit.release()
    ))
}

/// The chips' compute capabilities, each once.
fn archs(chips: &[String]) -> Result<Vec<u32>, Failure> {
    let mut all = Vec::new();
    for name in chips {
        let chip = ChipSpec::load::<&str>(name, &[])?;
        Device::supports(&chip)?;
        let sm = chip.sm_number().ok_or_else(|| bad(format!("{name} names no sm_NN")))?;
        if !all.contains(&sm) {
            all.push(sm);
        }
    }
    Ok(all)
}

/// `saxpy` of `saxpy.cu`, `saxpy.sm_75.cubin` where machine code is wanted:
/// in the folder of the source, where `app.toml` looks for it.
fn default_output(source: &Path, cubin: Option<u32>) -> PathBuf {
    match cubin {
        Some(sm) => source.with_extension(format!("sm_{sm}.cubin")),
        None => source.file_stem().map(PathBuf::from).unwrap_or_default(),
    }
}

/// A program with the runtime inside cannot run on the model.
fn refuse_other_runtimes(options: &[OsString]) -> Result<(), Failure> {
    let is_runtime = |word: &OsString| {
        let word = word.to_string_lossy();
        let name = word.trim_start_matches('-');
        word.starts_with('-') && (name == "cudart" || name.starts_with("cudart="))
    };
    match options.iter().any(is_runtime) {
        true => {
            Err(bad("programs run on the model with the shared runtime only: leave -cudart out"))
        }
        false => Ok(()),
    }
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn bad(why: impl Into<String>) -> Failure {
    Failure::new(failure::BAD_INPUT, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_is_named_after_the_source() {
        assert_eq!(default_output(Path::new("a/saxpy.cu"), None), Path::new("saxpy"));
        let cubin = default_output(Path::new("a/saxpy.cu"), Some(75));
        assert_eq!(cubin, Path::new("a/saxpy.sm_75.cubin"));
    }

    #[test]
    fn chips_of_one_generation_share_their_code() {
        let names = ["rtx2060", "gv100", "rtx2060"].map(String::from);
        assert_eq!(archs(&names).expect("presets"), [75, 70]);
        assert_eq!(archs(&["titan".into()]).expect("a preset"), [35]);
        assert!(archs(&["hd7970".into()]).is_err());
    }

    #[test]
    fn another_runtime_is_refused() {
        for words in [&["-cudart", "static"][..], &["--cudart=none"]] {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            assert!(refuse_other_runtimes(&words).is_err(), "{words:?}");
        }
        assert!(refuse_other_runtimes(&["-O3".into(), "-lcudart".into()]).is_ok());
    }
}
