//! Functions of a library, linked into modules that leave them undefined.

use upset_sass::container::{self, Addresses, ContainerError, RelocTarget, SymbolPlace, cubin};

use super::{files, read};

fn library(sm: u32) -> container::Module {
    let name = format!("../../kernels/syscalls/syscalls.sm_{sm}.cubin");
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    cubin::parse(&std::fs::read(path).unwrap()).unwrap()
}

fn with_externs() -> impl Iterator<Item = (String, container::Module)> {
    let names = files(".cubin").into_iter().filter(|n| n.starts_with("externs."));
    names.map(|name| (name.clone(), cubin::parse(&read(&name)).unwrap()))
}

const PROVIDED: [&str; 4] = ["__assertfail", "free", "malloc", "vprintf"];

#[test]
fn what_is_undefined_is_known() {
    for (name, module) in with_externs() {
        assert_eq!(module.undefined().into_iter().collect::<Vec<_>>(), PROVIDED, "{name}");
    }
}

#[test]
fn linked_modules_lack_only_the_librarys_own_variable() {
    for (name, mut module) in with_externs() {
        let library = library(module.sm);
        let (before, sections) = (module.kernels.clone(), module.code.len());
        let linked = module.link(&library, "upset_").unwrap();
        assert_eq!(linked.into_iter().collect::<Vec<_>>(), PROVIDED, "{name}");
        assert_eq!(module.code.len(), sections + PROVIDED.len());
        assert_eq!(module.undefined().into_iter().collect::<Vec<_>>(), ["upset_control"]);

        let most = library.functions.iter().map(|f| f.frame).max().unwrap();
        assert!(most > 0);
        for (kernel, before) in module.kernels.iter().zip(&before) {
            assert_eq!(kernel.registers, before.registers.max(24), "{name}");
            assert_eq!(kernel.stack.depth, before.stack.depth.map(|d| d + most), "{name}");
        }
        for provided in PROVIDED {
            let symbol = module.symbols.iter().find(|s| s.name == provided).unwrap();
            assert!(
                matches!(symbol.place, SymbolPlace::Code { section, .. } if section >= sections)
            );
        }

        let mut addresses = Addresses { code: 0x1000, globals: 0x9000, ..Addresses::default() };
        let undefined = module.place(&addresses).unwrap_err();
        assert!(matches!(undefined, ContainerError::Undefined { .. }), "{name}: {undefined}");
        addresses.externs.insert("upset_control".into(), 0x1234_5678_9abc);
        module.place(&addresses).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

#[test]
fn modules_without_externs_stay_as_they_are() {
    for name in files(".cubin").iter().filter(|n| n.starts_with("data.")) {
        let module = cubin::parse(&read(name)).unwrap();
        let mut linked = module.clone();
        assert!(linked.link(&library(75), "upset_").unwrap().is_empty());
        assert_eq!(linked, module, "{name}");
    }
}

/// Numbers too wide for an instruction of sm_35 are constants of the function
/// that has them: its instructions must find them in the module's banks.
#[test]
fn constants_of_linked_functions_come_along() {
    let path = "../device/tests/kernels/messages/messages.sm_35.cubin";
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let mut module = cubin::parse(&std::fs::read(path).unwrap()).unwrap();
    let library = library(35);
    module.link(&library, "upset_").unwrap();
    let mut addresses = Addresses { code: 0x1000, globals: 0x9000, ..Addresses::default() };
    addresses.externs.insert("upset_control".into(), 0x1234_5678_9abc);
    let placed = module.place(&addresses).unwrap();
    // IMAD.HI by 2^30, which vprintf shifts by.
    let constant = module.relocations.iter().find(|r| r.number == 25).expect("one of vprintf's");
    let RelocTarget::Code(section) = constant.target else { panic!("it is code that has it") };
    let at = (placed.code_sections[section] - placed.code_base + constant.offset) as usize;
    let word = u64::from_le_bytes(placed.code[at..at + 8].try_into().unwrap());
    let (bank, offset) = ((word >> 37 & 31) as u8, (word >> 23 & 0x3fff) as usize * 4);
    assert!(!module.kernels.iter().any(|k| k.banks.contains_key(&bank)), "bank {bank}");
    assert_eq!(placed.banks[&bank][offset..offset + 4], (1u32 << 30).to_le_bytes());
}
