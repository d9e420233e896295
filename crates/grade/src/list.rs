//! Which faults: every bit of a structure, or some that are drawn. All of them
//! are there from the first cycle on and stay.

use upset_fault::{
    Experiment, Fault, Key, Model, ModelSpec, Names, QuirkSpec, Recipe, Space, Spread, Structure,
    When, Window, draw_physical,
};
use upset_state::how::Does;
use upset_state::{How, Registry};

use crate::{GradeError, Truth};

/// How many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    /// Every bit; of bits that stick without a word at what, both values. A
    /// syndrome is of an entry (a lane's result, a word): every entry.
    All,
    /// So many, drawn with a seed.
    Drawn {
        /// How many.
        runs: u64,
        /// They follow from it.
        seed: u64,
    },
}

/// What to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// Where.
    pub structure: Structure,
    /// What happens there.
    pub model: ModelSpec,
    /// In which SM; `None` for all of them.
    pub sm: Option<u32>,
    /// How many.
    pub pick: Pick,
}

/// A fault of the list.
#[derive(Debug, Clone)]
pub struct Listed {
    /// What is done.
    pub experiment: Experiment,
    /// Its name, as `upset burn --fault` takes it.
    pub name: String,
    /// Where it really is.
    pub truth: Truth,
}

/// The faults that were asked for.
pub fn list(ask: &Ask, registry: &Registry) -> Result<Vec<Listed>, GradeError> {
    let sm = ask.sm.map(|sm| [sm]);
    let space = Space::of(registry, &ask.structure, sm.as_ref().map(|s| &s[..]))?;
    check(ask, registry)?;
    let experiments = match ask.pick {
        Pick::All => every(&space, &ask.model)?,
        Pick::Drawn { runs, seed } => drawn(&space, ask, runs, seed)?,
    };
    let names = Names::new(registry);
    let listed = |experiment: Experiment| {
        let truth = Truth::of(&experiment, &names);
        Listed { name: names.name(&experiment), truth, experiment }
    };
    Ok(experiments.into_iter().map(listed).collect())
}

/// Faults that come and go are for campaigns: a test looks for what is there
/// when it runs.
fn check(ask: &Ask, registry: &Registry) -> Result<(), GradeError> {
    let lasts = match ask.model {
        ModelSpec::Flip | ModelSpec::Burst { .. } => false,
        ModelSpec::Stuck { duration, .. } | ModelSpec::Quirk { duration, .. } => duration.is_none(),
    };
    if !lasts {
        return Err(GradeError::Unsuited(format!(
            "`{}` passes before a test sees it: faults that are graded last (stuck, stuck0, \
             stuck1, invert, syndrome:TABLE, without a number of cycles)",
            ask.model
        )));
    }
    let control = registry.arrays.iter().filter(|l| ask.structure.has(l)).any(|l| {
        let about = l.id.kind.about();
        about.steers && !about.wire || about.looked_through
    });
    if control && matches!(ask.model, ModelSpec::Quirk { .. }) {
        return Err(GradeError::Unsuited(format!(
            "{} is control state: of its faults stuck, stuck0 and stuck1 are graded",
            ask.structure
        )));
    }
    Ok(())
}

fn every(space: &Space, model: &ModelSpec) -> Result<Vec<Experiment>, GradeError> {
    let bits = space.bits();
    let one = |model: Model, first: u64, count: u64| {
        let sites: Vec<_> = (first..first + count).map(|n| space.site(n)).collect();
        let fault = Fault {
            model,
            array: sites[0].array,
            bits: sites.iter().map(|s| s.bit).collect(),
            when: When::From(0),
        };
        Experiment::new(vec![fault])
    };
    let both = [false, true];
    let models: Vec<Model> = match *model {
        ModelSpec::Stuck { value, .. } => {
            both.into_iter().filter(|v| value.is_none_or(|w| w == *v)).map(Model::Stuck).collect()
        }
        ModelSpec::Quirk { does: QuirkSpec::Syndrome(table), rate, only, .. } => {
            // Each entry its own series.
            let entry = space.entry_bits();
            if !bits.is_multiple_of(entry) {
                return Err(GradeError::Unsuited(format!(
                    "entries of {} differ in size: draw some of them (--runs)",
                    space.structure()
                )));
            }
            let of = |n: u64| How { does: Does::Syndrome(table), rate, seed: n, only };
            let all = (0..bits / entry).map(|n| one(Model::Quirk(of(n)), n * entry, entry));
            return Ok(all.collect::<Result<_, _>>()?);
        }
        ModelSpec::Quirk { does, rate, only, .. } => {
            let does: Vec<Does> = match does {
                QuirkSpec::Stick(value) => both
                    .into_iter()
                    .filter(|v| value.is_none_or(|w| w == *v))
                    .map(Does::Stick)
                    .collect(),
                QuirkSpec::Invert => vec![Does::Invert],
                QuirkSpec::Syndrome(table) => vec![Does::Syndrome(table)],
            };
            does.into_iter().map(|does| Model::Quirk(How { does, rate, seed: 0, only })).collect()
        }
        ModelSpec::Flip | ModelSpec::Burst { .. } => Vec::new(),
    };
    let all = (0..bits).flat_map(|n| models.iter().map(move |model| (n, *model)));
    Ok(all.map(|(n, model)| one(model, n, 1)).collect::<Result<_, _>>()?)
}

fn drawn(space: &Space, ask: &Ask, runs: u64, seed: u64) -> Result<Vec<Experiment>, GradeError> {
    let syndrome = matches!(ask.model, ModelSpec::Quirk { does: QuirkSpec::Syndrome(_), .. });
    // A syndrome is of a whole entry: of single bits it would be an inversion.
    let bits = if syndrome { space.entry_bits() as u32 } else { 1 };
    let recipe = Recipe { model: ask.model, bits, spread: Spread::Entry, copies: 1 };
    let key = Key::new(seed, &format!("grade {} {}", ask.structure, ask.model));
    // All begin with the chip's first cycle.
    let window = Window::from(0..1);
    let spaces = std::slice::from_ref(space);
    let one = |n| draw_physical(spaces, &window, &recipe, key, n);
    Ok((0..runs).map(one).collect::<Result<_, _>>()?)
}
