//! Answers, and the headers that all of them have.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time for all of an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long, and how much, is read of what was sent and nobody asked for. Closing
/// a connection with unread bytes would take the answer away from the sender.
const LINGER: Duration = Duration::from_millis(300);
const REST: usize = 64 << 10;

/// Nothing from elsewhere, nothing inline, shown in nobody's frame; no other
/// origin may read it (there are no CORS headers), nothing is kept.
pub const HEADERS: &str = "Content-Security-Policy: default-src 'none'; style-src 'self'; \
    script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'\r\n\
    X-Content-Type-Options: nosniff\r\n\
    X-Frame-Options: DENY\r\n\
    Referrer-Policy: no-referrer\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    Cache-Control: no-store\r\n\
    Connection: close\r\n";

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Type of the body.
    pub kind: &'static str,
    /// The body.
    pub body: Arc<[u8]>,
}

impl Response {
    /// A body.
    pub fn ok(kind: &'static str, body: impl Into<Arc<[u8]>>) -> Response {
        Response { status: 200, kind, body: body.into() }
    }

    /// A status and its name.
    pub fn status(status: u16) -> Response {
        Response::told(status, reason(status))
    }

    /// A status and what it means here.
    pub fn told(status: u16, text: &str) -> Response {
        let body = format!("{text}\n").into_bytes().into();
        Response { status, kind: "text/plain; charset=utf-8", body }
    }

    fn head(&self) -> String {
        let more = match self.status {
            405 => "Allow: GET, HEAD\r\n",
            503 => "Retry-After: 2\r\n",
            _ => "",
        };
        format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{more}{HEADERS}\r\n",
            self.status,
            reason(self.status),
            self.kind,
            self.body.len()
        )
    }

    /// Sends it and closes the connection in order.
    pub fn send(&self, stream: &mut TcpStream, head_only: bool) {
        let deadline = Instant::now() + PATIENCE;
        let body: &[u8] = if head_only { &[] } else { &self.body };
        let sent = send_all(stream, self.head().as_bytes(), deadline)
            .and_then(|()| send_all(stream, body, deadline));
        if sent.is_some() && stream.shutdown(Shutdown::Write).is_ok() {
            drain(stream);
        }
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        414 => "URI Too Long",
        421 => "Misdirected Request",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        _ => "Error",
    }
}

/// `None` when it did not arrive in time.
fn send_all(stream: &mut TcpStream, mut bytes: &[u8], deadline: Instant) -> Option<()> {
    while !bytes.is_empty() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        stream.set_write_timeout(Some(left)).ok()?;
        match stream.write(bytes) {
            Ok(0) => return None,
            Ok(n) => bytes = &bytes[n..],
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Some(())
}

fn drain(stream: &mut TcpStream) {
    let deadline = Instant::now() + LINGER;
    let mut buffer = [0; 4096];
    let mut read = 0;
    while read < REST {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return;
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(n) => read += n,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_lines() {
        let head = Response::status(405).head();
        assert!(head.starts_with("HTTP/1.1 405 Method Not Allowed\r\n"), "{head}");
        assert!(head.contains("Allow: GET, HEAD\r\n"));
        assert!(head.ends_with("\r\n\r\n"));
        for line in head.trim_end().split("\r\n").skip(1) {
            let (name, value) = line.split_once(": ").unwrap();
            assert!(
                !name.contains(' ') && value == value.trim() && !value.contains("  "),
                "{line}"
            );
        }
    }
}
