//! Damaged files end in an error, never in a panic or a huge allocation.

use upset_sass::container::{self, Addresses, Container, ContainerError, ErrorClass};

use super::{files, read};

/// Opens, unpacks and places whatever can be.
fn exercise(bytes: &[u8]) -> Result<(), ContainerError> {
    let place = |module: container::Module| {
        let handles = module.number_references(1);
        let externs = module.symbols.iter().map(|s| (s.name.clone(), 0x1000)).collect();
        module.place(&Addresses { code: 0x1000, globals: 0x10_0000, externs, handles }).map(|_| ())
    };
    match container::open(bytes)? {
        Container::Cubin(module) => place(*module),
        Container::Fat(entries) => {
            for entry in &entries {
                let image = entry.image()?;
                if image.starts_with(b"\x7fELF") {
                    place(container::cubin::parse(&image)?)?;
                }
            }
            Ok(())
        }
    }
}

#[test]
fn cut_off_cubins_are_refused() {
    for name in ["data.sm_75.cubin", "calls.sm_90.linked.cubin", "texture.sm_90.cuda13.cubin"] {
        let bytes = read(name);
        exercise(&bytes).unwrap();
        for len in 0..bytes.len() {
            let error = exercise(&bytes[..len]).expect_err(name);
            assert_eq!(error.class(), ErrorClass::BadInput, "{name} cut to {len}: {error}");
        }
    }
}

#[test]
fn cut_off_fat_binaries_are_refused() {
    for name in files(".fatbin").into_iter().chain(["host.o".into()]) {
        let bytes = read(&name);
        exercise(&bytes).unwrap();
        for len in (0..bytes.len()).step_by(7) {
            let error = exercise(&bytes[..len]).expect_err(&name);
            assert_eq!(error.class(), ErrorClass::BadInput, "{name} cut to {len}: {error}");
        }
    }
}

#[test]
fn any_changed_byte_is_survived() {
    for name in [
        "data.sm_75.cubin",
        "calls.sm_90.linked.cubin",
        "managed.sm_90.cuda13.cubin",
        "data.sm_75.object.cubin",
    ] {
        let bytes = read(name);
        let mut refused = 0;
        for at in 0..bytes.len() {
            for flip in [0x01, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                refused += usize::from(exercise(&damaged).is_err());
            }
        }
        assert!(refused > 100, "{name}: only {refused} changes were noticed");
    }
}

#[test]
fn any_changed_byte_of_a_packed_image_is_survived() {
    for name in ["lz4.fatbin", "zstd.fatbin", "concatenated.fatbin"] {
        let bytes = read(name);
        // All of the headers, a sample of the payloads.
        for at in (0..0x100).chain((0x100..bytes.len()).step_by(13)) {
            let mut damaged = bytes.clone();
            damaged[at] ^= if at % 2 == 0 { 0xff } else { 0x10 };
            let _ = exercise(&damaged);
        }
    }
}

#[test]
fn announced_sizes_are_not_believed() {
    let mut bytes = read("lz4.fatbin");
    // Unpacked size of the first entry.
    bytes[16 + 56..16 + 64].copy_from_slice(&u64::MAX.to_le_bytes());
    let error = exercise(&bytes).unwrap_err();
    assert!(matches!(error, ContainerError::TooLarge { offset: 16, .. }), "{error}");

    let mut bytes = read("data.sm_75.cubin");
    // Number of sections in the header, and zero: the first section has to say it.
    bytes[0x3c..0x3e].copy_from_slice(&u16::MAX.to_le_bytes());
    assert!(matches!(exercise(&bytes), Err(ContainerError::Truncated { .. })));
    bytes[0x3c..0x3e].fill(0);
    assert!(exercise(&bytes).is_ok(), "no sections: an empty module");
}
