//! `cargo xtask coverage`: how often the intervals of repeated campaigns cover
//! an AVF that is known beforehand.

mod combined;
mod programs;
mod repeat;
mod subject;
mod table;
#[cfg(test)]
mod tests;
mod timeline;
pub mod upset;

use upset_metrics::Method;

use combined::{Stratum, Whole};
pub use programs::all as all_programs;
use repeat::{CONFIDENCE, Covered, Sampling, Size, repeat};
pub use subject::{LAUNCH, Subject};
use table::Table;
use upset::Plan;

use crate::Outcome;
use crate::overhead::release_build;

const USAGE: &str = "usage: cargo xtask coverage [--campaigns n] [--runs n] [--through-upset n]";

/// Flips that are also simulated at the very cycle that was drawn.
const DIRECT: u64 = 1000;
/// Of the sequential rule.
const RELATIVE: f64 = 0.15;
/// Of those that stop at a margin.
const MARGIN: f64 = 0.02;

struct Options {
    size: Size,
    /// Campaigns of the program `upset` itself, of each kind.
    through_upset: u64,
}

fn parse(words: &[String]) -> Outcome<Options> {
    let size = Size { campaigns: 1000, runs: 1000, relative: RELATIVE, margin: MARGIN };
    let mut options = Options { size, through_upset: 200 };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut number = || {
            let text = words.next().ok_or(format!("{word} needs a number"))?;
            text.parse::<u64>().map_err(|_| format!("{word} {text}: not a number"))
        };
        match word.as_str() {
            "--campaigns" => options.size.campaigns = number()?.max(1),
            "--runs" => options.size.runs = number()?.max(1),
            "--through-upset" => options.through_upset = number()?,
            other => return Err(format!("no option {other:?}\n\n{USAGE}")),
        }
    }
    Ok(options)
}

/// Runs the command.
pub fn command(words: &[String]) -> Outcome<()> {
    let options = parse(words)?;
    let mut judge = Judge::default();
    let subjects =
        programs::all().into_iter().map(Subject::new).collect::<Outcome<Vec<Subject>>>()?;
    let tables = truth(&subjects)?;
    let (physical, active) = single(&subjects, &tables, options.size, &mut judge)?;
    together(&physical, &active, &mut judge)?;
    if options.through_upset > 0 {
        through_upset(&subjects, options, &mut judge)?;
    }
    judge.verdict()
}

/// Holds the formulas against the simulation of every flip.
fn truth(subjects: &[Subject]) -> Outcome<Vec<Table>> {
    println!("The AVF by formula and by simulation of every bit and stretch of cycles\n");
    println!(
        "| program | array | bits | cycles | failing bits x cycles | simulated | runs | AVF |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut tables = Vec::new();
    for s in subjects {
        let table = Table::whole(s)?;
        let window = s.window();
        println!(
            "| {} | `{}` | {} | {} | {} | {} | {} | {:.4} % |",
            s.program.name,
            s.program.structure,
            s.space.bits(),
            window.end - window.start,
            s.held_area(),
            table.failing(),
            table.runs.runs(),
            100.0 * s.truth(),
        );
        table.agrees(s)?;
        direct(s, &table, DIRECT)?;
        tables.push(table);
    }
    println!("\nof each, {DIRECT} flips at random cycles gave what their stretch gave\n");
    Ok(tables)
}

/// Simulates drawn flips at the very cycle that was drawn.
fn direct(subject: &Subject, table: &Table, flips: u64) -> Outcome<()> {
    for sampling in Sampling::of(subject)? {
        for n in 0..flips {
            let (bit, cycle) = sampling.draw(0, n)?;
            let (found, known) = (subject.class(bit, cycle)?, table.class(bit, cycle));
            if Some(found) != known {
                let name = subject.program.name;
                return Err(format!("{name}: bit {bit}@{cycle} is {found:?}, not {known:?}"));
            }
        }
    }
    Ok(())
}

/// Every program on its own.
fn single(
    subjects: &[Subject],
    tables: &[Table],
    size: Size,
    judge: &mut Judge,
) -> Outcome<(Vec<Stratum>, Vec<Stratum>)> {
    let Size { campaigns, runs, relative, margin } = size;
    println!(
        "{campaigns} campaigns of {runs} runs, to within {} % of the rate, and to a margin of {} %\n",
        100.0 * relative,
        100.0 * margin
    );
    println!(
        "| array | sampling | AVF | derating | Wilson | Clopper-Pearson | sequential | margin | \
         its runs | mean off by |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let (mut physical, mut active) = (Vec::new(), Vec::new());
    for (s, table) in subjects.iter().zip(tables) {
        for sampling in Sampling::of(s)? {
            let (array, name) = (s.program.structure, sampling.name());
            let (truth, derating) = (s.truth(), sampling.derating());
            let done = repeat(&sampling, table, size)?;
            println!(
                "| `{array}` | {name} | {:.4} % | {derating:.4} | {} | {} | {} | {} | {:.0} | {:+.2} σ |",
                100.0 * truth,
                judge.take(&format!("{array}, {name}, Wilson"), done.wilson),
                judge.take(&format!("{array}, {name}, Clopper-Pearson"), done.exact),
                judge.take(&format!("{array}, {name}, sequential"), done.sequential),
                judge.at_least(&format!("{array}, {name}, margin"), done.margin.0),
                done.margin.1,
                done.bias,
            );
            judge.unbiased(&format!("{array}, {name}"), done.bias);
            let cycles = s.window().end - s.window().start;
            let failures = done.failures;
            let stratum = Stratum { truth, bits: s.space.bits(), cycles, derating, runs, failures };
            match sampling {
                Sampling::Physical(_) => physical.push(stratum),
                Sampling::Active(..) => active.push(stratum),
            }
        }
    }
    println!();
    Ok((physical, active))
}

/// Figures over all of them.
fn together(physical: &[Stratum], active: &[Stratum], judge: &mut Judge) -> Outcome<()> {
    println!("The same campaigns put together\n");
    println!("| figure | AVF | Wilson | Clopper-Pearson |\n|---|---|---|---|");
    for (whole, strata, what) in [
        (Whole::Kernel, physical, "kernel, all arrays"),
        (Whole::Kernel, active, "kernel, active sampling"),
        (Whole::Application, physical, "application, one array in each kernel"),
    ] {
        let wilson = whole.coverage(strata, Method::Wilson)?;
        let exact = whole.coverage(strata, Method::ClopperPearson)?;
        println!(
            "| {what} | {:.4} % | {} | {} |",
            100.0 * whole.truth(strata),
            judge.take(&format!("{what}, Wilson"), wilson),
            judge.take(&format!("{what}, Clopper-Pearson"), exact),
        );
    }
    println!();
    Ok(())
}

/// Campaigns and reports of the program itself.
fn through_upset(subjects: &[Subject], options: Options, judge: &mut Judge) -> Outcome<()> {
    let upset = release_build()?;
    let campaigns = options.through_upset;
    println!("{campaigns} times `upset campaign` and `upset report --json`\n");
    println!("| array | sampling | experiments | covered |\n|---|---|---|---|");
    for (array, sampling, plan) in [
        ("rf", "physical", Plan::Runs(400)),
        ("rf", "active", Plan::Runs(400)),
        ("l2.data", "physical", Plan::Runs(400)),
        ("smem", "active", Plan::Relative(0.25)),
        ("ureg", "physical", Plan::Margin(0.03)),
    ] {
        let subject = subjects.iter().find(|s| s.program.structure == array);
        let subject = subject.ok_or_else(|| format!("no program for {array}"))?;
        let covered = upset::coverage(&upset, subject, sampling, plan, campaigns)?;
        let what = format!("upset, {array}, {sampling}");
        let share = match plan {
            Plan::Margin(_) => judge.at_least(&what, covered),
            Plan::Runs(_) | Plan::Relative(_) => judge.take(&what, covered),
        };
        println!("| `{array}` | {sampling} | {plan} | {share} |");
    }
    println!();
    Ok(())
}

/// What is out of bounds.
#[derive(Default)]
struct Judge(Vec<String>);

impl Judge {
    /// From 93 to 97 %; more room where there are fewer than 1000 campaigns.
    fn take(&mut self, what: &str, covered: Covered) -> String {
        let share = format!("{:.1} %", 100.0 * covered.share());
        let room = (2.9 * covered.error()).max(0.02);
        if (covered.share() - CONFIDENCE).abs() > room + 1e-9 {
            self.0.push(format!("{what}: {share} is not within {:.1} % of 95 %", 100.0 * room));
        }
        share
    }

    /// Of exact intervals, which hold more often than they say where they can:
    /// 94 % and more, less what chance may take.
    fn at_least(&mut self, what: &str, covered: Covered) -> String {
        let share = format!("{:.1} %", 100.0 * covered.share());
        if covered.share() < 0.94 - 2.9 * covered.error() {
            self.0.push(format!("{what}: {share} is less than 94 %"));
        }
        share
    }

    fn unbiased(&mut self, what: &str, bias: f64) {
        if bias.abs() > 4.0 {
            self.0.push(format!("{what}: the mean estimate is off by {bias:.1} standard errors"));
        }
    }

    fn verdict(self) -> Outcome<()> {
        match self.0.is_empty() {
            true => {
                println!("95 % intervals cover what they say");
                Ok(())
            }
            false => Err(self.0.join("\n")),
        }
    }
}
