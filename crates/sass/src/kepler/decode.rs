//! From words to table rows.

use upset_isa::Inst;

use super::column::legal;
use super::{Control, Fields, Form, Row, Word, table};
use crate::LowerError;

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
            Some(lower) => {
                let joins = self.row.joins && self.fields.joins();
                lower(&self.fields).map(|inst| Inst { joins, ..inst })
            }
            None => Err(LowerError::Unimplemented(self.row.op.name)),
        }
    }
}

/// The word is not an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an instruction of sm_35")]
pub struct Illegal(pub Word);

/// Decodes one word as an instruction. What stands at the beginning of a group
/// may be a [`Control`] word instead; as an instruction that is illegal.
pub fn decode(word: Word) -> Result<Decoded, Illegal> {
    if Control::of(word).is_some() {
        return Err(Illegal(word));
    }
    let mut fields = Fields { word, op: &crate::table::UNKNOWN, form: Form::Own };
    for (row, form) in table::candidates(word) {
        fields.form = *form;
        if row.selected(&fields) {
            fields.op = row.op;
            let ok = legal(row.mods, &fields) && legal(row.args, &fields);
            return if ok { Ok(Decoded { row, fields }) } else { Err(Illegal(word)) };
        }
    }
    Err(Illegal(word))
}
