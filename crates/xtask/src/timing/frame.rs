//! Putting words of our own into the frame (`kernels/micro/frame/frame.cu`).

use std::ops::Range;

use upset_sass::Word;
use upset_sass::container::cubin;

use super::file::read;
use super::words::nop;
use crate::{Outcome, root};

/// The register of a word that the frame loads and stores, in what the compiler
/// made for sm_90. R40 to R51 are free for anything.
pub const fn register(word: usize) -> u8 {
    (36 - 4 * (word / 4) + word % 4) as u8
}

/// Is this one of the fillers, `LOP3` with the table 0x1b?
fn filler(word: Word) -> bool {
    word.bits(0, 12) == 0x212 && word.bits(72, 8) == 0x1b
}

/// The frame's code with `words` in the slot and nothing in place of the other fillers.
pub fn patched(words: &[Word]) -> Outcome<Vec<u8>> {
    let mut image = read(&root().join("kernels/micro/frame/frame.sm_90.cubin"))?;
    let code = code_range(&image)?;
    let word = |image: &[u8], i: usize| {
        Word::from_bytes(std::array::from_fn(|k| image[code.start + 16 * i + k]))
    };
    let count = code.len() / 16;
    let fillers: Vec<bool> = (0..count).map(|i| filler(word(&image, i))).collect();
    let slot = longest_run(&fillers);
    if slot.len() < words.len() {
        return Err(format!("{} words, the frame has room for {}", words.len(), slot.len()));
    }
    for i in (0..count).filter(|&i| fillers[i]) {
        let new = match i.checked_sub(slot.start).and_then(|n| words.get(n)) {
            Some(word) => *word,
            None => nop().stall(1),
        };
        image[code.start + 16 * i..][..16].copy_from_slice(&new.0.to_le_bytes());
    }
    Ok(image)
}

fn code_range(image: &[u8]) -> Outcome<Range<usize>> {
    let module = cubin::parse(image).map_err(|e| format!("frame: {e}"))?;
    let code = &module.code.first().ok_or("the frame has no code")?.code.bytes;
    let at = image.windows(code.len()).position(|w| w == code.as_slice());
    let at = at.ok_or("the frame's code is not in its file")?;
    Ok(at..at + code.len())
}

fn longest_run(flags: &[bool]) -> Range<usize> {
    let (mut best, mut start) = (0..0, 0);
    for (i, &flag) in flags.iter().chain([&false]).enumerate() {
        if !flag {
            if i - start > best.len() {
                best = start..i;
            }
            start = i + 1;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_run_is_found() {
        assert_eq!(longest_run(&[true, false, true, true, false]), 2..4);
        assert_eq!(longest_run(&[false]), 0..0);
    }

    #[test]
    fn the_frame_has_room_and_takes_words() {
        let words = vec![nop().stall(2); 420];
        assert!(patched(&words).is_ok());
        assert!(patched(&vec![nop().stall(2); 500]).is_err());
    }
}
