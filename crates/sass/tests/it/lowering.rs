//! Lowering: every instruction of the built-in applications has a meaning, and
//! words of compiled code have the operands their text says.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use upset_isa::atomic::{AtomOp, AtomType};
use upset_isa::program::Layout;
use upset_isa::{
    BarOp, BarReduce, Dst, Exec, Flow, Inst, MemKind, MemOp, RZ, Space, SpecialReg, Src, Target,
    Width,
};
use upset_sass::container::cubin;
use upset_sass::{Arch, Encoding, LowerError, Word, decode};

/// All compiled files of the applications.
fn cubins() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels");
    let mut found = Vec::new();
    for app in std::fs::read_dir(root).expect("the kernels folder").flatten() {
        for file in std::fs::read_dir(app.path()).into_iter().flatten().flatten() {
            if file.path().extension().is_some_and(|e| e == "cubin") {
                found.push(file.path());
            }
        }
    }
    found.sort();
    found
}

/// The bits of every instruction of every code section, and how they are encoded.
fn words(path: &Path) -> Vec<(Encoding, u128)> {
    let bytes = std::fs::read(path).expect("a readable cubin");
    let module = cubin::parse(&bytes).expect("a valid cubin");
    let encoding = Encoding::from_number(module.sm).expect("a known architecture");
    let layout = match encoding {
        Encoding::Kepler => Layout::Grouped,
        Encoding::Volta(_) => Layout::Wide,
    };
    let mut all = Vec::new();
    for section in &module.code {
        let slots = layout.words(&section.code.bytes).into_iter().enumerate();
        let instructions = slots.filter(|(slot, _)| !layout.is_control(*slot));
        all.extend(instructions.map(|(_, bits)| (encoding, bits)));
    }
    all
}

/// Whether a word's guard is a uniform predicate.
fn has_uniform_guard(encoding: Encoding, bits: u128) -> bool {
    match encoding {
        Encoding::Kepler => false,
        Encoding::Volta(arch) => decode(Word(bits), arch).is_ok_and(|d| d.row.uniform),
    }
}

#[test]
fn every_instruction_of_the_applications_lowers() {
    let mut problems: BTreeMap<String, u32> = BTreeMap::new();
    let mut seen = 0u32;
    for path in cubins() {
        for (encoding, bits) in words(&path) {
            seen += 1;
            let text = || encoding.text(bits, 0).unwrap_or_else(|| format!("{bits:#034x}"));
            let problem = match encoding.lower(bits) {
                Ok(i) if i.guard.uniform != has_uniform_guard(encoding, bits) => {
                    format!("{encoding:?} {}: guard of the other kind", text())
                }
                Ok(_) => continue,
                Err(e) => format!("{encoding:?} {}: {e}", text()),
            };
            *problems.entry(problem).or_default() += 1;
        }
    }
    assert!(seen > 10_000, "only {seen} instructions found");
    assert!(problems.is_empty(), "of {seen}: {problems:#?}");
}

fn lower(arch: Arch, word: u128) -> Inst {
    let decoded = decode(Word(word), arch).expect("a legal word");
    decoded.lower().expect("an implemented instruction")
}

fn memory(i: &Inst) -> MemOp {
    match i.exec {
        Exec::Mem(m) => m,
        other => panic!("{other:?} is no memory access"),
    }
}

fn flow(arch: Arch, word: u128) -> Flow {
    match lower(arch, word).exec {
        Exec::Flow(f) => f,
        other => panic!("{other:?} is no control flow"),
    }
}

const W1: Width = Width::W1;
const W2: Width = Width::W2;

#[test]
fn global_addresses_on_turing() {
    // LDG.E.64.SYS R2, [R8+0x8]
    let i = lower(Arch::Sm75, 0x000ea200001eeb000000080008027381);
    let m = memory(&i);
    assert_eq!((m.space, m.kind, m.bytes), (Space::Global, MemKind::Load, 8));
    assert_eq!((m.addr64, m.ureg, m.offset), (true, None, 8));
    assert_eq!((i.src[0], i.dst), (Src::Reg(8, W2), Dst::Reg(2, W2)));
    // LDG.E.SYS R11, [R0.U32+UR4+0x8]
    let i = lower(Arch::Sm75, 0x0004e200081ee90000000804000b7981);
    let m = memory(&i);
    assert_eq!((m.addr64, m.ureg, m.offset), (false, Some((4, W2)), 8));
    // STG.E.SYS [R16.64+UR4], R4
    let i = lower(Arch::Sm75, 0x0001e8000c10e9040000000410007986);
    let m = memory(&i);
    assert_eq!((m.kind, m.addr64, m.ureg), (MemKind::Store, true, Some((4, W2))));
    assert_eq!((i.src[0], i.src[1]), (Src::Reg(16, W2), Src::Reg(4, W1)));
    // @!P0 RED.E.ADD.STRONG.GPU [UR4], R4
    let i = lower(Arch::Sm75, 0x0001e2000c11410400000004ff00898e);
    let m = memory(&i);
    assert_eq!(m.kind, MemKind::Reduce(AtomOp::Add, AtomType::U32));
    assert_eq!((m.ureg, i.src[0]), (Some((4, W2)), Src::Reg(RZ, W2)));
    assert!(i.guard.negate && i.guard.pred == 0);
}

#[test]
fn descriptors_are_no_part_of_the_address() {
    // STG.E [R8.64+0x24], R17 with its descriptor in UR8
    let m = memory(&lower(Arch::Sm90, 0x004fe8000c1019080000241108007986));
    assert_eq!((m.addr64, m.ureg, m.offset), (true, None, 0x24));
    // ATOMG.E.MIN.S64.STRONG.GPU PT, R20, [R14.64+-0x8], R18
    let i = lower(Arch::Sm90, 0x000ea200089ee7c8fffff8120e1479a8);
    let m = memory(&i);
    assert_eq!(m.kind, MemKind::Atomic(AtomOp::Min, AtomType::S64));
    assert_eq!((m.ureg, m.offset, m.bytes), (None, -8, 8));
    assert_eq!((i.dst, i.src[1]), (Dst::Reg(20, W2), Src::Reg(18, W2)));
    // REDG.E.ADD.F64.RN.STRONG.GPU [R2.64], R12
    let m = memory(&lower(Arch::Sm90, 0x0021e8000c10ff880000000c020079a6));
    assert_eq!(m.kind, MemKind::Reduce(AtomOp::Add, AtomType::F64));
    assert_eq!(m.ureg, None);
}

#[test]
fn shared_local_and_constant_accesses() {
    // STS [R7.X4], R2
    let m = memory(&lower(Arch::Sm75, 0x004fe800000048000000000207007388));
    assert_eq!((m.space, m.shift, m.bytes), (Space::Shared, 2, 4));
    // ATOMS.MAX.S32 R13, [0x4], R4
    let m = memory(&lower(Arch::Sm75, 0x000ea200010002ff00000404ff0d738c));
    assert_eq!(m.kind, MemKind::Atomic(AtomOp::Max, AtomType::S32));
    assert_eq!(m.offset, 4);
    // ATOMS.CAST.SPIN R7, [R4], R6, R7
    let i = lower(Arch::Sm75, 0x000e240001800007000000060407738d);
    assert_eq!(memory(&i).kind, MemKind::Atomic(AtomOp::CasTest, AtomType::U32));
    assert_eq!((i.src[1], i.src[2]), (Src::Reg(6, W1), Src::Reg(7, W1)));
    // LDL.S8 R0, [R0]
    let m = memory(&lower(Arch::Sm75, 0x000ea800001002000000000000007983));
    assert_eq!((m.space, m.bytes, m.signed), (Space::Local, 1, true));
    // ULDC.64 UR8, c[0x0][0x160]
    let i = lower(Arch::Sm75, 0x000fc40000000a000000580000087ab9);
    assert_eq!((memory(&i).space, i.dst), (Space::Const, Dst::UReg(8, W2)));
    assert!(i.uniform && i.guard.uniform);
}

#[test]
fn targets_count_from_the_next_instruction() {
    // 02c0 @P0 BRA 0x3a0
    let want = Flow::Branch(Target::Relative(0x3a0 - 0x2d0));
    assert_eq!(flow(Arch::Sm75, 0x004fec0003800000000000d000000947), want);
    // 0070 @P0 BRA 0x120, where Hopper has the low bits beside the guard
    let want = Flow::Branch(Target::Relative(0x120 - 0x80));
    assert_eq!(flow(Arch::Sm90, 0x000fea00038000000000000000280947), want);
    // 0800 BRA 0x800
    let want = Flow::Branch(Target::Relative(-16));
    assert_eq!(flow(Arch::Sm90, 0x000fc0000383fffffffffffc00fc7947), want);
    // 02a0 BSSY B0, 0x3b0
    let want = Flow::Bssy { bar: 0, target: Target::Relative(0x3b0 - 0x2b0) };
    assert_eq!(flow(Arch::Sm75, 0x000fe400038000000000010000007945), want);
    // 0440 RET.REL.NODEC R20 0x0
    let want = Flow::Ret(Target::RegRelative(-0x450));
    assert_eq!(flow(Arch::Sm75, 0x028fee0003c3fffffffffbb014007950), want);
    assert_eq!(lower(Arch::Sm75, 0x028fee0003c3fffffffffbb014007950).src[0], Src::Reg(20, W2));
    // 04b0 RET.REL.NODEC R20 0x0
    let want = Flow::Ret(Target::RegRelative(-0x4c0));
    assert_eq!(flow(Arch::Sm90, 0x024fec0003c3fffffffffff814d07950), want);
    // 00a0 CALL.REL.NOINC 0x1e0
    let want = Flow::Call(Target::Relative(0x1e0 - 0xb0));
    assert_eq!(flow(Arch::Sm90, 0x001fea0003c0000000000000004c7944), want);
    // BMOV.32.CLEAR R16, B6
    let want = Flow::BmovRead { bar: 6, clear: true };
    assert_eq!(flow(Arch::Sm75, 0x001e2200001000000000000006107355), want);
}

#[test]
fn barriers_by_register_and_immediate() {
    let bar = |index, count, counted, packed| Flow::Bar {
        op: BarOp::Sync,
        index,
        count,
        counted,
        packed,
    };
    // BAR.SYNC R0, R0
    let want = bar(None, None, false, true);
    assert_eq!(flow(Arch::Sm75, 0x000fea0000000000000000000000731d), want);
    // BAR.SYNC 0x2, 0x40
    let want = bar(Some(2), Some(0x40), false, false);
    assert_eq!(flow(Arch::Sm75, 0x000fea00000000000081000000007b1d), want);
    // BAR.SYNC 0x0
    let want = bar(Some(0), None, false, false);
    assert_eq!(flow(Arch::Sm75, 0x000fea00000000000000000000007b1d), want);
    // BAR.ARV 0x3, R2
    let i = lower(Arch::Sm75, 0x000fea000000200000c000020000791d);
    assert_eq!(i.src[1], Src::Reg(2, W1));
    // BAR.RED.AND 0x0, P0
    match flow(Arch::Sm75, 0x000fea00000044000000000000007b1d) {
        Flow::Bar { op, .. } => assert_eq!(op, BarOp::Reduce(BarReduce::And)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn operands_of_arithmetic() {
    // IMAD.WIDE R2, R5, R2, c[0x0][0x168]
    let i = lower(Arch::Sm75, 0x000fd000078e020200005a0005027625);
    assert_eq!((i.src[0], i.src[1]), (Src::Reg(5, W1), Src::Reg(2, W1)));
    assert!(matches!(i.src[2], Src::Const(_, W2)));
    assert_eq!(i.dst, Dst::Reg(2, W2));
    // SHFL.BFLY PT, R11, R4, 0x1, 0x1f
    let i = lower(Arch::Sm75, 0x001e2800000e00000c201f00040b7f89);
    assert_eq!((i.src[1], i.src[2]), (Src::Imm(1), Src::Imm(0x1f)));
    // CS2R R14, SR_CLOCKLO
    let i = lower(Arch::Sm75, 0x000fcc000001500000000000000e7805);
    assert!(matches!(i.exec, Exec::Special(SpecialReg::ClockLo)));
    assert_eq!(i.dst, Dst::Reg(14, W2));
    // LEA.HI.X R5, R17, c[0x0][0x164], R3, 0x2, P2
    let i = lower(Arch::Sm75, 0x000fd000010f14030000590011050a11);
    assert_eq!((i.src[0], i.src[2], i.psrc[0].pred), (Src::Reg(17, W1), Src::Reg(3, W1), 2));
}

#[test]
fn forms_that_hardware_rejects() {
    let rejected = |word| decode(Word(word), Arch::Sm90).expect("text").lower().unwrap_err();
    // IADD3 R12, -R4, -R6, R8 (traps on H200)
    let word = 0x000fe200_07ffe108_80000006_040c7210;
    assert_eq!(rejected(word), LowerError::IllegalEncoding);
    // IMAD.WIDE R13, … : an odd pair
    let word = 0x000fe200_078e0208_00000006_040d7225;
    assert_eq!(rejected(word), LowerError::MisalignedRegister(13));
}
