//! From each schema version to the next.
//!
//! A step runs in the transaction that opens the store for writing, or in a
//! copy when the store is only read. It brings the tables, the checksums and
//! the tally from version n to n + 1; the caller then sets the version and
//! checks the result.

use rusqlite::Connection;

use super::VERSION;

/// Step i leads from version i + 1 to i + 2.
pub const STEPS: &[fn(&Connection) -> rusqlite::Result<()>] = &[];

/// Brings a store of version `from` to [`VERSION`], inside a transaction.
pub fn run(conn: &Connection, from: u32) -> rusqlite::Result<()> {
    for step in STEPS.iter().skip(from.saturating_sub(1) as usize) {
        step(conn)?;
    }
    conn.execute("UPDATE upset_store SET version = ?1", [VERSION])?;
    conn.pragma_update(None, "user_version", VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_step_to_every_version() {
        assert_eq!(STEPS.len() as u32 + 1, VERSION);
    }
}
