//! Whether what a page shows is what a command printed.

/// A line that stands for any number of lines.
pub const ANY: &str = "…";

/// Whether the lines shown are those printed, but for times and rates.
pub fn agree(shown: &[String], printed: &[String]) -> bool {
    let shown: Vec<String> = shown.iter().map(|line| masked(line)).collect();
    let printed: Vec<String> = printed.iter().map(|line| masked(line)).collect();
    matches(&shown, &printed)
}

fn matches(shown: &[String], printed: &[String]) -> bool {
    match shown {
        [] => printed.is_empty(),
        [any, rest @ ..] if any == ANY => (0..=printed.len()).any(|n| matches(rest, &printed[n..])),
        [line, rest @ ..] => {
            printed.first() == Some(line) && printed.get(1..).is_some_and(|p| matches(rest, p))
        }
    }
}

/// The first line that differs, for people.
pub fn first_difference(shown: &[String], printed: &[String]) -> String {
    let pair = shown.iter().zip(printed).find(|(s, p)| *s != ANY && masked(s) != masked(p));
    match pair {
        Some((s, p)) => format!("the page shows\n    {s}\nit prints\n    {p}"),
        None => format!("the page shows {} lines, it prints {}", shown.len(), printed.len()),
    }
}

/// A line with `#` for everything that another machine measures differently.
fn masked(line: &str) -> String {
    let line = line.trim_end();
    if let Some((key, value)) = line.split_once("\": ")
        && (key.ends_with("_s") || key.ends_with("per_s"))
    {
        let comma = if value.ends_with(',') { "," } else { "" };
        return format!("{key}\": #{comma}");
    }
    let words: Vec<&str> = line.split(' ').collect();
    let mut masked: Vec<&str> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let rest = &words[at + 1..];
        masked.push(if is_measured(word, rest) { "#" } else { word });
    }
    masked.join(" ")
}

/// A number of seconds, or of something per second, or its order of magnitude.
fn is_measured(word: &str, rest: &[&str]) -> bool {
    let bare = |w: &str| w.trim_end_matches([',', '.', ';', ':', ')']).to_string();
    let is_unit = |w: &str| matches!(bare(w).as_str(), "s" | "ms" | "min");
    let scale = |w: &str| matches!(w, "thousand" | "million" | "billion");
    let is_number = |w: &str| w.trim_start_matches('(').parse::<f64>().is_ok();
    let is_rate = |words: &[&str]| {
        let end = words.iter().position(|w| is_number(w)).unwrap_or(words.len());
        words[..end].iter().take(4).any(|w| bare(w).ends_with("/s"))
    };
    if is_number(word) {
        return rest.first().is_some_and(|next| is_unit(next)) || is_rate(rest);
    }
    scale(word) && is_rate(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(String::from).collect()
    }

    #[test]
    fn times_and_rates_are_not_compared_and_all_else_is() {
        let a = "1.477 s, 20.8 million thread instructions/s, 24.4 thousand cycles/s";
        let b = "0.9 s, 900 thousand thread instructions/s, 1 million cycles/s";
        assert_eq!(masked(a), masked(b));
        assert_eq!(masked(a), "# s, # # thread instructions/s, # # cycles/s");
        let simulated = "simulated 36057 cycles, 26.42 us at 1365 MHz";
        assert_eq!(masked(simulated), simulated);
        assert_eq!(masked("  \"wall_s\": 0.25,"), "  \"wall_s\": #,");
        assert_eq!(masked("  \"cycles\": 25,"), "  \"cycles\": 25,");
        let found = "found out: 1 converged, 32 followed, 206 overwritten";
        assert_eq!(masked(found), found);
    }

    #[test]
    fn every_line_counts() {
        assert!(agree(&lines("a\nb"), &lines("a\nb")));
        assert!(!agree(&lines("a"), &lines("a\nb")));
        assert!(!agree(&lines("a\nb"), &lines("a")));
        assert!(!agree(&lines("a\n1"), &lines("a\n2")));
    }

    #[test]
    fn dots_stand_for_lines() {
        assert!(agree(&lines("a\n…\nd"), &lines("a\nb\nc\nd")));
        assert!(agree(&lines("a\n…"), &lines("a")));
        assert!(!agree(&lines("a\n…\nd"), &lines("a\nb\nc")));
    }
}
