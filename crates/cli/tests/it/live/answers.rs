//! What the server says of finished stores.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::time::Duration;

use serde_json::Value;

use super::{Reply, SPEC, Served, program, store};
use crate::{code, stderr, stdout, upset};

#[test]
fn the_numbers_are_those_of_the_report() {
    let dir = tempfile::tempdir().unwrap();
    let path = store(dir.path(), &SPEC, "a.db", &[]);
    let served = Served::of(&[&path]);
    let campaign = served.snapshot()["campaigns"][0].clone();
    assert_eq!(campaign["state"], "complete");
    let named = path.display().to_string();
    let report = upset(&["report", &named, "-q", "--json", "-"]);
    let report: Value = serde_json::from_str(&stdout(&report)).unwrap();
    let rows: Vec<&Value> = campaign["panels"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|p| p["rows"].as_array().unwrap())
        .collect();
    let theirs = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), theirs.len());
    for (ours, theirs) in rows.iter().zip(theirs) {
        for (a, b) in [
            ("done", "runs"),
            ("missing", "missing"),
            ("avf", "avf"),
            ("avf_low", "avf_low"),
            ("avf_high", "avf_high"),
            ("structure", "structure"),
            ("kernel", "kernel_name"),
        ] {
            assert_eq!(ours[a], theirs[b], "{a}");
        }
        assert_eq!(ours["counts"]["sdc"], theirs["sdc"]);
        assert_eq!(ours["counts"]["masked"], theirs["masked"]);
    }
    let runs: u64 = theirs.iter().map(|r| r["runs"].as_u64().unwrap()).sum();
    assert_eq!(campaign["done"], runs);
    // The page says the same in words, and works without a script.
    let page = served.get("/");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("sp and va on rtx2060") && page.body.contains("complete"));
    assert!(page.body.contains("<noscript><meta http-equiv=\"refresh\""));
    assert_eq!(served.get(&format!("/c/{}/", campaign["id"].as_str().unwrap())).status, 200);
    // Printed instead of served.
    let printed = upset(&["serve", &named, "--print", "snapshot"]);
    assert_eq!(serde_json::from_str::<Value>(&stdout(&printed)).unwrap()["campaigns"][0], campaign);
}

/// Every failure that is shown comes back when its command is run.
#[test]
fn failures_are_replayed_by_their_commands() {
    let dir = tempfile::tempdir().unwrap();
    let more =
        ["--set", "sm.count=15", "--limit", "3", "--input-seed", "5", "--sampling", "active"];
    let path = store(dir.path(), &SPEC, "a.db", &more);
    let served = Served::of(&[&path]);
    let campaign = served.snapshot()["campaigns"][0].clone();
    let recent = campaign["recent"].as_array().unwrap();
    assert!(recent.len() >= 3, "{recent:?}");
    for failed in recent.iter().take(4) {
        let command = failed["replay"].as_str().unwrap();
        let words = command.strip_prefix("upset ").unwrap();
        let upset = env!("CARGO_BIN_EXE_upset");
        let ran = std::process::Command::new("sh")
            .args(["-c", &format!("'{upset}' {words} --json - -q")])
            .output()
            .unwrap();
        assert_eq!(ran.status.code(), Some(0), "{command}: {}", stderr(&ran));
        let told: Value = serde_json::from_str(&stdout(&ran)).unwrap();
        assert_eq!(told["class"], failed["class"], "{command}: {told}");
    }
}

#[test]
fn only_reading_is_allowed_and_headers_are_strict() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::of(&[dir.path()]);
    let host = served.at().to_string();
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"] {
        let reply = served.raw(format!("{method} / HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
        assert_eq!(reply.status, 405, "{method}");
        assert!(reply.head.contains("Allow: GET, HEAD"));
    }
    let page = served.get("/");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("No campaign yet"), "{}", page.body);
    for header in [
        "Content-Security-Policy: default-src 'none'",
        "X-Content-Type-Options: nosniff",
        "X-Frame-Options: DENY",
        "Referrer-Policy: no-referrer",
        "Cache-Control: no-store",
    ] {
        assert!(page.head.contains(header), "{header}: {}", page.head);
    }
    assert!(!page.head.to_lowercase().contains("access-control"), "{}", page.head);
    assert!(!page.body.contains("http://") && !page.body.contains("https://"), "{}", page.body);
    let head = served.raw(format!("HEAD / HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    // Another name for this machine may be another's page that leads here.
    let foreign = served.raw(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    assert_eq!(foreign.status, 421);
    assert!(!foreign.body.contains("campaign"));
    assert_eq!(served.get("/events?page=nobody").status, 404);
    assert_eq!(served.get("/healthz").body, "ok\n");
    assert_eq!(served.raw(b"GET /healthz HTTP/1.0\r\n\r\n").status, 200);
}

#[test]
fn other_addresses_need_the_token() {
    let dir = tempfile::tempdir().unwrap();
    let path = store(dir.path(), &SPEC, "a.db", &[]);
    let before = std::fs::read(&path).unwrap();
    let served = Served::start(program(&["serve", "--listen=0.0.0.0:0"]).arg(&path));
    let (place, token) = served.url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let port = place.rsplit(':').next().unwrap();
    assert!(token.len() == 33 && token.ends_with('/'), "{}", served.url);
    let ask = |path: &str| {
        let mut stream = std::net::TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: any.example\r\n\r\n").unwrap();
        Reply::read(&mut stream)
    };
    for inside in ["", "all", "style.css", "api/snapshot.json", "metrics"] {
        assert_eq!(ask(&format!("/{token}{inside}")).status, 200, "{inside}");
        let outside = ask(&format!("/{inside}"));
        assert_eq!(outside.status, 403, "{inside}");
        assert!(!outside.body.contains("rtx2060"));
        let mut wrong = token.to_string();
        wrong.replace_range(31..32, if wrong.ends_with("0/") { "1" } else { "0" });
        assert_eq!(ask(&format!("/{wrong}{inside}")).status, 403);
    }
    assert_eq!(ask("/healthz").status, 200);
    // It is in no page and in no result.
    let word = token.trim_end_matches('/');
    for inside in ["", "api/snapshot.json", "metrics"] {
        assert!(!ask(&format!("/{token}{inside}")).body.contains(word), "{inside}");
    }
    assert!(before == std::fs::read(&path).unwrap());
}

#[test]
fn a_port_in_use_is_one_clear_error() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::of(&[dir.path()]);
    let folder = dir.path().display().to_string();
    let second = upset(&["serve", &folder, "--listen", served.at()]);
    assert_eq!(code(&second), 2);
    let said = stderr(&second);
    assert!(said.lines().count() == 1 && said.contains("is in use by another program"), "{said}");
    // A campaign that cannot be shown is not begun.
    let out = dir.path().join("b.db");
    let at = format!("--serve={}", served.at());
    let words = [&SPEC[..], &[&at, "-q", "--out", out.to_str().unwrap()]].concat();
    let refused = upset(&words);
    assert_eq!(code(&refused), 2);
    assert_eq!(stderr(&refused), said);
    assert!(!out.exists());
    for (words, needle) in [
        (vec!["serve", "nowhere.db"], "there is no nowhere.db"),
        (vec!["serve", &folder, "--listen", "here"], "is no address"),
        (vec!["serve", &folder, "--listen", "203.0.113.1:1"], "cannot listen on 203.0.113.1:1"),
    ] {
        let refused = upset(&words);
        assert_eq!(code(&refused), 2, "{words:?}");
        assert!(stderr(&refused).contains(needle), "{}", stderr(&refused));
    }
}

#[test]
fn signals_end_the_server_well() {
    let dir = tempfile::tempdir().unwrap();
    for signal in ["-INT", "-TERM"] {
        let mut served = Served::of(&[dir.path()]);
        assert_eq!(served.get("/").status, 200);
        served.signal(signal);
        assert_eq!(served.wait(), 0, "{signal}");
    }
}

/// Samples by name and labels, of a text that is checked line by line.
fn openmetrics(text: &str) -> BTreeMap<String, f64> {
    let mut samples = BTreeMap::new();
    let (mut family, mut kind) = (String::new(), String::new());
    let body = text.strip_suffix("# EOF\n").expect("an end");
    for line in body.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, is) = rest.split_once(' ').unwrap();
            assert_ne!(family, name, "twice");
            (family, kind) = (name.into(), is.into());
            assert!(["counter", "gauge", "info", "stateset"].contains(&is), "{line}");
        } else if let Some(rest) = line.strip_prefix("# HELP ") {
            assert!(rest.starts_with(&format!("{family} ")), "{line}");
        } else {
            let (labels, value) = line.rsplit_once(' ').unwrap();
            let name = labels.split('{').next().unwrap();
            let suffix = match kind.as_str() {
                "counter" => "_total",
                "info" => "_info",
                _ => "",
            };
            assert_eq!(name, format!("{family}{suffix}"), "{line}");
            assert!(labels.ends_with("\"}"), "{line}");
            let value: f64 = value.parse().unwrap();
            assert!(samples.insert(labels.to_string(), value).is_none(), "twice: {line}");
        }
    }
    samples
}

#[test]
fn metrics_add_up() {
    let dir = tempfile::tempdir().unwrap();
    store(dir.path(), &SPEC, "one.db", &[]);
    store(dir.path(), &SPEC, "two.db", &["--seed", "2"]);
    std::fs::write(dir.path().join("notes.db"), "no store").unwrap();
    let served = Served::of(&[dir.path()]);
    let reply = served.get("/metrics");
    assert!(reply.head.contains("application/openmetrics-text"), "{}", reply.head);
    let samples = openmetrics(&reply.body);
    let sum = |name: &str, has: &str| -> f64 {
        samples.iter().filter(|(k, _)| k.starts_with(name) && k.contains(has)).map(|(_, v)| v).sum()
    };
    assert_eq!(sum("upset_campaign_info{", ""), 2.0);
    assert_eq!(sum("upset_runs_total{", ""), 320.0);
    assert_eq!(sum("upset_runs_planned{", "structure=\"rf\""), 160.0);
    assert_eq!(sum("upset_runs_missing{", ""), 0.0);
    assert_eq!(sum("upset_campaign_state{", "complete"), 2.0);
    let snapshot = served.snapshot();
    let campaigns = snapshot["campaigns"].as_array().unwrap();
    let failures: u64 = campaigns.iter().map(|c| c["failures"].as_u64().unwrap()).sum();
    let failed: f64 = ["sdc", "crash", "timeout"]
        .iter()
        .map(|o| sum("upset_runs_total{", &format!("outcome=\"{o}\"")))
        .sum();
    assert_eq!(failed, failures as f64);
    // Several campaigns are a list, each with a page of its own.
    let list = served.get("/").body;
    assert!(list.contains("2 campaigns"), "{list}");
    for campaign in campaigns {
        let link = format!("c/{}/", campaign["id"].as_str().unwrap());
        assert!(list.contains(&link));
        assert_eq!(served.get(&format!("/{link}")).status, 200);
    }
    let printed = upset(&["serve", dir.path().to_str().unwrap(), "--print", "metrics"]);
    assert_eq!(openmetrics(&stdout(&printed)), samples);
}

/// Reads a stream until something is in it.
fn read_until(stream: &mut std::net::TcpStream, what: &str) -> String {
    let (mut text, mut buffer) = (String::new(), [0; 4096]);
    while !text.contains(what) {
        let n = stream.read(&mut buffer).expect("more");
        assert!(n > 0, "it ended: {text}");
        text += &String::from_utf8_lossy(&buffer[..n]);
    }
    text
}

#[test]
fn who_comes_back_is_told_only_what_changed() {
    let dir = tempfile::tempdir().unwrap();
    let path = store(dir.path(), &SPEC, "a.db", &[]);
    let ask = |served: &Served, last: &str| {
        let mut stream = served.connect();
        let host = served.at();
        write!(stream, "GET /events HTTP/1.1\r\nHost: {host}\r\n{last}\r\n").unwrap();
        stream
    };
    let served = Served::of(&[&path]);
    let text = read_until(&mut ask(&served, ""), "\n\n");
    let text = text.clone() + &read_until(&mut ask(&served, ""), "data: {");
    assert!(text.contains("text/event-stream"), "{text}");
    let id = text.split("id: ").nth(1).unwrap().lines().next().unwrap().to_string();
    drop(served);
    // Another server of the same store: the same state has the same name.
    let served = Served::of(&[&path]);
    let mut stream = ask(&served, &format!("Last-Event-ID: {id}\r\n"));
    read_until(&mut stream, "retry: 2000\n\n");
    stream.set_read_timeout(Some(Duration::from_secs(3))).unwrap();
    let mut buffer = [0; 64];
    assert!(stream.read(&mut buffer).is_err(), "{}", String::from_utf8_lossy(&buffer));
    // What changed is told.
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    std::fs::remove_file(&path).unwrap();
    store(dir.path(), &SPEC, "a.db", &["--seed", "9"]);
    read_until(&mut stream, "data: {");
}
