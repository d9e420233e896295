//! Vector instructions with two sources.

use crate::bit_flow::BitFlow::{Bitwise, Low24, Moves, Upwards};
use crate::format::Format;
use crate::row::{B32, B64, F32, Kind, Place, Row, Specials, Unit};
use crate::sem::vector::VectorFn;
use crate::sem::{Does, bitfield, fp32, integer, pack, select};

const fn row(op: u16, name: &'static str, f: VectorFn, dst: Kind, a: Kind, b: Kind) -> Row {
    Row { long: true, ..Row::new(Format::Vop2, op, name, Unit::Valu) }
        .dst(Place::Vector.of(dst))
        .src2(Place::VectorSource.of(a), Place::Vector.of(b))
        .reads(Specials::EXEC)
        .does(Does::Vector(f))
}

const fn f32(op: u16, name: &'static str, f: VectorFn) -> Row {
    row(op, name, f, F32, F32, F32)
}

const fn b32(op: u16, name: &'static str, f: VectorFn) -> Row {
    row(op, name, f, B32, B32, B32)
}

/// Integer addition that writes its carries.
const fn carry(op: u16, name: &'static str, f: VectorFn) -> Row {
    b32(op, name, f).flag(Place::Carry.of(B64))
}

/// One that reads them as well.
const fn with_carry(op: u16, name: &'static str, f: VectorFn) -> Row {
    let (a, b) = (Place::VectorSource.of(B32), Place::Vector.of(B32));
    carry(op, name, f).src3(a, b, Place::Carry.of(B64))
}

/// Between lanes and scalar registers, whatever EXEC says.
const fn lane(op: u16, name: &'static str, does: Does) -> Row {
    Row { long: true, ..Row::new(Format::Vop2, op, name, Unit::Valu) }.does(does)
}

/// The table.
pub const ROWS: &[Row] = &[
    row(0, "v_cndmask_b32", select::cndmask_b32, B32, F32, F32)
        .src3(Place::VectorSource.of(F32), Place::Vector.of(F32), Place::Carry.of(B64))
        .bits(Bitwise),
    lane(1, "v_readlane_b32", Does::ReadLane)
        .dst(Place::Scalar.of(B32))
        .src2(Place::VectorOrLds.of(B32), Place::ScalarInline.of(B32)),
    lane(2, "v_writelane_b32", Does::WriteLane)
        .dst(Place::Vector.of(B32))
        .src2(Place::ScalarSource.of(B32), Place::ScalarInline.of(B32))
        .reads_dst(),
    f32(3, "v_add_f32", fp32::add_f32),
    f32(4, "v_sub_f32", fp32::sub_f32),
    f32(5, "v_subrev_f32", fp32::sub_f32).reversed(),
    f32(6, "v_mac_legacy_f32", fp32::mad_legacy_f32).reads_dst(),
    f32(7, "v_mul_legacy_f32", fp32::mul_legacy_f32),
    f32(8, "v_mul_f32", fp32::mul_f32),
    b32(9, "v_mul_i32_i24", integer::mul_i24).bits(Low24),
    b32(10, "v_mul_hi_i32_i24", integer::mul_hi_i24),
    b32(11, "v_mul_u32_u24", integer::mul_u24).bits(Low24),
    b32(12, "v_mul_hi_u32_u24", integer::mul_hi_u24),
    f32(13, "v_min_legacy_f32", select::min_legacy_f32),
    f32(14, "v_max_legacy_f32", select::max_legacy_f32),
    f32(15, "v_min_f32", select::min_f32),
    f32(16, "v_max_f32", select::max_f32),
    b32(17, "v_min_i32", select::min_i32),
    b32(18, "v_max_i32", select::max_i32),
    b32(19, "v_min_u32", select::min_u32),
    b32(20, "v_max_u32", select::max_u32),
    b32(21, "v_lshr_b32", bitfield::lshr_b32).bits(Moves(0b10)),
    b32(22, "v_lshrrev_b32", bitfield::lshr_b32).reversed().bits(Moves(0b01)),
    b32(23, "v_ashr_i32", bitfield::ashr_i32).bits(Moves(0b10)),
    b32(24, "v_ashrrev_i32", bitfield::ashr_i32).reversed().bits(Moves(0b01)),
    b32(25, "v_lshl_b32", bitfield::lshl_b32).bits(Moves(0b10)),
    b32(26, "v_lshlrev_b32", bitfield::lshl_b32).reversed().bits(Moves(0b01)),
    b32(27, "v_and_b32", bitfield::and_b32).bits(Bitwise),
    b32(28, "v_or_b32", bitfield::or_b32).bits(Bitwise),
    b32(29, "v_xor_b32", bitfield::xor_b32).bits(Bitwise),
    b32(30, "v_bfm_b32", bitfield::bfm_b32),
    f32(31, "v_mac_f32", fp32::mad_f32).reads_dst(),
    f32(32, "v_madmk_f32", fp32::mad_f32)
        .src3(Place::VectorSource.of(F32), Place::Literal.of(F32), Place::Vector.of(F32))
        .short_only(),
    f32(33, "v_madak_f32", fp32::mad_f32)
        .src3(Place::VectorSource.of(F32), Place::Vector.of(F32), Place::Literal.of(F32))
        .short_only(),
    b32(34, "v_bcnt_u32_b32", bitfield::bcnt_u32),
    b32(35, "v_mbcnt_lo_u32_b32", bitfield::mbcnt_lo),
    b32(36, "v_mbcnt_hi_u32_b32", bitfield::mbcnt_hi),
    carry(37, "v_add_i32", integer::add_i32).bits(Upwards),
    carry(38, "v_sub_i32", integer::sub_i32).bits(Upwards),
    carry(39, "v_subrev_i32", integer::sub_i32).reversed().bits(Upwards),
    with_carry(40, "v_addc_u32", integer::addc_u32).bits(Upwards),
    with_carry(41, "v_subb_u32", integer::subb_u32).bits(Upwards),
    with_carry(42, "v_subbrev_u32", integer::subb_u32).reversed().bits(Upwards),
    row(43, "v_ldexp_f32", fp32::ldexp_f32, F32, F32, B32),
    row(44, "v_cvt_pkaccum_u8_f32", pack::pk_u8_f32, B32, F32, B32).reads_dst(),
    row(45, "v_cvt_pknorm_i16_f32", pack::pknorm_i16_f32, B32, F32, F32),
    row(46, "v_cvt_pknorm_u16_f32", pack::pknorm_u16_f32, B32, F32, F32),
    row(47, "v_cvt_pkrtz_f16_f32", pack::pkrtz_f16_f32, F32, F32, F32),
    b32(48, "v_cvt_pk_u16_u32", pack::pk_u16_u32),
    b32(49, "v_cvt_pk_i16_i32", pack::pk_i16_i32),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_meaning() {
        assert!(ROWS.iter().all(|row| !matches!(row.does, Does::Absent)));
    }
}
