//! Vector instructions that have a long form only.

use crate::format::Format;
use crate::row::{B32, B64, F32, F64, Kind, NO, Place, Row, Specials, Unit};

const fn row(op: u16, name: &'static str, dst: Kind, a: Kind, b: Kind) -> Row {
    Row { long: true, ..Row::new(Format::Vop3, op, name, Unit::Valu) }
        .dst(Place::Vector.of(dst))
        .src2(Place::VectorSource.of(a), Place::VectorSource.of(b))
        .reads(Specials::EXEC)
}

const fn three(op: u16, name: &'static str, dst: Kind, a: Kind, b: Kind, c: Kind) -> Row {
    let row = row(op, name, dst, a, b);
    Row { src: [row.src[0], row.src[1], Place::VectorSource.of(c), NO], ..row }
}

const fn f32x3(op: u16, name: &'static str) -> Row {
    three(op, name, F32, F32, F32, F32)
}

const fn f64x3(op: u16, name: &'static str) -> Row {
    three(op, name, F64, F64, F64, F64)
}

const fn b32x3(op: u16, name: &'static str) -> Row {
    three(op, name, B32, B32, B32, B32)
}

/// Sums of differences of four bytes in a window of eight.
const fn window(op: u16, name: &'static str) -> Row {
    Row { apart: true, ..three(op, name, B64, B64, B32, B64) }
}

/// The table.
pub const ROWS: &[Row] = &[
    f32x3(320, "v_mad_legacy_f32"),
    f32x3(321, "v_mad_f32"),
    b32x3(322, "v_mad_i32_i24"),
    b32x3(323, "v_mad_u32_u24"),
    f32x3(324, "v_cubeid_f32"),
    f32x3(325, "v_cubesc_f32"),
    f32x3(326, "v_cubetc_f32"),
    f32x3(327, "v_cubema_f32"),
    b32x3(328, "v_bfe_u32"),
    b32x3(329, "v_bfe_i32"),
    b32x3(330, "v_bfi_b32"),
    f32x3(331, "v_fma_f32"),
    f64x3(332, "v_fma_f64"),
    b32x3(333, "v_lerp_u8"),
    b32x3(334, "v_alignbit_b32"),
    b32x3(335, "v_alignbyte_b32"),
    f32x3(336, "v_mullit_f32"),
    f32x3(337, "v_min3_f32"),
    b32x3(338, "v_min3_i32"),
    b32x3(339, "v_min3_u32"),
    f32x3(340, "v_max3_f32"),
    b32x3(341, "v_max3_i32"),
    b32x3(342, "v_max3_u32"),
    f32x3(343, "v_med3_f32"),
    b32x3(344, "v_med3_i32"),
    b32x3(345, "v_med3_u32"),
    b32x3(346, "v_sad_u8"),
    b32x3(347, "v_sad_hi_u8"),
    b32x3(348, "v_sad_u16"),
    b32x3(349, "v_sad_u32"),
    three(350, "v_cvt_pk_u8_f32", B32, F32, B32, B32),
    f32x3(351, "v_div_fixup_f32"),
    f64x3(352, "v_div_fixup_f64"),
    row(353, "v_lshl_b64", B64, B64, B32),
    row(354, "v_lshr_b64", B64, B64, B32),
    row(355, "v_ashr_i64", B64, B64, B32),
    row(356, "v_add_f64", F64, F64, F64),
    row(357, "v_mul_f64", F64, F64, F64),
    row(358, "v_min_f64", F64, F64, F64),
    row(359, "v_max_f64", F64, F64, F64),
    row(360, "v_ldexp_f64", F64, F64, B32),
    row(361, "v_mul_lo_u32", B32, B32, B32),
    row(362, "v_mul_hi_u32", B32, B32, B32),
    row(363, "v_mul_lo_i32", B32, B32, B32),
    row(364, "v_mul_hi_i32", B32, B32, B32),
    f32x3(365, "v_div_scale_f32").flag(Place::Carry.of(B64)),
    f64x3(366, "v_div_scale_f64").flag(Place::Carry.of(B64)),
    f32x3(367, "v_div_fmas_f32").reads(Specials::VCC),
    f64x3(368, "v_div_fmas_f64").reads(Specials::VCC),
    b32x3(369, "v_msad_u8"),
    window(370, "v_qsad_pk_u16_u8"),
    window(371, "v_mqsad_pk_u16_u8"),
    row(372, "v_trig_preop_f64", F64, F64, B32),
];
