//! Binaries of the APP SDK: what is read.

use proptest::prelude::*;
use upset_gcn::container::amd::{DataClass, UserData};
use upset_gcn::container::{
    Abi, Access, Argument, ArgumentKind, Binding, ContainerError, Given, Startup, is_amd, parse,
};

use crate::app_sdk_builder::{KernelParts, Parts, least_info};

/// `s_mov_b32 m0, 0x8000` and `s_endpgm`.
const CODE: [u32; 3] = [0xbefc_03ff, 0x8000, 0xbf81_0000];

/// Settings that AMD's compiler wrote for its DCT sample (CLRX,
/// `doc/ClrxAsmAmd.md`).
const DCT: [(u32, u32); 24] = [
    (0x8000_1000, 3),
    (0x8000_1001, 0x17),
    (0x8000_1002, 0),
    (0x8000_1003, 2),
    (0x8000_1004, 2),
    (0x8000_1005, 2),
    (0x8000_1006, 0),
    (0x8000_1007, 4),
    (0x8000_1008, 4),
    (0x8000_1009, 2),
    (0x8000_100a, 1),
    (0x8000_100b, 8),
    (0x8000_100c, 4),
    (0x8000_1041, 0x0b),
    (0x8000_1042, 0x18),
    (0x8000_1863, 0x66),
    (0x8000_1864, 0x100),
    (0x8000_1043, 0xc0),
    (0x8000_1044, 0),
    (0x8000_1045, 0),
    (0x2e13, 0x0040_0998),
    (0x8000_001c, 0x100),
    (0x8000_001d, 0),
    (0x8000_001e, 0),
];

/// A kernel with settings as real ones have them.
pub fn transform() -> KernelParts {
    let lines = "\
        ;memory:uavprivate:0\n;memory:hwlocal:0\n;memory:hwregion:0\n\
        ;pointer:result:float:1:1:0:uav:12:4:RW:0:0\n\
        ;pointer:source:float:4:1:16:uav:13:16:RO:0:0\n;constarg:1:source\n\
        ;pointer:table:float:1:1:32:hc:2:4:RO:0:0\n\
        ;pointer:tile:float:1:1:48:hl:1:4:RW:0:0\n\
        ;value:width:u32:1:1:64\n;value:scale:float:4:1:80\n;value:pair:struct:12:1:96\n\
        ;function:1:1030\n;uavid:11\n;printfid:9\n;cbid:10\n;privateid:8\n\
        ;reflection:0:float*\n;reflection:4:uint\n";
    KernelParts::new("transform", lines, &CODE, &DCT)
}

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/transform.clb");

/// The file that tests of the command line read, and fuzzing begins with.
#[test]
fn the_file_is_what_is_built() {
    let file = std::fs::read(FILE).expect("it is there");
    let same = file == Parts::new(&[transform()]).build();
    assert!(same, "write it anew: cargo test -p upset-gcn --test it -- --ignored write_the_file");
}

#[test]
#[ignore = "writes tests/data/transform.clb"]
fn write_the_file() {
    std::fs::write(FILE, Parts::new(&[transform()]).build()).expect("it can be written");
}

#[test]
fn a_kernel_has_its_settings() {
    let file = Parts::new(&[transform()]).build();
    assert!(is_amd(&file));
    let module = parse(&file).expect("a binary");
    let kernel = module.kernel("transform").expect("it is there");
    let code = module.bytes(kernel.entry, kernel.code_bytes).expect("it is loaded");
    assert_eq!(code, crate::app_sdk_builder::words(&CODE));
    assert_eq!((kernel.group_size, kernel.most_items), (None, 256));
    let abi = &kernel.abi;
    assert_eq!((abi.vgprs(), abi.sgprs()), (12, 32));
    assert_eq!((abi.lds_bytes(), abi.scratch_bytes(), abi.argument_bytes()), (0, 0, 112));
    assert_eq!((abi.float_mode(), abi.ieee()), (0xc0, false));
    let Abi::AppSdk(a) = abi else { panic!("a binary of the APP SDK") };
    assert_eq!((a.used_vgprs, a.used_sgprs, a.wide), (11, 24, false));
    assert_eq!((a.reserved.raw, a.reserved.constants), (Some(11), Some(10)));
    assert_eq!((a.reserved.printf, a.reserved.private), (Some(9), Some(8)));
}

/// The registers that Multi2Sim and CLRX fill for this kernel: the table of UAVs
/// in s[2:3], constant buffers in s[4:7] and s[8:11], the work-group from s12.
#[test]
fn registers_are_filled_as_the_file_says() {
    let module = parse(&Parts::new(&[transform()]).build()).expect("a binary");
    let at = |first, count, given| Startup { first, count, given };
    let table = Given::AppSdk(DataClass::PtrUavTable, 0);
    let buffer = |slot| Given::AppSdk(DataClass::ImmConstBuffer, slot);
    let expected = [
        at(2, 2, table),
        at(4, 4, buffer(0)),
        at(8, 4, buffer(1)),
        at(12, 1, Given::GroupId(0)),
        at(13, 1, Given::GroupId(1)),
    ];
    let startup = module.kernels[0].abi.startup();
    assert_eq!(startup, expected);
    let text: Vec<String> = startup.iter().map(|s| s.to_string()).collect();
    assert_eq!((text[0].as_str(), text[4].as_str()), ("s[2:3] PTR_UAV_TABLE 0", "s13 group id y"));
}

#[test]
fn hardware_adds_its_registers_without_gaps() {
    // Two user registers; z alone, size of the group, scratch.
    let rsrc2 = 1 | 2 << 1 | 1 << 9 | 1 << 10;
    let mut info = least_info(1, 8, rsrc2);
    info.push((0x8000_1045, 5));
    let module = parse(&Parts::new(&[KernelParts::new("k", "", &CODE, &info)]).build());
    let kernel = &module.expect("a binary").kernels[0];
    let given: Vec<_> = kernel.abi.startup().iter().map(|s| (s.first, s.given)).collect();
    let expected = [(2, Given::GroupId(2)), (3, Given::GroupSize), (4, Given::ScratchOffset)];
    assert_eq!(given, expected);
    assert_eq!(kernel.abi.scratch_bytes(), 20, "five words");
    assert!(kernel.arguments.is_empty());
}

#[test]
fn arguments_have_their_places() {
    let module = parse(&Parts::new(&[transform()]).build()).expect("a binary");
    let argument = |name: &str, type_name: &str, offset, bytes| Argument {
        name: name.to_string(),
        type_name: type_name.to_string(),
        offset,
        bytes,
        ..Argument::default()
    };
    let pointer = |name: &str, type_name: &str, offset, align, access, binding| Argument {
        kind: ArgumentKind::Buffer,
        align,
        access,
        binding,
        ..argument(name, type_name, offset, 4)
    };
    let expected = [
        pointer("result", "float", 0, 4, Access::ReadWrite, Binding::Uav(12)),
        pointer("source", "float4", 16, 16, Access::ReadOnly, Binding::Uav(13)),
        pointer("table", "float", 32, 4, Access::ReadOnly, Binding::ConstantBuffer(2)),
        Argument { kind: ArgumentKind::Lds, align: 4, ..argument("tile", "float", 48, 4) },
        argument("width", "u32", 64, 4),
        argument("scale", "float4", 80, 16),
        argument("pair", "struct", 96, 12),
    ];
    assert_eq!(module.kernels[0].arguments, expected);
}

/// What cannot be run yet is named, so that a launch can say so.
#[test]
fn images_and_samplers_are_named() {
    let lines = ";image:picture:2D:RO:0:1:0\n;counter:c:32:0:1:32\n;sampler:unknown_16:1:1:16\n\
                 ;sampler:s:0:0:0\n;pointer:p:i32:1:1:48:hr:1:4:RW:0:0\n";
    let kernel = KernelParts::new("k", lines, &CODE, &least_info(4, 4, 0));
    let module = parse(&Parts::new(&[kernel]).build()).expect("a binary");
    let found: Vec<_> =
        module.kernels[0].arguments.iter().map(|a| (a.name.as_str(), a.kind.clone())).collect();
    let other = |text: &str| ArgumentKind::Other(text.to_string());
    let expected = [
        ("picture", other("image")),
        ("c", other("counter")),
        ("s", other("sampler")),
        ("p", other("pointer to space hr")),
    ];
    assert_eq!(found, expected);
}

/// APP SDK 2.5 and 2.6 say less of a pointer.
#[test]
fn shorter_lines_of_first_versions_are_read() {
    let lines = ";pointer:a:float:1:1:0:uav:12:4\n;pointer:b:float:1:1:16:c:13:4:RO\n\
                 ;pointer:c:float:1:1:32:hc:2:4\n;cws:8:4:2\n";
    let kernel = KernelParts::new("k", lines, &CODE, &least_info(4, 4, 0));
    let module = parse(&Parts::new(&[kernel]).build()).expect("a binary");
    let kernel = &module.kernels[0];
    let found: Vec<_> = kernel.arguments.iter().map(|a| (a.binding, a.access)).collect();
    let expected = [
        (Binding::Uav(12), Access::ReadWrite),
        (Binding::Uav(13), Access::ReadOnly),
        (Binding::ConstantBuffer(2), Access::ReadOnly),
    ];
    assert_eq!(found, expected);
    assert_eq!((kernel.group_size, kernel.most_items), (Some([8, 4, 2]), 64));
}

#[test]
fn pointers_of_64_bits_are_told() {
    let lines = ";pointer:a:float:1:1:0:uav:12:4:RW:0:0\n;pointer:l:i32:1:1:16:hl:1:4:RW:0:0\n\
                 ;memory:64bitABI\n";
    let kernel = KernelParts::new("k", lines, &CODE, &least_info(4, 4, 0));
    for wide in [false, true] {
        let file = Parts { wide, ..Parts::new(std::slice::from_ref(&kernel)) }.build();
        let module = parse(&file).expect("a binary");
        let sizes: Vec<u32> = module.kernels[0].arguments.iter().map(|a| a.bytes).collect();
        assert_eq!(sizes, [8, 4], "an offset in LDS stays what it is");
        assert!(matches!(&module.kernels[0].abi, Abi::AppSdk(a) if a.wide));
    }
}

#[test]
fn constants_of_the_program_are_loaded() {
    let globals = vec![(3, vec![7; 5]), (2, vec![1, 2, 3, 4])];
    let lines = ";memory:datareqd\n";
    let kernel = KernelParts::new("k", lines, &CODE, &least_info(4, 4, 0));
    let module = parse(&Parts { globals, ..Parts::new(&[kernel]) }.build()).expect("a binary");
    let found: Vec<_> = module
        .constants
        .iter()
        .map(|c| (c.number, module.bytes(c.address, c.bytes).expect("loaded").to_vec()))
        .collect();
    assert_eq!(found, [(2, vec![1, 2, 3, 4]), (3, vec![7; 5])]);
    assert!(matches!(&module.kernels[0].abi, Abi::AppSdk(a) if a.needs_constants));
}

/// Drivers write an encoding 25 that nothing can execute before the real one.
#[test]
fn the_encoding_for_the_chip_is_taken() {
    for (machine, encodings) in
        [(0x3fd, vec![25, 26]), (0x3fe, vec![26, 27]), (0x3ff, vec![28]), (0x3fd, vec![25, 9])]
    {
        let kernel = KernelParts { encodings, ..transform() };
        let module = parse(&Parts { machine, ..Parts::new(&[kernel]) }.build());
        let module = module.unwrap_or_else(|e| panic!("machine {machine:#x}: {e}"));
        assert_eq!(module.kernels[0].code_bytes, 12, "machine {machine:#x}");
    }
    let kernel = KernelParts { encodings: vec![25], ..transform() };
    let error = parse(&Parts::new(&[kernel]).build()).expect_err("another machine");
    assert!(error.to_string().contains("no encoding is for Southern Islands"), "{error}");
}

#[test]
fn other_chips_are_named() {
    let file = Parts { machine: 0x40a, ..Parts::new(&[transform()]) }.build();
    let error = parse(&file).expect_err("Tonga");
    assert_eq!(error, ContainerError::OtherTarget { found: "Tonga".to_string() });
    let file = Parts { machine: 0x3f8, ..Parts::new(&[transform()]) }.build();
    assert!(parse(&file).expect_err("an older one").to_string().contains("0x3f8"));
}

#[test]
fn listings_show_the_code() {
    let module = parse(&Parts::new(&[transform()]).build()).expect("a binary");
    let listing = upset_gcn::listing(&module, &module.kernels[0]);
    assert!(listing.contains("s_mov_b32 m0, 0x8000") && listing.contains("s_endpgm"), "{listing}");
}

proptest! {
    /// What is built is read back: registers, user data, values, any number of
    /// kernels in any order.
    #[test]
    fn settings_come_back(
        kernels in prop::collection::btree_map(
            "[a-zA-Z_][a-zA-Z0-9_]{0,12}",
            (0u32..=256, 0u32..=102, 0u32..65536, 1usize..20, prop::collection::vec(0u32..33, 0..5)),
            1..5,
        ),
        wide: bool,
    ) {
        let mut parts = Parts { wide, ..Parts::new(&[]) };
        for (name, (vgprs, sgprs, lds, words, classes)) in &kernels {
            let users = 2 * classes.len() as u32;
            let mut info = least_info(*vgprs, *sgprs, users << 1);
            info.push((0x8000_1000, classes.len() as u32));
            for (i, class) in (0..).zip(classes) {
                for (part, value) in (1..).zip([*class, i, 2 * i, 2]) {
                    info.push((0x8000_1000 + 4 * i + part, value));
                }
            }
            let code = vec![0xbf80_0000; *words];
            let lines = format!(";memory:hwlocal:{lds}\n");
            parts.kernels.push(KernelParts::new(name, &lines, &code, &info));
        }
        let module = parse(&parts.build()).expect("a binary");
        let names: Vec<&String> = module.kernels.iter().map(|k| &k.name).collect();
        prop_assert_eq!(names, kernels.keys().collect::<Vec<_>>());
        for k in &module.kernels {
            let (vgprs, sgprs, lds, words, classes) = &kernels[&k.name];
            let Abi::AppSdk(a) = &k.abi else { panic!("a binary of the APP SDK") };
            prop_assert_eq!((a.used_vgprs, a.used_sgprs, a.lds_bytes), (*vgprs, *sgprs, *lds));
            prop_assert_eq!(k.code_bytes, 4 * *words as u64);
            prop_assert!(k.entry.is_multiple_of(256));
            let expected: Vec<UserData> = (0..).zip(classes).map(|(i, &class)| UserData {
                class: DataClass::from_number(class).expect("a class"),
                slot: i,
                first: 2 * i,
                count: 2,
            }).collect();
            prop_assert_eq!(&a.user_data, &expected);
        }
    }
}
