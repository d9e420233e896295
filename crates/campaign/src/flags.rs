//! A specification's keys as flags of a command line.

use clap::error::Error;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use crate::Spec;

/// Keys that say how many experiments there are: who gives one of them gives
/// all of them.
const PLAN: [&str; 4] = ["runs", "margin", "relative", "max_runs"];

/// Keys that say how results are compared.
const COMPARISON: [&str; 8] =
    ["compare", "tolerance", "elements", "files", "success", "failure", "command", "real_clock"];

/// Those of them that only programs have.
const FOR_PROGRAMS: [&str; 5] = ["elements", "files", "success", "failure", "command"];

fn is_given(matches: &ArgMatches, key: &str) -> bool {
    matches.value_source(key) == Some(ValueSource::CommandLine)
}

/// What was given on the command line, of all keys.
#[derive(Clone, Debug)]
pub struct Flags(ArgMatches);

impl Args for Flags {
    fn augment_args(command: Command) -> Command {
        Spec::augment_args_for_update(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Spec::augment_args_for_update(command)
    }
}

impl FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Flags, Error> {
        Ok(Flags(matches.clone()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0 = matches.clone();
        Ok(())
    }
}

impl Flags {
    /// Changes a specification to what was given.
    pub fn apply(&self, spec: &mut Spec) -> Result<(), Error> {
        if PLAN.iter().any(|key| is_given(&self.0, key)) {
            (spec.runs, spec.margin, spec.relative) = (None, None, None);
        }
        spec.update_from_arg_matches(&self.0)
    }
}

/// What was given on the command line, of the keys that say how results are
/// compared.
#[derive(Clone, Debug)]
pub struct ComparisonFlags(ArgMatches);

impl Args for ComparisonFlags {
    fn augment_args(command: Command) -> Command {
        let all = Spec::augment_args_for_update(Command::new("all"));
        let one = |key: &&str| all.get_arguments().find(|arg| arg.get_id() == *key).cloned();
        command.args(COMPARISON.iter().filter_map(one).collect::<Vec<Arg>>())
    }

    fn augment_args_for_update(command: Command) -> Command {
        ComparisonFlags::augment_args(command)
    }
}

impl FromArgMatches for ComparisonFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ComparisonFlags, Error> {
        Ok(ComparisonFlags(matches.clone()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0 = matches.clone();
        Ok(())
    }
}

impl ComparisonFlags {
    /// Whether one was given that only programs have.
    pub fn are_for_programs(&self) -> bool {
        FOR_PROGRAMS.iter().any(|key| is_given(&self.0, key))
    }

    /// Changes a specification to what was given.
    pub fn apply(&self, spec: &mut Spec) {
        set(&self.0, "compare", &mut spec.compare);
        set(&self.0, "tolerance", &mut spec.tolerance);
        set(&self.0, "elements", &mut spec.elements);
        set(&self.0, "success", &mut spec.success);
        set(&self.0, "failure", &mut spec.failure);
        set(&self.0, "real_clock", &mut spec.real_clock);
        for (key, to) in [("files", &mut spec.files), ("command", &mut spec.command)] {
            if let Some(given) = self.0.get_many::<String>(key) {
                *to = given.cloned().collect();
            }
        }
    }
}

fn set<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, key: &str, to: &mut T) {
    if let Some(given) = matches.get_one::<T>(key) {
        *to = given.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn campaign(words: &[&str], mut spec: Spec) -> Spec {
        let command = Flags::augment_args(Command::new("campaign").no_binary_name(true));
        let matches = command.try_get_matches_from(words).expect("they are understood");
        Flags(matches).apply(&mut spec).expect("they fit");
        spec
    }

    #[test]
    fn what_is_not_given_stays() {
        let file = Spec { real_clock: true, exact: false, seed: 9, ..Spec::default() };
        assert_eq!(campaign(&[], file.clone()), file);
        let all = ["--exact", "on", "--seed", "3", "--real-clock", "--bits", "1,3", "--app", "hs"];
        let spec = campaign(&all, file);
        assert!(spec.exact && spec.real_clock);
        assert_eq!((spec.seed, spec.bits, spec.apps), (3, vec![1, 3], vec!["hs".to_string()]));
    }

    #[test]
    fn one_plan_replaces_another() {
        let file = Spec { margin: Some(0.01), ..Spec::default() };
        let spec = campaign(&["--runs", "50"], file);
        assert_eq!((spec.runs, spec.margin), (Some(50), None));
    }

    /// Every key of a file but the program, which stands behind `--`.
    #[test]
    fn every_key_has_its_flag() {
        let command = Spec::augment_args_for_update(Command::new("all"));
        let flags: Vec<String> =
            command.get_arguments().map(|arg| arg.get_id().to_string()).collect();
        let whole = Spec {
            input_seed: Some(1),
            launch: Some(1),
            runs: Some(1),
            margin: Some(0.1),
            relative: Some(0.1),
            real_clock: true,
            watch: vec!["profile".into()],
            ..Spec::default()
        };
        let keys = toml::Table::try_from(&whole).expect("a table");
        let missing: Vec<&String> =
            keys.keys().filter(|k| *k != "program" && !flags.contains(k)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert_eq!(flags.len(), keys.len() - 1);
    }

    #[test]
    fn comparisons_are_the_same_flags() {
        let command = ComparisonFlags::augment_args(Command::new("inject").no_binary_name(true));
        assert_eq!(command.get_arguments().count(), COMPARISON.len());
        let words = ["--compare", "files", "--files", "a,b", "--tolerance", "0.5"];
        let flags = ComparisonFlags(command.try_get_matches_from(words).expect("understood"));
        let mut spec = Spec::default();
        flags.apply(&mut spec);
        assert!(flags.are_for_programs());
        assert_eq!((spec.files, spec.tolerance), (vec!["a".into(), "b".to_string()], 0.5));
    }
}
