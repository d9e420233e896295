//! Whether an image needs a converter, and for which text.

use upset_sass::container::{self, Container, ContainerError, fatbin};

/// What a device of compute capability `sm` takes of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Machine code, for this architecture.
    Code(u32),
    /// PTX that has to be converted, and the architecture that it is for, if it says so.
    Text(Vec<u8>, Option<u32>),
}

/// What a device takes of an image: machine code, where it has any for it, else PTX, of
/// several texts the newest that the device knows.
pub fn taken(image: &[u8], sm: u32) -> Result<Taken, ContainerError> {
    let text = |text: &[u8]| Taken::Text(ended(text).to_vec(), target(ended(text)));
    if is_text(image) {
        return Ok(text(image));
    }
    let entries = match container::open(image)? {
        Container::Cubin(module) => return Ok(Taken::Code(module.sm)),
        Container::Fat(entries) => entries,
    };
    match fatbin::choose(&entries, sm) {
        Ok(entry) => Ok(Taken::Code(entry.sm)),
        Err(ContainerError::NeedsPtx { sm, ptx }) => match fatbin::choose_ptx(&entries, sm) {
            Some(entry) => Ok(text(&entry.image()?)),
            None => Err(ContainerError::NeedsPtx { sm, ptx }),
        },
        Err(e) => Err(e),
    }
}

/// 75 of `.target sm_75, …`.
fn target(text: &[u8]) -> Option<u32> {
    let text = String::from_utf8_lossy(text);
    let directive = text.lines().find_map(|line| line.trim().strip_prefix(".target"))?;
    let digits = directive.trim().strip_prefix("sm_")?;
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
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
        let taken_of = |text| taken(text, 75);
        assert_eq!(taken_of(b".version 7.8\0\0"), Ok(Taken::Text(b".version 7.8".to_vec(), None)));
        for (line, sm) in [("sm_52", 52), ("sm_90a, debug", 90)] {
            let text = format!("// a\n.version 8.0\n.target {line}\n.address_size 64\n");
            let Ok(Taken::Text(_, found)) = taken(text.as_bytes(), 90) else { panic!("{text}") };
            assert_eq!(found, Some(sm));
        }
    }
}
