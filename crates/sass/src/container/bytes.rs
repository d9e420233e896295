//! Reading little-endian fields of a file that may be hostile.

use super::ContainerError;

/// The bytes of a file; all reading goes through checked accessors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// `size` bytes from `offset`; `what` names them in the error.
    pub fn slice(
        self,
        offset: u64,
        size: u64,
        what: impl FnOnce() -> String,
    ) -> Result<&'a [u8], ContainerError> {
        offset
            .checked_add(size)
            .and_then(|end| self.0.get(usize::try_from(offset).ok()?..usize::try_from(end).ok()?))
            .ok_or_else(|| ContainerError::Truncated {
                what: what(),
                offset,
                end: offset.saturating_add(size),
                len: self.0.len() as u64,
            })
    }
}

/// Field of `N` bytes at `at`, zero where `bytes` is too short: for records
/// whose length was checked before.
fn field<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    at.checked_add(N)
        .and_then(|end| bytes.get(at..end))
        .and_then(|b| b.try_into().ok())
        .unwrap_or([0; N])
}

/// 16-bit field of a record.
pub(super) fn u16_at(record: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(field(record, at))
}

/// 32-bit field of a record.
pub(super) fn u32_at(record: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(field(record, at))
}

/// 64-bit field of a record.
pub(super) fn u64_at(record: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(field(record, at))
}

/// Longest name that is read: far beyond what compilers mangle.
const NAME_LIMIT: usize = 1 << 16;

/// The NUL-terminated string at `at` of a string table.
pub(super) fn text_at(table: &[u8], at: u32) -> Option<&str> {
    let tail = table.get(at as usize..)?;
    let tail = tail.get(..NAME_LIMIT).unwrap_or(tail);
    let end = tail.iter().position(|&b| b == 0)?;
    std::str::from_utf8(tail.get(..end)?).ok()
}
