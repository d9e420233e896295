//! From words to table rows.

use upset_isa::{Inst, LatencyClass};

use crate::table::{self, Boards, Row, column};
use crate::{Arch, Fields, LowerError, Word};

/// A legal word: its row and its fields.
#[derive(Clone, Copy, Debug)]
pub struct Decoded {
    /// The instruction.
    pub row: &'static Row,
    /// The word, ready for lowering.
    pub fields: Fields,
}

impl Decoded {
    /// The executable instruction.
    pub fn lower(&self) -> Result<Inst, LowerError> {
        match self.row.lower {
            Some(lower) => lower(&self.fields),
            None => Err(LowerError::Unimplemented(self.row.op.name)),
        }
    }
}

/// The word is not an instruction of the architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is not an instruction of {arch}")]
pub struct Illegal {
    /// The word.
    pub word: Word,
    /// The architecture.
    pub arch: Arch,
}

/// Decodes one word.
pub fn decode(word: Word, arch: Arch) -> Result<Decoded, Illegal> {
    let illegal = Illegal { word, arch };
    // nvdisasm 11.8 takes erased memory for NOP.
    let word = if word.0 == 0 { NOP } else { word };
    // sm_70 has no uniform datapath: bit 91 means nothing there.
    let word = if arch == Arch::Sm70 { Word(word.0 & !(1 << 91)) } else { word };
    let form = word.bits(9, 3) as u8;
    let mut fields = Fields { word, arch, op: &table::UNKNOWN, form };
    let row = table::select(&fields).ok_or(illegal)?;
    fields.op = row.op;
    let ok = scheduling(row, &fields)
        && column::legal(row.mods, &fields)
        && column::legal(row.args, &fields);
    if ok { Ok(Decoded { row, fields }) } else { Err(illegal) }
}

/// `NOP` with idle scheduling fields.
const NOP: Word = Word(0x000f_c000_0000_0000_0000_0000_0000_7918);

/// Are the scheduling fields (bits 105-125) legal?
///
/// Bits 105-109 are one field: 1-15 stall and yield, 17-27 stall. Only in the
/// latter are bits 122-124 reuse flags, and then only of register sources;
/// otherwise they hold a batch number up to 5.
fn scheduling(row: &Row, f: &Fields) -> bool {
    let boards = match row.boards {
        Boards::Both => true,
        Boards::Read => f.bits(110, 3) == 7,
        Boards::Write => f.bits(113, 3) == 7,
        Boards::None => f.bits(110, 6) == 63,
    };
    let flags = f.bits(122, 3) as u8;
    boards
        && match f.bits(105, 5) {
            0 => flags == 0,
            // The third kind of batch needs a register that could be kept.
            1..=15 => {
                let uncached = match column::reuse_slots(row.args, f) {
                    Some(slots) => slots == 0,
                    None => row.op.latency == LatencyClass::Fixed,
                };
                flags <= 5 && (flags != 3 || !uncached)
            }
            17..=27 => match column::reuse_slots(row.args, f) {
                // sm_70: where only one of B and C is a register, both flags name it.
                Some(3 | 5) if f.arch == Arch::Sm70 => flags & 6 != 6,
                Some(slots) => flags & !slots == 0,
                None if row.op.latency == LatencyClass::Fixed => flags == 0,
                None => flags <= 5,
            },
            _ => false,
        }
}
