//! The GPU as it is now, by `nvidia-smi`.

use std::path::Path;
use std::process::Command;

use upset_quarantine::record::Board;

use crate::failure::{self, Failure};

/// What is asked for, in this order.
const FIELDS: &str = "name,uuid,vbios_version,driver_version,mig.mode.current";

/// What the GPU of a plan is now.
pub fn now(plan: &Board) -> Result<Board, Failure> {
    let lacking = |why: String| {
        Failure::new(
            failure::LACKING,
            format!("the GPU cannot be compared with the plan's: nvidia-smi {why}"),
        )
    };
    let uuid = plan.uuid.as_deref().unwrap_or_default();
    let asked = Command::new("nvidia-smi")
        .args([&format!("--query-gpu={FIELDS}"), "--format=csv,noheader"])
        .output()
        .map_err(|e| lacking(format!("does not run: {e}")))?;
    if !asked.status.success() {
        let told = String::from_utf8_lossy(&asked.stdout).trim().to_string();
        return Err(lacking(format!("says {told:?}")));
    }
    let text = String::from_utf8_lossy(&asked.stdout);
    let found = text.lines().find_map(|line| read(line, plan).filter(|b| b.uuid == plan.uuid));
    found.ok_or_else(|| {
        Failure::new(failure::BAD_INPUT, format!("the plan is for {uuid}, which is not here"))
    })
}

/// One line of `nvidia-smi`.
fn read(line: &str, plan: &Board) -> Option<Board> {
    let mut fields = line.split(", ").map(|field| field.trim().to_string());
    let mut known = || fields.next().filter(|text| !text.starts_with('['));
    Some(Board {
        name: known()?,
        uuid: known(),
        vbios: known(),
        driver: known(),
        mig: known().map(|mode| if mode == "Enabled" { "on" } else { "off" }.to_string()),
        mps: Some(if mps() { "on" } else { "off" }.to_string()),
        kind: plan.kind.clone(),
        sms: plan.sms,
    })
}

/// Whether programs started here would compute through the multi-process
/// service: its daemon has a pipe for them.
fn mps() -> bool {
    let folder = std::env::var_os("CUDA_MPS_PIPE_DIRECTORY");
    let folder = folder.unwrap_or_else(|| "/tmp/nvidia-mps".into());
    Path::new(&folder).join("control").exists()
}
