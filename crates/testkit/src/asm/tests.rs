//! What each function returns, decoded again.

use upset_sass::decode::decode;
use upset_sass::{Arch, disasm};

use super::float::Function;
use super::flow::BarReduce;
use super::int::{Combine, Compare, Shift};
use super::memory::{At, Atomic, Order, Scope, Size, Type};
use super::warp::{Shuffle, Special, Vote};
use super::{Code, Control, P, PT, R, RZ, U, URZ, constant};
use super::{float, flow, int, memory, moves, uniform, warp};

const ALL: [Arch; 4] = Arch::ALL;
const UNIFORM: [Arch; 3] = [Arch::Sm75, Arch::Sm80, Arch::Sm90];

/// The text of `code` at address 0x100; the word must also execute.
fn text(code: Code, arch: Arch) -> String {
    let word = code.word(Control::stall(1));
    let decoded = decode(word, arch).unwrap_or_else(|e| panic!("{e}"));
    if let Err(e) = decoded.lower() {
        panic!("{} on {arch}: {e}", disasm::text(&decoded, 0x100));
    }
    disasm::text(&decoded, 0x100)
}

#[track_caller]
fn same(archs: &[Arch], code: Code, expected: &str) {
    for &arch in archs {
        assert_eq!(text(code, arch), expected, "on {arch}");
    }
}

/// One text for each of sm_70, sm_75, sm_80, sm_90.
#[track_caller]
fn each(code: impl Fn(Arch) -> Code, expected: [&str; 4]) {
    for (arch, expected) in ALL.into_iter().zip(expected) {
        assert_eq!(text(code(arch), arch), expected, "on {arch}");
    }
}

#[test]
fn integers() {
    let p = P::new(0);
    same(&ALL, int::iadd3(R(4), R(5), R(6), R(7)), "IADD3 R4, R5, R6, R7");
    same(&ALL, int::iadd3(R(4), R(5), -1i32 as u32, RZ), "IADD3 R4, R5, -0x1, RZ");
    same(&ALL, int::iadd3(R(4), R(5), R(6), RZ).neg_b(), "IADD3 R4, R5, -R6, RZ");
    same(&ALL, int::iadd3(R(4), R(5), R(6), R(7)).neg_a(), "IADD3 R4, -R5, R6, R7");
    let code = int::iadd3_carry(R(4), p, R(5), constant(0, 0x160), RZ);
    same(&ALL, code, "IADD3 R4, P0, R5, c[0x0][0x160], RZ");
    let code = int::iadd3_x(R(4), RZ, constant(0, 0x164), RZ, p);
    same(&ALL, code, "IADD3.X R4, RZ, c[0x0][0x164], RZ, P0, !PT");
    same(&UNIFORM, int::iadd3(R(4), R(5), U(6), RZ), "IADD3 R4, R5, UR6, RZ");
    same(&ALL, int::imad(R(4), R(5), R(6), R(7)), "IMAD R4, R5, R6, R7");
    same(&ALL, int::imad(R(4), R(5), 3, R(7)), "IMAD R4, R5, 0x3, R7");
    let code = int::imad_wide(R(4), R(6), 12, R(8), true);
    same(&ALL, code, "IMAD.WIDE R4, R6, 0xc, R8");
    let code = int::imad_wide_c(R(4), R(6), R(7), constant(0, 0x168));
    same(&ALL, code, "IMAD.WIDE.U32 R4, R6, R7, c[0x0][0x168]");
    let code = int::imad_hi(R(4), R(5), R(6), R(8));
    same(&UNIFORM, code, "IMAD.HI.U32 R4, R5, R6, R8");
    let code = int::lea(R(4), p, R(6), constant(0, 0x160), 3);
    same(&ALL, code, "LEA R4, P0, R6, c[0x0][0x160], 0x3");
    let code = int::lea_hi_x(R(5), R(6), constant(0, 0x164), R(7), 3, p);
    same(&ALL, code, "LEA.HI.X R5, R6, c[0x0][0x164], R7, 0x3, P0");
    let code = int::lop3(R(4), R(5), 0xff, R(7), int::table::AND_OR);
    same(&ALL, code, "LOP3.LUT R4, R5, 0xff, R7, 0xea, !PT");
    let code = int::lop3_pred(R(4), p, R(5), R(6), RZ, int::table::XOR);
    same(&ALL, code, "LOP3.LUT P0, R4, R5, R6, RZ, 0x3c, !PT");
    let s = Shift { right: true, wrap: false, kind: 2, high: true };
    same(&ALL, int::shf(R(4), RZ, 31, R(5), s), "SHF.R.S32.HI R4, RZ, 0x1f, R5");
    let s = Shift { right: false, wrap: true, kind: 3, high: false };
    same(&ALL, int::shf(R(4), R(5), R(6), R(7), s), "SHF.L.W.U32 R4, R5, R6, R7");
    let code = int::isetp(p, Compare::Ge, true, R(4), constant(0, 0x180), Combine::And, PT);
    same(&ALL, code, "ISETP.GE.AND P0, PT, R4, c[0x0][0x180], PT");
    let code = int::isetp(p, Compare::Lt, false, R(4), 7, Combine::Or, !P::new(3));
    same(&ALL, code, "ISETP.LT.U32.OR P0, PT, R4, 0x7, !P3");
    same(&UNIFORM, int::imnmx(R(4), R(5), R(6), !PT, true), "IMNMX R4, R5, R6, !PT");
    same(&ALL, int::popc(R(4), R(5)), "POPC R4, R5");
    same(&ALL, int::flo(R(4), R(5)), "FLO.U32 R4, R5");
}

#[test]
fn floats() {
    same(&ALL, float::fadd(R(4), R(5), R(6)), "FADD R4, R5, R6");
    same(&ALL, float::fadd(R(4), R(5), R(6)).neg_a(), "FADD R4, -R5, R6");
    same(&ALL, float::fadd(R(4), R(5), 0x4000_0000), "FADD R4, R5, 2");
    same(&ALL, float::fmul(R(4), R(5), R(6)), "FMUL R4, R5, R6");
    same(&ALL, float::fmul(R(4), R(5), constant(3, 8)), "FMUL R4, R5, c[0x3][0x8]");
    same(&ALL, float::ffma(R(4), R(5), R(6), R(7)), "FFMA R4, R5, R6, R7");
    same(&ALL, float::ffma(R(4), R(5), R(6), R(7)).neg_c(), "FFMA R4, R5, R6, -R7");
    same(&ALL, float::mufu(R(4), Function::Rsq, R(5)), "MUFU.RSQ R4, R5");
    same(&ALL, float::mufu(R(4), Function::Sqrt, R(5)), "MUFU.SQRT R4, R5");
    same(&ALL, float::i2f(R(4), R(5), true), "I2F R4, R5");
    same(&ALL, float::i2f(R(4), R(5), false), "I2F.U32 R4, R5");
    same(&[Arch::Sm90], float::i2fp(R(4), R(5), true), "I2FP.F32.S32 R4, R5");
    same(&ALL, float::f2i(R(4), R(5), true), "F2I.TRUNC.NTZ R4, R5");
    same(&ALL, float::f2i(R(4), R(5), false), "F2I.U32.TRUNC.NTZ R4, R5");
    same(&ALL, float::dadd(R(4), R(6), R(8)), "DADD R4, R6, R8");
    same(&ALL, float::dmul(R(4), R(6), R(8)), "DMUL R4, R6, R8");
    same(&ALL, float::dfma(R(4), R(6), R(8), R(10)), "DFMA R4, R6, R8, R10");
}

#[test]
fn moves_and_lanes() {
    same(&ALL, moves::mov(R(4), R(5)), "MOV R4, R5");
    same(&ALL, moves::mov(R(4), 0xdead_beef), "MOV R4, 0xdeadbeef");
    same(&ALL, moves::mov(R(4), constant(0, 0x28)), "MOV R4, c[0x0][0x28]");
    same(&UNIFORM, moves::mov(R(4), U(9)), "MOV R4, UR9");
    same(&ALL, moves::mov(R(4), R(5)).guard(!P::new(2)), "@!P2 MOV R4, R5");
    same(&ALL, moves::sel(R(4), R(5), R(6), !P::new(1)), "SEL R4, R5, R6, !P1");
    same(&ALL, moves::prmt(R(4), R(5), 0x7610, R(6)), "PRMT R4, R5, 0x7610, R6");
    same(&ALL, moves::p2r(R(4), RZ, 0x1f), "P2R R4, PR, RZ, 0x1f");
    same(&ALL, moves::r2p(R(4), 0x15), "R2P PR, R4, 0x15");
    same(&ALL, warp::s2r(R(4), Special::TidX), "S2R R4, SR_TID.X");
    same(&ALL, warp::s2r(R(4), Special::Lane), "S2R R4, SR_LANEID");
    same(&ALL, warp::s2r(R(4), Special::CtaZ), "S2R R4, SR_CTAID.Z");
    same(&ALL, warp::s2r(R(4), Special::LtMask), "S2R R4, SR_LTMASK");
    same(&ALL, warp::vote(R(4), PT, Vote::Any, P::new(2)), "VOTE.ANY R4, PT, P2");
    same(&ALL, warp::vote(RZ, P::new(1), Vote::All, !P::new(2)), "VOTE.ALL P1, !P2");
    let code = warp::shfl(R(4), P::new(1), Shuffle::Index, R(5), R(6));
    same(&ALL, code, "SHFL.IDX P1, R4, R5, R6, 0x1f");
    let code = warp::shfl_imm(R(4), Shuffle::Up, R(5), 3);
    same(&ALL, code, "SHFL.UP PT, R4, R5, 0x3, 0x0");
    let code = warp::shfl_imm(R(4), Shuffle::Butterfly, R(5), 16);
    same(&ALL, code, "SHFL.BFLY PT, R4, R5, 0x10, 0x1f");
}

#[test]
fn uniform_instructions() {
    let u = P::new(1);
    same(&UNIFORM, uniform::umov(U(4), 7), "UMOV UR4, 0x7");
    same(&UNIFORM, uniform::umov(U(4), URZ), "UMOV UR4, URZ");
    same(&UNIFORM, uniform::uiadd3(U(4), U(5), U(6), URZ), "UIADD3 UR4, UR5, UR6, URZ");
    same(&UNIFORM, uniform::uiadd3(U(4), U(5), 1, U(7)), "UIADD3 UR4, UR5, 0x1, UR7");
    same(&UNIFORM, uniform::uimad(U(4), U(5), U(6), U(7)), "UIMAD UR4, UR5, UR6, UR7");
    let code = uniform::ulop3(U(4), U(5), U(6), U(7), 0x96);
    same(&UNIFORM, code, "ULOP3.LUT UR4, UR5, UR6, UR7, 0x96, !UPT");
    let code = uniform::uisetp(u, Compare::Gt, U(5), 3);
    same(&UNIFORM, code, "UISETP.GT.AND UP1, UPT, UR5, 0x3, UPT");
    same(&UNIFORM, uniform::usel(U(4), U(5), U(6), !u), "USEL UR4, UR5, UR6, !UP1");
    same(&UNIFORM, uniform::umov(U(4), 7).guard(!u), "@!UP1 UMOV UR4, 0x7");
    for arch in UNIFORM {
        same(&[arch], uniform::r2ur(arch, U(4), R(5)), "R2UR UR4, R5");
    }
    same(&UNIFORM, uniform::uldc(U(4), 0, 0x118, true), "ULDC.64 UR4, c[0x0][0x118]");
    same(&UNIFORM, uniform::uldc(U(4), 3, 0x20, false), "ULDC UR4, c[0x3][0x20]");
    same(&UNIFORM, uniform::s2ur(U(4), Special::CtaX), "S2UR UR4, SR_CTAID.X");
    same(&UNIFORM, uniform::voteu(U(4), Vote::Any, P::new(2)), "VOTEU.ANY UR4, UPT, P2");
}

#[test]
fn global_memory() {
    let load = |size, how| move |arch| memory::ldg(arch, R(4), At::Reg(R(2), 16), size, how);
    let old = "LDG.E.SYS R4, [R2+0x10]";
    let new = "LDG.E R4, [R2+0x10]";
    each(load(Size::Word, Order::Weak), [old, old, new, new]);
    let (old, new) = ("LDG.E.128.CONSTANT.SYS R4, [R2+0x10]", "LDG.E.128.CONSTANT R4, [R2+0x10]");
    each(load(Size::Quad, Order::Constant), [old, old, new, new]);
    let strong = "LDG.E.U8.STRONG.GPU R4, [R2+0x10]";
    each(load(Size::U8, Order::Gpu), [strong; 4]);
    let store = |arch| memory::stg(arch, At::Reg(R(2), -4), R(6), Size::Pair, Order::Weak);
    let (old, new) = ("STG.E.64.SYS [R2+-0x4], R6", "STG.E.64 [R2+-0x4], R6");
    each(store, [old, old, new, new]);
    for arch in [Arch::Sm80, Arch::Sm90] {
        let at = At::Described(R(2), U(4), 8);
        let code = memory::ldg(arch, R(4), at, Size::S16, Order::Weak);
        same(&[arch], code, "LDG.E.S16 R4, [R2.64+0x8]");
        let code = memory::stg(arch, at, R(6), Size::Word, Order::Weak);
        same(&[arch], code, "STG.E [R2.64+0x8], R6");
        let code = memory::atomg(arch, Atomic::Min, Type::S32, R(4), at, R(6));
        same(&[arch], code, "ATOMG.E.MIN.S32.STRONG.GPU PT, R4, [R2.64+0x8], R6");
        let red = if arch == Arch::Sm90 { "REDG" } else { "RED" };
        let code = memory::red(arch, Atomic::Add, Type::U64, at, R(6));
        same(&[arch], code, &format!("{red}.E.ADD.64.STRONG.GPU [R2.64+0x8], R6"));
    }
    for arch in [Arch::Sm75, Arch::Sm80] {
        let at = At::Indexed(R(2), U(4), 8);
        let sys = if arch == Arch::Sm75 { ".SYS" } else { "" };
        let code = memory::ldg(arch, R(4), at, Size::Word, Order::Weak);
        same(&[arch], code, &format!("LDG.E{sys} R4, [R2.U32+UR4+0x8]"));
        let code = memory::stg(arch, at, R(6), Size::Word, Order::Weak);
        same(&[arch], code, &format!("STG.E{sys} [R2.U32+UR4+0x8], R6"));
        let code = memory::red(arch, Atomic::Xor, Type::U32, at, R(6));
        same(&[arch], code, "RED.E.XOR.STRONG.GPU [R2.U32+UR4+0x8], R6");
    }
}

#[test]
fn atomics() {
    let at = At::Reg(R(2), 4);
    let add = |arch| memory::atomg(arch, Atomic::Exch, Type::U64, R(4), at, R(6));
    each(add, ["ATOMG.E.EXCH.64.STRONG.GPU PT, R4, [R2+0x4], R6"; 4]);
    let cas = |arch| memory::atomg_cas(arch, Type::U32, R(4), (R(2), 4), R(6), R(7));
    each(cas, ["ATOMG.E.CAS.STRONG.GPU PT, R4, [R2+0x4], R6, R7"; 4]);
    let red = |arch| memory::red(arch, Atomic::Max, Type::S64, at, R(6));
    let old = "RED.E.MAX.S64.STRONG.GPU [R2+0x4], R6";
    each(red, [old, old, old, "REDG.E.MAX.S64.STRONG.GPU [R2+0x4], R6"]);
    let atoms = |arch| memory::atoms(arch, Atomic::Or, Type::U32, RZ, (R(2), 4), R(6));
    each(atoms, ["ATOMS.OR RZ, [R2+0x4], R6"; 4]);
    let cas = |arch| memory::atoms_cas(arch, Type::U64, R(4), (R(2), 8), R(6), R(8));
    each(cas, ["ATOMS.CAS.64 R4, [R2+0x8], R6, R8"; 4]);
}

#[test]
fn other_memory() {
    same(&ALL, memory::lds(R(4), R(2), 0x40, Size::Quad), "LDS.128 R4, [R2+0x40]");
    same(&ALL, memory::lds(R(4), R(2), 0, Size::S8), "LDS.S8 R4, [R2]");
    same(&ALL, memory::sts(R(2), 0x40, R(4), Size::U16), "STS.U16 [R2+0x40], R4");
    same(&ALL, memory::ldl(R(4), R(1), 8, Size::Pair), "LDL.64 R4, [R1+0x8]");
    same(&ALL, memory::stl(R(1), 8, R(4), Size::Word), "STL [R1+0x8], R4");
    same(&ALL, memory::ldc(R(4), 3, R(2), 0x10, false), "LDC R4, c[0x3][R2+0x10]");
    same(&ALL, memory::ldc(R(4), 2, R(2), 0, true), "LDC.64 R4, c[0x2][R2]");
    same(&ALL, memory::membar(Scope::Gpu), "MEMBAR.SC.GPU");
    same(&ALL, memory::membar(Scope::Cta), "MEMBAR.SC.CTA");
}

#[test]
fn control_flow() {
    for arch in ALL {
        same(&[arch], flow::bra(arch, 0x40), "BRA 0x150");
        same(&[arch], flow::bra(arch, -0x90).guard(P::new(5)), "@P5 BRA 0x80");
        same(&[arch], flow::bra(arch, 0x10_0040), "BRA 0x100150");
        same(&[arch], flow::brx(arch, R(4), -0x110), "BRX R4 -0x110");
        same(&[arch], flow::call(arch, 0x40), "CALL.REL.NOINC 0x150");
        same(&[arch], flow::ret(arch, R(4), -0x110), "RET.REL.NODEC R4 0x0");
    }
    same(&ALL, flow::bssy(3, 0x40), "BSSY B3, 0x150");
    same(&ALL, flow::bsync(3), "BSYNC B3");
    same(&ALL, flow::break_(3).guard(P::new(0)), "@P0 BREAK B3");
    same(&ALL, flow::exit().guard(!P::new(0)), "@!P0 EXIT");
    same(&ALL, flow::yield_(), "YIELD");
    same(&ALL, flow::nop(), "NOP");
    let all = "WARPSYNC 0xffffffff";
    each(flow::warpsync_all, [all, all, all, "WARPSYNC.ALL"]);
    each(|arch| flow::warpsync(arch, R(4)), ["WARPSYNC R4"; 4]);
    same(&ALL, flow::bar_sync(5), "BAR.SYNC 0x5");
    same(&ALL, flow::bar_red(0, BarReduce::Popc, !P::new(1)), "BAR.RED.POPC 0x0, !P1");
    same(&ALL, flow::b2r(R(4)), "B2R.RESULT R4");
}

#[test]
fn scheduling_fields() {
    let control =
        Control { stall: 4, yields: true, write: Some(2), read: Some(1), wait: 0b11, reuse: 0 };
    let word = memory::lds(R(4), R(2), 0, Size::Word).word(control);
    assert_eq!(disasm::control(word), "01----:r1:w2:y:s04");
    let control = Control { reuse: 0b101, ..Control::stall(2) };
    let word = int::iadd3(R(4), R(5), R(6), R(7)).word(control);
    let decoded = decode(word, Arch::Sm75).expect("legal");
    assert_eq!(disasm::text(&decoded, 0), "IADD3 R4, R5.reuse, R6, R7.reuse");
    assert_eq!(disasm::control(word), "------:r-:w-:-:s02");
}
