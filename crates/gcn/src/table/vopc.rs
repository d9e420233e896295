//! Vector compares: sixteen conditions on floating-point numbers, eight on
//! integers, and tests for classes of numbers.

use crate::format::Format;
use crate::row::{B32, B64, F32, F64, Kind, Place, Row, Specials, Unit};
use crate::sem::vector::{Pace, VectorFn};
use crate::sem::{Does, class, compare};

/// Does the outcome go to EXEC as well?
#[derive(Clone, Copy)]
enum To {
    Flag,
    FlagAndExec,
}
use To::{Flag, FlagAndExec};

const fn row(op: u16, name: &'static str, to: To, (a, b): (Kind, Kind), f: VectorFn) -> Row {
    let pace = if a.dwords > 1 { Pace::Double } else { Pace::Full };
    let row = Row { long: true, ..Row::new(Format::Vopc, op, name, Unit::Valu) }
        .dst(Place::Carry.of(B64))
        .src2(Place::VectorSource.of(a), Place::Vector.of(b))
        .reads(Specials::EXEC)
        .does(Does::Vector(f))
        .pace(pace);
    match to {
        To::Flag => row,
        To::FlagAndExec => row.writes(Specials::EXEC),
    }
}

macro_rules! conditions {
    (
        $first:expr, $verb:literal, $type:literal, $to:expr, $kind:expr, $all:expr,
        [$($name:literal),*]
    ) => {{
        const NAMES: &[&str] = &[$(concat!($verb, $name, "_", $type)),*];
        const ALL: [VectorFn; NAMES.len()] = $all;
        let mut rows = [row(0, "", $to, ($kind, $kind), ALL[0]); NAMES.len()];
        let mut i = 0;
        while i < NAMES.len() {
            rows[i] = row($first + i as u16, NAMES[i], $to, ($kind, $kind), ALL[i]);
            i += 1;
        }
        rows
    }};
}

macro_rules! floats {
    ($first:expr, $verb:literal, $type:literal, $to:expr, $kind:expr, $all:expr) => {
        conditions!(
            $first,
            $verb,
            $type,
            $to,
            $kind,
            $all,
            [
                "f", "lt", "eq", "le", "gt", "lg", "ge", "o", "u", "nge", "nlg", "ngt", "nle",
                "neq", "nlt", "tru"
            ]
        )
    };
}

macro_rules! integers {
    ($first:expr, $verb:literal, $type:literal, $to:expr, $kind:expr, $all:expr) => {
        conditions!(
            $first,
            $verb,
            $type,
            $to,
            $kind,
            $all,
            ["f", "lt", "eq", "le", "gt", "ne", "ge", "t"]
        )
    };
}

/// Groups of rows, in the order of their opcodes.
const GROUPS: &[&[Row]] = &[
    &floats!(0x00, "v_cmp_", "f32", Flag, F32, compare::F32),
    &floats!(0x10, "v_cmpx_", "f32", FlagAndExec, F32, compare::F32),
    &floats!(0x20, "v_cmp_", "f64", Flag, F64, compare::F64),
    &floats!(0x30, "v_cmpx_", "f64", FlagAndExec, F64, compare::F64),
    &floats!(0x40, "v_cmps_", "f32", Flag, F32, compare::F32),
    &floats!(0x50, "v_cmpsx_", "f32", FlagAndExec, F32, compare::F32),
    &floats!(0x60, "v_cmps_", "f64", Flag, F64, compare::F64),
    &floats!(0x70, "v_cmpsx_", "f64", FlagAndExec, F64, compare::F64),
    &integers!(0x80, "v_cmp_", "i32", Flag, B32, compare::I32),
    &[row(0x88, "v_cmp_class_f32", Flag, (F32, B32), class::f32)],
    &integers!(0x90, "v_cmpx_", "i32", FlagAndExec, B32, compare::I32),
    &[row(0x98, "v_cmpx_class_f32", FlagAndExec, (F32, B32), class::f32)],
    &integers!(0xa0, "v_cmp_", "i64", Flag, B64, compare::I64),
    &[row(0xa8, "v_cmp_class_f64", Flag, (F64, B32), class::f64)],
    &integers!(0xb0, "v_cmpx_", "i64", FlagAndExec, B64, compare::I64),
    &[row(0xb8, "v_cmpx_class_f64", FlagAndExec, (F64, B32), class::f64)],
    &integers!(0xc0, "v_cmp_", "u32", Flag, B32, compare::U32),
    &integers!(0xd0, "v_cmpx_", "u32", FlagAndExec, B32, compare::U32),
    &integers!(0xe0, "v_cmp_", "u64", Flag, B64, compare::U64),
    &integers!(0xf0, "v_cmpx_", "u64", FlagAndExec, B64, compare::U64),
];

const LENGTH: usize = 8 * 16 + 8 * 8 + 4;

static JOINED: [Row; LENGTH] = {
    let mut rows = [GROUPS[0][0]; LENGTH];
    let (mut n, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut i = 0;
        while i < GROUPS[group].len() {
            rows[n] = GROUPS[group][i];
            n += 1;
            i += 1;
        }
        group += 1;
    }
    assert!(n == LENGTH);
    rows
};

/// The table.
pub const ROWS: &[Row] = &JOINED;
