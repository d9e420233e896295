//! How long a cubin is, given only where it begins.

/// Bytes of the ELF file at `image`, by its own tables.
///
/// # Safety
/// `image` must point to a whole ELF file of 64 bits.
pub unsafe fn length(image: *const u8) -> Option<usize> {
    let byte = |at: usize| {
        // SAFETY: callers stay inside the file, by its header's word.
        unsafe { *image.add(at) }
    };
    if [byte(0), byte(1), byte(2), byte(3)] != *b"\x7fELF" {
        return None;
    }
    let number = |at: usize, width: usize| {
        (0..width).rev().fold(0u64, |v, i| v << 8 | u64::from(byte(at + i))) as usize
    };
    let sections = (number(0x28, 8), number(0x3a, 2), number(0x3c, 2));
    let segments = (number(0x20, 8), number(0x36, 2), number(0x38, 2));
    let mut end = sections.0 + sections.1 * sections.2;
    end = end.max(segments.0 + segments.1 * segments.2);
    for i in 0..sections.2 {
        let header = sections.0 + i * sections.1;
        // What holds no bytes in the file is of kind 8.
        if number(header + 4, 4) != 8 {
            end = end.max(number(header + 0x18, 8) + number(header + 0x20, 8));
        }
    }
    Some(end)
}
