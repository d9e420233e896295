//! Faces and coordinates of a cube map: the largest of three coordinates says
//! which face a direction meets (AMD, Southern Islands manual).

use upset_lanes::fp::exact;

use super::each::each3;
use super::nan::{QUIET32, Rules, SIGN32, is_nan32};
use super::vector::{Results, Sources};

/// The coordinate with the largest magnitude: z before y before x.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Major {
    X,
    Y,
    Z,
}

fn major(x: u32, y: u32, z: u32) -> Major {
    let [x, y, z] = [x, y, z].map(|v| f32::from_bits(v & !SIGN32));
    if z >= x && z >= y {
        Major::Z
    } else if y >= x {
        Major::Y
    } else {
        Major::X
    }
}

/// Below zero: minus zero is not.
fn negative(x: u32) -> bool {
    f32::from_bits(x) < 0.0
}

fn cube(s: &Sources<'_>, r: &mut Results, f: impl Fn(Rules, u32, u32, u32) -> u32) {
    let rules = Rules::single(s.mode);
    each3(s, &mut r.d[0], |x, y, z| {
        let [x, y, z] = [x, y, z].map(|v| rules.source(v.into()) as u32);
        let value = f(rules, x, y, z);
        let quiet = if is_nan32(value) { QUIET32 } else { 0 };
        rules.result((value | quiet).into()) as u32
    });
}

/// `v_cubeid_f32`: the face, 0 to 5.
pub fn cubeid_f32(s: &Sources<'_>, r: &mut Results) {
    cube(s, r, |_, x, y, z| {
        let (face, back) = match major(x, y, z) {
            Major::X => (0.0, negative(x)),
            Major::Y => (2.0, negative(y)),
            Major::Z => (4.0, negative(z)),
        };
        let face: f32 = if back { face + 1.0 } else { face };
        face.to_bits()
    });
}

/// `v_cubesc_f32`: the first coordinate on the face.
pub fn cubesc_f32(s: &Sources<'_>, r: &mut Results) {
    cube(s, r, |_, x, y, z| match major(x, y, z) {
        Major::X if negative(x) => z,
        Major::X => z ^ SIGN32,
        Major::Y => x,
        Major::Z if negative(z) => x ^ SIGN32,
        Major::Z => x,
    });
}

/// `v_cubetc_f32`: the second one.
pub fn cubetc_f32(s: &Sources<'_>, r: &mut Results) {
    cube(s, r, |_, x, y, z| match major(x, y, z) {
        Major::X | Major::Z => y ^ SIGN32,
        Major::Y if negative(y) => z ^ SIGN32,
        Major::Y => z,
    });
}

/// `v_cubema_f32`: twice the largest coordinate.
pub fn cubema_f32(s: &Sources<'_>, r: &mut Results) {
    cube(s, r, |rules, x, y, z| {
        let largest = match major(x, y, z) {
            Major::X => x,
            Major::Y => y,
            Major::Z => z,
        };
        let twice = |f, [a]: [u64; 1], rm| exact::Number::unpack(f, a).scale(1).pack(f, rm);
        rules.exact([largest.into()], twice) as u32
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::Inputs;
    use super::super::vector::VectorFn;
    use super::*;

    fn run(f: VectorFn, [x, y, z]: [f32; 3]) -> f32 {
        let sources = [x, y, z].map(f32::to_bits);
        f32::from_bits(Inputs::of(sources).mode(0xf0).lane(f).0)
    }

    #[test]
    fn axes_meet_the_six_faces() {
        let faces = [
            ([1.0, 0.25, 0.5], 0.0, -0.5, -0.25),
            ([-1.0, 0.25, 0.5], 1.0, 0.5, -0.25),
            ([0.25, 1.0, 0.5], 2.0, 0.25, 0.5),
            ([0.25, -1.0, 0.5], 3.0, 0.25, -0.5),
            ([0.25, 0.5, 1.0], 4.0, 0.25, -0.5),
            ([0.25, 0.5, -1.0], 5.0, -0.25, -0.5),
        ];
        for (v, id, sc, tc) in faces {
            assert_eq!(run(cubeid_f32, v), id);
            assert_eq!(run(cubesc_f32, v), sc, "{v:?}");
            assert_eq!(run(cubetc_f32, v), tc, "{v:?}");
            assert_eq!(run(cubema_f32, v).abs(), 2.0);
        }
    }

    #[test]
    fn equal_coordinates_prefer_z_then_y() {
        assert_eq!(run(cubeid_f32, [1.0, 1.0, 1.0]), 4.0);
        assert_eq!(run(cubeid_f32, [1.0, -1.0, 0.0]), 3.0);
        assert_eq!(run(cubeid_f32, [0.0, 0.0, -0.0]), 4.0);
    }

    proptest! {
        /// From face and coordinates comes the direction again: a right-handed
        /// table of the six faces, written independently.
        #[test]
        fn face_and_coordinates_give_the_direction_back(
            v in prop::array::uniform3(-100f32..100.0),
        ) {
            let (sc, tc) = (run(cubesc_f32, v), run(cubetc_f32, v));
            let ma = run(cubema_f32, v) / 2.0;
            let size = ma.abs();
            let back = match run(cubeid_f32, v) as u32 {
                0 => [size, -tc, -sc],
                1 => [-size, -tc, sc],
                2 => [sc, size, tc],
                3 => [sc, -size, -tc],
                4 => [sc, -tc, size],
                _ => [-sc, -tc, -size],
            };
            prop_assert_eq!(back, v);
            prop_assert!(v.iter().all(|x| x.abs() <= size));
        }
    }

    #[test]
    fn twice_the_largest_number_is_infinite() {
        assert_eq!(run(cubema_f32, [0.0, 0.0, f32::MAX]), f32::INFINITY);
        assert!(run(cubema_f32, [0.0, 0.0, f32::NAN]) == 0.0);
    }
}
