//! Our text, assembled by LLVM, gives our bytes.

use std::collections::BTreeSet;

use upset_gcn::table::rows;
use upset_gcn::{Format, Illegal, Inst, decode, encode, read, rules, text};

use crate::deviations::{DEVIATIONS, Differs, LEFT_OUT, SHORT_ONLY, UNKNOWN, shortest};
use crate::llvm_mc::{self, Answer};
use crate::random::Random;

/// Lines for one run of the assembler.
const BATCH: usize = 20_000;

/// How often each kind of agreement was seen.
#[derive(Debug, Default)]
struct Tally {
    same_bytes: usize,
    both_refuse: usize,
    /// By their place in the list.
    deviations: [usize; DEVIATIONS.len()],
    wrong: usize,
    /// Instructions whose bytes were the same, in short and in long form.
    agreed: BTreeSet<(&'static str, Format)>,
}

/// Compares an instruction with what the assembler made of its text.
fn judge(inst: &Inst, line: &str, answer: &Answer, tally: &mut Tally) {
    let broken = rules::check(inst).err();
    let ours = encode(&shortest(inst)).bytes();
    let differs = match (broken, answer) {
        (None, Ok(theirs)) if ours == *theirs => {
            tally.same_bytes += 1;
            tally.agreed.insert((inst.row.name, inst.format));
            return;
        }
        (Some(_), Err(_)) => {
            tally.both_refuse += 1;
            return;
        }
        (None, Ok(_)) => Differs::OtherBytes,
        (None, Err(_)) => Differs::Refuses,
        (Some(_), Ok(_)) => Differs::Takes,
    };
    match DEVIATIONS.iter().position(|d| d.differs == differs && (d.about)(inst, broken)) {
        Some(known) => tally.deviations[known] += 1,
        None => {
            tally.wrong += 1;
            // Some are enough to see what is wrong.
            if tally.wrong <= 40 {
                eprintln!("{line}\n  we:   {broken:?} {ours:x?}\n  LLVM: {answer:x?}");
            }
        }
    }
}

fn compare(program: &str, insts: &[Inst], tally: &mut Tally) {
    for batch in insts.chunks(BATCH) {
        let lines: Vec<String> = batch.iter().map(text).collect();
        let answers = llvm_mc::assemble(program, &lines);
        for ((inst, line), answer) in batch.iter().zip(&lines).zip(&answers) {
            judge(inst, line, answer, tally);
        }
    }
}

/// Compares so many random and flipped encodings that are instructions, legal or not.
fn run(count: usize, seed: u64) {
    let Some(program) = llvm_mc::find() else { return };
    let mut random = Random::new(seed);
    let mut insts = Vec::with_capacity(count);
    while insts.len() < count {
        let words = random.words();
        let words = if random.below(3) == 0 { random.flipped(words) } else { words };
        insts.extend(read(&words));
    }
    let mut tally = Tally::default();
    compare(program, &insts, &mut tally);
    eprintln!(
        "{count} encodings: {} with the same bytes, {} that both refuse",
        tally.same_bytes, tally.both_refuse
    );
    for (deviation, times) in DEVIATIONS.iter().zip(tally.deviations) {
        eprintln!("{times:7} {:?}: {}", deviation.differs, deviation.reason);
    }
    assert_eq!(tally.wrong, 0, "our text and LLVM's bytes differ");
}

#[test]
fn llvm_reads_our_text_as_we_mean_it() {
    run(30_000, 1);
}

#[test]
#[ignore = "a minute or two: the same for many more encodings"]
fn llvm_reads_much_more_of_our_text_as_we_mean_it() {
    run(1_000_000, 2);
}

#[test]
fn every_deviation_is_there() {
    let Some(program) = llvm_mc::find() else { return };
    for (n, deviation) in DEVIATIONS.iter().enumerate() {
        let mut tally = Tally::default();
        compare(program, &[read(&deviation.example).unwrap()], &mut tally);
        assert_eq!(tally.deviations[n], 1, "strike it: {}", deviation.reason);
    }
}

#[test]
fn llvm_agrees_on_every_row() {
    let Some(program) = llvm_mc::find() else { return };
    let mut random = Random::new(3);
    let (mut insts, mut expected) = (Vec::new(), BTreeSet::new());
    for row in Format::ALL.into_iter().flat_map(rows) {
        let long = row.long.then_some((Format::Vop3, row.long_op()));
        for (format, op) in [(row.format, row.op)].into_iter().chain(long) {
            let words = std::iter::repeat_with(|| random.words_of(format, op)).take(4_000);
            insts.extend(words.filter_map(|words| decode(&words).ok()).take(8));
            let unknown = UNKNOWN.contains(&row.name);
            let short_only = format == Format::Vop3 && SHORT_ONLY.contains(&row.name);
            if !unknown && !short_only {
                expected.insert((row.name, format));
            }
        }
    }
    let mut tally = Tally::default();
    compare(program, &insts, &mut tally);
    assert_eq!(tally.wrong, 0, "our text and LLVM's bytes differ");
    let missing: Vec<_> = expected.difference(&tally.agreed).collect();
    assert!(missing.is_empty(), "never assembled: {missing:?}");
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
