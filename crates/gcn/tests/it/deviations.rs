//! Where LLVM 14's assembler and we differ on purpose, with reasons.

use upset_gcn::operand::Operand;
use upset_gcn::row::Place;
use upset_gcn::{Broken, Detail, Format, Inst, encode, rules};

/// What the assembler must say about the text of an instruction.
#[derive(Debug, PartialEq, Eq)]
pub enum Expected {
    /// These bytes.
    Bytes(Vec<u8>),
    /// Nothing: it refuses.
    Refusal,
    /// It differs, for a reason.
    Either(&'static str),
}

/// What we expect for an instruction that was read, legal or not.
pub fn expected(inst: &Inst) -> Expected {
    let broken = rules::check(inst).err();
    if let Some(reason) = reason(inst, broken) {
        return Expected::Either(reason);
    }
    match broken {
        Some(_) => Expected::Refusal,
        None => Expected::Bytes(encode(&shortest(inst)).bytes()),
    }
}

/// A literal that could be an inline constant is always made one: LLVM 14 has no
/// way to write it otherwise.
fn shortest(inst: &Inst) -> Inst {
    let mut short = *inst;
    for (n, src) in short.src.iter_mut().enumerate() {
        if let (Operand::Literal(value), true) = (*src, inst.row.src[n].place != Place::Literal) {
            *src = Operand::inline(value, inst.row.src[n].kind.dwords).unwrap_or(*src);
        }
    }
    short
}

/// Instructions of AMD's manual that LLVM 14 does not know for Tahiti.
const UNKNOWN: &[&str] = &[
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

/// Instructions that LLVM 14 knows in their short form only, while the long
/// form has the opcodes of all vector formats.
const SHORT_ONLY: &[&str] = &["v_readlane_b32", "v_writelane_b32", "v_readfirstlane_b32"];

fn reason(inst: &Inst, broken: Option<Broken>) -> Option<&'static str> {
    if UNKNOWN.contains(&inst.row.name) {
        return Some("not in the assembler's table");
    }
    if SHORT_ONLY.contains(&inst.row.name) && inst.format == Format::Vop3 {
        return Some("LLVM has no long form");
    }
    let bare = |op: &Operand| matches!(op, Operand::Vccz | Operand::Execz | Operand::Scc);
    if broken == Some(Broken::Place) && (bare(&inst.dst) || inst.src.iter().any(bare)) {
        // LLVM has no class of registers without them.
        return Some("VCCZ, EXECZ or SCC where a register belongs");
    }
    if inst.row.name == "v_cvt_f32_f16" && inst.format == Format::Vop3 && inst.src[0].is_inline() {
        // For LLVM these are half-precision constants, which came with later chips.
        return Some("an inline constant for a half-precision operand");
    }
    match inst.detail {
        // LLVM sets the bit itself.
        Detail::Share(s) if inst.row.global_only && !s.gds => {
            Some("for the global data share, but without its bit")
        }
        // It cannot be told from an offset in the instruction.
        Detail::Scalar(_) if broken == Some(Broken::Place) && inst.src[1].is_inline() => {
            Some("a constant in the place of an offset register")
        }
        // LLVM 14 does not know that TFE writes one register more.
        Detail::Buffer(b) if b.tfe && broken == Some(Broken::Group) => {
            Some("no register for the status of a load")
        }
        // LLVM enables both values of a register; a mask with one of them means nothing.
        Detail::Export(e) if e.compressed && !matches!(e.enabled, 0 | 3 | 12 | 15) => {
            Some("half of a compressed pair")
        }
        _ => None,
    }
}

/// What LLVM 14 assembles for Tahiti although Southern Islands does not have it:
/// three dwords at once came with Sea Islands.
pub const LEFT_OUT: &[&str] =
    &["buffer_load_dwordx3 v[0:2], off, s[0:3], 0", "buffer_store_dwordx3 v[0:2], off, s[0:3], 0"];
