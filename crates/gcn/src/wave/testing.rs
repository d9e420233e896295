//! Registers and instructions for tests: small, slow and without memory.

use upset_lanes::{Lanes, Mask, WARP};

use super::evaluate::evaluate;
use super::outcome::{Next, Outcome};
use super::reg::{Destinations, Operands, Reg};
use super::write::write;
use crate::format::Format;
use crate::inst::{Buffer, Detail, Inst, Modifiers, Scalar, Share};
use crate::operand::{Operand, SGPRS};
use crate::row::{Place, Row, Slot};
use crate::table;
use crate::trap::TrapKind;

/// All registers that a wave can have. Everything is zero at first, but EXEC,
/// whose lanes are all active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// Vector registers, lanes 0 to 31 and 32 to 63.
    pub vgprs: Vec<[Lanes; 2]>,
    /// Scalar registers.
    pub sgprs: [u32; SGPRS as usize],
    /// VCC.
    pub vcc: u64,
    /// EXEC.
    pub exec: u64,
    /// M0.
    pub m0: u32,
    /// The scalar condition code.
    pub scc: bool,
    /// MODE.
    pub mode: u32,
}

impl Default for Registers {
    fn default() -> Self {
        Registers {
            vgprs: vec![[[0; WARP]; 2]; 256],
            sgprs: [0; SGPRS as usize],
            vcc: 0,
            exec: !0,
            m0: 0,
            scc: false,
            mode: 0,
        }
    }
}

fn half(value: u64, n: u8) -> u32 {
    (value >> (32 * (n & 1))) as u32
}

fn set_half(value: &mut u64, n: u8, word: u32) {
    let at = 32 * (n & 1);
    *value = *value & !(0xffff_ffff << at) | u64::from(word) << at;
}

impl Operands for Registers {
    fn vgpr(&self, n: u32, half: usize) -> &Lanes {
        &self.vgprs.get(n as usize).unwrap_or(&self.vgprs[0])[half]
    }

    fn scalar(&self, reg: Reg) -> u32 {
        match reg {
            Reg::Sgpr(n) => self.sgprs.get(usize::from(n)).copied().unwrap_or(self.sgprs[0]),
            Reg::Vcc(n) => half(self.vcc, n),
            Reg::Exec(n) => half(self.exec, n),
            Reg::M0 => self.m0,
            Reg::Scc => self.scc.into(),
            Reg::Mode => self.mode,
        }
    }

    fn exec(&self) -> u64 {
        self.exec
    }
}

impl Destinations for Registers {
    fn write_vgpr(&mut self, n: u32, half: usize, mask: Mask, value: &Lanes) {
        let Some(register) = self.vgprs.get_mut(n as usize) else { return };
        for lane in (0..WARP).filter(|lane| mask >> lane & 1 == 1) {
            register[half][lane] = value[lane];
        }
    }

    fn write_scalar(&mut self, reg: Reg, value: u32) {
        match reg {
            Reg::Sgpr(n) => {
                if let Some(register) = self.sgprs.get_mut(usize::from(n)) {
                    *register = value;
                }
            }
            Reg::Vcc(n) => set_half(&mut self.vcc, n, value),
            Reg::Exec(n) => set_half(&mut self.exec, n, value),
            Reg::M0 => self.m0 = value,
            Reg::Scc => self.scc = value & 1 == 1,
            Reg::Mode => self.mode = value,
        }
    }
}

impl Registers {
    /// A lane of a vector register.
    pub fn lane(&self, register: usize, lane: usize) -> u32 {
        self.vgprs[register][lane / WARP][lane % WARP]
    }

    /// Sets a lane of a vector register.
    pub fn set_lane(&mut self, register: usize, lane: usize, value: u32) {
        self.vgprs[register][lane / WARP][lane % WARP] = value;
    }

    /// A pair of scalar registers.
    pub fn pair(&self, first: usize) -> u64 {
        u64::from(self.sgprs[first]) | u64::from(self.sgprs[first + 1]) << 32
    }

    /// Sets a pair of scalar registers.
    pub fn set_pair(&mut self, first: usize, value: u64) {
        self.sgprs[first] = value as u32;
        self.sgprs[first + 1] = (value >> 32) as u32;
    }

    /// Carries out one instruction at an address.
    pub fn step(&mut self, inst: &Inst, address: u64) -> Result<Next, TrapKind> {
        let mut outcome = Outcome::default();
        evaluate(self, inst, address.wrapping_add(inst.length() as u64), &mut outcome)?;
        write(self, &outcome);
        Ok(outcome.next)
    }

    /// Runs instructions that begin at address 0 until one of them stops the
    /// wave or the last is passed; says which. Nothing takes time, and memory
    /// stays out of it.
    pub fn run(&mut self, code: &[Inst]) -> Result<Next, TrapKind> {
        let mut places = vec![0];
        for inst in code {
            places.push(places[places.len() - 1] + inst.length() as u64);
        }
        let mut pc = 0;
        for _ in 0..LIMIT {
            let at = places.iter().position(|&place| place == pc);
            let at = at.ok_or(TrapKind::PcOutOfRange(pc))?;
            let Some(inst) = code.get(at) else { return Ok(Next::Step) };
            match self.step(inst, pc)? {
                stop @ (Next::End | Next::Halt) => return Ok(stop),
                Next::Jump(to) => pc = to,
                Next::Step
                | Next::Barrier
                | Next::Wait(_)
                | Next::Pause(_)
                | Next::Sleep(_)
                | Next::Priority(_)
                | Next::InvalidateCode => pc = places[at + 1],
            }
        }
        Err(TrapKind::InstructionLimit(LIMIT))
    }
}

/// Instructions that a test program may take.
const LIMIT: u64 = 100_000;

/// An instruction in its own (short) format, by name. Where VCC goes without
/// saying, it need not be said; offsets, constants and flags are zero.
///
/// # Panics
///
/// If there is no such instruction, or it has fewer sources.
#[track_caller]
pub fn inst(name: &str, dst: Operand, src: &[Operand]) -> Inst {
    let row = row(name).unwrap_or_else(|| panic!("no instruction {name}"));
    let implied = |slot: Slot| match slot.place {
        Place::Carry => Operand::VccLo,
        _ => Operand::None,
    };
    let mut sources = row.src.map(implied);
    sources[..src.len()].copy_from_slice(src);
    let dst = if dst == Operand::None { implied(row.dst) } else { dst };
    let format = row.format;
    Inst { row, format, dst, flag: implied(row.flag), src: sources, detail: detail(format) }
}

/// As [`inst`], with a 16-bit constant.
#[track_caller]
pub fn inst_imm(name: &str, dst: Operand, src: &[Operand], imm: u16) -> Inst {
    Inst { detail: Detail::Imm(imm), ..inst(name, dst, src) }
}

fn row(name: &str) -> Option<&'static Row> {
    let rows = Format::ALL.into_iter().flat_map(table::rows);
    rows.into_iter().find(|row| row.name == name)
}

fn detail(format: Format) -> Detail {
    match format {
        Format::Sopk | Format::Sopp => Detail::Imm(0),
        Format::Smrd => Detail::Scalar(Scalar::default()),
        Format::Vop3 => Detail::Modifiers(Modifiers::default()),
        Format::Ds => Detail::Share(Share::default()),
        Format::Mubuf | Format::Mtbuf => Detail::Buffer(Buffer::default()),
        Format::Sop1
        | Format::Sop2
        | Format::Sopc
        | Format::Vop1
        | Format::Vop2
        | Format::Vopc
        | Format::Vintrp
        | Format::Mimg
        | Format::Exp => Detail::None,
    }
}
