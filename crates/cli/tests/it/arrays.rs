//! `upset chips show NAME --arrays` beside the registry it speaks of.

use serde_json::Value;
use upset_chip::ChipSpec;
use upset_device::Machine;
use upset_state::{Kind, Part, Registry, Site};

use crate::{code, stderr, stdout, upset};

#[test]
fn the_inventory_of_a_chip() {
    let o = upset(&["chips", "show", "rtx2060", "--arrays"]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    insta::assert_snapshot!(stdout(&o));
}

#[test]
fn what_is_printed_is_what_the_machine_has() {
    for preset in ["rtx2060", "gv100", "titan"] {
        let chip = ChipSpec::preset(preset).expect("a preset");
        let registry = Registry::of(&mut Machine::new(&chip).expect("SMs"));
        let o = upset(&["chips", "show", preset, "--arrays", "--json"]);
        assert_eq!(code(&o), 0, "{}", stderr(&o));
        let v: Value = serde_json::from_str(&stdout(&o)).expect("JSON");
        let (mut bits, mut wires) = (0, 0);
        for row in v["arrays"].as_array().expect("a list") {
            let structure = row["structure"].as_str().expect("a name");
            let (kind, state) = match structure.strip_suffix(".state") {
                Some(kind) => (kind, true),
                None => (structure, false),
            };
            let arrays: Vec<_> = registry
                .arrays
                .iter()
                .filter(|l| l.kind == kind && (l.id.part == Part::State) == state)
                .collect();
            assert!(!arrays.is_empty(), "{structure}");
            let sum: u64 = arrays.iter().map(|l| l.bits()).sum();
            assert_eq!(row["bits"].as_u64(), Some(sum), "{structure}");
            for end in ["first_bit", "last_bit"] {
                let name = row[end].as_str().expect("a name");
                assert!(Site::parse(name, &registry).is_ok(), "{name}");
            }
            let is_wire = arrays[0].id.kind.about().wire;
            assert_eq!(row["wire"].as_bool(), Some(is_wire), "{structure}");
            *if is_wire { &mut wires } else { &mut bits } += sum;
        }
        // Wires hold nothing.
        assert_eq!(v["bits"].as_u64(), Some(bits));
        let all: u64 = registry.arrays.iter().map(|l| l.bits()).sum();
        assert_eq!(all, bits + wires, "{preset}: an array is not listed");
        assert!(wires > 0);
        assert_eq!(v["papers_bits"].as_u64(), Some(chip.total_bits()));
    }
    // The two that exist once they are used.
    assert_eq!((Kind::Gmem.name(), Kind::Lmem.name()), (Some("gmem"), Some("lmem")));
}
