//! Control flow and convergence.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::column::{ILLEGAL, INVALID, PLAIN};
use super::flow_target as to;
use super::{Archs, Boards, Col, Cond, Forms, Row, op, row};
use crate::sem;

const fn branch(name: &'static str) -> OpDef {
    op(name, Unit::Branch, LatencyClass::None)
}

static BRA: OpDef = branch("BRA");
static BRX: OpDef = branch("BRX");
static BRXU: OpDef = branch("BRXU");
static JMP: OpDef = branch("JMP");
static JMX: OpDef = branch("JMX");
static JMXU: OpDef = branch("JMXU");
static CALL: OpDef = branch("CALL");
static RET: OpDef = branch("RET");
static EXIT: OpDef = branch("EXIT");
static KILL: OpDef = branch("KILL");
static RTT: OpDef = branch("RTT");
static BSSY: OpDef = branch("BSSY");
static BSYNC: OpDef = branch("BSYNC");
static BREAK: OpDef = branch("BREAK");
static YIELD: OpDef = branch("YIELD");
static WARPSYNC: OpDef = branch("WARPSYNC");
static NANOSLEEP: OpDef = branch("NANOSLEEP");
static BMOV: OpDef = op("BMOV", Unit::Branch, LatencyClass::Variable);
static RPCMOV: OpDef = op("RPCMOV", Unit::Branch, LatencyClass::Fixed);
static PHANTOM_FLOW: OpDef = branch("");
/// Legal, fixed latency, never printed.
static PHANTOM_FIXED: OpDef = op("", Unit::Branch, LatencyClass::Fixed);
static ENDCOLLECTIVE: OpDef = op("ENDCOLLECTIVE", Unit::Branch, LatencyClass::Fixed);

/// The condition beside the guard.
const IF: Col = Col::PnTrue(87, 90);
/// What the compiler knows about the condition: uniform, divergent, convergent.
const SPREAD: Col = Col::Enum(32, 2, &["", ".U", ".DIV", ".CONV"]);
/// Effect on the call depth.
const DEPTH: Col = Col::Enum(85, 2, &["", ".INC", ".DEC"]);
const NOINC: Col = Col::Flag(86, ".NOINC");

/// Convergence barrier in bits 16-19.
const B16: Col = Col::Fn(|f, _, out| out.operand(&format!("B{}", f.bits(16, 4))));

/// Per-warp state that `BMOV` reads and writes.
const STATE: &[&str] = &[
    "B0",
    "B1",
    "B2",
    "B3",
    "B4",
    "B5",
    "B6",
    "B7",
    "B8",
    "B9",
    "B10",
    "B11",
    "B12",
    "B13",
    "B14",
    "B15",
    "THREAD_STATE_ENUM.0",
    "THREAD_STATE_ENUM.1",
    "THREAD_STATE_ENUM.2",
    "THREAD_STATE_ENUM.3",
    "THREAD_STATE_ENUM.4",
    "TRAP_RETURN_PC.LO",
    "TRAP_RETURN_PC.HI",
    "TRAP_RETURN_MASK",
    "MEXITED",
    "MKILL",
    "MACTIVE",
    "MATEXIT",
    "OPT_STACK",
    "API_CALL_DEPTH",
    "ATEXIT_PC.LO",
    "ATEXIT_PC.HI",
    "MCOLLECTIVE",
];

/// Names of the state in bits 24-29.
const STATE_24: Col = Col::Fn(|f, _, out| {
    let n = f.bits(24, 6) as usize;
    let known = if f.arch >= crate::Arch::Sm90 { 33 } else { 32 };
    match STATE.get(n).filter(|_| n < known) {
        Some(name) => out.operand(name),
        None => out.operand(&format!("???{n}")),
    }
});

/// The state `BMOV` copies into a barrier: with `.CLEAR` a barrier, else not.
const STATE_24_COPY: Col = Col::Fn(|f, _, out| {
    let n = f.bits(24, 6) as usize;
    let known = if f.arch >= crate::Arch::Sm90 { 33 } else { 32 };
    match STATE.get(n).filter(|_| n < known && (n < 16) == f.bit(84)) {
        Some(name) => out.operand(name),
        None => out.operand(&format!("???{n}")),
    }
});

/// Up to sm_75 an unknown state is illegal.
const STATE_KNOWN: Col = Col::Must(Cond::Any(&[Cond::Arch(Archs::FROM80), Cond::Clear(29)]));
const STATE_COPY_KNOWN: Col = Col::Must(Cond::Any(&[
    Cond::Arch(Archs::FROM80),
    Cond::All(&[Cond::Clear(29), Cond::Clear(84), Cond::Set(28)]),
    Cond::All(&[Cond::Clear(29), Cond::Set(84), Cond::Clear(28)]),
]));

const PC_HALF: Col = Col::Name(31, 1, &["Rpc.LO", "Rpc.HI"]);
const NAP: Col = Col::Either(
    Cond::Arch(Archs::SM90),
    &[Col::Flag(86, ".RAND"), Col::Flag(85, ".WARP"), Col::Flag(84, ".SYNCS")],
    &[Col::Flag(86, ".RAND"), Col::Flag(85, ".WARP")],
);

/// From sm_80 `RTT` has no stall count.
const RTT_ARGS: &[Col] = &[Col::Must(Cond::Any(&[Cond::Arch(Archs::TO75), Cond::Eq(105, 5, 0)]))];

/// The flexible operand of bits 32-63 of instructions without other sources.
const IMM: Col = Col::Hex(32, 32);

const REG: Forms = Forms::one(1);
const IMMEDIATE: Forms = Forms::one(4);
const CONSTANT: Forms = Forms::one(5);
const BINDLESS: Forms = Forms::one91(5);
const UNIFORM: Forms = Forms::one91(6);

const UPRED: Col = Col::Upn(24, 27);
/// `UR8`, `~UR8`: a mask of lanes.
const LANES: Col = Col::Fn(|f, _, out| {
    let not = if f.bit(30) { "~" } else { "" };
    out.operand(&format!("{not}{}", super::print::ureg(f.bits(24, 6))));
});
const UNIFORM_SPREAD: Col = Col::Enum(32, 2, &[".???0", ".U", ".???2", ".???3"]);
const ANY: Col = Col::When(Cond::Arch(Archs::SM90), &[Col::Flag(84, ".ANY")]);
/// `.U` has `.ANY` on sm_90.
const ANY_U: Col = Col::When(Cond::Eq(32, 2, 1), &[ANY]);
const LANES_SPREAD: Col = Col::Enum(32, 2, &[INVALID, INVALID, ".DIV", ".CONV"]);
const LANES_SPREAD_90: Col = Col::Enum(32, 2, &[".???0", ".???1", ".DIV", ".CONV"]);

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(&BSYNC, Archs::ALL, 0x141, IMMEDIATE, &[], &[IF, B16])
        .lower(sem::control::bsync)
        .loose91()
        .boards(Boards::None),
    row(&BREAK, Archs::ALL, 0x142, IMMEDIATE, &[], &[IF, B16])
        .lower(sem::control::break_)
        .loose91()
        .boards(Boards::None),
    row(&CALL, Archs::ALL, 0x143, REG, &[Col::Lit(".ABS"), NOINC], &[IF, Col::R(24), to::OFFSET])
        .lower(sem::control::call_abs)
        .boards(Boards::None),
    row(&CALL, Archs::ALL, 0x143, IMMEDIATE, &[Col::Lit(".ABS"), NOINC], &[IF, to::ABSOLUTE])
        .lower(sem::control::call_abs)
        .boards(Boards::None),
    row(&CALL, Archs::ALL, 0x143, CONSTANT, &[Col::Lit(".ABS"), NOINC], &[IF, to::CONSTANT])
        .lower(sem::control::call_abs)
        .boards(Boards::None),
    row(
        &CALL,
        Archs::FROM75,
        0x143,
        Forms::one91(4),
        &[Col::Lit(".ABS"), NOINC],
        &[IF, Col::U(24), to::OFFSET],
    )
    .lower(sem::control::call_abs)
    .boards(Boards::None),
    row(&CALL, Archs::ALL, 0x144, REG, &[Col::Lit(".REL"), NOINC], &[IF, Col::R(24), to::INDEXED])
        .lower(sem::control::call_rel)
        .boards(Boards::None),
    row(&CALL, Archs::ALL, 0x144, IMMEDIATE, &[Col::Lit(".REL"), NOINC], &[IF, to::RELATIVE])
        .lower(sem::control::call_rel)
        .boards(Boards::None),
    row(
        &CALL,
        Archs::FROM75,
        0x144,
        Forms::one91(4),
        &[Col::Lit(".REL"), NOINC],
        &[IF, Col::U(24), to::INDEXED],
    )
    .lower(sem::control::call_rel)
    .boards(Boards::None),
    row(&BSSY, Archs::ALL, 0x145, IMMEDIATE, &[], &[IF, B16, to::NEAR])
        .lower(sem::control::bssy)
        .loose91()
        .boards(Boards::None),
    row(&YIELD, Archs::ALL, 0x146, IMMEDIATE, &[], &[IF])
        .lower(sem::control::yield_)
        .loose91()
        .boards(Boards::None),
    row(&BRA, Archs::ALL, 0x147, IMMEDIATE, &[DEPTH, SPREAD, ANY_U], &[IF, to::RELATIVE])
        .lower(sem::control::bra)
        .boards(Boards::None),
    row(&BRA, Archs::SM75, 0x147, Forms::one91(4), &[DEPTH, SPREAD, ANY_U], &[IF, to::RELATIVE])
        .lower(sem::control::bra)
        .boards(Boards::None),
    row(
        &BRA,
        Archs::FROM80,
        0x147,
        Forms::one91(2),
        &[DEPTH, UNIFORM_SPREAD, ANY],
        &[IF, UPRED, to::RELATIVE],
    )
    .lower(sem::control::bra)
    .boards(Boards::None),
    row(
        &BRA,
        Archs::FROM80,
        0x147,
        Forms::one91(4),
        &[DEPTH, LANES_SPREAD],
        &[IF, LANES, to::RELATIVE],
    )
    .lower(sem::control::bra)
    .boards(Boards::None),
    row(
        &WARPSYNC,
        Archs::ALL,
        0x148,
        REG,
        &[Col::Either(
            Cond::Arch(Archs::SM90),
            &[Col::Enum(85, 2, &["", ".EXCLUSIVE", ".COLLECTIVE", ILLEGAL])],
            &[Col::When(Cond::Arch(Archs::SM80), &[Col::Flag(86, ".EXCLUSIVE")])],
        )],
        &[
            IF,
            Col::Either(
                Cond::Arch(Archs::SM90),
                &[Col::R(24), Col::When(Cond::Set(86), &[to::RELATIVE])],
                &[Col::R(32)],
            ),
        ],
    )
    .lower(sem::control::warpsync)
    .boards(Boards::None),
    row(&WARPSYNC, Archs::TO80, 0x148, IMMEDIATE, &[], &[IF, IMM])
        .lower(sem::control::warpsync)
        .boards(Boards::None),
    row(
        &WARPSYNC,
        Archs::SM90,
        0x148,
        IMMEDIATE,
        &[Col::Flag(86, ".COLLECTIVE"), Col::Lit(".ALL"), Col::Must(Cond::Clear(85))],
        &[IF, Col::When(Cond::Set(86), &[to::RELATIVE])],
    )
    .lower(sem::control::warpsync)
    .boards(Boards::None),
    row(&WARPSYNC, Archs::TO80, 0x148, CONSTANT.or(BINDLESS), &[], &[IF, to::CONSTANT_WORD])
        .lower(sem::control::warpsync)
        .boards(Boards::None),
    row(&WARPSYNC, Archs::TO80, 0x148, UNIFORM, &[], &[IF, Col::U(32)])
        .lower(sem::control::warpsync)
        .boards(Boards::None),
    row(&BRX, Archs::ALL, 0x149, IMMEDIATE, &[DEPTH], &[IF, Col::R(24), to::OFFSET])
        .lower(sem::control::brx)
        .loose91()
        .boards(Boards::None),
    row(&JMP, Archs::ALL, 0x14a, IMMEDIATE, &[DEPTH, SPREAD, ANY_U], &[IF, to::ABSOLUTE])
        .lower(sem::control::jmp)
        .boards(Boards::None),
    row(&JMP, Archs::ALL, 0x14a, CONSTANT, &[DEPTH, SPREAD, ANY_U], &[IF, to::CONSTANT])
        .lower(sem::control::jmp)
        .boards(Boards::None),
    row(&JMP, Archs::SM75, 0x14a, Forms::one91(4), &[DEPTH, SPREAD, ANY_U], &[IF, to::ABSOLUTE])
        .lower(sem::control::jmp)
        .boards(Boards::None),
    row(&JMP, Archs::SM75, 0x14a, BINDLESS, &[DEPTH, SPREAD, ANY_U], &[IF, to::CONSTANT])
        .lower(sem::control::jmp)
        .boards(Boards::None),
    row(
        &JMP,
        Archs::FROM80,
        0x14a,
        Forms::one91(2),
        &[DEPTH, UNIFORM_SPREAD, ANY],
        &[IF, UPRED, to::ABSOLUTE],
    )
    .lower(sem::control::jmp)
    .boards(Boards::None),
    row(
        &JMP,
        Archs::FROM80,
        0x14a,
        Forms::one91(3),
        &[DEPTH, UNIFORM_SPREAD, ANY],
        &[IF, UPRED, to::CONSTANT],
    )
    .lower(sem::control::jmp)
    .boards(Boards::None),
    row(
        &JMP,
        Archs::FROM80,
        0x14a,
        Forms::one91(4),
        &[DEPTH, Col::Either(Cond::Arch(Archs::SM80), &[LANES_SPREAD], &[LANES_SPREAD_90])],
        &[IF, LANES, to::ABSOLUTE],
    )
    .lower(sem::control::jmp)
    .boards(Boards::None),
    row(
        &JMP,
        Archs::FROM80,
        0x14a,
        BINDLESS,
        &[DEPTH, Col::Either(Cond::Arch(Archs::SM80), &[LANES_SPREAD], &[LANES_SPREAD_90])],
        &[IF, LANES, to::CONSTANT],
    )
    .lower(sem::control::jmp)
    .boards(Boards::None),
    row(&JMX, Archs::ALL, 0x14c, IMMEDIATE, &[DEPTH], &[IF, Col::R(24), to::OFFSET])
        .lower(sem::control::jmx)
        .loose91()
        .boards(Boards::None),
    row(
        &EXIT,
        Archs::ALL,
        0x14d,
        IMMEDIATE,
        &[Col::Enum(84, 2, &["", ".KEEPREFCOUNT", ".PREEMPTED"]), Col::Flag(86, ".NO_ATEXIT")],
        &[IF],
    )
    .lower(sem::control::exit)
    .loose91()
    .boards(Boards::None),
    row(&RTT, Archs::TO80, 0x14f, IMMEDIATE, &[], RTT_ARGS).loose91().boards(Boards::None),
    row(&RTT, Archs::SM90, 0x14f, IMMEDIATE, &[], RTT_ARGS).silent().boards(Boards::None),
    row(
        &RET,
        Archs::ALL,
        0x150,
        IMMEDIATE,
        &[Col::Enum(85, 1, &[".REL", ".ABS"]), Col::Flag(86, ".NODEC")],
        &[IF, Col::R(24), to::RETURN],
    )
    .lower(sem::control::ret)
    .boards(Boards::None),
    row(
        &RET,
        Archs::FROM75,
        0x150,
        Forms::one91(4),
        &[Col::Enum(85, 1, &[".REL", ".ABS"]), Col::Flag(86, ".NODEC")],
        &[IF, Col::U(24), to::RETURN],
    )
    .lower(sem::control::ret)
    .boards(Boards::None),
    row(&PHANTOM_FIXED, Archs::ALL, 0x151, IMMEDIATE, &[], &[]).loose91().silent(),
    row(&RPCMOV, Archs::ALL, 0x152, REG, &[Col::Lit(".32")], &[PC_HALF, Col::B(PLAIN)]),
    row(&RPCMOV, Archs::ALL, 0x152, IMMEDIATE, &[Col::Lit(".32")], &[PC_HALF, IMM]),
    row(&RPCMOV, Archs::ALL, 0x152, CONSTANT, &[Col::Lit(".32")], &[PC_HALF, to::CONSTANT]),
    row(&RPCMOV, Archs::FROM75, 0x152, BINDLESS, &[Col::Lit(".32")], &[PC_HALF, to::CONSTANT_WORD]),
    row(&RPCMOV, Archs::FROM75, 0x152, UNIFORM, &[Col::Lit(".32")], &[PC_HALF, Col::U(32)]),
    row(&RPCMOV, Archs::ALL, 0x153, REG, &[Col::Lit(".32")], &[Col::R(16), PC_HALF]),
    row(
        &RPCMOV,
        Archs::ALL,
        0x154,
        IMMEDIATE,
        &[Col::Lit(".64")],
        &[Col::Word("Rpc"), to::ABSOLUTE],
    ),
    row(
        &RPCMOV,
        Archs::ALL,
        0x154,
        CONSTANT.or(BINDLESS),
        &[Col::Lit(".64")],
        &[Col::Word("Rpc"), to::CONSTANT_WORD],
    ),
    row(
        &RPCMOV,
        Archs::FROM75,
        0x154,
        UNIFORM,
        &[Col::Lit(".64")],
        &[Col::Word("Rpc"), Col::U(32)],
    ),
    row(
        &BMOV,
        Archs::ALL,
        0x155,
        REG,
        &[Col::Lit(".32"), Col::Flag(84, ".CLEAR")],
        &[Col::R(16), STATE_24, STATE_KNOWN],
    )
    .lower(sem::control::bmov_read)
    .boards(Boards::Write),
    row(
        &BMOV,
        Archs::ALL,
        0x155,
        Forms::one(7),
        &[Col::Lit(".32"), Col::Flag(84, ".CLEAR")],
        &[B16, STATE_24_COPY, STATE_COPY_KNOWN],
    )
    .lower(sem::control::bmov_read)
    .boards(Boards::None),
    row(
        &BMOV,
        Archs::ALL,
        0x156,
        REG,
        &[Col::Lit(".32"), Col::Flag(84, ".PQUAD")],
        &[STATE_24, Col::R(32)],
    )
    .lower(sem::control::bmov_write)
    .boards(Boards::Read),
    row(
        &BMOV,
        Archs::ALL,
        0x156,
        IMMEDIATE,
        &[Col::Lit(".32"), Col::Flag(84, ".PQUAD")],
        &[STATE_24, IMM],
    )
    .lower(sem::control::bmov_write)
    .boards(Boards::None),
    row(
        &BMOV,
        Archs::ALL,
        0x156,
        CONSTANT.or(BINDLESS),
        &[Col::Lit(".32"), Col::Flag(84, ".PQUAD")],
        &[STATE_24, to::CONSTANT_WORD],
    )
    .lower(sem::control::bmov_write)
    .boards(Boards::None),
    row(
        &BMOV,
        Archs::ALL,
        0x156,
        Forms::one(7),
        &[Col::Lit(".32"), Col::Flag(84, ".PQUAD")],
        &[STATE_24, B16],
    )
    .lower(sem::control::bmov_write)
    .boards(Boards::None),
    row(
        &BMOV,
        Archs::FROM75,
        0x156,
        UNIFORM,
        &[Col::Lit(".32"), Col::Flag(84, ".PQUAD")],
        &[STATE_24, Col::U(32)],
    )
    .lower(sem::control::bmov_write)
    .boards(Boards::None),
    row(&BMOV, Archs::ALL, 0x157, REG, &[Col::Lit(".64")], &[Col::Word("ATEXIT_PC"), Col::R(32)])
        .boards(Boards::Read),
    row(
        &BMOV,
        Archs::ALL,
        0x157,
        IMMEDIATE,
        &[Col::Lit(".64")],
        &[Col::Word("ATEXIT_PC"), to::ABSOLUTE],
    )
    .boards(Boards::None),
    row(
        &BMOV,
        Archs::ALL,
        0x157,
        CONSTANT.or(BINDLESS),
        &[Col::Lit(".64")],
        &[Col::Word("ATEXIT_PC"), to::CONSTANT_WORD],
    )
    .boards(Boards::None),
    row(
        &BMOV,
        Archs::FROM75,
        0x157,
        UNIFORM,
        &[Col::Lit(".64")],
        &[Col::Word("ATEXIT_PC"), Col::U(32)],
    )
    .boards(Boards::None),
    row(
        &BRXU,
        Archs::FROM75,
        0x158,
        Forms::one91(4),
        &[DEPTH, SPREAD],
        &[IF, Col::U(24), to::OFFSET],
    )
    .lower(sem::control::brxu)
    .boards(Boards::None),
    row(
        &JMXU,
        Archs::FROM75,
        0x159,
        Forms::one91(4),
        &[DEPTH, SPREAD],
        &[IF, Col::U(24), to::OFFSET],
    )
    .lower(sem::control::jmxu)
    .boards(Boards::None),
    row(
        &PHANTOM_FLOW,
        Archs::ALL,
        0x15a,
        REG.or(IMMEDIATE).or(CONSTANT).or(BINDLESS).or(UNIFORM),
        &[],
        &[],
    )
    .silent()
    .boards(Boards::Read),
    row(&KILL, Archs::ALL, 0x15b, IMMEDIATE, &[], &[IF])
        .lower(sem::control::kill)
        .loose91()
        .boards(Boards::None),
    row(&NANOSLEEP, Archs::ALL, 0x15d, REG, &[NAP], &[IF, Col::R(32)])
        .lower(sem::control::yield_)
        .boards(Boards::None),
    row(&NANOSLEEP, Archs::FROM80, 0x15d, IMMEDIATE, &[Col::Lit(".CLEAR")], &[IF])
        .lower(sem::control::yield_)
        .when(&[Cond::Set(83)])
        .boards(Boards::None),
    row(&NANOSLEEP, Archs::ALL, 0x15d, IMMEDIATE, &[NAP], &[IF, IMM])
        .lower(sem::control::yield_)
        .boards(Boards::None),
    row(&NANOSLEEP, Archs::ALL, 0x15d, CONSTANT.or(BINDLESS), &[NAP], &[IF, to::CONSTANT_WORD])
        .lower(sem::control::yield_)
        .boards(Boards::None),
    row(&NANOSLEEP, Archs::FROM75, 0x15d, UNIFORM, &[NAP], &[IF, Col::U(32)])
        .lower(sem::control::yield_)
        .boards(Boards::None),
    row(&ENDCOLLECTIVE, Archs::SM90, 0x11b, IMMEDIATE, &[], &[IF])
        .lower(sem::control::end_collective),
];
