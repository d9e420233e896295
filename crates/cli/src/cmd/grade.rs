//! `upset grade`: how many faults of the model the tests of `upset burn` find.

use std::path::PathBuf;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use upset_burn::suite::Plan;
use upset_burn::{Kind, Level};
use upset_chip::{ChipSpec, CoreSpec};
use upset_fault::{ModelSpec, Structure};
use upset_grade::record::{List, SCHEMA};
use upset_grade::{Ask, Grade, GradeError, Graded, Grader, Listed, Method, Pick, Record};
use upset_grade::{list, render, rival};

use crate::destination::Destination;
use crate::failure::{self, Failure, print};
use crate::in_order::{in_order, processors};

/// `upset grade`.
#[derive(Debug, Args)]
pub struct GradeArgs {
    /// Tests to grade, as `upset burn --list` names them
    #[arg(value_name = "TEST", required_unless_present = "rival")]
    tests: Vec<String>,
    /// The chip: a preset or a chip file
    #[arg(long, value_name = "NAME|FILE", default_value = "rtx2060")]
    model: String,
    /// Changes one parameter of the chip, e.g. sm.count=2 (may be repeated)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// What is broken there: stuck (both values), stuck0, stuck1, invert, syndrome:TABLE, with
    /// :rate=SHARE or :if=CONDITION, as in `upset campaign --model`
    #[arg(long, value_name = "MODEL,…", value_delimiter = ',', default_value = "stuck")]
    fault: Vec<String>,
    /// Structures whose bits are broken, e.g. fma,alu,rf
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', required = true)]
    structure: Vec<Structure>,
    /// Faults of this SM only
    #[arg(long, value_name = "N")]
    sm: Option<u32>,
    /// Every bit (of syndromes: every entry) instead of some
    #[arg(long, conflicts_with = "runs")]
    all: bool,
    /// Faults drawn of each structure and model
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Of drawn faults and random operands
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How much of each test, as in `upset burn`
    #[arg(long, value_name = "1-4", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=4))]
    level: u8,
    /// Grades gpu-burn's method on the same faults: there from the start, and come after its first product
    #[arg(long)]
    rival: bool,
    /// Tells the smallest set of the tests that detects what all of them do
    #[arg(long)]
    smallest: bool,
    /// Lists the faults that no test of ours detects
    #[arg(long)]
    missed: bool,
    /// Threads (default: one per core)
    #[arg(long, value_name = "N")]
    jobs: Option<std::num::NonZeroUsize>,
    /// Writes every fault and grade as one JSON object; `-` for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

static RIVAL: rival::Rival = rival::Rival;

/// Runs the command.
pub fn run(args: GradeArgs) -> Result<(), Failure> {
    let chip = ChipSpec::load(&args.model, &args.set)?;
    let json = args.json.as_deref().map(Destination::open).transpose()?;
    let registry = Grader::registry(&chip)?;
    let mut lists = Vec::new();
    for model in &args.fault {
        let text = upset_campaign::tables::in_model(model)?;
        let model: ModelSpec =
            text.parse().map_err(|e: upset_fault::FaultError| bad(e.to_string()))?;
        for structure in &args.structure {
            let ask = args.ask(structure, model);
            let faults = list::list(&ask, &registry)?;
            lists.push((title(&ask, faults.len()), faults));
        }
    }
    let graders = args.graders(&chip)?;
    let record = grade_all(&args, &chip, &graders, lists)?;
    let aside = json.as_ref().is_some_and(Destination::is_stdout);
    if let Some(file) = json {
        let text = record.json().map_err(|e| Failure::new(failure::OURS, e))?;
        file.fill(|out| out.write_all(text.as_bytes()))?;
    }
    if aside {
        return Ok(());
    }
    let mut text = render(&record);
    if args.missed {
        text += &missed(&record);
    }
    print(&text)
}

impl GradeArgs {
    fn ask(&self, structure: &Structure, model: ModelSpec) -> Ask {
        let pick = match self.all {
            true => Pick::All,
            false => Pick::Drawn { runs: self.runs, seed: self.seed },
        };
        Ask { structure: structure.clone(), model, sm: self.sm, pick }
    }

    /// The tests, and the rival twice where it is asked for.
    fn graders(&self, chip: &ChipSpec) -> Result<Vec<(String, Grader)>, Failure> {
        let level = Level::of(self.level).unwrap_or(Level::One);
        let mut graders = Vec::new();
        if !self.tests.is_empty() {
            let (tests, _) = Plan::choose(&self.tests, level, Kind::Model).map_err(bad)?;
            for test in tests {
                let grader = Grader::new(chip, test, level, self.seed)?;
                graders.push((grader.name().to_string(), grader));
            }
        }
        if self.rival {
            let new = || Grader::new(chip, &RIVAL, level, self.seed);
            graders.push((RIVAL_NAMES[0].to_string(), new()?));
            graders.push((RIVAL_NAMES[1].to_string(), new()?.with_late_faults()));
        }
        Ok(graders)
    }
}

/// The rival with faults that are there from the start, and with faults that
/// come when its first product is made.
const RIVAL_NAMES: [&str; 2] = ["gpu-burn", "gpu-burn, later"];

fn grade_all(
    args: &GradeArgs,
    chip: &ChipSpec,
    graders: &[(String, Grader)],
    lists: Vec<(String, Vec<Listed>)>,
) -> Result<Record, Failure> {
    let jobs = args.jobs.map_or_else(processors, usize::from);
    let bar = progress(lists.iter().map(|(_, f)| f.len() as u64).sum(), args.quiet);
    let mut graded = Vec::new();
    for (title, faults) in lists {
        bar.set_message(title.clone());
        let acts: Vec<Vec<bool>> =
            graders.iter().map(|(_, g)| g.can_act(&faults)).collect::<Result<_, _>>()?;
        let mut done = Vec::with_capacity(faults.len());
        let one = |i: u64| {
            let i = i as usize;
            let by = graders.iter().zip(&acts).map(|((_, grader), acts)| match acts[i] {
                true => grader.grade(&faults[i]),
                false => Ok(Grade::Unused),
            });
            by.collect::<Result<Vec<Grade>, GradeError>>()
        };
        in_order(faults.len() as u64, jobs, one, |i, grades| {
            let Listed { name, truth, .. } = &faults[i as usize];
            done.push(Graded { fault: name.clone(), place: truth.clone(), grades });
            bar.inc(1);
            Ok(())
        })?;
        graded.push(List { title, faults: done });
    }
    bar.finish_and_clear();
    let methods = graders.iter().map(|(name, grader)| Method {
        name: name.clone(),
        ours: !RIVAL_NAMES.contains(&name.as_str()),
        seconds: grader.clean().seconds,
        results: grader.clean().results,
    });
    let record = Record {
        schema: SCHEMA,
        program: format!("upset {}", env!("CARGO_PKG_VERSION")),
        chip: described(chip),
        level: args.level,
        seed: args.seed,
        methods: methods.collect(),
        lists: graded,
        smallest: Vec::new(),
    };
    Ok(if args.smallest { record.with_smallest() } else { record })
}

fn described(chip: &ChipSpec) -> String {
    match &chip.core {
        CoreSpec::Sm(core) => {
            format!("{}, {} SMs of {} sub-cores", chip.chip.name, core.sm.count, core.sm.subcores)
        }
        CoreSpec::Cu(_) => chip.chip.name.clone(),
    }
}

fn title(ask: &Ask, faults: usize) -> String {
    let place = ask.sm.map_or(String::new(), |sm| format!(" of SM {sm}"));
    let how = match ask.pick {
        Pick::All => format!("all {faults}"),
        Pick::Drawn { .. } => format!("{faults} drawn"),
    };
    format!("{} {}{place}: {how}", ask.model, ask.structure)
}

/// Faults that no test of ours detects, list by list.
fn missed(record: &Record) -> String {
    let mut text = String::new();
    for list in &record.lists {
        for fault in &list.faults {
            let ours = || fault.grades.iter().zip(&record.methods).filter(|(_, m)| m.ours);
            if ours().any(|(grade, _)| grade.is_detected()) {
                continue;
            }
            let why: Vec<String> =
                ours().map(|(grade, m)| format!("{} {}", m.name, word(grade))).collect();
            text += &format!("missed   {}: {}\n", fault.fault, why.join(", "));
        }
    }
    match text.is_empty() {
        true => "\nno fault is missed\n".to_string(),
        false => format!("\n{text}"),
    }
}

fn word(grade: &Grade) -> &'static str {
    match grade {
        Grade::Detected { .. } => "detected",
        Grade::Hang => "hang",
        Grade::Trap { .. } => "trap",
        Grade::NoVerdict { .. } => "no verdict",
        Grade::Masked => "masked",
        Grade::Unused => "unused",
    }
}

fn bad(why: String) -> Failure {
    Failure::new(failure::BAD_INPUT, why)
}

impl From<GradeError> for Failure {
    fn from(e: GradeError) -> Failure {
        let code = if e.is_lacking() { failure::LACKING } else { failure::BAD_INPUT };
        Failure::new(code, e.to_string())
    }
}

impl From<upset_burn::BoardError> for Failure {
    fn from(e: upset_burn::BoardError) -> Failure {
        super::burn::refused(e)
    }
}

/// On standard error, terminals only.
fn progress(faults: u64, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(faults);
    bar.set_style(
        ProgressStyle::with_template("{elapsed} [{bar:30}] {pos}/{len} {msg} (eta {eta})")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar
}
