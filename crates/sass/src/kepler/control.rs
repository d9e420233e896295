//! Control words: when the next seven instructions may issue.
//!
//! Code stands in groups of 64 bytes, a control word and seven instructions.
//! Byte `i` of a control word (bits `2 + 8 i ..`) belongs to instruction `i`.

use super::Word;

/// Words of a group.
pub const GROUP: usize = 8;

/// What the compiler asks of the scheduler after one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Issue {
    /// The next instruction may issue after that many cycles.
    Wait(u8),
    /// The next instruction issues in the same cycle.
    Together,
    /// Seen on padding only; compilers of others use it for "as long as it takes".
    Default,
    /// After a texture barrier (0x80 set): the hardware's meaning is not known.
    Other(u8),
}

impl Issue {
    /// The meaning of a control byte; evidence in `docs/kepler.md`.
    pub fn of(byte: u8) -> Issue {
        match byte {
            0x20..=0x3f => Issue::Wait((byte & 0x1f) + 1),
            0x04 => Issue::Together,
            0x00 => Issue::Default,
            _ => Issue::Other(byte),
        }
    }
}

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

    /// What instruction `i` asks, 0 to 6.
    pub fn issue(self, i: usize) -> Issue {
        Issue::of(self.byte(i))
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
        assert_eq!(control.issue(0), Issue::Wait(17));
        assert_eq!(Issue::of(4), Issue::Together);
    }

    #[test]
    fn instructions_are_no_control_words() {
        assert_eq!(Control::of(Word(0x8580_0000_001c_3c02)), None);
    }
}
