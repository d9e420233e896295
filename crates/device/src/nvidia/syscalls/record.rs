//! The records that device code leaves for the host. The layout is that of
//! `kernels/syscalls/syscalls.cu`.

/// Smallest record: size, kind and something.
const LEAST: usize = 24;
const PRINTF: u32 = 1;
const ASSERT: u32 = 2;

/// A record as it stands in the buffer.
#[derive(Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// A call of `vprintf`.
    Printf {
        /// Address of the format.
        format: u64,
        /// The format's text, where it is not at that address any more.
        text: Option<&'a [u8]>,
        /// Argument block.
        block: &'a [u8],
        /// Strings, each with its zero.
        strings: &'a [u8],
    },
    /// A call of `__assertfail`.
    Assert {
        /// Address of the condition's text.
        message: u64,
        /// Address of the file's name.
        file: u64,
        /// Address of the function's name.
        function: u64,
        /// Line.
        line: u32,
        /// Block index.
        block: [u32; 3],
        /// Thread index.
        thread: [u32; 3],
    },
}

/// The complete records of a buffer, in its order. Device code may have been
/// stopped anywhere, and faults may have changed anything: what makes no sense
/// is passed over.
pub fn records(buffer: &[u8]) -> Vec<Record<'_>> {
    let mut found = Vec::new();
    let mut rest = buffer;
    while rest.len() >= 8 {
        let size = word(rest, 0) as usize;
        let whole = (size >= LEAST && size.is_multiple_of(8)).then(|| rest.get(..size)).flatten();
        // Room that was reserved but not written yet holds zeros.
        let Some(bytes) = whole else {
            rest = &rest[8..];
            continue;
        };
        found.extend(read(bytes));
        rest = &rest[size..];
    }
    found
}

fn read(bytes: &[u8]) -> Option<Record<'_>> {
    match word(bytes, 4) {
        PRINTF => {
            let block = word(bytes, 16) as usize;
            let copied = word(bytes, 20) != 0;
            let behind = bytes.get(LEAST..)?;
            let mut strings = behind.get(block.checked_next_multiple_of(8)?..)?;
            let mut text = None;
            if copied {
                let end = strings.iter().position(|&c| c == 0)?;
                text = Some(&strings[..end]);
                strings = &strings[end + 1..];
            }
            let format = double_word(bytes, 8);
            Some(Record::Printf { format, text, block: behind.get(..block)?, strings })
        }
        ASSERT if bytes.len() == 64 => Some(Record::Assert {
            message: double_word(bytes, 8),
            file: double_word(bytes, 16),
            function: double_word(bytes, 24),
            line: word(bytes, 32),
            block: [word(bytes, 40), word(bytes, 44), word(bytes, 48)],
            thread: [word(bytes, 52), word(bytes, 56), word(bytes, 60)],
        }),
        _ => None,
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes)
}

fn double_word(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    #[test]
    fn a_record_that_was_cut_off_hides_no_other() {
        let reserved = [0; 8];
        let begun = [32, 0, 7, 0, 8, 0, 1, 2];
        let whole = [32, PRINTF, 7, 0, 8, 0, 1, 2];
        let buffer = bytes(&[reserved, begun, whole].concat());
        let block = bytes(&[1, 2]);
        assert_eq!(
            records(&buffer),
            [Record::Printf { format: 7, text: None, block: &block, strings: &[] }]
        );
    }

    #[test]
    fn no_damage_is_too_much() {
        let good = bytes(&[32, PRINTF, 7, 0, 8, 1, 1, 0]);
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                assert!(records(&bad).len() <= 1);
                assert!(records(&bad[..at]).is_empty());
            }
        }
    }
}
