//! Running programs of waves, and comparing what engines make of them.

use std::fmt;

use upset_chip::{ChipError, ChipSpec};
use upset_device::{Args, DevPtr, Device, DeviceError, Launch};

use super::WaveProgram;
use super::access::REDUCTIONS;
use super::frame::result_words;
use super::image::NAME;
use super::registers::{POINTERS, Region};
use crate::engines::{self, ENGINES, Engine, Memory};
use crate::rng::mix;
use crate::{Rng, operands};

/// The chip on which a program runs: a preset with those of its settings that
/// are possible there.
pub fn chip(program: &WaveProgram) -> Result<ChipSpec, ChipError> {
    let chip = ChipSpec::preset(program.shape.chip)?;
    let one = |chip: ChipSpec, setting| chip.with(&[setting]).unwrap_or(chip);
    Ok(program.shape.settings.iter().fold(chip, one))
}

/// Runs a program on a device and brings back all its memory.
pub fn run(program: &WaveProgram, device: &mut Device) -> Result<Memory, DeviceError> {
    let image = program.image();
    let shape = &program.shape;
    let mut rng = Rng::new(mix(program.seed ^ 5));
    let mut buffers: Vec<(String, DevPtr, usize)> = Vec::new();
    let mut buffer = |device: &mut Device, name: String, len: u32| -> Result<DevPtr, DeviceError> {
        let at = device.malloc(u64::from(len))?;
        device.upload(at, &bytes(&mut rng, len))?;
        buffers.push((name, at, len as usize));
        Ok(at)
    };
    let results = (256 * result_words(shape) * shape.total()).max(shape.input);
    let reductions = REDUCTIONS.len() as u32 * shape.group;
    let mut pointers = [DevPtr(0); POINTERS];
    pointers[Region::Input as usize] = buffer(device, "input".into(), shape.input)?;
    pointers[Region::Slots as usize] = buffer(device, "slots".into(), 2 * shape.slots())?;
    pointers[Region::Reductions as usize] = buffer(device, "reductions".into(), reductions)?;
    let outputs = (0..shape.launches)
        .map(|i| buffer(device, format!("output {i}"), results))
        .collect::<Result<Vec<_>, _>>()?;
    let module = device.load_module(&image.object)?;
    let kernel = device.function(module, NAME)?;
    let launch = Launch { grid: shape.grid, block: shape.block, ..Launch::default() };
    for (i, &output) in outputs.iter().enumerate() {
        pointers[Region::Output as usize] = output;
        if let Some(&before) = i.checked_sub(1).and_then(|i| outputs.get(i)) {
            pointers[Region::Input as usize] = before;
        }
        let args = pointers.iter().fold(Args::new(), |args, &p| args.ptr(p));
        device.launch(kernel, &launch, &args)?;
    }
    let mut memory = Memory { buffers: Vec::new(), digest: String::new() };
    for (name, at, len) in buffers {
        let mut bytes = vec![0; len];
        device.download(at, &mut bytes)?;
        memory.buffers.push((name, bytes));
    }
    memory.digest = device.outputs().digest();
    Ok(memory)
}

/// Bytes that are random, or numbers that provoke corner cases.
fn bytes(rng: &mut Rng, len: u32) -> Vec<u8> {
    let word = |rng: &mut Rng| match rng.below(3) {
        0 => rng.u32(),
        1 => (rng.below(4000) as f32 / 16.0 - 100.0).to_bits(),
        _ => operands::f32_bits(rng),
    };
    let mut bytes: Vec<u8> = (0..len.div_ceil(4)).flat_map(|_| word(rng).to_le_bytes()).collect();
    bytes.truncate(len as usize);
    bytes
}

/// Two engines that do not agree.
#[derive(Debug)]
pub struct WaveMismatch {
    /// The program.
    pub program: WaveProgram,
    /// What is different.
    pub what: String,
}

impl fmt::Display for WaveMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = &self.program;
        writeln!(f, "seed {} on {}: {}", p.seed, p.shape.chip, self.what)?;
        writeln!(f, "{} statements, {:?}\n{:?}", p.statements(), p.shape, p.body)?;
        write!(f, "{}", p.image().listing())
    }
}

/// Runs a program on two engines, each on a new device.
pub fn compare(
    program: &WaveProgram,
    first: Engine,
    second: Engine,
) -> Result<(), Box<WaveMismatch>> {
    match engines::disagreement(&chip(program), first, second, |device| {
        run(program, device).map_err(|e| e.to_string())
    }) {
        Some(what) => Err(Box::new(WaveMismatch { program: program.clone(), what })),
        None => Ok(()),
    }
}

/// All engines against the first one.
pub fn check(program: &WaveProgram) -> Result<(), Box<WaveMismatch>> {
    let [first, others @ ..] = ENGINES else { return Ok(()) };
    others.iter().try_for_each(|other| compare(program, *first, *other))
}
