//! What kernels' machine code must not do where a quarantine changes who does
//! which work.

use thiserror::Error;
use upset_isa::{Across, ConstAddr, Exec, Flow, Inst, SpecialReg, Src, Unit};
use upset_sass::container::fatbin::EntryKind;
use upset_sass::container::{self, Container, ContainerError, Module};
use upset_sass::{Arch, LowerError, Word, decode, disasm};

/// An instruction that stands in the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// The kernel or function.
    pub function: String,
    /// Where in it.
    pub offset: u64,
    /// The instruction.
    pub text: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// What a module's code was looked through for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looked {
    /// Compute capability of the code.
    pub sm: u32,
    /// Kernels and functions.
    pub functions: Vec<String>,
    /// What stands in the way, in order.
    pub obstacles: Vec<Obstacle>,
}

/// Code that cannot be looked through.
#[derive(Debug, Error)]
pub enum CodeError {
    /// No code in it.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// Code of another kind.
    #[error("sm_{0} code cannot be read; sm_70, sm_75, sm_80 and sm_90 can")]
    Arch(u32),
}

/// Why an instruction may not be there, if so.
type Rule = fn(&Inst) -> Option<&'static str>;

/// Looks for what forbids to skip lanes: threads of a warp that depend on each
/// other would miss those that were skipped.
pub fn lane_skipping(bytes: &[u8]) -> Result<Looked, CodeError> {
    look(bytes, |inst| match inst.exec {
        _ if inst.op.across != Across::No => Some("lanes of a warp exchange values"),
        _ if inst.op.unit == Unit::Tensor => Some("lanes of a warp share a matrix"),
        Exec::Flow(Flow::WarpSync { .. } | Flow::Collective { .. }) => {
            Some("lanes of a warp wait for each other")
        }
        _ => None,
    })
}

/// Looks for what forbids tickets: blocks that ask the hardware for their
/// number, or for the size of the grid, get those of the launch.
pub fn tickets(bytes: &[u8]) -> Result<Looked, CodeError> {
    look(bytes, |inst| {
        use SpecialReg::{CtaidX, CtaidY, CtaidZ};
        if let Exec::Special(CtaidX | CtaidY | CtaidZ) = inst.exec {
            return Some("asks the hardware for the block's number");
        }
        let grid = |offset: i32, bytes: i32| offset < 0x18 && offset + bytes > 0x0c;
        let reads = |source: &Src| match source {
            Src::Const(ConstAddr::Bank { bank: 0, offset }, width) => {
                grid(*offset, 4 * i32::from(width.words()))
            }
            _ => false,
        };
        let loads = matches!(&inst.exec, Exec::Mem(op) if matches!(
            op.bank, Some(ConstAddr::Bank { bank: 0, offset }) if grid(offset, i32::from(op.bytes))));
        (loads || inst.src.iter().any(reads)).then_some("asks for the size of the launch's grid")
    })
}

fn look(bytes: &[u8], rule: Rule) -> Result<Looked, CodeError> {
    let module = newest(container::open(bytes)?)?;
    let arch = Arch::from_number(module.sm).ok_or(CodeError::Arch(module.sm))?;
    let mut obstacles = Vec::new();
    for section in &module.code {
        for (i, word) in section.code.bytes.as_chunks::<{ Word::BYTES }>().0.iter().enumerate() {
            let offset = (i * Word::BYTES) as u64;
            let (text, why) = judge(Word::from_bytes(*word), arch, offset, rule);
            let function = section.name.clone();
            obstacles.extend(why.map(|why| Obstacle { function, offset, text, why }));
        }
    }
    let functions = module.code.iter().map(|section| section.name.clone()).collect();
    Ok(Looked { sm: module.sm, functions, obstacles })
}

fn judge(word: Word, arch: Arch, at: u64, rule: Rule) -> (String, Option<&'static str>) {
    let Ok(decoded) = decode(word, arch) else {
        return (format!("{word:?}"), Some("is no instruction that we know"));
    };
    // Guarded by "never" (@!PT): compilers put such words in, and nothing runs.
    let never = word.bits(12, 4) == 15;
    let why = match decoded.lower() {
        _ if never => None,
        Ok(inst) => rule(&inst),
        // What has no meaning here yet is judged by its row, or not trusted.
        Err(LowerError::Unimplemented(_)) => rule(&Inst::new(decoded.row.op, Exec::Unimplemented))
            .or(Some("has no meaning that we know")),
        Err(_) => Some("has no meaning that we know"),
    };
    (disasm::text(&decoded, at), why)
}

/// The module of the newest architecture in the file.
fn newest(file: Container<'_>) -> Result<Module, ContainerError> {
    let sm = match &file {
        Container::Cubin(module) => module.sm,
        Container::Fat(entries) => {
            let code = entries.iter().filter(|e| e.kind == EntryKind::Elf);
            code.map(|e| e.sm).max().unwrap_or(0)
        }
    };
    file.module(sm)
}
