//! A bounded number of threads that answer a bounded number of connections.

use std::collections::VecDeque;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::request::{Refused, Request};
use super::response::Response;
use super::site::{Answer, Site};
use super::streams::Streams;
use crate::ServeError;

/// Threads that answer. A slow sender keeps one of them for a few seconds.
const THREADS: usize = 24;

/// Connections that wait for one of them; more are sent away.
const WAITING: usize = 128;

/// All a thread needs.
const STACK: usize = 256 << 10;

/// Said to those for whom there is no room, without waiting for their request.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 2\r\n\
    Connection: close\r\n\r\n";

/// The threads.
pub struct Pool {
    queue: Mutex<VecDeque<TcpStream>>,
    more: Condvar,
    ended: AtomicBool,
}

impl Pool {
    /// Begins to answer.
    pub fn start(
        listener: TcpListener,
        site: Arc<dyn Site>,
        streams: Arc<Streams>,
    ) -> Result<Arc<Pool>, ServeError> {
        let pool = Arc::new(Pool {
            queue: Mutex::default(),
            more: Condvar::new(),
            ended: AtomicBool::new(false),
        });
        for _ in 0..THREADS {
            let (pool, site, streams) =
                (Arc::clone(&pool), Arc::clone(&site), Arc::clone(&streams));
            start("answer", move || pool.answer_all(&*site, &streams))?;
        }
        let accepting = Arc::clone(&pool);
        start("accept", move || accepting.accept_all(&listener))?;
        Ok(pool)
    }

    /// Answers no more.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
        self.more.notify_all();
    }

    fn accept_all(&self, listener: &TcpListener) {
        loop {
            let accepted = listener.accept();
            if self.ended.load(Ordering::Relaxed) {
                return;
            }
            let Ok((mut stream, _)) = accepted else {
                // No file descriptors left, or the sender is gone already.
                thread::sleep(Duration::from_millis(50));
                continue;
            };
            let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            match queue.len() < WAITING {
                true => {
                    queue.push_back(stream);
                    self.more.notify_one();
                }
                false => {
                    drop(queue);
                    let _ = stream.set_nonblocking(true);
                    let _ = stream.write(FULL);
                }
            }
        }
    }

    fn answer_all(&self, site: &dyn Site, streams: &Streams) {
        while let Some(mut stream) = self.next() {
            let request = match Request::read(&mut stream) {
                Ok(request) => request,
                Err(Refused::Gone) => continue,
                Err(Refused::With(response)) => {
                    response.send(&mut stream, false);
                    continue;
                }
            };
            match site.answer(&request) {
                Answer::Whole(response) => response.send(&mut stream, request.head_only),
                Answer::Stream { .. } if request.head_only => {
                    Response::ok(Streams::KIND, Vec::new()).send(&mut stream, true);
                }
                Answer::Stream { page } => {
                    if let Err(mut stream) = streams.add(stream, page, request.last_event) {
                        Response::status(503).send(&mut stream, false);
                    }
                }
            }
        }
    }

    fn next(&self) -> Option<TcpStream> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if self.ended.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(stream) = queue.pop_front() {
                return Some(stream);
            }
            queue = self.more.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Starts a thread with a small stack.
pub fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), ServeError> {
    let thread = thread::Builder::new().name(name.into()).stack_size(STACK);
    thread.spawn(work).map(|_| ()).map_err(ServeError::Thread)
}
