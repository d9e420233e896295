//! PTX assembled for sm_35 and for a chip that is trusted: the same memory in
//! the end. `docs/random-programs.md` says how to run the ignored tests.

use std::path::Path;

use upset_chip::ChipSpec;
use upset_testkit::generate::{ENGINES, FUNCTIONAL};
use upset_testkit::ptx::compile::CompileError;
use upset_testkit::ptx::random::{self, Program};
use upset_testkit::ptx::record::Recording;
use upset_testkit::ptx::run::{self, SETS, each_results, memory};
use upset_testkit::ptx::{ARCHITECTURES, Assembler, Instruction, approximate, each, exact};
use upset_testkit::seeds::{self, setting};

/// Random programs of the full run.
const FULL: u64 = 5_000;
/// Programs that are assembled together.
const TOGETHER: u64 = 25;

fn recorded() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../oracles/ptx/sm_35.z");
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// What is recorded: needs no assembler.
#[test]
fn recorded_ptx_leaves_what_a_trusted_chip_left() {
    let recording = Recording::from_bytes(&recorded()).expect("a recording");
    let (single, random) = recording.launches();
    assert!(single >= 300 && random >= 60, "{single} launches, {random} programs");
    let found = recording.differences();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn assembler() -> Assembler {
    Assembler::find().expect("CUDA 11.8 at CUDA_PATH or in .cuda (cargo xtask cuda)")
}

#[test]
#[ignore = "needs CUDA 11.8; see docs/random-programs.md"]
fn the_recording_is_what_is_made_of_the_programs_now() {
    let made = Recording::new(&assembler()).unwrap_or_else(|e| panic!("{e}")).to_bytes();
    assert!(made == recorded(), "`cargo xtask oracle ptx-35` records what is made now");
}

/// Instructions whose results differ between the two chips.
fn differing(instructions: &[Instruction]) -> Vec<String> {
    let text = each::module(instructions);
    let kernels = instructions.len().div_ceil(each::PER_KERNEL);
    let assembler = assembler();
    let results: Vec<Vec<Vec<u8>>> = ARCHITECTURES
        .iter()
        .map(|(sm, preset)| {
            let code = assembler.assemble(&text, *sm).unwrap_or_else(|e| panic!("{e}"));
            let chip = ChipSpec::preset(preset).expect("a chip");
            each_results(&chip, FUNCTIONAL, &code, kernels)
                .unwrap_or_else(|e| panic!("{preset}: {e}"))
        })
        .collect();
    let mut found = Vec::new();
    let slot = (each::THREADS * each::RESULT) as usize;
    for (n, instruction) in instructions.iter().enumerate() {
        let (kernel, at) = (n / each::PER_KERNEL, n % each::PER_KERNEL * slot);
        for (s, set) in SETS.iter().enumerate() {
            let part = |chip: usize| &results[chip][kernel * SETS.len() + s][at..at + slot];
            let words = |chip: usize| part(chip).as_chunks::<8>().0;
            let wrong: Vec<usize> =
                (0..words(0).len()).filter(|i| words(0)[*i] != words(1)[*i]).collect();
            if let Some(&i) = wrong.first() {
                let value = |chip: usize| u64::from_le_bytes(words(chip)[i]);
                let operands = each::operands(*set);
                let bytes = operands[i * 32..i * 32 + 32].as_chunks::<4>().0;
                let of: Vec<String> =
                    bytes.iter().map(|b| format!("{:08x}", u32::from_le_bytes(*b))).collect();
                found.push(format!(
                    "{} on {set:?}: {} of {} differ, {:#x} and not {:#x} of {}",
                    instruction.name(),
                    wrong.len(),
                    words(0).len(),
                    value(0),
                    value(1),
                    of.join(" ")
                ));
            }
        }
    }
    found
}

#[test]
#[ignore = "needs CUDA 11.8; see docs/random-programs.md"]
fn every_instruction_gives_what_a_trusted_chip_gives() {
    let found = differing(&exact());
    assert!(found.is_empty(), "{} differ:\n{}", found.len(), found.join("\n"));
}

#[test]
#[ignore = "needs CUDA 11.8; see docs/random-programs.md"]
fn approximations_give_what_a_trusted_chip_gives() {
    let found = differing(&approximate());
    assert!(found.is_empty(), "{} differ:\n{}", found.len(), found.join("\n"));
}

/// What is wrong with programs that were assembled together.
fn wrong(first: u64, end: u64) -> Vec<String> {
    let programs: Vec<Program> = (first..end).map(Program::new).collect();
    let text = random::module(&programs);
    let assembler = assembler();
    let codes = match ARCHITECTURES.map(|(sm, _)| assembler.assemble(&text, sm)) {
        [Ok(a), Ok(b)] => [a, b],
        [Err(CompileError::TooLong), _] | [_, Err(CompileError::TooLong)] if end - first > 1 => {
            let middle = first.midpoint(end);
            return [wrong(first, middle), wrong(middle, end)].concat();
        }
        [Err(CompileError::TooLong), _] | [_, Err(CompileError::TooLong)] => {
            println!("seed {first}: passed over, since the assembler comes to no end");
            return Vec::new();
        }
        [Err(e), _] | [_, Err(e)] => return vec![format!("programs from {first} on: {e}")],
    };
    let one = |program: &Program| -> Result<(), String> {
        let chip = run::chip(ARCHITECTURES[0].1, program).map_err(|e| e.to_string())?;
        let trusted = ChipSpec::preset(ARCHITECTURES[1].1).map_err(|e| e.to_string())?;
        let expected = memory(&trusted, FUNCTIONAL, &codes[1], program)
            .map_err(|e| format!("{}: {e}", ARCHITECTURES[1].1))?;
        for engine in ENGINES {
            let found = memory(&chip, *engine, &codes[0], program)
                .map_err(|e| format!("{}: {e}", engine.name))?;
            if let Some(at) = (0..found.len()).find(|i| found[*i] != expected[*i]) {
                return Err(format!("{}: byte {at:#x} differs", engine.name));
            }
        }
        Ok(())
    };
    let told = |p: &Program| one(p).err().map(|e| format!("seed {}: {e}", p.seed));
    programs.iter().filter_map(told).collect()
}

/// `RANDOM_FIRST` and `RANDOM_PROGRAMS` choose other seeds.
#[test]
#[ignore = "minutes, needs CUDA 11.8; see docs/random-programs.md"]
fn five_thousand_random_programs_agree() {
    let first = setting("RANDOM_FIRST").unwrap_or(0);
    let count = setting("RANDOM_PROGRAMS").unwrap_or(FULL);
    let batches = count.div_ceil(TOGETHER);
    let batch = |n: u64| {
        let from = first + n * TOGETHER;
        let found = wrong(from, (from + TOGETHER).min(first + count));
        (!found.is_empty()).then_some(found)
    };
    let found: Vec<String> =
        seeds::failures(0..batches, batch).into_iter().flat_map(|f| f.1).collect();
    assert!(found.is_empty(), "{} of {count} programs:\n{}", found.len(), found.join("\n"));
}

/// `RANDOM_SEED`: one program, as text, and whether chips and engines agree on it.
#[test]
#[ignore = "for looking at one program; needs CUDA 11.8"]
fn one_random_ptx_program() {
    let seed = setting("RANDOM_SEED").unwrap_or(0);
    println!("{}", random::module(&[Program::new(seed)]));
    let found = wrong(seed, seed + 1);
    assert!(found.is_empty(), "{}", found.join("\n"));
}
