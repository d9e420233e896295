//! Server-sent events: pages that change in the browser.
//!
//! One thread writes to all of them, without ever waiting for one: whoever does
//! not read misses what comes meanwhile and gets the newest state afterwards.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::response::HEADERS;
use super::site::Site;

/// Streams at a time. A browser has one per open page.
const MOST: usize = 200;

/// Without news, a sign of life after this long: who is gone shows then.
const SIGN: Duration = Duration::from_secs(15);

/// Who has not read for this long is given up.
const STUCK: Duration = Duration::from_secs(30);

/// Until what did not fit is tried again.
const RETRY: Duration = Duration::from_millis(100);

struct Client {
    stream: TcpStream,
    page: String,
    /// What it has, or is about to have.
    id: Option<String>,
    pending: Arc<[u8]>,
    sent: usize,
    since: Instant,
}

/// Everybody who follows a page.
#[derive(Default)]
pub struct Streams {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    clients: Vec<Client>,
    news: bool,
    ended: bool,
}

impl Streams {
    /// The type of a stream.
    pub const KIND: &str = "text/event-stream";

    /// Begins a stream; gives the connection back where there is no room.
    pub fn add(
        &self,
        stream: TcpStream,
        page: String,
        id: Option<String>,
    ) -> Result<(), TcpStream> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.clients.len() >= MOST || state.ended || stream.set_nonblocking(true).is_err() {
            let _ = stream.set_nonblocking(false);
            return Err(stream);
        }
        let _ = stream.set_nodelay(true);
        let kind = Streams::KIND;
        // Two seconds until a browser comes back after a lost connection.
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{HEADERS}\r\nretry: 2000\n\n");
        let pending = head.into_bytes().into();
        let since = Instant::now();
        state.clients.push(Client { stream, page, id, pending, sent: 0, since });
        state.news = true;
        self.changed.notify_one();
        Ok(())
    }

    /// Whether anybody follows.
    pub fn any(&self) -> bool {
        !self.state.lock().unwrap_or_else(PoisonError::into_inner).clients.is_empty()
    }

    /// Says that pages have changed.
    pub fn tell(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).news = true;
        self.changed.notify_one();
    }

    /// Ends all streams once they have what is there.
    pub fn end(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
        self.changed.notify_one();
    }

    /// Writes to all of them until they are ended.
    pub fn run(&self, site: &dyn Site) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            state.news = false;
            state.clients.retain_mut(|client| client.serve(site));
            let is_behind = state.clients.iter().any(|c| c.sent < c.pending.len());
            if state.ended && !is_behind {
                state.clients.clear();
                return;
            }
            let wait = if is_behind { RETRY } else { SIGN };
            if !(state.news || state.ended) || is_behind {
                let waited = self.changed.wait_timeout(state, wait);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }
}

impl Client {
    /// Sends what can be sent; whether the client is still there.
    fn serve(&mut self, site: &dyn Site) -> bool {
        if !self.write() {
            return false;
        }
        if self.sent < self.pending.len() {
            return self.since.elapsed() < STUCK;
        }
        match site.event(&self.page) {
            Some(event) if self.id.as_deref() != Some(&event.id) => {
                self.id = Some(event.id);
                self.pend(event.bytes);
            }
            _ if self.since.elapsed() >= SIGN => self.pend(b":\n\n".as_slice().into()),
            _ => {}
        }
        self.write()
    }

    fn pend(&mut self, bytes: Arc<[u8]>) {
        (self.pending, self.sent, self.since) = (bytes, 0, Instant::now());
    }

    fn write(&mut self) -> bool {
        while self.sent < self.pending.len() {
            match self.stream.write(&self.pending[self.sent..]) {
                Ok(0) => return false,
                Ok(n) => self.sent += n,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return e.kind() == ErrorKind::WouldBlock,
            }
        }
        true
    }
}
