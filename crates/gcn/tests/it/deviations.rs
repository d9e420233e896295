//! Where LLVM 14's assembler and we differ on purpose, with reasons.

use upset_gcn::operand::Operand;
use upset_gcn::row::Place;
use upset_gcn::{Broken, Detail, Format, Inst, rules};

/// How the assembler differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Differs {
    /// It refuses what we call legal.
    Refuses,
    /// It takes what we refuse.
    Takes,
    /// Both take it, but its bytes are others.
    OtherBytes,
}

/// A difference that is accepted.
pub struct Deviation {
    pub differs: Differs,
    pub reason: &'static str,
    /// Words that show it.
    pub example: [u32; 3],
    /// The instructions it is about, and the rule that they break for us.
    pub about: fn(&Inst, Option<Broken>) -> bool,
}

pub const DEVIATIONS: &[Deviation] = &[
    Deviation {
        differs: Differs::Refuses,
        reason: "in AMD's manual, not in LLVM's table",
        example: [0xbe80_3500, 0, 0],
        about: |inst, _| UNKNOWN.contains(&inst.row.name),
    },
    Deviation {
        differs: Differs::Refuses,
        reason: "LLVM knows the short form only; the long one has all opcodes of the short ones",
        example: [0xd202_0000, 0x0000_0501, 0],
        about: |inst, _| SHORT_ONLY.contains(&inst.row.name) && inst.format == Format::Vop3,
    },
    Deviation {
        differs: Differs::Refuses,
        reason: "LLVM wants constants of a half-precision operand as later chips have them",
        example: [0xd316_0000, 0x0000_0081, 0],
        about: |inst, _| {
            let constant = inst.src[0].is_inline() || matches!(inst.src[0], Operand::Literal(_));
            inst.row.name == "v_cvt_f32_f16" && constant
        },
    },
    Deviation {
        differs: Differs::Takes,
        reason: "LLVM has no class of scalar registers without VCCZ, EXECZ and SCC",
        example: [0xbe80_2efd, 0, 0],
        about: |inst, broken| {
            let value = |op: &Operand| matches!(op, Operand::Vccz | Operand::Execz | Operand::Scc);
            broken == Some(Broken::Place) && (value(&inst.dst) || inst.src.iter().any(value))
        },
    },
    Deviation {
        differs: Differs::Takes,
        reason: "a constant as offset register reads like an offset in the instruction",
        example: [0xc000_0081, 0, 0],
        about: |inst, broken| {
            let scalar = matches!(inst.detail, Detail::Scalar(_));
            scalar && broken == Some(Broken::Place) && inst.src[1].is_inline()
        },
    },
    Deviation {
        differs: Differs::Takes,
        reason: "a literal where none may be reads like the inline constant of its value",
        example: [0x9580_ffbb, 0x0000_000c, 0],
        about: |inst, _| rules::check(&shortest(inst)).is_ok(),
    },
    Deviation {
        differs: Differs::Takes,
        reason: "LLVM lets LDS be the scalar that is written to a lane",
        example: [0x041d_82fe, 0, 0],
        about: |inst, _| inst.row.name == "v_writelane_b32" && inst.src[0] == Operand::LdsDirect,
    },
    Deviation {
        differs: Differs::Takes,
        reason: "LLVM sets the GDS bit of instructions for global data share itself",
        example: [0xd864_0000, 0x0000_0001, 0],
        about: |inst, _| inst.row.global_only,
    },
    Deviation {
        differs: Differs::Takes,
        reason: "LLVM 14 does not know that TFE of a buffer load writes one register more",
        example: [0xe030_0000, 0x8080_ff00, 0],
        about: |inst, broken| {
            let status = matches!(inst.detail, Detail::Buffer(b) if b.tfe);
            status && broken == Some(Broken::Group)
        },
    },
    Deviation {
        differs: Differs::OtherBytes,
        reason: "LLVM enables both values of a compressed register; one of them means nothing",
        example: [0xf800_0401, 0, 0],
        about: |inst, _| match inst.detail {
            Detail::Export(e) => e.compressed && !matches!(e.enabled, 0 | 3 | 12 | 15),
            _ => false,
        },
    },
];

/// Instructions of AMD's manual that LLVM 14 does not know for Tahiti.
pub const UNKNOWN: &[&str] = &[
    // Listed without a meaning; nothing emits them.
    "s_getreg_regrd_b32",
    "s_mov_regrd_b32",
    "s_mov_fed_b32",
    "v_mov_fed_b32",
    // Southern Islands only; LLVM's table begins with what later chips kept.
    "buffer_atomic_rsub",
    "buffer_atomic_rsub_x2",
    // Under this name from Sea Islands on.
    "v_qsad_pk_u16_u8",
];

/// Instructions that LLVM 14 knows in their short form only.
pub const SHORT_ONLY: &[&str] = &["v_readlane_b32", "v_writelane_b32", "v_readfirstlane_b32"];

/// What LLVM 14 assembles for Tahiti although Southern Islands does not have it:
/// three dwords at once came with Sea Islands.
pub const LEFT_OUT: &[&str] =
    &["buffer_load_dwordx3 v[0:2], off, s[0:3], 0", "buffer_store_dwordx3 v[0:2], off, s[0:3], 0"];

/// A literal that could be an inline constant is always made one: LLVM 14 has no
/// way to write it otherwise. The instruction as it is assembled then.
pub fn shortest(inst: &Inst) -> Inst {
    let mut short = *inst;
    for (src, slot) in short.src.iter_mut().zip(inst.row.src) {
        if let (Operand::Literal(value), true) = (*src, slot.place != Place::Literal) {
            *src = Operand::inline(value, slot.kind.dwords).unwrap_or(*src);
        }
    }
    short
}
