//! Control words: when the next seven instructions may issue.
//!
//! Code stands in groups of 64 bytes, a control word and seven instructions.
//! Byte `i` of a control word (bits `2 + 8 i ..`) belongs to instruction `i`; what
//! is known of its meaning: `docs/kepler.md`.

use super::Word;

/// Words of a group.
pub const GROUP: usize = 8;

/// A control word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control(Word);

impl Control {
    /// The word, if it has the shape of a control word: bits 0-1 clear, bits
    /// 59-63 = 1. nvdisasm tells them by the same pattern; compilers leave bit
    /// 58 clear.
    pub fn of(word: Word) -> Option<Control> {
        (word.bits(0, 2) == 0 && word.bits(59, 5) == 1).then_some(Control(word))
    }

    /// The byte of instruction `i`, 0 to 6.
    pub fn byte(self, i: usize) -> u8 {
        self.0.bits(2 + 8 * (i.min(GROUP - 2) as u32), 8) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_stand_in_the_order_of_the_instructions() {
        // From a compiled kernel.
        let control = Control::of(Word(0x08a0_bc80_c0a0_8cc0)).expect("a control word");
        let bytes: Vec<u8> = (0..7).map(|i| control.byte(i)).collect();
        assert_eq!(bytes, [0x30, 0x23, 0x28, 0x30, 0x20, 0x2f, 0x28]);
    }

    #[test]
    fn instructions_are_no_control_words() {
        assert_eq!(Control::of(Word(0x8580_0000_001c_3c02)), None);
    }
}
