//! CTAs come, meet at barriers and go.

use upset_isa::Mask;
use upset_state::{Access, Kind, Quiet, Watch};

use crate::testing::Bench;

fn admit(bench: &mut Bench, index: u64) -> bool {
    bench.now += 1000;
    bench.with(&mut Quiet, |sm, cx| sm.admit(index, cx))
}

/// All threads of a CTA's warps exit.
fn finish(bench: &mut Bench, cta: usize) {
    let slots = bench.sm.ctas[cta].as_ref().expect("a CTA").slots.clone();
    for slot in slots {
        bench.sm.warps[slot as usize].flow.live = 0;
        bench.sm.warps[slot as usize].flow.active = 0;
        bench.with(&mut Quiet, |sm, cx| sm.retire_if_done(slot, cx));
    }
    bench.now += 1000;
    bench.with(&mut Quiet, |sm, cx| sm.step(cx)).expect("no trap");
}

#[test]
fn a_cta_takes_what_it_needs_and_gives_it_back() {
    let mut bench = Bench::new(80, 32, 1024);
    assert!(admit(&mut bench, 5));
    let cta = bench.sm.ctas[0].clone().expect("resident");
    assert_eq!((cta.index, cta.slots.len(), cta.ended, cta.threads), (5, 3, false, 80));
    // The last warp has 16 of its 32 threads.
    let masks: Vec<Mask> =
        cta.slots.iter().map(|s| bench.sm.warps[*s as usize].flow.live).collect();
    assert_eq!(masks, [!0, !0, 0xffff]);
    // No two warps of a sub-core share rows.
    let rows: Vec<u32> = cta.slots.iter().map(|s| bench.sm.warps[*s as usize].rows).collect();
    assert_eq!(rows, [32; 3]);
    assert_eq!((bench.sm.threads, bench.sm.shared.room.find(1)), (80, Some(1024)));
    finish(&mut bench, 0);
    assert!(bench.sm.ctas[0].is_none() && bench.sm.warps.iter().all(|w| !w.held));
    assert_eq!((bench.sm.threads, bench.sm.shared.room.find(1)), (0, Some(0)));
    assert!(bench.sm.files.iter().all(|f| f.room.find(1) == Some(0)));
    assert_eq!((bench.sm.ended, bench.sm.vacated), (1, true));
}

#[test]
fn an_sm_is_full_when_anything_is_used_up_and_keeps_nothing_of_who_did_not_fit() {
    let slots = Bench::new(32, 16, 0).config.ctas as usize;
    // Threads, registers, shared memory, slots: each is the limit once.
    for (threads, registers, shared, most) in
        [(512, 16, 0, 2), (128, 128, 0, 4), (32, 16, 30 << 10, 2), (32, 16, 0, slots)]
    {
        let mut bench = Bench::new(threads, registers, shared);
        let admitted = (0..40).filter(|i| admit(&mut bench, *i)).count();
        assert_eq!(admitted, most, "{threads} threads, {registers} registers, {shared} bytes");
        for cta in 0..most {
            finish(&mut bench, cta);
        }
        assert!(bench.sm.files.iter().all(|f| f.room.taken().iter().all(|t| !t)));
        assert!(bench.sm.shared.room.taken().iter().all(|t| !t));
    }
}

#[test]
fn between_two_ctas_an_sm_takes_its_time() {
    let mut bench = Bench::new(32, 16, 0);
    assert!(bench.with(&mut Quiet, |sm, cx| sm.admit(0, cx)));
    assert!(!bench.with(&mut Quiet, |sm, cx| sm.admit(1, cx)));
    bench.now = bench.sm.next_admission;
    assert!(bench.with(&mut Quiet, |sm, cx| sm.admit(1, cx)));
}

#[test]
fn who_watches_hears_what_is_given_and_given_back() {
    let told = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let list = told.clone();
    let mut probe = Watch::observe(move |e| {
        if matches!(e.access, Access::Allocate | Access::Release) {
            list.lock().unwrap().push((e.array.kind, e.access));
        }
    });
    let mut bench = Bench::new(32, 16, 256);
    assert!(bench.with(&mut probe, |sm, cx| sm.admit(0, cx)));
    let count =
        |kind, access| told.lock().unwrap().iter().filter(|e| **e == (kind, access)).count();
    assert_eq!(count(Kind::Rf, Access::Allocate), 16);
    assert_eq!(count(Kind::Smem, Access::Allocate), 256);
    bench.sm.warps[0].flow.live = 0;
    bench.with(&mut probe, |sm, cx| sm.retire_if_done(0, cx));
    bench.now += 1000;
    bench.with(&mut probe, |sm, cx| sm.step(cx)).expect("no trap");
    assert_eq!(count(Kind::Rf, Access::Release), 16);
    assert_eq!(count(Kind::Smem, Access::Release), 256);
}

/// A warp arrives at barrier 0 with all its threads and is parked there.
fn arrive(bench: &mut Bench, warp: usize) {
    let cta = bench.sm.ctas[0].as_mut().expect("a CTA");
    let slot = cta.slots[warp] as usize;
    let flow = &mut bench.sm.warps[slot].flow;
    let who = flow.active;
    flow.park_at_cta_barrier(who, 0, 16);
    cta.barriers.arrive(0, warp, who, None, None);
    bench.with(&mut Quiet, |sm, cx| sm.settle(0, cx));
}

fn parked(bench: &Bench) -> Vec<bool> {
    let slots = &bench.sm.ctas[0].as_ref().expect("a CTA").slots;
    slots.iter().map(|s| bench.sm.warps[*s as usize].flow.at_cta_barrier(0) != 0).collect()
}

#[test]
fn a_barrier_opens_when_its_counter_says_so() {
    let mut bench = Bench::new(96, 16, 0);
    assert!(admit(&mut bench, 0));
    arrive(&mut bench, 2);
    arrive(&mut bench, 0);
    assert_eq!((bench.sm.bars[0][0].arrived, parked(&bench)), (64, vec![true, false, true]));
    arrive(&mut bench, 1);
    assert_eq!((bench.sm.bars[0][0].arrived, parked(&bench)), (0, vec![false; 3]));
}

#[test]
fn a_wrong_counter_lets_them_through_too_early() {
    let mut bench = Bench::new(96, 16, 0);
    assert!(admit(&mut bench, 0));
    // As if one warp had been counted that never came.
    bench.sm.bars[0][0].arrived = 32;
    arrive(&mut bench, 0);
    arrive(&mut bench, 1);
    assert_eq!(parked(&bench), vec![false; 3]);
}
