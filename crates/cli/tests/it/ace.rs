//! `upset ace`: what is printed and written.

use serde_json::Value;

use crate::{code, stderr, stdout, upset};

#[test]
fn the_bounds_of_a_small_run() {
    let o = upset(&["ace", "va", "--chip", "rtx2060", "--structure", "rf,l2.tag"]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    // Numbers change with the model; the form does not.
    let outline: String = stdout(&o)
        .lines()
        .map(|line| {
            let number = |c: char| c.is_ascii_digit() || "▁▂▃▄▅▆▇█".contains(c);
            let word = |w: &str| if w.starts_with(number) { "#".into() } else { w.to_string() };
            let mut words: Vec<String> = line.split_whitespace().map(word).collect();
            words.dedup();
            words.join(" ") + "\n"
        })
        .take_while(|line| !line.starts_with("HOT SPOTS"))
        .collect();
    insta::assert_snapshot!(outline, @r"
    va (small) on rtx2060: upper bounds from one run of # cycles

    KERNEL STRUCTURE BITS CYCLES AVF UTIL REFINED UTIL
    vectorAdd rf # % # % # % # %
    vectorAdd l2.tag # % # % # % # %
    (all) rf # % # % # % # %
    (all) l2.tag # % # % # % # %

    VULNERABLE BITS OVER TIME (refined)
    STRUCTURE MOST BITS
    rf #
    l2.tag #
    ");
}

#[test]
fn json_has_rows_a_timeline_and_hot_spots() {
    let o = upset(&["ace", "va", "--chip", "rtx2060", "--json", "-"]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let v: Value = serde_json::from_str(&stdout(&o)).expect("one JSON object");
    let rows = v["rows"].as_array().expect("rows");
    let rf = rows.iter().find(|r| r["structure"] == "rf" && r["kernel"].is_null()).expect("rf");
    let share = |key: &str| rf[key].as_f64().expect("a number");
    assert!(0.0 < share("avf_refined") && share("avf_refined") <= share("avf"));
    assert!(share("avf") < share("avf_util"));
    assert!(v["timeline"].as_array().is_some_and(|t| !t.is_empty()));
    assert!(v["hot_spots"][0]["instruction"].is_string());
}

#[test]
fn what_cannot_be_analysed_is_said() {
    let o = upset(&["ace", "--chip", "rtx2060", "--", "./program"]);
    assert_eq!(code(&o), 3, "{}", stderr(&o));
    let o = upset(&["ace", "va", "--chip", "rtx2060", "--structure", "pc"]);
    assert_eq!(code(&o), 2);
    assert!(stderr(&o).contains("no structure `pc` is analysed here"), "{}", stderr(&o));
}
