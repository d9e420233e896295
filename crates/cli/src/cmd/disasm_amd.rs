//! `upset disasm` of AMD's code objects and binaries of its APP SDK.

use std::fmt::Write;

use upset_gcn::container::{self, ContainerError};

use crate::failure::{self, Failure, print};

/// Prints the kernels of a file, or one of them.
pub fn run(name: &str, bytes: &[u8], only: Option<&str>) -> Result<(), Failure> {
    let module = container::parse(bytes).map_err(|e| {
        let code = match e {
            ContainerError::OtherTarget { .. }
            | ContainerError::OtherVersion { .. }
            | ContainerError::OtherMetadata { .. } => failure::LACKING,
            _ => failure::BAD_INPUT,
        };
        Failure::new(code, format!("{name}: {e}"))
    })?;
    let mut out = format!("// {name}, gfx6\n");
    let mut found = false;
    for kernel in module.kernels.iter().filter(|k| only.is_none_or(|name| k.name == name)) {
        found = true;
        let abi = &kernel.abi;
        let _ = writeln!(
            out,
            "\nKernel {}\n// vector registers {}, scalar registers {}, LDS {} bytes, scratch {} bytes, arguments {} bytes",
            kernel.name,
            abi.vgprs(),
            abi.sgprs(),
            abi.lds_bytes(),
            abi.scratch_bytes(),
            abi.argument_bytes()
        );
        let given: Vec<String> = abi.startup().iter().map(|s| s.to_string()).collect();
        let _ = writeln!(out, "// {}", given.join(", "));
        out.push_str(&upset_gcn::listing(&module, kernel));
    }
    if !found {
        let has: Vec<&str> = module.kernels.iter().map(|k| k.name.as_str()).collect();
        let text = format!(
            "{name} has no kernel {:?}; it has: {}",
            only.unwrap_or_default(),
            has.join(", ")
        );
        return Err(Failure::new(failure::BAD_INPUT, text));
    }
    print(&out)
}
