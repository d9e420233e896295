//! Binaries of the APP SDK that are damaged: one clear error each.

use proptest::prelude::*;
use upset_gcn::container::amd::{elf, metadata, notes, program_info};
use upset_gcn::container::{Abi, ContainerError, Module, parse};

use crate::app_sdk::transform;
use crate::app_sdk_builder::{KernelParts, Parts, least_info, words};

const END: [u32; 1] = [0xbf81_0000];

/// A binary with two kernels and constants.
fn whole() -> Vec<u8> {
    let second = KernelParts::new("second", "", &END, &least_info(4, 4, 0));
    let parts = Parts::new(&[transform(), second]);
    Parts { globals: vec![(2, vec![0; 16])], ..parts }.build()
}

/// The error of a binary with one kernel.
fn error(lines: &str, info: &[(u32, u32)]) -> String {
    let kernel = KernelParts::new("k", lines, &END, info);
    parse(&Parts::new(&[kernel]).build()).expect_err("it is damaged").to_string()
}

#[test]
fn settings_are_checked() {
    let cases: [(&[(u32, u32)], &str); 8] = [
        (&[], "lacks COMPUTE_PGM_RSRC2 (0x2e13)"),
        (&[(0x2e13, 0)], "lacks vector registers (0x80001041)"),
        (&least_info(257, 4, 0), "257 vector registers; 256 are the most"),
        (&least_info(4, 105, 0), "105 scalar registers; 104 are the most"),
        (&[(0x8000_1000, 17), (0x2e13, 0)], "17 user data; 16 are the most"),
        (&[(0x8000_1000, 1), (0x2e13, 8)], "user data 0 is cut off"),
        (&user(99, 0, 4), "user data 0 has unknown class 99"),
        (&user(2, 3, 4), "user data 0 takes 4 registers from s3; there are 4"),
    ];
    for (info, expected) in cases {
        let text = error("", info);
        assert!(text.contains(expected) && text.contains("inner file of k"), "{text}");
    }
}

fn user(class: u32, first: u32, count: u32) -> Vec<(u32, u32)> {
    let parts =
        [(0x8000_1001, class), (0x8000_1002, 0), (0x8000_1003, first), (0x8000_1004, count)];
    [vec![(0x8000_1000, 1), (0x2e13, 4 << 1)], parts.to_vec()].concat()
}

#[test]
fn lines_are_checked() {
    let cases = [
        (";value:n:u32:1:1", "word 5 is missing"),
        (";value:n:half:1:1:0", "a type of 1 half is not known"),
        (";value:n:u32:1:2:0", "arguments are in constant buffer 1, not \"2\""),
        (";value:n:u32:1:1:many", "\"many\" is no number"),
        (";value:n:u32:1:1:65533", "argument n lies beyond a constant buffer"),
        (";value:n:u32:1:1:4294967295", "argument n lies beyond a constant buffer"),
        (";pointer:p:float:1:1:0:uav:12:4:XX:0:0", "\"XX\" is no access"),
        (";memory:hwlocal:lots", "\"lots\" is no number"),
        (";memory", "word 1 is missing"),
    ];
    for (line, expected) in cases {
        let text = error(&format!("{line}\n"), &least_info(4, 4, 0));
        assert!(text.contains(expected) && text.contains("metadata of k"), "{line}: {text}");
    }
}

#[test]
fn other_versions_of_the_metadata_are_told() {
    let mut kernel = transform();
    kernel.metadata = kernel.metadata.replace("version:3:1:104", "version:4:0:1");
    let error = parse(&Parts::new(&[kernel]).build()).expect_err("another version");
    assert_eq!(error, ContainerError::OtherMetadata { found: "4.0.1".to_string() });
}

#[test]
fn missing_parts_are_named() {
    let error = |file: &[u8]| parse(file).expect_err("something is missing").to_string();
    assert!(error(&Parts::new(&[]).build()).contains("it holds no machine code"));
    let mut file = whole();
    let name = b"__OpenCL_transform_metadata";
    let at = file.windows(name.len()).position(|w| w == name).expect("its name");
    file[at + name.len() - 1] = b'b';
    assert!(error(&file).contains("`__OpenCL_transform_metadata` is not defined"));
    let kernel = KernelParts { metadata: String::new(), ..transform() };
    assert!(error(&Parts::new(&[kernel]).build()).contains("ARGSTART"));
    let kernel = KernelParts { code: Vec::new(), ..transform() };
    assert!(error(&Parts::new(&[kernel]).build()).contains("0 bytes of code"));
}

/// Sections come last: without the last of them nothing can be found.
#[test]
fn cut_off_files_are_refused() {
    let file = whole();
    for len in (0..file.len()).step_by(13) {
        assert!(parse(&file[..len]).is_err(), "{len} bytes");
    }
}

/// Whatever a module says of itself holds.
fn sound(module: &Module, file: &[u8]) {
    let loaded: usize = module.segments.iter().map(|s| s.bytes.len()).sum();
    assert!(loaded <= 2 * file.len());
    assert!(module.kernels.is_sorted_by(|a, b| a.name < b.name));
    for k in &module.kernels {
        assert!(module.bytes(k.entry, k.code_bytes).is_some() && k.code_bytes >= 4);
        assert!(k.abi.vgprs() <= 256 && k.abi.sgprs() <= 104);
        assert!(k.arguments.iter().all(|a| a.offset + a.bytes <= k.abi.argument_bytes()));
        if let Abi::AppSdk(a) = &k.abi {
            assert!(a.user_data.iter().all(|u| u.first + u.count <= a.rsrc2.user_sgprs()));
        }
        k.abi.startup();
    }
}

fn check(file: &[u8]) {
    match parse(file) {
        Ok(module) => sound(&module, file),
        Err(error) => {
            let text = error.to_string();
            assert!(!text.is_empty() && !text.contains('\n') && text.len() < 9000, "{text}");
        }
    }
}

/// Every byte before the code of the first kernel, and those of the tables at the
/// end, each set to what is most likely to mislead.
#[test]
fn every_byte_of_the_headers_may_be_wrong() {
    let file = whole();
    let ranges = [0..1600, file.len() - 300..file.len()];
    for at in ranges.into_iter().flatten() {
        for value in [0, 1, 0x7f, 0xff, file[at] ^ 0x80, file[at].wrapping_add(1)] {
            let mut file = file.clone();
            file[at] = value;
            check(&file);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn damage_never_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut file = whole();
        for (at, value) in changes {
            let at = at.index(file.len());
            file[at] = value;
        }
        if let Some(cut) = cut {
            file.truncate(cut.index(file.len()));
        }
        check(&file);
    }

    #[test]
    fn any_bytes_are_judged(mut bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&bytes);
        // With a header that lets them pass the first test.
        let header = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xfd\x03";
        bytes.splice(0..bytes.len().min(header.len()), *header);
        check(&bytes);
    }

    #[test]
    fn any_notes_and_text_are_judged(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = notes::read(&bytes);
        let _ = program_info::read(&bytes);
        let _ = metadata::read(&bytes, "text", false);
        if let Ok(file) = elf::Elf::new(&bytes, "file") {
            let _ = (file.sections(), file.symbols(), file.segments());
        }
    }

    /// Any values for settings that matter.
    #[test]
    fn any_settings_are_judged(
        values in prop::collection::vec((0usize..12, any::<u32>()), 0..30),
    ) {
        const AT: [u32; 12] = [
            0x2e13, 0x8000_001c, 0x8000_001d, 0x8000_1000, 0x8000_1001, 0x8000_1002,
            0x8000_1003, 0x8000_1004, 0x8000_1041, 0x8000_1042, 0x8000_1043, 0x8000_1045,
        ];
        let pairs: Vec<u32> = values.iter().flat_map(|&(i, v)| [AT[i], v]).collect();
        let _ = program_info::read(&words(&pairs));
    }

    /// Any text of words that the reader knows.
    #[test]
    fn any_words_are_judged(
        lines in prop::collection::vec(
            (
                prop::sample::select(vec![
                    "value", "pointer", "image", "sampler", "counter", "memory", "cws", "version",
                    "uavid", "hwlocal",
                ]),
                prop::collection::vec(
                    prop::sample::select(vec![
                        "1", "0", "16", "4294967295", "float", "u32", "uav", "hl", "hc", "RO",
                        "struct", "hwlocal", "3", "", "é",
                    ]),
                    0..12,
                ),
            ),
            0..8,
        ),
    ) {
        let body: String =
            lines.iter().map(|(head, rest)| format!(";{head}:{}\n", rest.join(":"))).collect();
        check(&Parts::new(&[KernelParts::new("k", &body, &END, &least_info(4, 4, 0))]).build());
    }
}
