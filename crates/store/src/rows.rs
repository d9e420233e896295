//! How each thing becomes a row and comes back.

use rusqlite::Row;
use rusqlite::types::{FromSqlError, Type, Value};
use serde::Serialize;
use serde::de::DeserializeOwned;
use upset_metrics::Class;

use crate::db::Db;
use crate::pieces::every_experiment;
use crate::record::{self, Record, Stop};
use crate::table::{Found, Stored};
use crate::{Experiment, Header, Hit, Intent, Shard, StoreError, Stratum, Subject};

impl Stored for Header {
    const TABLE: &'static str = "header";
    const COLUMNS: &'static [&'static str] = &["id", "tool", "spec", "seed", "confidence"];
    const KEY: &'static str = "id";

    fn record(&self) -> Record<'_> {
        Record::Header(self)
    }

    fn values(&self) -> Result<Vec<Value>, StoreError> {
        Ok(vec![
            Value::Integer(0),
            text(&self.tool),
            text(&self.spec),
            // As text: SQLite's integers end at 63 bits.
            text(&self.seed.to_string()),
            real("confidence", self.confidence)?,
        ])
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Header> {
        Ok(Header {
            tool: row.get(1)?,
            spec: row.get(2)?,
            seed: parsed(row, 3, |s| s.parse().ok())?,
            confidence: row.get(4)?,
        })
    }

    fn title(&self) -> String {
        "the header".into()
    }
}

impl Stored for Subject {
    const TABLE: &'static str = "subject";
    const COLUMNS: &'static [&'static str] =
        &["id", "app", "scale", "command", "chip", "chip_toml", "binaries", "profile"];
    const KEY: &'static str = "id";

    fn record(&self) -> Record<'_> {
        Record::Subject(self)
    }

    fn values(&self) -> Result<Vec<Value>, StoreError> {
        let profile = &self.profile;
        let means =
            profile.kernels.iter().flat_map(|k| [k.threads_per_sm, k.ctas_per_sm, k.occupancy]);
        for number in means.chain([profile.core_mhz]) {
            finite("a number of a profile", number)?;
        }
        Ok(vec![
            Value::Integer(self.id.into()),
            text(&self.app),
            text(&self.scale),
            json(&self.command)?,
            text(&self.chip),
            text(&self.chip_toml),
            json(&self.binaries)?,
            json(&self.profile)?,
        ])
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Subject> {
        Ok(Subject {
            id: row.get(0)?,
            app: row.get(1)?,
            scale: row.get(2)?,
            command: from_json(row, 3)?,
            chip: row.get(4)?,
            chip_toml: row.get(5)?,
            binaries: from_json(row, 6)?,
            profile: from_json(row, 7)?,
        })
    }

    fn title(&self) -> String {
        format!("subject {}", self.id)
    }
}

impl Stored for Stratum {
    const TABLE: &'static str = "stratum";
    const COLUMNS: &'static [&'static str] = &[
        "id",
        "subject",
        "kernel",
        "window",
        "structure",
        "bits",
        "model",
        "spread",
        "sampling",
        "cycles",
        "structure_bits",
        "derating",
        "occupancy",
        "planned",
        "stop_at_failures",
        "stop_at_margin",
    ];
    const KEY: &'static str = "id";

    fn record(&self) -> Record<'_> {
        Record::Stratum(self)
    }

    fn values(&self) -> Result<Vec<Value>, StoreError> {
        Ok(vec![
            Value::Integer(self.id.into()),
            Value::Integer(self.subject.into()),
            self.kernel.as_deref().map_or(Value::Null, text),
            text(&self.window),
            text(&self.structure),
            Value::Integer(self.bits.into()),
            text(&self.model),
            text(&self.spread),
            text(&self.sampling),
            integer("cycles", self.cycles)?,
            integer("structure_bits", self.structure_bits)?,
            real("derating", self.derating)?,
            self.occupancy.map_or(Ok(Value::Null), |o| real("occupancy", o))?,
            integer("planned", self.planned)?,
            integer("stop_at_failures", self.stop_at_failures)?,
            self.stop_at_margin.map_or(Ok(Value::Null), |m| real("stop_at_margin", m))?,
        ])
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Stratum> {
        Ok(Stratum {
            id: row.get(0)?,
            subject: row.get(1)?,
            kernel: row.get(2)?,
            window: row.get(3)?,
            structure: row.get(4)?,
            bits: row.get(5)?,
            model: row.get(6)?,
            spread: row.get(7)?,
            sampling: row.get(8)?,
            cycles: natural(row, 9)?,
            structure_bits: natural(row, 10)?,
            derating: row.get(11)?,
            occupancy: row.get(12)?,
            planned: natural(row, 13)?,
            stop_at_failures: natural(row, 14)?,
            stop_at_margin: row.get(15)?,
        })
    }

    fn title(&self) -> String {
        format!("stratum {}", self.id)
    }
}

impl Stored for Intent {
    const TABLE: &'static str = "plan";
    const COLUMNS: &'static [&'static str] = &[
        "id",
        "subject",
        "app",
        "scale",
        "chip",
        "kernel",
        "window",
        "structure",
        "bits",
        "model",
        "sampling",
        "planned",
        "stop_at_failures",
        "stop_at_margin",
    ];
    const KEY: &'static str = "id";

    fn record(&self) -> Record<'_> {
        Record::Plan(self)
    }

    fn values(&self) -> Result<Vec<Value>, StoreError> {
        Ok(vec![
            Value::Integer(self.id.into()),
            Value::Integer(self.subject.into()),
            text(&self.app),
            text(&self.scale),
            text(&self.chip),
            text(&self.kernel),
            text(&self.window),
            text(&self.structure),
            Value::Integer(self.bits.into()),
            text(&self.model),
            text(&self.sampling),
            integer("planned", self.planned)?,
            integer("stop_at_failures", self.stop_at_failures)?,
            self.stop_at_margin.map_or(Ok(Value::Null), |m| real("stop_at_margin", m))?,
        ])
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Intent> {
        Ok(Intent {
            id: row.get(0)?,
            subject: row.get(1)?,
            app: row.get(2)?,
            scale: row.get(3)?,
            chip: row.get(4)?,
            kernel: row.get(5)?,
            window: row.get(6)?,
            structure: row.get(7)?,
            bits: row.get(8)?,
            model: row.get(9)?,
            sampling: row.get(10)?,
            planned: natural(row, 11)?,
            stop_at_failures: natural(row, 12)?,
            stop_at_margin: row.get(13)?,
        })
    }

    fn title(&self) -> String {
        format!("row {} of the plan", self.id)
    }
}

impl Stored for Shard {
    const TABLE: &'static str = "shard";
    const COLUMNS: &'static [&'static str] = &["id", "number", "count", "parts"];
    const KEY: &'static str = "id";

    fn record(&self) -> Record<'_> {
        Record::Shard(self)
    }

    fn values(&self) -> Result<Vec<Value>, StoreError> {
        Ok(vec![
            Value::Integer(0),
            Value::Integer(self.number.into()),
            Value::Integer(self.count.into()),
            json(&self.parts)?,
        ])
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Shard> {
        Ok(Shard { number: row.get(1)?, count: row.get(2)?, parts: from_json(row, 3)? })
    }

    fn title(&self) -> String {
        "the shard".into()
    }
}

impl Stored for Stop {
    const TABLE: &'static str = "stop";
    const COLUMNS: &'static [&'static str] = &["stratum", "runs"];
    const KEY: &'static str = "stratum";

    fn record(&self) -> Record<'_> {
        Record::Stop(self)
    }

    fn values(&self) -> Result<Vec<Value>, StoreError> {
        Ok(vec![Value::Integer(self.stratum.into()), integer("runs", self.runs)?])
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Stop> {
        Ok(Stop { stratum: row.get(0)?, runs: natural(row, 1)? })
    }

    fn title(&self) -> String {
        format!("the stop of stratum {}", self.stratum)
    }
}

impl Stored for Experiment {
    const TABLE: &'static str = "experiment";
    const COLUMNS: &'static [&'static str] = &[
        "stratum",
        "number",
        "fault",
        "hit_structure",
        "hit_part",
        "hit_sm",
        "hit_subcore",
        "hit_slice",
        "hit_warp",
        "hit_row",
        "hit_set",
        "hit_way",
        "hit_lane",
        "hit_bit",
        "hit_bits",
        "hit_cycle",
        "hit_allocated",
        "hit_kernel",
        "hit_launch",
        "hit_function",
        "hit_instruction",
        "hit_register",
        "class",
        "cause",
        "cause_kind",
        "cycles",
        "reached",
        "how",
        "output_digest",
        "sdc",
        "attempts",
        "noticed",
    ];
    const KEY: &'static str = "stratum, number";

    fn record(&self) -> Record<'_> {
        Record::Experiment(self)
    }

    fn values(&self) -> Result<Vec<Value>, StoreError> {
        if let Some(error) = self.sdc.as_ref().and_then(|s| s.max_relative) {
            finite("max_relative", error)?;
        }
        if let Some(noticed) = &self.noticed {
            finite("score", noticed.score)?;
        }
        let hit = &self.hit;
        Ok(vec![
            Value::Integer(self.stratum.into()),
            integer("number", self.number)?,
            text(&self.fault),
            text(&hit.structure),
            text(&hit.part),
            maybe("hit_sm", hit.sm)?,
            maybe("hit_subcore", hit.subcore)?,
            maybe("hit_slice", hit.slice)?,
            maybe("hit_warp", hit.warp)?,
            maybe("hit_row", hit.row)?,
            maybe("hit_set", hit.set)?,
            maybe("hit_way", hit.way)?,
            maybe("hit_lane", hit.lane)?,
            maybe("hit_bit", hit.bit)?,
            integer("hit_bits", hit.bits)?,
            integer("hit_cycle", hit.cycle)?,
            truth(hit.allocated),
            text(&hit.kernel),
            maybe("hit_launch", hit.launch)?,
            text(&hit.function),
            maybe("hit_instruction", hit.instruction)?,
            text(&hit.register),
            text(self.class.name()),
            text(&self.cause),
            text(&self.cause_kind),
            integer("cycles", self.cycles)?,
            truth(self.reached),
            text(&self.how),
            text(&self.output_digest),
            self.sdc.as_ref().map_or(Ok(Value::Null), json)?,
            Value::Integer(self.attempts.into()),
            self.noticed.as_ref().map_or(Ok(Value::Null), json)?,
        ])
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Experiment> {
        Ok(Experiment {
            stratum: row.get(0)?,
            number: natural(row, 1)?,
            fault: row.get(2)?,
            hit: Hit {
                structure: row.get(3)?,
                part: row.get(4)?,
                sm: perhaps(row, 5)?,
                subcore: perhaps(row, 6)?,
                slice: perhaps(row, 7)?,
                warp: perhaps(row, 8)?,
                row: perhaps(row, 9)?,
                set: perhaps(row, 10)?,
                way: perhaps(row, 11)?,
                lane: perhaps(row, 12)?,
                bit: perhaps(row, 13)?,
                bits: natural(row, 14)?,
                cycle: natural(row, 15)?,
                allocated: row.get(16)?,
                kernel: row.get(17)?,
                launch: perhaps(row, 18)?,
                function: row.get(19)?,
                instruction: perhaps(row, 20)?,
                register: row.get(21)?,
            },
            class: parsed(row, 22, Class::parse)?,
            cause: row.get(23)?,
            cause_kind: row.get(24)?,
            cycles: natural(row, 25)?,
            reached: row.get(26)?,
            how: row.get(27)?,
            output_digest: row.get(28)?,
            sdc: some_json(row, 29)?,
            attempts: row.get(30)?,
            noticed: some_json(row, 31)?,
        })
    }

    fn title(&self) -> String {
        format!("experiment {} of stratum {}", self.number, self.stratum)
    }

    /// There are many.
    fn each(
        db: &Db,
        each: impl FnMut(Found<Experiment>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        every_experiment(db, each)
    }
}

fn text(s: &str) -> Value {
    Value::Text(s.into())
}

fn json<T: Serialize>(value: &T) -> Result<Value, StoreError> {
    String::from_utf8(record::json(value)?)
        .map(Value::Text)
        .map_err(|e| StoreError::Invalid { what: format!("no JSON form: {e}") })
}

fn integer(name: &str, n: u64) -> Result<Value, StoreError> {
    let too_large = |_| StoreError::Invalid { what: format!("{name} {n} has more than 63 bits") };
    Ok(Value::Integer(i64::try_from(n).map_err(too_large)?))
}

fn maybe(name: &str, n: Option<u64>) -> Result<Value, StoreError> {
    n.map_or(Ok(Value::Null), |n| integer(name, n))
}

fn truth(b: Option<bool>) -> Value {
    b.map_or(Value::Null, |b| Value::Integer(b.into()))
}

/// SQLite and JSON have no other numbers.
fn finite(name: &str, x: f64) -> Result<f64, StoreError> {
    match x.is_finite() {
        true => Ok(x),
        false => Err(StoreError::Invalid { what: format!("{name} is {x}") }),
    }
}

fn real(name: &str, x: f64) -> Result<Value, StoreError> {
    // SQLite keeps a whole number as an integer, which has no negative zero.
    match x == 0.0 && x.is_sign_negative() {
        true => Err(StoreError::Invalid { what: format!("{name} is -0") }),
        false => Ok(Value::Real(finite(name, x)?)),
    }
}

fn natural(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let n: i64 = row.get(column)?;
    u64::try_from(n).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, n))
}

fn perhaps(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<u64>> {
    match row.get_ref(column)? {
        rusqlite::types::ValueRef::Null => Ok(None),
        _ => natural(row, column).map(Some),
    }
}

fn parsed<T>(
    row: &Row<'_>,
    column: usize,
    parse: impl FnOnce(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    parse(text).ok_or_else(|| unreadable(column, format!("unknown value {text:?}").into()))
}

fn from_json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    serde_json::from_str(text).map_err(|e| unreadable(column, e.into()))
}

fn some_json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>> {
    match row.get_ref(column)? {
        rusqlite::types::ValueRef::Null => Ok(None),
        _ => from_json(row, column).map(Some),
    }
}

fn unreadable(
    column: usize,
    why: Box<dyn std::error::Error + Send + Sync + 'static>,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, FromSqlError::Other(why).into())
}
