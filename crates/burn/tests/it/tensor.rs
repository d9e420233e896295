//! Tensor cores of three generations.

use upset_burn::Injection;
use upset_burn::classify::Class;
use upset_burn::record::State;

use crate::{burn, small_of};

#[test]
fn tensor_cores_of_every_generation_pass() {
    for chip in ["gv100", "rtx2060", "h200"] {
        let record = burn(&mut small_of(chip, 2), &["tensor", "tensor-vote"], None);
        for test in &record.tests {
            assert_eq!(test.state, State::Passed, "{chip} {}: {}", test.name, test.why);
            assert_eq!(test.lanes, 2 * 4 * 32, "{chip} {}", test.name);
            assert!(test.results > 0);
        }
        let notes = &record.tests[0].notes;
        assert_eq!(notes.iter().any(|n| n.contains("no integer")), chip == "gv100", "{notes:?}");
    }
}

#[test]
fn wrong_products_are_located() {
    for chip in ["gv100", "rtx2060", "h200"] {
        let made = Injection { sm: 1, sub_core: 2, lane: 13, mask: 1 << 21, period: 5 };
        let record = burn(&mut small_of(chip, 2), &["tensor"], Some(made));
        let v = record.verdict.expect("found");
        assert_eq!((v.class, &v.sms[..]), (Class::Lane, &[1][..]), "{chip}: {}", v.evidence);
        assert_eq!((&v.sub_cores[..], &v.lanes[..]), (&[2][..], &[13][..]), "{chip}");
        assert_eq!(v.bits, 1 << 21, "{chip}");
    }
}

/// Of three SMs two are right; of two, other sub-cores of the SM.
#[test]
fn the_vote_finds_the_one_that_differs() {
    for sms in [2, 3] {
        let made = Injection { sm: sms - 1, sub_core: 1, lane: 30, mask: 1, period: 3 };
        let record = burn(&mut small_of("rtx2060", sms), &["tensor-vote"], Some(made));
        let v = record.verdict.expect("found");
        let found = (v.class, &v.sms[..], v.bits);
        assert_eq!(found, (Class::Lane, &[sms - 1][..], 1), "{}", v.evidence);
        assert_eq!((&v.sub_cores[..], &v.lanes[..]), (&[1][..], &[30][..]));
    }
}
