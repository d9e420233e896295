//! Code in the program's memory: how long it is shows in the code itself.

use std::ffi::{CStr, c_char};

use super::registry::{self, CONTAINER_MAGIC, WRAPPER_MAGIC};
use crate::abi::Address;
use crate::error::{Error, Result};

const ELF: [u8; 4] = *b"\x7fELF";
/// Bytes of an ELF file's header, and of an entry of its table of sections.
const HEADER: usize = 64;
const SECTION: usize = 64;
/// A section that takes no room in the file.
const NOBITS: u32 = 8;

fn number<const N: usize>(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + N].iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))
}

/// Where an ELF file ends, by its header and a way to its tables.
fn elf_end<'a>(header: &[u8], table: impl FnOnce(u64, usize) -> &'a [u8]) -> u64 {
    let (segments, sections) = (number::<8>(header, 32), number::<8>(header, 40));
    let segment_bytes = number::<2>(header, 54) * number::<2>(header, 56);
    let count = number::<2>(header, 60) as usize;
    let mut end = (segments + segment_bytes).max(sections + (count * SECTION) as u64);
    for section in table(sections, count * SECTION).chunks_exact(SECTION) {
        if number::<4>(section, 4) as u32 != NOBITS {
            end = end.max(number::<8>(section, 24) + number::<8>(section, 32));
        }
    }
    end
}

/// The code at an address: a cubin, a fat binary or what the compiler wraps around
/// one, or PTX, which ends with a zero byte.
pub fn at<'a>(at: Address) -> Result<&'a [u8]> {
    if at.0 == 0 {
        return Err(Error::INVALID_VALUE);
    }
    // SAFETY: an image, which the program vouches for; none is shorter.
    let start = unsafe { at.host_bytes(4) };
    match u32::from_le_bytes([start[0], start[1], start[2], start[3]]) {
        WRAPPER_MAGIC => registry::wrapped(at).ok_or(Error::INVALID_KERNEL_IMAGE),
        CONTAINER_MAGIC => registry::contained(at).ok_or(Error::INVALID_KERNEL_IMAGE),
        magic if magic.to_le_bytes() == ELF => {
            // SAFETY: an ELF file in the program's memory, with its tables.
            let header = unsafe { at.host_bytes(HEADER) };
            // SAFETY: as above.
            let end = elf_end(header, |from, len| unsafe { at.offset(from).host_bytes(len) });
            // SAFETY: as above.
            Ok(unsafe { at.host_bytes(end as usize) })
        }
        _ => {
            // SAFETY: anything else is text, as the API says.
            Ok(unsafe { CStr::from_ptr(at.0 as *const c_char) }.to_bytes())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_elf_file_ends_with_its_last_table_or_section() {
        let bytes =
            std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/va/va.sm_75.cubin"))
                .expect("a cubin");
        let end = elf_end(&bytes[..HEADER], |from, len| &bytes[from as usize..][..len]);
        assert_eq!(end, bytes.len() as u64);
    }

    #[test]
    fn text_ends_with_a_zero_byte() {
        let text = c".version 7.8\n";
        assert_eq!(at(Address(text.as_ptr() as u64)), Ok(text.to_bytes()));
        assert_eq!(at(Address(0)), Err(Error::INVALID_VALUE));
    }
}
