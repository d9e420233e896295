//! The canonical form of what a store holds: one JSON line per thing.
//!
//! Row checksums and the digest of a result set are taken over these lines, and
//! `upset export --format jsonl` writes them: its XXH128 is the digest.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use xxhash_rust::xxh3::Xxh3;

use crate::{Experiment, Header, Intent, Shard, StoreError, Stratum, Subject};

/// A thing in a store.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Record<'a> {
    /// What was asked.
    Header(&'a Header),
    /// An application on a chip.
    Subject(&'a Subject),
    /// Experiments of one kind.
    Stratum(&'a Stratum),
    /// One experiment.
    Experiment(&'a Experiment),
    /// How many experiments of a stratum count. Follows from them, so it has a
    /// checksum but no part in the digest.
    Stop(&'a Stop),
    /// What was to be done. Follows from the specification, so it has a checksum
    /// but no part in the digest.
    Plan(&'a Intent),
    /// Which part of a campaign the store is for. Says nothing of results, so it
    /// has a checksum but no part in the digest.
    Shard(&'a Shard),
}

/// Where a sequential plan ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stop {
    /// The stratum.
    pub stratum: u32,
    /// Experiments that count: numbers below this.
    pub runs: u64,
}

impl Record<'_> {
    /// The line, with its end.
    pub fn line(self) -> Result<Vec<u8>, StoreError> {
        let mut line = json(&self)?;
        line.push(b'\n');
        Ok(line)
    }
}

/// JSON without spaces.
pub fn json(value: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    let mut text = Vec::new();
    value
        .serialize(&mut Serializer::with_formatter(&mut text, Plain))
        .map_err(|e| StoreError::Invalid { what: format!("no JSON form: {e}") })?;
    Ok(text)
}

/// Numbers as Rust prints them. serde_json's own form has changed between its
/// versions (`1e300`, `1e+300`), and checksums must not.
struct Plain;

impl Formatter for Plain {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        write!(writer, "{value:?}")
    }
}

/// Digest of a result set, fed in order: header, subjects, strata, experiments,
/// each by its key.
pub struct Digest(Xxh3);

impl Digest {
    /// Of nothing yet.
    pub fn new() -> Digest {
        Digest(Xxh3::new())
    }

    /// Adds the next record's line.
    pub fn add(&mut self, line: &[u8]) {
        self.0.update(line);
    }

    /// The digest in hexadecimal.
    pub fn text(&self) -> String {
        format!("{:032x}", self.0.digest128())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stores out there are checked against this form: it must not change
    /// without a new schema version.
    #[test]
    fn the_form_of_a_header_is_fixed() {
        let header = Header {
            tool: "0.1.0".into(),
            spec: "a = \"ä\"\n".into(),
            seed: u64::MAX,
            confidence: 0.95,
        };
        let line = String::from_utf8(Record::Header(&header).line().unwrap()).unwrap();
        assert_eq!(
            line,
            "{\"header\":{\"tool\":\"0.1.0\",\"spec\":\"a = \\\"ä\\\"\\n\",\
             \"seed\":18446744073709551615,\"confidence\":0.95}}\n"
        );
    }

    #[test]
    fn the_form_of_numbers_is_fixed() {
        let form = |x: f64| String::from_utf8(json(&x).unwrap()).unwrap();
        assert_eq!(form(1.0), "1.0");
        assert_eq!(form(0.1), "0.1");
        assert_eq!(form(1e300), "1e300");
        assert_eq!(form(1.5e-9), "1.5e-9");
        assert_eq!(form(123456789012345680.0), "1.2345678901234568e17");
    }
}
