//! Vector instructions that have a long form only.

use crate::bit_flow::BitFlow::{Low24, Moves, Picks, Upwards};
use crate::format::Format;
use crate::row::{B32, B64, F32, F64, Kind, NO, Place, Row, Slot, Specials, Unit};
use crate::sem::vector::{Pace, VectorFn};
use crate::sem::{Does, bitfield, cube, divide, fp32, fp64, integer, pack, sad, select, trig};

const SOURCE: Place = Place::VectorSource;

const fn row(op: u16, name: &'static str, f: VectorFn, dst: Kind, src: [Kind; 2]) -> Row {
    Row { long: true, ..Row::new(Format::Vop3, op, name, Unit::Valu) }
        .dst(Place::Vector.of(dst))
        .src2(SOURCE.of(src[0]), SOURCE.of(src[1]))
        .reads(Specials::EXEC)
        .does(Does::Vector(f))
}

const fn three(op: u16, name: &'static str, f: VectorFn, dst: Kind, src: [Kind; 3]) -> Row {
    let third: Slot = SOURCE.of(src[2]);
    let row = row(op, name, f, dst, [src[0], src[1]]);
    Row { src: [row.src[0], row.src[1], third, NO], ..row }
}

const fn f32x3(op: u16, name: &'static str, f: VectorFn) -> Row {
    three(op, name, f, F32, [F32; 3])
}

const fn f64x2(op: u16, name: &'static str, f: VectorFn) -> Row {
    row(op, name, f, F64, [F64; 2]).pace(Pace::Double)
}

const fn f64x3(op: u16, name: &'static str, f: VectorFn) -> Row {
    three(op, name, f, F64, [F64; 3]).pace(Pace::Double)
}

const fn b32x3(op: u16, name: &'static str, f: VectorFn) -> Row {
    three(op, name, f, B32, [B32; 3])
}

/// Shifts of 64 bits.
const fn shift(op: u16, name: &'static str, f: VectorFn) -> Row {
    row(op, name, f, B64, [B64, B32]).pace(Pace::Double)
}

/// Products of 32 bits.
const fn product(op: u16, name: &'static str, f: VectorFn) -> Row {
    row(op, name, f, B32, [B32; 2]).pace(Pace::Quarter)
}

/// Sums of differences of four bytes in a window of eight.
const fn window(op: u16, name: &'static str, f: VectorFn) -> Row {
    Row { apart: true, ..three(op, name, f, B64, [B64, B32, B64]) }.pace(Pace::Quarter)
}

/// The table.
pub const ROWS: &[Row] = &[
    f32x3(320, "v_mad_legacy_f32", fp32::mad_legacy_f32),
    f32x3(321, "v_mad_f32", fp32::mad_f32),
    b32x3(322, "v_mad_i32_i24", integer::mad_i24).bits(Low24),
    b32x3(323, "v_mad_u32_u24", integer::mad_u24).bits(Low24),
    f32x3(324, "v_cubeid_f32", cube::cubeid_f32),
    f32x3(325, "v_cubesc_f32", cube::cubesc_f32),
    f32x3(326, "v_cubetc_f32", cube::cubetc_f32),
    f32x3(327, "v_cubema_f32", cube::cubema_f32),
    b32x3(328, "v_bfe_u32", bitfield::bfe_u32).bits(Moves(0b110)),
    b32x3(329, "v_bfe_i32", bitfield::bfe_i32).bits(Moves(0b110)),
    b32x3(330, "v_bfi_b32", bitfield::bfi_b32).bits(Picks),
    f32x3(331, "v_fma_f32", fp32::fma_f32).pace(Pace::Fma),
    f64x3(332, "v_fma_f64", fp64::fma_f64).pace(Pace::DoubleProduct),
    b32x3(333, "v_lerp_u8", sad::lerp_u8),
    b32x3(334, "v_alignbit_b32", bitfield::alignbit_b32).bits(Moves(0b100)),
    b32x3(335, "v_alignbyte_b32", bitfield::alignbyte_b32).bits(Moves(0b100)),
    f32x3(336, "v_mullit_f32", fp32::mullit_f32),
    f32x3(337, "v_min3_f32", select::min3_f32),
    b32x3(338, "v_min3_i32", select::min3_i32),
    b32x3(339, "v_min3_u32", select::min3_u32),
    f32x3(340, "v_max3_f32", select::max3_f32),
    b32x3(341, "v_max3_i32", select::max3_i32),
    b32x3(342, "v_max3_u32", select::max3_u32),
    f32x3(343, "v_med3_f32", select::med3_f32),
    b32x3(344, "v_med3_i32", select::med3_i32),
    b32x3(345, "v_med3_u32", select::med3_u32),
    b32x3(346, "v_sad_u8", sad::sad_u8),
    b32x3(347, "v_sad_hi_u8", sad::sad_hi_u8),
    b32x3(348, "v_sad_u16", sad::sad_u16),
    b32x3(349, "v_sad_u32", sad::sad_u32),
    three(350, "v_cvt_pk_u8_f32", pack::pk_u8_f32, B32, [F32, B32, B32]),
    f32x3(351, "v_div_fixup_f32", divide::div_fixup_f32).pace(Pace::Quarter),
    f64x3(352, "v_div_fixup_f64", divide::div_fixup_f64),
    shift(353, "v_lshl_b64", bitfield::lshl_b64).bits(Moves(0b10)),
    shift(354, "v_lshr_b64", bitfield::lshr_b64).bits(Moves(0b10)),
    shift(355, "v_ashr_i64", bitfield::ashr_i64).bits(Moves(0b10)),
    f64x2(356, "v_add_f64", fp64::add_f64),
    f64x2(357, "v_mul_f64", fp64::mul_f64).pace(Pace::DoubleProduct),
    f64x2(358, "v_min_f64", select::min_f64),
    f64x2(359, "v_max_f64", select::max_f64),
    row(360, "v_ldexp_f64", fp64::ldexp_f64, F64, [F64, B32]).pace(Pace::Double),
    product(361, "v_mul_lo_u32", integer::mul_lo).bits(Upwards),
    product(362, "v_mul_hi_u32", integer::mul_hi_u32),
    product(363, "v_mul_lo_i32", integer::mul_lo).bits(Upwards),
    product(364, "v_mul_hi_i32", integer::mul_hi_i32),
    f32x3(365, "v_div_scale_f32", divide::div_scale_f32)
        .flag(Place::Carry.of(B64))
        .pace(Pace::Quarter),
    f64x3(366, "v_div_scale_f64", divide::div_scale_f64).flag(Place::Carry.of(B64)),
    f32x3(367, "v_div_fmas_f32", divide::div_fmas_f32).reads(Specials::VCC).pace(Pace::Quarter),
    f64x3(368, "v_div_fmas_f64", divide::div_fmas_f64)
        .reads(Specials::VCC)
        .pace(Pace::DoubleProduct),
    b32x3(369, "v_msad_u8", sad::msad_u8),
    window(370, "v_qsad_pk_u16_u8", sad::qsad_u8),
    window(371, "v_mqsad_pk_u16_u8", sad::mqsad_u8),
    row(372, "v_trig_preop_f64", trig::trig_preop_f64, F64, [F64, B32]).pace(Pace::DoubleProduct),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_meaning() {
        assert!(ROWS.iter().all(|row| !matches!(row.does, Does::Absent)));
    }
}
