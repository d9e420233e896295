//! Twelve applications under tickets, without SMs of an RTX 2060: the same bytes,
//! and no block on those SMs.

use crate::sources::{APPLICATIONS, kernels};
use rayon::prelude::*;
use std::fs;
use upset_apps::{AppRun, Generator, Scale, Way, find};
use upset_chip::ChipSpec;
use upset_device::Device;
use upset_device::pmu::{Counter, Sampling};
use upset_quarantine::tickets::{Taken, Tickets};

/// SMs of the chip.
const SMS: u32 = 30;

fn chip() -> ChipSpec {
    ChipSpec::preset("rtx2060").unwrap()
}

/// As published, without time: the right bytes do not depend on it.
fn golden(app: &str) -> AppRun {
    let app = find(app).unwrap();
    app.run(&mut Device::new(&chip()).unwrap(), Scale::Small, app.default_seed()).unwrap()
}

/// Under tickets, cycle by cycle, without some SMs.
fn without(app: &str, bad: &[u32]) -> (AppRun, Vec<Taken>, Device) {
    let file = kernels(&format!("quarantine/ticket_{app}/ticket_{app}.sm_75.cubin"));
    let code = fs::read(file).unwrap();
    let mut device = Device::timed(&chip()).unwrap();
    device.start_counting(Sampling::AtEnd).unwrap();
    let mut tickets = Tickets::without(bad);
    let app = find(app).unwrap();
    let way = Way { code: Some(&code), launcher: &mut tickets };
    let run = app.run_by(&mut device, Scale::Small, app.default_seed(), way).unwrap();
    (run, tickets.taken().to_vec(), device)
}

/// Runs it and checks all that is promised.
fn check(app: &str, golden: &AppRun, bad: &[u32]) {
    let (run, taken, device) = without(app, bad);
    assert_eq!(run, *golden, "{app} without {bad:?}");
    assert_eq!(taken.len(), golden.launches.len(), "{app}");
    for (taken, asked) in taken.iter().zip(&golden.launches) {
        let done: u32 = taken.by_sm.iter().sum();
        assert_eq!(done, asked.grid.iter().product::<u32>(), "{app} {}", taken.kernel);
        for &sm in bad {
            assert_eq!(taken.by_sm[sm as usize], 0, "{app} {}: SM {sm}", taken.kernel);
        }
        assert_eq!(taken.attempts, 1, "{app} {}: every SM is reached", taken.kernel);
    }
    // By the chip's own counters: each thread that came to a bad SM waited at
    // one barrier, that of taking a ticket, and left; a block has one more.
    let readings = device.readings();
    let on = |sm: u32, counter| -> u64 {
        readings.iter().flat_map(|r| &r.periods).map(|p| p.sms[sm as usize].get(counter)).sum()
    };
    for &sm in bad {
        let came = on(sm, Counter::ThreadsLaunched);
        assert!(came > 0, "{app}: nothing came to SM {sm}, so nothing was shown");
        assert_eq!(on(sm, Counter::BarArrived), came, "{app}: SM {sm}");
        assert_eq!(on(sm, Counter::ThreadsExited), came, "{app}: SM {sm}");
    }
    let worked =
        (0..SMS).filter(|&sm| on(sm, Counter::BarArrived) > on(sm, Counter::ThreadsLaunched));
    let took = (0..SMS as usize).filter(|&sm| taken.iter().any(|taken| taken.by_sm[sm] > 0));
    assert_eq!(worked.count(), took.count(), "{app}");
}

/// Some SMs of each application: the first, and one that changes with it.
#[test]
fn the_same_bytes_without_two_of_the_sms() {
    for (i, app) in APPLICATIONS.into_iter().enumerate() {
        let golden = golden(app);
        check(app, &golden, &[0]);
        check(app, &golden, &[(7 * i as u32 + 1) % SMS]);
    }
}

/// All of them, and pairs drawn at random.
#[test]
#[ignore = "takes minutes: cargo test -p upset-quarantine -- --ignored --nocapture"]
fn the_same_bytes_without_every_single_sm_and_a_hundred_pairs() {
    let golden: Vec<_> = APPLICATIONS.into_iter().map(golden).collect();
    let mut runs: Vec<(usize, Vec<u32>)> = Vec::new();
    for app in 0..APPLICATIONS.len() {
        runs.extend((0..SMS).map(|sm| (app, vec![sm])));
    }
    let mut generator = Generator::new(17, 0);
    for pair in 0..100 {
        let first = generator.below(SMS);
        let second = (first + 1 + generator.below(SMS - 1)) % SMS;
        runs.push((pair % APPLICATIONS.len(), vec![first, second]));
    }
    assert_eq!(runs.len(), 460);
    runs.par_iter().for_each(|(app, bad)| check(APPLICATIONS[*app], &golden[*app], bad));
    println!("{} runs: the same bytes, no block on a bad SM", runs.len());
}

/// With all but one SM bad, one does everything.
#[test]
fn one_sm_is_enough() {
    let bad: Vec<u32> = (0..SMS).filter(|&sm| sm != 17).collect();
    let (run, taken, _) = without("va", &bad);
    assert_eq!(run, golden("va"));
    assert!(taken.iter().all(|taken| taken.by_sm[17] == taken.blocks));
}

#[test]
fn what_cannot_be_done_is_told() {
    let told = |bad: &[u32]| {
        let code = fs::read(kernels("quarantine/ticket_va/ticket_va.sm_75.cubin")).unwrap();
        let mut device = Device::timed(&chip()).unwrap();
        let way = Way { code: Some(&code), launcher: &mut Tickets::without(bad) };
        let run = find("va").unwrap().run_by(&mut device, Scale::Small, 1, way);
        run.unwrap_err().to_string()
    };
    assert_eq!(told(&(0..SMS).collect::<Vec<_>>()), "all 30 SMs are bad");
    assert_eq!(told(&[256]), "SM 256 is beyond the 256 that tickets know");
}
