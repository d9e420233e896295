//! Comparing a run's outputs with the right answer.

use crate::output::Output;
use crate::values::Values;
use std::fmt;

/// How far a floating-point result may be from the exact one. Integers must
/// always be equal.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// Units in the last place of the output's own type.
    pub ulps: f64,
    /// Values smaller than this are measured in units of this size: a result
    /// that came from cancelling terms of this size can't be more exact.
    #[serde(default)]
    pub floor: f64,
    /// Why not zero.
    #[serde(default)]
    pub reason: String,
}

impl Tolerance {
    /// Every bit counts.
    pub const EXACT: Tolerance = Tolerance { ulps: 0.0, floor: 0.0, reason: String::new() };
}

/// The answer to "is the result right?".
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Whether every element is within the tolerance.
    pub passed: bool,
    /// Elements compared; 0 when there was nothing to compare with.
    pub compared: u64,
    /// Largest distance of a floating-point element, in units in the last place.
    pub max_ulps: f64,
    /// Largest relative distance of a floating-point element.
    pub max_relative: f64,
    /// What was allowed.
    pub tolerance: Tolerance,
    /// The first element outside the tolerance.
    pub first_mismatch: Option<Mismatch>,
}

/// An element that is wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Mismatch {
    /// The output it is in.
    pub output: String,
    /// Its index there.
    pub index: usize,
    /// What the run gave, or nothing if the output is too short or absent.
    pub found: Option<f64>,
    /// What the reference gives.
    pub expected: f64,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}] is ", self.output, self.index)?;
        match self.found {
            Some(found) => write!(f, "{found:?}")?,
            None => f.write_str("missing")?,
        }
        write!(f, ", expected {:?}", self.expected)
    }
}

/// The right values of one output: exact integers, or reals before rounding to
/// the output's type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expected {
    pub name: &'static str,
    pub values: Vec<f64>,
}

impl Expected {
    /// Values given as reals.
    pub fn reals(name: &'static str, values: Vec<f64>) -> Self {
        Self { name, values }
    }

    /// Values given in single precision.
    pub fn floats(name: &'static str, values: &[f32]) -> Self {
        Self::reals(name, values.iter().map(|&v| f64::from(v)).collect())
    }

    /// Values given as integers.
    pub fn ints(name: &'static str, values: &[i32]) -> Self {
        Self::reals(name, values.iter().map(|&v| f64::from(v)).collect())
    }

    /// Values given as unsigned integers.
    pub fn words(name: &'static str, values: &[u32]) -> Self {
        Self::reals(name, values.iter().map(|&v| f64::from(v)).collect())
    }

    /// Values given as bytes.
    pub fn bytes(name: &'static str, values: &[u8]) -> Self {
        Self::reals(name, values.iter().map(|&v| f64::from(v)).collect())
    }
}

/// Compares outputs with what they should be, by name.
pub(crate) fn compare(outputs: &[Output], expected: &[Expected], tolerance: &Tolerance) -> Verdict {
    let mut verdict = Verdict {
        passed: true,
        compared: 0,
        max_ulps: 0.0,
        max_relative: 0.0,
        tolerance: tolerance.clone(),
        first_mismatch: None,
    };
    for right in expected {
        let found = outputs.iter().find(|o| o.name == right.name);
        compare_one(found.map(|o| &o.values), right.name, &right.values, &mut verdict);
    }
    verdict
}

/// Adds one output's comparison to a verdict.
pub(crate) fn compare_one(
    found: Option<&Values>,
    name: &str,
    expected: &[f64],
    verdict: &mut Verdict,
) {
    for (index, &right) in expected.iter().enumerate() {
        verdict.compared += 1;
        let value = found.and_then(|values| values.get(index));
        let good = match (found, value) {
            (Some(values), Some(value)) => within(values, value, right, verdict),
            _ => false,
        };
        if !good {
            verdict.passed = false;
            verdict.first_mismatch.get_or_insert_with(|| Mismatch {
                output: name.to_string(),
                index,
                found: value,
                expected: right,
            });
        }
    }
}

fn within(values: &Values, found: f64, right: f64, verdict: &mut Verdict) -> bool {
    let mantissa_bits = match values {
        Values::F32(_) => 23,
        Values::F64(_) => 52,
        Values::I32(_) | Values::U32(_) | Values::U8(_) => return found == right,
    };
    if !found.is_finite() || !right.is_finite() {
        return found == right || (found.is_nan() && right.is_nan());
    }
    let distance = (found - right).abs();
    let size = right.abs().max(verdict.tolerance.floor);
    let ulps = distance / unit_in_last_place(size, mantissa_bits);
    verdict.max_ulps = verdict.max_ulps.max(ulps);
    if distance > 0.0 {
        verdict.max_relative = verdict.max_relative.max(distance / size);
    }
    ulps <= verdict.tolerance.ulps
}

/// Spacing of floats with that many mantissa bits around a positive `size`.
fn unit_in_last_place(size: f64, mantissa_bits: i32) -> f64 {
    let smallest = if mantissa_bits == 23 { -126 } else { -1022 };
    // Exponent from the encoding: no rounding as with a logarithm.
    let exponent = (((size.to_bits() >> 52) & 0x7ff) as i32 - 1023).max(smallest);
    2f64.powi(exponent - mantissa_bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(found: f32, right: f64, ulps: f64, floor: f64) -> Verdict {
        let tolerance = Tolerance { ulps, floor, reason: String::new() };
        let outputs = [Output::new("x", vec![found])];
        compare(&outputs, &[Expected::reals("x", vec![right])], &tolerance)
    }

    #[test]
    fn distance_is_counted_in_units_of_the_last_place() {
        let next = f32::from_bits(1.0f32.to_bits() + 3);
        assert_eq!(verdict(next, 1.0, 3.0, 0.0).max_ulps, 3.0);
        assert!(verdict(next, 1.0, 3.0, 0.0).passed);
        assert!(!verdict(next, 1.0, 2.0, 0.0).passed);
    }

    #[test]
    fn exact_means_every_bit() {
        assert!(verdict(1.0, 1.0, 0.0, 0.0).passed);
        assert!(!verdict(f32::from_bits(1.0f32.to_bits() + 1), 1.0, 0.0, 0.0).passed);
    }

    #[test]
    fn small_values_are_measured_against_the_floor() {
        assert!(!verdict(1e-9, 0.0, 4.0, 0.0).passed);
        assert!(verdict(1e-9, 0.0, 4.0, 1.0).passed);
    }

    #[test]
    fn nan_and_infinity_match_only_themselves() {
        assert!(verdict(f32::NAN, f64::NAN, 1.0, 0.0).passed);
        assert!(!verdict(f32::NAN, 1.0, 1.0, 1e9).passed);
        assert!(!verdict(f32::INFINITY, f64::from(f32::MAX), 1e9, 0.0).passed);
    }

    #[test]
    fn integers_have_no_tolerance_and_the_first_wrong_one_is_named() {
        let outputs = [Output::new("n", vec![1, 2, 4, 5])];
        let loose = Tolerance { ulps: 100.0, ..Tolerance::EXACT };
        let verdict = compare(&outputs, &[Expected::ints("n", &[1, 2, 3, 4])], &loose);
        assert!(!verdict.passed);
        let first = verdict.first_mismatch.unwrap();
        assert_eq!(first.to_string(), "n[2] is 4.0, expected 3.0");
    }

    #[test]
    fn missing_output_or_element_is_a_mismatch() {
        let short = [Output::new("n", vec![1])];
        let wanted = [Expected::ints("n", &[1, 2])];
        let verdict = compare(&short, &wanted, &Tolerance::EXACT);
        assert_eq!(verdict.first_mismatch.unwrap().to_string(), "n[1] is missing, expected 2.0");
        assert!(!compare(&[], &wanted, &Tolerance::EXACT).passed);
    }
}
