//! The server: looks, pages and connections together.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use crate::address::{Closed, Door};
use crate::http::{Answer, Event, Pool, Request, Response, Site, Streams};
use crate::page::{self, Pages};
use crate::view::Looks;
use crate::{Address, ServeError};

/// Looks at stores are this far apart while somebody follows a page,
const OFTEN: Duration = Duration::from_secs(1);
/// and so many times that while nobody does.
const SELDOM: u32 = 5;

/// Somebody who asked for something within so many seconds is taken to be there.
const THERE: u64 = 20;

/// At the end, time for pages to get the last news.
const LAST_NEWS: Duration = Duration::from_secs(1);

/// What is to be served, and where.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Stores, and folders of stores.
    pub paths: Vec<PathBuf>,
    /// Where to listen.
    pub address: Address,
    /// Whether the server belongs to one campaign: its store need not be there yet,
    /// and the pages end with it.
    pub of_campaign: bool,
}

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    at: SocketAddr,
    looks: Looks,
    shared: Arc<Shared>,
}

/// What the threads share. None of it is the campaign's.
struct Shared {
    door: Door,
    pages: RwLock<Arc<Pages>>,
    begun: Instant,
    /// Seconds from the beginning to the last request.
    asked: AtomicU64,
}

impl Server {
    /// Listens. Nothing is answered before [`Server::run`].
    pub fn bind(options: &Options) -> Result<Server, ServeError> {
        if let Some(missing) = options.paths.iter().find(|p| !options.of_campaign && !p.exists()) {
            return Err(ServeError::Missing(missing.clone()));
        }
        let listener = options.address.bind()?;
        let told = |source| ServeError::Listen { address: ([0, 0, 0, 0], 0).into(), source };
        let at = listener.local_addr().map_err(told)?;
        let shared = Arc::new(Shared {
            door: Door::new(at)?,
            pages: RwLock::default(),
            begun: Instant::now(),
            asked: AtomicU64::new(0),
        });
        Ok(Server { listener, at, looks: Looks::new(options.paths.clone()), shared })
    }

    /// The address to open in a browser, with the token where one is needed.
    pub fn url(&self) -> String {
        self.shared.door.url(self.at)
    }

    /// Serves until it is told to stop. `last_word` is what pages say from then on.
    pub fn run(mut self, stop: &Stop, last_word: &str) -> Result<(), ServeError> {
        self.shared.publish(Pages::new(&self.looks.look(), ""));
        let streams = Arc::new(Streams::default());
        let (site, all) = (Arc::clone(&self.shared), Arc::clone(&streams));
        crate::http::start("stream", move || all.run(&*site))?;
        let site: Arc<dyn Site> = Arc::clone(&self.shared) as Arc<dyn Site>;
        let pool = Pool::start(self.listener, site, Arc::clone(&streams))?;
        let mut waits = 0;
        while !stop.wait(OFTEN) {
            waits += 1;
            if waits < SELDOM && !streams.any() && !self.shared.was_asked() {
                continue;
            }
            waits = 0;
            if self.shared.publish(Pages::new(&self.looks.look(), "")) {
                streams.tell();
            }
        }
        self.shared.publish(Pages::new(&self.looks.look_now(), last_word));
        streams.end();
        let deadline = Instant::now() + LAST_NEWS;
        while streams.any() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        pool.end();
        // Wakes the thread that waits for connections.
        let ip = if self.at.ip().is_unspecified() { [127, 0, 0, 1].into() } else { self.at.ip() };
        let _ = TcpStream::connect_timeout(&(ip, self.at.port()).into(), LAST_NEWS);
        Ok(())
    }
}

impl Shared {
    /// Shows pages from now on; whether they differ from those before.
    fn publish(&self, pages: Pages) -> bool {
        let mut shown = self.pages.write().unwrap_or_else(PoisonError::into_inner);
        let differ = **shown != pages;
        if differ {
            *shown = Arc::new(pages);
        }
        differ
    }

    fn pages(&self) -> Arc<Pages> {
        Arc::clone(&self.pages.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn was_asked(&self) -> bool {
        let asked = self.asked.load(Ordering::Relaxed);
        asked > 0 && self.begun.elapsed().as_secs() < asked + THERE
    }
}

impl Site for Shared {
    fn answer(&self, request: &Request) -> Answer {
        // Who watches over the server need not know more than that it lives.
        if request.path == "/healthz" {
            return Answer::Whole(Response::told(200, "ok"));
        }
        let path = match self.door.pass(&request.path, request.host.as_deref()) {
            Ok(path) => path,
            Err(Closed::Token) => {
                let text = "This page needs the address that was printed, with its token.";
                return Answer::Whole(Response::told(403, text));
            }
            Err(Closed::Host) => {
                let text = "This page is for this machine alone: ask for localhost.";
                return Answer::Whole(Response::told(421, text));
            }
        };
        self.asked.store(self.begun.elapsed().as_secs().max(1), Ordering::Relaxed);
        page::answer(&self.pages(), path, request.asked("page"))
    }

    fn event(&self, page: &str) -> Option<Event> {
        self.pages().event(page)
    }
}

/// Tells a server to stop.
#[derive(Debug, Default)]
pub struct Stop {
    told: Mutex<bool>,
    changed: Condvar,
}

impl Stop {
    /// Now.
    pub fn stop(&self) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Waits for it, so long at most; whether it has come.
    fn wait(&self, time: Duration) -> bool {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(told, time, |told| !*told);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}
