//! From a specification and the fault-free run to strata and their experiments.

use upset_chip::ChipSpec;
use upset_fault::{
    ActiveIndex, ActiveRecipe, Experiment, Key, ModelSpec, Recipe, Space, Spread, Structure,
    Window, draw_active, draw_physical,
};
use upset_state::kind;
use upset_store::Stratum;
use xxhash_rust::xxh3::xxh3_64;

use crate::CampaignError;
use crate::choices::Sampling;
use crate::golden::Golden;
use crate::occupancy::occupancy;
use crate::size::Size;
use crate::spec::{Sms, Spec, sms};
use crate::workload::Workload;

/// A stratum and how its experiments are drawn.
pub struct Planned {
    /// As it is stored.
    pub stratum: Stratum,
    draw: Draw,
    key: Key,
}

enum Draw {
    /// Nothing can be hit: the structure is not in use.
    Nothing,
    Physical {
        spaces: Vec<Space>,
        window: Window,
        recipe: Recipe,
    },
    Active {
        index: Box<ActiveIndex>,
        recipe: ActiveRecipe,
    },
}

impl Planned {
    /// Experiment number `n`.
    pub fn draw(&self, n: u64) -> Result<Experiment, CampaignError> {
        Ok(match &self.draw {
            Draw::Nothing => Experiment { faults: Vec::new() },
            Draw::Physical { spaces, window, recipe } => {
                draw_physical(spaces, window, recipe, self.key, n)?
            }
            Draw::Active { index, recipe } => draw_active(index, recipe, self.key, n)?,
        })
    }
}

/// A subject's strata, and what was left out and why.
pub struct Strata {
    /// In order.
    pub planned: Vec<Planned>,
    /// Things the user should know.
    pub notes: Vec<String>,
}

/// Which strata a subject has.
pub fn strata(
    spec: &Spec,
    subject: u32,
    label: &str,
    first_id: u32,
    golden: &Golden,
    target: &Workload,
) -> Result<Strata, CampaignError> {
    let (chip, name) = (target.chip(), target.name());
    let mut notes = Vec::new();
    let mut planned = Vec::new();
    let kernels = kernels(spec, golden, &name, &mut notes)?;
    let has = |name: &str| {
        let wanted = name.parse::<Structure>();
        wanted.is_ok_and(|s| golden.registry.arrays.iter().any(|l| s.has(l)))
    };
    let (there, missing): (Vec<&String>, Vec<&String>) =
        spec.structures.iter().partition(|s| s.split('+').all(has));
    for structure in &missing {
        for part in structure.split('+').filter(|s| !has(s)) {
            // What no chip has is a slip; asking for it gives the error that
            // lists what there is.
            if there.is_empty() || !is_elsewhere(part) {
                Space::of(&golden.registry, &part.parse()?, None)?;
            }
        }
        notes.push(format!("{name} has no {structure}: left out"));
    }
    if let Sms::List(list) = sms(&spec.sms)?
        && let Some(beyond) = list.iter().find(|sm| **sm >= chip.processors())
    {
        return Err(CampaignError::Spec(format!(
            "`sms` has {beyond}: {} has {}s 0 to {}",
            chip.chip.name,
            chip.words().processor,
            chip.processors() - 1
        )));
    }
    for kernel in &kernels {
        let window = window(spec, golden, kernel.as_deref())?;
        if window.cycles() == 0 {
            let what = kernel.as_deref().unwrap_or("the whole run");
            return Err(CampaignError::Spec(format!(
                "{name}: no cycle of {what} is in the window that was asked for"
            )));
        }
        for structure in &there {
            for &bits in &spec.bits {
                let id = first_id + planned.len() as u32;
                let at =
                    PlanCell { subject, id, label, kernel: kernel.as_deref(), structure, bits };
                let stratum = stratum(spec, &at, &window, golden, chip)?;
                // A pattern that does not fit is told before anything is kept.
                if stratum.stratum.planned > 0 {
                    stratum.draw(0)?;
                }
                planned.push(stratum);
            }
        }
    }
    Ok(Strata { planned, notes })
}

/// Whether some chip or application has such a structure.
fn is_elsewhere(name: &str) -> bool {
    match name.split_once('.') {
        None => kind::named(name).is_some() || kind::is_cache(name),
        Some((cache, _)) => kind::is_cache(cache),
    }
}

struct PlanCell<'a> {
    subject: u32,
    id: u32,
    label: &'a str,
    kernel: Option<&'a str>,
    structure: &'a str,
    bits: u32,
}

fn stratum(
    spec: &Spec,
    at: &PlanCell<'_>,
    window: &Window,
    golden: &Golden,
    chip: &ChipSpec,
) -> Result<Planned, CampaignError> {
    let cycles = window.cycles();
    let parts: Vec<Structure> =
        at.structure.split('+').map(|s| s.parse()).collect::<Result<_, _>>()?;
    let registry = &golden.registry;
    let whole: Vec<Space> =
        parts.iter().map(|s| Space::of(registry, s, None)).collect::<Result<_, _>>()?;
    let structure_bits: u64 = whole.iter().map(Space::bits).sum();
    let model: ModelSpec = spec.model.parse()?;
    let spread = spec.spread_of(at.structure)?;
    let active = spec.is_active(at.structure);
    let chosen = chosen_sms(spec, at, &spread, parts.len())?;
    let (draw, derating) = if active {
        let index = ActiveIndex::new(&golden.residency, &parts[0], window)?;
        let recipe = ActiveRecipe {
            model,
            bits: at.bits,
            registers: spec.registers,
            scope: spec.scope,
            ctas: spec.ctas,
        };
        let derating = index.derating(structure_bits);
        match index.area() {
            0 => (Draw::Nothing, 0.0),
            _ => (Draw::Active { index: Box::new(index), recipe }, derating),
        }
    } else {
        let space = |s: &Structure| {
            let list = match &chosen {
                Sms::All => None,
                Sms::Used => Some(golden.sms_for(s, &model, at.kernel, chip.subcores())),
                Sms::List(list) => Some(list.clone()),
            };
            Space::of(registry, s, list.as_deref())
        };
        let spaces: Vec<Space> = parts.iter().map(space).collect::<Result<_, _>>()?;
        let bits: u64 = spaces.iter().map(Space::bits).sum();
        let recipe = Recipe { model, bits: at.bits, spread, copies: spec.copies };
        match bits {
            0 => (Draw::Nothing, 0.0),
            _ => (
                Draw::Physical { spaces, window: window.clone(), recipe },
                bits as f64 / structure_bits as f64,
            ),
        }
    };
    let Size { planned, stop_at_failures, stop_at_margin } = match draw {
        Draw::Nothing => Size::default(),
        _ => spec.size(),
    };
    let stratum = Stratum {
        id: at.id,
        subject: at.subject,
        kernel: at.kernel.map(String::from),
        window: spec.window_name(),
        structure: at.structure.to_string(),
        // A cluster's size is its number of bits, whether that was said or not.
        bits: match spread {
            Spread::Cluster { rows, cols } if !active => rows.saturating_mul(cols),
            _ => at.bits,
        },
        model: spec.model.clone(),
        spread: describe(spec, &spread, active),
        sampling: spec.sampling.to_string(),
        cycles,
        structure_bits,
        derating,
        occupancy: occupancy(&parts, golden, window),
        planned,
        stop_at_failures,
        stop_at_margin,
    };
    let key = key(spec, at, &stratum);
    Ok(Planned { stratum, draw, key })
}

/// SMs whose arrays are sampled physically.
fn chosen_sms(
    spec: &Spec,
    at: &PlanCell<'_>,
    spread: &Spread,
    parts: usize,
) -> Result<Sms, CampaignError> {
    // What has no owner is sampled physically; active then means the SMs in use.
    let chosen = match sms(&spec.sms)? {
        Sms::All if spec.sampling == Sampling::Active => Sms::Used,
        other => other,
    };
    // A fault that lies in several SMs can do harm from one that is in use while
    // the rest of it is where nothing matters: there is no share to derate by.
    let scattered = *spread == Spread::Structure && at.bits > 1;
    Ok(match chosen {
        Sms::Used if parts > 1 || spec.copies > 1 || scattered => Sms::All,
        other => other,
    })
}

/// What a sample depends on besides its number: not on which other strata the
/// campaign has.
fn key(spec: &Spec, at: &PlanCell<'_>, stratum: &Stratum) -> Key {
    let label = format!(
        "{}|{}|{}|{}|{}|{}|{}|{}",
        at.label,
        at.kernel.unwrap_or("*"),
        stratum.window,
        at.structure,
        at.bits,
        stratum.model,
        stratum.spread,
        stratum.sampling
    );
    Key { seed: spec.seed, stream: xxh3_64(label.as_bytes()) }
}

/// How several bits lie, in words.
fn describe(spec: &Spec, spread: &Spread, active: bool) -> String {
    if active {
        return match (spec.scope, spec.registers, spec.ctas) {
            (scope, 1, 1) => scope.to_string(),
            (scope, registers, ctas) => format!("{scope}, {registers} words, {ctas} ctas"),
        };
    }
    match spec.copies {
        1 => spread.to_string(),
        n => format!("{spread}, {n} copies"),
    }
}

/// The kernels that get strata of their own; `None` is the whole run.
pub(crate) fn kernels(
    spec: &Spec,
    golden: &Golden,
    subject: &str,
    notes: &mut Vec<String>,
) -> Result<Vec<Option<String>>, CampaignError> {
    let mut known: Vec<&str> = Vec::new();
    for launch in &golden.launches {
        if !known.contains(&launch.kernel.as_str()) {
            known.push(&launch.kernel);
        }
    }
    if known.is_empty() {
        return Err(CampaignError::Spec("the run launches no kernel: nothing to break".into()));
    }
    let mut chosen: Vec<Option<String>> = Vec::new();
    let mut add = |k: Option<&str>| {
        let k = k.map(String::from);
        if !chosen.contains(&k) {
            chosen.push(k);
        }
    };
    for name in &spec.kernels {
        match name.as_str() {
            // One launch may be of a kernel that runs many: then that one.
            "each" => match spec.launch {
                Some(n) => match golden.launches.get(n as usize) {
                    Some(launch) => add(Some(&launch.kernel)),
                    None => {
                        let most = golden.launches.len();
                        return Err(CampaignError::Spec(format!(
                            "there is no launch {n}: the run has {most}, from 0"
                        )));
                    }
                },
                None => known.iter().for_each(|k| add(Some(k))),
            },
            "app" => add(None),
            name => {
                let mangled = format!("{}{name}", name.len());
                let same = |k: &&&str| **k == name || k.contains(&mangled);
                match known.iter().find(|k| **k == name).or_else(|| known.iter().find(same)) {
                    Some(kernel) => add(Some(kernel)),
                    // Of several applications, each has its own kernels.
                    None if spec.apps.len() > 1 => {
                        notes.push(format!("{subject} does not launch {name}: left out"));
                    }
                    None => {
                        return Err(CampaignError::Spec(format!(
                            "no kernel `{name}`; the run launches {}",
                            known.join(", ")
                        )));
                    }
                }
            }
        }
    }
    Ok(chosen)
}

/// The cycles that faults of a kernel, or of the whole run, are in.
pub(crate) fn window(
    spec: &Spec,
    golden: &Golden,
    kernel: Option<&str>,
) -> Result<Window, CampaignError> {
    let launches = golden.launches.iter().enumerate();
    let launches = launches
        .filter(|(i, l)| {
            kernel.is_none_or(|k| l.kernel == k) && spec.launch.is_none_or(|n| n == *i as u64)
        })
        .map(|(_, l)| l.start..l.end);
    let asked = spec.cycle_ranges()?;
    let ranges = match asked.is_empty() {
        true => launches.collect(),
        false => launches
            .flat_map(|l| {
                asked
                    .iter()
                    .map(move |a| a.start.max(l.start)..a.end.min(l.end))
                    .collect::<Vec<_>>()
            })
            .filter(|r| r.start < r.end)
            .collect(),
    };
    Ok(Window::new(ranges))
}
