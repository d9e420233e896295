//! What an instruction does in LDS.

use crate::inst::{Detail, Inst};
use crate::sem::Does;
use crate::sem::share::ShareOp;
use crate::trap::TrapKind;

/// What an instruction does in LDS. The global data share is not there.
#[inline]
pub fn operation(inst: &Inst) -> Result<ShareOp, TrapKind> {
    match (inst.row.does, inst.detail) {
        (Does::Share(_), Detail::Share(share)) if share.gds => {
            Err(TrapKind::Unimplemented(format!("{} gds", inst.row.name)))
        }
        (Does::Share(op), _) => Ok(op),
        _ => Err(TrapKind::Unimplemented(inst.row.name.to_string())),
    }
}
