//! Running programs, and comparing what engines make of them.

use std::fmt::{self, Write};

use super::emit::{PRIVATE, Region, WORDS};
use super::image::NAME;
use super::{Chain, Program, access, chip};
use crate::Rng;
use crate::rng::mix;
use upset_chip::ChipSpec;
use upset_device::{Args, DevPtr, Device, DeviceError, Launch};

/// A way to run code: its name, and how it makes a device.
#[derive(Clone, Copy)]
pub struct Engine {
    /// For messages.
    pub name: &'static str,
    /// A new device of a chip.
    pub device: fn(&ChipSpec) -> Result<Device, DeviceError>,
}

/// The engines that must agree. This is the place where another one is added.
pub const ENGINES: &[Engine] = &[FUNCTIONAL, TIMING];

/// Instructions without time.
pub const FUNCTIONAL: Engine = Engine { name: "functional", device: |chip| Device::new(chip) };

/// Cycle by cycle, values in the chip's arrays.
pub const TIMING: Engine = Engine { name: "timing", device: |chip| Device::timed(chip) };

/// Global memory after a run: every buffer, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Name and bytes.
    pub buffers: Vec<(String, Vec<u8>)>,
    /// Digest of all of them.
    pub digest: String,
}

/// A buffer on the device and what to call it.
struct Buffer {
    name: String,
    at: DevPtr,
    len: usize,
}

/// Runs a program on a device and brings back all its memory.
pub fn run(program: &Program, device: &mut Device) -> Result<Memory, DeviceError> {
    let image = program.image();
    let shape = &program.shape;
    let mut rng = Rng::new(mix(program.seed ^ 5));
    let mut buffers: Vec<Buffer> = Vec::new();
    let mut buffer = |device: &mut Device, name: String, len: u32| -> Result<DevPtr, DeviceError> {
        let at = device.malloc(u64::from(len))?;
        device.upload(at, &random_bytes(&mut rng, len))?;
        buffers.push(Buffer { name, at, len: len as usize });
        Ok(at)
    };
    let results = (4 * image.result_words * shape.total()).max(shape.input);
    let reductions = access::GLOBAL.len() as u32 * shape.group;
    let mut pointers = [DevPtr(0); super::emit::REGIONS];
    pointers[Region::Input as usize] = buffer(device, "input".into(), shape.input)?;
    pointers[Region::Slots as usize] = buffer(device, "slots".into(), 2 * shape.global_buffer())?;
    pointers[Region::Private as usize] = buffer(device, "private".into(), PRIVATE * shape.total())?;
    pointers[Region::Reductions as usize] = buffer(device, "reductions".into(), reductions)?;
    let outputs = (0..shape.launches)
        .map(|i| buffer(device, format!("output {i}"), results))
        .collect::<Result<Vec<_>, _>>()?;

    let module = device.load_module(&image.cubin)?;
    let kernel = device.function(module, NAME)?;
    let launch = Launch {
        grid: shape.grid,
        block: shape.block,
        shared_bytes: shape.shared(),
        ..Launch::default()
    };
    for (i, &output) in outputs.iter().enumerate() {
        pointers[Region::Output as usize] = output;
        let before = i.checked_sub(1).and_then(|i| outputs.get(i));
        if let Some(&before) = before {
            match shape.chain {
                Chain::Results => pointers[Region::Input as usize] = before,
                Chain::Rewritten => {
                    let bytes = random_bytes(&mut rng, shape.input);
                    device.upload(pointers[Region::Input as usize], &bytes)?;
                }
            }
        }
        let mut args = pointers.iter().fold(Args::new(), |args, &p| args.ptr(p));
        for _ in 0..WORDS {
            args = args.u32(rng.u32());
        }
        device.launch(kernel, &launch, &args)?;
    }
    let mut memory = Memory { buffers: Vec::new(), digest: String::new() };
    for b in buffers {
        let mut bytes = vec![0; b.len];
        device.download(b.at, &mut bytes)?;
        memory.buffers.push((b.name, bytes));
    }
    memory.digest = device.outputs().digest();
    Ok(memory)
}

fn random_bytes(rng: &mut Rng, len: u32) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..len.div_ceil(8)).flat_map(|_| rng.u64().to_le_bytes()).collect();
    bytes.truncate(len as usize);
    bytes
}

/// Two engines that do not agree.
#[derive(Debug)]
pub struct Mismatch {
    /// The program.
    pub program: Program,
    /// What is different.
    pub what: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = &self.program;
        writeln!(f, "seed {} on {}: {}", p.seed, p.arch, self.what)?;
        writeln!(f, "{} statements, {:?}", p.statements(), p.shape)?;
        write!(f, "{}", p.image().listing())
    }
}

/// Runs a program on two engines, each on a new device.
pub fn compare(program: &Program, first: Engine, second: Engine) -> Result<(), Box<Mismatch>> {
    let fail = |what| Box::new(Mismatch { program: program.clone(), what });
    let chip = chip(program).map_err(|e| fail(e.to_string()))?;
    let memory = |e: Engine| {
        (e.device)(&chip).and_then(|mut d| run(program, &mut d)).map_err(|e| e.to_string())
    };
    let what = match (memory(first), memory(second)) {
        (Ok(a), Ok(b)) if a == b => return Ok(()),
        (Ok(a), Ok(b)) => difference(&a, &b, first.name, second.name),
        (Err(e), _) => format!("{}: {e}", first.name),
        (_, Err(e)) => format!("{}: {e}", second.name),
    };
    Err(fail(what))
}

/// All engines against the first one.
pub fn check(program: &Program) -> Result<(), Box<Mismatch>> {
    let [first, others @ ..] = ENGINES else { return Ok(()) };
    others.iter().try_for_each(|other| compare(program, *first, *other))
}

/// The first words that differ, per buffer.
pub(crate) fn difference(a: &Memory, b: &Memory, first: &str, second: &str) -> String {
    let mut text = String::new();
    for ((name, a), (_, b)) in a.buffers.iter().zip(&b.buffers) {
        let word =
            |bytes: &[u8]| bytes.iter().rev().fold(0u32, |v, &byte| v << 8 | u32::from(byte));
        let different: Vec<usize> = a
            .chunks(4)
            .zip(b.chunks(4))
            .enumerate()
            .filter(|(_, (a, b))| a != b)
            .map(|(i, _)| i)
            .collect();
        if let Some(&i) = different.first() {
            let (a, b) = (&a[4 * i..(4 * i + 4).min(a.len())], &b[4 * i..(4 * i + 4).min(b.len())]);
            let _ = write!(
                text,
                "{name}: {} words differ, the first at {:#x}: {:#010x} ({first}), {:#010x} ({second}); ",
                different.len(),
                4 * i,
                word(a),
                word(b),
            );
        }
    }
    text
}
