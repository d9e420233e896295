//! What is around a page: style, title, contents.

use std::fmt::Write;

use super::escape::esc;

pub(crate) const STYLE: &str = include_str!("style.css");

/// A whole page. `lead` and `body` are markup already; `contents` are places in the
/// page and what they are called.
pub fn frame(
    brand: &str,
    title: &str,
    lead: &str,
    contents: &[(String, String)],
    body: &str,
) -> String {
    let (brand, title) = (esc(brand), esc(title));
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header class=\"top\">\n<p class=\"brand\">{brand}</p>\n<h1>{title}</h1>\n\
         <p class=\"lead\">{lead}</p>\n<nav aria-label=\"Contents\"><ul>\n"
    );
    for (id, text) in contents {
        let _ = writeln!(out, "<li><a href=\"#{id}\">{}</a></li>", esc(text));
    }
    out += "</ul></nav>\n</header>\n<main>\n";
    out += body;
    out += "</main>\n</body>\n</html>\n";
    out
}
