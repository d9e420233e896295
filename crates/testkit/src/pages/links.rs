//! Links of a page to other pages, files and headings.

use std::fs;
use std::path::Path;

/// Links that lead nowhere.
pub fn wrong(page: &str, text: &str, root: &Path) -> Vec<String> {
    let folder = Path::new(page).parent().unwrap_or(Path::new(""));
    targets(text)
        .into_iter()
        .filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
        .filter(|target| {
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = match file {
                "" => root.join(page),
                file => root.join(folder).join(file),
            };
            !path.exists() || !heading.is_empty() && !has_heading(&path, heading)
        })
        .map(|target| format!("{page}: the link {target} leads nowhere"))
        .collect()
}

/// What stands in `](…)`, outside of blocks.
fn targets(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        let links = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        found.extend(links.map(|link| link.split(' ').next().unwrap_or_default().to_string()));
    }
    found
}

fn has_heading(path: &Path, wanted: &str) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut headings = text.lines().filter(|line| line.starts_with('#'));
    headings.any(|line| anchor(line) == wanted)
}

/// The name that a heading is reached by.
fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_reached_by_their_words() {
        assert_eq!(anchor("## Breaking a program's bits"), "breaking-a-programs-bits");
        assert_eq!(anchor("# JSON"), "json");
    }

    #[test]
    fn links_are_seen_outside_of_blocks() {
        let text = "[a](b.md#c) and [d](e \"t\")\n```text\n[x](y)\n```\n";
        assert_eq!(targets(text), ["b.md#c", "e"]);
    }
}
