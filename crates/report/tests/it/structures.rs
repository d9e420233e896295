//! Structures over applications: the page's numbers are those of the JSON.

use serde_json::{Value, json};
use upset_report::{AceBounds, Options, RawFit, RawFits, Report};

use crate::fixture::study;
use crate::html::assert_balanced;

/// Bounds for one application on a chip: all kernels that the study has.
fn bounds(app: &str, chip: &str, report: &Value) -> AceBounds {
    let own = |r: &&Value| r["app"] == app && r["chip"] == chip && r["bits"] == 1;
    let rows: Vec<Value> = report["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(own)
        .map(|r| {
            let avf = r["avf"].as_f64().unwrap_or(0.0);
            json!({ "kernel": r["kernel"], "structure": r["structure"],
                    "avf": 2.0 * avf + 0.01, "avf_refined": avf + 0.01 })
        })
        .collect();
    let text = json!({ "app": app, "chip": chip, "scale": "paper", "rows": rows }).to_string();
    AceBounds::parse(&text).unwrap()
}

fn report(ace: bool) -> Report {
    let raw_fit = RawFit::parse("sifi", None).ok().map(RawFits::One);
    let plain = Options { raw_fit, ..Options::default() };
    let first = Report::new(&[study()], &plain);
    if !ace {
        return first;
    }
    let json = first.json();
    let ace = ["hs", "pathf"].map(|app| bounds(app, "rtx2060", &json)).to_vec();
    Report::new(&[study()], &Options { ace, ..plain })
}

/// As the page shows a share.
fn percent(x: f64) -> String {
    let digits = |p: f64| match p {
        p if p >= 10.0 => 1,
        p if p >= 1.0 => 2,
        _ => 3,
    };
    let p = 100.0 * x;
    format!("{p:.0$}", digits(p))
}

#[test]
fn kernels_are_weighted_with_their_cycles() {
    let json = report(true).json();
    let total = json["totals"].as_array().unwrap().iter();
    let mut seen = 0;
    for t in total.filter(|t| t["bits"] == 1 && t["chip"] == "rtx2060") {
        for s in t["structures"].as_array().unwrap() {
            let own = |r: &&Value| {
                ["app", "chip", "bits"].iter().all(|k| r[*k] == t[*k])
                    && r["structure"] == s["structure"]
            };
            let rows: Vec<&Value> = json["rows"].as_array().unwrap().iter().filter(own).collect();
            let weight = |r: &Value| {
                let name = &r["kernel"];
                let kernels = t["kernels"].as_array().unwrap();
                let k = kernels.iter().find(|k| k["kernel"] == *name).unwrap();
                k["cycles"].as_f64().unwrap()
            };
            let all: f64 = rows.iter().map(|r| weight(r)).sum();
            let mean: f64 = rows.iter().map(|r| weight(r) / all * r["ace"].as_f64().unwrap()).sum();
            assert!((s["ace"].as_f64().unwrap() - mean).abs() < 1e-12);
            seen += 1;
        }
    }
    assert!(seen >= 6, "{seen}");
}

#[test]
fn the_page_shows_what_the_json_says() {
    let report = report(true);
    let (page, json) = (report.html(), report.json());
    assert_balanced(&page);
    let (_, section) = page.split_once("<section id=\"structures\">").unwrap();
    let (section, _) = section.split_once("</section>").unwrap();
    let mut seen = 0;
    for t in json["totals"].as_array().unwrap().iter().filter(|t| t["bits"] == 1) {
        for s in t["structures"].as_array().unwrap() {
            let text = |x: &Value| x.as_str().unwrap().to_string();
            let head = format!(
                "<tr><th scope=\"row\" class=\"w\">{}</th><td class=\"w\">{} (paper)</td>\
                 <td class=\"w\">{}</td>",
                text(&s["structure"]),
                text(&t["app"]),
                text(&t["chip"])
            );
            let (_, row) = section.split_once(&head).unwrap_or_else(|| panic!("{head}"));
            let (row, _) = row.split_once("</tr>").unwrap();
            let mut wanted = vec![&s["avf"]["value"], &s["occupancy"], &s["avf_util"]["value"]];
            wanted.extend([&s["ace"], &s["ace_refined"]]);
            for value in wanted.into_iter().filter_map(Value::as_f64).filter(|v| *v > 0.0) {
                assert!(row.contains(&percent(value)), "{value} in {row}");
                seen += 1;
            }
        }
    }
    assert!(seen > 30, "{seen}");
}

#[test]
fn charts_of_the_analysis_are_there_where_it_is() {
    let figure = |page: &str, id: &str| page.contains(&format!("class=\"chart\" id=\"{id}\""));
    let with = report(true).html();
    // Chips by name: rtx2060 is the second.
    for id in ["ace-0-1", "in-use-0-0", "in-use-2-1", "structure-0", "structure-2", "eit", "epf"] {
        assert!(figure(&with, id), "{id}");
    }
    // The analysis was made for that chip alone.
    assert!(!figure(&with, "ace-0-0"));
    let without = report(false).html();
    assert!(!figure(&without, "ace-0-1") && figure(&without, "in-use-0-0"));
    // One application has nothing to be compared with.
    let mut one = study();
    let own: Vec<u32> = one.subjects.iter().filter(|s| s.app == "hs").map(|s| s.id).collect();
    one.strata.retain(|s| own.contains(&s.subject));
    one.subjects.retain(|s| own.contains(&s.id));
    let page = Report::new(&[one], &Options::default()).html();
    assert!(!page.contains("id=\"structures\""));
}

#[test]
fn bounds_stand_in_the_text_beside_the_structures() {
    let text = report(true).text();
    assert!(text.contains("SHARE  ") && text.contains("ACE  REFINED"), "{text}");
}
