//! A wave's registers as an instruction found them, for those who ask what it
//! would have made of others.

use upset_cu::sgpr_number;
use upset_gcn::inst::Inst;
use upset_gcn::sem::Does;
use upset_gcn::wave::{Operands, Reg, uses};
use upset_lanes::{Lanes, WARP};

use crate::rows::{pack, unpack};

/// What holds a scalar value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A register of the wave by its row; the last two are VCC.
    Register(u8),
    /// M0.
    M0,
    /// The condition code.
    Scc,
    /// A half of EXEC.
    Exec(u8),
}

impl Place {
    /// Bits it has.
    pub(crate) fn bits(self) -> u32 {
        if self == Place::Scc { 1 } else { 32 }
    }
}

/// Something that an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// A vector register.
    Vector(u8),
    /// A scalar value.
    Scalar(Place),
}

/// Registers that waves of a kernel have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) vgprs: u32,
    pub(crate) sgprs: u32,
}

impl Given {
    /// What holds a scalar register; nothing does for MODE and what is beyond
    /// those that the wave has.
    pub(crate) fn place(self, reg: Reg) -> Option<Place> {
        match reg {
            Reg::Sgpr(_) | Reg::Vcc(_) => {
                sgpr_number(reg, self.sgprs).map(|n| Place::Register(n as u8))
            }
            Reg::Exec(half) => Some(Place::Exec(half & 1)),
            Reg::M0 => Some(Place::M0),
            Reg::Scc => Some(Place::Scc),
            Reg::Mode => None,
        }
    }

    /// The scalar register in a row.
    fn reg(self, row: u8) -> Reg {
        match self.sgprs.saturating_sub(row.into()) {
            2 => Reg::Vcc(0),
            1 => Reg::Vcc(1),
            _ => Reg::Sgpr(row),
        }
    }

    /// The vector register that is read for a number: beyond the last it is v0.
    pub(crate) fn vgpr(self, n: u32) -> u8 {
        if n < self.vgprs { n as u8 } else { 0 }
    }
}

static ZERO: Lanes = [0; WARP];

/// A wave's registers as far as an instruction reads them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held {
    pub(crate) given: Given,
    exec: u64,
    m0: u32,
    mode: u32,
    vgprs: Vec<(u8, [Lanes; 2])>,
    scalars: Vec<(Place, u32)>,
    /// All that it reads but EXEC of vector instructions.
    pub(crate) inputs: Vec<Input>,
}

impl Held {
    /// Appends what an instruction reads to `values`.
    pub(crate) fn record(
        &mut self,
        view: &impl Operands,
        inst: &Inst,
        given: Given,
        values: &mut Vec<u32>,
    ) {
        let exec = view.exec();
        let (m0, mode) = (view.scalar(Reg::M0), view.scalar(Reg::Mode));
        self.begin(given, [exec as u32, (exec >> 32) as u32, m0, mode]);
        values.extend([exec as u32, (exec >> 32) as u32, m0, mode]);
        self.find_inputs(inst);
        for input in &self.inputs {
            match *input {
                Input::Vector(n) => {
                    (0..2).for_each(|half| pack(view.vgpr(n.into(), half), values));
                }
                Input::Scalar(Place::Register(n)) => values.push(view.scalar(given.reg(n))),
                Input::Scalar(Place::Scc) => values.push(view.scalar(Reg::Scc)),
                Input::Scalar(Place::M0 | Place::Exec(_)) => {}
            }
        }
    }

    /// Takes what was recorded from word `at` on.
    pub(crate) fn load(&mut self, inst: &Inst, given: Given, values: &[u32], mut at: usize) {
        let head = values.get(at..).and_then(|v| v.first_chunk()).copied().unwrap_or_default();
        self.begin(given, head);
        at += 4;
        self.find_inputs(inst);
        for input in &self.inputs {
            match *input {
                Input::Vector(n) => {
                    let rows = [unpack(values, &mut at), unpack(values, &mut at)];
                    self.vgprs.push((n, rows));
                }
                Input::Scalar(place @ (Place::Register(_) | Place::Scc)) => {
                    self.scalars.push((place, values.get(at).copied().unwrap_or(0)));
                    at += 1;
                }
                Input::Scalar(Place::M0 | Place::Exec(_)) => {}
            }
        }
    }

    fn begin(&mut self, given: Given, [low, high, m0, mode]: [u32; 4]) {
        self.given = given;
        self.exec = u64::from(low) | u64::from(high) << 32;
        (self.m0, self.mode) = (m0, mode);
        self.vgprs.clear();
        self.scalars.clear();
    }

    /// What the instruction reads, each once. Data of stores is read later, and
    /// its values are of no interest.
    fn find_inputs(&mut self, inst: &Inst) {
        let mut found = std::mem::take(&mut self.inputs);
        found.clear();
        let mut add = |input: Input| {
            if !found.contains(&input) {
                found.push(input);
            }
        };
        let is_buffer = matches!(inst.row.does, Does::Buffer(_));
        let given = self.given;
        uses::each_vgpr_source(self, inst, |source, first, count| {
            if !(is_buffer && source == uses::DATA) {
                (0..u32::from(count)).for_each(|n| add(Input::Vector(given.vgpr(first + n))));
            }
        });
        // Of these EXEC is a guard; who goes back knows.
        let guarded = guards(inst);
        uses::each_scalar_read(self, inst, |reg| match given.place(reg) {
            Some(Place::Exec(_)) if guarded => {}
            Some(place) => add(Input::Scalar(place)),
            None => {}
        });
        self.inputs = found;
    }

    /// Flips a bit of an input, in all lanes.
    pub(crate) fn flip(&mut self, input: Input, bits: u32) {
        match input {
            Input::Vector(n) => {
                for (_, rows) in self.vgprs.iter_mut().filter(|(v, _)| *v == n) {
                    for row in rows {
                        row.iter_mut().for_each(|word| *word ^= bits);
                    }
                }
            }
            Input::Scalar(Place::M0) => self.m0 ^= bits,
            Input::Scalar(Place::Exec(half)) => self.exec ^= u64::from(bits) << (32 * half),
            Input::Scalar(place) => {
                for (_, word) in self.scalars.iter_mut().filter(|(p, _)| *p == place) {
                    *word ^= bits;
                }
            }
        }
    }
}

/// Whether EXEC only says which lanes take part.
pub(crate) fn guards(inst: &Inst) -> bool {
    match inst.row.does {
        Does::Vector(_) | Does::Share(_) | Does::Buffer(_) | Does::MoveRelative { .. } => true,
        Does::Absent
        | Does::Nothing
        | Does::Scalar(_)
        | Does::ReadLane
        | Does::ReadFirstLane
        | Does::WriteLane
        | Does::GetReg
        | Does::SetReg
        | Does::SetVskip
        | Does::Flow(_)
        | Does::ScalarRead { .. }
        | Does::Time
        | Does::InvalidateScalar => false,
    }
}

impl Operands for Held {
    #[inline]
    fn vgpr(&self, n: u32, half: usize) -> &Lanes {
        let n = self.given.vgpr(n);
        self.vgprs.iter().find(|(v, _)| *v == n).map_or(&ZERO, |(_, rows)| &rows[half & 1])
    }

    #[inline]
    fn scalar(&self, reg: Reg) -> u32 {
        match self.given.place(reg) {
            Some(Place::Exec(half)) => (self.exec >> (32 * half)) as u32,
            Some(Place::M0) => self.m0,
            Some(place) => {
                self.scalars.iter().find(|(p, _)| *p == place).map_or(0, |(_, word)| *word)
            }
            None if reg == Reg::Mode => self.mode,
            None => 0,
        }
    }

    #[inline]
    fn exec(&self) -> u64 {
        self.exec
    }
}
