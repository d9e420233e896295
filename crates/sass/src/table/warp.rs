//! Votes, shuffles, matches.

use upset_isa::{Across, LatencyClass, OpDef, Pace, Unit};

use super::{Archs, Col, Cond, Forms, Row, op, row};
use crate::sem;

/// Lanes meet in the load/store pipe.
const fn slow(name: &'static str) -> OpDef {
    op(name, Unit::LoadStore, LatencyClass::Variable)
}

static VOTE: OpDef =
    op("VOTE", Unit::Alu, LatencyClass::Fixed).pace(Pace::Vote).across(Across::Lanes);
static SHFL: OpDef = slow("SHFL").across(Across::Shuffle);
static MATCH: OpDef = slow("MATCH").across(Across::Lanes);
static REDUX: OpDef = slow("REDUX").across(Across::Lanes);

const SHUFFLE: Col = Col::Enum(58, 2, &[".IDX", ".UP", ".DOWN", ".BFLY"]);
/// Lane or distance as an immediate.
const LANE: Col = Col::Hex(53, 5);
/// Clamp and segment mask as an immediate.
const CLAMP: Col = Col::Hex(40, 13);

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &VOTE,
        Archs::ALL,
        0x006,
        Forms::one(4),
        &[Col::Enum(72, 2, &[".ALL", ".ANY", ".EQ"])],
        &[Col::ROpt(16), Col::P(81), Col::Pn(87, 90)],
    )
    .lower(sem::warp::vote)
    .loose91(),
    row(
        &SHFL,
        Archs::ALL,
        0x189,
        Forms::one(1),
        &[SHUFFLE],
        &[Col::P(81), Col::R(16), Col::R(24), Col::R(32), Col::R(64)],
    )
    .lower(sem::warp::shfl)
    .loose91(),
    row(
        &SHFL,
        Archs::ALL,
        0x189,
        Forms::one(2),
        &[SHUFFLE],
        &[Col::P(81), Col::R(16), Col::R(24), Col::R(32), CLAMP],
    )
    .lower(sem::warp::shfl)
    .loose91(),
    row(
        &SHFL,
        Archs::ALL,
        0x189,
        Forms::one(4),
        &[SHUFFLE],
        &[Col::P(81), Col::R(16), Col::R(24), LANE, Col::R(64)],
    )
    .lower(sem::warp::shfl)
    .loose91(),
    row(
        &SHFL,
        Archs::ALL,
        0x189,
        Forms::one(7),
        &[SHUFFLE],
        &[Col::P(81), Col::R(16), Col::R(24), LANE, CLAMP],
    )
    .lower(sem::warp::shfl)
    .loose91(),
    row(
        &MATCH,
        Archs::ALL,
        0x1a1,
        Forms::one(1),
        &[Col::Enum(79, 1, &[".ALL", ".ANY"]), Col::Flag(73, ".U64")],
        &[Col::When(Cond::Clear(79), &[Col::P(81)]), Col::R(16), Col::R(24)],
    )
    .lower(sem::warp::match_)
    .loose91(),
    row(
        &REDUX,
        Archs::FROM80,
        0x1c4,
        Forms::one(1),
        &[Col::Enum(78, 3, &["", ".OR", ".XOR", ".SUM", ".MIN", ".MAX"]), Col::Flag(73, ".S32")],
        &[Col::U(16), Col::R(24)],
    )
    .lower(sem::warp::redux),
];
