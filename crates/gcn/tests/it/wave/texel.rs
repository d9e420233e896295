//! Formats of buffers.

use proptest::prelude::*;
use upset_gcn::sem::texel::{Number, Shape};

use super::storage::Random;
use super::texel_model::{WIDTHS, load_all, one, store_all};

const IDENTITY: [u8; 4] = [4, 5, 6, 7];

fn word(random: &mut Random) -> u32 {
    match random.below(5) {
        0 => (random.below(4096) as f32 / 1024.0 - 2.0).to_bits(),
        1 => (random.below(1 << 18) as f32 - 1000.5).to_bits(),
        2 => random.below(1 << 18) as u32,
        3 => [0x7f80_0000, 0xff80_0000, 0x7fc1_2345, 0xff80_0001, 1, 0x8000_0000]
            [random.below(6) as usize],
        _ => random.word(),
    }
}

proptest! {
    #[test]
    fn every_format_loads_and_stores_by_its_definition(seed: u64) {
        let mut random = Random(seed);
        for dfmt in 1..15 {
            for nfmt in 0..8 {
                let select = [0; 4].map(|_: u8| random.below(8) as u8);
                let select = if random.one_in(2) { select } else { IDENTITY };
                let shape = Shape::texel(dfmt, nfmt, select, 4);
                let len = WIDTHS[usize::from(dfmt)].iter().sum::<u32>() as usize / 8;
                prop_assert_eq!(usize::from(shape.bytes()), len);
                let bytes = random.bytes(len);
                let expected = load_all(&bytes, dfmt, nfmt, select);
                prop_assert_eq!(shape.load_lane(&bytes), expected, "{} {}", dfmt, nfmt);
                if nfmt != 6 {
                    let words = [0; 4].map(|_: u32| word(&mut random));
                    let (got, n) = shape.store_lane(words);
                    let expected = store_all(&words, dfmt, nfmt, select);
                    prop_assert_eq!(&got[..n], &expected[..], "{} {} {:x?}", dfmt, nfmt, words);
                }
            }
        }
    }

    /// What a narrow channel holds comes back when its value is stored.
    #[test]
    fn stores_undo_loads(bits: u16, nfmt in 0..8u8) {
        let number = Number::of(nfmt);
        for width in [8, 10, 11, 16] {
            let bits = u32::from(bits) & ((1 << width) - 1);
            let lowest = bits == 1 << (width - 1) && number == Number::Snorm;
            let value = number.load(bits, width);
            let nan = number == Number::Float && f32::from_bits(value).is_nan();
            // The lowest code is the same number as the one above it; NaN is made quiet.
            if !lowest && !nan {
                prop_assert_eq!(number.store(value, width), bits, "{:?} {}", number, width);
            }
        }
    }
}

#[test]
fn closed_forms() {
    let f = |value: u32| f32::from_bits(value);
    assert_eq!(f(Number::Unorm.load(255, 8)), 1.0);
    assert_eq!(f(Number::Snorm.load(0x80, 8)), -1.0);
    assert_eq!(f(Number::Snorm.load(0x81, 8)), -1.0);
    assert_eq!(f(Number::SnormOgl.load(0, 8)), 1.0 / 255.0);
    assert_eq!(f(Number::Snorm.load(2, 2)), 2.0 / 3.0);
    assert_eq!(f(Number::Float.load(0x3c00, 16)), 1.0);
    assert_eq!(f(Number::Float.load(0x3c0, 11)), 1.0);
    assert_eq!(f(Number::Float.load(0x1e0, 10)), 1.0);
    assert_eq!(Number::Unorm.store(f32::NAN.to_bits(), 8), 0);
    assert_eq!(Number::Uscaled.store(f32::NAN.to_bits(), 8), 0);
    assert_eq!(Number::Float.store((-1f32).to_bits(), 11), 0);
    assert_eq!(Number::Unorm.store(0.5f32.to_bits(), 8), 128);
    assert_eq!(Number::Sint.store(1000, 8), 127);
}

#[test]
fn out_of_range_is_zero_but_for_the_selected_one() {
    for nfmt in 0..8 {
        let shape = Shape::texel(10, nfmt, [4, 1, 0, 7], 3);
        assert_eq!(shape.outside(), [0, one(nfmt), 0, 0]);
    }
    assert_eq!(Shape::typed(0, 0, 1), Shape::Invalid);
    assert_eq!(Shape::typed(15, 0, 1).store_lane([1; 4]).1, 0);
}

#[test]
fn dwords_that_nothing_changes_are_dwords() {
    assert_eq!(Shape::typed(4, 7, 1), Shape::Dwords(1));
    assert_eq!(Shape::typed(14, 4, 4), Shape::Dwords(4));
    for converted in [
        Shape::typed(14, 0, 4),
        Shape::typed(14, 7, 3),
        Shape::typed(4, 7, 2),
        Shape::texel(11, 7, [5, 4, 6, 7], 2),
    ] {
        assert!(matches!(converted, Shape::Texel { .. }), "{converted:?}");
    }
}
