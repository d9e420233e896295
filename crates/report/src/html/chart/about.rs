//! What a figure says around its drawing, and measures that all drawings share.

/// Width of every drawing in its own units. A phone shows them at about 0.8
/// of a pixel each, a desk at 1.3: letters of 12 units are readable on both.
pub(super) const WIDTH: f64 = 420.0;

/// What a figure says around its drawing.
pub struct About<'a> {
    /// Unique in the page.
    pub id: String,
    /// The application and chip it is about, where title and place do not say: a
    /// figure alone does.
    pub of: String,
    /// What is shown.
    pub title: &'a str,
    /// How to read it.
    pub note: &'a str,
    /// Colours: style class and meaning.
    pub legend: Vec<(String, String)>,
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
