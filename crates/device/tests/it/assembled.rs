//! Kernels put together word by word, for tests that need exact code.

use upset_chip::ChipSpec;
use upset_device::{Args, Device, DeviceError, Launch, Mode};
use upset_sass::{Arch, Word};
use upset_testkit::asm::cubin::Kernel;
use upset_testkit::asm::{Code, Control};

pub const MODES: [Mode; 2] = [Mode::Functional, Mode::Timing];

/// A chip for the architecture.
pub fn chip(arch: Arch) -> ChipSpec {
    let name = match arch {
        Arch::Sm70 => "gv100",
        Arch::Sm75 => "rtx2060",
        _ => "h200",
    };
    ChipSpec::preset(name).expect("a preset")
}

/// The word, with a stall count that covers every fixed latency.
pub fn slow(code: Code) -> Word {
    code.word(Control::stall(15))
}

/// The word of an instruction of variable latency, which releases scoreboard 0.
pub fn releasing(code: Code) -> Word {
    code.word(Control { write: Some(0), ..Control::stall(15) })
}

/// The word, which waits for scoreboard 0.
pub fn waiting(code: Code) -> Word {
    code.word(Control { wait: 1, ..Control::stall(15) })
}

/// A kernel `k` of these words, whose parameters are `params` pairs.
pub fn kernel(arch: Arch, words: &[Word], params: usize, constants: Vec<u8>) -> Kernel {
    Kernel {
        name: "k".into(),
        arch,
        code: words.iter().flat_map(|w| w.0.to_le_bytes()).collect(),
        registers: 32,
        barriers: 0,
        stack_bytes: 0,
        params: vec![8; params],
        literals: Vec::new(),
        constants,
    }
}

/// Launches one CTA of the image's kernel `k`.
pub fn launch(
    device: &mut Device,
    image: &[u8],
    threads: u32,
    args: &Args,
) -> Result<(), DeviceError> {
    let module = device.load_module(image)?;
    let function = device.function(module, "k")?;
    let shape =
        Launch { grid: [1, 1, 1], block: [threads, 1, 1], shared_bytes: 0, ..Launch::default() };
    device.launch(function, &shape, args)
}
