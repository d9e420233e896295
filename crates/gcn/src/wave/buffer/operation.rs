//! What an instruction does in vector memory.

use crate::inst::Inst;
use crate::sem::Does;
use crate::sem::buffer::BufferOp;
use crate::trap::TrapKind;

/// What an instruction does in memory.
#[inline]
pub fn operation(inst: &Inst) -> Result<BufferOp, TrapKind> {
    match inst.row.does {
        Does::Buffer(op) => Ok(op),
        _ => Err(TrapKind::Unimplemented(inst.row.name.to_string())),
    }
}
