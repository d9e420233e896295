use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::{Model, When, toy};
use upset_state::Site;

const KEY: Key = Key { seed: 2024, stream: 7 };

fn space(name: &str) -> Space {
    Space::of(&toy::registry(), &name.parse().unwrap(), None).unwrap()
}

fn recipe(bits: u32, spread: &str, copies: u32) -> Recipe {
    Recipe { bits, spread: spread.parse().unwrap(), copies, ..Recipe::default() }
}

fn sites(space: &Space, recipe: &Recipe, number: u64) -> Vec<Site> {
    let spaces = std::slice::from_ref(space);
    let window = Window::from(0..10);
    draw_physical(spaces, &window, recipe, KEY, number).unwrap().sites().collect()
}

/// How often each result comes in `draws` experiments.
fn tally<T: Ord>(draws: u64, f: impl Fn(u64) -> T) -> BTreeMap<T, u64> {
    let mut counts = BTreeMap::new();
    for number in 0..draws {
        *counts.entry(f(number)).or_insert(0) += 1;
    }
    counts
}

/// Pearson's statistic must be within six deviations of what even counts give.
#[track_caller]
fn even<T: Ord>(counts: &BTreeMap<T, u64>, cells: usize) {
    assert_eq!(counts.len(), cells, "not every place was reached");
    let draws: u64 = counts.values().sum();
    let expected = draws as f64 / cells as f64;
    let chi2: f64 = counts.values().map(|&c| (c as f64 - expected).powi(2) / expected).sum();
    let free = cells as f64 - 1.0;
    let bound = 6.0 * (2.0 * free).sqrt();
    assert!((chi2 - free).abs() < bound, "chi2 {chi2} with {free} degrees of freedom");
}

#[test]
fn single_bits_are_even_over_bits_and_cycles() {
    let space = [space("l1d")];
    let window = Window::new(vec![10..13, 20..22]);
    let counts = tally(60_000, |number| {
        let e = draw_physical(&space, &window, &Recipe::default(), KEY, number).unwrap();
        assert!(e.is_transient());
        (e.first_cycle(), e.sites().next())
    });
    assert!(counts.keys().all(|(cycle, _)| window.contains(*cycle)));
    even(&counts, 5 * 2 * 4 * (16 + 5 + 2));
}

#[test]
fn bits_of_an_entry_are_even_and_stay_in_it() {
    let space = space("rf.data");
    let counts = tally(60_000, |number| sites(&space, &recipe(2, "entry", 1), number));
    for pair in counts.keys() {
        assert_eq!(pair[0].array, pair[1].array);
        assert_eq!(pair[0].bit / 8, pair[1].bit / 8);
    }
    even(&counts, 4 * 16 * (8 * 7 / 2));
}

#[test]
fn every_bit_is_as_likely_in_an_entry_of_any_size() {
    // Entries of 12, 5 and 2 bits.
    let space = space("l2");
    let hits = tally(40_000, |number| {
        let pair = sites(&space, &recipe(2, "entry", 1), number);
        pair[(number % 2) as usize]
    });
    even(&hits, 2 * 6 * 19);
    // Three bits fit into data and tags only.
    let parts =
        tally(4_000, |n| sites(&space, &recipe(3, "entry", 1), n)[0].array.part.to_string());
    assert_eq!(parts.into_keys().collect::<Vec<_>>(), ["data", "tag"]);
}

#[test]
fn memory_has_entries_of_four_bytes() {
    let space = space("smem");
    let words = tally(4_000, |number| {
        let bits = sites(&space, &recipe(3, "entry", 1), number);
        let words: BTreeSet<u64> = bits.iter().map(|s| s.bit / 32).collect();
        assert_eq!(words.len(), 1);
        words.into_iter().next()
    });
    // The last word has two bytes and is hit half as often.
    let share = words[&Some(2)] as f64 / 4_000.0;
    assert!((share - 0.2).abs() < 0.03, "{share}");
}

#[test]
fn adjacent_bits_are_even_over_all_placements() {
    let space = space("l2");
    let counts = tally(40_000, |number| {
        let bits = sites(&space, &recipe(3, "adjacent", 1), number);
        assert!(bits.windows(2).all(|w| w[0].bit + 1 == w[1].bit && w[0].array == w[1].array));
        bits[0]
    });
    even(&counts, 2 * 6 * (10 + 3));
}

#[test]
fn clusters_are_even_over_all_placements() {
    let space = space("rf");
    for bits in [1, 6] {
        let counts = tally(40_000, |number| sites(&space, &recipe(bits, "2x3", 1), number));
        for cluster in counts.keys() {
            let first = cluster[0].bit;
            // Rows of a register file are 4 lanes of 8 bits apart.
            let right = [0, 1, 2, 32, 33, 34].map(|step| first + step);
            assert_eq!(cluster.iter().map(|s| s.bit).collect::<Vec<_>>(), right);
        }
        even(&counts, 4 * (3 * 4 * 6));
    }
    // Sets lie above one another, with two ways side by side.
    let tags = Space::of(&toy::registry(), &"l2.tag".parse().unwrap(), None).unwrap();
    let counts = tally(20_000, |number| sites(&tags, &recipe(1, "3x4", 1), number));
    even(&counts, 2 * (2 * 2));
}

#[test]
fn bits_of_an_array_and_of_the_structure() {
    let space = space("l1d");
    let array = tally(160_000, |number| sites(&space, &recipe(2, "array", 1), number));
    let one = 4 * 23;
    assert!(array.keys().all(|pair| pair[0].array.instance == pair[1].array.instance));
    assert!(array.keys().any(|pair| pair[0].array.part != pair[1].array.part));
    even(&array, 2 * (one * (one - 1) / 2));
    let tags = Space::of(&toy::registry(), &"l1d.tag".parse().unwrap(), None).unwrap();
    let all = tally(60_000, |number| sites(&tags, &recipe(2, "structure", 1), number));
    even(&all, 40 * 39 / 2);
}

#[test]
fn the_same_mask_in_several_entries() {
    let space = space("mask");
    let counts = tally(40_000, |number| sites(&space, &recipe(2, "entries:2", 1), number));
    for bits in counts.keys() {
        assert_eq!(bits[0].bit % 4, bits[2].bit % 4);
        assert_eq!(bits[1].bit % 4, bits[3].bit % 4);
        assert_ne!(bits[0].bit / 4, bits[2].bit / 4);
    }
    even(&counts, 2 * (6 * 5 / 2) * (4 * 3 / 2));
}

#[test]
fn columns_are_even_and_have_a_bit_of_every_row() {
    // Of three warps, and of ways and sets of lines of several sizes.
    let registry = toy::registry();
    for (name, columns, rows) in [("mask", 2 * 8, 3), ("rf", 4 * 32, 4), ("l2", 2 * 2 * 19, 3)] {
        let space = space(name);
        let counts = tally(40_000, |number| sites(&space, &recipe(1, "column", 1), number));
        even(&counts, columns);
        assert!(counts.keys().all(|bits| bits.len() == rows), "{name}");
    }
    let window = Window::from(0..10);
    let draw = |name: &str, copies| {
        let recipe = Recipe { model: "stuck0".parse().unwrap(), ..recipe(1, "column", copies) };
        draw_physical(&[space(name)], &window, &recipe, KEY, 3).unwrap().name(&registry)
    };
    assert!(draw("mask", 1).contains(".warp*."), "{}", draw("mask", 1));
    assert!(draw("rf", 1).contains(".row*."), "{}", draw("rf", 1));
    assert_eq!(draw("mask", 2).matches(".warp*.").count(), 2);
}

#[test]
fn copies_are_in_distinct_instances_at_the_same_places() {
    let space = space("rf");
    let counts = tally(20_000, |number| {
        let all = sites(&space, &recipe(2, "adjacent", 3), number);
        let instances: BTreeSet<u32> = all.iter().map(|s| s.array.instance).collect();
        assert_eq!((all.len(), instances.len()), (6, 3));
        let places: BTreeSet<u64> = all.iter().map(|s| s.bit).collect();
        assert_eq!(places.len(), 2);
        instances
    });
    even(&counts, 4);
}

#[test]
fn several_structures_are_hit_at_once() {
    let spaces = [space("rf"), space("l2.tag")];
    let window = Window::from(0..1000);
    let e = draw_physical(&spaces, &window, &recipe(2, "entry", 1), KEY, 5).unwrap();
    assert_eq!(e.faults.len(), 2);
    assert_eq!(e.faults[0].when, e.faults[1].when);
    assert_eq!(e.sites().count(), 4);
}

#[test]
fn models_are_applied() {
    let spaces = [space("rf")];
    let window = Window::from(0..1000);
    let recipe = Recipe { model: "stuck:50".parse().unwrap(), ..Recipe::default() };
    let values = tally(1000, |number| {
        let e = draw_physical(&spaces, &window, &recipe, KEY, number).unwrap();
        let When::Span { from, to } = e.faults[0].when else { panic!("{e:?}") };
        assert_eq!(to - from, 50);
        e.faults[0].model == Model::Stuck(true)
    });
    even(&values, 2);
}

#[test]
fn what_cannot_be_drawn_is_explained() {
    let window = Window::from(0..10);
    let say = |spaces: &[Space], recipe: Recipe| {
        draw_physical(spaces, &window, &recipe, KEY, 0).unwrap_err().to_string()
    };
    let rf = || vec![space("rf")];
    let all = [
        say(&[], recipe(1, "entry", 1)),
        say(&rf(), recipe(0, "entry", 1)),
        say(&rf(), recipe(9, "entry", 1)),
        say(&rf(), recipe(9, "adjacent", 1)),
        say(&rf(), recipe(1, "5x1", 1)),
        say(&rf(), recipe(4, "2x3", 1)),
        say(&rf(), recipe(129, "array", 1)),
        say(&rf(), recipe(9999, "structure", 1)),
        say(&rf(), recipe(2, "structure", 2)),
        say(&rf(), recipe(2, "entries:17", 1)),
        say(&rf(), recipe(2, "entry", 5)),
        say(&rf(), recipe(2, "column", 1)),
        say(&rf(), Recipe { model: "invert:if=a=1".parse().unwrap(), ..recipe(1, "entry", 1) }),
        say(&[space("mask")], Recipe { model: "invert".parse().unwrap(), ..recipe(1, "entry", 1) }),
        say(&rf(), recipe(u32::MAX, "structure", 1)),
        say(&[space("l2"), space("l2.tag")], recipe(1, "entry", 1)),
        draw_physical(&rf(), &Window::new(vec![]), &recipe(1, "entry", 1), KEY, 0)
            .unwrap_err()
            .to_string(),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

/// A change of these means that every campaign changes: say so in the changelog.
#[test]
fn known_draws() {
    let registry = toy::registry();
    let window = Window::new(vec![100..5_000, 10_000..20_000]);
    let recipes = [
        ("rf", recipe(1, "entry", 1), "flip"),
        ("l2", recipe(3, "entry", 1), "flip"),
        ("smem", recipe(3, "adjacent", 1), "stuck1:500"),
        ("rf", recipe(1, "2x3", 1), "stuck"),
        ("l1d", recipe(3, "array", 2), "flip"),
        ("l2.tag", recipe(2, "structure", 1), "burst:10/90:5000"),
        ("mask", recipe(1, "entries:2", 1), "flip"),
        ("rf", recipe(1, "entry", 1), "invert:500"),
        ("smem", recipe(2, "adjacent", 1), "stuck:rate=0.01"),
        ("rf", recipe(8, "entry", 1), "syndrome:units"),
        ("mask", recipe(1, "column", 1), "stuck0"),
    ];
    let mut all = Vec::new();
    for (name, recipe, model) in recipes {
        let recipe = Recipe { model: model.parse().unwrap(), ..recipe };
        let key = Key::new(1, name);
        for number in 0..2 {
            let e = draw_physical(&[space(name)], &window, &recipe, key, number).unwrap();
            all.push(e.name(&registry));
        }
    }
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn what_is_drawn_can_be_named() {
    let registry = toy::machine(140);
    let names = crate::Names::new(&registry);
    let window = Window::new((0..500).map(|i| i * 100..i * 100 + 50).collect());
    for (name, recipe) in [
        ("rf", recipe(1, "2x3", 4)),
        ("l1d", recipe(3, "array", 1)),
        ("smem", recipe(4, "structure", 1)),
        ("mask", recipe(2, "entries:3", 2)),
        ("rf", Recipe { model: "stuck:rate=0.01".parse().unwrap(), ..recipe(1, "entry", 1) }),
        ("smem", Recipe { model: "syndrome:units:9".parse().unwrap(), ..recipe(4, "entry", 1) }),
    ] {
        let spaces = [Space::of(&registry, &name.parse().unwrap(), None).unwrap()];
        for number in 0..300 {
            let e = draw_physical(&spaces, &window, &recipe, KEY, number).unwrap();
            assert_eq!(e.sites().count() as u64, recipe.total_bits());
            assert_eq!(names.parse(&names.name(&e)), Ok(e));
        }
    }
}
