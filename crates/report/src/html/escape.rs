//! Text inside markup.

/// Safe between tags and in quoted attributes.
pub fn esc(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Not allowed in a page, and in no name that anyone reads.
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Text in which `…` marks what is typed.
pub fn prose(text: &str) -> String {
    let mut out = String::new();
    for (i, piece) in text.split('`').enumerate() {
        let piece = esc(piece);
        out += &if i % 2 == 1 { format!("<code>{piece}</code>") } else { piece };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_out() {
        assert_eq!(
            esc("<script>alert('x') & \"y\"\u{0}"),
            "&lt;script&gt;alert(&#39;x&#39;) &amp; &quot;y&quot;\u{fffd}"
        );
    }
}
