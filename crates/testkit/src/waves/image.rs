//! From a program to machine code in a code object.

use upset_gcn::{listed, text};

use super::constructs::Context;
use super::emit::Emitter;
use super::object::Object;
use super::registers::{POINTERS, s, v};
use super::{WaveProgram, layout, waits};
use crate::Rng;
use crate::rng::mix;

/// The kernel's name.
pub(crate) const NAME: &str = "random";

/// A program ready to be loaded.
#[derive(Clone, Debug)]
pub struct WaveImage {
    /// Machine code.
    pub code: Vec<u32>,
    /// The code object around it.
    pub object: Vec<u8>,
}

impl WaveProgram {
    /// Machine code and everything else a launch needs.
    pub fn image(&self) -> WaveImage {
        let mut e = Emitter::new(&self.shape, self.functions.len());
        e.prologue(mix(self.seed ^ 1));
        e.statements(&self.body, Context::default());
        e.epilogue();
        for (n, list) in self.functions.iter().enumerate() {
            e.function(n, list);
        }
        let lines = waits::scheduled(&e.lines, &self.shape, &mut Rng::new(mix(self.seed ^ 2)));
        let code = layout::words(&lines);
        let object = Object {
            name: NAME,
            code: &code,
            pointers: POINTERS as u32,
            vgprs: u32::from(v::POOL + self.shape.vector_pool),
            // VCC is behind the pool.
            sgprs: u32::from(s::POOL + self.shape.scalar_pool) + 2,
            lds: self.shape.lds(),
            float_mode: self.shape.float_mode,
        }
        .build();
        WaveImage { code, object }
    }
}

impl WaveImage {
    /// The machine code as text.
    pub fn listing(&self) -> String {
        let line = |(at, inst): (usize, Result<upset_gcn::Inst, upset_gcn::Illegal>)| match inst {
            Ok(inst) => format!("    /*{:05x}*/  {}\n", 4 * at, text(&inst)),
            Err(illegal) => format!("    /*{:05x}*/  // {illegal}\n", 4 * at),
        };
        listed(&self.code).map(line).collect()
    }
}
