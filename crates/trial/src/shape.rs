//! Size and shape of what is wrong in an output.

use std::fmt;
use std::str::FromStr;

use upset_metrics::Sdc;

/// What an output's elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
    /// 32-bit signed integer.
    I32,
    /// 32-bit unsigned integer, or any 32-bit word.
    U32,
    /// Byte.
    U8,
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Element {
    type Err = String;

    fn from_str(text: &str) -> Result<Element, String> {
        let found = Element::ALL.into_iter().find(|e| e.name() == text);
        found.ok_or_else(|| {
            format!("`{text}` must be {}", Element::ALL.map(Element::name).join(", "))
        })
    }
}

impl Element {
    /// Every type.
    pub const ALL: [Element; 5] =
        [Element::F32, Element::F64, Element::I32, Element::U32, Element::U8];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Element::F32 => "f32",
            Element::F64 => "f64",
            Element::I32 => "i32",
            Element::U32 => "u32",
            Element::U8 => "u8",
        }
    }

    fn size(self) -> usize {
        match self {
            Element::F64 => 8,
            Element::F32 | Element::I32 | Element::U32 => 4,
            Element::U8 => 1,
        }
    }

    /// Whether it is a number that may be nearly right.
    pub fn is_float(self) -> bool {
        match self {
            Element::F32 | Element::F64 => true,
            Element::I32 | Element::U32 | Element::U8 => false,
        }
    }

    fn value(self, bits: u64) -> f64 {
        match self {
            Element::F32 => f64::from(f32::from_bits(bits as u32)),
            Element::F64 => f64::from_bits(bits),
            Element::I32 => f64::from(bits as u32 as i32),
            Element::U32 | Element::U8 => bits as f64,
        }
    }
}

/// Compares arrays of elements, one `(element, right, found)` after the other;
/// `None` when all is equal. `tolerance` is a relative error that still counts
/// as right for floats; 0 means every bit.
pub fn shape<'a>(
    arrays: impl IntoIterator<Item = (Element, &'a [u8], &'a [u8])>,
    tolerance: f64,
) -> Option<Sdc> {
    let mut sdc = Sdc::default();
    let mut unbounded = false;
    for (element, right, found) in arrays {
        if sdc.element.is_empty() {
            sdc.element = element.name().into();
        } else if sdc.element != element.name() {
            sdc.element = "mixed".into();
        }
        let before = sdc.elements;
        let size = element.size();
        sdc.elements += (right.len() / size) as u64;
        if right.len() != found.len() {
            sdc.length_differs = true;
        }
        // A tail shorter than an element is compared as bytes are: padded.
        let pairs = right.chunks(size).zip(found.chunks(size)).enumerate();
        for (i, (r, f)) in pairs.filter(|(_, (r, f))| r != f) {
            let (r, f) = (word(r), word(f));
            let (rv, fv) = (element.value(r), element.value(f));
            let relative = ((fv - rv) / rv).abs();
            if tolerance > 0.0 && element.is_float() && (relative <= tolerance || fv == rv) {
                continue;
            }
            if sdc.wrong == 0 {
                sdc.first = before + i as u64;
            }
            sdc.wrong += 1;
            sdc.nan += u64::from(fv.is_nan() && !rv.is_nan());
            sdc.inf += u64::from(fv.is_infinite() && !rv.is_infinite());
            if relative.is_finite() {
                sdc.max_relative = Some(sdc.max_relative.unwrap_or(0.0).max(relative));
            } else if rv == 0.0 {
                unbounded = true;
            }
            sdc.bit_counts.resize(sdc.bit_counts.len().max(size * 8), 0);
            let mut bits = r ^ f;
            while bits != 0 {
                sdc.bit_counts[bits.trailing_zeros() as usize] += 1;
                bits &= bits - 1;
            }
        }
    }
    if unbounded {
        sdc.max_relative = None;
    }
    (sdc.wrong > 0 || sdc.length_differs).then_some(sdc)
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    fn of(right: &[f32], found: &[f32], tolerance: f64) -> Option<Sdc> {
        let (right, found) = (floats(right), floats(found));
        shape([(Element::F32, right.as_slice(), found.as_slice())], tolerance)
    }

    #[test]
    fn equal_outputs_have_no_shape() {
        assert_eq!(of(&[1.0, f32::NAN], &[1.0, f32::NAN], 0.0), None);
    }

    #[test]
    fn wrong_elements_are_counted_and_measured() {
        let sdc = of(&[1.0, 2.0, 4.0], &[1.0, 3.0, f32::INFINITY], 0.0).unwrap();
        assert_eq!((sdc.elements, sdc.wrong, sdc.first), (3, 2, 1));
        assert_eq!(sdc.max_relative, Some(0.5));
        assert_eq!((sdc.nan, sdc.inf), (0, 1));
        let bits = 2f32.to_bits() ^ 3f32.to_bits();
        assert!(sdc.bit_counts[bits.trailing_zeros() as usize] > 0);
        assert_eq!(sdc.element, "f32");
    }

    #[test]
    fn a_tolerance_forgives_small_errors_but_not_nan() {
        assert_eq!(of(&[100.0], &[100.5], 0.01), None);
        assert!(of(&[100.0], &[102.0], 0.01).is_some());
        assert!(of(&[100.0], &[f32::NAN], 0.01).is_some());
        assert!(of(&[0.0], &[1e-30], 0.01).is_some());
        assert_eq!(of(&[0.0], &[-0.0], 0.01), None);
        assert!(of(&[0.0], &[-0.0], 0.0).is_some());
        // Words have no relative error.
        let (right, found) = (1000u32.to_le_bytes(), 1001u32.to_le_bytes());
        assert!(shape([(Element::U32, &right[..], &found[..])], 0.01).is_some());
    }

    #[test]
    fn missing_elements_are_wrong() {
        let sdc = of(&[1.0, 2.0], &[1.0], 0.5).unwrap();
        assert!(sdc.length_differs);
    }

    #[test]
    fn several_outputs_are_numbered_through() {
        let (a, b) = ([1u8, 2], [1u8, 3]);
        let sdc = shape([(Element::U8, &a[..], &a[..]), (Element::U8, &a[..], &b[..])], 0.0);
        assert_eq!(sdc.unwrap().first, 3);
    }
}
