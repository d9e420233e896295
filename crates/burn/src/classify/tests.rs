use super::*;
use crate::random::Random;
use crate::{MemoryPlace, Place};

/// SMs 0 to 7, two a TPC, in an order that is not that of their numbers.
fn probed() -> Tpcs {
    Some(vec![vec![0, 3], vec![6, 7], vec![1, 2], vec![4, 5]])
}

fn lane(sm: u32, sub: u32, lane: u32) -> Place {
    Place::lane(sm, sub, 4, lane)
}

/// A word of an SM's own array.
fn cell(sm: u32, sub: u32, reader: u32, array: &str, address: u64) -> Place {
    Place { address: Some(address), pipe: Some(array.to_string()), ..lane(sm, sub, reader) }
}

fn of(places: &[Place]) -> Verdict {
    let mut tally = Tally::default();
    places.iter().for_each(|p| tally.add(p, 4, None));
    let verdict = classify(&tally, &probed()).expect("errors");
    assert_eq!((verdict.errors, verdict.bits), (places.len() as u64, 4));
    verdict
}

#[test]
fn no_errors_have_no_class() {
    assert_eq!(classify(&Tally::default(), &probed()), None);
}

#[test]
fn small_sets_are_classified_as_written() {
    let only_sm = |sm| Place { sm: Some(sm), ..Place::default() };
    let memory = Place::address;
    let half: Vec<Place> = (16..32).map(|l| lane(1, 2, l)).collect();
    let rows: Vec<(&str, Vec<Place>, Class)> = vec![
        ("a lane", vec![lane(1, 2, 5)], Class::Lane),
        ("a physical lane of 16", vec![lane(1, 2, 5), lane(1, 2, 21)], Class::Lane),
        ("not a period", vec![lane(1, 2, 5), lane(1, 2, 20)], Class::SubCore),
        ("a shared unit's lane", vec![lane(1, 0, 5), lane(1, 3, 5)], Class::Lane),
        ("a half-warp", half, Class::HalfWarp),
        ("lanes of two sub-cores", vec![lane(1, 0, 5), lane(1, 1, 7)], Class::Sm),
        ("an SM", vec![only_sm(3)], Class::Sm),
        ("a lane and its SM", vec![lane(3, 0, 0), only_sm(3)], Class::Sm),
        ("a TPC as probed", vec![lane(0, 0, 0), lane(3, 1, 1)], Class::Tpc),
        ("neighbours that are none", vec![lane(2, 0, 0), lane(3, 1, 1)], Class::Scattered),
        ("three SMs", vec![only_sm(0), only_sm(3), only_sm(4)], Class::Scattered),
        ("a word", vec![memory(0x1000), memory(0x101c)], Class::Word),
        ("two words", vec![memory(0x1000), memory(0x1020)], Class::Scattered),
        ("nowhere", vec![Place::default()], Class::Scattered),
        ("an SM and nowhere", vec![only_sm(3), Place::default()], Class::Scattered),
        // Storage of an SM is the SM's, whatever its addresses.
        ("a shared word", vec![cell(1, 0, 5, "bank 5", 0x14)], Class::Sm),
        ("a line of L1", (0..32).map(|l| cell(1, 2, l, "l1d", 4 * l as u64)).collect(), Class::Sm),
        ("shared and a lane", vec![cell(1, 0, 5, "bank 5", 0x14), lane(1, 3, 9)], Class::Sm),
        ("L1s of a TPC", vec![cell(6, 0, 1, "l1d", 4), cell(7, 0, 1, "l1d", 4)], Class::Tpc),
        // A lane that stores wrongly spoils memory.
        ("a lane and memory", vec![lane(1, 2, 5), memory(0x9000)], Class::Lane),
        ("two SMs and memory", vec![lane(0, 0, 0), lane(3, 1, 1), memory(4)], Class::Scattered),
    ];
    for (what, places, class) in rows {
        let verdict = of(&places);
        assert_eq!(verdict.class, class, "{what}: {}", verdict.evidence);
    }
}

#[test]
fn a_tpc_is_never_assumed() {
    let mut tally = Tally::default();
    [6, 7].iter().for_each(|sm| tally.add(&lane(*sm, 0, 0), 1, None));
    let verdict = classify(&tally, &None).expect("errors");
    assert_eq!((verdict.class, &verdict.sms[..]), (Class::Scattered, &[6, 7][..]));
    assert!(verdict.evidence.contains("not known"), "{}", verdict.evidence);
}

#[test]
fn storage_names_its_array_and_a_lane_that_reads_everywhere_is_a_lane() {
    let one = of(&[cell(1, 2, 5, "l1d", 0x1014), cell(1, 2, 5, "l1d", 0x2014)]);
    assert_eq!((one.class, one.pipe.as_deref()), (Class::Sm, Some("l1d")));
    assert_eq!(one.addresses, [0x1014, 0x2014]);
    let everywhere: Vec<Place> =
        (0..64).map(|line| cell(1, 2, 5, "l1d", line * 128 + 20)).collect();
    let lane = of(&everywhere);
    assert_eq!((lane.class, &lane.lanes[..]), (Class::Lane, &[5][..]), "{}", lane.evidence);
    // A bank that readers of all sub-cores see wrong is the SM's.
    let bank: Vec<Place> =
        (0..64).map(|row| cell(1, row as u32 % 4, 5, "bank 5", row * 128 + 20)).collect();
    assert_eq!(of(&bank).class, Class::Sm);
}

/// Random errors of one part of the chip, by the lanes they may hit.
fn random_part(random: &mut Random, part: Class) -> (Vec<Place>, u32) {
    let (sm, sub) = (random.below(8), random.below(4));
    let groups = probed().unwrap_or_default();
    let places = (0..200)
        .map(|i| match part {
            Class::Lane => lane(sm, sub, (sm + 16 * (i % 2)) % 32),
            Class::HalfWarp => lane(sm, sub, 16 * (sm % 2) + random.below(16)),
            Class::SubCore => lane(sm, sub, random.below(32)),
            Class::Sm => lane(sm, random.below(4), random.below(32)),
            Class::Tpc => {
                let group = groups.iter().find(|g| g.contains(&sm)).cloned().unwrap_or_default();
                lane(random.pick(&group), random.below(4), random.below(32))
            }
            _ => lane(random.below(8), random.below(4), random.below(32)),
        })
        .collect();
    (places, sm)
}

#[test]
fn random_errors_of_one_part_are_classified_as_that_part() {
    let mut random = Random::new(1, "classes");
    let parts =
        [Class::Lane, Class::HalfWarp, Class::SubCore, Class::Sm, Class::Tpc, Class::Scattered];
    for part in parts {
        for _ in 0..100 {
            let (places, sm) = random_part(&mut random, part);
            let verdict = of(&places);
            assert_eq!(verdict.class, part, "{}", verdict.evidence);
            assert!(verdict.sms.contains(&sm));
        }
    }
}

/// Rules by which chips deal addresses out: channels, and the channel of an address.
type Deal = (u64, fn(u64) -> u64);
const DEALS: [Deal; 4] = [
    // In turn, 12 channels of 512 bytes, 80 of 4 KB.
    (12, |a| a >> 9),
    (80, |a| a >> 12),
    // By parities: bits XORed from far apart.
    (16, |a| a >> 9 ^ a >> 13 ^ a >> 17),
    (32, |a| a >> 10 ^ a >> 16 ^ a >> 21),
];

fn random_address(random: &mut Random) -> u64 {
    0x7_0000_0000 + u64::from(random.below(1 << 26) & !3)
}

/// So many random addresses of one channel.
fn of_channel(random: &mut Random, (channels, deal): Deal, count: usize) -> Vec<u64> {
    let channel = u64::from(random.below(channels as u32));
    std::iter::repeat_with(|| random_address(random))
        .filter(|a| deal(*a) % channels == channel)
        .take(count)
        .collect()
}

#[test]
fn random_errors_of_one_channel_are_told_without_its_map() {
    let mut random = Random::new(1, "channels");
    for deal in DEALS {
        for _ in 0..50 {
            let mut tally = Tally::default();
            for address in of_channel(&mut random, deal, 60) {
                tally.add(&Place::address(address), random.bits() | 1, None);
            }
            let verdict = classify(&tally, &None).expect("errors");
            assert_eq!(verdict.class, Class::Channel, "{}: {}", deal.0, verdict.evidence);
            assert!(verdict.luck.is_some_and(|luck| luck < 1e-3));
        }
    }
}

/// How often unrelated errors look like those of a channel.
#[test]
fn random_errors_everywhere_are_scattered() {
    let mut random = Random::new(1, "scattered");
    for errors in [2, 3, 5, 10, 20, 40, 60, 100, 5000] {
        for _ in 0..if errors > 100 { 5 } else { 200 } {
            let mut tally = Tally::default();
            for _ in 0..errors {
                let address = random_address(&mut random);
                tally.add(&Place::address(address), random.bits() & 0xffff_ffff | 3, None);
            }
            let verdict = classify(&tally, &None).expect("errors");
            assert_eq!(verdict.class, Class::Scattered, "{errors}: {}", verdict.evidence);
        }
    }
}

#[test]
fn a_data_line_shows_by_its_bit() {
    let mut random = Random::new(1, "line");
    let mut tally = Tally::default();
    for _ in 0..30 {
        tally.add(&Place::address(random_address(&mut random)), 1 << 13, None);
    }
    let verdict = classify(&tally, &None).expect("errors");
    assert_eq!(verdict.class, Class::Channel);
    assert!(verdict.evidence.contains("bit 13"), "{}", verdict.evidence);
}

#[test]
fn a_stated_map_decides() {
    let mut random = Random::new(1, "stated");
    let map = |a: u64| MemoryPlace {
        channel: (a >> 9) as u32 % 12,
        slice: (a >> 8) as u32 % 24,
        channels: 12,
        slices: 24,
    };
    let told = |addresses: &[u64]| {
        let mut tally = Tally::default();
        addresses.iter().for_each(|a| tally.add(&Place::address(*a), 1 << 13, Some(map(*a))));
        classify(&tally, &None).expect("errors")
    };
    // Few are enough here, and a common bit does not fool it.
    let few = told(&of_channel(&mut random, DEALS[0], 5));
    assert_eq!(few.class, Class::Channel, "{}", few.evidence);
    let slice: Vec<u64> = (0..5).map(|i| 0x7_0000_0000 + i * 24 * 256 * 1024).collect();
    assert!(told(&slice).evidence.contains("slice"), "{}", told(&slice).evidence);
    let everywhere: Vec<u64> = (0..30).map(|_| random_address(&mut random)).collect();
    assert_eq!(told(&everywhere).class, Class::Scattered);
    // Two may be there by chance.
    assert_eq!(told(&of_channel(&mut random, DEALS[0], 2)).class, Class::Scattered);
}

/// Errors that come one by one, or in parts that are joined, are the same errors.
#[test]
fn joined_tallies_say_what_one_tally_says() {
    let mut random = Random::new(1, "joined");
    for deal in DEALS {
        let addresses = of_channel(&mut random, deal, 6000);
        let mut one = Tally::default();
        let mut parts = [Tally::default(), Tally::default(), Tally::default()];
        for (i, a) in addresses.iter().enumerate() {
            one.add(&Place::address(*a), 2, None);
            parts[i % 3].add(&Place::address(*a), 2, None);
        }
        let mut all = Tally::default();
        parts.iter().for_each(|p| all.join(p));
        let [mut joined, mut once] = [&all, &one].map(|t| classify(t, &None).expect("errors"));
        // Beyond the number that is kept it is chance which are.
        (joined.addresses, once.addresses) = (Vec::new(), Vec::new());
        let tail = |v: &Verdict| v.evidence.split("; ").last().map(str::to_string);
        assert_eq!(
            (joined.class, joined.errors, joined.bits),
            (once.class, once.errors, once.bits)
        );
        assert_eq!(tail(&joined), tail(&once));
    }
}
