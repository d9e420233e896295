//! What people and scripts read.

use upset_report::{Options, RawFit, RawFits, Report};

use crate::fixture::study;

fn options() -> Options {
    Options { raw_fit: RawFit::parse("12nm", None).ok().map(RawFits::One), ..Options::default() }
}

#[test]
fn text() {
    insta::assert_snapshot!(Report::new(&[study()], &options()).text());
}

#[test]
fn text_without_raw_fit() {
    let text = Report::new(&[study()], &Options::default()).text();
    assert!(!text.contains("MTBF  ") && text.contains("--raw-fit chip"));
}

#[test]
fn json() {
    let json = Report::new(&[study()], &options()).json();
    // One row whole, and the sums of one panel; the rest has the same form.
    insta::assert_snapshot!("json_row", format!("{:#}", json["rows"][0]));
    let mut total = json["totals"][0].clone();
    // What is long is checked number by number in `breakdown`; one of each kind here.
    let first = |list: &serde_json::Value| list[0].clone();
    total["worst_sdcs"] = first(&total["worst_sdcs"]);
    let b = &mut total["breakdowns"];
    *b = first(b);
    for key in ["by_bit", "over_time", "instructions"] {
        b[key] = first(&b[key]);
    }
    b["map"]["slots"] = first(&b["map"]["slots"]);
    insta::assert_snapshot!("json_total", format!("{total:#}"));
    assert_eq!(json["rows"].as_array().map(Vec::len), Some(48));
    assert_eq!(json["totals"].as_array().map(Vec::len), Some(8));
    let number = |v: &serde_json::Value| v.as_u64().unwrap();
    for row in json["rows"].as_array().unwrap() {
        let classes = ["masked", "performance", "sdc", "crash", "timeout", "tool_error"];
        let sum: u64 = classes.iter().map(|c| number(&row[c])).sum();
        assert_eq!(number(&row["runs"]), sum);
        assert_eq!(number(&row["n"]) + number(&row["tool_error"]), sum);
        if number(&row["planned"]) > 0 {
            let avf = |key: &str| row[key].as_f64();
            let (low, high) = (avf("avf_low").unwrap(), avf("avf_high").unwrap());
            assert_eq!(avf("avf").is_some(), row["complete"] == true);
            assert!(avf("avf").is_none_or(|a| low <= a && a <= high) && low < high);
        }
    }
}

#[test]
fn nothing_at_all() {
    let report = Report::new(&[], &Options::default());
    assert!(report.text().starts_with("0 experiments"));
    assert_eq!(report.json()["rows"], serde_json::json!([]));
    assert!(report.html().contains("</html>"));
}
