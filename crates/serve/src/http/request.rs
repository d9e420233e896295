//! The head of a request, from whoever sent it.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::response::Response;

/// Longest first line: longer than any address of ours.
const LINE: usize = 2048;

/// Largest head. Browsers send less than 2 kB.
const HEAD: usize = 8192;

/// Time for all of the head.
const PATIENCE: Duration = Duration::from_secs(4);

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Whether the head of the answer is enough.
    pub head_only: bool,
    /// The path, as it was sent.
    pub path: String,
    /// What follows the question mark.
    pub query: String,
    /// The name by which the sender knows us.
    pub host: Option<String>,
    /// The last event that the sender has seen.
    pub last_event: Option<String>,
}

/// Why there is no request.
#[derive(Debug, PartialEq)]
pub enum Refused {
    /// Nobody is there to be told.
    Gone,
    /// To be told.
    With(Response),
}

fn refuse(status: u16) -> Refused {
    Refused::With(Response::status(status))
}

impl Request {
    /// Reads one. What comes after it on the connection is left alone.
    pub fn read(stream: &mut TcpStream) -> Result<Request, Refused> {
        let deadline = Instant::now() + PATIENCE;
        let mut head = Vec::new();
        let mut buffer = [0; 1024];
        loop {
            if let Some(end) = end_of_head(&head) {
                return Request::parse(&head[..end]);
            }
            let has_line = head.contains(&b'\n');
            if !has_line && head.len() > LINE {
                return Err(refuse(414));
            }
            if head.len() > HEAD {
                return Err(refuse(431));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
                return Err(refuse(408));
            }
            match stream.read(&mut buffer) {
                Ok(0) if head.is_empty() => return Err(Refused::Gone),
                // Closed before the end of the head.
                Ok(0) => return Err(refuse(400)),
                Ok(n) => head.extend_from_slice(&buffer[..n]),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    return Err(refuse(408));
                }
                Err(_) => return Err(Refused::Gone),
            }
        }
    }

    fn parse(head: &[u8]) -> Result<Request, Refused> {
        let bad = || refuse(400);
        let text = std::str::from_utf8(head).map_err(|_| bad())?;
        let mut lines = text.split('\n').map(|l| l.strip_suffix('\r').unwrap_or(l));
        let first = lines.next().unwrap_or_default();
        if first.len() > LINE {
            return Err(refuse(414));
        }
        let words: Vec<&str> = first.split(' ').collect();
        let [method, target, version] = words[..] else { return Err(bad()) };
        let is_word = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_graphic());
        if !is_word(method) || !is_word(target) {
            return Err(bad());
        }
        let needs_host = match version {
            "HTTP/1.1" => true,
            "HTTP/1.0" => false,
            v if v.starts_with("HTTP/") => return Err(refuse(505)),
            _ => return Err(bad()),
        };
        let (mut host, mut last_event) = (None, None);
        for line in lines.filter(|l| !l.is_empty()) {
            let (name, value) = line.split_once(':').ok_or_else(bad)?;
            if name.is_empty() || !name.bytes().all(|b| b.is_ascii_graphic()) {
                return Err(bad());
            }
            let value = value.trim().to_string();
            match name.to_ascii_lowercase().as_str() {
                // Two names are one too many: who is meant?
                "host" if host.is_some() => return Err(bad()),
                "host" => host = Some(value),
                "last-event-id" => last_event = Some(value),
                _ => {}
            }
        }
        if needs_host && host.is_none() {
            return Err(bad());
        }
        let head_only = match method {
            "GET" => false,
            "HEAD" => true,
            _ => return Err(refuse(405)),
        };
        if !target.starts_with('/') {
            return Err(bad());
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let (path, query) = (path.to_string(), query.to_string());
        Ok(Request { head_only, path, query, host, last_event })
    }

    /// The value of a name in the query.
    pub fn asked(&self, name: &str) -> Option<&str> {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(n, _)| *n == name).map(|(_, value)| value)
    }
}

/// Where the head ends: after an empty line.
fn end_of_head(bytes: &[u8]) -> Option<usize> {
    let ends = |pattern: &[u8]| bytes.windows(pattern.len()).position(|w| w == pattern);
    [ends(b"\r\n\r\n"), ends(b"\n\n")].into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(head: &str) -> u16 {
        match Request::parse(head.as_bytes()) {
            Ok(_) => 200,
            Err(Refused::With(r)) => r.status,
            Err(Refused::Gone) => 0,
        }
    }

    #[test]
    fn what_browsers_send() {
        let head =
            "GET /c/ab/events?page=x&y=z HTTP/1.1\r\nHost: localhost:8717\r\nLast-Event-ID: 7";
        let request = Request::parse(head.as_bytes()).unwrap();
        assert_eq!(request.path, "/c/ab/events");
        assert_eq!((request.asked("page"), request.asked("z")), (Some("x"), None));
        assert_eq!(request.host.as_deref(), Some("localhost:8717"));
        assert_eq!(request.last_event.as_deref(), Some("7"));
        assert!(Request::parse(b"HEAD / HTTP/1.0").unwrap().head_only);
    }

    #[test]
    fn what_they_do_not() {
        for (head, expected) in [
            ("POST / HTTP/1.1\r\nHost: a", 405),
            ("DELETE / HTTP/1.1\r\nHost: a", 405),
            ("GET / HTTP/1.1", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b", 400),
            ("GET / HTTP/2.0\r\nHost: a", 505),
            ("GET /", 400),
            ("GET  / HTTP/1.1\r\nHost: a", 400),
            ("GET / HTTP/1.1\r\nno colon", 400),
            ("GET http://a/ HTTP/1.1\r\nHost: a", 400),
            ("GET /\u{7f} HTTP/1.1\r\nHost: a", 400),
            ("", 400),
        ] {
            assert_eq!(status(head), expected, "{head:?}");
        }
        assert_eq!(status(&format!("GET /{} HTTP/1.1\r\nHost: a", "x".repeat(LINE))), 414);
        assert!(
            matches!(Request::parse(b"\xff\xfe / HTTP/1.1"), Err(Refused::With(r)) if r.status == 400)
        );
    }

    #[test]
    fn heads_end_at_an_empty_line() {
        assert_eq!(end_of_head(b"GET / HTTP/1.0\r\n\r\nmore"), Some(14));
        assert_eq!(end_of_head(b"a\n\nb\r\n\r\n"), Some(1));
        assert_eq!(end_of_head(b"a\r\n"), None);
    }
}
