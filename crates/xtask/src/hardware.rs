//! `cargo xtask hardware`: questions for a real GPU, and its answers.

use std::path::Path;

use upset_apps::Scale;
use upset_chip::{ChipSpec, Vendor};
use upset_device::{Device, journal};
use upset_sass::{Arch, Word};
use upset_testkit::answers::{self, Answer, Model, RUN, RUNS};
use upset_testkit::operands::Set;
use upset_testkit::probe::{self, Case};
use upset_testkit::verdict::{Verdict, judge};

use crate::{Outcome, root};

/// Runs per case for which the recording program is told the model's answer,
/// so that it can keep the raw outputs where it differs.
const EXPECTED: usize = 4;
/// The chip whose code the recordings use.
const CHIP: &str = "h200";

/// Runs the command.
pub fn command(words: &[String]) -> Outcome<()> {
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["prepare", dir] => prepare(Path::new(dir)),
        ["take", dir] => take(Path::new(dir)),
        ["take-apps", dir] => take_apps(Path::new(dir)),
        ["verify"] => verify(),
        ["raw", dir] => raw(Path::new(dir)),
        _ => Err(
            "usage: cargo xtask hardware prepare DIR | take DIR | take-apps DIR | raw DIR | verify"
                .into(),
        ),
    }
}

fn cubin() -> Outcome<Vec<u8>> {
    read(&root().join("oracles/alu/probe.sm_90.cubin"))
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    std::fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Outcome<()> {
    std::fs::write(path, bytes).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

fn chip() -> Outcome<ChipSpec> {
    ChipSpec::preset(CHIP).map_err(|e| e.to_string())
}

fn model() -> Outcome<Model> {
    Model::new(chip()?, &cubin()?).map_err(|e| e.to_string())
}

/// Writes what the recording programs read: instruction cases, operands, and
/// what the applications' hosts do.
fn prepare(dir: &Path) -> Outcome<()> {
    std::fs::create_dir_all(dir).map_err(|e| format!("cannot make {}: {e}", dir.display()))?;
    let cases = probe::cases(Arch::Sm90);
    let mut file = Vec::new();
    for c in &cases {
        file.extend((c.set as u32).to_le_bytes());
        file.extend(0u32.to_le_bytes());
        c.words.iter().for_each(|w| file.extend(w.0.to_le_bytes()));
    }
    write(&dir.join("cases.bin"), &file)?;
    let model = model()?;
    let mut expected = Vec::new();
    for c in &cases {
        let digests = model.digests(&c.words, c.set, 0, EXPECTED).unwrap_or(vec![0; EXPECTED]);
        digests.iter().for_each(|d| expected.extend(d.to_le_bytes()));
    }
    write(&dir.join("expected.bin"), &expected)?;
    let texts: Vec<&str> = cases.iter().map(|c| c.text.as_str()).collect();
    write(&dir.join("cases.txt"), texts.join("\n").as_bytes())?;
    write(&dir.join("inputs.bin"), &model.input_file())?;
    println!("{} instruction cases", cases.len());
    for (name, events) in journals()? {
        write(&dir.join(format!("{name}.journal")), &journal::encode(&events))?;
    }
    Ok(())
}

/// What each application's host does, at both scales.
fn journals() -> Outcome<Vec<(String, Vec<journal::Event>)>> {
    let mut out = Vec::new();
    for app in upset_apps::built_in_for(Vendor::Nvidia) {
        for scale in Scale::ALL {
            let mut device = Device::new(&chip()?).map_err(|e| e.to_string())?;
            device.start_journal();
            app.run(&mut device, scale, app.default_seed())
                .map_err(|e| format!("{}: {e}", app.id()))?;
            out.push((format!("{}.{}", app.id(), scale.name()), device.take_journal()));
        }
    }
    Ok(out)
}

/// The cases as they were prepared: the table may have grown since.
fn prepared(dir: &Path) -> Outcome<Vec<Case>> {
    let bytes = read(&dir.join("cases.bin"))?;
    let texts = String::from_utf8_lossy(&read(&dir.join("cases.txt"))?).into_owned();
    let records = bytes.chunks_exact(8 + 16 * probe::SLOTS);
    records
        .zip(texts.lines())
        .map(|(record, text)| {
            let word = |i: usize| Word::from_bytes(std::array::from_fn(|k| record[8 + 16 * i + k]));
            let set = *Set::ALL.get(usize::from(record[0])).ok_or("cases.bin is damaged")?;
            Ok(Case { text: text.to_string(), set, words: std::array::from_fn(word) })
        })
        .collect()
}

/// The GPU's answers; none where the recording stopped before the case.
fn recorded(dir: &Path, cases: usize) -> Outcome<Vec<Option<Answer>>> {
    let bytes = read(&dir.join("answers.bin"))?;
    let size = 8 + 8 * RUNS;
    if bytes.len() != cases * size {
        return Err(format!("answers.bin has {} bytes for {cases} cases", bytes.len()));
    }
    Ok(bytes
        .chunks_exact(size)
        .map(|c| {
            let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|k| c[8 * i + k]));
            let status = word(0) as u32 as i32;
            let digests: Vec<u64> = (1..=RUNS).map(word).collect();
            match status {
                0 if digests.iter().all(|&d| d == 0) => None,
                0 => Some(Answer { status, digests }),
                _ => Some(Answer { status, digests: Vec::new() }),
            }
        })
        .collect())
}

/// Takes recorded answers into the repository and compares the model with them.
fn take(dir: &Path) -> Outcome<()> {
    let cases = prepared(dir)?;
    let answers = recorded(dir, cases.len())?;
    let all = cases.into_iter().zip(answers);
    let pairs: Vec<_> = all.filter_map(|(case, answer)| Some((case, answer?))).collect();
    println!("{} cases were run", pairs.len());
    write(&root().join("oracles/alu/sm_90.answers"), &answers::pack(&pairs))?;
    compare(&pairs)
}

/// Takes the applications' outputs into the repository and compares the model
/// with them. What `dir` has not stays as it was recorded before.
fn take_apps(dir: &Path) -> Outcome<()> {
    let path = root().join("oracles/apps/sm_90.txt");
    let before = String::from_utf8_lossy(&read(&path)?).into_owned();
    let mut lines = String::from(
        "# Bytes that the applications copy back on a real H200: xxh3-128 of all copies.\n\
         # cargo xtask hardware take-apps\n",
    );
    let mut wrong = 0;
    for (name, events) in journals()? {
        let file = dir.join(format!("{name}.out"));
        let recorded = match file.exists() {
            true => {
                let (found, ours) = (read(&file)?, journal::downloads(&events));
                if found != ours {
                    wrong += 1;
                    let at = found.iter().zip(&ours).position(|(a, b)| a != b);
                    println!("{name}: differs from the GPU at byte {at:?} of {}", ours.len());
                }
                digest(&found)
            }
            false => recorded_before(&before, &name).unwrap_or("not measured").to_string(),
        };
        lines.push_str(&format!("{name} {recorded}\n"));
    }
    write(&path, lines.as_bytes())?;
    match wrong {
        0 => Ok(()),
        n => Err(format!("{n} applications differ from the GPU")),
    }
}

/// What a recording says of an application and scale.
fn recorded_before<'a>(recording: &'a str, name: &str) -> Option<&'a str> {
    recording.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(' '))
}

fn digest(bytes: &[u8]) -> String {
    let mut outputs = upset_device::Outputs::default();
    outputs.copied(bytes);
    outputs.digest()
}

/// Compares the model with the answers in the repository, every lane.
fn verify() -> Outcome<()> {
    let bytes = read(&root().join("oracles/alu/sm_90.answers"))?;
    let pairs = answers::unpack(&bytes).ok_or("oracles/alu/sm_90.answers is damaged")?;
    match (verify_apps(), verify_integers(), compare(&pairs)) {
        (Ok(()), Ok(()), Ok(())) => Ok(()),
        (a, b, c) => {
            Err([a, b, c].into_iter().filter_map(Result::err).collect::<Vec<_>>().join("\n"))
        }
    }
}

/// Compares the applications' outputs, both scales, with the recorded digests.
fn verify_apps() -> Outcome<()> {
    let recorded = read(&root().join("oracles/apps/sm_90.txt"))?;
    let recorded = String::from_utf8_lossy(&recorded);
    let (mut differ, mut equal, mut unknown) = (Vec::new(), 0, 0);
    for (name, events) in &journals()? {
        match recorded_before(&recorded, name) {
            // The code is newer than the last recording.
            Some("not measured") => unknown += 1,
            Some(right) if right == digest(&journal::downloads(events)) => equal += 1,
            _ => differ.push(format!("{name}: outputs differ from the GPU's")),
        }
    }
    println!("applications: {equal} equal, {} differ, {unknown} not measured", differ.len());
    if differ.is_empty() { Ok(()) } else { Err(differ.join("\n")) }
}

/// Compares the model with the recording of integer instructions.
fn verify_integers() -> Outcome<()> {
    let bytes = read(&root().join("oracles/alu/sm_90.integers"))?;
    let (operands, pairs) =
        answers::unpack_with_operands(&bytes).ok_or("oracles/alu/sm_90.integers is damaged")?;
    let model = model()?;
    let (mut equal, mut trapped, mut differ) = (0u64, 0u64, Vec::new());
    for (case, answer) in &pairs {
        match (answer.status, model.run(&case.words, &operands)) {
            (0, Ok(out)) if [answers::digest(0, &out)] == answer.digests[..] => equal += 1,
            (0, Ok(_)) => differ.push(case.text.clone()),
            (s, Err(_)) if s != 0 => trapped += 1,
            (s, ours) => differ.push(format!("{}: GPU {s}, model {:?}", case.text, ours.err())),
        }
    }
    println!("integers: {equal} cases equal, {trapped} trap on both, {} differ", differ.len());
    if differ.is_empty() { Ok(()) } else { Err(differ.join("\n")) }
}

fn compare(pairs: &[(Case, Answer)]) -> Outcome<()> {
    let model = model()?;
    let (mut equal, mut rejected, mut lacking, mut differ) = (0u64, 0u64, 0u64, Vec::new());
    for (i, (case, answer)) in pairs.iter().enumerate() {
        match judge(&model, case, answer, 0..RUNS) {
            Verdict::Equal => equal += 1,
            Verdict::Rejected => rejected += 1,
            Verdict::Lacking(_) => lacking += 1,
            Verdict::Differs(how) => differ.push(format!("{i} {}: {how}", case.text)),
        }
    }
    println!(
        "instructions: {equal} cases equal in all {} lanes, {rejected} trap on both, \
         {lacking} not implemented here, {} differ",
        RUN * RUNS,
        differ.len()
    );
    if differ.is_empty() { Ok(()) } else { Err(differ.join("\n")) }
}

/// Prints lanes on which the GPU's outputs and the model's differ, from the
/// raw outputs (`raw.bin`) that the recording program keeps of such cases.
fn raw(dir: &Path) -> Outcome<()> {
    let cases = prepared(dir)?;
    let bytes = read(&dir.join("raw.bin"))?;
    let model = model()?;
    let inputs: Vec<_> = Set::ALL.iter().map(|s| s.lanes()).collect();
    for record in bytes.chunks_exact(8 + 16 * RUN) {
        let head = |i: usize| u32::from_le_bytes(std::array::from_fn(|k| record[4 * i + k]));
        let (index, run) = (head(0) as usize, head(1) as usize);
        let case = cases.get(index).ok_or_else(|| format!("no case {index}"))?;
        println!("== {index} {} set {:?} run {run}", case.text, case.set);
        let ours = match model.outputs(&case.words, case.set, run, 1) {
            Ok(o) => o,
            Err(e) => {
                println!("model: {e}");
                continue;
            }
        };
        let theirs = record[8..].chunks_exact(16).map(|c| -> [u32; 4] {
            std::array::from_fn(|i| u32::from_le_bytes(std::array::from_fn(|k| c[4 * i + k])))
        });
        let mut total = 0;
        for (lane, (gpu, our)) in theirs.zip(&ours).enumerate() {
            if gpu != *our {
                total += 1;
                if total <= 6 {
                    let input = inputs[case.set as usize][run * RUN + lane];
                    println!("  in {input:08x?}\n    gpu {gpu:08x?}\n    our {our:08x?}");
                }
            }
        }
        println!("  {total} of {RUN} lanes differ");
    }
    Ok(())
}
