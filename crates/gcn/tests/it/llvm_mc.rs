//! LLVM's assembler: it has no disassembler for gfx6, so it reads our text.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

/// What became of a line: its bytes, or why it was refused.
pub type Answer = Result<Vec<u8>, String>;

/// Names under which the assembler is installed.
const PROGRAMS: &[&str] = &["llvm-mc", "llvm-mc-19", "llvm-mc-16", "llvm-mc-14"];

/// The assembler, if there is one that knows the chip. Says so loudly if not.
pub fn find() -> Option<&'static str> {
    let found = PROGRAMS.iter().copied().find(|program| {
        run(program, "s_endpgm\n").is_some_and(|(out, _)| out.contains("0x81,0xbf"))
    });
    if found.is_none() {
        eprintln!("SKIPPED: no llvm-mc with an amdgcn target: nothing was compared");
    }
    found
}

/// Assembles lines, one instruction each.
pub fn assemble(program: &str, lines: &[String]) -> Vec<Answer> {
    let (out, err) = run(program, &(lines.join("\n") + "\n")).expect("the assembler ran before");
    let refused: BTreeMap<usize, String> = err.lines().filter_map(refusal).collect();
    let mut encodings = out.lines().filter_map(encoding);
    let answers = (1..=lines.len())
        .map(|line| match refused.get(&line) {
            Some(why) => Err(why.clone()),
            None => Ok(encodings.next().expect("a line is assembled or refused")),
        })
        .collect();
    assert_eq!(encodings.next(), None, "an instruction for each line that is not refused");
    answers
}

/// Runs it over a text; what it printed and complained about.
fn run(program: &str, text: &str) -> Option<(String, String)> {
    let mut child = Command::new(program)
        .args(["-triple=amdgcn", "-mcpu=tahiti", "-show-encoding"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    let text = text.to_owned();
    // It answers while it reads: both must go on at once.
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().ok()?;
    // One that fails at once leaves its input unread.
    let _ = writer.join();
    let words = |bytes| String::from_utf8_lossy(bytes).into_owned();
    Some((words(&output.stdout), words(&output.stderr)))
}

/// `<stdin>:12:5: error: why`
fn refusal(line: &str) -> Option<(usize, String)> {
    let (place, why) = line.split_once(": error: ")?;
    let number = place.strip_prefix("<stdin>:")?.split(':').next()?;
    Some((number.parse().ok()?, why.to_owned()))
}

/// `… encoding: [0x00,0x00,0x81,0xbf]`
fn encoding(line: &str) -> Option<Vec<u8>> {
    let (_, bytes) = line.split_once("encoding: [")?;
    let bytes = bytes.strip_suffix(']')?;
    bytes.split(',').map(|b| u8::from_str_radix(b.trim_start_matches("0x"), 16).ok()).collect()
}
