//! The text of some instructions. Words are LLVM's, so that this holds where no
//! assembler is installed.

use upset_gcn::operand::Float;
use upset_gcn::row::{Raises, Specials};
use upset_gcn::{Broken, Illegal, Inst, Operand, decode, text};

const EXAMPLES: &[(&str, &[u32])] = &[
    ("s_mov_b32 s5, 0x12345678", &[0xbe85_03ff, 0x1234_5678]),
    ("s_mov_b64 vcc, exec", &[0xbeea_047e]),
    ("s_and_saveexec_b64 s[2:3], vcc", &[0xbe82_246a]),
    ("s_getpc_b64 s[0:1]", &[0xbe80_1f00]),
    ("s_setpc_b64 s[30:31]", &[0xbe80_201e]),
    ("s_add_u32 s0, s0, src_scc", &[0x8000_fd00]),
    ("s_cbranch_g_fork s[0:1], s[2:3]", &[0x9580_0200]),
    ("s_cmp_lt_i32 s4, -16", &[0xbf04_d004]),
    ("s_movk_i32 m0, 0xffff", &[0xb07c_ffff]),
    ("s_cmpk_eq_u32 s0, 0x10", &[0xb480_0010]),
    ("s_getreg_b32 s0, hwreg(HW_REG_HW_ID)", &[0xb900_f804]),
    ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0x3", &[0xba80_0901, 0x0000_0003]),
    ("s_branch -3", &[0xbf82_fffd]),
    ("s_waitcnt vmcnt(1) lgkmcnt(0)", &[0xbf8c_0071]),
    ("s_waitcnt 0x80", &[0xbf8c_0080]),
    ("s_sendmsg sendmsg(MSG_INTERRUPT)", &[0xbf90_0001]),
    ("s_endpgm", &[0xbf81_0000]),
    ("s_barrier", &[0xbf8a_0000]),
    ("s_load_dwordx4 s[4:7], s[2:3], 0x4", &[0xc082_0304]),
    ("s_buffer_load_dword s8, s[4:7], s9", &[0xc204_0409]),
    ("s_memtime s[0:1]", &[0xc780_0000]),
    ("v_mov_b32 v1, 0.5", &[0x7e02_02f0]),
    ("v_readfirstlane_b32 s4, v1", &[0x7e08_0501]),
    ("v_cndmask_b32 v0, v1, v2, vcc", &[0x0000_0501]),
    ("v_cndmask_b32_e64 v0, v1, -v2, s[2:3]", &[0xd200_0000, 0x400a_0501]),
    ("v_madak_f32 v0, v1, v2, 0x3f800001", &[0x4200_0501, 0x3f80_0001]),
    ("v_addc_u32 v0, vcc, v1, v2, vcc", &[0x5000_0501]),
    ("v_addc_u32_e64 v0, s[0:1], v1, v2, s[2:3]", &[0xd250_0000, 0x000a_0501]),
    ("v_add_f32_e64 v0, neg(|0.5|), -|v2| div:2", &[0xd206_0300, 0x7802_04f0]),
    ("v_cmp_lt_f32 vcc, s1, v2", &[0x7c02_0401]),
    ("v_cmp_lt_f32_e64 s[2:3], v1, v2", &[0xd002_0002, 0x0002_0501]),
    ("v_fma_f64 v[0:1], v[2:3], -v[4:5], s[6:7] clamp", &[0xd298_0800, 0x401a_0902]),
    ("v_div_scale_f32 v0, vcc, v1, v2, v3", &[0xd2da_6a00, 0x040e_0501]),
    ("ds_read2_b32 v[1:2], v3 offset0:1 offset1:255", &[0xd8dc_ff01, 0x0100_0003]),
    ("ds_add_u32 v1, v2 offset:65535 gds", &[0xd802_ffff, 0x0000_0201]),
    ("buffer_load_dword v1, v[2:3], s[4:7], 0 addr64 offset:16 glc", &[0xe030_c010, 0x8001_0102]),
    ("buffer_store_dwordx4 v[1:4], off, s[4:7], s1 offset:4", &[0xe078_0004, 0x0101_0100]),
    ("buffer_load_dword v1, v[2:3], s[4:7], m0 idxen offen lds", &[0xe031_3000, 0x7c01_0102]),
    ("buffer_atomic_cmpswap v[1:2], v2, s[4:7], s0 offen glc", &[0xe0c4_5000, 0x0001_0102]),
    (
        "tbuffer_load_format_xyzw v[1:4], v2, s[4:7], dfmt:14, nfmt:7, 0 offen",
        &[0xebf3_1000, 0x8001_0102],
    ),
    ("buffer_wbinvl1", &[0xe1c4_0000, 0x0000_0000]),
    ("image_load v[0:3], v[4:7], s[8:15] dmask:0xf unorm", &[0xf000_1f00, 0x0002_0004]),
    ("exp mrt0 v0, v1, off, off done vm", &[0xf800_1803, 0x0000_0100]),
    ("v_interp_mov_f32 v1, p10, attr3.y", &[0xc806_0d00]),
];

fn inst(name: &str) -> Inst {
    let (_, words) = EXAMPLES.iter().find(|(text, _)| *text == name).expect("an example");
    decode(words).unwrap()
}

#[test]
fn examples_are_spelled_as_they_are_written() {
    for (line, words) in EXAMPLES {
        let inst = decode(words).unwrap_or_else(|e| panic!("{line}: {e}"));
        assert_eq!(text(&inst), *line);
        assert_eq!(inst.length(), 4 * words.len(), "{line}");
    }
}

#[test]
fn short_forms_name_what_they_imply() {
    let short = inst("v_addc_u32 v0, vcc, v1, v2, vcc");
    assert_eq!((short.flag, short.src[2]), (Operand::VccLo, Operand::VccLo));
    assert!(short.reads().has(Specials::VCC) && short.writes().has(Specials::VCC));
    let long = inst("v_addc_u32_e64 v0, s[0:1], v1, v2, s[2:3]");
    assert!(!long.reads().has(Specials::VCC) && !long.writes().has(Specials::VCC));
}

#[test]
fn registers_that_are_used_without_being_named_are_known() {
    let save = inst("s_and_saveexec_b64 s[2:3], vcc");
    assert!(save.reads().has(Specials::EXEC.or(Specials::VCC)));
    assert!(save.writes().has(Specials::EXEC.or(Specials::SCC)));
    assert!(!save.writes().has(Specials::VCC));
    let to_lds = inst("buffer_load_dword v1, v[2:3], s[4:7], m0 idxen offen lds");
    assert!(to_lds.reads().has(Specials::M0));
}

#[test]
fn counters_are_raised_as_southern_islands_does() {
    let raises = |name| inst(name).raises();
    let load = raises("buffer_load_dword v1, v[2:3], s[4:7], 0 addr64 offset:16 glc");
    assert_eq!(load, Raises { vm: 1, lgkm: 0, exp: 0 });
    // Stores hold their data registers for a while.
    let store = raises("buffer_store_dwordx4 v[1:4], off, s[4:7], s1 offset:4");
    assert_eq!(store, Raises { vm: 1, lgkm: 0, exp: 1 });
    let one = raises("s_buffer_load_dword s8, s[4:7], s9");
    assert_eq!(one, Raises { vm: 0, lgkm: 1, exp: 0 });
    let more = raises("s_load_dwordx4 s[4:7], s[2:3], 0x4");
    assert_eq!(more, Raises { vm: 0, lgkm: 2, exp: 0 });
    let global = raises("ds_add_u32 v1, v2 offset:65535 gds");
    assert_eq!(global, Raises { vm: 0, lgkm: 1, exp: 1 });
}

#[test]
fn every_broken_rule_has_its_name() {
    let refused = |words: &[u32]| match decode(words) {
        Err(Illegal::Operands(_, broken)) => broken,
        other => panic!("{words:08x?}: {other:?}"),
    };
    // s_mov_b32 s0, code 104; s_mov_b64 s[1:2], 0; s_setpc_b64 5.
    assert_eq!(refused(&[0xbe80_0368]), Broken::Reserved);
    assert_eq!(refused(&[0xbe81_0480]), Broken::Group);
    assert_eq!(refused(&[0xbe80_2085]), Broken::Place);
    // v_add_f32_e64 v0, s0, s1, and with a literal, for which it has no room.
    assert_eq!(refused(&[0xd206_0000, 0x0000_0200]), Broken::Scalars);
    assert_eq!(refused(&[0xd206_0000, 0x0002_00ff]), Broken::Reserved);
    // v_lshlrev_b32 v0, lds_direct, v0; buffer_load_dword with ADDR64 and OFFEN.
    assert_eq!(refused(&[0x3400_00fe]), Broken::Lds);
    assert_eq!(refused(&[0xe030_9000, 0x8000_0000]), Broken::Flags);
    // v_mqsad_pk_u16_u8 v[0:1], v[0:1], v2, v[4:5]; an export to target 10.
    assert_eq!(refused(&[0xd2e6_0000, 0x0412_0500]), Broken::Overlap);
    assert_eq!(refused(&[0xf800_00a0, 0]), Broken::Target);
}

#[test]
fn literals_that_have_a_shorter_form_are_known() {
    assert_eq!(Operand::inline(64, 1), Some(Operand::Int(64)));
    assert_eq!(Operand::inline(65, 1), None);
    assert_eq!(Operand::inline(-16i32 as u32, 1), Some(Operand::Int(-16)));
    assert_eq!(Operand::inline(-16i32 as u32, 2), None);
    assert_eq!(Operand::inline((-4f32).to_bits(), 1), Some(Operand::Float(Float::MinusFour)));
}
