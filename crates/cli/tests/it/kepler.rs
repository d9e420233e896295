//! GTX Titan runs its own machine code.

use crate::cuda_programs::executable;
use crate::{code, stderr, stdout, upset};

const PAPERS: [&str; 12] =
    ["va", "sp", "hs", "km", "srad1", "srad2", "lud", "bfs", "pathf", "nw", "ge", "bp"];

fn output(app: &str, chip: &str, more: &[&str]) -> serde_json::Value {
    let o = upset(&[&["run", app, "--chip", chip, "--json", "-"], more].concat());
    assert_eq!(code(&o), 0, "{app} on {chip}: {}", stderr(&o));
    let told: serde_json::Value = serde_json::from_str(&stdout(&o)).expect("JSON");
    told["output_digest"].clone()
}

/// Compilers make the same floating-point instructions of these for sm_35 and
/// sm_70, so the results are the same to the bit.
#[test]
fn the_papers_applications_give_on_titan_what_they_give_on_gv100() {
    for app in PAPERS {
        let there = output(app, "gv100", &["--functional"]);
        assert!(there.as_str().is_some_and(|digest| digest.len() == 32), "{there}");
        assert_eq!(output(app, "titan", &["--functional"]), there, "{app}, functional");
        assert_eq!(output(app, "titan", &[]), there, "{app}, with timing");
    }
}

/// Calls through tables of functions, with faults in registers and in what this
/// machine alone has: what was not simulated is what a run from its start gives.
#[test]
fn campaigns_over_programs_with_code_of_sm_35_are_exact() {
    let Some(program) = executable("virtual_functions") else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("titan.db");
    let [store, program] = [&store, &program].map(|path| path.to_str().expect("a path"));
    let flags = ["--chip", "titan", "--structure", "rf,stack,sdepth,tstate,cc"];
    let counts = ["--sampling", "active", "--runs", "3", "--quiet", "--out", store];
    let out = upset(&[&["campaign"], &flags[..], &counts, &["--", program]].concat());
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let out = upset(&["verify", store, "-q"]);
    let text = stdout(&out);
    assert_eq!(code(&out), 0, "{text}{}", stderr(&out));
    // Three kernels, five structures.
    assert!(text.starts_with("45 experiments run again") && text.contains(": 0 differ"), "{text}");
}
