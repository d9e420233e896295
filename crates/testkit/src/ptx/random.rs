//! Random programs: a launch shape and the text of a kernel.

use std::fmt::Write;

use super::HEADER;
use super::emit::Emitter;
use super::places::CONSTANTS;
use crate::Rng;
use crate::rng::mix;

/// A random program.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it was made from.
    pub seed: u64,
    /// CTAs.
    pub ctas: u32,
    /// Threads of each.
    pub threads: u32,
    /// Words that a thread stores in the end.
    pub words: u32,
    /// The kernel, with what it calls.
    pub text: String,
}

impl Program {
    /// Program `seed`.
    pub fn new(seed: u64) -> Program {
        let mut rng = Rng::new(mix(seed ^ 0x70_7478));
        let threads = match rng.below(4) {
            0 => 1 + rng.below(128),
            _ => 32 * (1 + rng.below(4)),
        };
        let ctas = 1 + rng.below(3);
        let statements = rng.pick(&[6, 12, 20, 30, 45]);
        let mut emitter = Emitter::new(rng, seed, threads);
        emitter.body(statements);
        let (text, words) = emitter.finish();
        Program { seed, ctas, threads, words, text }
    }

    /// The kernel's name.
    pub fn name(&self) -> String {
        format!("random{}", self.seed)
    }

    /// Threads of the grid.
    pub fn total(&self) -> u32 {
        self.ctas * self.threads
    }
}

/// One module of several programs.
pub fn module(programs: &[Program]) -> String {
    let mut text = format!("{HEADER}.visible .const .align 8 .b32 table[{CONSTANTS}] = {{");
    let mut rng = Rng::new(35);
    for i in 0..CONSTANTS {
        let comma = if i == 0 { "" } else { ", " };
        let _ = write!(text, "{comma}{}", rng.u32());
    }
    text.push_str("};\n");
    programs.iter().for_each(|p| text.push_str(&p.text));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_program() {
        assert_eq!(Program::new(5).text, Program::new(5).text);
        assert_ne!(Program::new(5).text, Program::new(6).text);
    }
}
