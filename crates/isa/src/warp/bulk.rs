//! Where bulk copies lead.

use super::Operands;
use super::access::locate;
use super::operand::value;
use crate::trap::TrapKind;
use crate::windows::Windows;
use crate::{BULK_UNIT, BulkTo, Inst, Space};

/// What a bulk copy moves, checked for alignment, not for existence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BulkPlaces {
    /// First byte in global memory.
    pub global: u64,
    /// First byte in the CTA's shared memory.
    pub shared: u32,
    /// Bytes.
    pub bytes: u32,
    /// The barrier that is told, if one is.
    pub barrier: Option<u32>,
}

impl BulkPlaces {
    /// Those of a [`Bulk`](crate::MemKind::Bulk) instruction.
    pub fn of(
        ops: &impl Operands,
        inst: &Inst,
        to: BulkTo,
        windows: &Windows,
    ) -> Result<BulkPlaces, TrapKind> {
        let global = value(ops, inst.src[0], 0)?;
        let pair = value(ops, inst.src[1], 0)?;
        let units = value(ops, inst.src[2], 0)? as u16;
        let unit = BULK_UNIT as u8;
        locate(Space::Global, global, unit, windows)?;
        locate(Space::Shared, u64::from(pair as u32), unit, windows)?;
        let barrier = match to {
            BulkTo::Shared => Some((pair >> 32) as u32),
            BulkTo::Global | BulkTo::Reduced(..) => None,
        };
        if let Some(at) = barrier {
            locate(Space::Shared, at.into(), 8, windows)?;
        }
        Ok(BulkPlaces { global, shared: pair as u32, bytes: u32::from(units) * BULK_UNIT, barrier })
    }
}
