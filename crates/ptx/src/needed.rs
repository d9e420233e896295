//! Whether an image needs a converter, and for which text.

use upset_sass::container::{self, Container, ContainerError, fatbin};

/// The PTX that has to be converted for a device of compute capability `sm`; none
/// where the image has machine code for it. Of several the newest that the device
/// knows.
pub fn ptx(image: &[u8], sm: u32) -> Result<Option<Vec<u8>>, ContainerError> {
    if is_text(image) {
        return Ok(Some(ended(image).to_vec()));
    }
    let entries = match container::open(image)? {
        Container::Cubin(_) => return Ok(None),
        Container::Fat(entries) => entries,
    };
    match fatbin::choose(&entries, sm) {
        Ok(_) => Ok(None),
        Err(ContainerError::NeedsPtx { sm, ptx }) => match fatbin::choose_ptx(&entries, sm) {
            Some(entry) => Ok(Some(ended(&entry.image()?).to_vec())),
            None => Err(ContainerError::NeedsPtx { sm, ptx }),
        },
        Err(e) => Err(e),
    }
}

/// Whether these bytes are PTX: what precedes its first directive is comments and
/// blanks.
fn is_text(image: &[u8]) -> bool {
    let mut rest = image;
    loop {
        rest = rest.trim_ascii_start();
        let skipped = match rest {
            [b'/', b'/', ..] => rest.iter().position(|c| *c == b'\n'),
            [b'/', b'*', ..] => rest.windows(2).position(|w| w == b"*/").map(|at| at + 2),
            _ => return rest.starts_with(b".version"),
        };
        let Some(skipped) = skipped else { return false };
        rest = &rest[skipped..];
    }
}

/// Up to the zero byte that a text in memory ends with.
fn ended(text: &[u8]) -> &[u8] {
    text.split(|c| *c == 0).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_known_by_its_first_directive() {
        for text in
            [&b".version 7.8\n"[..], b"\n// a\n/* b\n*/ .version 8.0", b".version 1.0\0\xff"]
        {
            assert!(is_text(text));
        }
        for other in [&b""[..], b"// .version", b"/* .version", b"version", b"\x7fELF"] {
            assert!(!is_text(other));
        }
        assert_eq!(ptx(b".version 7.8\0\0", 75), Ok(Some(b".version 7.8".to_vec())));
    }
}
