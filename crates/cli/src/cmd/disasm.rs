//! `upset disasm`.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use upset_sass::Encoding;
use upset_sass::container::fatbin::EntryKind;
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
    let module = container::open(&bytes)
        .and_then(|file| match args.sm {
            Some(sm) => file.module(sm),
            None => newest(file),
        })
        .map_err(named)?;
    let Some(encoding) = Encoding::from_number(module.sm) else {
        return Err(Failure::new(
            failure::LACKING,
            format!("{name}: sm_{} code; supported are {}", module.sm, Encoding::DECODED),
        ));
    };
    let mut out = format!("// {name}, sm_{}\n", module.sm);
    let mut found = false;
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
                k.registers, k.shared.size, k.stack.frame, k.params.size, k.params.base, k.barriers
            );
        }
        out.push_str(&encoding.listing(&section.code.bytes));
    }
    if !found {
        let has: Vec<_> = module.code.iter().map(|s| s.name.as_str()).collect();
        return Err(Failure::new(
            failure::BAD_INPUT,
            format!(
                "{name} has no kernel {:?}; it has: {}",
                args.kernel.unwrap_or_default(),
                has.join(", ")
            ),
        ));
    }
    print(&out)
}

/// The module of the newest architecture in the file.
fn newest(file: Container<'_>) -> Result<Module, ContainerError> {
    let sm = match &file {
        Container::Cubin(m) => m.sm,
        Container::Fat(entries) => {
            entries.iter().filter(|e| e.kind == EntryKind::Elf).map(|e| e.sm).max().unwrap_or(0)
        }
    };
    file.module(sm)
}
