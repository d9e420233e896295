//! A process that writes a store, so that it can be killed, starved and read.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use upset_store::*;

use crate::samples::*;

/// Names the store to the process.
const STORE: &str = "UPSET_TEST_STORE";

/// When it is set, the process waits for the end of its input before the end.
pub const WAIT: &str = "UPSET_TEST_WAIT";

/// Experiments per transaction.
pub const BATCH: u64 = 7;

/// Experiments in all, in strata 0 and 1; of the latter fewer count.
pub const TOTAL: u64 = 20 * BATCH;

/// Experiments of stratum 1 that count.
pub const STOP: u64 = 10 * BATCH + 3;

/// The process: makes the store or goes on with it, tells of every batch that
/// is kept, and finishes. Not a test: it runs only when it is started by one.
#[test]
#[ignore = "started by other tests"]
fn process() {
    let Some(path) = std::env::var_os(STORE) else { return };
    if let Err(e) = write(Path::new(&path)) {
        println!("\nerror {e}");
        std::process::exit(9);
    }
}

/// What the process does.
pub fn write(path: &Path) -> Result<(), StoreError> {
    let mut store = match Store::open(path) {
        Err(StoreError::Missing { .. }) => Store::create(path, &header())?,
        store => store?,
    };
    store.put_subject(&subject(0))?;
    store.put_strata(&[stratum(0, 0), stratum(1, 0)])?;
    say("kept 0 0");
    for id in [0, 1] {
        let mut next = store.done(id)?.len() as u64;
        while next < TOTAL && store.stop(id)?.is_none() {
            store.put(&experiments(id, next..next + BATCH))?;
            next += BATCH;
            say(&format!("kept {id} {next}"));
        }
    }
    if std::env::var_os(WAIT).is_some() {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
    }
    store.set_stop(1, STOP)?;
    let digest = store.finish()?.all;
    say(&format!("digest {digest}"));
    Ok(())
}

fn say(line: &str) {
    println!("\n{line}");
    let _ = std::io::stdout().flush();
}

/// Starts the process; `limit` is a shell command that is run before it.
pub fn start(path: &Path, limit: &str) -> Child {
    let program = std::env::current_exe().unwrap();
    Command::new("sh")
        .arg("-c")
        .arg(format!("{limit} exec \"$0\" writer::process --exact --ignored --nocapture"))
        .arg(program)
        .env(STORE, path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What a process that has ended told.
#[derive(Debug, Default)]
pub struct Told {
    /// Experiments that it was told are kept, per stratum.
    pub kept: [u64; 2],
    /// The digest, when it came to its end.
    pub digest: Option<String>,
    /// The error, when it met one.
    pub error: Option<String>,
}

/// Waits for the end of a process.
pub fn told(mut child: Child) -> Told {
    let mut told = Told::default();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        let words: Vec<_> = line.split(' ').collect();
        match words[..] {
            ["kept", id, n] => told.kept[id.parse::<usize>().unwrap()] = n.parse().unwrap(),
            ["digest", digest] => told.digest = Some(digest.into()),
            ["error", ..] => told.error = Some(line["error ".len()..].into()),
            _ => {}
        }
    }
    child.wait().unwrap();
    told
}

/// Asserts that the store holds what was told as kept, in whole batches and
/// without gaps; how many experiments it holds.
pub fn verify(path: &Path, told: &Told) -> u64 {
    let found = match Store::read(path) {
        Err(StoreError::Missing { .. }) if told.kept == [0, 0] => return 0,
        found => found.unwrap(),
    };
    assert_eq!(found.header, header());
    let mut rest = &found.experiments[..];
    for id in [0, 1] {
        let (these, others) = rest.split_at(rest.partition_point(|e| e.stratum <= id));
        let n = these.len() as u64;
        assert_eq!(these, experiments(id, 0..n));
        assert!(
            n.is_multiple_of(BATCH) && n >= told.kept[id as usize] || id == 1 && n == STOP,
            "{id}: {n}"
        );
        rest = others;
    }
    assert!(rest.is_empty());
    found.experiments.len() as u64
}
