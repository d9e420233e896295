//! The device side: `kernels/syscalls`, compiled, linked into modules.

use std::collections::BTreeSet;

use upset_sass::container::{self, ContainerError, Module};

/// Symbol `upset_X` of the library defines extern `X`.
const PREFIX: &str = "upset_";
/// The variable that the device side and the host side share.
pub const CONTROL: &str = "upset_control";

/// Compute capability and code, in rising order.
const LIBRARIES: [(u32, &[u8]); 5] = [
    (35, include_bytes!("../../../../../kernels/syscalls/syscalls.sm_35.cubin")),
    (70, include_bytes!("../../../../../kernels/syscalls/syscalls.sm_70.cubin")),
    (75, include_bytes!("../../../../../kernels/syscalls/syscalls.sm_75.cubin")),
    (80, include_bytes!("../../../../../kernels/syscalls/syscalls.sm_80.cubin")),
    (90, include_bytes!("../../../../../kernels/syscalls/syscalls.sm_90.cubin")),
];

/// What the functions that were linked in work on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Linked {
    /// Some write records.
    pub records: bool,
    /// Some use the heap.
    pub heap: bool,
}

/// Adds the functions that a module leaves undefined and the library has.
pub fn link(module: &mut Module) -> Result<Linked, ContainerError> {
    if module.relocatable || module.undefined().is_empty() {
        return Ok(Linked::default());
    }
    // Older code runs on newer chips, so the module's own version decides.
    let Some((_, image)) = LIBRARIES.iter().rev().find(|(sm, _)| *sm <= module.sm) else {
        return Ok(Linked::default());
    };
    let library = container::cubin::parse(image)?;
    let linked: BTreeSet<String> = module.link(&library, PREFIX)?;
    let any = |names: &[&str]| names.iter().any(|&n| linked.contains(n));
    Ok(Linked {
        records: any(&["vprintf", "__assertfail"]),
        heap: any(&["malloc", "free", "__nv_aligned_device_malloc_impl"]),
    })
}
