//! What workers are told first.

use crate::golden::{Golden, limit_of};
use crate::spec::Spec;
use crate::wire::Setup;
use crate::workload::Workload;

/// What workers are told of a subject.
pub(crate) fn setup(
    spec: &Spec,
    app: usize,
    chip: usize,
    target: &Workload,
    golden: &Golden,
    seconds: u64,
) -> Setup {
    Setup {
        spec: spec.to_toml(),
        app,
        chip,
        cycles: golden.cycles,
        limit: limit_of(golden.cycles, spec.limit),
        output_digest: golden.output_digest.clone(),
        // Far beyond what the cycle limit allows: only a host that hangs gets there.
        processor_seconds: 120 + 60 * seconds,
        walk: false,
        holds: false,
        golden_bytes: 0,
        notes_bytes: 0,
        program: target.program(),
    }
}
