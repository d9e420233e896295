//! What all charts have: a drawing of one width, a caption, a legend.

use std::fmt::Write;

use super::about::{About, WIDTH, num};
use super::alone::{address, alone};
use crate::html::escape::esc;

/// A drawing with its caption and legend.
pub(super) fn figure(about: &About<'_>, desc: &str, height: f64, drawing: &str) -> String {
    let mut out = String::new();
    let id = &about.id;
    let _ = write!(
        out,
        "<figure class=\"chart\" id=\"{id}\">\n<figcaption><strong>{}</strong> {}</figcaption>\n",
        esc(about.title),
        esc(about.note)
    );
    let _ = write!(
        out,
        "<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\n\
         <title id=\"{id}-t\">{}</title>\n<desc id=\"{id}-d\">{}</desc>\n{drawing}</svg>\n",
        num(height),
        esc(about.title),
        esc(desc)
    );
    if !about.legend.is_empty() {
        out.push_str("<ul class=\"legend\">");
        for (class, text) in &about.legend {
            let _ = write!(out, "<li><span class=\"key {class}\"></span>{}</li>", esc(text));
        }
        out.push_str("</ul>\n");
    }
    let _ = writeln!(
        out,
        "<a class=\"alone\" download=\"{id}.svg\" href=\"{}\" aria-label=\"{}\">SVG</a>\n</figure>",
        address(&alone(about, desc, height, drawing)),
        esc(&format!("This figure as a file: {}", about.title))
    );
    out
}
