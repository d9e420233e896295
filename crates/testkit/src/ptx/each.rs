//! Kernels that carry out one instruction after the other, on operands from
//! memory, and store every result.

use std::fmt::Write;

use super::{Class, HEADER, Instruction, Scratch};
use crate::operands::{Set, WORDS};

/// Instructions of one kernel.
pub const PER_KERNEL: usize = 24;
/// Threads of a launch, each with operands of its own.
pub const THREADS: u32 = 1024;
/// Bytes of a result.
pub const RESULT: u32 = 8;

/// The name of kernel `n`.
pub fn name(n: usize) -> String {
    format!("each{n}")
}

/// Words of a thread: A, B and C as pairs, and bits for predicates.
pub fn operands(set: Set) -> Vec<u8> {
    let lanes = set.lanes();
    let taken = lanes.iter().take(THREADS as usize);
    taken.flatten().flat_map(|word| word.to_le_bytes()).collect()
}

/// A module with kernels for all of them.
pub fn module(instructions: &[Instruction]) -> String {
    let mut text = HEADER.to_owned();
    for (n, some) in instructions.chunks(PER_KERNEL).enumerate() {
        kernel(n, some, &mut text);
    }
    text
}

fn kernel(n: usize, instructions: &[Instruction], out: &mut String) {
    let mut text = String::new();
    let _ = write!(
        text,
        ".visible .entry {name}(.param .u64 in, .param .u64 out)\n{{\n\
         .reg .b16 %h<8>; .reg .b32 %r<12>; .reg .b64 %l<12>;\n\
         .reg .f32 %f<6>; .reg .f64 %d<6>; .reg .pred %p<6>;\n\
         mov.u32 %r8, %tid.x; mov.u32 %r9, %ctaid.x; mov.u32 %r10, %ntid.x;\n\
         mad.lo.u32 %r8, %r9, %r10, %r8;\n\
         ld.param.u64 %l8, [in]; ld.param.u64 %l9, [out];\n\
         mul.wide.u32 %l10, %r8, {bytes}; add.u64 %l8, %l8, %l10;\n\
         mul.wide.u32 %l10, %r8, {RESULT}; add.u64 %l9, %l9, %l10;\n",
        name = name(n),
        bytes = 4 * WORDS,
    );
    // A, B, C as each class, the same bits.
    for i in 1..4 {
        let at = 8 * (i - 1);
        let _ = writeln!(
            text,
            "ld.global.b64 %l{i}, [%l8+{at}]; ld.global.b32 %r{i}, [%l8+{at}]; \
             ld.global.b16 %h{i}, [%l8+{at}]; ld.global.f32 %f{i}, [%l8+{at}]; \
             ld.global.f64 %d{i}, [%l8+{at}]; ld.global.b32 %r7, [%l8+24]; \
             and.b32 %r7, %r7, {bit}; setp.ne.u32 %p{i}, %r7, 0;",
            bit = 1 << i,
        );
    }
    let _ = writeln!(text, "ld.global.b32 %r4, [%l8+28]; ld.global.b32 %r5, [%l8+4];");
    for (slot, instruction) in instructions.iter().enumerate() {
        let at = slot as u32 * THREADS * RESULT;
        let _ = writeln!(text, "{}", one(instruction));
        let _ = match instruction.result {
            Class::Predicate => {
                writeln!(text, "selp.u32 %r0, 1, 0, %p0; st.global.b32 [%l9+{at}], %r0;")
            }
            Class::Half => writeln!(text, "st.global.b16 [%l9+{at}], %h0;"),
            Class::Word => writeln!(text, "st.global.b32 [%l9+{at}], %r0;"),
            Class::Wide => writeln!(text, "st.global.b64 [%l9+{at}], %l0;"),
            Class::Float => writeln!(text, "st.global.f32 [%l9+{at}], %f0;"),
            Class::Double => writeln!(text, "st.global.f64 [%l9+{at}], %d0;"),
        };
    }
    text.push_str("ret;\n}\n");
    out.push_str(&text);
}

/// The instruction on A, B and C; a fourth operand, and the second of two that
/// follow wide ones, are other words.
fn one(instruction: &Instruction) -> String {
    let result = format!("%{}0", instruction.result.letter());
    let operands: Vec<String> = instruction
        .operands
        .iter()
        .enumerate()
        .map(|(i, class)| format!("%{}{}", class.letter(), if i == 3 { 4 } else { i + 1 }))
        .collect();
    let scratch = Scratch { half: "%h7", word: "%r6", wide: "%l7" };
    instruction.statement(&result, &operands, &scratch)
}
