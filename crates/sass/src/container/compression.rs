//! The two compressions of fat binaries: LZ4 blocks (CUDA 11, and `-compress-mode=speed`
//! of CUDA 13) and Zstandard (CUDA 13). Output never exceeds the size that the
//! caller allows.

use std::io::Read;

/// Why a payload could not be unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum UnpackError {
    /// The bytes make no sense at this offset of the payload.
    Corrupt(usize),
    /// The result has another size than announced.
    Size,
}

/// Unpacks one LZ4 block of exactly `size` bytes. Format: sequences of a token
/// (literal count, match length - 4), literals, a two-byte distance, with
/// counts of 15 continued in further bytes. Trailing padding is ignored.
pub(super) fn lz4(input: &[u8], size: usize) -> Result<Vec<u8>, UnpackError> {
    let mut output = Vec::with_capacity(size.min(input.len().saturating_mul(4)));
    let mut at = 0;
    let corrupt = UnpackError::Corrupt;
    while output.len() < size {
        let token = *input.get(at).ok_or(corrupt(at))?;
        at += 1;
        let literals = count(input, &mut at, token >> 4)?;
        let taken = input.get(at..at.saturating_add(literals)).ok_or(corrupt(at))?;
        if literals > size - output.len() {
            return Err(UnpackError::Size);
        }
        output.extend_from_slice(taken);
        at += literals;
        if output.len() == size {
            break;
        }
        let distance = input.get(at..at + 2).ok_or(corrupt(at))?;
        let distance = distance.iter().rev().fold(0, |d, &b| d << 8 | usize::from(b));
        at += 2;
        let length = count(input, &mut at, token & 15)?.saturating_add(4);
        if distance == 0 || distance > output.len() {
            return Err(corrupt(at));
        }
        if length > size - output.len() {
            return Err(UnpackError::Size);
        }
        // A match may overlap what it produces: copy in runs of its distance.
        let start = output.len() - distance;
        let mut left = length;
        while left > 0 {
            let run = left.min(output.len() - start);
            output.extend_from_within(start..start + run);
            left -= run;
        }
    }
    Ok(output)
}

/// A count whose first part is `nibble`.
fn count(input: &[u8], at: &mut usize, nibble: u8) -> Result<usize, UnpackError> {
    let mut total = usize::from(nibble);
    if nibble == 15 {
        loop {
            let byte = *input.get(*at).ok_or(UnpackError::Corrupt(*at))?;
            *at += 1;
            total = total.saturating_add(byte.into());
            if byte != 255 {
                break;
            }
        }
    }
    Ok(total)
}

/// Unpacks Zstandard frames of `size` bytes together.
pub(super) fn zstd(mut input: &[u8], size: usize) -> Result<Vec<u8>, UnpackError> {
    let len = input.len();
    let mut output = Vec::new();
    while output.len() < size {
        let corrupt = UnpackError::Corrupt(len - input.len());
        let room = (size - output.len() + 1) as u64;
        let mut decoder =
            ruzstd::decoding::StreamingDecoder::new(&mut input).map_err(|_| corrupt.clone())?;
        let read = decoder.by_ref().take(room).read_to_end(&mut output).map_err(|_| corrupt)?;
        drop(decoder);
        if output.len() > size || read == 0 {
            return Err(UnpackError::Size);
        }
    }
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_may_overlap_what_it_produces() {
        // Literals "ab", then 9 bytes from distance 2, then the literal "c".
        assert_eq!(lz4(b"\x25ab\x02\x00\x10c", 12).unwrap(), b"abababababac");
    }

    #[test]
    fn counts_continue_after_fifteen() {
        let mut block = vec![0xf0, 255, 3];
        block.extend([7; 273]);
        assert_eq!(lz4(&block, 273).unwrap(), [7; 273]);
        assert_eq!(lz4(&block[..200], 273), Err(UnpackError::Corrupt(3)));
    }

    #[test]
    fn bad_blocks_are_refused() {
        // Distance zero, distance before the beginning, more than announced, no data.
        assert_eq!(lz4(b"\x10a\x00\x00", 9), Err(UnpackError::Corrupt(4)));
        assert_eq!(lz4(b"\x10a\x02\x00", 9), Err(UnpackError::Corrupt(4)));
        assert_eq!(lz4(b"\x30abc", 2), Err(UnpackError::Size));
        assert_eq!(lz4(b"\x1fa\x01\x00\xff\xff\x00", 9), Err(UnpackError::Size));
        assert_eq!(lz4(b"", 1), Err(UnpackError::Corrupt(0)));
        assert_eq!(lz4(b"", 0).unwrap(), b"");
        assert_eq!(zstd(b"no frame", 4), Err(UnpackError::Corrupt(0)));
    }
}
