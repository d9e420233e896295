//! Requests that no browser sends: the server lives, its memory is bounded, and
//! the campaign does not notice.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use super::{LONG, Reply, SPEC, Served, program, store, until};

/// Kilobytes of memory that a process has.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap_or_default().to_string();
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// Nothing that is sent reaches the file system.
fn paths(served: &Served) {
    for path in [
        "/../../../../etc/passwd",
        "/..%2f..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/c/../../etc/passwd",
        "/c/../",
        "/c//",
        "/a.db",
        "/style.css/../a.db",
        "/\\..\\..\\a.db",
        "/c/%00/",
    ] {
        let reply = served.get(path);
        assert_eq!(reply.status, 404, "{path}: {reply:?}");
        assert!(!reply.body.contains("root:") && !reply.body.contains("SQLite"), "{reply:?}");
    }
}

fn sizes(served: &Served) {
    let host = served.at();
    let long = "x".repeat(100_000);
    let url = served.raw(format!("GET /{long} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
    assert_eq!(url.status, 414);
    let head = format!("GET / HTTP/1.1\r\nHost: {host}\r\nCookie: {long}\r\n\r\n");
    assert_eq!(served.raw(head.as_bytes()).status, 431);
    let many = "A: b\r\n".repeat(5_000);
    let head = format!("GET / HTTP/1.1\r\nHost: {host}\r\n{many}\r\n");
    assert_eq!(served.raw(head.as_bytes()).status, 431);
    // A line without an end is cut off, however much comes.
    let mut stream = served.connect();
    let endless = vec![b'z'; 1 << 20];
    let mut sent = 0usize;
    while sent < 64 && stream.write_all(&endless).is_ok() {
        sent += 1;
    }
    assert!(sent < 64, "64 MB were taken");
}

fn garbage(served: &Served) {
    for bytes in [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET\r\n\r\n",
        b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost\r\n\r\n",
        b"GET / HTTP/1.1\r\n\xff\xfe: x\r\n\r\n",
    ] {
        let reply = served.raw(bytes);
        assert!([400, 505].contains(&reply.status), "{bytes:?}: {reply:?}");
    }
    // Noise that never ends a line, and then silence.
    let mut dice = 0x9e37_79b9u32;
    for _ in 0..20 {
        let noise: Vec<u8> = (0..3000)
            .map(|_| {
                dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (dice >> 24) as u8
            })
            .collect();
        let mut stream = served.connect();
        let _ = stream.write_all(&noise);
    }
}

fn versions(served: &Served) {
    let old = served.raw(b"GET / HTTP/1.0\r\n\r\n");
    assert_eq!(old.status, 200);
    assert!(old.body.ends_with("</html>\n"));
    // Several at once: the first is answered, and the connection closed in order.
    let host = served.at();
    let one = format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let reply = served.raw(one.repeat(100).as_bytes());
    assert_eq!((reply.status, reply.body.as_str()), (200, "ok\n"));
    // Who has said all may stop talking and still listens.
    let mut stream = served.connect();
    stream.write_all(one.as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(Reply::read(&mut stream).body, "ok\n");
    // Who stops in the middle of a sentence is told so; who says nothing is not missed.
    let mut stream = served.connect();
    stream.write_all(b"GET / HT").unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(Reply::read(&mut stream).status, 400);
    drop(served.connect());
}

/// Who sends a byte now and then is cut off after seconds, however long he goes on.
fn slowly(served: &Served) {
    let begun = Instant::now();
    let mut slow: Vec<TcpStream> = (0..40).map(|_| served.connect()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET / HTTP/1.1\r\nX-").unwrap();
    }
    let mut cut = false;
    while begun.elapsed() < Duration::from_secs(20) && !cut {
        thread::sleep(Duration::from_millis(500));
        slow.iter_mut().for_each(|s| drop(s.write(b"a")));
        let mut byte = [0];
        slow[0].set_read_timeout(Some(Duration::from_millis(10))).unwrap();
        cut = slow[0].read(&mut byte).is_ok();
    }
    assert!(cut, "a slow sender was not cut off");
    // Others are served meanwhile, or soon after.
    drop(slow);
    until("served after slow senders", || (served.get("/healthz").status == 200).then_some(()));
    // Nor is somebody waited for who does not read.
    let mut deaf: Vec<TcpStream> = (0..30).map(|_| served.connect()).collect();
    let host = served.at();
    for stream in &mut deaf {
        write!(stream, "GET /events HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    }
    assert_eq!(served.get("/healthz").status, 200);
}

/// A thousand at once: each is answered or sent away, and memory stays small.
fn crowd(served: &Served, server: u32) {
    let before = resident(server);
    let mut crowd: Vec<TcpStream> = Vec::new();
    for _ in 0..1000 {
        // The system may refuse some by itself.
        if let Ok(stream) = TcpStream::connect(served.at()) {
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            crowd.push(stream);
        }
    }
    assert!(crowd.len() > 500, "{}", crowd.len());
    let host = served.at().to_string();
    let ask = format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n");
    crowd.iter_mut().for_each(|s| drop(s.write_all(ask.as_bytes())));
    let (mut answered, mut away) = (0, 0);
    for stream in &mut crowd {
        match Reply::read(stream).status {
            200 => answered += 1,
            // 0: reset, with what was sent unread; 408: its turn came too late.
            503 | 408 | 0 => away += 1,
            other => panic!("{other}"),
        }
    }
    assert!(answered > 20, "{answered} answered, {away} sent away");
    let grown = resident(server).saturating_sub(before);
    assert!(grown < 64 << 10, "{grown} kB more");
    until("served after a crowd", || (served.get("/healthz").status == 200).then_some(()));
}

#[test]
fn a_server_outlives_hostile_requests() {
    let dir = tempfile::tempdir().unwrap();
    let path = store(dir.path(), &SPEC, "a.db", &[]);
    let bytes = std::fs::read(&path).unwrap();
    let mut served = Served::of(&[&path]);
    paths(&served);
    sizes(&served);
    garbage(&served);
    versions(&served);
    slowly(&served);
    crowd(&served, served.child.id());
    paths(&served);
    assert_eq!(served.snapshot()["campaigns"][0]["done"], 160);
    served.signal("-TERM");
    assert_eq!(served.wait(), 0);
    assert!(bytes == std::fs::read(&path).unwrap(), "the store was touched");
    let files = std::fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(files, 1, "something was left beside the store");
}

/// The same while a campaign runs: it ends with the same file, as if nobody had come.
#[test]
fn a_campaign_does_not_notice() {
    let dir = tempfile::tempdir().unwrap();
    let alone = store(dir.path(), &LONG, "alone.db", &[]);
    let path = dir.path().join("served.db");
    let mut command = program(&LONG);
    command.args(["-q", "--serve=127.0.0.1:0", "--out"]).arg(&path);
    let mut served = Served::start(&mut command);
    thread::scope(|scope| {
        for attack in [sizes, garbage, versions, slowly] {
            let served = &served;
            // The campaign may end meanwhile, and its page with it.
            scope.spawn(move || {
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| attack(served)));
            });
        }
        for _ in 0..300 {
            if let Ok(mut stream) = TcpStream::connect(served.at()) {
                let _ = stream.write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
            }
        }
    });
    assert_eq!(served.wait(), 0);
    assert!(std::fs::read(&alone).unwrap() == std::fs::read(&path).unwrap());
}
