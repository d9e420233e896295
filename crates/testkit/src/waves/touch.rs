//! What an instruction reads and writes, as far as waiting for it goes.

use upset_gcn::inst::{Detail, Inst};
use upset_gcn::row::Unit;
use upset_gcn::sem::buffer::BufferOp;
use upset_gcn::sem::{Does, Mode};
use upset_gcn::wave::{Operands, Reg, uses};
use upset_lanes::Lanes;

use super::registers::{s, v};
use super::shape::Shape;

/// Something that is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Thing {
    /// A vector register.
    Vector(u8),
    /// A scalar register.
    Scalar(u8),
    /// VCC, either half.
    Vcc,
    /// EXEC, either half.
    Exec,
    /// M0.
    M0,
    /// The scalar condition code.
    Scc,
    /// MODE.
    Mode,
    /// LDS, as a whole.
    Lds,
}

impl From<Reg> for Thing {
    fn from(reg: Reg) -> Thing {
        match reg {
            Reg::Sgpr(n) => Thing::Scalar(n),
            Reg::Vcc(_) => Thing::Vcc,
            Reg::Exec(_) => Thing::Exec,
            Reg::M0 => Thing::M0,
            Reg::Scc => Thing::Scc,
            Reg::Mode => Thing::Mode,
        }
    }
}

/// What an instruction reads and writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched {
    /// Read.
    pub read: Vec<Thing>,
    /// Written.
    pub written: Vec<Thing>,
    /// Vector registers that are read late.
    pub late: Vec<Thing>,
}

/// Registers whose values nobody knows here.
struct Unknown;

impl Operands for Unknown {
    fn vgpr(&self, _: u32, _: usize) -> &Lanes {
        static ZERO: Lanes = [0; 32];
        &ZERO
    }

    fn scalar(&self, _: Reg) -> u32 {
        0
    }

    fn exec(&self) -> u64 {
        0
    }

    fn mode(&self) -> Mode {
        Mode(0)
    }
}

/// What an instruction of a program of this shape touches.
pub(crate) fn touched(inst: &Inst, shape: &Shape) -> Touched {
    let mut t = Touched::default();
    let many = |first: u32, count: u8| (0..count).map(move |n| Thing::Vector(first as u8 + n));
    uses::each_vgpr_read(&Unknown, inst, |first, count| t.read.extend(many(first, count)));
    uses::each_vgpr_written(&Unknown, inst, |first, count| t.written.extend(many(first, count)));
    uses::each_scalar_read(&Unknown, inst, |reg| t.read.push(reg.into()));
    uses::each_scalar_written(&Unknown, inst, |reg| t.written.push(reg.into()));
    if let Does::MoveRelative { source, result } = inst.row.does {
        let vector = inst.row.unit == Unit::Valu;
        let pool: Vec<Thing> = match vector {
            true => (v::POOL..v::POOL + shape.vector_pool).map(Thing::Vector).collect(),
            false => (s::POOL..s::POOL + shape.scalar_pool).map(Thing::Scalar).collect(),
        };
        if source {
            t.read.extend(&pool);
        }
        if result {
            t.written.extend(&pool);
        }
    }
    match inst.row.does {
        Does::Share(_) => t.read.push(Thing::Lds),
        Does::Buffer(op) => {
            if matches!(inst.detail, Detail::Buffer(b) if b.lds) {
                t.written.push(Thing::Lds);
            }
            if let (false, upset_gcn::Operand::Vgpr(first)) =
                (matches!(op, BufferOp::Load(_)), inst.src[3])
            {
                t.late.extend(many(first.into(), inst.row.src[3].kind.dwords));
            }
        }
        _ => {}
    }
    t
}
