//! A store from its making to its end.

use std::fs;

use upset_metrics::Class;
use upset_store::*;

use crate::samples::*;

#[test]
fn what_is_put_is_there() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    store.put(&experiments(0, 0..50)).unwrap();
    store.put(&experiments(3, (0..10).rev())).unwrap();
    assert_eq!(store.experiments(0).unwrap(), experiments(0, 0..50));
    assert_eq!(store.experiments(3).unwrap(), experiments(3, 0..10));
    assert_eq!(store.experiments(1).unwrap(), []);
    assert_eq!(
        store.done(3).unwrap()[..3],
        [(0, Class::Masked), (1, Class::Performance), (2, Class::Sdc)]
    );
    assert_eq!(store.subjects().unwrap(), [subject(0), subject(1)]);
    assert_eq!(store.strata().unwrap()[3], stratum(3, 1));
    drop(store);
    let store = Store::open(&path).unwrap();
    assert_eq!(store.header(), &header());
    assert_eq!(store.experiments(3).unwrap(), experiments(3, 0..10));
}

#[test]
fn reading_gives_everything_while_a_campaign_runs() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    store.put(&experiments(2, 0..5)).unwrap();
    let seen = Store::read(&path).unwrap();
    assert_eq!(seen.header, header());
    assert_eq!(seen.subjects.len(), 2);
    assert_eq!(seen.strata.len(), 4);
    assert_eq!(seen.experiments, experiments(2, 0..5));
    assert_eq!(seen.file, path.display().to_string());
    store.put(&experiments(2, 5..6)).unwrap();
    assert_eq!(Store::read(&path).unwrap().experiments, experiments(2, 0..6));
}

#[test]
fn the_same_again_is_ignored() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    store.put(&experiments(0, 0..5)).unwrap();
    let digest = store.digest().unwrap();
    store.put(&experiments(0, 0..5)).unwrap();
    store.put_subject(&subject(0)).unwrap();
    store.put_strata(&[stratum(1, 0)]).unwrap();
    assert_eq!(store.digest().unwrap(), digest);
    assert_eq!(store.done(0).unwrap().len(), 5);
}

#[test]
fn something_else_in_its_place_is_an_error_that_names_both_and_changes_nothing() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    store.put(&experiments(0, 0..5)).unwrap();
    let mut other = experiment(0, 3);
    other.cycles = 7;
    other.class = Class::Masked;
    let e = store.put(&[experiment(0, 9), other]).unwrap_err();
    assert!(!e.is_input());
    let text = e.to_string();
    let wanted = "experiment 3 of stratum 0: class was \"crash\", is now \"masked\"; \
                  cycles was 10003, is now 7";
    assert!(text.ends_with(wanted), "{text}");
    assert_eq!(store.experiments(0).unwrap(), experiments(0, 0..5));

    let mut other = subject(1);
    other.profile.cycles += 1;
    assert!(matches!(store.put_subject(&other), Err(StoreError::Conflict { .. })));
    let mut other = stratum(1, 0);
    other.derating = 0.5;
    assert!(matches!(store.put_strata(&[other]), Err(StoreError::Conflict { .. })));
    drop(store);
    Store::open(&path).unwrap();
}

#[test]
fn what_belongs_to_nothing_is_refused() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    for (what, result) in [
        ("no subject 9", store.put_strata(&[stratum(4, 9)])),
        ("no stratum 9", store.put(&experiments(9, 0..1))),
        ("only 1000000 are planned", store.put(&experiments(0, [1_000_000]))),
        ("beyond what is planned", store.set_stop(0, 1_000_001)),
    ] {
        let text = result.unwrap_err().to_string();
        assert!(text.contains(what), "{text}");
    }
}

#[test]
fn numbers_that_cannot_be_kept_are_refused() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    let mut huge = experiment(0, 0);
    huge.cycles = u64::MAX;
    let mut nan = experiment(0, 2);
    nan.sdc.as_mut().unwrap().max_relative = Some(f64::NAN);
    let mut infinite = stratum(9, 0);
    infinite.derating = f64::INFINITY;
    let mut negative = stratum(9, 0);
    negative.derating = -0.0;
    let mut mean = subject(9);
    mean.profile.kernels[0].occupancy = f64::NAN;
    for result in [
        store.put(&[huge]),
        store.put(&[nan]),
        store.put_strata(&[infinite]),
        store.put_strata(&[negative]),
        store.put_subject(&mean),
    ] {
        assert!(matches!(result, Err(StoreError::Invalid { .. })), "{result:?}");
    }
}

#[test]
fn a_stop_removes_what_is_beyond_and_keeps_it_out() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    store.put(&experiments(1, 0..20)).unwrap();
    store.set_stop(1, 12).unwrap();
    store.set_stop(1, 12).unwrap();
    store.put(&experiments(1, 10..30)).unwrap();
    assert_eq!(store.experiments(1).unwrap(), experiments(1, 0..12));
    assert_eq!(store.stop(1).unwrap(), Some(12));
    assert_eq!(store.stop(0).unwrap(), None);
    assert!(matches!(store.set_stop(1, 13), Err(StoreError::Conflict { .. })));
    drop(store);
    assert_eq!(Store::open(&path).unwrap().stop(1).unwrap(), Some(12));
}

#[test]
fn a_finished_store_is_one_file_and_says_so() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    store.put(&experiments(0, 0..100)).unwrap();
    assert!(!store.is_complete().unwrap());
    let before = store.digest().unwrap();
    let digest = store.finish().unwrap();
    assert_eq!(digest.all, before);
    assert_eq!(files(&path), ["campaign.db"]);
    assert!(store.is_complete().unwrap());
    assert_eq!(store.finish().unwrap(), digest);
    drop(store);
    assert_eq!(files(&path), ["campaign.db"]);
    let reader = Reader::open(&path).unwrap();
    assert!(reader.is_complete());
    assert_eq!((reader.digest(), reader.results_digest()), (digest.all.as_str(), digest.results));
    // More of the same changes nothing; something new opens it again.
    let mut store = Store::open(&path).unwrap();
    store.put(&experiments(0, 0..1)).unwrap();
    assert!(store.is_complete().unwrap());
    store.put(&experiments(0, 100..101)).unwrap();
    assert!(!store.is_complete().unwrap());
}

#[test]
fn a_store_that_is_closed_early_is_one_file_too() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    store.put(&experiments(0, 0..3)).unwrap();
    assert_eq!(files(&path), ["campaign.db", "campaign.db-lock"]);
    drop(store);
    assert_eq!(files(&path), ["campaign.db"]);
}

#[test]
fn equal_results_make_equal_files_whatever_the_order() {
    let (_dir, straight) = place();
    let mut store = planned(&straight);
    store.put(&experiments(0, 0..300)).unwrap();
    store.put(&experiments(1, 0..40)).unwrap();
    store.set_stop(1, 40).unwrap();
    let digest = store.finish().unwrap();

    let (_dir, crooked) = place();
    let mut store = planned(&crooked);
    store.put(&experiments(1, (0..90).rev())).unwrap();
    drop(store);
    let mut store = Store::open(&crooked).unwrap();
    for n in (0..10).rev() {
        store.put(&experiments(0, n * 30..(n + 1) * 30)).unwrap();
    }
    store.set_stop(1, 40).unwrap();
    store.finish().unwrap();
    drop(store);
    let mut store = Store::open(&crooked).unwrap();
    assert_eq!(store.finish().unwrap(), digest);
    assert!(fs::read(&straight).unwrap() == fs::read(&crooked).unwrap());
}

#[test]
fn other_results_have_another_digest() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    let mut seen = vec![store.digest().unwrap()];
    for n in 0..4 {
        store.put(&experiments(0, [n])).unwrap();
        let digest = store.digest().unwrap();
        assert_eq!(digest.len(), 32);
        assert!(!seen.contains(&digest));
        seen.push(digest);
    }
}

#[test]
fn a_second_campaign_is_kept_out() {
    let (_dir, path) = place();
    let store = planned(&path);
    let e = Store::open(&path).unwrap_err();
    assert!(matches!(e, StoreError::Locked { .. }) && e.is_input(), "{e}");
    drop(store);
    Store::open(&path).unwrap();
}

#[cfg(unix)]
#[test]
fn another_name_of_the_store_is_no_way_around_the_lock() {
    let (dir, path) = place();
    let _store = planned(&path);
    let alias = dir.path().join("alias.db");
    std::os::unix::fs::symlink(&path, &alias).unwrap();
    assert!(matches!(Store::open(&alias), Err(StoreError::Locked { .. })));
}

#[test]
fn an_existing_file_is_not_overwritten() {
    let (_dir, path) = place();
    fs::write(&path, "my thesis").unwrap();
    let e = Store::create(&path, &header()).unwrap_err();
    assert!(e.to_string().contains("--resume, or choose another --out"), "{e}");
    assert_eq!(fs::read(&path).unwrap(), b"my thesis");
    assert_eq!(files(&path), ["campaign.db"]);
}

#[test]
fn what_a_deleted_store_left_does_not_get_into_a_new_one() {
    let (_dir, path) = place();
    for suffix in ["-journal", "-wal", "-new", "-lock"] {
        let mut name = path.clone().into_os_string();
        name.push(suffix);
        fs::write(name, "left over").unwrap();
    }
    drop(planned(&path));
    assert_eq!(files(&path), ["campaign.db"]);
    Store::open(&path).unwrap();
}

#[test]
fn a_store_that_is_taken_away_is_missed() {
    let (dir, path) = place();
    let mut store = planned(&path);
    fs::rename(&path, dir.path().join("elsewhere.db")).unwrap();
    let e = store.put(&experiments(0, 0..1)).unwrap_err();
    assert!(matches!(e, StoreError::Gone { .. }), "{e}");
}

#[test]
fn what_is_to_be_done_is_there_from_the_first_moment() {
    let (_dir, path) = place();
    let intent = Intent {
        id: 0,
        subject: 3,
        app: "hs".into(),
        scale: "small".into(),
        chip: "rtx2060".into(),
        kernel: "each".into(),
        window: String::new(),
        structure: "rf".into(),
        bits: 1,
        model: "flip".into(),
        sampling: "physical".into(),
        planned: 1000,
        stop_at_failures: 386,
        stop_at_margin: None,
    };
    let plan = [intent.clone(), Intent { id: 1, structure: "l2".into(), ..intent }];
    let mut store = Store::begin(&path, &header(), &plan, None).unwrap();
    let there = Store::read(&path).unwrap();
    assert_eq!((there.intents.as_slice(), there.complete), (&plan[..], false));
    // It follows from the specification: the digest is what it was without.
    let digest = store.finish().unwrap();
    let there = Store::read(&path).unwrap();
    assert_eq!((there.intents.as_slice(), there.complete), (&plan[..], true));
    let (_dir, bare) = place();
    assert_eq!(Store::create(&bare, &header()).unwrap().finish().unwrap(), digest);
}

/// Makes of a store what the version before would have made.
fn before_counters_were_watched(path: &std::path::Path) {
    let conn = rusqlite::Connection::open(path).unwrap();
    let sql = "DROP TABLE shard; ALTER TABLE experiment DROP COLUMN noticed; PRAGMA user_version = 2; \
               UPDATE upset_store SET version = 2";
    conn.execute_batch(WITHOUT_MARGINS).unwrap();
    conn.execute_batch(sql).unwrap();
}

const WITHOUT_MARGINS: &str = "ALTER TABLE stratum DROP COLUMN stop_at_margin; \
                               ALTER TABLE plan DROP COLUMN stop_at_margin";

/// One of version 4 has no place for a margin.
#[test]
fn a_plan_that_ends_by_a_margin_needs_a_new_store() {
    let (_dir, path) = place();
    drop(planned(&path));
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch(WITHOUT_MARGINS).unwrap();
    let sql = "PRAGMA user_version = 4; UPDATE upset_store SET version = 4";
    conn.execute_batch(sql).unwrap();
    drop(conn);
    let mut store = Store::open(&path).unwrap();
    let mut strata = store.strata().unwrap();
    assert!(strata.iter().all(|s| s.stop_at_margin.is_none()));
    for (stratum, id) in strata.iter_mut().zip(10..) {
        (stratum.id, stratum.stop_at_margin) = (id, Some(0.01));
    }
    let refused = store.put_strata(&strata).unwrap_err().to_string();
    assert!(refused.contains("version 4") && refused.contains("margin"), "{refused}");
}

#[test]
fn a_margin_comes_back_as_it_was() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    let mut strata = store.strata().unwrap();
    for (stratum, id) in strata.iter_mut().zip(10..) {
        (stratum.id, stratum.stop_at_margin) = (id, Some(0.005));
    }
    store.put_strata(&strata).unwrap();
    drop(store);
    let there = Store::read(&path).unwrap().strata;
    let with: Vec<_> = there.iter().filter(|s| s.is_sequential()).cloned().collect();
    assert_eq!(with, strata);
}

#[test]
fn a_store_of_the_version_before_is_read_and_gone_on_with() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    store.put(&experiments(0, 0..20)).unwrap();
    let digest = store.digest().unwrap();
    drop(store);
    before_counters_were_watched(&path);
    assert_eq!(Store::read(&path).unwrap().experiments, experiments(0, 0..20));
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.digest().unwrap(), digest);
    store.put(&experiments(0, 20..30)).unwrap();
    // It has no place for what was noticed.
    let mut watched = experiments(0, 30..31);
    watched[0].noticed = Some(Noticed::default());
    let refused = store.put(&watched).unwrap_err().to_string();
    assert!(refused.contains("begin a new store"), "{refused}");
    store.finish().unwrap();
    drop(store);
    // Finished, it is one of this version.
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.experiments(0).unwrap(), experiments(0, 0..30));
    store.put(&watched).unwrap();
    assert_eq!(store.experiments(0).unwrap()[30].noticed, Some(Noticed::default()));
}
