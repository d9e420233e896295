//! Applications on AMD's compute units.

use upset_apps::Scale;
use upset_chip::ChipSpec;

use crate::claims::Bench;

/// Arrays that are analysed.
const KINDS: [(&str, usize); 10] = [
    ("vrf", 1200),
    ("srf", 1200),
    ("lds", 600),
    ("scc", 60),
    ("m0", 60),
    ("ibuf", 60),
    ("l1v", 60),
    ("l1s", 60),
    ("l1i", 60),
    ("l2", 60),
];

/// Checks the claims about an application on one compute unit.
fn check(app: &str) {
    let app = upset_apps::find(app).expect("an application");
    let chip = ChipSpec::load("hd7970", &["cu.count=1".to_string()]).expect("a chip");
    let run = |device: &mut upset_device::Device| {
        let run = app.run(device, Scale::Small, app.default_seed()).ok()?;
        Some(format!("{:?}", run.outputs))
    };
    let name = app.id().to_string();
    // More flips: UPSET_FLIPS=N.
    let most = std::env::var("UPSET_FLIPS").ok().and_then(|n| n.parse().ok()).unwrap_or(50);
    let tried = Bench { name, chip: &chip, run: &run, kinds: &KINDS }.check(1, most);
    assert!(tried.refined > 10 && tried.plain > 10 && tried.counted.1 > 0, "{tried:?}");
}

/// A test for each application.
macro_rules! nothing_harmful_is_left_out_of {
    ($($app:ident)*) => {
        $(#[test]
        fn $app() {
            check(stringify!($app));
        })*
    };
}

mod nothing_harmful_is_left_out_of {
    use super::check;

    nothing_harmful_is_left_out_of! { bins bits dct dwt fwt fw his mm mt qrs rg red sc urng }
}
