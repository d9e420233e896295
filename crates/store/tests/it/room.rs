//! No room is an error that loses nothing.

use std::fs;

use upset_store::*;

use crate::samples::*;
use crate::writer::{self, start, told, verify};

#[test]
fn a_full_disk_keeps_what_was_kept() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    store.put(&experiments(0, 0..50)).unwrap();
    let pages = fs::metadata(&path).unwrap().len() / 4096;
    store.limit_pages(pages as u32 + 1).unwrap();
    let e = store.put(&experiments(1, 0..500)).unwrap_err();
    assert!(matches!(e, StoreError::NoSpace { .. }) && e.is_input(), "{e}");
    assert!(e.to_string().ends_with("make room and go on by --resume"), "{e}");
    assert_eq!(store.experiments(0).unwrap(), experiments(0, 0..50));
    assert_eq!(store.experiments(1).unwrap(), []);
    store.limit_pages(u32::MAX - 1).unwrap();
    store.put(&experiments(1, 0..500)).unwrap();
    drop(store);
    let store = Store::open(&path).unwrap();
    assert_eq!(store.experiments(1).unwrap(), experiments(1, 0..500));
}

/// Every size of file at which the system may say no.
#[test]
fn a_limit_on_files_keeps_what_was_kept() {
    let (_dir, quiet) = place();
    writer::write(&quiet).unwrap();
    let right = fs::read(&quiet).unwrap();
    let mut failed = 0;
    // In blocks of 512 bytes.
    for blocks in (8..right.len() / 512 + 16).step_by(14) {
        let (_dir, path) = place();
        let told = told(start(&path, &format!("trap '' XFSZ; ulimit -f {blocks};")));
        verify(&path, &told);
        match (told.error, told.digest) {
            (Some(e), None) => {
                let what = ["nothing is kept yet", "everything before this is kept"];
                assert!(e.contains(what[usize::from(path.exists())]), "{e}");
                failed += 1;
            }
            (None, Some(_)) => {}
            other => panic!("{other:?}"),
        }
        writer::write(&path).unwrap();
        assert!(fs::read(&path).unwrap() == right);
        assert_eq!(files(&path), ["campaign.db"]);
    }
    assert!(failed > 5, "{failed}");
}
