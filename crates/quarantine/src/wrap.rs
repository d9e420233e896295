//! Puts a CUDA source under `kernels/quarantine/ticket.cuh`, without touching it.
//!
//! The source is included with `__global__` meaning a device function and
//! `blockIdx` and `gridDim` meaning what the ticket says; each of its kernels
//! comes back under its own name as a loop over tickets.

use crate::cuda_source::{Kernel, Refusal, kernels};
use std::fmt::Write;

/// What a program may use of the hardware's own grid, and why it has no ticket
/// form.
const REFUSED: [(&str, &str); 7] = [
    ("__cluster_dims__", "clusters are placed by the hardware as one"),
    ("cluster_group", "clusters are placed by the hardware as one"),
    ("this_cluster", "clusters are placed by the hardware as one"),
    ("this_grid", "a barrier over the grid waits for blocks that nobody has taken yet"),
    ("grid_group", "a barrier over the grid waits for blocks that nobody has taken yet"),
    ("cudaLaunchCooperativeKernel", "a cooperative launch must have all its blocks resident"),
    ("cudaLaunchDevice", "a launch from the device goes where the hardware puts it"),
];

/// The text that puts `source`, a file called `file`, under tickets.
pub fn wrap(file: &str, source: &str) -> Result<String, Refusal> {
    let found = kernels(source, &REFUSED)?;
    let mut text = format!(
        "// {file} under tickets (ticket.cuh). Written by `upset quarantine wrap`.\n\
         #include \"ticket.cuh\"\n\n\
         #pragma push_macro(\"__global__\")\n\
         #undef __global__\n\
         #define __global__ __device__ __forceinline__\n\
         #define blockIdx upset_block.index\n\
         #define gridDim upset_block.grid\n"
    );
    let _ = writes(&mut text, file, &found);
    Ok(text)
}

fn writes(text: &mut String, file: &str, found: &[Kernel]) -> std::fmt::Result {
    for kernel in found {
        writeln!(text, "#define {0} UPSET_TICKET_BODY({0})", kernel.name)?;
    }
    writeln!(text, "#include \"{file}\"")?;
    for kernel in found {
        writeln!(text, "#undef {}", kernel.name)?;
    }
    text.push_str("#undef gridDim\n#undef blockIdx\n#pragma pop_macro(\"__global__\")\n");
    for kernel in found {
        let parameters: Vec<_> = kernel.parameters.iter().map(|p| p.text.as_str()).collect();
        let arguments: Vec<_> = kernel.parameters.iter().map(|p| p.name.as_str()).collect();
        // The list goes before the tickets.
        let comma = if parameters.is_empty() { "" } else { "," };
        writeln!(
            text,
            "\nUPSET_TICKET_KERNEL({}, {},\n    ({}{comma}),\n    ({}))",
            kernel.prefix,
            kernel.name,
            parameters.join(", "),
            arguments.join(", ")
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_comes_back_under_its_name() {
        let source = "extern \"C\" __global__ void k(int *a, const float b[4])\n{\n}\n";
        let text = wrap("k.cu", source).unwrap();
        assert!(text.contains("#define k UPSET_TICKET_BODY(k)\n#include \"k.cu\"\n#undef k\n"));
        let kernel = "UPSET_TICKET_KERNEL(extern \"C\" __global__ void, k,\n    \
                      (int *a, const float b[4],),\n    (a, b))\n";
        assert!(text.ends_with(kernel), "{text}");
        let none = wrap("k.cu", "__global__ void none() {}").unwrap();
        assert!(none.ends_with("(__global__ void, none,\n    (),\n    ())\n"), "{none}");
    }

    #[test]
    fn what_has_no_ticket_form_is_refused_with_its_line() {
        let told = |source: &str| wrap("k.cu", source).unwrap_err().to_string();
        let grid = told("\n__global__ void k() { auto g = cg::this_grid(); g.sync(); }");
        assert_eq!(
            grid,
            "line 2 uses this_grid: a barrier over the grid waits for blocks that nobody has \
             taken yet, so it has no ticket form"
        );
        let cluster = told("__global__ void __cluster_dims__(2, 1, 1) k() {}");
        assert!(cluster.starts_with("line 1 uses __cluster_dims__: clusters"), "{cluster}");
        // In a comment it is not used.
        assert!(wrap("k.cu", "// this_grid\n__global__ void k() {}").is_ok());
    }
}
