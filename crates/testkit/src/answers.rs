//! Answers of a real GPU to single instructions, and the model's to the same.
//!
//! An answer is a digest per run of 4096 lanes: enough to find a difference,
//! small enough to keep thousands of them in the repository.

use upset_chip::ChipSpec;
use upset_device::{Args, Device, DeviceError, Launch};
use upset_sass::Word;

use crate::operands::{LANES, Set, WORDS};
use crate::probe::{Case, SLOTS};
use crate::rng::{GOLDEN, mix};

/// Lanes per digest.
pub const RUN: usize = 4096;
/// Digests per case.
pub const RUNS: usize = LANES / RUN;
/// Where the slot begins in the probe's code, and its store instruction.
const SLOT_AT: usize = 0xd0;
const STORE_AT: usize = 0x250;

/// Operand bytes per lane.
const LANE_BYTES: usize = WORDS * 4;

/// What the GPU did with a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// 0, or the driver's error code.
    pub status: i32,
    /// One digest per run; empty when it trapped.
    pub digests: Vec<u64>,
}

/// Digest of the outputs of lanes `first ..`.
pub fn digest(first: usize, outputs: &[[u32; 4]]) -> u64 {
    outputs.iter().enumerate().fold(0, |sum, (i, v)| {
        let h = mix((first + i) as u64 + GOLDEN);
        let h = mix(h ^ (u64::from(v[1]) << 32 | u64::from(v[0])));
        let h = mix(h ^ (u64::from(v[3]) << 32 | u64::from(v[2])));
        sum.wrapping_add(h)
    })
}

/// Runs the probe on the model.
pub struct Model {
    chip: ChipSpec,
    cubin: Vec<u8>,
    code: usize,
    inputs: Vec<Vec<u8>>,
}

/// Why the model gave no outputs.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The frame is not the one we know.
    #[error("the probe's code was not found in the cubin")]
    NoProbe,
    /// The device refused or trapped.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl Model {
    /// A model of `chip` with the compiled probe.
    pub fn new(chip: ChipSpec, cubin: &[u8]) -> Result<Model, ModelError> {
        // LDC R1, c[0x0][0x28] begins the probe; STG.E.128 [R2.64], R4 ends it.
        let code = (0..cubin.len().saturating_sub(STORE_AT + 16))
            .step_by(16)
            .find(|&i| {
                cubin[i..].starts_with(&[0x82, 0x7b, 0x01, 0xff, 0x00, 0x0a])
                    && cubin[i + STORE_AT..].starts_with(&[0x86, 0x79, 0x00, 0x02, 0x04])
            })
            .ok_or(ModelError::NoProbe)?;
        let mut cubin = cubin.to_vec();
        // Store R12..R15 instead of R4..R7.
        cubin[code + STORE_AT + 4] = 12;
        let inputs = Set::ALL
            .map(|s| s.lanes().iter().flatten().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>());
        Ok(Model { chip, cubin, code, inputs: inputs.into() })
    }

    /// All input sets, one after the other, as the recording program reads them.
    pub fn input_file(&self) -> Vec<u8> {
        self.inputs.concat()
    }

    /// Outputs of runs `first .. first + count` of a case.
    pub fn outputs(
        &self,
        words: &[Word; SLOTS],
        set: Set,
        first: usize,
        count: usize,
    ) -> Result<Vec<[u32; 4]>, ModelError> {
        let start = first * RUN * LANE_BYTES;
        self.run(words, &self.inputs[set as usize][start..start + count * RUN * LANE_BYTES])
    }

    /// Outputs of the given operands: [`WORDS`] words per lane, a multiple of
    /// 256 lanes.
    pub fn run(&self, words: &[Word; SLOTS], input: &[u8]) -> Result<Vec<[u32; 4]>, ModelError> {
        let mut image = self.cubin.clone();
        for (i, w) in words.iter().enumerate() {
            let at = self.code + SLOT_AT + 16 * i;
            image[at..at + 16].copy_from_slice(&w.0.to_le_bytes());
        }
        let lanes = input.len() / LANE_BYTES;
        let mut device = Device::new(&self.chip)?;
        let from = device.malloc(input.len() as u64)?;
        let to = device.malloc(lanes as u64 * 16)?;
        device.upload(from, input)?;
        let module = device.load_module(&image)?;
        let probe = device.function(module, "probe")?;
        let launch = Launch {
            grid: [lanes as u32 / 256, 1, 1],
            block: [256, 1, 1],
            shared_bytes: 0,
            ..Launch::default()
        };
        device.launch(probe, &launch, &Args::new().ptr(from).ptr(to))?;
        let mut bytes = vec![0; lanes * 16];
        device.download(to, &mut bytes)?;
        Ok(bytes
            .chunks_exact(16)
            .map(|c| {
                std::array::from_fn(|i| {
                    u32::from_le_bytes([c[4 * i], c[4 * i + 1], c[4 * i + 2], c[4 * i + 3]])
                })
            })
            .collect())
    }

    /// Digests of runs `first .. first + count` of a case.
    pub fn digests(
        &self,
        words: &[Word; SLOTS],
        set: Set,
        first: usize,
        count: usize,
    ) -> Result<Vec<u64>, ModelError> {
        let outputs = self.outputs(words, set, first, count)?;
        Ok(outputs.chunks(RUN).enumerate().map(|(i, c)| digest((first + i) * RUN, c)).collect())
    }
}

/// Cases with their answers.
pub type Answers = Vec<(Case, Answer)>;

/// Cases with their answers, packed.
pub fn pack(answers: &[(Case, Answer)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (case, answer) in answers {
        out.extend((case.text.len() as u32).to_le_bytes());
        out.extend(case.text.as_bytes());
        out.push(case.set as u8);
        out.extend(answer.status.to_le_bytes());
        case.words.iter().for_each(|w| out.extend(w.0.to_le_bytes()));
        out.push(answer.digests.len() as u8);
        answer.digests.iter().for_each(|d| out.extend(d.to_le_bytes()));
    }
    miniz_oxide::deflate::compress_to_vec_zlib(&out, 9)
}

/// Reads what [`pack`] wrote; `None` when the file is damaged.
pub fn unpack(bytes: &[u8]) -> Option<Answers> {
    cases(&miniz_oxide::inflate::decompress_to_vec_zlib(bytes).ok()?)
}

/// A recording with operands of its own: the operands' bytes, and cases with
/// one digest each. `None` when the file is damaged.
pub fn unpack_with_operands(bytes: &[u8]) -> Option<(Vec<u8>, Answers)> {
    let raw = miniz_oxide::inflate::decompress_to_vec_zlib(bytes).ok()?;
    let mut rest = raw.as_slice();
    let lanes = u32::from_le_bytes(*take(&mut rest, 4)?.first_chunk()?);
    let operands = take(&mut rest, lanes as usize * LANE_BYTES)?.to_vec();
    Some((operands, cases(rest)?))
}

fn cases(mut rest: &[u8]) -> Option<Answers> {
    let mut out = Vec::new();
    while !rest.is_empty() {
        let len = u32::from_le_bytes(*take(&mut rest, 4)?.first_chunk()?);
        let text = String::from_utf8(take(&mut rest, len as usize)?.to_vec()).ok()?;
        let set = *Set::ALL.get(usize::from(take(&mut rest, 1)?[0]))?;
        let status = i32::from_le_bytes(*take(&mut rest, 4)?.first_chunk()?);
        let mut words = [Word(0); SLOTS];
        for w in &mut words {
            *w = Word::from_bytes(*take(&mut rest, 16)?.first_chunk()?);
        }
        let n = take(&mut rest, 1)?[0];
        let mut digests = Vec::new();
        for _ in 0..n {
            digests.push(u64::from_le_bytes(*take(&mut rest, 8)?.first_chunk()?));
        }
        out.push((Case { text, set, words }, Answer { status, digests }));
    }
    Some(out)
}

fn take<'a>(from: &mut &'a [u8], n: usize) -> Option<&'a [u8]> {
    let (head, tail) = from.split_at_checked(n)?;
    *from = tail;
    Some(head)
}
