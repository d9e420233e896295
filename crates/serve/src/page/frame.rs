//! A page: parts that change, in a frame that does not.

use std::fmt::Write;

use serde_json::json;
use upset_report::esc;
use xxhash_rust::xxh3::xxh3_64;

use crate::http::Event;

/// A page.
pub struct Page {
    title: String,
    /// Parts, with the names of their elements, from top to bottom.
    parts: Vec<(&'static str, String)>,
    last_word: String,
    /// All of it as an event.
    pub event: Event,
}

impl PartialEq for Page {
    fn eq(&self, other: &Page) -> bool {
        self.event.id == other.event.id
    }
}

impl Page {
    /// Of parts.
    pub fn new(title: String, parts: Vec<(&'static str, String)>, last_word: &str) -> Page {
        let data = json!({ "title": title, "parts": parts, "last": last_word }).to_string();
        let id = format!("{:016x}", xxh3_64(data.as_bytes()));
        // JSON has no line breaks, so that one line of data is all of it.
        let bytes = format!("id: {id}\ndata: {data}\n\n").into_bytes().into();
        Page { title, parts, last_word: last_word.into(), event: Event { id, bytes } }
    }

    /// The whole document. `up` leads to the first page, `follows` is the page whose
    /// events it shows.
    pub fn document(&self, up: &str, follows: &str) -> String {
        let mut out = String::with_capacity(1 << 15);
        let title = esc(&self.title);
        let _ = write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
             <link rel=\"icon\" href=\"{up}icon.svg\" type=\"image/svg+xml\">\n\
             <link rel=\"stylesheet\" href=\"{up}style.css\">\n\
             <noscript><meta http-equiv=\"refresh\" content=\"5\"></noscript>\n\
             <script src=\"{up}live.js\" defer></script>\n</head>\n\
             <body data-events=\"{up}events?page={}\">\n\
             <p id=\"connection\" role=\"status\">{}</p>\n<main>\n",
            esc(follows),
            esc(&self.last_word)
        );
        for (name, part) in &self.parts {
            let _ = write!(out, "<section id=\"{name}\">\n{part}</section>\n");
        }
        let _ = write!(
            out,
            "</main>\n<footer><p>Upset, live: <a href=\"{up}all\">all campaigns</a>, the same as \
             <a href=\"{up}api/snapshot.json\">JSON</a> and \
             <a href=\"{up}metrics\">metrics</a></p></footer>\n</body>\n</html>\n"
        );
        out
    }
}
