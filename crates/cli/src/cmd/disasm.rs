//! `upset disasm`.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use upset_sass::Encoding;
use upset_sass::container::fatbin::{self, EntryKind};
use upset_sass::container::{self, Container, ContainerError, Module};

use crate::failure::{self, Failure, print};

/// `upset disasm`.
#[derive(Debug, Args)]
pub struct DisasmArgs {
    /// A cubin, a fat binary, a program with GPU code inside, an AMD code object or APP SDK binary
    pub file: PathBuf,
    /// Only this kernel or function
    #[arg(long)]
    pub kernel: Option<String>,
    /// Compute capability to pick from a fat binary, e.g. 75 (default: the newest)
    #[arg(long, value_name = "SM")]
    pub sm: Option<u32>,
}

/// Runs the command.
pub fn run(args: DisasmArgs) -> Result<(), Failure> {
    let bytes = std::fs::read(&args.file).map_err(|e| Failure::read(&args.file, &e))?;
    let name = args.file.display();
    if upset_gcn::container::is_amd(&bytes) {
        return super::disasm_amd::run(&name.to_string(), &bytes, args.kernel.as_deref());
    }
    let named = |e: ContainerError| {
        let f = Failure::from(e);
        Failure::new(f.code, format!("{name}: {}", f.message))
    };
    let modules =
        container::open(&bytes).and_then(|file| modules(&file, args.sm)).map_err(named)?;
    let mut out = String::new();
    let mut found = false;
    for module in &modules {
        let Some(encoding) = Encoding::from_number(module.sm) else {
            return Err(Failure::new(
                failure::LACKING,
                format!("{name}: sm_{} code; supported are {}", module.sm, Encoding::DECODED),
            ));
        };
        if out.is_empty() {
            let _ = writeln!(out, "// {name}, sm_{}", module.sm);
        }
        for section in &module.code {
            if args.kernel.as_ref().is_some_and(|k| *k != section.name) {
                continue;
            }
            found = true;
            let _ = writeln!(out, "\nFunction {}", section.name);
            if let Some(k) = module.kernel(&section.name) {
                let _ = writeln!(
                    out,
                    "// registers {}, shared {} bytes, stack {} bytes, parameters {} bytes at c[0x0][{:#x}], barriers {}",
                    k.registers,
                    k.shared.size,
                    k.stack.frame,
                    k.params.size,
                    k.params.base,
                    k.barriers
                );
            }
            out.push_str(&encoding.listing(&section.code.bytes));
        }
    }
    if !found {
        let sections = modules.iter().flat_map(|m| &m.code);
        let has: Vec<_> = sections.map(|s| s.name.as_str()).collect();
        let message = match args.kernel {
            Some(kernel) => format!("{name} has no kernel {kernel:?}; it has: {}", has.join(", ")),
            None => format!("{name} has no functions"),
        };
        return Err(Failure::new(failure::BAD_INPUT, message));
    }
    print(&out)
}

/// The modules of a file for an architecture, the newest in it unless one is named. A
/// program has one for each of its source files, and one more where they were linked:
/// those that have none for it are passed over, unless none has.
fn modules(file: &Container<'_>, sm: Option<u32>) -> Result<Vec<Module>, ContainerError> {
    let entries = match file {
        Container::Cubin(m) => return file.modules(sm.unwrap_or(m.sm)),
        Container::Fat(entries) => entries,
    };
    let code = entries.iter().filter(|e| e.kind == EntryKind::Elf);
    let sm = sm.or(code.map(|e| e.sm).max()).unwrap_or(0);
    let (mut there, mut lacking) = (Vec::new(), None);
    for entries in entries.chunk_by(|a, b| a.container == b.container) {
        match fatbin::choose(entries, sm) {
            Ok(entry) => there.extend(container::open(&entry.image()?)?.modules(sm)?),
            Err(e) => lacking = lacking.or(Some(e)),
        }
    }
    match lacking {
        Some(e) if there.is_empty() => Err(e),
        _ => Ok(there),
    }
}
