//! Numbers and arguments of a launch, worked out.

use crate::manifest::{Argument, Components, Expression, ManifestError, Real, Variables};
use std::collections::BTreeMap;
use upset_device::{Args, DevPtr};

/// What the arguments of a launch may speak of.
pub(super) struct Names<'n> {
    /// The kernel, for errors.
    pub kernel: &'n str,
    /// Whole numbers.
    pub variables: &'n Variables,
    /// Numbers with a decimal point.
    pub reals: &'n BTreeMap<String, f64>,
    /// Where buffers are.
    pub addresses: BTreeMap<&'n str, DevPtr>,
    /// Whether kernels can take pointers to local memory.
    pub local: bool,
}

impl Names<'_> {
    /// The arguments of a launch.
    pub fn arguments(&self, all: &[Argument]) -> Result<Args, ManifestError> {
        let mut args = Args::new();
        for argument in all {
            args = match argument {
                Argument::Buffer(name) => {
                    let address = self.addresses.get(name.as_str());
                    args.ptr(*address.ok_or_else(|| no_buffer(name))?)
                }
                Argument::Local(bytes) => args.local(self.local(bytes)?),
                Argument::I8(numbers) => self.whole_vector(args, numbers, 1)?,
                Argument::I16(numbers) => self.whole_vector(args, numbers, 2)?,
                Argument::I32(numbers) => self.whole_vector(args, numbers, 4)?,
                Argument::I64(numbers) => self.whole_vector(args, numbers, 8)?,
                Argument::F32(numbers) => {
                    let bytes = |v: f64| (v as f32).to_le_bytes().to_vec();
                    self.vector(args, numbers.as_slice(), 4, |n| self.real(n).map(bytes))?
                }
                Argument::F64(numbers) => {
                    let bytes = |v: f64| v.to_le_bytes().to_vec();
                    self.vector(args, numbers.as_slice(), 8, |n| self.real(n).map(bytes))?
                }
            };
        }
        Ok(args)
    }

    /// Bytes of a piece of local memory.
    fn local(&self, bytes: &Expression) -> Result<u32, ManifestError> {
        if !self.local {
            return self.wrong("local arguments are OpenCL's: a CUDA kernel has `shared`".into());
        }
        number(bytes, self.variables, self.kernel)
    }

    /// Whole numbers of `width` bytes. The parameter's own width is what the
    /// kernel sees of a number, so -1 may be given for an unsigned one.
    fn whole_vector(
        &self,
        args: Args,
        numbers: &Components<Expression>,
        width: usize,
    ) -> Result<Args, ManifestError> {
        self.vector(args, numbers.as_slice(), width, |number| {
            let value = whole(number, self.variables, self.kernel)?;
            Ok(value.to_le_bytes()[..width].to_vec())
        })
    }

    fn vector<T>(
        &self,
        args: Args,
        numbers: &[T],
        width: usize,
        bytes: impl Fn(&T) -> Result<Vec<u8>, ManifestError>,
    ) -> Result<Args, ManifestError> {
        if !matches!(numbers.len(), 1..=4 | 8 | 16) {
            let count = numbers.len();
            return self.wrong(format!("{count} numbers are no vector: 2, 3, 4, 8 or 16"));
        }
        let mut all = Vec::new();
        for number in numbers {
            all.extend(bytes(number)?);
        }
        // OpenCL C, "Alignment of types": three components take the room of four.
        all.resize(numbers.len().next_power_of_two() * width, 0);
        Ok(args.aligned(&all))
    }

    fn real(&self, real: &Real) -> Result<f64, ManifestError> {
        let name = match real {
            Real::Number(number) => return Ok(*number),
            Real::Parameter(name) => name,
        };
        match self.reals.get(name) {
            Some(number) => Ok(*number),
            None => self.wrong(format!("no parameter {name:?} with a decimal point")),
        }
    }

    fn wrong<T>(&self, problem: String) -> Result<T, ManifestError> {
        Err(ManifestError::new(format!("app.toml, launches, {}", self.kernel), problem))
    }
}

/// The error for a name that no buffer has.
pub(super) fn no_buffer(name: &str) -> ManifestError {
    ManifestError::new("app.toml", format!("there is no buffer {name:?}"))
}

fn whole(expression: &Expression, variables: &Variables, what: &str) -> Result<i64, ManifestError> {
    let place = format!("app.toml, launches, {what}");
    expression.evaluate(variables).map_err(|problem| ManifestError::new(place, problem))
}

/// A number that is a size or a count.
pub(super) fn number(
    expression: &Expression,
    variables: &Variables,
    what: &str,
) -> Result<u32, ManifestError> {
    let value = whole(expression, variables, what)?;
    u32::try_from(value).map_err(|_| {
        let place = format!("app.toml, launches, {what}");
        ManifestError::new(place, format!("{value} is not a size"))
    })
}
