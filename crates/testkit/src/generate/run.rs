//! Running programs, and comparing what engines make of them.

use std::fmt;

use super::emit::{PRIVATE, Region, WORDS};
use super::image::NAME;
use super::{Chain, Program, access, chip};
use crate::Rng;
use crate::engines::{self, ENGINES, Engine, Memory};
use crate::rng::mix;
use upset_device::pmu::Sampling;
use upset_device::{Args, DevPtr, Device, DeviceError, Launch, laws};

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

/// Runs a program, and checks that its counters obey the laws.
fn counted(program: &Program, device: &mut Device) -> Result<Memory, String> {
    let told = |e: DeviceError| e.to_string();
    // Periods that fit nothing, so that every moment is read in some program.
    let sampling = match device.cycles() {
        Some(_) => Sampling::Every(50 + program.seed % 1009),
        None => Sampling::AtEnd,
    };
    device.start_counting(sampling).map_err(told)?;
    let memory = run(program, device).map_err(told)?;
    for reading in device.readings() {
        let findings = laws::check(reading);
        if let Some(broken) = findings.broken.first() {
            return Err(format!("launch {}: {broken}", reading.launch));
        }
    }
    Ok(memory)
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
    match engines::disagreement(&chip(program), first, second, |device| counted(program, device)) {
        Some(what) => Err(Box::new(Mismatch { program: program.clone(), what })),
        None => Ok(()),
    }
}

/// All engines against the first one.
pub fn check(program: &Program) -> Result<(), Box<Mismatch>> {
    let [first, others @ ..] = ENGINES else { return Ok(()) };
    others.iter().try_for_each(|other| compare(program, *first, *other))
}
