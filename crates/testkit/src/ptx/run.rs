//! Running assembled PTX on chips, and comparing what is in memory then.

use upset_chip::{ChipError, ChipSpec};
use upset_device::{Args, Device, DeviceError, Launch};

use super::each::{self, PER_KERNEL, RESULT, THREADS};
use super::places::{INPUT, OWN, TARGETS};
use super::random::Program;
use crate::Rng;
use crate::engines::Engine;
use crate::generate::settings;
use crate::operands::Set;
use crate::rng::mix;

/// Operands that every kernel of [`each`] is run on.
pub const SETS: [Set; 4] = Set::ALL;

/// A device on which nothing has run.
fn device(chip: &ChipSpec, engine: Engine) -> Result<Device, DeviceError> {
    (engine.device)(chip)
}

/// What kernels of [`each`] store, one after the other, on each set of operands.
pub fn each_results(
    chip: &ChipSpec,
    engine: Engine,
    cubin: &[u8],
    kernels: usize,
) -> Result<Vec<Vec<u8>>, DeviceError> {
    let mut device = device(chip, engine)?;
    let len = PER_KERNEL * (THREADS * RESULT) as usize;
    let operands = SETS.map(each::operands);
    let input = device.malloc(operands[0].len() as u64)?;
    let output = device.malloc(len as u64)?;
    let module = device.load_module(cubin)?;
    let launch = Launch { grid: [THREADS / 256, 1, 1], block: [256, 1, 1], ..Launch::default() };
    let mut results = Vec::new();
    for n in 0..kernels {
        let kernel = device.function(module, &each::name(n))?;
        for operands in &operands {
            device.upload(input, operands)?;
            device.upload(output, &vec![0; len])?;
            device.launch(kernel, &launch, &Args::new().ptr(input).ptr(output))?;
            let mut bytes = vec![0; len];
            device.download(output, &mut bytes)?;
            results.push(bytes);
        }
    }
    Ok(results)
}

/// The chip of a random program: a preset, made harder by settings that it can have.
pub fn chip(preset: &str, program: &Program) -> Result<ChipSpec, ChipError> {
    let chip = ChipSpec::preset(preset)?;
    let mut rng = Rng::new(mix(program.seed ^ 0x7365_7474));
    let one = |chip: ChipSpec, setting: String| chip.with(&[setting]).unwrap_or(chip);
    Ok(settings::random(&mut rng).into_iter().fold(chip, one))
}

/// All memory that a random program leaves.
pub fn memory(
    chip: &ChipSpec,
    engine: Engine,
    cubin: &[u8],
    program: &Program,
) -> Result<Vec<u8>, DeviceError> {
    let mut device = device(chip, engine)?;
    let mut rng = Rng::new(mix(program.seed ^ 0x6d65_6d6f));
    let total = program.total();
    let targets = 4 * TARGETS * (1 + program.ctas);
    let lengths = [INPUT, 4 * program.words * total, OWN * total, targets];
    let mut args = Args::new();
    let mut buffers = Vec::new();
    for (i, len) in lengths.into_iter().enumerate() {
        let at = device.malloc(u64::from(len))?;
        let bytes = if i == 0 { input(&mut rng) } else { vec![0; len as usize] };
        device.upload(at, &bytes)?;
        args = args.ptr(at);
        buffers.push((at, len));
    }
    let module = device.load_module(cubin)?;
    let kernel = device.function(module, &program.name())?;
    let (grid, block) = ([program.ctas, 1, 1], [program.threads, 1, 1]);
    device.launch(kernel, &Launch { grid, block, ..Launch::default() }, &args)?;
    let mut memory = Vec::new();
    for (at, len) in buffers {
        let mut bytes = vec![0; len as usize];
        device.download(at, &mut bytes)?;
        memory.extend(bytes);
    }
    Ok(memory)
}

/// Words that provoke corner cases of integers and floating point.
fn input(rng: &mut Rng) -> Vec<u8> {
    let word = |rng: &mut Rng| match rng.below(4) {
        0 => crate::operands::f32_bits(rng),
        1 => rng.below(256),
        _ => rng.u32(),
    };
    (0..INPUT / 4).flat_map(|_| word(rng).to_le_bytes()).collect()
}

/// A number that stands for memory (FNV-1a).
pub fn digest(bytes: &[u8]) -> u64 {
    let step = |h: u64, b: &u8| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}
