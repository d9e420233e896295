//! A store that is followed while it is written.

use std::fs;

use upset_store::*;

use crate::samples::*;

fn all(_: &mut Experiment) {}

/// What is known is what the store holds.
fn assert_up_to_date(follower: &Follower) {
    let read = Store::read(follower.path()).unwrap();
    assert_eq!(follower.results(), Some(&read));
}

#[test]
fn what_is_new_is_told_once() {
    let (_dir, path) = place();
    let mut follower = Follower::new(&path);
    assert!(matches!(follower.look(&all), Err(StoreError::Missing { .. })));
    let mut store = planned(&path);
    store.put(&experiments(0, 5..8)).unwrap();
    assert_eq!(follower.look(&all).unwrap().unwrap(), [(0, 5), (0, 6), (0, 7)]);
    assert_up_to_date(&follower);
    assert_eq!(follower.look(&all).unwrap(), None);
    // Between, before, after, and of another stratum.
    store.put(&experiments(3, 0..1500)).unwrap();
    store.put(&experiments(0, [0, 1, 9, 4])).unwrap();
    let new = follower.look(&all).unwrap().unwrap();
    assert_eq!(new.len(), 1504);
    assert_eq!(new[..5], [(0, 0), (0, 1), (0, 4), (0, 9), (3, 0)]);
    assert_up_to_date(&follower);
}

#[test]
fn it_goes_on_through_the_end_of_the_campaign_and_its_removal() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    store.put(&experiments(1, 0..9)).unwrap();
    let mut follower = Follower::new(&path);
    follower.look(&all).unwrap();
    assert!(follower.is_written());
    // The end writes the file anew, in another one's place.
    store.finish().unwrap();
    drop(store);
    assert_eq!(follower.look(&all).unwrap().unwrap(), []);
    assert!(follower.results().unwrap().complete && !follower.is_written());
    assert_up_to_date(&follower);
    // Begun anew, with less.
    fs::remove_file(&path).unwrap();
    assert!(matches!(follower.look(&all), Err(StoreError::Missing { .. })));
    assert_eq!(follower.results().unwrap().experiments.len(), 9);
    let mut store = planned(&path);
    store.put(&experiments(1, 3..4)).unwrap();
    follower.look(&all).unwrap();
    assert_up_to_date(&follower);
}

#[test]
fn what_a_stop_drops_is_dropped() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    store.put(&experiments(2, 0..20)).unwrap();
    let mut follower = Follower::new(&path);
    follower.look(&all).unwrap();
    store.set_stop(2, 12).unwrap();
    assert_eq!(follower.look(&all).unwrap().unwrap(), []);
    assert_up_to_date(&follower);
}

#[test]
fn nothing_is_written_and_the_writer_is_not_kept_waiting() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    let mut follower = Follower::new(&path);
    for n in 0..50 {
        store.put(&experiments(0, n..n + 1)).unwrap();
        assert_eq!(follower.look(&all).unwrap().unwrap(), [(0, n)]);
    }
    assert_eq!(files(&path), ["campaign.db", "campaign.db-lock"]);
    let digest = store.finish().unwrap();
    drop(store);
    // As if nobody had looked.
    let (_other, alone) = place();
    let mut store = planned(&alone);
    store.put(&experiments(0, 0..50)).unwrap();
    assert_eq!(store.finish().unwrap(), digest);
    assert_eq!(fs::read(&path).unwrap(), fs::read(&alone).unwrap());
}

#[test]
fn what_is_not_kept_is_gone() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    store.put(&experiments(0, 0..3)).unwrap();
    let mut follower = Follower::new(&path);
    follower.look(&|e: &mut Experiment| e.fault = String::new()).unwrap();
    assert!(follower.results().unwrap().experiments.iter().all(|e| e.fault.is_empty()));
}

#[test]
fn damage_is_told_and_what_was_known_stays() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    store.put(&experiments(0, 0..300)).unwrap();
    let mut follower = Follower::new(&path);
    follower.look(&all).unwrap();
    drop(store);
    fs::write(&path, "not a store").unwrap();
    let e = follower.look(&all).unwrap_err();
    assert!(e.is_input(), "{e}");
    assert_eq!(follower.results().unwrap().experiments.len(), 300);
}
