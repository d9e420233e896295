use proptest::prelude::*;
use upset_state::{Registry, Site};

use super::*;
use crate::{When, toy};

/// The canonical form of a name.
fn again(name: &str) -> String {
    let registry = toy::registry();
    let experiment = Experiment::parse(name, &registry).unwrap_or_else(|e| panic!("{name}: {e}"));
    experiment.name(&registry)
}

#[test]
fn canonical_names_stay() {
    for name in [
        "rf:sm1.sub1.row3.lane2.bit7@10234",
        "rf:sm1.sub1.row3.lane*.bit3,7@0",
        "stuck1 rf:sm0.sub1.row1.lane2.bit5@1000..2000",
        "stuck0 smem:sm1.byte9.bit0@1000..",
        "burst1(10/90) l1d:sm0.set0.way3.tag.bit4@0..5000",
        "mask:sm0.warp2.active.bit3@7",
        "mask:sm0.warp0-2.live.bit0@7",
        "mask:sm0.warp0,2.*.bit0-2@7",
        "upred:sm1.warp2.up0.bit0@5",
        "l2:slice1.set*.way0.state.bit*@5",
        "lmem:byte3.bit1@5 + lmem:range1.byte3.bit1@5",
        "rf:sm0.sub0.row0.lane0.bit0@4 + smem:sm1.byte0.bit1@4 + rf:sm0.sub0.row0.lane0.bit0@5",
        // Not a product: two terms of one fault.
        "rf:sm0.sub0.row0,1.lane2.bit0-3@4 + rf:sm0.sub0.row2.lane0.bit0@4",
    ] {
        let text = again(name);
        let full = name.replace("warp0-2", "warp*");
        assert_eq!(text, full);
    }
}

#[test]
fn other_ways_to_write_the_same() {
    let one = "rf:sm0.sub0.row0.lane*.bit3,7@10";
    for name in [
        "flip rf:sm0.sub0.row0.lane0-3.bit7,3 @ 10",
        "rf:sm0.sub0.row0.lane2,3,0-1.bit3,7@10",
        "rf:sm0.sub0.row0.lane*.bit7@10+rf:sm0.sub0.row0.lane*.bit3@010",
        "  rf:sm0.sub0.row0.lane0-1.bit3,7@10  +  rf:sm0.sub0.row0.lane2-3.bit3,7@10 ",
    ] {
        assert_eq!(again(name), one);
    }
    for (name, canonical) in [
        (
            "invert( rate=1e-2 )  smem:sm0.byte1.bit0@9..",
            "invert(rate=0.01,seed=0) smem:sm0.byte1.bit0@9..",
        ),
        (
            "syndrome(zero=1/2=3, seed=4) rf:sm0.sub0.row0.lane1.bit0-7@1..2",
            "syndrome(2=3/zero=1,seed=4) rf:sm0.sub0.row0.lane1.bit*@1..2",
        ),
    ] {
        assert_eq!(again(name), canonical);
    }
    let late = "smem:sm0.byte1.bit0@9";
    assert_eq!(again(&format!("{late} + {one} + stuck1 {late}..12")), {
        format!("{late} + stuck1 {late}..12 + {one}")
    });
}

#[test]
fn every_single_site_has_the_name_that_sites_have() {
    let registry = toy::registry();
    let names = Names::new(&registry);
    for layout in &registry.arrays {
        for bit in 0..layout.bits() {
            let site = Site { array: layout.id, bit };
            let name = format!("{}@3", site.name(&registry).unwrap());
            let experiment = names.parse(&name).unwrap();
            assert_eq!(experiment.sites().collect::<Vec<_>>(), [site], "{name}");
            assert_eq!(names.name(&experiment), name);
        }
    }
}

#[test]
fn problems_say_where_and_what_to_do() {
    let registry = toy::registry();
    let say = |name: &str| format!("{name}\n  {}", Experiment::parse(name, &registry).unwrap_err());
    let all: Vec<String> = [
        "",
        "rf",
        "rf:sm0.sub0.row0.lane0.bit0",
        "rf:sm0.sub0.row0.lane0.bit0@",
        "rf:sm0.sub0.row0.lane0.bit0@x",
        "rf:sm0.sub0.row0.lane0.bit0@5..4x",
        "rf:sm0.sub0.row0.lane0.bit0@5..9",
        "stuck1 rf:sm0.sub0.row0.lane0.bit0@5",
        "stuck1 rf:sm0.sub0.row0.lane0.bit0@5..5",
        "stuck rf:sm0.sub0.row0.lane0.bit0@5..9",
        "burst1(1/0) rf:sm0.sub0.row0.lane0.bit0@5..9",
        "burst1(1/2) rf:sm0.sub0.row0.lane0.bit0@5..",
        "burst1(x) rf:sm0.sub0.row0.lane0.bit0@5..9",
        "invert rf:sm0.sub0.row0.lane0.bit0@5",
        "invert(rate=2) rf:sm0.sub0.row0.lane0.bit0@5..",
        "invert(rate=0.5 rf:sm0.sub0.row0.lane0.bit0@5..",
        "stuck1(if a=1) rf:sm0.sub0.row0.lane0.bit0@5..",
        "invert mask:sm0.warp0.live.bit1@5..",
        "stuck1(rate=0.5) mask:sm0.warp0.live.bit1@5..",
        "syndrome(uints) rf:sm0.sub0.row0.lane0.bit*@5..",
        "rg:sm0.sub0.row0.lane0.bit0@5",
        "rf:sm0.sub2.row0.lane0.bit0@5",
        "rf:sm0.sub0.row4.lane0.bit0@5",
        "rf:sm0.sub0.lane0.row0.bit0@5",
        "rf:sm0.sub0.row0.bit0@5",
        "rf:sm0.sub0.row0.lane0.bit0.x@5",
        "rf:sm0.sub0@5",
        "rf:sm0.sub0.row0.lane0.bit3,3@5",
        "rf:sm0.sub0.row0.lane0.bit3@5 + rf:sm0.sub0.row0.lane0.bit0-3@5",
        "rf:sm0.sub0.row0.lane0.bit3@5 + l2:slice1.set0.way0.tags.bit1@5",
        "mask:sm0.warp0.dead.bit1@5",
        "rf:sm0.sub0.row0.lane0.bit3@5 +",
        "rf:sm0.sub0.row0.lane0.bit3@99999999999999999999",
    ]
    .map(say)
    .to_vec();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn arrays_of_another_machine_are_still_readable() {
    let registry = toy::registry();
    let experiment = Experiment::parse("l1d:sm1.set0.way0.tag.bit1@5", &registry).unwrap();
    assert_eq!(experiment.name(&toy::machine(1)), "cache(0)#1.tag.bit1@5");
}

#[test]
fn hints_are_for_slips_only() {
    assert_eq!(hint("smme", ["smem", "lmem"]), " (did you mean `smem`?)");
    assert_eq!(hint("registers", ["smem", "lmem"]), "");
}

/// Any fault of the toy machine.
fn any_fault(registry: &Registry) -> impl Strategy<Value = Fault> + use<> {
    let arrays: Vec<_> = registry.arrays.iter().map(|l| (l.id, l.bits())).collect();
    let model = prop_oneof![
        Just(Model::Flip),
        any::<bool>().prop_map(Model::Stuck),
        (any::<bool>(), 1u64..5, 1u64..5).prop_map(|(value, on, off)| Model::Burst {
            value,
            on,
            off
        }),
        prop::sample::select(vec![
            "invert",
            "stuck1(rate=0.01,seed=7)",
            "stuck0(rate=0.01,seed=8)",
            "syndrome(units,seed=9)",
            "syndrome(1=3/zero=1,rate=0.5,seed=9)",
        ])
        .prop_map(|how| Model::Quirk(how.parse().unwrap())),
    ];
    let cycles = (0u64..50, 1u64..50, any::<bool>());
    let bits = prop::collection::vec(any::<prop::sample::Index>(), 1..12);
    (prop::sample::select(arrays), model, cycles, bits).prop_map(
        |((array, size), model, (from, length, good), bits)| {
            let when = match model {
                Model::Flip => When::At(from),
                Model::Stuck(_) | Model::Quirk(_) if good => When::From(from),
                _ => When::Span { from, to: from + length },
            };
            let mut bits: Vec<u64> = bits.iter().map(|i| i.index(size as usize) as u64).collect();
            bits.sort_unstable();
            bits.dedup();
            Fault { model, array, bits, when }
        },
    )
}

proptest! {
    #[test]
    fn names_print_and_parse(faults in prop::collection::vec(any_fault(&toy::registry()), 1..5)) {
        // Contradictory ones are refused when they are made.
        let Ok(experiment) = Experiment::new(faults) else { return Ok(()) };
        let registry = toy::registry();
        let name = experiment.name(&registry);
        let read = Experiment::parse(&name, &registry).unwrap();
        prop_assert_eq!(&read, &experiment, "{}", name);
        prop_assert_eq!(read.name(&registry), name);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[a-z0-9:.@+*,()= /-]{0,40}", cut in 0usize..110) {
        let registry = toy::registry();
        let _ = Experiment::parse(&text, &registry);
        let name = "syndrome(units,rate=0.5,seed=3) smem:sm0.byte1.bit*@5.. + burst1(10/90) l1d:sm0.set0.way3.tag.bit4@0..5000 + rf:sm0.sub0.row1.lane*.bit3,7@0";
        let piece: String = name.chars().take(cut).chain(text.chars()).collect();
        if let Ok(read) = Experiment::parse(&piece, &registry) {
            prop_assert_eq!(Experiment::parse(&read.name(&registry), &registry), Ok(read));
        }
    }
}
