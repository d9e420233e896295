//! A wave slot: everything a resident wave has beside its registers.

use upset_state::{Array, ArrayId, Kind, Probe};

use crate::code::Scalars;
use crate::counters::Counters;
use crate::ibuf::Ibuf;

/// Bits of a program counter.
pub const PC_BITS: u32 = 48;

/// A wave slot.
#[derive(Clone, Debug)]
pub struct Wave {
    /// Address of the next instruction.
    pub pc: u64,
    /// Lanes that execute.
    pub exec: u64,
    /// Rounding and denormals.
    pub mode: u32,
    /// The scalar condition code: all ones or all zeroes.
    pub scc: Array<u32, [u32; 1]>,
    /// M0.
    pub m0: Array<u32, [u32; 1]>,
    /// Memory operations that are not over.
    pub counters: Counters,
    /// Instruction buffer.
    pub ibuf: Ibuf,
    /// First row of its vector registers; two rows are one register.
    pub first_row: u32,
    /// Vector registers it has.
    pub vgprs: u32,
    /// First of its scalar registers.
    pub first_sgpr: u32,
    /// Scalar registers it has, the last two being VCC.
    pub sgprs: u32,
    /// Lanes it began with.
    pub began: u64,
    /// Slot of its work-group.
    pub group: u32,
    /// Number within the work-group.
    pub id: u32,
    /// A work-group holds the slot until all its waves are done.
    pub held: bool,
    /// A wave lives here.
    pub resident: bool,
    /// It has come to its end; memory operations may be under way.
    pub ended: bool,
    /// It waits at the barrier.
    pub at_barrier: bool,
    /// Memory operations whose results have not been written.
    pub in_flight: u32,
    /// Priority, 0 to 3.
    pub priority: u8,
    /// When it started.
    pub since: u64,
    /// Scalar registers that a vector instruction wrote, and when scalar
    /// instructions can read them.
    pub late: (Scalars, u64),
    /// What the last instruction wrote, and when jumps can depend on it.
    pub fresh: (Scalars, u64),
}

impl Wave {
    /// An empty slot of a compute unit whose instruction buffers have `rows` rows.
    pub fn new(cu: u32, slot: u32, rows: u32) -> Wave {
        let one = |kind| Array::part(ArrayId::data(kind, cu), slot, 1, [0]);
        Wave {
            pc: 0,
            exec: 0,
            mode: 0,
            scc: one(Kind::Scc),
            m0: one(Kind::M0),
            counters: Counters::default(),
            ibuf: Ibuf::new(cu, slot, rows),
            first_row: 0,
            vgprs: 0,
            first_sgpr: 0,
            sgprs: 0,
            began: 0,
            group: 0,
            id: 0,
            held: false,
            resident: false,
            ended: false,
            at_barrier: false,
            in_flight: 0,
            priority: 0,
            since: 0,
            late: (0, 0),
            fresh: (0, 0),
        }
    }

    /// A wave starts. Its registers keep what is in their rows.
    pub fn start<P: Probe>(&mut self, pc: u64, lanes: u64, mode: u32, now: u64, probe: &mut P) {
        self.scc.reset(now, probe);
        // No limit, until the code sets one.
        self.m0.write(now, 0, !0, &!0, probe);
        self.pc = pc;
        self.exec = lanes;
        self.began = lanes;
        self.mode = mode;
        self.counters = Counters::default();
        self.ibuf.restart(pc);
        self.held = true;
        self.resident = true;
        self.ended = false;
        self.at_barrier = false;
        self.in_flight = 0;
        self.priority = 0;
        self.since = now;
        self.late = (0, 0);
        self.fresh = (0, 0);
    }
}
