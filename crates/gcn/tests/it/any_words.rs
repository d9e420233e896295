//! Whatever the words are: no panic, and what is decoded can be encoded again.

use proptest::prelude::*;
use upset_gcn::{Illegal, decode, encode, listed, read, text};

use crate::random::Random;

/// Reads words in every way there is.
fn visit(words: &[u32]) {
    let Ok(inst) = read(words) else {
        assert!(decode(words).is_err());
        return;
    };
    let (_, _, _, _) = (text(&inst), inst.reads(), inst.writes(), inst.raises());
    let again = encode(&inst);
    assert_eq!(4 * again.as_slice().len(), inst.length(), "{inst:?}");
    assert_eq!(read(again.as_slice()), Ok(inst), "{words:08x?}");
    if decode(words).is_ok() {
        assert!(inst.length() <= 8, "{inst:?}");
    }
}

#[test]
fn random_encodings_survive_a_round_trip() {
    let mut random = Random::new(1);
    for _ in 0..200_000 {
        let words = random.words();
        visit(&words);
        visit(&random.flipped(words));
        visit(&words[..1]);
        visit(&words[..2]);
    }
}

#[test]
fn code_that_ends_early_is_told() {
    assert_eq!(decode(&[]), Err(Illegal::Truncated));
    // s_mov_b32 s0, literal; v_mad_f32; ds_read_b32.
    for first in [0xbe80_03ff, 0xd282_0000, 0xd8d8_0000] {
        assert_eq!(decode(&[first]), Err(Illegal::Truncated));
        assert!(decode(&[first, 0x0001_0000]).is_ok(), "{first:#x}");
    }
}

proptest! {
    #[test]
    fn any_words_do(words in prop::collection::vec(any::<u32>(), 0..8)) {
        visit(&words);
        let places: Vec<_> = listed(&words).map(|(at, _)| at).collect();
        prop_assert!(places.is_sorted());
        prop_assert_eq!(places.is_empty(), words.is_empty());
    }
}
