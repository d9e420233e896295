//! Matrix operations.

use upset_isa::{Across, LatencyClass, OpDef, Unit};

use super::column::{ILLEGAL, INVALID, Operand, PLAIN};
use super::{Archs, Col, Cond, Forms, Row, op, row};
use crate::sem;

const fn tensor(name: &'static str) -> OpDef {
    op(name, Unit::Tensor, LatencyClass::Variable).across(Across::Lanes)
}

static HMMA: OpDef = tensor("HMMA");
static IMMA: OpDef = tensor("IMMA");
static BMMA: OpDef = tensor("BMMA");
static DMMA: OpDef = tensor("DMMA");
static MOVM: OpDef = tensor("MOVM");

const R: Operand = PLAIN;
const UNCACHED: Operand = PLAIN.no_reuse();

/// Layout of the left matrix of Volta's operation.
const LEFT: Col = Col::Either(
    Cond::Set(73),
    &[Col::A(R.neg().suffix(".COL"))],
    &[Col::A(R.neg().suffix(".ROW"))],
);
const RIGHT: Col = Col::Either(
    Cond::Set(74),
    &[Col::B(R.neg().suffix(".COL"))],
    &[Col::B(R.neg().suffix(".ROW"))],
);
/// Integer and bit matrices know one layout each.
const ROWS_LEFT: Col =
    Col::Either(Cond::Set(73), &[Col::A(R.suffix(".???1"))], &[Col::A(R.suffix(".ROW"))]);
const COLUMNS_RIGHT: Col =
    Col::Either(Cond::Set(74), &[Col::B(R.suffix(".COL"))], &[Col::B(R.suffix(".???0"))]);
/// Where the values of a sparse matrix belong: a register and a selector.
const SPARSE: &[Col] =
    &[Col::Either(Cond::Set(50), &[Col::RSuffix(40, ".reuse")], &[Col::R(40)]), Col::Hex(48, 2)];

/// A uniform predicate source stored inverted in bits 87-90 (sm_90).
const UNIFORM_PRED: Col = Col::When(
    Cond::Arch(Archs::SM90),
    &[Col::Fn(|f, _, out| {
        let (p, negate) = (7 - f.bits(87, 3), f.bit(90));
        if p != 7 || negate {
            out.operand(&super::print::pred(p, negate, true));
        }
    })],
);

const FOUR_BITS: &[u8] = &[76, 77, 83];
const FOUR_BITS_RIGHT: &[u8] = &[78, 79, 84];
const INTEGERS_80: &[&str] = &[".U8", ".S8", INVALID, INVALID, ".U4", ".S4"];
const INTEGERS_90: &[&str] = &[".U8", ".S8"];

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &HMMA,
        Archs::TO75,
        0x036,
        Forms::one(1),
        &[
            Col::Enum(75, 1, &[".884", ".444"]),
            // Accumulators: half, mixed, single.
            Col::Scatter(&[76, 78], &[".F16.F16", ".F32.F16", ILLEGAL, ".F32.F32"]),
            Col::Must(Cond::Any(&[
                Cond::Clear(75),
                Cond::All(&[Cond::Arch(Archs::SM70), Cond::Clear(76), Cond::Clear(78)]),
                Cond::All(&[Cond::Arch(Archs::SM70), Cond::Set(76), Cond::Set(78)]),
            ])),
            Col::When(
                Cond::Any(&[Cond::Clear(75), Cond::Set(78)]),
                &[Col::Either(
                    Cond::All(&[Cond::Clear(75), Cond::Set(76)]),
                    &[Col::Enum(79, 2, &[".STEP0", ".STEP1", ".STEP2", ".STEP3"])],
                    &[Col::Enum(79, 2, &[".STEP0", ".STEP1"])],
                )],
            ),
            Col::Flag(77, ".SATFINITE"),
        ],
        &[Col::R(16), LEFT, RIGHT, Col::C(R)],
    )
    .lower(sem::tensor::hmma_884),
    row(
        &IMMA,
        Archs::SM75,
        0x037,
        Forms::one(1),
        &[
            Col::Either(
                Cond::Set(83),
                &[Col::Scatter(&[75, 85], &[".???0", ".???1", ".8832", ".???3"])],
                &[Col::Scatter(&[75, 85], &[".8816", ".???1", ".???2", ".???3"])],
            ),
            Col::Must(Cond::Clear(77)),
            Col::Scatter(FOUR_BITS, &[".U8", ".S8", "", "", ".U4", ".S4"]),
            Col::Either(
                Cond::Set(83),
                &[Col::Scatter(
                    FOUR_BITS_RIGHT,
                    &[".???0", ".???1", ".???2", ".???3", ".U4", ".S4", ".???6", ".???7"],
                )],
                &[Col::Scatter(
                    FOUR_BITS_RIGHT,
                    &[".U8", ".S8", ".???2", ".???3", ".???4", ".???5", ".???6", ".???7"],
                )],
            ),
            Col::Flag(82, ".SAT"),
        ],
        &[Col::R(16), ROWS_LEFT, COLUMNS_RIGHT, Col::C(R)],
    )
    .lower(sem::tensor::imma),
    row(
        &IMMA,
        Archs::FROM80,
        0x037,
        Forms::one(1),
        &[
            Col::Hide(Cond::All(&[Cond::Set(72), Cond::Set(81)])),
            Col::Flag(72, ".SP"),
            Col::Either(
                Cond::Arch(Archs::SM80),
                &[Col::Either(
                    Cond::Set(72),
                    &[Col::Scatter(
                        &[75, 85, 86],
                        &[
                            INVALID, INVALID, ".8832", ".8864", INVALID, ".16832", ".16864",
                            ".168128",
                        ],
                    )],
                    &[Col::Scatter(
                        &[75, 85, 86],
                        &[".8816", INVALID, ".8832", INVALID, ".16816", ".16832", ".16864"],
                    )],
                )],
                &[Col::Either(
                    Cond::Set(72),
                    &[Col::Scatter(
                        &[75, 85, 86],
                        &[INVALID, INVALID, ".8832", INVALID, INVALID, ".16832", ".16864"],
                    )],
                    &[Col::Scatter(
                        &[75, 85, 86],
                        &[".8816", INVALID, INVALID, INVALID, ".16816", ".16832"],
                    )],
                )],
            ),
            Col::Either(
                Cond::Arch(Archs::SM80),
                &[Col::Scatter(FOUR_BITS, INTEGERS_80), Col::Scatter(FOUR_BITS_RIGHT, INTEGERS_80)],
                &[Col::Scatter(FOUR_BITS, INTEGERS_90), Col::Scatter(FOUR_BITS_RIGHT, INTEGERS_90)],
            ),
            Col::Flag(82, ".SAT"),
        ],
        &[
            Col::R(16),
            ROWS_LEFT,
            COLUMNS_RIGHT,
            Col::C(UNCACHED),
            UNIFORM_PRED,
            Col::When(Cond::Set(72), SPARSE),
        ],
    )
    .lower(sem::tensor::imma),
    row(
        &MOVM,
        Archs::FROM75,
        0x03a,
        Forms::one(1),
        &[
            Col::Hide(Cond::In(75, 3, 0b11110)),
            Col::Enum(75, 3, &[".16"]),
            Col::Enum(78, 2, &[".MT88", ".M832", ".M864"]),
        ],
        &[Col::R(16), Col::R(24)],
    ),
    row(
        &HMMA,
        Archs::SM75,
        0x03c,
        Forms::one(1),
        &[
            Col::Hide(Cond::In(82, 2, 0b0110)),
            Col::Scatter(&[75, 78], &[".1688", ".16816", ".1684"]),
            Col::Enum(76, 1, &[".F16", ".F32"]),
            Col::Flag(77, ".SATFINITE"),
        ],
        &[Col::R(16), Col::A(UNCACHED.neg()), Col::B(R.neg()), Col::C(UNCACHED)],
    )
    .lower(sem::tensor::hmma),
    row(
        &HMMA,
        Archs::FROM80,
        0x03c,
        Forms::one(1),
        &[
            Col::Hide(Cond::All(&[Cond::Arch(Archs::SM90), Cond::Eq(82, 2, 3)])),
            Col::Hide(Cond::All(&[Cond::Set(73), Cond::Set(81)])),
            Col::Flag(73, ".SP"),
            Col::Either(
                Cond::Set(73),
                &[Col::Scatter(&[75, 78], &[".1688", ".16816", INVALID, ".16832"])],
                &[Col::Scatter(&[75, 78], &[".1688", ".16816", ".1684"])],
            ),
            Col::Enum(76, 1, &[".F16", ".F32"]),
            Col::Enum(82, 2, &["", ".BF16", ".TF32"]),
        ],
        &[
            Col::R(16),
            Col::A(R.neg()),
            Col::B(R.neg()),
            Col::C(UNCACHED),
            UNIFORM_PRED,
            Col::When(Cond::Set(73), SPARSE),
        ],
    )
    .lower(sem::tensor::hmma),
    row(
        &BMMA,
        Archs::SM75,
        0x03d,
        Forms::one(1),
        &[
            Col::Enum(75, 2, &[".88128", ".???1", ".???2", ".???3"]),
            Col::Enum(77, 1, &[".XOR", ".???1"]),
            Col::Enum(80, 1, &[".???0", ".POPC"]),
        ],
        &[Col::R(16), ROWS_LEFT, COLUMNS_RIGHT, Col::C(R)],
    ),
    row(
        &BMMA,
        Archs::FROM80,
        0x03d,
        Forms::one(1),
        &[
            Col::Enum(75, 2, &[".88128", ".168128", ".168256"]),
            Col::Either(
                Cond::Arch(Archs::SM80),
                &[Col::Enum(77, 2, &[".XOR", INVALID, ".AND"])],
                &[Col::Enum(77, 2, &[".???0", ".???1", ".AND", ".???3"])],
            ),
            Col::Enum(80, 1, &[".???0", ".POPC"]),
        ],
        &[Col::R(16), ROWS_LEFT, COLUMNS_RIGHT, Col::C(UNCACHED), UNIFORM_PRED],
    ),
    row(
        &DMMA,
        Archs::FROM80,
        0x03f,
        Forms::one(1),
        &[
            Col::Either(
                Cond::Arch(Archs::SM80),
                &[Col::Enum(76, 1, &[".884", ".???1"])],
                &[Col::Enum(76, 2, &[".8x8x4", ".16x8x4", ".16x8x8", ".16x8x16"])],
            ),
            Col::Enum(78, 2, &["", ".RM", ".RP", ".RZ"]),
        ],
        &[
            Col::R(16),
            Col::A(R.neg().abs()),
            Col::B(R.neg().abs()),
            Col::C(UNCACHED.neg().abs()),
            UNIFORM_PRED,
        ],
    ),
];
