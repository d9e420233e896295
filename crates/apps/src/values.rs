//! Typed arrays that travel between host and device as little-endian bytes.

/// What an array's elements are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElementType {
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
    /// 32-bit signed integer.
    I32,
    /// 32-bit unsigned integer.
    U32,
    /// Byte.
    U8,
}

impl ElementType {
    /// Bytes per element.
    pub fn size(self) -> usize {
        match self {
            ElementType::F64 => 8,
            ElementType::F32 | ElementType::I32 | ElementType::U32 => 4,
            ElementType::U8 => 1,
        }
    }
}

/// An array of one element type.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// 32-bit floats.
    F32(Vec<f32>),
    /// 64-bit floats.
    F64(Vec<f64>),
    /// 32-bit signed integers.
    I32(Vec<i32>),
    /// 32-bit unsigned integers.
    U32(Vec<u32>),
    /// Bytes.
    U8(Vec<u8>),
}

impl Values {
    /// Number of elements.
    pub fn len(&self) -> usize {
        match self {
            Values::F32(v) => v.len(),
            Values::F64(v) => v.len(),
            Values::I32(v) => v.len(),
            Values::U32(v) => v.len(),
            Values::U8(v) => v.len(),
        }
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the elements are.
    pub fn element_type(&self) -> ElementType {
        match self {
            Values::F32(_) => ElementType::F32,
            Values::F64(_) => ElementType::F64,
            Values::I32(_) => ElementType::I32,
            Values::U32(_) => ElementType::U32,
            Values::U8(_) => ElementType::U8,
        }
    }

    /// The array as it lies in memory.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Values::F32(v) => to_bytes(v),
            Values::F64(v) => to_bytes(v),
            Values::I32(v) => to_bytes(v),
            Values::U32(v) => to_bytes(v),
            Values::U8(v) => v.clone(),
        }
    }

    /// Reads an array from memory; a part of an element at the end is dropped.
    pub fn from_bytes(element: ElementType, bytes: &[u8]) -> Self {
        match element {
            ElementType::F32 => Values::F32(from_bytes(bytes)),
            ElementType::F64 => Values::F64(from_bytes(bytes)),
            ElementType::I32 => Values::I32(from_bytes(bytes)),
            ElementType::U32 => Values::U32(from_bytes(bytes)),
            ElementType::U8 => Values::U8(bytes.to_vec()),
        }
    }

    /// An element as a double, which holds every type here exactly.
    pub fn get(&self, index: usize) -> Option<f64> {
        match self {
            Values::F32(v) => v.get(index).map(|&x| f64::from(x)),
            Values::F64(v) => v.get(index).copied(),
            Values::I32(v) => v.get(index).map(|&x| f64::from(x)),
            Values::U32(v) => v.get(index).map(|&x| f64::from(x)),
            Values::U8(v) => v.get(index).map(|&x| f64::from(x)),
        }
    }
}

impl From<Vec<f32>> for Values {
    fn from(values: Vec<f32>) -> Self {
        Values::F32(values)
    }
}

impl From<Vec<i32>> for Values {
    fn from(values: Vec<i32>) -> Self {
        Values::I32(values)
    }
}

impl From<Vec<u32>> for Values {
    fn from(values: Vec<u32>) -> Self {
        Values::U32(values)
    }
}

impl From<Vec<u8>> for Values {
    fn from(values: Vec<u8>) -> Self {
        Values::U8(values)
    }
}

/// An element that host sides copy to and from the device.
pub(crate) trait Element: Copy {
    /// Bytes per element.
    const SIZE: usize;
    /// Appends the element's bytes.
    fn push_to(self, bytes: &mut Vec<u8>);
    /// Reads an element from exactly `SIZE` bytes.
    fn read_from(bytes: &[u8]) -> Self;
}

macro_rules! element {
    ($($t:ty)*) => {$(
        impl Element for $t {
            const SIZE: usize = size_of::<$t>();
            fn push_to(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
            fn read_from(bytes: &[u8]) -> Self {
                let mut exact = [0; size_of::<$t>()];
                exact.copy_from_slice(bytes);
                <$t>::from_le_bytes(exact)
            }
        }
    )*};
}
element!(f32 f64 i32 u32 u8);

/// The elements as they lie in memory.
pub(crate) fn to_bytes<T: Element>(values: &[T]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(values.len() * T::SIZE);
    for value in values {
        value.push_to(&mut bytes);
    }
    bytes
}

/// The whole elements in `bytes`.
pub(crate) fn from_bytes<T: Element>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(T::SIZE).map(T::read_from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_round_trip_for_every_type() {
        let all = [
            Values::F32(vec![1.5, -0.0, f32::MAX]),
            Values::F64(vec![0.1]),
            Values::I32(vec![-1, 7]),
            Values::U32(vec![u32::MAX]),
            Values::U8(vec![0, 255]),
        ];
        for values in all {
            let bytes = values.to_bytes();
            assert_eq!(bytes.len(), values.len() * values.element_type().size());
            assert_eq!(Values::from_bytes(values.element_type(), &bytes), values);
        }
    }

    #[test]
    fn a_part_of_an_element_is_dropped() {
        assert_eq!(Values::from_bytes(ElementType::I32, &[1, 0, 0, 0, 9]), Values::I32(vec![1]));
    }
}
