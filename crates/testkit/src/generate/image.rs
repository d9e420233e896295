//! From a program to machine code in a cubin.

use super::emit::{Context, Emitter, params};
use super::layout::Layout;
use super::{Program, schedule};
use crate::Rng;
use crate::asm::cubin::Kernel;
use crate::rng::mix;
use upset_sass::{Arch, disasm};

/// The kernel's name.
pub(crate) const NAME: &str = "random";

/// A program ready to be loaded.
#[derive(Clone, Debug)]
pub struct Image {
    /// Machine code.
    pub code: Vec<u8>,
    /// The cubin around it.
    pub cubin: Vec<u8>,
    /// Words that a thread stores in the end.
    pub result_words: u32,
    arch: Arch,
}

impl Program {
    /// Machine code and everything else a launch needs.
    pub fn image(&self) -> Image {
        Image::new(self)
    }
}

impl Image {
    pub(crate) fn new(program: &Program) -> Image {
        let mut e = Emitter::new(program);
        let context = Context { converged: true, loops: 0, taken: 0 };
        e.prologue(mix(program.seed ^ 1));
        e.statements(&program.body, context);
        e.epilogue(mix(program.seed ^ 2));
        for (i, body) in program.functions.iter().enumerate() {
            e.draw_from(mix(program.seed ^ 3));
            e.place(e.functions[i]);
            // The first is called from anywhere.
            e.statements(body, Context { converged: i != 0, ..context });
            e.ret();
        }
        e.padding();
        let layout = Layout::new(&e.lines);
        let controls = schedule::controls(&e, &layout);
        let words = layout.words(&e.lines, program.arch, &controls);
        let code: Vec<u8> = words.iter().flat_map(|w| w.0.to_le_bytes()).collect();
        let literals =
            e.tables.iter().flatten().flat_map(|l| (layout.at(*l) as u32).to_le_bytes()).collect();
        let mut rng = Rng::new(mix(program.seed ^ 4));
        let constants = (0..program.shape.constants).flat_map(|_| rng.u32().to_le_bytes());
        let kernel = Kernel {
            name: NAME.to_string(),
            arch: program.arch,
            registers: u32::from(super::emit::role::POOL.0 + program.shape.pool),
            // Hardware allocates all barriers up to the highest.
            barriers: 16 - e.named.leading_zeros(),
            stack_bytes: program.shape.local,
            params: params(),
            literals,
            constants: constants.collect(),
            code,
        };
        Image {
            cubin: kernel.image(),
            result_words: e.result_words(),
            arch: program.arch,
            code: kernel.code,
        }
    }

    /// The machine code as text.
    pub fn listing(&self) -> String {
        disasm::listing(&self.code, self.arch)
    }
}
