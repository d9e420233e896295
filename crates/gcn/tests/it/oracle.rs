//! Our text, assembled by LLVM, gives our bytes.

use std::collections::BTreeMap;

use upset_gcn::{Illegal, Inst, decode, read, text};

use crate::deviations::{Expected, LEFT_OUT, expected};
use crate::llvm_mc;
use crate::random::Random;

/// Lines for one run of the assembler.
const BATCH: usize = 20_000;

/// How often each kind of agreement was seen.
#[derive(Debug, Default)]
struct Tally {
    same_bytes: usize,
    both_refuse: usize,
    deviations: BTreeMap<&'static str, usize>,
    wrong: usize,
}

fn compare(program: &str, batch: &[Inst], tally: &mut Tally) {
    let lines: Vec<String> = batch.iter().map(text).collect();
    for ((inst, line), answer) in batch.iter().zip(&lines).zip(llvm_mc::assemble(program, &lines)) {
        match (expected(inst), answer) {
            (Expected::Bytes(ours), Ok(theirs)) if ours == theirs => tally.same_bytes += 1,
            (Expected::Refusal, Err(_)) => tally.both_refuse += 1,
            (Expected::Either(reason), _) => *tally.deviations.entry(reason).or_default() += 1,
            (ours, theirs) => {
                tally.wrong += 1;
                if tally.wrong <= 40 {
                    eprintln!("{line}\n  we:   {ours:x?}\n  LLVM: {theirs:x?}");
                }
            }
        }
    }
}

/// Compares so many random and flipped encodings that are instructions, legal or not.
fn run(count: usize, seed: u64) {
    let Some(program) = llvm_mc::find() else { return };
    let mut random = Random::new(seed);
    let (mut tally, mut done) = (Tally::default(), 0);
    while done < count {
        let mut batch = Vec::with_capacity(BATCH);
        while batch.len() < BATCH.min(count - done) {
            let words = random.words();
            let words = if random.below(3) == 0 { random.flipped(words) } else { words };
            batch.extend(read(&words));
        }
        compare(program, &batch, &mut tally);
        done += batch.len();
    }
    eprintln!("{done} encodings: {tally:#?}");
    assert_eq!(tally.wrong, 0, "our text and LLVM's bytes differ");
}

#[test]
fn llvm_reads_our_text_as_we_mean_it() {
    run(24_000, 1);
}

#[test]
#[ignore = "a minute; the same for many more encodings"]
fn llvm_reads_much_more_of_our_text_as_we_mean_it() {
    run(400_000, 2);
}

#[test]
fn what_came_later_is_no_instruction() {
    let Some(program) = llvm_mc::find() else { return };
    let lines: Vec<String> = LEFT_OUT.iter().map(|line| line.to_string()).collect();
    for (line, answer) in lines.iter().zip(llvm_mc::assemble(program, &lines)) {
        let bytes = answer.expect(line);
        let words: Vec<u32> =
            bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        assert!(matches!(decode(&words), Err(Illegal::Opcode(..))), "{line}");
    }
}
