//! What a micro-benchmark is, and running one through a [`Device`].
//!
//! A benchmark runs the same code with the same arguments on the model and,
//! from the device's journal, on a real GPU; both give the same bytes to read.

use std::collections::BTreeMap;

use upset_device::{Args, DevPtr, Device, Launch, TexFormat, Texture};
use upset_sass::Word;

use super::file::read;
use super::frame;
use crate::{Outcome, root};

/// What is measured; also the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Dependent instructions, as compiled.
    Latency,
    /// Independent instructions, as compiled, by warps per SM.
    Throughput,
    /// Single words: own issue interval, time until a scoreboard is released.
    Issue,
    /// Pointer chases and per-access times.
    Memory,
    /// Bytes and accesses per cycle.
    Bandwidth,
    /// Atomics and fences.
    Atomic,
    /// Barriers, branches, calls, CTA dispatch.
    Control,
    /// Instruction caches.
    Fetch,
    /// Smallest stall count with which a result is seen.
    Stall,
}

impl Group {
    /// Every group.
    pub const ALL: [Group; 9] = [
        Group::Latency,
        Group::Throughput,
        Group::Issue,
        Group::Memory,
        Group::Bandwidth,
        Group::Atomic,
        Group::Control,
        Group::Fetch,
        Group::Stall,
    ];

    /// Its name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Group::Latency => "latency",
            Group::Throughput => "throughput",
            Group::Issue => "issue",
            Group::Memory => "memory",
            Group::Bandwidth => "bandwidth",
            Group::Atomic => "atomic",
            Group::Control => "control",
            Group::Fetch => "fetch",
            Group::Stall => "stall",
        }
    }
}

/// What runs.
#[derive(Clone)]
pub enum Code {
    /// A kernel of `kernels/micro/<file>`.
    Kernel(&'static str, &'static str),
    /// Words of ours in the frame, with every thread's 32 input words.
    Words(Vec<Word>, [u32; 32]),
}

/// What the kernel's third argument points to, or what is prepared beside it.
#[derive(Clone, Copy)]
pub enum Data {
    /// A few dozen words, near 1.0 as FP32.
    Operands,
    /// Zeros, set by the host.
    Zeros(u64),
    /// Zeros, copied by the host.
    Copied(u64),
    /// Memory nobody has touched.
    Untouched(u64),
    /// A ring of (bytes, stride) in the `__constant__` table.
    Constant(u32, u32),
    /// A ring of (bytes, stride) under the texture reference.
    Texture(u32, u32),
}

/// How the answer is read out of the first buffer.
#[derive(Clone, Copy)]
pub enum Reading {
    /// (start, end) of each warp: from the CTA's first start to its last end, mean over CTAs.
    Span,
    /// This many (start, end) pairs: the mean difference.
    Pairs(usize),
    /// Of neighbouring clocks: the smallest difference.
    SmallestPair(usize),
    /// Of neighbouring clocks: the largest difference.
    LargestPair(usize),
    /// (start, end, SM, timer) of each CTA: mean time from a CTA's end to the
    /// next start on the same SM.
    Gap,
    /// Of CTAs: mean time between the first of an SM and its `n`-th, over n.
    Interval(usize),
    /// Of CTAs: largest time from an SM's first start to its last end.
    Busiest,
    /// The frame's words `a` and `b`: b - a, of the first thread.
    Difference(usize, usize),
    /// The frame's words: from the smallest `a` to the largest `b` over all warps.
    FrameSpan(usize, usize),
    /// The frame's words: from the smallest `a` to the smallest `b` over all warps.
    FirstEnd(usize, usize),
    /// The frame's words 0 … n-1 are results with stall counts 1 … n: the
    /// smallest count from which on all agree with the last.
    SmallestStall(usize),
}

/// One micro-benchmark.
#[derive(Clone)]
pub struct Bench {
    /// Unique name.
    pub name: String,
    /// What it belongs to.
    pub group: Group,
    /// Code.
    pub code: Code,
    /// CTAs.
    pub grid: u32,
    /// Threads per CTA.
    pub block: u32,
    /// Dynamic shared memory.
    pub shared: u32,
    /// Data.
    pub data: Data,
    /// Arguments after the three buffers.
    pub numbers: Vec<u32>,
    /// Launches one after the other; the last is read.
    pub launches: u32,
    /// How the cycles are read.
    pub reading: Reading,
    /// What is taken off them.
    pub less: f64,
    /// What they are divided by.
    pub per: f64,
    /// What the quotient is.
    pub unit: &'static str,
}

impl Bench {
    /// A kernel of one warp, read as a span.
    pub fn kernel(group: Group, file: &'static str, kernel: &'static str) -> Bench {
        Bench {
            name: kernel.to_string(),
            group,
            code: Code::Kernel(file, kernel),
            grid: 1,
            block: 32,
            shared: 0,
            data: Data::Operands,
            numbers: Vec::new(),
            launches: 1,
            reading: Reading::Span,
            less: 0.0,
            per: 1.0,
            unit: "cycles",
        }
    }

    /// With another name.
    pub fn named(self, name: impl Into<String>) -> Bench {
        Bench { name: name.into(), ..self }
    }
    /// With this many CTAs.
    pub fn grid(self, grid: u32) -> Bench {
        Bench { grid, ..self }
    }
    /// With this many warps per CTA.
    pub fn warps(self, warps: u32) -> Bench {
        Bench { block: 32 * warps, ..self }
    }
    /// With dynamic shared memory.
    pub fn shared(self, shared: u32) -> Bench {
        Bench { shared, ..self }
    }
    /// With this data.
    pub fn data(self, data: Data) -> Bench {
        Bench { data, ..self }
    }
    /// With these arguments.
    pub fn numbers(self, numbers: &[u32]) -> Bench {
        Bench { numbers: numbers.to_vec(), ..self }
    }
    /// Launched this many times.
    pub fn launches(self, launches: u32) -> Bench {
        Bench { launches, ..self }
    }
    /// Read this way.
    pub fn reading(self, reading: Reading) -> Bench {
        Bench { reading, ..self }
    }
    /// Less this many cycles.
    pub fn less(self, less: f64) -> Bench {
        Bench { less, ..self }
    }
    /// Divided by this, giving that.
    pub fn per(self, per: f64, unit: &'static str) -> Bench {
        Bench { per, unit, ..self }
    }

    fn warps_per_cta(&self) -> usize {
        self.block.div_ceil(32) as usize
    }

    /// Bytes of the first buffer.
    fn output_bytes(&self) -> usize {
        let ctas = self.grid as usize;
        match self.reading {
            Reading::Span => 16 * ctas * self.warps_per_cta(),
            Reading::Pairs(n) | Reading::SmallestPair(n) | Reading::LargestPair(n) => 16 * n,
            Reading::Gap | Reading::Interval(_) | Reading::Busiest => 32 * ctas,
            Reading::Difference(..)
            | Reading::FrameSpan(..)
            | Reading::FirstEnd(..)
            | Reading::SmallestStall(_) => 128 * self.block as usize,
        }
    }

    /// Runs it; the answer is what the host copied back.
    pub fn run(&self, device: &mut Device, arch: u32) -> Outcome<Vec<u8>> {
        self.try_run(device, arch).map_err(|e| format!("{}: {e}", self.name))
    }

    fn try_run(&self, device: &mut Device, arch: u32) -> Outcome<Vec<u8>> {
        let fail = |e: upset_device::DeviceError| e.to_string();
        let bytes = self.output_bytes();
        let out = device.malloc(bytes as u64).map_err(fail)?;
        device.memset(out, 0, bytes as u64).map_err(fail)?;
        let launch = Launch {
            grid: [self.grid, 1, 1],
            block: [self.block, 1, 1],
            shared_bytes: self.shared,
            ..Launch::default()
        };
        match &self.code {
            Code::Words(words, input) => {
                let module = device.load_module(&frame::patched(words)?).map_err(fail)?;
                let function = device.function(module, "frame").map_err(fail)?;
                let image: Vec<u8> = input.iter().flat_map(|w| w.to_le_bytes()).collect();
                let image = image.repeat(self.block as usize);
                let from = device.malloc(image.len() as u64).map_err(fail)?;
                device.upload(from, &image).map_err(fail)?;
                let args = Args::new().ptr(out).ptr(from).u32(2);
                device.launch(function, &launch, &args).map_err(fail)?;
            }
            Code::Kernel(file, kernel) => {
                let path = format!("kernels/micro/{file}/{file}.sm_{arch}.cubin");
                let image = read(&root().join(path))?;
                let module = device.load_module(&image).map_err(fail)?;
                let function = device.function(module, kernel).map_err(fail)?;
                let sink = device.malloc(u64::from(4 * self.grid * self.block)).map_err(fail)?;
                let data = self.prepare(device, module).map_err(fail)?;
                let args = Args::new().ptr(out).ptr(sink).ptr(data);
                let args = self.numbers.iter().fold(args, |args, &n| args.u32(n));
                for _ in 0..self.launches {
                    device.launch(function, &launch, &args).map_err(fail)?;
                }
            }
        }
        let mut answer = vec![0; bytes];
        device.download(out, &mut answer).map_err(fail)?;
        Ok(answer)
    }

    fn prepare(
        &self,
        device: &mut Device,
        module: upset_device::ModuleId,
    ) -> Result<DevPtr, upset_device::DeviceError> {
        // Word i of a ring names the next place, `unit` bytes to a step.
        let ring = |bytes: u32, stride: u32, unit: u32| -> Vec<u8> {
            let next =
                |at: u32| if at.is_multiple_of(stride) { (at + stride) % bytes / unit } else { 0 };
            (0..bytes).step_by(4).flat_map(|at| next(at).to_le_bytes()).collect()
        };
        match self.data {
            Data::Operands => {
                let words: Vec<u8> =
                    (0..64u32).flat_map(|i| (0x3f80_0001 + 7 * i).to_le_bytes()).collect();
                let data = device.malloc(words.len() as u64)?;
                device.upload(data, &words)?;
                Ok(data)
            }
            Data::Zeros(bytes) => {
                let data = device.malloc(bytes)?;
                device.memset(data, 0, bytes)?;
                Ok(data)
            }
            Data::Copied(bytes) => {
                let data = device.malloc(bytes)?;
                device.upload(data, &vec![0; bytes as usize])?;
                Ok(data)
            }
            Data::Untouched(bytes) => device.malloc(bytes),
            Data::Constant(bytes, stride) => {
                device.upload_symbol(module, "table", 0, &ring(bytes, stride, 1))?;
                device.malloc(4)
            }
            Data::Texture(bytes, stride) => {
                let data = device.malloc(u64::from(bytes))?;
                device.upload(data, &ring(bytes, stride, 4))?;
                let texture = Texture::linear(data.0, u64::from(bytes), TexFormat::F32);
                device.bind_texture(module, "texels", texture)?;
                Ok(data)
            }
        }
    }

    /// The number this benchmark stands for, out of the bytes it copied back.
    pub fn value(&self, bytes: &[u8]) -> Outcome<f64> {
        if bytes.len() != self.output_bytes() {
            return Err(format!("{}: {} bytes of output", self.name, bytes.len()));
        }
        let cycles = match self.reading {
            Reading::Span => {
                let pairs = pairs(bytes);
                let spans = pairs.chunks(self.warps_per_cta()).map(|cta| span(cta.iter().copied()));
                mean(spans)
            }
            Reading::Pairs(_) => mean(differences(bytes)),
            Reading::SmallestPair(_) => differences(bytes).fold(f64::INFINITY, f64::min),
            Reading::LargestPair(_) => differences(bytes).fold(0.0, f64::max),
            Reading::Gap => mean(by_sm(bytes).values().flat_map(|ctas| gaps(ctas))),
            Reading::Interval(n) => mean(
                by_sm(bytes)
                    .values()
                    .filter_map(|ctas| Some((ctas.get(n)?.0 - ctas[0].0) as f64 / n as f64)),
            ),
            Reading::Busiest => {
                by_sm(bytes).values().map(|ctas| span(ctas.iter().copied())).fold(0.0, f64::max)
            }
            Reading::Difference(a, b) => {
                let words = words(bytes);
                f64::from(words[b].wrapping_sub(words[a]))
            }
            Reading::FrameSpan(a, b) | Reading::FirstEnd(a, b) => {
                let words = words(bytes);
                let base = words[a];
                // One SM's clock: small signed differences, whatever its low word wraps to.
                let of = |i: usize| {
                    words.chunks(32).map(move |w| i64::from(w[i].wrapping_sub(base) as i32))
                };
                let end = match self.reading {
                    Reading::FirstEnd(..) => of(b).min(),
                    _ => of(b).max(),
                };
                (end.unwrap_or(0) - of(a).min().unwrap_or(0)) as f64
            }
            Reading::SmallestStall(n) => {
                let words = words(bytes);
                let right = words[n - 1];
                let wrong = (0..n).rev().find(|&i| words[i] != right);
                wrong.map_or(1.0, |i| (i + 2) as f64)
            }
        };
        Ok((cycles - self.less) / self.per)
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes(std::array::from_fn(|i| c[i]))).collect()
}

fn longs(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(8).map(|c| u64::from_le_bytes(std::array::from_fn(|i| c[i]))).collect()
}

fn pairs(bytes: &[u8]) -> Vec<(u64, u64)> {
    longs(bytes).chunks_exact(2).map(|p| (p[0], p[1])).collect()
}

fn differences(bytes: &[u8]) -> impl Iterator<Item = f64> {
    pairs(bytes).into_iter().map(|(a, b)| b.wrapping_sub(a) as f64)
}

/// From the first start to the last end.
fn span(clocks: impl Iterator<Item = (u64, u64)> + Clone) -> f64 {
    let first = clocks.clone().map(|(a, _)| a).min().unwrap_or(0);
    let last = clocks.map(|(_, b)| b).max().unwrap_or(0);
    last.saturating_sub(first) as f64
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0u32), |(sum, n), v| (sum + v, n + 1));
    if n == 0 { 0.0 } else { sum / f64::from(n) }
}

/// (start, end) of the CTAs of each SM, by start.
fn by_sm(bytes: &[u8]) -> BTreeMap<u64, Vec<(u64, u64)>> {
    let mut sms: BTreeMap<u64, Vec<(u64, u64)>> = BTreeMap::new();
    for cta in longs(bytes).chunks_exact(4) {
        sms.entry(cta[2]).or_default().push((cta[0], cta[1]));
    }
    sms.values_mut().for_each(|ctas| ctas.sort_unstable());
    sms
}

fn gaps(ctas: &[(u64, u64)]) -> Vec<f64> {
    ctas.windows(2).map(|w| w[1].0 as f64 - w[0].1 as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(longs: &[u64]) -> Vec<u8> {
        longs.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn a_span_reaches_from_first_start_to_last_end_of_a_cta() {
        let bench = Bench::kernel(Group::Latency, "f", "k").grid(2).warps(2).per(10.0, "");
        let clocks = bytes(&[100, 150, 90, 140, 1000, 1040, 1000, 1020]);
        assert_eq!(bench.value(&clocks), Ok(5.0));
    }

    #[test]
    fn gaps_are_between_ctas_of_one_sm() {
        let bench = Bench::kernel(Group::Control, "f", "k").grid(4).reading(Reading::Gap);
        let clocks = bytes(&[0, 10, 0, 0, 500, 520, 1, 0, 14, 20, 0, 0, 526, 530, 1, 0]);
        assert_eq!(bench.value(&clocks), Ok(5.0));
    }

    #[test]
    fn the_smallest_stall_is_the_one_after_the_last_wrong_answer() {
        let bench = Bench::kernel(Group::Stall, "f", "k").reading(Reading::SmallestStall(4));
        let answer = |w: [u32; 4]| {
            let mut all = vec![0u32; 32 * 32];
            all[..4].copy_from_slice(&w);
            all.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>()
        };
        assert_eq!(bench.value(&answer([1, 1, 1, 1])), Ok(1.0));
        assert_eq!(bench.value(&answer([0, 1, 0, 1])), Ok(4.0));
    }
}
