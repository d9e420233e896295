//! Whatever a store holds, the report is whole.

use proptest::prelude::*;
use upset_metrics::Class;
use upset_report::{Options, RawFit, RawFits, Report};
use upset_store::Results;

use crate::fixture::{experiment, header, stratum, subject};
use crate::html::assert_balanced;

type Strata = Vec<(u8, u8, f64, Vec<(u8, Option<bool>)>)>;

/// Strata that differ in structure, kernel, window, derating and results.
fn store(strata: &Strata, seed: u64) -> Results {
    let subject = subject(0, "hs", "rtx2060");
    let mut results = Results {
        shard: None,
        file: "a.db".into(),
        complete: false,
        intents: vec![],
        header: header(seed),
        subjects: vec![subject.clone()],
        strata: vec![],
        experiments: vec![],
    };
    for (id, (structure, place, derating, outcomes)) in (0..).zip(strata) {
        let name = ["rf", "smem", "l2", "l2.tag", "rf+l2", "nowhere"][usize::from(structure % 6)];
        let mut s = stratum(
            id,
            &subject,
            &subject.profile.kernels[0],
            name,
            1 + u32::from(structure / 128),
        );
        match place % 4 {
            0 => {}
            1 => s.kernel = None,
            2 => s.window = "launch 1".into(),
            _ => s.stop_at_failures = 2,
        }
        s.derating = *derating;
        if place / 4 % 2 == 0 {
            s.planned = outcomes.len() as u64;
        }
        for (number, (class, reached)) in (0..).zip(outcomes) {
            let class = Class::ALL[usize::from(class % 6)];
            let mut e = experiment(id, number, class, format!("{name}:sm0.byte{number}.bit1@3"));
            e.reached = *reached;
            results.experiments.push(e);
        }
        results.strata.push(s);
    }
    results
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn nothing_is_lost_and_nothing_breaks(
        strata in prop::collection::vec(
            (any::<u8>(), any::<u8>(), prop_oneof![Just(0.0), Just(1.0), 0.0f64..1.0],
             prop::collection::vec((any::<u8>(), any::<Option<bool>>()), 0..12)),
            0..8,
        ),
        fit in any::<bool>(),
    ) {
        let options = Options {
            raw_fit: fit.then(|| RawFits::One(RawFit::parse("sifi", None).unwrap())),
            ecc: vec!["smem=parity:8".parse().unwrap(), "l2=secded:64/2".parse().unwrap()],
            ..Options::default()
        };
        let results = store(&strata, 1);
        let report = Report::new(std::slice::from_ref(&results), &options);
        // Strata that are alike in everything are one sample: their numbers count once.
        prop_assert!(report.runs() <= results.experiments.len() as u64);
        for row in report.panels.iter().flat_map(|p| &p.rows) {
            prop_assert_eq!(row.counts.runs(), row.runs);
            for e in row.avf_estimate().into_iter().chain(row.hvf_estimate()) {
                let value = e.value.unwrap_or(e.low);
                prop_assert!(0.0 <= e.low && e.low <= value && value <= e.high && e.high <= 1.0);
            }
        }
        for panel in &report.panels {
            for p in &panel.ecc {
                let found = p.corrected + p.detected + p.unread + p.perhaps + p.unknown;
                prop_assert_eq!(found + p.escaped.runs() + p.unprotected.runs(), p.n);
            }
            if let Some(e) = panel.total.as_ref().and_then(|t| t.avf) {
                let value = e.value.unwrap_or(e.low);
                prop_assert!(0.0 <= e.low && e.low <= value && value <= e.high && e.high <= 1.0 + 1e-9);
            }
        }
        let page = report.html();
        assert_balanced(&page);
        prop_assert!(!page.contains("NaN\"") && !page.contains(">NaN"));
        prop_assert!(!report.text().contains("NaN"));
    }
}
