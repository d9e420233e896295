//! Performance counters, written for people and programs.

use std::io::{self, Write};

use serde_json::{Value, json};
use upset_device::pmu::{COUNTERS, Reading};

use crate::failure::{self, Failure};

/// How they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A row for each launch, period and SM, a column for each counter.
    Csv,
    /// One object.
    Json,
}

/// Readings that are not whole are no result.
pub fn check(readings: &[Reading]) -> Result<(), Failure> {
    match readings.iter().find(|r| r.cut) {
        None => Ok(()),
        Some(cut) => Err(Failure::new(
            failure::BAD_INPUT,
            format!(
                "the counters were read too often: from launch {} (`{}`) on there are more \
                 readings than can be kept; give a larger --every or smaller --samples",
                cut.launch, cut.kernel
            ),
        )),
    }
}

/// Writes readings; `about` says what of.
pub fn write(
    to: &mut dyn Write,
    format: Format,
    about: Value,
    readings: &[Reading],
) -> io::Result<()> {
    match format {
        Format::Csv => csv(to, readings),
        Format::Json => {
            let mut whole = about;
            whole["readings"] = json!(readings);
            writeln!(to, "{whole:#}")
        }
    }
}

fn csv(to: &mut dyn Write, readings: &[Reading]) -> io::Result<()> {
    write!(to, "launch,kernel,ended,period,from,to,sm")?;
    for about in COUNTERS {
        write!(to, ",{}", about.name)?;
    }
    writeln!(to)?;
    for reading in readings {
        let kernel = field(&reading.kernel);
        let mut from = 0;
        for (i, period) in reading.periods.iter().enumerate() {
            for (sm, counts) in period.sms.iter().enumerate() {
                let (launch, ended) = (reading.launch, reading.ended);
                write!(to, "{launch},{kernel},{ended},{i},{from},{},{sm}", period.to)?;
                for (_, n) in counts.iter() {
                    write!(to, ",{n}")?;
                }
                writeln!(to)?;
            }
            from = period.to;
        }
    }
    Ok(())
}

/// A field of a CSV file.
fn field(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}

/// Reads the lines that a program's processes wrote, and numbers the launches.
pub fn lines(text: &str) -> Result<Vec<Reading>, Failure> {
    let of = |(i, line): (usize, &str)| {
        let mut reading: Reading = serde_json::from_str(line).map_err(|e| {
            Failure::new(failure::OURS, format!("the counters of launch {i} cannot be read: {e}"))
        })?;
        reading.launch = i as u64;
        Ok(reading)
    };
    text.lines().enumerate().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_device::pmu::{Counter, Counts, Period};

    fn reading() -> Reading {
        let counts = |n| {
            let mut counts = Counts::default();
            counts.set(Counter::WarpInsts, n);
            counts.set(Counter::StallDrain, n + 1);
            counts
        };
        Reading {
            launch: 3,
            kernel: "f<a, \"b\">".into(),
            grid: [1; 3],
            block: [32, 1, 1],
            lanes: 32,
            schedulers: 4,
            ended: true,
            cut: false,
            start: 0,
            cycles: 15,
            periods: vec![
                Period { to: 10, sms: vec![counts(1), counts(2)] },
                Period { to: 15, sms: vec![counts(3), counts(4)] },
            ],
        }
    }

    fn written(format: Format) -> String {
        let mut bytes = Vec::new();
        write(&mut bytes, format, json!({ "chip": "x" }), &[reading()]).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_row_for_each_period_and_sm() {
        let text = written(Format::Csv);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5);
        assert!(lines[0].starts_with("launch,kernel,ended,period,from,to,sm,warp_insts,thread_"));
        assert!(lines[0].ends_with(",stall_drain"));
        let ends = [(0, 0, 10, 0, 1), (0, 0, 10, 1, 2), (1, 10, 15, 0, 3), (1, 10, 15, 1, 4)];
        for (line, (period, from, to, sm, n)) in lines[1..].iter().zip(ends) {
            let begin = format!("3,\"f<a, \"\"b\"\">\",true,{period},{from},{to},{sm},{n},0,");
            assert!(line.starts_with(&begin), "{line}");
            assert!(line.ends_with(&format!(",{}", n + 1)), "{line}");
        }
    }

    #[test]
    fn json_can_be_read_again() {
        let v: Value = serde_json::from_str(&written(Format::Json)).unwrap();
        assert_eq!(v["chip"], "x");
        let readings: Vec<Reading> = serde_json::from_value(v["readings"].clone()).unwrap();
        assert_eq!(readings, [reading()]);
        let line = serde_json::to_string(&reading()).unwrap();
        let two = lines(&format!("{line}\n{line}\n")).unwrap();
        assert_eq!((two[0].launch, two[1].launch, two[1].cycles), (0, 1, 15));
        assert_eq!(lines("no JSON").unwrap_err().code, failure::OURS);
    }

    #[test]
    fn readings_that_were_cut_short_are_bad_input() {
        assert!(check(&[reading()]).is_ok());
        let e = check(&[reading(), Reading { cut: true, ..reading() }]).unwrap_err();
        assert_eq!(e.code, failure::BAD_INPUT);
        assert!(e.message.contains("launch 3"), "{}", e.message);
    }
}
