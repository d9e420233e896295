//! How large textures and surfaces may be.

/// Attributes of one limit: their numbers, first and last, then the value from
/// compute capability 6.0 on and that of 3.x.
///
/// From the CUDA C++ programming guide (technical specifications per compute
/// capability). What only device attributes name (three dimensions in another
/// shape, pitched memory, mipmaps) is assumed for 3.x.
const LIMITS: [(i32, i32, i64, i64); 27] = [
    // Textures: one dimension, two, three.
    (21, 22, 131_072, 65536),
    (23, 23, 65536, 65536),
    (24, 26, 16384, 4096),
    // Two dimensions in layers, one in layers.
    (27, 28, 32768, 16384),
    (29, 29, 2048, 2048),
    (42, 42, 32768, 16384),
    (43, 43, 2048, 2048),
    // Gathers; three dimensions in another shape.
    (45, 46, 32768, 16384),
    (47, 48, 8192, 2048),
    (49, 49, 32768, 16384),
    // Cubes, and cubes in layers.
    (52, 53, 32768, 16384),
    (54, 54, 2046, 2046),
    // Surfaces: one dimension, two, three.
    (55, 55, 32768, 65536),
    (56, 56, 131_072, 65536),
    (57, 57, 65536, 32768),
    (58, 58, 16384, 65536),
    (59, 59, 16384, 32768),
    (60, 60, 16384, 2048),
    // One dimension in layers, two in layers, cubes.
    (61, 61, 32768, 65536),
    (62, 62, 2048, 2048),
    (63, 63, 32768, 65536),
    (64, 64, 32768, 32768),
    (65, 65, 2048, 2048),
    (66, 67, 32768, 32768),
    (68, 68, 2046, 2046),
    // Mipmaps of two dimensions and of one.
    (73, 74, 32768, 16384),
    (77, 77, 32768, 16384),
];
/// The same of textures over linear memory: one dimension, then width, height
/// and pitch of two.
const LINEAR: [(i32, i64, i64); 4] =
    [(69, 1 << 28, 1 << 27), (70, 131_072, 65000), (71, 65000, 65000), (72, 2_097_120, 1_048_544)];

/// The value of a `cudaDeviceAttr` that limits images, for a compute capability.
pub fn image_limit(attribute: i32, capability: i64) -> Option<i64> {
    let linear = LINEAR.iter().map(|&(number, newer, older)| (number, number, newer, older));
    let mut all = LIMITS.iter().copied().chain(linear);
    let found = all.find(|&(first, last, ..)| (first..=last).contains(&attribute));
    found.map(|(_, _, newer, older)| if capability >= 60 { newer } else { older })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_attribute_has_one_limit() {
        for attribute in 1..=143 {
            let rows = LIMITS.iter().filter(|(a, b, ..)| (*a..=*b).contains(&attribute)).count()
                + LINEAR.iter().filter(|(a, ..)| *a == attribute).count();
            assert!(rows <= 1, "{attribute}");
            assert_eq!(image_limit(attribute, 35).is_some(), rows == 1, "{attribute}");
        }
    }

    /// What NVIDIA's `deviceQuery` prints on a K40.
    #[test]
    fn keplers_are_those_that_a_k40_answers() {
        let of = |numbers: &[i32]| numbers.iter().map(|&n| image_limit(n, 35)).collect::<Vec<_>>();
        assert_eq!(of(&[21, 22, 23]), [Some(65536); 3]);
        assert_eq!(of(&[24, 25, 26]), [Some(4096); 3]);
        assert_eq!(of(&[42, 43, 27, 28, 29]), [16384, 2048, 16384, 16384, 2048].map(Some));
        assert_eq!(image_limit(21, 70), Some(131_072));
        assert_eq!(image_limit(1, 35), None);
    }
}
