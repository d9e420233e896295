//! What is shown, in every form: pages, events, JSON, metrics.

mod bars;
mod campaign;
mod frame;
mod list;
mod metrics;
mod text;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use crate::http::{Answer, Event, Response};
use crate::view::{Looks, Snapshot};
use frame::Page;

const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";
const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("live.js");
const ICON: &str = include_str!("icon.svg");

/// Everything that can be asked for, ready to be sent.
#[derive(Default, PartialEq)]
pub struct Pages {
    /// The list of all campaigns is the page without a name.
    pages: BTreeMap<String, Page>,
    /// The only campaign, which is shown first.
    only: Option<String>,
    json: Arc<[u8]>,
    metrics: Arc<[u8]>,
}

impl Pages {
    /// Of a moment. `last_word` is said on every page, if it is not empty.
    pub fn new(snapshot: &Snapshot, last_word: &str) -> Pages {
        let mut pages = BTreeMap::new();
        pages.insert(String::new(), list::page(snapshot, last_word));
        for campaign in &snapshot.campaigns {
            let page = campaign::page(campaign, snapshot.campaigns.len() > 1, last_word);
            pages.insert(campaign.id.clone(), page);
        }
        let only = match snapshot.campaigns.as_slice() {
            [one] if snapshot.problems.is_empty() => Some(one.id.clone()),
            _ => None,
        };
        let json = json(snapshot).into_bytes().into();
        let metrics = metrics::text(snapshot).into_bytes().into();
        Pages { pages, only, json, metrics }
    }

    fn page(&self, name: &str) -> Option<&Page> {
        self.pages.get(name)
    }

    /// What a page shows now; the first page shows what is first now.
    pub fn event(&self, name: &str) -> Option<Event> {
        let first = self.only.as_deref().unwrap_or("");
        let page = match name {
            FIRST => self.page(first),
            name => self.page(name),
        };
        page.map(|p| p.event.clone())
    }
}

/// The first page: what it shows may become another one.
const FIRST: &str = "first";

fn json(snapshot: &Snapshot) -> String {
    serde_json::to_string_pretty(snapshot).unwrap_or_default() + "\n"
}

/// The answer to a request. Nothing is ever looked for in the file system.
pub fn answer(pages: &Pages, path: &str, page: Option<&str>) -> Answer {
    let whole = |kind, body: &[u8]| Answer::Whole(Response::ok(kind, body));
    let missing = || Answer::Whole(Response::told(404, "There is no such page."));
    let html = |name: &str, up: &str, follows: &str| match pages.page(name) {
        Some(page) => whole(HTML, page.document(up, follows).as_bytes()),
        None => missing(),
    };
    match path {
        "/" => html(pages.only.as_deref().unwrap_or(""), "./", FIRST),
        "/all" => html("", "./", ""),
        "/style.css" => whole("text/css; charset=utf-8", STYLE.as_bytes()),
        "/live.js" => whole("text/javascript; charset=utf-8", SCRIPT.as_bytes()),
        "/icon.svg" => whole("image/svg+xml", ICON.as_bytes()),
        "/api/snapshot.json" => whole(JSON, &pages.json),
        "/metrics" => whole(METRICS, &pages.metrics),
        "/events" => match page.unwrap_or(FIRST) {
            page if pages.event(page).is_some() => Answer::Stream { page: page.into() },
            _ => missing(),
        },
        _ => match path.strip_prefix("/c/").and_then(|p| p.strip_suffix('/')) {
            Some(id) if !id.is_empty() => html(id, "../../", id),
            _ => missing(),
        },
    }
}

/// What is printed instead of being served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Print {
    /// `/api/snapshot.json`.
    Snapshot,
    /// `/metrics`.
    Metrics,
}

impl FromStr for Print {
    type Err = String;

    fn from_str(text: &str) -> Result<Print, String> {
        match text {
            "snapshot" => Ok(Print::Snapshot),
            "metrics" => Ok(Print::Metrics),
            _ => Err("give snapshot or metrics".into()),
        }
    }
}

impl Print {
    /// Looks once.
    pub fn text(self, paths: Vec<PathBuf>) -> String {
        let snapshot = Looks::new(paths).look();
        match self {
            Print::Snapshot => json(&snapshot),
            Print::Metrics => metrics::text(&snapshot),
        }
    }
}
