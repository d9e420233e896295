//! GTX Titan runs its own machine code.

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
