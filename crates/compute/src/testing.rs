//! A bench for parts of an SM: a small kernel, a memory, and one SM of a chip.

use std::sync::Arc;

use upset_chip::ChipSpec;
use upset_isa::program::{Layout, Program, Slot, Windows};
use upset_isa::{Exec, Inst, LatencyClass, MemKind, MemOp, OpDef, Space, Unit};
use upset_mem::MemorySystem;
use upset_state::Probe;

use crate::code::Code;
use crate::config::Config;
use crate::kernel::Kernel;
use crate::sm::{Cx, Sm};

static NOTHING: OpDef = OpDef::new("NOP", Unit::System, LatencyClass::None);

/// An access of so many bytes by each lane.
pub(crate) fn mem_op(space: Space, kind: MemKind, bytes: u8) -> MemOp {
    MemOp {
        space,
        kind,
        bytes,
        signed: false,
        addr64: false,
        ureg: None,
        offset: 0,
        shift: 0,
        bank: None,
        cached: false,
        hints: Default::default(),
    }
}

/// An SM of an RTX 2060 and what it needs to be stepped.
pub(crate) struct Bench {
    pub(crate) sm: Sm,
    pub(crate) config: Config,
    pub(crate) kernel: Kernel,
    pub(crate) mem: MemorySystem,
    pub(crate) now: u64,
}

impl Bench {
    /// A launch of CTAs with so many threads, registers and shared bytes.
    pub(crate) fn new(threads: u32, registers: u32, shared: u32) -> Bench {
        let chip = ChipSpec::preset("rtx2060").expect("a chip");
        let config = Config::new(&chip).expect("SMs");
        let inst = Inst::new(&NOTHING, Exec::Nop);
        let program = Program {
            base: 0x1000,
            layout: Layout::Wide,
            slots: vec![Slot::Inst(inst); 4],
            words: vec![0; 4],
        };
        let decoder = Arc::new(move |_| Slot::Inst(inst));
        let kernel = Kernel {
            name: "bench".into(),
            code: Arc::new(Code::new(program, registers, decoder, &config)),
            entry: 0,
            grid: [64, 1, 1],
            block: [threads, 1, 1],
            registers,
            shared_bytes: shared,
            shared_taken: shared,
            local_bytes: 0,
            local_base: 0,
            banks: Vec::new(),
            textures: Arc::default(),
            windows: Windows { shared: 0x7000_0000, local: 0x7100_0000 },
        };
        let (sm, mem) = (Sm::new(&chip, &config, 0), MemorySystem::new(&chip));
        Bench { sm, config, kernel, mem, now: 100 }
    }

    /// Does something with the SM.
    pub(crate) fn with<P: Probe, R>(
        &mut self,
        probe: &mut P,
        f: impl FnOnce(&mut Sm, &mut Cx<'_, P>) -> R,
    ) -> R {
        let Bench { sm, config, kernel, mem, now } = self;
        let prepared = kernel.thread_ids();
        let mut cx = Cx {
            now: *now,
            kernel,
            prepared: &prepared,
            config,
            mem: upset_mem::Below::Alone(mem),
            probe,
            out: &mut Vec::new(),
            trace: None,
            witness: None,
            slow: false,
        };
        f(sm, &mut cx)
    }
}
