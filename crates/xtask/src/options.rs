//! Options of the commands that run the applications.

use upset_apps::{App, Scale};
use upset_chip::{ChipSpec, Vendor};

use crate::Outcome;

/// The applications of the gpuFI-4 papers, which the rates and ratios in the
/// documentation are means of.
pub const PAPERS: [&str; 12] =
    ["va", "sp", "hs", "km", "srad1", "srad2", "lud", "bfs", "pathf", "nw", "ge", "bp"];

/// What to run, where and how often.
pub struct Options {
    /// The chip.
    pub chip: ChipSpec,
    /// As it was named.
    pub chip_name: String,
    /// Size of the inputs.
    pub scale: Scale,
    /// Runs of each application.
    pub runs: usize,
    /// The applications.
    pub apps: Vec<&'static dyn App>,
    /// Whether they were named.
    chosen: bool,
    /// One application for a process that its parent listens to.
    pub child: bool,
}

impl Options {
    /// The same as [`Options::parse`]; of NVIDIA's applications those of the
    /// gpuFI-4 papers, unless others are named.
    pub fn of_papers(words: &[String], runs: usize) -> Outcome<Options> {
        let mut options = Options::parse(words, runs)?;
        if options.chosen || options.chip.chip.vendor != Vendor::Nvidia {
            return Ok(options);
        }
        options.apps.retain(|app| PAPERS.contains(&app.id()));
        Ok(options)
    }

    /// Reads `[--chip NAME] [--scale small|paper] [--runs n] [APP…]`.
    pub fn parse(words: &[String], runs: usize) -> Outcome<Options> {
        let mut chip_name = "rtx2060".to_string();
        let mut options = Options {
            chip: ChipSpec::preset(&chip_name).map_err(|e| e.to_string())?,
            chip_name: String::new(),
            scale: Scale::Paper,
            runs,
            apps: Vec::new(),
            chosen: false,
            child: false,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--chip" => chip_name.clone_from(value()?),
                "--scale" => options.scale = value()?.parse()?,
                "--runs" => {
                    let n = value()?;
                    let bad = || format!("--runs {n}: a number from 1 on is needed");
                    options.runs = n.parse().ok().filter(|n| *n > 0).ok_or_else(bad)?;
                }
                "--child" => options.child = true,
                flag if flag.starts_with('-') => {
                    return Err(format!("no option {flag}: there are --chip, --scale and --runs"));
                }
                app => options.apps.push(upset_apps::find(app).map_err(|e| e.to_string())?),
            }
        }
        options.chip = ChipSpec::load::<&str>(&chip_name, &[]).map_err(|e| e.to_string())?;
        options.chip_name = chip_name;
        options.chosen = !options.apps.is_empty();
        if !options.chosen {
            options.apps = upset_apps::built_in_for(options.chip.chip.vendor).collect();
        }
        Ok(options)
    }

    /// Runs this program again for one application in a process of its own,
    /// and gives what it prints.
    pub fn in_child(&self, command: &str, app: &dyn App) -> Outcome<String> {
        let me = std::env::current_exe().map_err(|e| format!("cannot find this program: {e}"))?;
        let output = std::process::Command::new(me)
            .args([command, "--child", "--chip", &self.chip_name, "--scale", self.scale.name()])
            .args(["--runs", &self.runs.to_string(), app.id()])
            .output()
            .map_err(|e| format!("cannot start a process for {}: {e}", app.id()))?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{}: {}", app.id(), why.trim()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
    }
}
