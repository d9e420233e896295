use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::LocalStay;
use upset_state::{Kind, Site};

const KEY: Key = Key { seed: 2024, stream: 7 };

fn warp(cycles: Range<u64>, rf: u32, first_row: u32, registers: u32, lanes: u64) -> WarpStay {
    WarpStay {
        cycles,
        launch: 0,
        cta: 0,
        warp: 0,
        lanes,
        width: 32,
        rf: ArrayId::data(Kind::Rf, rf),
        first_row,
        registers,
        local: None,
    }
}

fn cta(cycles: Range<u64>, sm: u32, first_byte: u64, bytes: u64) -> CtaStay {
    let array = ArrayId::data(Kind::Smem, sm);
    CtaStay { cycles, launch: 0, cta: 0, array, first_byte, bytes }
}

/// Two warps of different sizes that overlap for a while, and two CTAs.
fn residency() -> Residency {
    let local = LocalStay { array: ArrayId::data(Kind::Lmem, 0), first_byte: 512, bytes: 8 };
    Residency {
        warps: vec![
            warp(0..6, 0, 2, 3, 0b101),
            WarpStay { local: Some(local), ..warp(4..5, 1, 0, 2, 0b11) },
            warp(90..99, 1, 0, 2, 0b11),
        ],
        ctas: vec![cta(0..6, 0, 4, 6), cta(3..9, 1, 0, 16), cta(2..9, 0, 12, 8)],
    }
}

fn window() -> Window {
    Window::new(vec![1..3, 4..8])
}

fn index(structure: &str) -> ActiveIndex {
    ActiveIndex::new(&residency(), &structure.parse().unwrap(), &window()).unwrap()
}

/// Every live pair of cycle and site, by the definition.
fn live(structure: &str) -> BTreeSet<(u64, Site)> {
    let mut all = BTreeSet::new();
    let r = residency();
    for cycle in (0..100).filter(|c| window().contains(*c)) {
        for w in r.warps.iter().filter(|w| w.cycles.contains(&cycle)) {
            for lane in (0..32).filter(|l| w.lanes >> l & 1 == 1) {
                for bit in 0..32 {
                    for register in 0..w.registers {
                        let word = u64::from(w.first_row + register) * 32 + lane;
                        if structure == "rf" {
                            all.insert((cycle, Site { array: w.rf, bit: word * 32 + bit }));
                        }
                    }
                    for local in w.local.iter().filter(|_| structure == "lmem") {
                        for word in 0..u64::from(local.bytes / 4) {
                            let byte = local.first_byte + (word * 32 + lane) * 4;
                            let bit = byte * 8 + bit;
                            all.insert((cycle, Site { array: local.array, bit }));
                        }
                    }
                }
            }
        }
        for c in r.ctas.iter().filter(|c| c.cycles.contains(&cycle) && structure == "smem") {
            for bit in c.first_byte * 8..(c.first_byte + c.bytes) * 8 {
                all.insert((cycle, Site { array: c.array, bit }));
            }
        }
    }
    all
}

fn draw(index: &ActiveIndex, recipe: &ActiveRecipe, number: u64) -> (u64, Vec<Site>) {
    let e = draw_active(index, recipe, KEY, number).unwrap();
    (e.first_cycle(), e.sites().collect())
}

#[test]
fn every_live_bit_and_cycle_is_equally_likely() {
    for structure in ["rf", "lmem", "smem"] {
        let right = live(structure);
        let index = index(structure);
        assert_eq!(index.area(), right.len() as u128, "{structure}");
        let structure = structure.parse().unwrap();
        assert_eq!(active_area(&residency(), &structure, &window()).unwrap(), index.area());
        let draws = right.len() as u64 * 60;
        let mut counts: BTreeMap<(u64, Site), u64> = BTreeMap::new();
        for number in 0..draws {
            let (cycle, sites) = draw(&index, &ActiveRecipe::default(), number);
            *counts.entry((cycle, sites[0])).or_default() += 1;
        }
        assert!(counts.keys().eq(right.iter()), "{structure}");
        let chi2: f64 = counts.values().map(|&c| (c as f64 - 60.0).powi(2) / 60.0).sum();
        let free = right.len() as f64 - 1.0;
        assert!((chi2 - free).abs() < 6.0 * (2.0 * free).sqrt(), "{structure} {chi2} {free}");
    }
}

#[test]
fn the_rate_times_the_live_share_is_the_avf() {
    // Suppose that faults in array 1 fail and others don't: the AVF is the
    // number of such pairs over all pairs, live or not.
    let index = index("rf");
    let structure_bits = 2 * 8 * 1024;
    let failing = live("rf").iter().filter(|(_, s)| s.array.instance == 1).count();
    let truth = failing as f64 / (structure_bits * window().cycles()) as f64;
    let runs = 20_000;
    let failures = (0..runs)
        .filter(|&n| draw(&index, &ActiveRecipe::default(), n).1[0].array.instance == 1)
        .count();
    let estimate = failures as f64 / runs as f64 * index.derating(structure_bits);
    assert!((estimate / truth - 1.0).abs() < 0.06, "{estimate} {truth}");
}

#[test]
fn all_threads_of_a_warp_get_the_mask() {
    let index = index("rf");
    let recipe = ActiveRecipe { bits: 3, registers: 2, scope: Scope::Warp, ..Default::default() };
    for number in 0..500 {
        let (_, sites) = draw(&index, &recipe, number);
        assert_eq!(sites.len(), 2 * 2 * 3);
        let lanes: BTreeSet<u64> = sites.iter().map(|s| s.bit / 32 % 32).collect();
        let bits: BTreeSet<u64> = sites.iter().map(|s| s.bit % 32).collect();
        let rows: BTreeSet<u64> = sites.iter().map(|s| s.bit / 1024).collect();
        let whole = if sites[0].array.instance == 0 { [0, 2] } else { [0, 1] };
        assert!(lanes.iter().eq(&whole), "{lanes:?}");
        assert_eq!((bits.len(), rows.len()), (3, 2));
    }
    // Three registers fit into the first warp only.
    let recipe = ActiveRecipe { registers: 3, ..ActiveRecipe::default() };
    for number in 0..100 {
        let (_, sites) = draw(&index, &recipe, number);
        let rows: Vec<u64> = sites.iter().map(|s| s.bit / 1024).collect();
        assert_eq!((sites[0].array.instance, rows), (0, vec![2, 3, 4]));
    }
}

#[test]
fn live_ctas_get_the_same_offsets() {
    let index = index("smem");
    let recipe = ActiveRecipe { ctas: 2, bits: 2, ..ActiveRecipe::default() };
    let residency = residency();
    let mut counts = BTreeMap::new();
    for number in 0..2000 {
        let (cycle, sites) = draw(&index, &recipe, number);
        let mut offsets: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
        for site in sites {
            let owns = |c: &CtaStay| {
                let first = c.first_byte * 8;
                c.array == site.array && (first..first + c.bytes * 8).contains(&site.bit)
            };
            let owner = residency.ctas.iter().position(owns).unwrap();
            assert!(residency.ctas[owner].cycles.contains(&cycle));
            let offset = site.bit - residency.ctas[owner].first_byte * 8;
            offsets.entry(owner).or_default().push(offset);
        }
        let distinct: BTreeSet<&Vec<u64>> = offsets.values().collect();
        assert_eq!(distinct.len(), 1);
        *counts.entry((cycle, offsets.len())).or_insert(0) += 1;
    }
    // At cycle 1 only one CTA lives; later there are others.
    assert!(counts.contains_key(&(1, 1)) && !counts.contains_key(&(1, 2)));
    assert!(counts.contains_key(&(4, 2)));
}

#[test]
fn what_cannot_be_drawn_is_explained() {
    let say = |structure: &str, recipe: ActiveRecipe| {
        draw_active(&index(structure), &recipe, KEY, 0).unwrap_err().to_string()
    };
    let plain = ActiveRecipe::default;
    let nobody = ActiveIndex::new(&residency(), &"rf".parse().unwrap(), &Window::from(50..60));
    let all = [
        ActiveIndex::new(&residency(), &"l2".parse().unwrap(), &window()).unwrap_err().to_string(),
        draw_active(&nobody.unwrap(), &plain(), KEY, 0).unwrap_err().to_string(),
        say("rf", ActiveRecipe { bits: 0, ..plain() }),
        say("rf", ActiveRecipe { bits: 33, ..plain() }),
        say("rf", ActiveRecipe { registers: 4, ..plain() }),
        say("rf", ActiveRecipe { ctas: 2, ..plain() }),
        say("smem", ActiveRecipe { registers: 5, ..plain() }),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

/// A change of these means that every campaign changes: say so in the changelog.
#[test]
fn known_draws() {
    let all: Vec<String> = ["rf", "lmem", "smem"]
        .iter()
        .flat_map(|structure| {
            (0..3).map(move |number| {
                let key = Key::new(1, structure);
                let recipe = ActiveRecipe { bits: 2, ..ActiveRecipe::default() };
                let e = draw_active(&index(structure), &recipe, key, number).unwrap();
                let bits: Vec<u64> = e.sites().map(|s| s.bit).collect();
                format!("{structure}#{} {bits:?}@{}", e.faults[0].array.instance, e.first_cycle())
            })
        })
        .collect();
    insta::assert_snapshot!(all.join("\n"));
}
