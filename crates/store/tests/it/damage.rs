//! A damaged store is refused, or nothing that counts was damaged. It never
//! gives other results and never panics.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use upset_store::*;

use crate::samples::*;

/// A small generator: the cases are the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// SplitMix64 (Steele, Lea, Flood 2014).
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// What became of the damaged files.
#[derive(Default)]
struct Score {
    refused: usize,
    unharmed: usize,
}

/// A store and its bytes, and a place for damaged copies.
struct Victim {
    _dir: tempfile::TempDir,
    place: PathBuf,
    bytes: Vec<u8>,
    right: Results,
}

impl Victim {
    fn new(finished: bool) -> Victim {
        let (dir, path) = place();
        let mut store = planned(&path);
        for n in 0..8 {
            let first = 10 * u64::from(n / 4);
            store.put(&experiments(n % 4, first..first + 10)).unwrap();
        }
        store.set_stop(2, 15).unwrap();
        if finished {
            store.finish().unwrap();
        }
        drop(store);
        let right = Store::read(&path).unwrap();
        let bytes = fs::read(&path).unwrap();
        Victim { place: dir.path().join("damaged.db"), _dir: dir, bytes, right }
    }

    /// Opens a damaged file, in one way or the other, and judges the answer.
    fn judge(&self, bytes: &[u8], what: &str, score: &mut Score) {
        fs::write(&self.place, bytes).unwrap();
        let beginning = bytes.get(..100) == self.bytes.get(..100);
        let write = (score.refused + score.unharmed).is_multiple_of(2);
        match self.answer(write) {
            Ok(found) => {
                assert!(same(&found, &self.right), "{what}: other results");
                score.unharmed += 1;
            }
            Err(StoreError::Damaged { .. }) => score.refused += 1,
            // Without its beginning nobody can tell what it was.
            Err(StoreError::Foreign { .. }) if !beginning => score.refused += 1,
            Err(e) => panic!("{what}: {e}"),
        }
    }

    fn answer(&self, write: bool) -> Result<Results, StoreError> {
        match write {
            false => Store::read(&self.place),
            true => Store::open(&self.place).and_then(|s| content(&s, &self.place)),
        }
    }
}

fn content(store: &Store, path: &Path) -> Result<Results, StoreError> {
    let strata = store.strata()?;
    let mut experiments = Vec::new();
    for stratum in &strata {
        experiments.extend(store.experiments(stratum.id)?);
    }
    Ok(Results {
        shard: None,
        file: path.display().to_string(),
        complete: store.is_complete()?,
        header: store.header().clone(),
        intents: store.intents()?,
        subjects: store.subjects()?,
        strata,
        experiments,
    })
}

fn same(a: &Results, b: &Results) -> bool {
    (&a.header, &a.subjects, &a.strata, &a.experiments)
        == (&b.header, &b.subjects, &b.strata, &b.experiments)
}

#[test]
fn a_cut_store_is_refused_wherever_it_is_cut() {
    let victim = Victim::new(false);
    let mut score = Score::default();
    let length = victim.bytes.len();
    let pages = (0..length).step_by(4096).flat_map(|p| [p.max(1) - 1, p, p + 1]);
    for cut in (0..200).chain((0..length).step_by(37)).chain(pages) {
        victim.judge(&victim.bytes[..cut], &format!("cut at {cut}"), &mut score);
    }
    assert_eq!(score.unharmed, 0);
    assert!(score.refused > 1000, "{}", score.refused);
}

#[test]
fn every_bit_of_the_beginning_is_guarded() {
    let victim = Victim::new(true);
    let mut score = Score::default();
    for bit in 0..800 {
        let mut bytes = victim.bytes.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&victim.place, &bytes).unwrap();
        match Store::read(&victim.place) {
            Ok(found) => {
                assert!(same(&found, &victim.right), "bit {bit}");
                score.unharmed += 1;
            }
            Err(StoreError::Damaged { .. }) => score.refused += 1,
            Err(e) => panic!("bit {bit}: {e}"),
        }
    }
    // The name, the version and the ids at least.
    assert!(score.refused > 8 * (16 + 4 + 4), "{}", score.refused);
}

#[test]
fn flipped_bits_are_found() {
    let mut score = Score::default();
    for finished in [false, true] {
        let victim = Victim::new(finished);
        let mut random = Random::new(17);
        for case in 0..1500 {
            let mut bytes = victim.bytes.clone();
            for _ in 0..=case % 3 {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            victim.judge(&bytes, &format!("case {case}"), &mut score);
        }
    }
    // The rest hit room that no row uses.
    assert!(score.refused > score.unharmed, "{} {}", score.refused, score.unharmed);
}

#[test]
fn overwritten_stretches_are_found() {
    let victim = Victim::new(false);
    let mut random = Random::new(23);
    let mut score = Score::default();
    for case in 0..1200 {
        let mut bytes = victim.bytes.clone();
        // Whole sectors and pages go wrong as often as odd stretches do.
        let (start, length) = match case % 3 {
            0 => (random.below(bytes.len() / 512) * 512, 512),
            1 => (random.below(bytes.len() / 4096) * 4096, 4096),
            _ => (random.below(bytes.len() - 300), 1 + random.below(300)),
        };
        let from = random.below(bytes.len() - length) / 512 * 512;
        let source = bytes[from..from + length].to_vec();
        for (i, byte) in bytes[start..start + length].iter_mut().enumerate() {
            *byte = match case / 3 % 3 {
                0 => 0,
                1 => random.next() as u8,
                _ => source[i],
            };
        }
        victim.judge(&bytes, &format!("case {case}, {length} bytes at {start}"), &mut score);
    }
    assert!(score.refused > score.unharmed, "{} {}", score.refused, score.unharmed);
}

/// A disk that loses writes leaves pages of an earlier state, each of them
/// valid: SQLite's own check is content with many such files.
#[test]
fn pages_of_an_earlier_state_are_found() {
    let (dir, path) = place();
    let mut store = planned(&path);
    let mut states = Vec::new();
    for n in 0..12 {
        store.put(&experiments(n % 4, u64::from(n) * 9..u64::from(n) * 9 + 9)).unwrap();
        states.push((fs::read(&path).unwrap(), Store::read(&path).unwrap()));
    }
    drop(store);
    let place = dir.path().join("mixed.db");
    let mut refused = 0;
    for (new, right) in &states {
        for (old, _) in states.iter() {
            for page in (0..old.len().min(new.len())).step_by(4096) {
                let mut mixed = new.clone();
                mixed[page..page + 4096].copy_from_slice(&old[page..page + 4096]);
                if mixed == *new {
                    continue;
                }
                fs::write(&place, &mixed).unwrap();
                match Store::read(&place) {
                    Ok(found) => assert!(same(&found, right), "page {page}"),
                    Err(StoreError::Damaged { .. }) => refused += 1,
                    Err(e) => panic!("{e}"),
                }
            }
        }
    }
    assert!(refused > 500, "{refused}");
}

/// A killed campaign leaves a journal. Cut, garbled or lost, the store is what
/// it was, or refused.
#[test]
fn a_damaged_journal_is_found() {
    let victim = Victim::new(false);
    let source = victim.place.with_file_name("open.db");
    fs::write(&source, &victim.bytes).unwrap();
    let mut conn = Connection::open(&source).unwrap();
    conn.execute_batch("PRAGMA cache_size = 1; PRAGMA synchronous = FULL").unwrap();
    let tx = conn.transaction().unwrap();
    // Pages reach the file before the transaction ends.
    tx.execute_batch("UPDATE experiment SET cycles = cycles + 1; DELETE FROM stop").unwrap();
    let torn = fs::read(&source).unwrap();
    let journal = fs::read(source.with_file_name("open.db-journal")).unwrap();
    assert_ne!(torn, victim.bytes);
    assert!(journal.len() > 8192);

    let beside = victim.place.with_file_name("damaged.db-journal");
    let mut random = Random::new(5);
    let mut score = Score::default();
    for case in 0..150 {
        let mut left = journal.clone();
        match case {
            0 => {}
            1 => left.clear(),
            _ if case % 2 == 0 => left.truncate(random.below(journal.len())),
            _ => left[random.below(journal.len())] ^= 1 << random.below(8),
        }
        for write in [false, true] {
            fs::write(&victim.place, &torn).unwrap();
            fs::write(&beside, &left).unwrap();
            match victim.answer(write) {
                Ok(found) => {
                    assert!(same(&found, &victim.right), "case {case}");
                    score.unharmed += 1;
                }
                Err(StoreError::Damaged { .. }) => {
                    assert_ne!(case, 0, "an unharmed journal is rolled back");
                    score.refused += 1;
                }
                Err(e) => panic!("case {case}: {e}"),
            }
            let _ = fs::remove_file(&beside);
        }
    }
    assert!(score.refused > 100 && score.unharmed > 4, "{} {}", score.refused, score.unharmed);
}

#[test]
fn reading_after_a_kill_leaves_the_files_alone() {
    let (dir, path) = place();
    let mut store = planned(&path);
    store.put(&experiments(0, 0..200)).unwrap();
    drop(store);
    let unharmed = fs::read(&path).unwrap();
    let mut conn = Connection::open(&path).unwrap();
    conn.execute_batch("PRAGMA cache_size = 1").unwrap();
    let tx = conn.transaction().unwrap();
    tx.execute_batch("UPDATE experiment SET cycles = 1").unwrap();
    let killed = dir.path().join("killed.db");
    let beside = dir.path().join("killed.db-journal");
    fs::copy(dir.path().join("campaign.db-journal"), &beside).unwrap();
    fs::copy(&path, &killed).unwrap();
    let before = (fs::read(&killed).unwrap(), fs::read(&beside).unwrap());
    assert_ne!(before.0, unharmed);
    assert_eq!(Store::read(&killed).unwrap().experiments, experiments(0, 0..200));
    assert!(before == (fs::read(&killed).unwrap(), fs::read(&beside).unwrap()));
    // Going on rolls back for good.
    drop(Store::open(&killed).unwrap());
    assert!(!beside.exists());
}

#[test]
fn a_journal_with_nothing_in_it_is_cleared_away() {
    let (_dir, path) = place();
    drop(planned(&path));
    fs::write(path.with_file_name("campaign.db-journal"), [0; 512]).unwrap();
    Store::read(&path).unwrap();
    drop(Store::open(&path).unwrap());
    assert_eq!(files(&path), ["campaign.db"]);
}

#[test]
fn altered_values_are_found_though_the_database_is_sound() {
    for sql in [
        "UPDATE experiment SET class = 'masked' WHERE class = 'sdc'",
        "UPDATE experiment SET fault = '' WHERE number = 3",
        "DELETE FROM experiment WHERE number = 3",
        "CREATE TEMP TABLE one AS SELECT * FROM experiment WHERE number = 3; \
         UPDATE one SET number = 999; INSERT INTO experiment SELECT * FROM one",
        "UPDATE stratum SET derating = 0.5",
        "UPDATE subject SET profile = replace(profile, '10000', '20000')",
        "UPDATE header SET seed = '7'",
        "UPDATE tally SET complete = 1",
        "UPDATE tally SET experiments = experiments + 1",
        "DELETE FROM tally",
        "DELETE FROM header",
        "DELETE FROM stop",
        "UPDATE stop SET runs = 7",
        "CREATE INDEX i ON experiment (class)",
        "DROP TABLE stop",
        "PRAGMA user_version = 6",
        "UPDATE upset_store SET version = 6",
        "PRAGMA application_id = 0",
    ] {
        let (_dir, path) = place();
        let mut store = planned(&path);
        store.put(&experiments(0, 0..6)).unwrap();
        store.set_stop(1, 3).unwrap();
        drop(store);
        let conn = Connection::open(&path).unwrap();
        conn.pragma_update(None, "foreign_keys", false).unwrap();
        conn.execute_batch(sql).unwrap();
        drop(conn);
        for e in [Store::read(&path).unwrap_err(), Store::open(&path).unwrap_err()] {
            assert!(matches!(e, StoreError::Damaged { .. }), "{sql}: {e}");
            assert!(e.is_input());
        }
    }
}

#[test]
fn a_newer_store_says_so() {
    let (_dir, path) = place();
    drop(planned(&path));
    let conn = Connection::open(&path).unwrap();
    let sql = "PRAGMA user_version = 6; UPDATE upset_store SET version = 6; DROP TABLE experiment; \
               CREATE TABLE experiments (id INTEGER)";
    conn.execute_batch(sql).unwrap();
    for e in [Store::read(&path).unwrap_err(), Store::open(&path).unwrap_err()] {
        assert!(matches!(e, StoreError::Newer { found: 6, known: 5, .. }), "{e}");
        assert!(e.to_string().contains("use a newer upset"), "{e}");
    }
}

#[test]
fn an_older_store_says_so() {
    let (_dir, path) = place();
    drop(planned(&path));
    let conn = Connection::open(&path).unwrap();
    let sql = "PRAGMA user_version = 1; UPDATE upset_store SET version = 1; DROP TABLE experiment; \
               CREATE TABLE experiment (id INTEGER)";
    conn.execute_batch(sql).unwrap();
    for e in [Store::read(&path).unwrap_err(), Store::open(&path).unwrap_err()] {
        assert!(matches!(e, StoreError::Older { found: 1, known: 5, .. }), "{e}");
        assert!(e.is_input());
        assert!(e.to_string().contains("Run the campaign again"), "{e}");
    }
}

#[test]
fn files_that_are_no_stores_are_told_apart() {
    let (dir, path) = place();
    let e = Store::read(&path).unwrap_err();
    assert!(matches!(e, StoreError::Missing { .. }), "{e}");
    for other in ["", "x", "SQLite format", &"# My thesis\n".repeat(500)] {
        fs::write(&path, other).unwrap();
        for e in [Store::read(&path).unwrap_err(), Store::open(&path).unwrap_err()] {
            let foreign = !"SQLite format".starts_with(other);
            assert_eq!(matches!(e, StoreError::Foreign { .. }), foreign, "{other}: {e}");
            assert_eq!(matches!(e, StoreError::Damaged { .. }), !foreign, "{other}: {e}");
        }
        assert_eq!(fs::read(&path).unwrap(), other.as_bytes());
    }
    let conn = Connection::open(dir.path().join("other.db")).unwrap();
    conn.execute_batch("CREATE TABLE t (x)").unwrap();
    for e in [
        Store::read(&dir.path().join("other.db")).unwrap_err(),
        Store::open(&dir.path().join("other.db")).unwrap_err(),
        Store::read(dir.path()).unwrap_err(),
    ] {
        assert!(matches!(e, StoreError::Foreign { .. }), "{e}");
    }
}

/// Of so many experiments that they are read in threads: the first wrong one is told, and a
/// number that nobody can have makes nobody look for all below it.
#[test]
fn a_wrong_row_among_many_is_told() {
    for (change, told) in [
        (
            "SET cycles = cycles + 1 WHERE stratum IN (2, 3) AND number = 1700",
            "experiment 1700 of stratum 2",
        ),
        ("SET number = 1152921504606846976 WHERE stratum = 3 AND number = 2499", "experiment"),
        ("SET number = -5 WHERE stratum = 3 AND number = 2499", ""),
    ] {
        let (_dir, path) = place();
        let mut store = planned(&path);
        for id in 0..4 {
            store.put(&experiments(id, 0..2500)).unwrap();
        }
        store.finish().unwrap();
        drop(store);
        Connection::open(&path)
            .unwrap()
            .execute(&format!("UPDATE experiment {change}"), [])
            .unwrap();
        match Reader::open(&path) {
            Err(StoreError::Damaged { what, .. }) => {
                assert!(what.contains(told), "{change}: {what}")
            }
            Err(e) => panic!("{change}: {e}"),
            Ok(_) => panic!("{change}: nobody noticed"),
        }
    }
}
