//! Placing: relocations as nvlink applies them, addresses where code expects them.

use upset_sass::container::{
    Addresses, ContainerError, ErrorClass, Module, Placed, SymbolKind, SymbolPlace, cubin, reloc,
};

use super::{files, read, text};

const CODE: u64 = 0x7f12_3456_8000;
const GLOBALS: u64 = 0x7f98_7654_3200;

fn load(name: &str) -> Module {
    cubin::parse(&read(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Addresses for everything that a module leaves open.
fn complete(module: &Module) -> Addresses {
    let externs =
        module.symbols.iter().filter(|s| s.place == SymbolPlace::Undefined).map(|s| s.name.clone());
    let externs = externs.zip((0..).map(|i| 0x7fee_0000_0000 + i * 0x100)).collect();
    Addresses { code: CODE, globals: GLOBALS, externs, handles: module.number_references(1) }
}

fn place(name: &str) -> (Module, Placed) {
    let module = load(name);
    let placed = module.place(&complete(&module)).unwrap_or_else(|e| panic!("{name}: {e}"));
    (module, placed)
}

fn address(module: &Module, placed: &Placed, name: &str) -> u64 {
    let index = module.symbols.iter().position(|s| s.name == name).unwrap();
    placed.symbols[index].unwrap()
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

#[test]
fn fields_are_patched_as_nvlink_patches_them() {
    let mut checked = 0;
    for line in text("relocations.txt").lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [number, value, bank, addend, before, after] = words[..] else { panic!("{line}") };
        let hex = |s: &str| u128::from_str_radix(s.trim_start_matches("0x"), 16).unwrap();
        let kind = reloc::find(number.parse().unwrap()).unwrap_or_else(|| panic!("{line}"));
        let mut bytes = hex(before).to_le_bytes();
        let addend = (addend != "held").then(|| hex(addend) as i64);
        kind.apply(&mut bytes, 0, hex(value) as u64, bank.parse().unwrap(), addend).unwrap();
        assert_eq!(format!("{:032x}", u128::from_le_bytes(bytes)), after, "{line}");
        checked += 1;
    }
    assert!(checked > 90);
}

#[test]
fn every_linked_module_can_be_placed() {
    for name in files(".cubin") {
        let module = load(&name);
        match module.place(&complete(&module)) {
            Ok(placed) => {
                assert_eq!(placed.kernels.len(), module.kernels.len(), "{name}");
                assert_eq!(placed.code.len() as u64, module.code_size(), "{name}");
            }
            Err(e) => {
                assert!(module.relocatable, "{name}: {e}");
                assert_eq!(e, ContainerError::Relocatable);
                assert_eq!(e.class(), ErrorClass::Lacks);
            }
        }
    }
}

#[test]
fn calls_and_return_addresses_are_absolute() {
    // The call target is split differently on sm_90; nvdisasm prints the same
    // number for the bits that are put together here.
    for (name, target) in [
        (
            "calls.sm_75.linked.cubin",
            (|w| ((w >> 34) as u64 & ((1 << 47) - 1)) << 2) as fn(u128) -> u64,
        ),
        ("calls.sm_90.linked.cubin", |w| {
            ((w >> 34) as u64 & ((1 << 47) - 1)) << 10 | ((w >> 16) as u64 & 0xff) << 2
        }),
    ] {
        let (module, placed) = place(name);
        let direct = module.kernels.iter().position(|k| k.name == "direct").unwrap();
        let start = (placed.kernels[direct].entry - placed.code_base) as usize;
        let words: Vec<u128> = placed.code[start..][..module.kernels[direct].size as usize]
            .chunks_exact(16)
            .map(|b| u128::from_le_bytes(b.try_into().unwrap()))
            .collect();
        let calls: Vec<usize> = (0..words.len()).filter(|&i| words[i] & 0xfff == 0x943).collect();
        let targets: Vec<u64> = calls.iter().map(|&i| target(words[i])).collect();
        let wanted = ["_Z3addii", "_Z3mulii"].map(|f| address(&module, &placed, f));
        assert_eq!(targets, wanted, "{name}");
        // Before each call two moves load the address behind it.
        for &call in &calls {
            let back = placed.kernels[direct].entry + (call as u64 + 1) * 16;
            let immediate =
                |low: u64| words[..call].iter().any(|&w| (w >> 32) as u32 == low as u32);
            assert!(immediate(back) && immediate(back >> 32), "{name}: return to {back:#x}");
        }
    }
}

#[test]
fn pointers_in_variables_point() {
    let (module, placed) = place("data.sm_75.cubin");
    let at = |name| (address(&module, &placed, name) - placed.globals_base) as usize;
    let initialised = address(&module, &placed, "initialised");
    assert_eq!(u64_at(&placed.globals, at("pointer_to_global")), initialised + 8);
    assert_eq!(u64_at(&placed.globals, at("text")), address(&module, &placed, "$str"));
    assert_eq!(u64_at(&placed.banks[&3], 0x20), address(&module, &placed, "zeroed") + 12);
    assert_eq!(address(&module, &placed, "zeroed"), placed.zeroed_base);
    assert!(placed.zeroed_base >= placed.globals_base + placed.globals.len() as u64);

    let (module, placed) = place("calls.sm_75.linked.cubin");
    let add = address(&module, &placed, "_Z3addii");
    assert_eq!(u64_at(&placed.globals, 0), add);
    assert_eq!(u64_at(&placed.banks[&3], 8), add);
}

#[test]
fn newer_compilers_keep_addresses_in_bank_4() {
    let (module, placed) = place("data.sm_90.cuda13.cubin");
    let bank = &placed.banks[&4];
    let found: Vec<u64> = bank.chunks_exact(8).map(|b| u64_at(b, 0)).collect();
    for name in ["zeroed", "initialised", "wide", "text"] {
        assert!(found.contains(&address(&module, &placed, name)), "{name} not in {found:x?}");
    }
}

#[test]
fn handles_of_references_go_behind_the_parameters() {
    let module = load("texture.sm_75.cubin");
    let addresses = complete(&module);
    let placed = module.place(&addresses).unwrap();
    let kernel = module.kernels.iter().position(|k| k.name == "by_reference").unwrap();
    let params = &module.kernels[kernel].params;
    let slots: Vec<_> = module.slots().collect();
    assert_eq!(slots.len(), 3);
    for slot in slots {
        assert_eq!((slot.owner, slot.bank), (Some(module.kernels[kernel].code), 0));
        assert!(slot.offset >= u64::from(params.base + params.size));
        let word = &placed.kernels[kernel].banks[&0][slot.offset as usize..][..4];
        assert_eq!(word, addresses.handles[&slot.symbol.name].to_le_bytes());
    }
    let kinds: Vec<_> = module.references().map(|s| (s.name.as_str(), s.kind)).collect();
    use SymbolKind::{Surface, Texture};
    assert_eq!(kinds, [("line", Texture), ("image", Texture), ("canvas", Surface)]);
}

#[test]
fn missing_functions_are_named() {
    for (name, section) in
        [("externs.sm_75.cubin", ".text.talk"), ("externs.sm_90.cuda13.cubin", ".nv.constant4")]
    {
        let module = load(name);
        let mut addresses = complete(&module);
        addresses.externs.remove("vprintf");
        let error = module.place(&addresses).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Lacks);
        let text = error.to_string();
        assert!(text.contains("`vprintf`") && text.contains(section), "{text}");
    }
}

#[test]
fn unknown_relocations_are_named() {
    let mut module = load("data.sm_75.cubin");
    let at = module.relocations[0].offset;
    module.relocations[0].number = 62;
    let text = module.place(&complete(&module)).unwrap_err().to_string();
    assert!(text.contains("type 62 (R_CUDA_FUNC_DESC32_LO_32)"), "{text}");
    assert!(text.contains(&format!("+{at:#x}")) && text.contains(".text.use_data"), "{text}");
    module.relocations[0].number = 4711;
    let error = module.place(&complete(&module)).unwrap_err();
    assert!(error.to_string().contains("type 4711 (unknown)"), "{error}");
    assert_eq!(error.class(), ErrorClass::Lacks);
}

#[test]
fn shared_memory_of_sm_90_begins_behind_the_system_part() {
    let shared = |name: &str| load(name).kernel("use_data").unwrap().shared;
    assert_eq!((shared("data.sm_80.cubin").size, shared("data.sm_80.cubin").reserved), (0xb0, 0));
    for name in ["data.sm_90.cubin", "data.sm_90.cuda12.cubin", "data.sm_90.cuda13.cubin"] {
        assert_eq!((shared(name).size, shared(name).reserved), (0x4b0, 0x400), "{name}");
    }
}

#[test]
fn managed_variables_are_marked() {
    let module = load("managed.sm_75.cuda13.cubin");
    let managed: Vec<_> =
        module.variables().filter(|s| s.managed).map(|s| s.name.as_str()).collect();
    assert_eq!(managed, ["visible", "other"]);
    assert!(load("data.sm_75.cubin").variables().all(|s| !s.managed));
}

#[test]
fn the_relocation_table_is_sorted_and_named() {
    assert!(reloc::KINDS.windows(2).all(|k| k[0].number < k[1].number));
    for kind in reloc::KINDS {
        assert_eq!(reloc::name(kind.number), kind.name);
        assert!(kind.fields.iter().all(|f| f.to + f.width <= 128 && f.from + f.width <= 64));
    }
}
