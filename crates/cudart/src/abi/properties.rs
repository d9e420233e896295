//! Layouts of `cudaDeviceProp`, as lists of device attributes: the structure
//! changed between releases, the attributes' numbers did not.

/// One field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The device's name, 256 bytes.
    Name,
    /// Bytes that stay zero.
    Zero(usize),
    /// `size_t totalGlobalMem`.
    Memory,
    /// An attribute as `int`.
    Int(i32),
    /// An attribute as `size_t`.
    Size(i32),
}

use Field::{Int, Memory, Name, Size, Zero};

/// `cudaGetDeviceProperties` of CUDA 11 (and under that name of 12).
pub const CUDA_11: &[Field] = &[
    Name,
    Zero(16 + 8 + 4),
    Memory,
    Size(8),
    Int(12),
    Int(10),
    Size(11),
    Int(1),
    Int(2),
    Int(3),
    Int(4),
    Int(5),
    Int(6),
    Int(7),
    Int(13),
    Size(9),
    Int(75),
    Int(76),
    Size(14),
    Size(51),
    Int(15),
    Int(16),
    Int(17),
    Int(18),
    Int(19),
    Int(20),
    Int(21),
    Int(77),
    Int(69),
    Int(22),
    Int(23),
    Int(73),
    Int(74),
    Int(70),
    Int(71),
    Int(72),
    Int(45),
    Int(46),
    Int(24),
    Int(25),
    Int(26),
    Int(47),
    Int(48),
    Int(49),
    Int(52),
    Int(42),
    Int(43),
    Int(27),
    Int(28),
    Int(29),
    Int(53),
    Int(54),
    Int(55),
    Int(56),
    Int(57),
    Int(58),
    Int(59),
    Int(60),
    Int(61),
    Int(62),
    Int(63),
    Int(64),
    Int(65),
    Int(66),
    Int(67),
    Int(68),
    Size(30),
    Int(31),
    Int(32),
    Int(33),
    Int(34),
    Int(50),
    Int(35),
    Int(40),
    Int(41),
    Int(36),
    Int(37),
    Int(38),
    Int(108),
    Int(39),
    Int(78),
    Int(79),
    Int(80),
    Size(81),
    Int(82),
    Int(83),
    Int(84),
    Int(85),
    Int(86),
    Int(87),
    Int(88),
    Int(89),
    Int(90),
    Int(91),
    Int(95),
    Int(96),
    Size(97),
    Int(100),
    Int(101),
    Int(106),
    Int(109),
    Size(111),
];

/// What `cudaGetDeviceProperties_v2` of CUDA 12 has in addition.
pub const CUDA_12_MORE: &[Field] = &[
    Int(99),
    Int(112),
    Int(113),
    Int(114),
    Int(115),
    Int(116),
    Int(117),
    Int(118),
    Int(119),
    Int(121),
    Int(125),
    Int(120),
    Int(129),
    Zero(4 * 63),
];

/// `cudaGetDeviceProperties` of CUDA 13.
pub const CUDA_13: &[Field] = &[
    Name,
    Zero(16 + 8 + 4),
    Memory,
    Size(8),
    Int(12),
    Int(10),
    Size(11),
    Int(1),
    Int(2),
    Int(3),
    Int(4),
    Int(5),
    Int(6),
    Int(7),
    Size(9),
    Int(75),
    Int(76),
    Size(14),
    Size(51),
    Int(16),
    Int(18),
    Int(19),
    Int(21),
    Int(77),
    Int(22),
    Int(23),
    Int(73),
    Int(74),
    Int(70),
    Int(71),
    Int(72),
    Int(45),
    Int(46),
    Int(24),
    Int(25),
    Int(26),
    Int(47),
    Int(48),
    Int(49),
    Int(52),
    Int(42),
    Int(43),
    Int(27),
    Int(28),
    Int(29),
    Int(53),
    Int(54),
    Int(55),
    Int(56),
    Int(57),
    Int(58),
    Int(59),
    Int(60),
    Int(61),
    Int(62),
    Int(63),
    Int(64),
    Int(65),
    Int(66),
    Int(67),
    Int(68),
    Size(30),
    Int(31),
    Int(32),
    Int(33),
    Int(34),
    Int(50),
    Int(35),
    Int(40),
    Int(41),
    Int(37),
    Int(38),
    Int(108),
    Int(39),
    Int(78),
    Int(79),
    Int(80),
    Size(81),
    Int(82),
    Int(83),
    Int(84),
    Int(85),
    Int(86),
    Int(88),
    Int(89),
    Int(90),
    Int(91),
    Int(95),
    Size(97),
    Int(100),
    Int(101),
    Int(106),
    Int(109),
    Size(111),
    Int(99),
    Int(112),
    Int(113),
    Int(114),
    Int(115),
    Int(116),
    Int(117),
    Int(118),
    Int(119),
    Int(121),
    Int(125),
    Int(120),
    Int(129),
    Int(130),
    Int(131),
    Int(133),
    Int(134),
    Int(139),
    Int(140),
    Int(143),
    Zero(4 * 56),
];

/// The structure's bytes, with C's padding.
pub fn lay_out(
    fields: impl Iterator<Item = Field>,
    name: &str,
    memory: u64,
    attribute: impl Fn(i32) -> i64,
) -> Vec<u8> {
    let mut bytes: Vec<u8> = Vec::with_capacity(1024);
    for field in fields {
        match field {
            Name => {
                let text = &name.as_bytes()[..name.len().min(255)];
                bytes.extend(text);
                bytes.resize(256, 0);
            }
            Zero(n) => bytes.resize(bytes.len() + n, 0),
            Int(a) => bytes.extend((attribute(a) as i32).to_le_bytes()),
            Memory | Size(_) => {
                bytes.resize(bytes.len().next_multiple_of(8), 0);
                let value = if let Size(a) = field { attribute(a) as u64 } else { memory };
                bytes.extend(value.to_le_bytes());
            }
        }
    }
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes as the compiler gives them for the headers of 11.8, 12.9 and 13.
    #[test]
    fn structures_have_their_size() {
        let size = |f: &mut dyn Iterator<Item = Field>| lay_out(f, "x", 1, |_| 1).len();
        assert_eq!(size(&mut CUDA_11.iter().copied()), 728);
        assert_eq!(size(&mut CUDA_11.iter().chain(CUDA_12_MORE).copied()), 1032);
        assert_eq!(size(&mut CUDA_13.iter().copied()), 1008);
    }
}
