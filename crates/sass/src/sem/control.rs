//! Control flow, convergence and CTA barriers.

use upset_isa::{BarOp, BarReduce, ConstAddr, Exec, Flow, Inst, Src, Target, Width};

use super::operands::{Operands, W, uniform_dst};
use crate::{Arch, Fields, LowerError, Word};

type Lowered = Result<Inst, LowerError>;

/// Byte offset or address of bits 34-81, in units of four; on Hopper bits
/// 16-23 are eight further low bits.
fn distance(f: &Fields) -> i64 {
    if f.arch == Arch::Sm90 {
        (f.word.signed(34, 48) << 8 | f.bits(16, 8) as i64) << 2
    } else {
        f.word.signed(34, 48) << 2
    }
}

/// A flow instruction; its condition beyond the guard is in bits 87-90.
fn flow(f: &Fields, what: Flow) -> Inst {
    let mut i = f.inst(Exec::Flow(what));
    i.psrc[0] = f.ps(87, 90);
    i
}

/// `BRA`. Bits 32-33: plain, `.U` (the warp agrees), `.DIV`, `.CONV`; from
/// sm_80 bit 91 adds a uniform register with the threads to compare with.
pub fn bra(f: &Fields) -> Lowered {
    let target = Target::Relative(distance(f));
    let masked = f.bit(91) && f.arch >= Arch::Sm80;
    let group = |converged| Flow::BranchIfGroup { target, converged, masked };
    let mut i = match f.bits(32, 2) {
        0 | 1 if masked => return Err(LowerError::IllegalEncoding),
        0 | 1 => flow(f, Flow::Branch(target)),
        2 => flow(f, group(false)),
        _ => flow(f, group(true)),
    };
    if masked {
        i.src[0] = f.ureg(24, W)?;
    }
    Ok(i)
}

/// `JMP`, to an address in the code or (forms 3 and 5) in a constant bank.
pub fn jmp(f: &Fields) -> Lowered {
    if matches!(f.form, 3 | 5) {
        return Ok(through(f, Flow::Branch(Target::RegAbsolute(0)), bank_pair(f)));
    }
    Ok(flow(f, Flow::Branch(Target::Absolute(distance(f)))))
}

/// An address in a constant bank. Bit 91 belongs to the condition here.
fn bank_pair(f: &Fields) -> Src {
    let offset = f.word.signed(40, 14) as i32 * 4;
    Src::Const(ConstAddr::Bank { bank: f.bits(54, 5) as u8, offset }, Width::W2)
}

fn through(f: &Fields, what: Flow, register: Src) -> Inst {
    let mut i = flow(f, what);
    i.src[0] = register;
    i
}

/// `BRX`.
pub fn brx(f: &Fields) -> Lowered {
    let target = Target::RegRelative(distance(f));
    Ok(through(f, Flow::Branch(target), f.ra(Width::W2)?))
}

/// `BRXU`.
pub fn brxu(f: &Fields) -> Lowered {
    let target = Target::RegRelative(distance(f));
    Ok(through(f, Flow::Branch(target), f.ureg(24, Width::W2)?))
}

/// `JMX`.
pub fn jmx(f: &Fields) -> Lowered {
    let target = Target::RegAbsolute(distance(f));
    Ok(through(f, Flow::Branch(target), f.ra(Width::W2)?))
}

/// `JMXU`.
pub fn jmxu(f: &Fields) -> Lowered {
    let target = Target::RegAbsolute(distance(f));
    Ok(through(f, Flow::Branch(target), f.ureg(24, Width::W2)?))
}

/// The register part of a call or return target: none in form 4, a uniform
/// pair with bit 91, else a pair.
fn call_register(f: &Fields) -> Result<Option<Src>, LowerError> {
    Ok(match f.form {
        1 => Some(f.ra(Width::W2)?),
        _ if f.bit(91) && f.arch >= Arch::Sm75 => Some(f.ureg(24, Width::W2)?),
        _ => None,
    })
}

/// `CALL.REL`. The return address is in a register already; the depth count
/// that `.NOINC` leaves alone is of no consequence here.
pub fn call_rel(f: &Fields) -> Lowered {
    let at = distance(f);
    Ok(match call_register(f)? {
        Some(r) => through(f, Flow::Call(Target::RegRelative(at)), r),
        None => flow(f, Flow::Call(Target::Relative(at))),
    })
}

/// `CALL.ABS`, in form 5 through a constant bank.
pub fn call_abs(f: &Fields) -> Lowered {
    if f.form == 5 {
        return Ok(through(f, Flow::Call(Target::RegAbsolute(0)), bank_pair(f)));
    }
    let at = distance(f);
    Ok(match call_register(f)? {
        Some(r) => through(f, Flow::Call(Target::RegAbsolute(at)), r),
        None => flow(f, Flow::Call(Target::Absolute(at))),
    })
}

/// `RET.REL`, with bit 85 `RET.ABS`.
pub fn ret(f: &Fields) -> Lowered {
    let at = distance(f);
    let target = if f.bit(85) { Target::RegAbsolute(at) } else { Target::RegRelative(at) };
    let register =
        if f.bit(91) && f.arch >= Arch::Sm75 { f.ureg(24, Width::W2)? } else { f.ra(Width::W2)? };
    Ok(through(f, Flow::Ret(target), register))
}

/// `EXIT`.
pub fn exit(f: &Fields) -> Lowered {
    Ok(flow(f, Flow::Exit))
}

/// `KILL`.
pub fn kill(f: &Fields) -> Lowered {
    Ok(flow(f, Flow::Kill))
}

/// Convergence barrier, bits 16-19.
fn barrier(f: &Fields) -> u8 {
    f.bits(16, 4) as u8
}

/// `BSSY`: its offset has 30 bits.
pub fn bssy(f: &Fields) -> Lowered {
    let target = Target::Relative(f.word.signed(34, 30) << 2);
    Ok(flow(f, Flow::Bssy { bar: barrier(f), target }))
}

/// `BSYNC`.
pub fn bsync(f: &Fields) -> Lowered {
    Ok(flow(f, Flow::Bsync { bar: barrier(f) }))
}

/// `BREAK`.
pub fn break_(f: &Fields) -> Lowered {
    Ok(flow(f, Flow::Break { bar: barrier(f) }))
}

/// `BMOV.32 R, B`.
pub fn bmov_read(f: &Fields) -> Lowered {
    let mut i = f.inst(Exec::Flow(Flow::BmovRead { bar: f.bits(24, 6) as u8, clear: f.bit(84) }));
    i.dst = f.rd(W)?;
    Ok(i)
}

/// `BMOV.32 B, R`.
pub fn bmov_write(f: &Fields) -> Lowered {
    let mut i = f.inst(Exec::Flow(Flow::BmovWrite { bar: f.bits(24, 6) as u8, wide: f.bit(84) }));
    i.src[0] = f.b(W)?;
    Ok(i)
}

/// `WARPSYNC`. Up to sm_80 the mask is operand B; on Hopper it is register A
/// or, in form 4, every thread.
pub fn warpsync(f: &Fields) -> Lowered {
    if f.arch < Arch::Sm90 {
        let exclusive = f.arch == Arch::Sm80 && f.form == 1 && f.bit(86);
        let mut i = flow(f, Flow::WarpSync { exclusive });
        i.src[0] = f.b(W)?;
        return Ok(i);
    }
    let mut i = flow(
        f,
        match f.bit(86) {
            true => Flow::Collective { target: Target::Relative(distance(f)) },
            false => Flow::WarpSync { exclusive: f.form == 1 && f.bits(85, 2) == 1 },
        },
    );
    i.src[0] = if f.form == 4 { Src::Imm(u32::MAX) } else { f.ra(W)? };
    Ok(i)
}

/// `ENDCOLLECTIVE`.
pub fn end_collective(f: &Fields) -> Lowered {
    Ok(flow(f, Flow::EndCollective))
}

/// `YIELD`, `NANOSLEEP`.
pub fn yield_(f: &Fields) -> Lowered {
    Ok(flow(f, Flow::Yield))
}

/// `BAR`. Number and count: both in one register (form 1), number in a
/// register (2), count in a register (4), or immediate (5).
pub fn bar(f: &Fields) -> Lowered {
    let op = match f.bits(77, 3) {
        0 => BarOp::Sync,
        1 => BarOp::Arrive,
        2 => BarOp::Reduce(match f.bits(74, 2) {
            0 => BarReduce::Popc,
            1 => BarReduce::And,
            2 => BarReduce::Or,
            _ => return Err(LowerError::IllegalEncoding),
        }),
        3 => return Err(LowerError::Unimplemented("BAR.SCAN")),
        4 => BarOp::Sync,
        _ => return Err(LowerError::IllegalEncoding),
    };
    let count = match f.bits(42, 12) as u16 {
        0 => None,
        n => Some(n),
    };
    let number = Some(f.bits(54, 4) as u8);
    let register = f.rb(W)?;
    let bar = |index, count, counted, packed| Flow::Bar { op, index, count, counted, packed };
    let mut i = match f.form {
        1 => through(f, bar(None, None, false, true), register),
        2 => through(f, bar(None, count, false, false), register),
        4 => {
            let mut i = flow(f, bar(number, None, true, false));
            i.src[1] = register;
            i
        }
        _ => flow(f, bar(number, count, false, false)),
    };
    i.psrc[0] = f.ps(87, 90);
    Ok(i)
}

/// `B2R.RESULT`; the other modes read barrier state that no compiler uses.
pub fn b2r(f: &Fields) -> Lowered {
    if f.bits(78, 2) != 1 {
        return Err(LowerError::Unimplemented("B2R of barrier state"));
    }
    let mut i = f.inst(Exec::Flow(Flow::BarResult));
    i.dst = f.rd(W)?;
    i.pdst[0] = f.pd(81);
    Ok(i)
}

/// `BPT`: only `.TRAP` stops the program; pauses and drains are for debuggers.
pub fn bpt(f: &Fields) -> Lowered {
    Ok(match f.bits(84, 3) {
        3 => f.inst(Exec::Flow(Flow::Trap)),
        _ => f.inst(Exec::Nop),
    })
}

/// `LEPC` and `ULEPC`: the own address, or in form 4 the one that bits 24-81
/// count from the next instruction on.
fn own_address(f: &Fields) -> Exec {
    let plus = match f.form {
        1 => 0,
        _ => Word::BYTES as i64 + f.word.signed(24, 58),
    };
    Exec::Flow(Flow::ReadPc { plus })
}

/// `LEPC`.
pub fn lepc(f: &Fields) -> Lowered {
    let mut i = f.inst(own_address(f));
    i.dst = f.rd(Width::W2)?;
    Ok(i)
}

/// `ULEPC`.
pub fn ulepc(f: &Fields) -> Lowered {
    let mut i = Operands::uniform(f).inst(own_address(f), 0);
    i.dst = uniform_dst(f, Width::W2)?;
    Ok(i)
}

/// `DEPBAR`. With `.LE` (bit 47) one scoreboard, bits 44-46, need not be zero
/// but at most bits 38-43; those named in bits 32-37 must be zero.
pub fn depbar(f: &Fields) -> Lowered {
    let (counter, at_most) = match f.bit(47) {
        true => (f.bits(44, 3) as u8, f.bits(38, 6) as u8),
        false => (7, 0),
    };
    Ok(f.inst(Exec::DepBar { counter, at_most, also_zero: f.bits(32, 6) as u8 }))
}

/// `DEPBAR` with the limit in a uniform register, bits 32-37, and the
/// scoreboards that must be zero in bits 38-43. No compiler we know emits it;
/// the strictest limit serves for all.
pub fn depbar_uniform(f: &Fields) -> Lowered {
    let (counter, also_zero) = (f.bits(44, 3) as u8, f.bits(38, 6) as u8);
    Ok(f.inst(Exec::DepBar { counter, at_most: 0, also_zero }))
}

/// `NOP`, `PMTRIG`, `ERRBAR` and others without effect on values or order.
pub fn nop(f: &Fields) -> Lowered {
    Ok(f.inst(Exec::Nop))
}
