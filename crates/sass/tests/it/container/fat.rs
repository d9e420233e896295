//! Fat binaries: entries, unpacking, choice of an image.

use upset_sass::container::fatbin::{self, Compression, Entry, EntryKind};
use upset_sass::container::{self, Container, ContainerError, ErrorClass};

use super::{read, text};

fn list(entries: &[Entry<'_>]) -> String {
    let line = |e: &Entry<'_>| format!("{e} {:?} {}", e.compression, e.image().unwrap().len());
    entries.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn entries_are_listed_as_they_stand() {
    // Sizes of the plain images: `fatbinary` keeps a cubin as it is.
    assert_eq!(
        list(&fatbin::parse(&read("plain.fatbin")).unwrap()),
        "sm_70 None 9064\nsm_75 None 8936\ncompute_75 (PTX) Lz4 7810"
    );
    assert_eq!(
        list(&fatbin::parse(&read("lz4.fatbin")).unwrap()),
        "sm_70 Lz4 9064\nsm_75 Lz4 8936\ncompute_75 (PTX) Lz4 7810"
    );
}

#[test]
fn unpacked_images_equal_the_originals() {
    let plain = read("plain.fatbin");
    let packed = read("lz4.fatbin");
    let (plain, packed) = (fatbin::parse(&plain).unwrap(), fatbin::parse(&packed).unwrap());
    for (a, b) in plain.iter().zip(&packed) {
        assert_eq!(a.image().unwrap(), b.image().unwrap());
    }
    for file in ["zstd.fatbin", "concatenated.fatbin"] {
        let bytes = read(file);
        let entries = fatbin::parse(&bytes).unwrap();
        for sm in [75, 90] {
            let entry = entries.iter().find(|e| e.kind == EntryKind::Elf && e.sm == sm).unwrap();
            assert_eq!(entry.compression, Compression::Zstd);
            assert!(
                entry.image().unwrap() == read(&format!("stack.sm_{sm}.cuda13.cubin")),
                "{file} sm_{sm}"
            );
        }
        let ptx = entries.iter().find(|e| e.kind == EntryKind::Ptx).unwrap().image().unwrap();
        assert!(String::from_utf8(ptx).unwrap().contains(".entry locals"));
    }
}

#[test]
fn host_objects_are_opened() {
    let bytes = read("host.o");
    let Container::Fat(entries) = container::open(&bytes).unwrap() else { panic!("a fat binary") };
    assert_eq!(entries.len(), 3);
    let module = container::open(&bytes).unwrap().module(75).unwrap();
    assert_eq!((module.sm, module.kernels[0].name.as_str()), (75, "hosted"));
}

#[test]
fn several_containers_in_one_section() {
    let mut bytes = read("plain.fatbin");
    bytes.extend([0; 24]);
    bytes.extend(read("zstd.fatbin"));
    let entries = fatbin::parse(&bytes).unwrap();
    let containers: Vec<usize> = entries.iter().map(|e| e.container).collect();
    assert_eq!(containers, [0, 0, 0, 1, 1, 1]);
    let modules = container::open(&bytes).unwrap().modules(75).unwrap();
    assert_eq!(modules.iter().map(|m| m.abi).collect::<Vec<_>>(), [7, 8]);
    let error = container::open(&bytes).unwrap().modules(90).unwrap_err();
    assert!(matches!(error, ContainerError::NeedsPtx { .. }), "{error}");
}

#[test]
fn the_best_image_is_chosen() {
    let bytes = read("plain.fatbin");
    let entries = fatbin::parse(&bytes).unwrap();
    let chosen = |sm| fatbin::choose(&entries, sm).map(|e| e.to_string());
    assert_eq!(chosen(75).unwrap(), "sm_75");
    assert_eq!(chosen(72).unwrap(), "sm_70");
    assert_eq!(chosen(70).unwrap(), "sm_70");
    let ptx = chosen(80).unwrap_err();
    assert!(matches!(ptx, ContainerError::NeedsPtx { sm: 80, .. }), "{ptx}");
    assert_eq!(ptx.class(), ErrorClass::Lacks);
    let none = chosen(61).unwrap_err();
    assert!(none.to_string().contains("compute_75 (PTX), sm_70, sm_75"), "{none}");
}

/// Of Kepler's four architectures, sm_35 and sm_37 share an encoding.
#[test]
fn keplers_code_is_taken_where_its_encoding_is_known() {
    let bytes = read("plain.fatbin");
    let mut entries = fatbin::parse(&bytes).unwrap();
    entries.retain(|e| e.kind == EntryKind::Elf);
    let mut chosen = |has: [u32; 2], sm| {
        for (entry, sm) in entries.iter_mut().zip(has) {
            entry.sm = sm;
        }
        fatbin::choose(&entries, sm).map(|e| e.sm).map_err(|e| e.to_string())
    };
    assert_eq!(chosen([35, 37], 35), Ok(35));
    assert_eq!(chosen([35, 37], 37), Ok(37));
    assert_eq!(chosen([35, 70], 37), Ok(35));
    assert_eq!(
        chosen([30, 37], 35),
        Err("no code for sm_35: the file has sm_30, sm_37; build with \
             -gencode arch=compute_35,code=sm_35, or choose another chip"
            .into())
    );
}

#[test]
fn accelerated_code_runs_on_its_own_architecture_only() {
    let bytes = read("plain.fatbin");
    let mut entries = fatbin::parse(&bytes).unwrap();
    entries[0].accelerated = true;
    entries.truncate(1);
    assert!(fatbin::choose(&entries, 70).is_ok());
    let error = fatbin::choose(&entries, 72).unwrap_err();
    assert!(error.to_string().contains("sm_70a"), "{error}");
}

#[test]
fn other_files_are_called_what_they_are() {
    for (bytes, says) in [
        (&b""[..], "an empty file"),
        (b"!<arch>\n", "library archive"),
        (b".version 7.8\n.target sm_75\n", "PTX text"),
        (b"#!/bin/sh\n", "a text file"),
        (b"\x89PNG\r\n\x1a\n", "89, 50, 4e, 47"),
        (b"\xb1\x43\x62\x46\x01\0\0\0", "wrapper"),
    ] {
        let error = container::open(bytes).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
        assert_eq!(error.class(), ErrorClass::BadInput);
    }
    let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let error = container::open(&own).unwrap_err().to_string();
    assert!(error.contains("without a .nv_fatbin section"), "{error}");
    assert!(text("host.cu").contains("hosted"));
}

#[test]
fn a_cubin_of_another_architecture_is_refused() {
    let bytes = read("stack.sm_75.cubin");
    assert!(container::open(&bytes).unwrap().module(75).is_ok());
    let error = container::open(&bytes).unwrap().module(90).unwrap_err();
    assert!(matches!(&error, ContainerError::NoCode { sm: 90, has } if has == "sm_75"), "{error}");
}

#[test]
fn wrappers_point_to_containers() {
    let mut wrapper = fatbin::WRAPPER_MAGIC.to_le_bytes().to_vec();
    wrapper.extend(1u32.to_le_bytes());
    wrapper.extend(0x7fff_1234u64.to_le_bytes());
    wrapper.extend(0u64.to_le_bytes());
    assert_eq!(fatbin::wrapped_address(&wrapper).unwrap(), 0x7fff_1234);
    assert!(fatbin::wrapped_address(&wrapper[..16]).is_err());
    let bytes = read("plain.fatbin");
    assert_eq!(fatbin::container_size(&bytes).unwrap(), bytes.len() as u64);
}
