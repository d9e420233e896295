//! A figure by itself: a drawing with its own style, title, note and legend.

use std::fmt::Write;

use super::about::{About, WIDTH, num};
use crate::html::escape::esc;
use crate::html::palette::LIGHT;

const MARGIN: f64 = 14.0;
/// Letters of a line: 12 units are about 6.3 wide, 11 about 5.8.
const TITLE: usize = 62;
const NOTE: usize = 70;

/// The figure as one SVG file, on light paper.
pub fn alone(about: &About<'_>, desc: &str, height: f64, drawing: &str) -> String {
    let mut words = String::new();
    let mut y = 6.0;
    for (class, text, most) in [
        ("note", about.of.as_str(), NOTE),
        ("head", about.title, TITLE),
        ("note", about.note, NOTE),
    ] {
        for line in lines(text, most) {
            y += 15.0;
            let _ = writeln!(
                words,
                "<text class=\"{class}\" x=\"0\" y=\"{}\">{}</text>",
                num(y),
                esc(&line)
            );
        }
    }
    y += 8.0;
    let mut below = String::new();
    let mut end = y + height + 6.0;
    let mut x = WIDTH;
    for (class, text) in &about.legend {
        let width = 24.0 + 6.3 * text.chars().count() as f64;
        if x + width > WIDTH {
            (x, end) = (0.0, end + 16.0);
        }
        let _ = writeln!(
            below,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"10\" height=\"10\"/>\
             <text class=\"tick\" x=\"{}\" y=\"{}\">{}</text>",
            num(x),
            num(end - 9.0),
            num(x + 15.0),
            num(end),
            esc(text)
        );
        x += width;
    }
    let (wide, high) = (WIDTH + 2.0 * MARGIN, end + MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {2} {3}\" role=\"img\">\n\
         <title>{4}</title>\n<desc>{5}</desc>\n<style>{6}</style>\n\
         <rect class=\"paper\" width=\"{2}\" height=\"{3}\"/>\n<g transform=\"translate({MARGIN} 0)\">\n{words}\
         <g transform=\"translate(0 {7})\">\n{drawing}</g>\n{below}</g>\n</svg>\n",
        num(2.0 * wide),
        num(2.0 * high),
        num(wide),
        num(high),
        esc(about.title),
        esc(desc),
        style(&format!("{drawing}{below}")),
        num(y),
    )
}

/// The page's rules for drawings, with the colours that this one has.
fn style(drawing: &str) -> String {
    let mut out = String::from(
        "text{font:12px system-ui,sans-serif;fill:#1b1e23}.head{font-weight:600}\
         .note,.tick{font-size:11px;fill:#5a616b}.value{text-anchor:end;fill:#5a616b}\
         rect{fill:currentColor}.paper{fill:#fdfdfb}.grid{fill:none;stroke:#dcdfe3}\
         .zero{fill:none;stroke:#5a616b}.whisker{fill:none;stroke:currentColor;stroke-width:1.6}\
         .over{fill:none;stroke:#1b1e23}.point{fill:currentColor;stroke:#fdfdfb}\
         .area{fill:currentColor}.none{fill:none;stroke:#dcdfe3}",
    );
    for (class, colour) in LIGHT {
        if drawing.contains(&format!("\"{class}\"")) || drawing.contains(&format!(" {class}\"")) {
            let _ = write!(out, ".{class}{{color:{colour}}}");
        }
    }
    out
}

/// Words in lines of at most so many letters.
fn lines(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|w| !w.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

/// A file as an address that needs nothing from outside.
pub fn address(svg: &str) -> String {
    let mut out = String::from("data:image/svg+xml;charset=utf-8,");
    for c in svg.chars() {
        match c {
            // Text has no quotes of its own: they are escaped there.
            '"' => out.push('\''),
            '%' | '#' | '<' | '>' | '&' | '/' | ':' | '\n' => {
                let _ = write!(out, "%{:02X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// The file of such an address.
pub fn file(address: &str) -> Option<String> {
    let (_, text) = address.split_once(',')?;
    let mut pieces = text.split('%');
    let mut out = pieces.next()?.to_string();
    for piece in pieces {
        out.push(char::from(u8::from_str_radix(piece.get(..2)?, 16).ok()?));
        out.push_str(&piece[2..]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_gives_its_file_back() {
        let svg = "<svg a='50%#1'>x &amp; ü</svg>\n";
        assert_eq!(file(&address(svg)).as_deref(), Some(svg));
        assert!(!address(svg).contains(['<', '"', '\n']));
    }
}
