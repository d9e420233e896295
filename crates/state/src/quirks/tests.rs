use super::*;
use crate::bits::{Bytes, Words};
use crate::{Kind, Part};
use proptest::prelude::*;

const ARRAY: ArrayId = ArrayId::data(Kind::Rf, 3);

fn quirks(bits: impl IntoIterator<Item = u64>, how: &str) -> Quirks {
    let mut quirks = Quirks::default();
    let how = how.parse().unwrap();
    bits.into_iter().for_each(|bit| quirks.begin(Quirk { array: ARRAY, bit, how }));
    quirks
}

/// Words after a use of all of them.
fn used(quirks: &Quirks, first: u64, now: u64, words: &[u32]) -> Vec<u32> {
    let mut words = words.to_vec();
    quirks.act(&Use::new(ARRAY, first, now), &mut Words(&mut words), &|_| true);
    words
}

#[test]
fn inverted_bits_are_inverted_at_every_use() {
    let quirks = quirks([33, 40], "invert");
    assert_eq!(used(&quirks, 0, 5, &[0, 0, 0]), [0, 1 << 1 | 1 << 8, 0]);
    assert_eq!(used(&quirks, 32, 6, &[!0]), [!(1 << 1 | 1 << 8)]);
    // Wherever the words lie to each other.
    assert_eq!(used(&quirks, 20, 6, &[0, 0]), [1 << 13 | 1 << 20, 0]);
    assert_eq!(used(&quirks, 64, 6, &[0]), [0]);
}

#[test]
fn a_rate_is_met_within_its_bounds_and_for_each_bit_alone() {
    let rate = 0.05;
    let quirks = quirks([3, 7], &format!("stuck1(rate={rate},seed=9)"));
    let n = 20_000;
    let (mut counts, mut both) = ([0u32; 2], 0u32);
    for now in 0..n {
        let words = used(&quirks, 0, now, &[0]);
        // However often it is asked, within a cycle it is the same.
        assert_eq!(words, used(&quirks, 0, now, &[0]));
        let hits = [words[0] >> 3 & 1, words[0] >> 7 & 1];
        counts = [counts[0] + hits[0], counts[1] + hits[1]];
        both += hits[0] & hits[1];
    }
    // Five deviations.
    let near = |count: u32, p: f64| {
        let mean = n as f64 * p;
        (f64::from(count) - mean).abs() < 5.0 * (mean * (1.0 - p)).sqrt()
    };
    assert!(near(counts[0], rate) && near(counts[1], rate), "{counts:?}");
    assert!(near(both, rate * rate), "{both}");
}

#[test]
fn draws_follow_from_seed_array_bit_and_cycle() {
    let hits = |array: ArrayId, bit: u64, seed: u64| {
        let how = format!("invert(rate=0.5,seed={seed})").parse().unwrap();
        let quirk = Quirk { array, bit, how };
        (0..256).map(|now| quirk.may_act(now)).collect::<Vec<_>>()
    };
    let all = [
        hits(ARRAY, 0, 1),
        hits(ARRAY, 0, 2),
        hits(ARRAY, 1, 1),
        hits(ArrayId::data(Kind::Rf, 4), 0, 1),
        hits(ArrayId::data(Kind::Pred, 3), 0, 1),
        hits(ArrayId { kind: Kind::Cache(1), instance: 3, part: Part::Data }, 0, 1),
        hits(ArrayId { kind: Kind::Cache(1), instance: 3, part: Part::Tag }, 0, 1),
        hits(ArrayId { kind: Kind::Cache(2), instance: 3, part: Part::Tag }, 0, 1),
    ];
    for (i, a) in all.iter().enumerate() {
        assert!(all[..i].iter().all(|b| a != b), "{i}");
    }
}

/// A change of this means that every run with such faults changes: say so in the
/// changelog.
#[test]
fn known_draws() {
    let at = |how: &str| {
        let quirks = quirks(0..32, how);
        (0..4).map(|now| used(&quirks, 0, now, &[0x0123_4567])[0]).collect::<Vec<_>>()
    };
    assert_eq!(at("invert(rate=0.5,seed=7)"), KNOWN_RATE);
    assert_eq!(at("syndrome(units,seed=7)"), KNOWN_SYNDROME);
}
const KNOWN_RATE: [u32; 4] = [0x8d00_abe0, 0xced7_3cde, 0x4685_6d7b, 0x1d06_7f6a];
const KNOWN_SYNDROME: [u32; 4] = [0x0123_416a, 0xd952_e926, 0x00a3_454e, 0x012b_0566];

#[test]
fn conditions_are_asked_lane_by_lane() {
    let quirks = quirks((0..4).map(|lane| lane * 32 + 31), "stuck1(if a&0x80000000=0x80000000)");
    let (a, b) = ([1 << 31, 0, 3 << 30, 7], [1 << 31; 4]);
    let of = Use { operands: [Some(&a), Some(&b), None], ..Use::new(ARRAY, 0, 4) };
    let mut words = [5u32; 4];
    quirks.act(&of, &mut Words(&mut words), &|_| true);
    assert_eq!(words, [5 | 1 << 31, 5, 5 | 1 << 31, 5]);
    // The second half of the lanes alone: their operands come with them.
    let of = Use { operands: [Some(&a[2..]), None, None], ..Use::new(ARRAY, 64, 4) };
    let mut words = [5u32; 2];
    quirks.act(&of, &mut Words(&mut words), &|_| true);
    assert_eq!(words, [5 | 1 << 31, 5]);
    assert_eq!(used(&quirks, 0, 4, &[5]), [5]);
}

#[test]
fn a_syndrome_is_drawn_for_each_word() {
    let quirks = quirks(0..96, "syndrome(3=1,seed=1)");
    let words = used(&quirks, 0, 8, &[0, 0, 0]);
    assert!(words.iter().all(|w| w.count_ones() == 3));
    assert!(words[0] != words[1] || words[1] != words[2]);
    // Part of a word gets its part of the syndrome.
    let mut bytes = [0u8; 2];
    quirks.act(&Use::new(ARRAY, 32, 8), &mut Bytes(&mut bytes), &|_| true);
    assert_eq!(u32::from(u16::from_le_bytes(bytes)), words[1] & 0xffff);
}

/// Lanes of a latch need not lie at multiples of 32 bits.
#[test]
fn a_wires_words_are_what_drives_it() {
    let alu = ArrayId::data(Kind::Alu, 0);
    let mut quirks = Quirks::default();
    let how = "syndrome(5=1,seed=1)".parse().unwrap();
    // All 34 bits of lanes 3 and 4.
    (3 * 34..5 * 34).for_each(|bit| quirks.begin(Quirk { array: alu, bit, how }));
    for now in 0..200 {
        let mut lane = [0u32];
        quirks.act(&Use::new(alu, 3 * 34, now), &mut Words(&mut lane), &|_| true);
        assert_eq!(lane[0].count_ones(), 5);
        let mut none = [0u32];
        quirks.act(&Use::new(alu, 2 * 34, now), &mut Words(&mut none), &|_| true);
        assert_eq!(none[0], 0);
    }
    let invert = "invert".parse().unwrap();
    quirks.begin(Quirk { array: alu, bit: 102, how: invert });
    quirks.end(Quirk { array: alu, bit: 102, how });
    quirks.begin(Quirk { array: alu, bit: 133, how: invert });
    quirks.end(Quirk { array: alu, bit: 133, how });
    let mut lane = [0u32];
    quirks.act(&Use::new(alu, 102, 0), &mut Words(&mut lane), &|_| true);
    assert_eq!((lane[0] & 1, lane[0] >> 31), (1, 1));
    assert_eq!(lane[0].count_ones(), 2 + 5);
}

#[test]
fn what_is_not_used_is_left_alone() {
    let quirks = quirks(0..64, "invert");
    let mut words = [0u32; 2];
    quirks.act(&Use::new(ARRAY, 0, 0), &mut Words(&mut words), &|bit| bit / 32 == 1);
    assert_eq!(words, [0, !0]);
    let mut other = [0u32];
    let elsewhere = Use::new(ArrayId::data(Kind::Rf, 2), 0, 0);
    quirks.act(&elsewhere, &mut Words(&mut other), &|_| true);
    assert_eq!(other, [0]);
}

fn any_how() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "invert",
        "stuck1(rate=0.5,seed=3)",
        "stuck0(rate=0.3,seed=1)",
        "invert(rate=0.5,seed=4)",
        "syndrome(units,seed=2)",
        "syndrome(pipeline,rate=0.5,seed=2)",
    ])
}

proptest! {
    /// Words or bytes, in one piece or two: the same bits come out, and none but
    /// broken ones are others.
    #[test]
    fn all_ways_of_use_agree(
        bits in prop::collection::btree_set(0u64..160, 0..60),
        how in any_how(),
        words in prop::collection::vec(any::<u32>(), 4..5),
        cut in 1usize..4,
        now in 0u64..50,
    ) {
        let quirks = quirks(bits.iter().copied(), how);
        let all = used(&quirks, 0, now, &words);
        let mut parts = used(&quirks, 0, now, &words[..cut]);
        parts.extend(used(&quirks, cut as u64 * 32, now, &words[cut..]));
        prop_assert_eq!(&parts, &all);
        let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        quirks.act(&Use::new(ARRAY, 0, now), &mut Bytes(&mut bytes), &|_| true);
        let same: Vec<u8> = all.iter().flat_map(|w| w.to_le_bytes()).collect();
        prop_assert_eq!(bytes, same);
        for bit in 0..128u64 {
            let i = (bit / 32) as usize;
            let changed = (all[i] ^ words[i]) >> (bit % 32) & 1 == 1;
            prop_assert!(!changed || bits.contains(&bit), "bit {}", bit);
            let quirk = Quirk { array: ARRAY, bit, how: how.parse().unwrap() };
            prop_assert!(!changed || quirk.may_act(now));
        }
    }

    /// What ends is as if it had never been, and nothing of it stays behind.
    #[test]
    fn beginnings_and_ends_are_a_set(
        bits in prop::collection::vec((0u64..100, any_how()), 0..40),
        gone in prop::collection::vec((0u64..100, any_how()), 0..40),
    ) {
        let of = |(bit, how): &(u64, &str)| Quirk { array: ARRAY, bit: *bit, how: how.parse().unwrap() };
        let mut all = Quirks::default();
        bits.iter().for_each(|b| all.begin(of(b)));
        gone.iter().for_each(|b| all.end(of(b)));
        let mut left = Quirks::default();
        bits.iter().filter(|b| !gone.contains(b)).for_each(|b| left.begin(of(b)));
        prop_assert_eq!(all.is_empty(), left.is_empty());
        prop_assert_eq!(all.has(ARRAY), !left.is_empty());
        let count = |q: &Quirks| -> u32 {
            q.arrays.iter().flat_map(|b| b.words.values().flatten()).map(|g| g.bits.count_ones()).sum()
        };
        prop_assert_eq!(count(&all), count(&left));
    }
}
