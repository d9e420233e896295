//! Code objects: what is read, and what is refused.

use proptest::prelude::*;
use upset_gcn::container::descriptor::UserValue;
use upset_gcn::container::{Abi, ArgumentKind, ContainerError, Given, Startup, parse};

const ADD: &[u8] = include_bytes!("../data/add.co");

#[test]
fn kernels_have_their_code_arguments_and_settings() {
    let module = parse(ADD).expect("our own file");
    let names: Vec<&str> = module.kernels.iter().map(|k| k.name.as_str()).collect();
    assert_eq!(names, ["add", "reverse"]);
    let add = module.kernel("add").expect("it is there");
    assert_eq!((add.entry, add.code_bytes), (0x1c00, 136));
    assert_eq!((add.group_size, add.most_items), (Some([64, 1, 1]), 64));
    let given: Vec<_> = add
        .arguments
        .iter()
        .filter(|a| !matches!(a.kind, ArgumentKind::Hidden(_)))
        .map(|a| (a.offset, a.bytes, a.kind.clone()))
        .collect();
    use ArgumentKind::{Buffer, Value};
    assert_eq!(given, [(0, 8, Buffer), (8, 8, Buffer), (16, 8, Buffer), (24, 4, Value)]);
    let abi = &add.abi;
    assert!(abi.ieee() && abi.dx10_clamp() && abi.rsrc2().group_ids()[0]);
    assert_eq!((abi.float_mode(), abi.lds_bytes(), abi.scratch_bytes()), (0xc0, 0, 0));
    let Abi::Hsa(d) = abi else { panic!("a code object") };
    assert!(d.user_values().any(|v| v == UserValue::KernargPtr));
    let users = d.user_values().map(|v| v.registers()).sum::<u32>();
    assert_eq!(users, abi.rsrc2().user_sgprs());
    assert_eq!(module.kernel("reverse").map(|k| k.abi.lds_bytes()), Some(1024));
}

/// The resource of private memory comes first, then addresses, then what hardware
/// adds: the order that AMD documents for the HSA ABI.
#[test]
fn registers_are_filled_in_the_order_of_the_abi() {
    let module = parse(ADD).expect("our own file");
    let startup = module.kernel("add").expect("it is there").abi.startup();
    let mut next = 0;
    for s in &startup {
        assert_eq!(s.first, next, "{:?}", s.given);
        next += s.count;
    }
    let buffer = Given::Hsa(UserValue::PrivateSegmentBuffer);
    assert_eq!(startup.first(), Some(&Startup { first: 0, count: 4, given: buffer }));
    assert!(startup.iter().any(|s| s.given == Given::GroupId(0)));
}

/// Every word of both kernels is an instruction, and the last of them ends the
/// wavefront.
#[test]
fn code_is_code() {
    let module = parse(ADD).expect("our own file");
    for kernel in &module.kernels {
        let bytes = module.bytes(kernel.entry, kernel.code_bytes).expect("code");
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes(b.try_into().expect("four bytes")))
            .collect();
        let mut last = String::new();
        for (at, inst) in upset_gcn::listed(&words) {
            let inst = inst.unwrap_or_else(|e| panic!("{}, word {at}: {e}", kernel.name));
            last = upset_gcn::text(&inst);
        }
        assert_eq!(last, "s_endpgm", "{}", kernel.name);
    }
}

/// The file with a byte of its header changed.
fn with(at: usize, value: u8) -> Vec<u8> {
    let mut bytes = ADD.to_vec();
    bytes[at] = value;
    bytes
}

#[test]
fn other_files_are_told_apart() {
    let error = |bytes: &[u8]| parse(bytes).expect_err("not ours").to_string();
    assert!(error(b"hello").contains("it is no ELF file"));
    assert!(error(&with(18, 62)).contains("machine 62"));
    // gfx900, in the header's flags.
    let text = error(&with(48, 0x2c));
    assert!(text.contains("0x2c") && text.contains("-mcpu=tahiti"), "{text}");
    assert!(error(&with(8, 9)).contains("-mcode-object-version=5"));
    // Versions 3 and 4 say the same in the same way.
    for version in [1, 2] {
        let kernels = |bytes: &[u8]| parse(bytes).expect("a code object").kernels;
        assert_eq!(kernels(&with(8, version)), kernels(ADD));
    }
}

/// A file may lie at any address: within another, or in a program's constants.
#[test]
fn files_lie_anywhere() {
    let expected = parse(ADD).expect("our own file");
    for shift in 0..8 {
        let bytes = [vec![0; shift], ADD.to_vec()].concat();
        assert_eq!(parse(&bytes[shift..]).as_ref(), Ok(&expected), "{shift} bytes on");
    }
}

#[test]
fn cut_off_files_are_refused() {
    for len in (0..ADD.len() - 400).step_by(7) {
        assert!(parse(&ADD[..len]).is_err(), "{len} bytes");
    }
}

/// A segment that ends within its first instruction.
#[test]
fn code_of_less_than_a_word_is_refused() {
    let mut bytes = ADD.to_vec();
    bytes[216] = 1;
    let error = parse(&bytes).expect_err("no code").to_string();
    assert!(error.contains("its code is said to begin at"), "{error}");
}

proptest! {
    /// Whatever is wrong with it: a module or an error.
    #[test]
    fn damage_never_panics(changes in prop::collection::vec((0..ADD.len(), any::<u8>()), 1..12)) {
        let mut bytes = ADD.to_vec();
        for (at, value) in changes {
            bytes[at] = value;
        }
        match parse(&bytes) {
            Ok(module) => {
                for k in &module.kernels {
                    prop_assert!(module.bytes(k.entry, 4).is_some());
                }
            }
            Err(ContainerError::Malformed { place, problem }) => {
                prop_assert!(!place.is_empty() && !problem.is_empty());
            }
            Err(_) => {}
        }
    }
}
