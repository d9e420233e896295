//! A manifest's buffers and launches with their numbers worked out.

use super::arguments::{Names, no_buffer, number};
use super::contents::Source;
use crate::error::AppError;
use crate::manifest::{Argument, Expression, Manifest, ManifestError, Step, Variables};
use crate::session::Session;
use crate::{Scale, Values};
use std::collections::{BTreeMap, BTreeSet};
use upset_device::{DevPtr, Launch};

/// More device memory than this is taken for a mistake in a formula.
const MOST_BYTES: u64 = 1 << 32;
/// More launches than this are, too.
const MOST_LAUNCHES: u64 = 10_000_000;
/// Sequences nest at most this deep.
const DEEPEST: usize = 8;

/// What a manifest amounts to at one scale.
pub(super) struct Plan {
    variables: Variables,
    reals: BTreeMap<String, f64>,
    /// Name and number of elements, in the manifest's order.
    buffers: Vec<(String, usize)>,
    constants: Vec<usize>,
}

/// Initial contents, in the manifest's order.
pub(super) struct Contents {
    pub buffers: Vec<Values>,
    pub constants: Vec<Values>,
}

/// Checks what does not depend on the scale.
pub(super) fn validate(manifest: &Manifest) -> Result<(), ManifestError> {
    let mut names = BTreeSet::new();
    for buffer in &manifest.buffers {
        if !names.insert(buffer.name.as_str()) {
            let problem = format!("there are two buffers {:?}", buffer.name);
            return Err(ManifestError::new("app.toml, buffers", problem));
        }
    }
    if manifest.launches.is_empty() {
        let problem = "there is nothing to launch: add [[launches]]";
        return Err(ManifestError::new("app.toml", problem));
    }
    let bound = manifest.textures.iter().map(|t| &t.buffer);
    let copied = manifest.outputs.iter().map(|o| &o.buffer);
    for name in bound.chain(copied) {
        if !names.contains(name.as_str()) {
            return Err(no_buffer(name));
        }
    }
    validate_steps(&manifest.launches, &names, 0)
}

fn validate_steps(
    steps: &[Step],
    buffers: &BTreeSet<&str>,
    depth: usize,
) -> Result<(), ManifestError> {
    let complain = |problem: String| Err(ManifestError::new("app.toml, launches", problem));
    if depth > DEEPEST {
        return complain(format!("sequences nest deeper than {DEEPEST}"));
    }
    for step in steps {
        let Some(kernel) = &step.kernel else {
            if step.sequence.is_empty() {
                return complain("a launch needs a kernel or a sequence".into());
            }
            validate_steps(&step.sequence, buffers, depth + 1)?;
            continue;
        };
        if !step.sequence.is_empty() {
            return complain(format!("{kernel} has a sequence as well: one of the two"));
        }
        for (what, dimensions) in [("grid", &step.grid), ("block", &step.block)] {
            if !(1..=3).contains(&dimensions.len()) {
                return complain(format!("{kernel} needs a {what} of one to three numbers"));
            }
        }
        for argument in &step.args {
            if let Argument::Buffer(name) = argument
                && !buffers.contains(name.as_str())
            {
                return Err(no_buffer(name));
            }
        }
    }
    Ok(())
}

impl Plan {
    /// Works out parameters and sizes.
    pub fn new(manifest: &Manifest, scale: Scale) -> Result<Self, ManifestError> {
        let mut variables = Variables::new();
        let mut reals = BTreeMap::new();
        for (name, value) in manifest.parameters(scale)? {
            match value {
                toml::Value::Integer(number) => variables.insert(name.clone(), *number).map(|_| ()),
                toml::Value::Float(number) => reals.insert(name.clone(), *number).map(|_| ()),
                _ => {
                    let place = format!("app.toml, scales.{scale}.{name}");
                    return Err(ManifestError::new(place, "must be a number"));
                }
            };
        }
        let mut plan = Self { variables, reals, buffers: Vec::new(), constants: Vec::new() };
        let mut total = 0u64;
        let mut size = |name: &str, count: &Expression, element: usize| {
            let place = || format!("app.toml, {name}");
            let count = count.evaluate(&plan.variables);
            let count = count.map_err(|problem| ManifestError::new(place(), problem))?;
            let bytes = u64::try_from(count).ok().filter(|&c| c > 0);
            let bytes = bytes.and_then(|c| c.checked_mul(element as u64));
            total = bytes.and_then(|b| total.checked_add(b)).unwrap_or(u64::MAX);
            if total > MOST_BYTES {
                let problem =
                    format!("{count} elements: a count is from 1 up to {MOST_BYTES} bytes in all");
                return Err(ManifestError::new(place(), problem));
            }
            Ok(count as usize)
        };
        let mut buffers = Vec::new();
        for buffer in &manifest.buffers {
            let count = size(&buffer.name, &buffer.count, buffer.element.size())?;
            buffers.push((buffer.name.clone(), count));
        }
        let mut constants = Vec::new();
        for constant in &manifest.constants {
            constants.push(size(&constant.symbol, &constant.count, constant.element.size())?);
        }
        (plan.buffers, plan.constants) = (buffers, constants);
        Ok(plan)
    }

    /// Where a buffer is in the manifest's order.
    pub fn index(&self, buffer: &str) -> Result<usize, ManifestError> {
        let place = self.buffers.iter().position(|(name, _)| name == buffer);
        place.ok_or_else(|| no_buffer(buffer))
    }

    /// Names and numbers of elements, in the manifest's order.
    pub fn into_sizes(self) -> Vec<(String, usize)> {
        self.buffers
    }

    /// How many elements a buffer has.
    pub fn count(&self, buffer: &str) -> usize {
        self.index(buffer).map_or(0, |i| self.buffers[i].1)
    }

    /// What every buffer and constant holds at first.
    pub fn fill(&self, manifest: &Manifest, from: &Source<'_>) -> Result<Contents, ManifestError> {
        let mut stream = 0;
        let mut next = |fill, element, count| {
            stream += 1;
            from.filled(fill, element, count, stream)
        };
        let mut contents = Contents { buffers: Vec::new(), constants: Vec::new() };
        for (buffer, (_, count)) in manifest.buffers.iter().zip(&self.buffers) {
            contents.buffers.push(next(&buffer.init, buffer.element, *count)?);
        }
        for (constant, count) in manifest.constants.iter().zip(&self.constants) {
            contents.constants.push(next(&constant.init, constant.element, *count)?);
        }
        Ok(contents)
    }

    /// Launches everything in order.
    pub fn launch_all(
        &self,
        manifest: &Manifest,
        addresses: &[DevPtr],
        session: &mut Session<'_>,
    ) -> Result<(), AppError> {
        let mut runner = Runner { plan: self, addresses, session, launched: 0 };
        runner.steps(&manifest.launches, &mut self.variables.clone())
    }
}

struct Runner<'r, 'd> {
    plan: &'r Plan,
    addresses: &'r [DevPtr],
    session: &'r mut Session<'d>,
    launched: u64,
}

impl Runner<'_, '_> {
    fn steps(&mut self, steps: &[Step], variables: &mut Variables) -> Result<(), AppError> {
        for step in steps {
            let times = match &step.repeat {
                Some(repeat) => number(repeat, variables, "repeat")?,
                None => 1,
            };
            let outer = variables.get("i").copied();
            for i in 0..times {
                if step.repeat.is_some() {
                    variables.insert("i".into(), i64::from(i));
                }
                match &step.kernel {
                    Some(kernel) => self.launch(kernel, step, variables)?,
                    None => self.steps(&step.sequence, variables)?,
                }
            }
            match outer {
                Some(outer) => variables.insert("i".into(), outer),
                None => variables.remove("i"),
            };
        }
        Ok(())
    }

    fn launch(&mut self, kernel: &str, step: &Step, variables: &Variables) -> Result<(), AppError> {
        self.launched += 1;
        if self.launched > MOST_LAUNCHES {
            let problem = format!("more than {MOST_LAUNCHES} launches");
            return Err(ManifestError::new("app.toml, launches", problem).into());
        }
        let mut launch =
            Launch { grid: [1; 3], block: [1; 3], shared_bytes: 0, ..Launch::default() };
        for (to, from) in launch.grid.iter_mut().zip(&step.grid) {
            *to = number(from, variables, kernel)?;
        }
        for (to, from) in launch.block.iter_mut().zip(&step.block) {
            *to = number(from, variables, kernel)?;
        }
        if let Some(shared) = &step.shared {
            launch.shared_bytes = number(shared, variables, kernel)?;
        }
        let mut addresses = BTreeMap::new();
        for ((name, _), address) in self.plan.buffers.iter().zip(self.addresses) {
            addresses.insert(name.as_str(), *address);
        }
        let reals = &self.plan.reals;
        let local = self.session.has_local_arguments();
        let names = Names { kernel, variables, reals, addresses, local };
        let args = names.arguments(&step.args)?;
        self.session.launch_with(kernel, &launch, &args)
    }
}
