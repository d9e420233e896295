//! What a campaign is asked to do.

use std::fmt::Write as _;
use std::path::Path;

use clap::{ArgAction, Args};
use serde::{Deserialize, Serialize};
use upset_apps::Scale;
use upset_chip::GPUFI4;
use upset_fault::{ModelSpec, Scope, Spread, Structure};
use upset_state::{Owner, kind};
use upset_trial::Element;

use crate::CampaignError;
use crate::choices::{Comparison, Sampling, must_be, word};
use crate::size::{Plan, Size};

/// A campaign's specification: every key of a specification file, with its
/// default. Each is defined here once: the flags of the command line are made of
/// the same lines, and their help of what is said here ([`Flags`](crate::Flags)).
#[derive(Clone, Debug, PartialEq, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Spec {
    /// Built-in applications or folders with an app.toml
    #[arg(long = "app", value_name = "APP,…", value_delimiter = ',')]
    pub apps: Vec<String>,
    /// Instead of applications: a CUDA program and its arguments.
    #[arg(skip)]
    pub program: Vec<String>,
    /// Size of the input of built-in applications
    #[arg(long, value_name = "small|paper")]
    #[serde(with = "word")]
    pub scale: Scale,
    /// Seed of the applications' generated input (default: their own)
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_seed: Option<u64>,
    /// Chips: presets or chip files; hd7970:cu.count=1:cu.simds=2 changes parameters of one
    #[arg(long = "chip", value_name = "NAME|FILE,…", value_delimiter = ',')]
    pub chips: Vec<String>,
    /// Changes one parameter of the chips, e.g. sm.count=15 (may be repeated)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Structures to break (default rf,smem,l1d,l1t,l2); l2.tag is a part, rf+l2 both at once
    #[arg(long = "structure", value_name = "A,B,…", value_delimiter = ',')]
    pub structures: Vec<String>,
    /// `each` kernel for itself (default), the whole `app`, or names of kernels
    #[arg(long = "kernel", value_name = "NAME,…", value_delimiter = ',')]
    pub kernels: Vec<String>,
    /// Only this launch, counted from 0
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launch: Option<u64>,
    /// Only these cycles, e.g. 100..200,350
    #[arg(long, value_name = "A..B,…", value_delimiter = ',')]
    pub cycles: Vec<String>,
    /// Bits per experiment (default 1); 1,3 makes both
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    pub bits: Vec<u32>,
    /// flip (default), stuck0, stuck1, stuck, stuck1:500, burst1:10/90:5000, invert, stuck1:rate=0.01, syndrome:units
    #[arg(long, value_name = "MODEL")]
    pub model: String,
    /// How several bits lie: entry (default), adjacent, 2x3, array, structure, entries:2, column; l2=array for one structure
    #[arg(long, value_name = "PATTERN,…", value_delimiter = ',')]
    pub spread: Vec<String>,
    /// The same positions in this many SMs or slices
    #[arg(long, value_name = "N")]
    pub copies: u32,
    /// Experiments per kernel, structure and number of bits (default 1000)
    #[arg(long, value_name = "N", conflicts_with_all = ["margin", "relative"])]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<u64>,
    /// Go on until rates are known within this, e.g. 1%
    #[arg(long, value_name = "PERCENT", value_parser = share, conflicts_with = "relative")]
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "share_key")]
    pub margin: Option<f64>,
    /// Go on until rates are known this well relative to themselves, e.g. 10%
    #[arg(long, value_name = "PERCENT", value_parser = share)]
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "share_key")]
    pub relative: Option<f64>,
    /// Most experiments with --relative (default 100000)
    #[arg(long, value_name = "N", requires = "relative")]
    pub max_runs: u64,
    /// Confidence of intervals (default 95%)
    #[arg(long, value_name = "PERCENT", value_parser = confidence)]
    pub confidence: f64,
    /// physical (default): all bits of a structure; active: those of live threads and CTAs
    #[arg(long, value_name = "physical|active")]
    #[serde(with = "word")]
    pub sampling: Sampling,
    /// all (default), used, or numbers, e.g. 0,3-5
    #[arg(long, value_name = "SMS")]
    pub sms: String,
    /// Active sampling: one thread (default), or every thread of a warp
    #[arg(long, value_name = "thread|warp")]
    #[serde(with = "word")]
    pub scope: Scope,
    /// Active sampling: registers or local words that get the same bits
    #[arg(long, value_name = "N")]
    pub registers: u32,
    /// Active sampling: CTAs whose shared memory gets the same bits
    #[arg(long, value_name = "N")]
    pub ctas: u32,
    /// A run is given up after this many times the fault-free run's cycles (default 2)
    #[arg(long, value_name = "FACTOR")]
    pub limit: f64,
    /// What decides on silent corruption: outputs (default), results, verdict; programs: outputs, stdout, files, message, command
    #[arg(long, value_name = "WHAT")]
    #[serde(with = "word")]
    pub compare: Comparison,
    /// Relative error of floats that still counts as right, in results and copies of them
    #[arg(long, value_name = "X")]
    pub tolerance: f64,
    /// Output files of a program, for --compare files
    #[arg(long, value_name = "FILE,…", value_delimiter = ',')]
    pub files: Vec<String>,
    /// What a program prints when its result is right, for --compare message
    #[arg(long, value_name = "TEXT")]
    pub success: String,
    /// What a program prints when it finds its result wrong, for --compare message: SDC whatever its exit code
    #[arg(long, value_name = "TEXT")]
    pub failure: String,
    /// A command that exits with 0 when the result is right, for --compare command
    #[arg(long, value_name = "COMMAND", value_delimiter = ' ')]
    pub command: Vec<String>,
    /// Type of the elements of a program's outputs: f32, f64, i32, u32 (default), u8
    #[arg(long, value_name = "TYPE")]
    #[serde(with = "word")]
    pub elements: Element,
    /// A program sees the real clock and random bytes, not those that are the same in every run
    #[arg(long, action = ArgAction::Set, num_args = 0, default_missing_value = "true")]
    #[serde(skip_serializing_if = "is_false")]
    pub real_clock: bool,
    /// on (default): leave out what the fault-free run proves to be masked; off: run all from cycle 0
    #[arg(long, value_name = "on|off", action = ArgAction::Set, value_parser = on_or_off)]
    pub exact: bool,
    /// Ask of every run whether counters would have noticed it: profiles of `upset watch learn`
    #[arg(long, value_name = "PROFILE,…", value_delimiter = ',')]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub watch: Vec<String>,
    /// Seed of the samples (default 1)
    #[arg(long, value_name = "N")]
    pub seed: u64,
}

impl Default for Spec {
    fn default() -> Spec {
        Spec {
            apps: Vec::new(),
            program: Vec::new(),
            scale: Scale::Small,
            input_seed: None,
            chips: Vec::new(),
            set: Vec::new(),
            structures: GPUFI4.map(String::from).to_vec(),
            kernels: vec!["each".into()],
            launch: None,
            cycles: Vec::new(),
            bits: vec![1],
            model: "flip".into(),
            spread: vec!["entry".into()],
            copies: 1,
            runs: None,
            margin: None,
            relative: None,
            max_runs: 100_000,
            confidence: 0.95,
            sampling: Sampling::Physical,
            sms: "all".into(),
            scope: Scope::Thread,
            registers: 1,
            ctas: 1,
            limit: 2.0,
            compare: Comparison::Outputs,
            tolerance: 0.0,
            files: Vec::new(),
            success: String::new(),
            failure: String::new(),
            command: Vec::new(),
            elements: Element::U32,
            real_clock: false,
            exact: true,
            watch: Vec::new(),
            seed: 1,
        }
    }
}

/// What is usual is left out of the file.
fn is_false(value: &bool) -> bool {
    !value
}

/// `95%` or `0.95`.
pub fn confidence(text: &str) -> Result<f64, String> {
    let (number, scale) = match text.trim().strip_suffix('%') {
        Some(percent) => (percent.trim(), 100.0),
        None => (text.trim(), 1.0),
    };
    let share = number.parse::<f64>().ok().map(|n| n / scale);
    share.filter(|c| *c > 0.5 && *c < 1.0).ok_or_else(|| "give e.g. 95% or 0.95".to_string())
}

fn on_or_off(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("must be on or off".into()),
    }
}

/// Runs unless anything else is asked for.
pub const DEFAULT_RUNS: u64 = 1000;

/// Most runs of a stratum: all of them are planned at once, in memory.
pub const MOST_RUNS: u64 = 10_000_000;

impl Spec {
    /// Reads a specification file.
    pub fn load(path: &Path) -> Result<Spec, CampaignError> {
        let text = std::fs::read_to_string(path)
            .map_err(|e| CampaignError::Spec(format!("cannot read {}: {e}", path.display())))?;
        let read = || {
            Spec::plain_shares(&text)?;
            Spec::parse(&text)
        };
        read().map_err(|e| CampaignError::Spec(format!("{}: {e}", path.display())))
    }

    /// Parses a specification.
    pub fn parse(text: &str) -> Result<Spec, CampaignError> {
        toml::from_str(text).map_err(|e| CampaignError::Spec(e.to_string().trim_end().to_string()))
    }

    /// Shares in a file that somebody wrote: 0.5 may be meant to be half of a
    /// percent, and is not taken for one half.
    fn plain_shares(text: &str) -> Result<(), CampaignError> {
        let keys: toml::Table = toml::from_str(text).unwrap_or_default();
        for name in ["margin", "relative"] {
            let number = match keys.get(name) {
                Some(toml::Value::Float(x)) => *x,
                Some(toml::Value::Integer(n)) => *n as f64,
                _ => continue,
            };
            if let Some(why) = ambiguous(number) {
                return Err(CampaignError::Spec(format!("`{name}`: {why}")));
            }
        }
        Ok(())
    }

    /// The whole specification, defaults filled in.
    pub fn to_toml(&self) -> String {
        // Plain keys and lists: nothing that TOML cannot say.
        toml::to_string(self).unwrap_or_default()
    }

    /// What is wrong with it, before anything is run.
    pub fn check(&self) -> Result<(), CampaignError> {
        let bad = |text: String| Err(CampaignError::Spec(text));
        match (self.apps.is_empty(), self.program.is_empty()) {
            (true, true) => {
                return bad("nothing to run: name an application (--app hs, or apps = [\"hs\"]) \
                            or a program (-- ./program args)"
                    .into());
            }
            (false, false) => {
                return bad("either applications or a program, not both".into());
            }
            _ => {}
        }
        if self.chips.is_empty() {
            return bad("no chip: say --chip rtx2060 (`upset chips` lists them)".into());
        }
        for (name, list) in [("structures", &self.structures), ("kernels", &self.kernels)] {
            if list.is_empty() {
                return bad(format!("`{name}` is empty"));
            }
        }
        for structure in self.structures.iter().flat_map(|s| s.split('+')) {
            structure.parse::<Structure>()?;
        }
        self.named_once()?;
        self.model.parse::<ModelSpec>()?;
        for spread in &self.spread {
            spread.rsplit('=').next().unwrap_or(spread).parse::<Spread>()?;
            if let Some((structure, _)) = spread.split_once('=')
                && !self.structures.iter().any(|s| s == structure)
            {
                return bad(format!(
                    "`spread` has `{spread}`, but {structure} is not among the structures: {}",
                    self.structures.join(", ")
                ));
            }
        }
        if self.bits.is_empty() || self.bits.contains(&0) {
            return bad("`bits` must be 1 or more".into());
        }
        let given = [self.runs.is_some(), self.margin.is_some(), self.relative.is_some()];
        if given.into_iter().filter(|g| *g).count() > 1 {
            return bad("only one of runs, margin and relative".into());
        }
        if self.runs == Some(0) || self.max_runs == 0 || self.copies == 0 {
            return bad("`runs`, `max_runs` and `copies` must be 1 or more".into());
        }
        if self.registers == 0 || self.ctas == 0 {
            return bad("`registers` and `ctas` must be 1 or more".into());
        }
        if self.runs.unwrap_or(0).max(self.max_runs) > MOST_RUNS {
            return bad(format!("`runs` and `max_runs` must be at most {MOST_RUNS}"));
        }
        for (name, value) in [("margin", self.margin), ("relative", self.relative)] {
            if value.is_some_and(|v| !(v > 0.0 && v < 1.0)) {
                return bad(format!("`{name}` must be between 0 and 1 (1 % is 0.01)"));
            }
        }
        if !(self.confidence > 0.5 && self.confidence < 1.0) {
            return bad("`confidence` must be between 0.5 and 1 (95 % is 0.95)".into());
        }
        if self.margin.is_some() && self.size().planned > MOST_RUNS {
            return bad(format!(
                "`margin` may need more than {MOST_RUNS} runs, and at most so many are possible"
            ));
        }
        if !(self.limit >= 1.0 && self.limit.is_finite()) {
            return bad("`limit` must be 1 or more: times the fault-free run's cycles".into());
        }
        if self.tolerance.is_nan() || self.tolerance < 0.0 {
            return bad("`tolerance` must not be negative".into());
        }
        let ways = Comparison::of(!self.program.is_empty());
        if !ways.contains(&self.compare) {
            return bad(format!("`compare`: {}", must_be(self.compare.name(), ways)));
        }
        if self.tolerance > 0.0 {
            if !self.compare.has_numbers() {
                return bad(format!(
                    "`tolerance` is for numbers: `compare` is {}, which has none",
                    self.compare
                ));
            }
            if !self.program.is_empty() && !self.elements.is_float() {
                return bad(format!(
                    "`tolerance` is for floats, and the program's outputs are taken for {}: say \
                     --elements f32 or f64",
                    self.elements
                ));
            }
        }
        if self.real_clock && self.program.is_empty() {
            return bad("`real_clock` is for programs: applications look at no clock".into());
        }
        if !self.watch.is_empty() && !self.program.is_empty() {
            return bad("`watch` is for applications: counters of programs are not read in \
                        campaigns"
                .into());
        }
        sms(&self.sms)?;
        self.cycle_ranges()?;
        self.nothing_is_ignored()
    }

    /// What is named twice would be counted as if it were two things.
    fn named_once(&self) -> Result<(), CampaignError> {
        let bits: Vec<String> = self.bits.iter().map(u32::to_string).collect();
        let lists = [
            ("apps", &self.apps),
            ("chips", &self.chips),
            ("structures", &self.structures),
            ("kernels", &self.kernels),
            ("bits", &bits),
        ];
        for (name, list) in lists {
            if let Some((_, twice)) = list.iter().enumerate().find(|(i, x)| list[..*i].contains(x))
            {
                return Err(CampaignError::Spec(format!("`{name}` has {twice} twice")));
            }
        }
        Ok(())
    }

    /// Choices that no structure would heed are refused: nobody should take the
    /// results for something that they are not.
    fn nothing_is_ignored(&self) -> Result<(), CampaignError> {
        let bad = |text: &str| Err(CampaignError::Spec(text.into()));
        let owned: Vec<&String> = self.structures.iter().filter(|s| self.is_active(s)).collect();
        let masks = self.registers != 1 || self.ctas != 1 || self.scope != Scope::Thread;
        if masks && owned.is_empty() {
            return bad("`scope`, `registers` and `ctas` are for active sampling of rf, lmem and \
                        smem: say --sampling active, or use --spread and --copies");
        }
        if self.ctas != 1 && !owned.iter().any(|s| is_of_ctas(s)) {
            return bad("`ctas` is for active sampling of smem");
        }
        if self.scope != Scope::Thread && owned.iter().all(|s| is_of_ctas(s)) {
            return bad("`scope` is for active sampling of rf and lmem: smem has no threads");
        }
        if owned.len() == self.structures.len() && self.copies != 1 {
            return bad("`copies` is for physical sampling; active sampling has --registers, \
                        --scope warp and --ctas");
        }
        for structure in owned {
            if self.spread_of(structure)? != Spread::Entry {
                return Err(CampaignError::Spec(format!(
                    "active sampling of {structure} takes bits of a word: `spread` must be entry \
                     there, or the sampling physical"
                )));
            }
            if !matches!(sms(&self.sms)?, Sms::All | Sms::Used) {
                return Err(CampaignError::Spec(format!(
                    "active sampling of {structure} takes whatever SM its threads are on: `sms` \
                     must be all or used, or the sampling physical"
                )));
            }
        }
        Ok(())
    }

    /// Whether a structure's live bits are sampled. What has no owner is sampled
    /// physically.
    pub fn is_active(&self, structure: &str) -> bool {
        self.sampling == Sampling::Active
            && kind::named(structure).is_some_and(|a| a.owner.has_stays())
    }

    /// How many experiments each stratum gets.
    pub fn plan(&self) -> Plan {
        match (self.runs, self.margin, self.relative) {
            (Some(runs), _, _) => Plan::Runs(runs),
            (_, Some(margin), _) => Plan::Margin(margin),
            (_, _, Some(relative)) => Plan::Relative(relative),
            _ => Plan::Runs(DEFAULT_RUNS),
        }
    }

    /// How many runs a stratum takes, and what may end it before.
    pub(crate) fn size(&self) -> Size {
        Size::of(self.plan(), self.confidence, self.max_runs)
    }

    /// The pattern of several bits in a structure.
    pub fn spread_of(&self, structure: &str) -> Result<Spread, CampaignError> {
        let own = self.spread.iter().rev().find_map(|s| {
            let (name, pattern) = s.split_once('=')?;
            (name == structure).then_some(pattern)
        });
        let general = || self.spread.iter().rev().find(|s| !s.contains('=')).map(String::as_str);
        Ok(own.or_else(general).unwrap_or("entry").parse()?)
    }

    /// The cycles that were asked for; empty when all are.
    pub fn cycle_ranges(&self) -> Result<Vec<std::ops::Range<u64>>, CampaignError> {
        let range = |text: &String| {
            let range = match text.split_once("..") {
                Some((a, b)) => Some((a.trim().parse().ok()?, b.trim().parse().ok()?)),
                None => text.trim().parse::<u64>().ok().and_then(|c| Some((c, c.checked_add(1)?))),
            };
            range.filter(|(a, b)| a < b).map(|(a, b)| a..b)
        };
        let wrong = |text: &String| {
            CampaignError::Spec(format!("`{text}` is no range of cycles: write 100..200 or 150"))
        };
        self.cycles.iter().map(|t| range(t).ok_or_else(|| wrong(t))).collect()
    }

    /// What the window is, where it is less than a kernel.
    pub fn window_name(&self) -> String {
        let mut name = String::new();
        if let Some(launch) = self.launch {
            let _ = write!(name, "launch {launch}");
        }
        if !self.cycles.is_empty() {
            let _ = write!(
                name,
                "{}cycles {}",
                if name.is_empty() { "" } else { ", " },
                self.cycles.join(",")
            );
        }
        name
    }
}

/// Largest number without a unit that is taken for a share.
const LARGEST_BARE_SHARE: f64 = 0.2;

/// Reads a share: `1%`, or a plain number up to 0.2.
pub fn share(text: &str) -> Result<f64, String> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite());
    let share = match text.trim().strip_suffix('%') {
        Some(percent) => number(percent).map(|n| n / 100.0),
        None => match number(text).map(|n| (n, ambiguous(n))) {
            Some((_, Some(why))) => return Err(why),
            plain => plain.map(|(n, _)| n),
        },
    };
    share
        .filter(|s| *s > 0.0 && *s < 1.0)
        .ok_or_else(|| "must be more than 0 and less than 100 %, e.g. 1% or 0.01".into())
}

/// Whether a structure belongs to CTAs and not to threads.
fn is_of_ctas(structure: &str) -> bool {
    kind::named(structure).is_some_and(|a| a.owner == Owner::Cta)
}

/// Why a number without a unit is not taken for a share, if it is not.
fn ambiguous(n: f64) -> Option<String> {
    (n > LARGEST_BARE_SHARE && n < 100.0).then(|| {
        let percent = (n * 1e8).round() / 1e6;
        match n < 1.0 {
            true => format!("{n} may mean {n} % or {percent} %: write {n}% or {percent}%"),
            false => format!("{n} has no unit: write {n}% for {n} percent"),
        }
    })
}

/// A share in a specification: a number, or text such as `"1%"`.
fn share_key<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Number(f64),
        Text(String),
    }
    match Given::deserialize(from)? {
        Given::Number(n) => Ok(Some(n)),
        Given::Text(text) => share(&text).map(Some).map_err(serde::de::Error::custom),
    }
}

/// Which SMs are chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sms {
    /// All of the chip.
    All,
    /// Those that the kernel uses.
    Used,
    /// These.
    List(Vec<u32>),
}

/// Reads a choice of SMs.
pub fn sms(text: &str) -> Result<Sms, CampaignError> {
    match text {
        "all" => return Ok(Sms::All),
        "used" => return Ok(Sms::Used),
        _ => {}
    }
    let mut list = Vec::new();
    for part in text.split(',') {
        let range = match part.split_once('-') {
            Some((a, b)) => a.trim().parse().ok().zip(b.trim().parse().ok()),
            None => part.trim().parse().ok().map(|n| (n, n)),
        };
        let range: Option<(u32, u32)> = range.filter(|(a, b)| a <= b && *b < 100_000);
        let Some((a, b)) = range else {
            let text = format!("`sms` is `{text}`; it must be all, used, or numbers such as 0,3-5");
            return Err(CampaignError::Spec(text));
        };
        list.extend(a..=b);
    }
    list.sort_unstable();
    list.dedup();
    Ok(Sms::List(list))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> Result<(), String> {
        Spec::parse(text).and_then(|s| s.check()).map_err(|e| e.to_string())
    }

    #[test]
    fn a_complete_specification_reads_back_the_same() {
        let spec = Spec {
            apps: vec!["hs".into()],
            chips: vec!["rtx2060".into()],
            runs: Some(30),
            ..Spec::default()
        };
        assert_eq!(Spec::parse(&spec.to_toml()).unwrap(), spec);
        spec.check().unwrap();
    }

    #[test]
    fn mistakes_are_named() {
        let base = "apps = [\"hs\"]\nchips = [\"rtx2060\"]\n";
        let say = |more: &str| spec(&format!("{base}{more}")).unwrap_err();
        assert!(say("struktures = [\"rf\"]").contains("struktures"));
        assert!(say("bits = [0]").contains("bits"));
        assert!(say("runs = 3\nmargin = 0.1").contains("only one"));
        assert!(say("sampling = \"random\"").contains("physical, active"));
        assert!(say("sms = \"3-1\"").contains("0,3-5"));
        assert!(say("cycles = [\"9..4\"]").contains("100..200"));
        assert!(say("compare = \"stdout\"").contains("outputs"));
        assert!(spec("").unwrap_err().contains("nothing to run"));
        assert!(say("cycles = [\"18446744073709551615\"]").contains("100..200"));
        assert!(say("structures = [\"rf\", \"l2\", \"rf\"]").contains("rf twice"));
        assert!(say("bits = [1, 3, 1]").contains("1 twice"));
        assert!(say("runs = 1000000000000").contains("at most"));
        assert!(say("real_clock = true").contains("for programs"));
    }

    #[test]
    fn what_nothing_would_heed_is_refused() {
        let base = "apps = [\"hs\"]\nchips = [\"rtx2060\"]\n";
        let active = "sampling = \"active\"\nstructures = [\"rf\"]\n";
        let say = |more: &str| spec(&format!("{base}{more}")).unwrap_err();
        let fine = |more: &str| spec(&format!("{base}{more}")).unwrap();
        assert!(say("spread = [\"l3=array\"]").contains("l3 is not among"));
        for key in ["registers = 2", "ctas = 2", "scope = \"warp\""] {
            assert!(say(key).contains("--sampling active"), "{key}");
        }
        assert!(say("registers = 0").contains("1 or more"));
        assert!(say(&format!("{active}ctas = 2")).contains("smem"));
        assert!(say(&format!("{active}copies = 2")).contains("physical"));
        assert!(say(&format!("{active}spread = [\"adjacent\"]")).contains("physical"));
        assert!(say(&format!("{active}sms = \"3\"")).contains("physical"));
        fine(&format!("{active}registers = 2\nscope = \"warp\"\nsms = \"used\""));
        fine("sampling = \"active\"\nspread = [\"l1d=array\"]\ncopies = 2");
    }

    #[test]
    fn a_share_without_a_unit_is_a_small_one() {
        assert_eq!(share("1%"), Ok(0.01));
        assert_eq!(share(" 50 % "), Ok(0.5));
        assert_eq!(share("0.5%"), Ok(0.005));
        assert_eq!(share("0.01"), Ok(0.01));
        assert_eq!(share("0.2"), Ok(0.2));
        assert_eq!(share("0.5"), Err("0.5 may mean 0.5 % or 50 %: write 0.5% or 50%".into()));
        assert_eq!(share("0.21"), Err("0.21 may mean 0.21 % or 21 %: write 0.21% or 21%".into()));
        assert_eq!(share("1"), Err("1 has no unit: write 1% for 1 percent".into()));
        for wrong in ["0", "-1%", "100%", "x", "", "nan", "1000"] {
            assert!(share(wrong).is_err_and(|e| e.contains("1% or 0.01")), "{wrong}");
        }
    }

    #[test]
    fn shares_in_files_have_a_unit_or_are_small() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("s.toml");
        let load = |text: &str| {
            std::fs::write(&file, text).unwrap();
            Spec::load(&file).map_err(|e| e.to_string())
        };
        assert_eq!(load("margin = 0.01").unwrap().margin, Some(0.01));
        assert_eq!(load("relative = \"50%\"").unwrap().relative, Some(0.5));
        assert!(load("margin = 0.5").unwrap_err().contains("write 0.5% or 50%"));
        assert!(load("relative = 1").unwrap_err().contains("write 1%"));
        // What was understood is kept as a number and read back.
        let spec = load("relative = \"50%\"").unwrap();
        assert_eq!(Spec::parse(&spec.to_toml()).unwrap(), spec);
    }

    #[test]
    fn a_tolerance_that_nothing_would_heed_is_refused() {
        let base = "apps = [\"hs\"]\nchips = [\"rtx2060\"]\ntolerance = 0.1\n";
        spec(base).unwrap();
        assert!(spec(&format!("{base}compare = \"verdict\"")).unwrap_err().contains("numbers"));
        let program = "program = [\"./a\"]\nchips = [\"rtx2060\"]\ntolerance = 0.1\n";
        assert!(spec(program).unwrap_err().contains("--elements f32"));
        spec(&format!("{program}elements = \"f64\"")).unwrap();
    }

    #[test]
    fn a_structure_may_have_its_own_pattern() {
        let spec = Spec { spread: vec!["entry".into(), "l2=array".into()], ..Spec::default() };
        assert_eq!(spec.spread_of("rf").unwrap().to_string(), "entry");
        assert_eq!(spec.spread_of("l2").unwrap().to_string(), "array");
    }

    #[test]
    fn sms_are_lists_and_ranges() {
        assert_eq!(sms("0,3-5").unwrap(), Sms::List(vec![0, 3, 4, 5]));
        assert_eq!(sms("used").unwrap(), Sms::Used);
    }
}
