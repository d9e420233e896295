//! The command that makes a silent corruption again.

use upset_metrics::Class;
use upset_report::{Options, Report};
use upset_store::{Intent, Results};

use crate::fixture::{experiment, header, stratum, subject};

/// One silent corruption of a campaign with this specification.
fn results(spec: &str, command: &[&str]) -> Results {
    let mut subject = subject(0, "hs", "ours");
    if !command.is_empty() {
        subject.command = command.iter().map(|w| w.to_string()).collect();
        subject.scale = String::new();
    }
    let mut stratum = stratum(0, &subject, &subject.profile.kernels[0], "rf", 1);
    stratum.planned = 1;
    let intent = Intent {
        id: 0,
        subject: 0,
        app: subject.app.clone(),
        scale: subject.scale.clone(),
        chip: "my chips/ours.toml".into(),
        kernel: "each".into(),
        window: String::new(),
        structure: "rf".into(),
        bits: 1,
        model: "flip".into(),
        sampling: "physical".into(),
        planned: 1,
        stop_at_failures: 0,
        stop_at_margin: None,
    };
    let mut header = header(3);
    header.spec = spec.into();
    Results {
        shard: None,
        file: "one.db".into(),
        complete: true,
        intents: vec![intent],
        header,
        subjects: vec![subject],
        strata: vec![stratum],
        experiments: vec![experiment(0, 0, Class::Sdc, "rf:sm0.row1.bit2@3".into())],
    }
}

fn command(spec: &str, program: &[&str]) -> String {
    let json = Report::new(&[results(spec, program)], &Options::default()).json();
    json["totals"][0]["worst_sdcs"][0]["command"].as_str().unwrap().to_string()
}

#[test]
fn all_that_decides_on_the_outcome_is_in_it() {
    let usual =
        "limit = 2.0\ntolerance = 0.0\ncompare = \"outputs\"\nset = []\nelements = \"u32\"\n";
    assert_eq!(
        command(usual, &[]),
        "upset inject hs --chip 'my chips/ours.toml' --scale paper --fault 'rf:sm0.row1.bit2@3'"
    );
    let other = "limit = 3.0\ntolerance = 0.5\ncompare = \"results\"\nset = [\"sm.count=4\", \"l2.ways=2\"]\n\
                 input_seed = 9\nelements = \"f32\"\n";
    assert_eq!(
        command(other, &[]),
        "upset inject hs --chip 'my chips/ours.toml' --set sm.count=4 --set l2.ways=2 --scale paper --seed 9 \
         --limit 3 --tolerance 0.5 --compare results --fault 'rf:sm0.row1.bit2@3'"
    );
}

#[test]
fn programs_have_their_own_words() {
    let spec = "limit = 2.5\ncompare = \"files\"\nfiles = [\"a.bin\", \"b.bin\"]\nelements = \"f32\"\n\
                success = \"all right\"\nreal_clock = true\n";
    assert_eq!(
        command(spec, &["./prog", "-n", "two words"]),
        "upset inject --chip 'my chips/ours.toml' --limit 2.5 --compare files --elements f32 \
         --success 'all right' --files a.bin,b.bin --fault 'rf:sm0.row1.bit2@3' --real-clock \
         -- ./prog -n 'two words'"
    );
}
