//! Instruction words for comparison with a real GPU.
//!
//! The frame (`oracles/alu/probe.cu`) loads A into R4:R5, B into R6:R7, C into
//! R8:R9 and predicate bits into R10, then runs [`SLOTS`] words that we
//! supply, then stores R12..R15. A case sets the predicates from R10, clears
//! R12..R15, runs the words under test and copies the predicates to R14.

use std::collections::BTreeMap;

use upset_isa::{Exec, Inst, LatencyClass};
use upset_sass::decode::{Decoded, decode};
use upset_sass::table::{self, Row};
use upset_sass::{Arch, Word, disasm};

use crate::Rng;
use crate::operands::Set;

/// Words the frame leaves to the case.
pub const SLOTS: usize = 24;
/// Words under test, at most.
const ROOM: usize = 12;

/// One case: what to run, on which operands.
#[derive(Clone, Debug)]
pub struct Case {
    /// Text of the instruction under test.
    pub text: String,
    /// Operand set.
    pub set: Set,
    /// All words of the frame's slot.
    pub words: [Word; SLOTS],
}

/// Scheduling fields: stall 11, write scoreboard `wr` (7 = none), wait for all six.
fn ctl(wr: u128) -> u128 {
    27 << 105 | wr << 110 | 7 << 113 | 0x3f << 116
}

/// Guard `@PT`.
const PT: u128 = 7 << 12;

fn nop() -> Word {
    Word(0x918 | PT | ctl(7))
}

fn frame(body: &[Word]) -> [Word; SLOTS] {
    let mut words = [nop(); SLOTS];
    // R2P PR, R10, 0x7f
    words[0] = Word(0x804 | PT | 0xff << 16 | 10 << 24 | 0x7f << 32 | ctl(7));
    for (i, r) in (12..16u128).enumerate() {
        // MOV Rr, RZ
        words[1 + i] = Word(0x202 | PT | r << 16 | 255 << 32 | 0xf << 72 | ctl(7));
    }
    words[7..7 + body.len()].copy_from_slice(body);
    // P2R R14, PR, RZ, 0x7f
    words[7 + ROOM + 2] = Word(0x803 | PT | 14 << 16 | 255 << 24 | 0x7f << 32 | ctl(7));
    words
}

/// Cases for every implemented arithmetic instruction of `arch`: each spelling
/// of mnemonic and modifiers with register operands, and instructions with few
/// spellings several times and in their other forms too.
pub fn cases(arch: Arch) -> Vec<Case> {
    let mut out = Vec::new();
    for (index, row) in table::rows().enumerate() {
        if row.archs.has(arch) && row.lower.is_some() {
            let mut rng = Rng::new(0xca5e_0000 + index as u64);
            out.extend(row_cases(row, arch, &mut rng));
        }
    }
    out
}

fn row_cases(row: &'static Row, arch: Arch, rng: &mut Rng) -> Vec<Case> {
    let mut registers = BTreeMap::new();
    let mut others = BTreeMap::new();
    for form in [1u8, 2, 4, 6, 7] {
        for b91 in [false, true] {
            if row.forms.0 >> (form + 8 * u8::from(b91)) & 1 == 1 {
                let into = if form == 1 { &mut registers } else { &mut others };
                form_cases(row, arch, form, b91, rng, into);
            }
        }
    }
    // (per spelling with registers, per spelling in other forms)
    let (most, other) = match registers.len().max(others.len()) {
        0..5 => (8, 4),
        5..50 => (2, 1),
        _ if registers.is_empty() => (0, 1),
        _ => (1, 0),
    };
    let take = |from: BTreeMap<String, Vec<Case>>, n: usize| {
        from.into_values().flat_map(move |list| list.into_iter().take(n))
    };
    take(registers, most).chain(take(others, other)).collect()
}

fn form_cases(
    row: &'static Row,
    arch: Arch,
    form: u8,
    b91: bool,
    rng: &mut Rng,
    into: &mut BTreeMap<String, Vec<Case>>,
) {
    for _ in 0..4000 {
        let word = random_word(row, form, b91, rng);
        let Ok(decoded) = decode(word, arch) else { continue };
        if !std::ptr::eq(decoded.row, row) {
            continue;
        }
        let Ok(inst) = decoded.lower() else { continue };
        let text = disasm::text(&decoded, 0);
        if !testable(&inst, &decoded) || text.is_empty() || text.contains("INVALID") {
            continue;
        }
        let mnemonic = text.split_whitespace().next().unwrap_or_default().to_string();
        let list = into.entry(mnemonic).or_default();
        if list.len() < 8 {
            let body = wrap(word, &inst);
            list.push(Case { set: set_for(&inst, &text), text, words: frame(&body) });
        }
    }
}

fn random_word(row: &Row, form: u8, b91: bool, rng: &mut Rng) -> Word {
    let wr = if row.op.latency == LatencyClass::Variable { 0 } else { 7 };
    let mut w = u128::from(row.code) | u128::from(form) << 9 | PT | ctl(wr);
    w |= u128::from(b91) << 91;
    let uniform = row.uniform;
    let (d, a, b, c) = if uniform { (14, 8, 10, 12) } else { (12, 4, 6, 8) };
    // F2FP traps when C is unused but not RZ: give both kinds of form a chance.
    let c = if row.op.name == "F2FP" && rng.below(2) == 0 { 255 } else { c };
    w |= d << 16 | a << 24 | c << 64;
    match form {
        2 | 4 => {
            let imm = match rng.below(3) {
                0 => rng.u32(),
                1 => rng.below(256),
                _ => {
                    rng.pick(&[0, 0x3f80_0000, 0xbf00_0000, 0x4000_0000, 0x7f80_0000, 0xffff_ffff])
                }
            };
            w |= u128::from(imm) << 32;
        }
        6 | 7 => w |= 10 << 32 | u128::from(rng.u32() & 0xff_ffff) << 40,
        _ => w |= b << 32 | u128::from(rng.u32() & 0xff_ffff) << 40,
    }
    // Modifiers and predicates: anything the decoder accepts, few bits at a time.
    let bits = rng.u32() & rng.u32() | if rng.below(2) == 0 { rng.u32() } else { 0 };
    w |= u128::from(bits & 0x7_ffff) << 72;
    Word(w)
}

/// Can the frame run it, and does a result depend only on the operands?
fn testable(inst: &Inst, decoded: &Decoded) -> bool {
    match inst.exec {
        Exec::Alu(_) => {}
        Exec::ReadPreds { cc: false, .. } | Exec::WritePreds { cc: false, .. } => {}
        _ => return false,
    }
    // The frame keeps its addresses in R2:R3 and UR4:UR5.
    !decoded.row.uniform || inst.uniform
}

/// Loads uniform operands before, and copies uniform results after, the word.
fn wrap(word: Word, inst: &Inst) -> Vec<Word> {
    let mut body = Vec::new();
    let uses_uniform =
        inst.uniform || inst.src.iter().any(|s| matches!(s, upset_isa::Src::UReg(..)));
    if uses_uniform {
        // UR8..UR13 = A, B, C of the first lane.
        for (ur, r) in [(8, 4), (9, 5), (10, 6), (11, 7), (12, 8), (13, 9)] {
            // R2UR URn, Rn
            body.push(Word(0x2ca | PT | ur << 16 | r << 24 | 7 << 81 | ctl(7)));
        }
        body.push(nop());
    }
    body.push(word);
    if inst.uniform {
        for (r, ur) in [(12, 14), (13, 15)] {
            // MOV Rn, URn
            body.push(Word(0xc02 | PT | r << 16 | ur << 32 | 0xf << 72 | 1 << 91 | ctl(7)));
        }
    }
    body
}

fn set_for(inst: &Inst, text: &str) -> Set {
    let name = inst.op.name;
    if name.starts_with('D') || text.contains("F64") || text.contains("64H") {
        Set::F64
    } else if name.starts_with('H') || text.contains("F16") {
        Set::Half
    } else if name.starts_with("I2F") {
        Set::Int
    } else if name.starts_with('F') && name != "FLO" || name == "MUFU" {
        Set::F32
    } else {
        Set::Int
    }
}
