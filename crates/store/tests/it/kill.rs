//! A campaign that is killed loses nothing that it was told is kept, and ends
//! with the same file.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use upset_store::{Store, StoreError};

use crate::damage::Random;
use crate::samples::*;
use crate::writer::{self, Told, start, told, verify};

/// Kills a campaign at moments up to `longest` microseconds after it starts, until
/// it has had enough peace to end; how often it was killed.
fn campaign(path: &std::path::Path, random: &mut Random, longest: usize) -> usize {
    let mut kills = 0;
    let mut before = 0;
    loop {
        let mut child = start(path, "");
        // Some peace in the end.
        let wait = random.below(longest + 400 * kills);
        sleep(Duration::from_micros(wait as u64));
        let _ = child.kill();
        let told = told(child);
        assert_eq!(told.error, None);
        let held = verify(path, &told);
        assert!(held >= before || held >= writer::TOTAL + writer::STOP, "{held} after {before}");
        before = held;
        if told.digest.is_some() {
            return kills;
        }
        kills += 1;
    }
}

#[test]
fn killed_at_any_moment_it_ends_with_the_same_file() {
    let (_dir, quiet) = place();
    // As long as it takes on this machine, so that most kills come in time.
    let started = Instant::now();
    assert!(told(start(&quiet, "")).digest.is_some());
    let longest = started.elapsed().as_micros() as usize;
    let right = fs::read(&quiet).unwrap();
    let mut random = Random::new(11);
    let mut kills = 0;
    for _ in 0..100 {
        let (_dir, path) = place();
        kills += campaign(&path, &mut random, longest);
        assert!(fs::read(&path).unwrap() == right);
        assert_eq!(files(&path), ["campaign.db"]);
        if kills >= 10 {
            return;
        }
    }
    panic!("only {kills} kills came in time");
}

#[test]
fn killed_while_it_finishes_it_is_whole() {
    let (dir, path) = place();
    writer::write(&path).unwrap();
    let right = fs::read(&path).unwrap();
    let mut random = Random::new(12);
    for _ in 0..60 {
        // Nothing is left to do but to check it and to write it anew.
        let mut child = start(&path, "");
        sleep(Duration::from_micros(random.below(30_000) as u64));
        let _ = child.kill();
        child.wait().unwrap();
        assert!(fs::read(&path).unwrap() == right);
    }
    drop(Store::open(&path).unwrap());
    assert_eq!(files(&path), ["campaign.db"]);
    drop(dir);
}

#[test]
fn another_process_reads_and_may_not_write_meanwhile() {
    let (_dir, path) = place();
    let mut child = start(&path, &format!("export {}=1;", writer::WAIT));
    let mut seen = 0;
    while seen < 2 * writer::TOTAL {
        let now = verify(&path, &Told::default());
        assert!(now >= seen);
        seen = now;
        if now > 0 {
            let e = Store::open(&path).unwrap_err();
            assert!(matches!(e, StoreError::Locked { .. }), "{e}");
        }
    }
    drop(child.stdin.take());
    let told = told(child);
    assert_eq!(told.error, None);
    assert!(told.digest.is_some());
    Store::open(&path).unwrap();
}
