//! What a trusted chip makes of PTX, recorded together with the machine code of
//! sm_35: tests then need no assembler.
//!
//! Deflated, little-endian: the code of [`each`], and a digest for each of its
//! launches; then modules of random programs, each with its code, its programs
//! (seed, CTAs, threads, words) and their digests. Lists have their length first.

use miniz_oxide::deflate::compress_to_vec;
use upset_chip::ChipSpec;

use super::compile::{Assembler, CompileError};
use super::each::{self, PER_KERNEL};
use super::random::{self, Program};
use super::run::{SETS, chip, digest, each_results, memory};
use super::{ARCHITECTURES, exact};
use crate::engines::{ENGINES, Engine, FUNCTIONAL};
use crate::nvdisasm::record::{Reader, RecordError, inflate};

/// Random programs of one module.
const PER_MODULE: u64 = 20;
/// Modules of random programs that are recorded.
const MODULES: u64 = 3;

/// Machine code, and digests of what it leaves in memory.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    each: Vec<u8>,
    each_digests: Vec<u64>,
    modules: Vec<Module>,
}

#[derive(Clone, Debug)]
struct Module {
    cubin: Vec<u8>,
    programs: Vec<(Program, u64)>,
}

/// Why nothing was recorded.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The assembler refused.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The trusted chip did not run it.
    #[error("{0}")]
    Run(String),
}

fn told(e: impl std::fmt::Display) -> RecordingError {
    RecordingError::Run(e.to_string())
}

impl Recording {
    /// Assembles for both architectures and runs on the trusted chip.
    pub fn new(assembler: &Assembler) -> Result<Recording, RecordingError> {
        let [(sm, _), (trusted, preset)] = ARCHITECTURES;
        let instructions = exact();
        let text = each::module(&instructions);
        let spec = ChipSpec::preset(preset).map_err(told)?;
        let kernels = instructions.len().div_ceil(PER_KERNEL);
        let code = assembler.assemble(&text, trusted)?;
        let results = each_results(&spec, FUNCTIONAL, &code, kernels).map_err(told)?;
        let mut recording = Recording {
            each: assembler.assemble(&text, sm)?,
            each_digests: results.iter().map(|r| digest(r)).collect(),
            modules: Vec::new(),
        };
        for n in 0..MODULES {
            let programs: Vec<Program> =
                (n * PER_MODULE..(n + 1) * PER_MODULE).map(Program::new).collect();
            let text = random::module(&programs);
            let code = assembler.assemble(&text, trusted)?;
            let digests = programs
                .into_iter()
                .map(|p| {
                    let bytes = memory(&spec, FUNCTIONAL, &code, &p).map_err(told)?;
                    Ok((p, digest(&bytes)))
                })
                .collect::<Result<Vec<_>, RecordingError>>()?;
            let cubin = assembler.assemble(&text, sm)?;
            recording.modules.push(Module { cubin, programs: digests });
        }
        Ok(recording)
    }

    /// Launches that are recorded: of single instructions, of random programs.
    pub fn launches(&self) -> (usize, usize) {
        (self.each_digests.len(), self.modules.iter().map(|m| m.programs.len()).sum())
    }

    /// Runs everything on sm_35 with every engine: what is not as recorded.
    pub fn differences(&self) -> Vec<String> {
        ENGINES.iter().flat_map(|engine| self.differences_on(*engine)).collect()
    }

    fn differences_on(&self, engine: Engine) -> Vec<String> {
        let (preset, name) = (ARCHITECTURES[0].1, engine.name);
        let mut found = Vec::new();
        let kernels = self.each_digests.len() / SETS.len();
        let run = ChipSpec::preset(preset)
            .map_err(|e| e.to_string())
            .and_then(|c| each_results(&c, engine, &self.each, kernels).map_err(|e| e.to_string()));
        match run {
            Err(e) => found.push(format!("{name}: {e}")),
            Ok(results) => {
                for (n, (bytes, expected)) in results.iter().zip(&self.each_digests).enumerate() {
                    if digest(bytes) != *expected {
                        let (kernel, set) = (n / SETS.len(), SETS[n % SETS.len()]);
                        found.push(format!("{name}: kernel {kernel} on {set:?} differs"));
                    }
                }
            }
        }
        for module in &self.modules {
            for (program, expected) in &module.programs {
                let run = chip(preset, program).map_err(|e| e.to_string()).and_then(|c| {
                    memory(&c, engine, &module.cubin, program).map_err(|e| e.to_string())
                });
                match run {
                    Err(e) => found.push(format!("{name}: program {}: {e}", program.seed)),
                    Ok(bytes) if digest(&bytes) == *expected => {}
                    Ok(_) => found.push(format!("{name}: program {} differs", program.seed)),
                }
            }
        }
        found
    }

    /// As a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let code = |bytes: &mut Vec<u8>, code: &[u8]| {
            bytes.extend((code.len() as u32).to_le_bytes());
            bytes.extend(code);
        };
        code(&mut bytes, &self.each);
        bytes.extend((self.each_digests.len() as u32).to_le_bytes());
        bytes.extend(self.each_digests.iter().flat_map(|d| d.to_le_bytes()));
        bytes.extend((self.modules.len() as u32).to_le_bytes());
        for m in &self.modules {
            code(&mut bytes, &m.cubin);
            bytes.extend((m.programs.len() as u32).to_le_bytes());
            for (p, digest) in &m.programs {
                bytes.extend(p.seed.to_le_bytes());
                bytes.extend([p.ctas, p.threads, p.words].iter().flat_map(|w| w.to_le_bytes()));
                bytes.extend(digest.to_le_bytes());
            }
        }
        compress_to_vec(&bytes, 9)
    }

    /// Reads a file.
    pub fn from_bytes(file: &[u8]) -> Result<Recording, RecordError> {
        let bytes = inflate(file)?;
        let mut rest = Reader(&bytes);
        let wide = |rest: &mut Reader<'_>| {
            let low = u64::from(rest.u32()?);
            Ok::<u64, RecordError>(low | u64::from(rest.u32()?) << 32)
        };
        let code = |rest: &mut Reader<'_>| {
            let len = rest.u32()? as usize;
            rest.take(len).map(<[u8]>::to_vec)
        };
        let each = code(&mut rest)?;
        let each_digests =
            (0..rest.u32()?).map(|_| wide(&mut rest)).collect::<Result<Vec<_>, _>>()?;
        let mut modules = Vec::new();
        for _ in 0..rest.u32()? {
            let cubin = code(&mut rest)?;
            let mut programs = Vec::new();
            for _ in 0..rest.u32()? {
                let seed = wide(&mut rest)?;
                let (ctas, threads, words) = (rest.u32()?, rest.u32()?, rest.u32()?);
                let program = Program { seed, ctas, threads, words, text: String::new() };
                programs.push((program, wide(&mut rest)?));
            }
            modules.push(Module { cubin, programs });
        }
        Ok(Recording { each, each_digests, modules })
    }
}
