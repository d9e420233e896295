//! `upset inject`: what people and machines read.

use serde_json::Value;

use crate::{code, stderr, stdout, upset};

fn inject(fault: &str) -> String {
    let o = upset(&["inject", "va", "--chip", "rtx2060", "--fault", fault]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    stdout(&o)
}

fn json(fault: &str) -> Value {
    let o = upset(&["inject", "va", "--chip", "rtx2060", "--fault", fault, "--json", "-"]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    serde_json::from_slice(&o.stdout).expect("one object")
}

#[test]
fn a_register_that_is_read() {
    insta::assert_snapshot!(inject("rf:sm3.sub1.row6.lane5.bit2@700"));
}

#[test]
fn a_register_that_is_overwritten() {
    insta::assert_snapshot!(inject("rf:sm3.sub1.row4.lane5.bit30@890"));
}

#[test]
fn an_address_that_leads_nowhere() {
    insta::assert_snapshot!(inject("rf:sm3.sub1.row7.lane5.bit7@700"));
}

#[test]
fn a_stuck_register_nobody_owns_yet() {
    insta::assert_snapshot!(inject("stuck1 rf:sm3.sub1.row9.lane5.bit30@0.."));
}

#[test]
fn a_counter_that_hangs() {
    insta::assert_snapshot!(inject("sb:sm1.warp2.sb2.bit3@700"));
}

#[test]
fn an_instruction_in_a_buffer() {
    insta::assert_snapshot!(inject("ibuf:sm0.warp3.entry1.bit32@700"));
}

#[test]
fn two_bits_at_once() {
    insta::assert_snapshot!(inject("pred:sm0.warp4.p0.bit3@700+smem:sm9.byte7.bit0@700"));
}

#[test]
fn json_has_what_scripts_rely_on() {
    for fault in [
        "rf:sm3.sub1.row6.lane5.bit2@700",
        "ibuf:sm0.warp3.entry1.bit32@700",
        "l1i:sm0.set0.way0.data.bit40@600",
        "l2:slice4.set9.way3.tag.bit3@600",
        "pc:sm1.warp2.lane3.bit5@700",
    ] {
        let o = json(fault);
        assert_eq!(o["fault"], fault);
        for key in ["class", "cycles", "golden_cycles", "limit", "hit", "events"] {
            assert!(!o[key].is_null(), "{fault}: {key}");
        }
        assert_eq!(o["hit"][0]["site"].as_str(), fault.split('@').next());
    }
    let o = json("rf:sm3.sub1.row6.lane5.bit2@700");
    assert_eq!(o["class"], "sdc");
    assert_eq!(o["hit"][0]["register"], "R6");
    assert_eq!(o["events"][0]["what"], "read");
    assert_eq!(o["events"][0]["by"]["who"], "warp");
    assert_eq!(o["first_wrong"]["output"], "c");
}

/// An L2 of one set, whose ways are taken one after the other.
const ONE_SET: [&str; 10] = [
    "--set",
    "memory.partitions=1",
    "--set",
    "memory.slices_per_partition=1",
    "--set",
    "cache.l2.sets=1",
    "--set",
    "cache.l2.ways=512",
    "--set",
    "cache.l2.set_hash=linear",
];

/// A flip in a line that an upload left in L2 comes to the program in L1D.
#[test]
fn copies_of_a_wrong_byte_are_followed() {
    let fault = ["--fault", "l2:slice0.set0.way20.data.bit5@1"];
    let o = upset(&[&["inject", "va", "--chip", "rtx2060"], &ONE_SET[..], &fault].concat());
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    insta::assert_snapshot!(stdout(&o));
}

#[test]
fn the_same_command_gives_the_same_answer() {
    let fault = "l1d:sm1.set0.way3.data.bit77@900";
    assert_eq!(inject(fault), inject(fault));
}

#[test]
fn wrong_input_is_told_before_the_work() {
    let run = |fault: &str, more: &[&str]| {
        let mut args = vec!["inject", "va", "--chip", "rtx2060", "--fault", fault];
        args.extend(more);
        let o = upset(&args);
        (code(&o), stderr(&o))
    };
    let (code, said) = run("rf:sm3.sub1.row5.lane5.bit12@70000", &[]);
    assert_eq!(code, 2);
    assert!(said.contains("never injected") && said.contains("70000"), "{said}");
    let (code, said) = run("rf:sm99.sub1.row5.lane5.bit12@7", &[]);
    assert_eq!(code, 2, "{said}");
    let (code, said) = run("rf:sm3.sub1.row5.lane5.bit12@700", &["--limit", "0.5"]);
    assert_eq!((code, said.contains("at least 1")), (2, true), "{said}");
}

#[test]
fn a_bit_held_where_it_is_is_never_wrong() {
    let held = json("burst1(10/90) rf:sm3.sub1.row6.lane5.bit2@700..900");
    assert_eq!(held["hit"][0]["value"], true);
    assert_eq!(held["class"], "masked");
    assert_eq!(held["still_wrong"], serde_json::json!([]));
}

#[test]
fn outcomes_are_judged_as_in_the_campaign() {
    let fault = "rf:sm3.sub1.row6.lane5.bit2@700";
    let class = |more: &[&str]| {
        let args = ["inject", "va", "--chip", "rtx2060", "--fault", fault, "--json", "-"];
        let out = upset(&[&args[..], more].concat());
        assert_eq!(code(&out), 0, "{}", stderr(&out));
        serde_json::from_str::<Value>(&stdout(&out)).expect("JSON")["class"].clone()
    };
    assert_eq!(class(&[]), "sdc");
    assert_eq!(class(&["--compare", "verdict"]), "sdc");
    assert_eq!(class(&["--compare", "results", "--tolerance", "10"]), "masked");
    let args = ["inject", "va", "--chip", "rtx2060", "--fault", fault, "--files", "x"];
    assert_eq!(code(&upset(&args)), 2);
}
