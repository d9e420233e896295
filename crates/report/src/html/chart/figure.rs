//! What all charts have: a drawing of one width, a caption, a legend.

use std::fmt::Write;

use crate::html::escape::esc;

/// Width of every drawing in its own units. A phone shows them at about 0.8
/// of a pixel each, a desk at 1.3: letters of 12 units are readable on both.
pub(super) const WIDTH: f64 = 420.0;

/// What a figure says around its drawing.
pub struct About<'a> {
    /// Unique in the page.
    pub id: String,
    /// What is shown.
    pub title: &'a str,
    /// How to read it.
    pub note: &'a str,
    /// Colours: style class and meaning.
    pub legend: Vec<(String, String)>,
}

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
    out.push_str("</figure>\n");
    out
}

/// A coordinate: two decimals, no more than needed.
pub(super) fn num(x: f64) -> String {
    let text = format!("{x:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Text that fits into some units of a drawing, about 6.3 for a letter.
pub(super) fn fitted(text: &str, room: f64) -> String {
    let most = (room / 6.3).max(4.0) as usize;
    if text.chars().count() <= most {
        return text.to_string();
    }
    let kept: String = text.chars().take(most - 1).collect();
    kept + "…"
}
