//! The name someone probably meant.

/// The candidate with the fewest edits from `name`, if it is close enough to
/// be a plausible slip.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    // Hostile keys may be long; nothing that long is a slip of a real one.
    if name.len() > 64 {
        return None;
    }
    let budget = name.len() / 3 + 1;
    candidates
        .into_iter()
        // Each missing character is an edit: most candidates are out at once.
        .filter(|c| c.len().abs_diff(name.len()) <= budget)
        .map(|c| (edits(name, c), c))
        .filter(|(d, _)| *d <= budget)
        .min()
        .map(|(_, c)| c.to_owned())
}

/// Insertions, deletions, changes and swaps of neighbours.
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let width = b.len() + 1;
    let mut cost = vec![0usize; (a.len() + 1) * width];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            cost[i * width + j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = usize::from(a[i - 1] != b[j - 1]);
                let up = cost[(i - 1) * width + j] + 1;
                let left = cost[i * width + j - 1] + 1;
                let best = up.min(left).min(cost[(i - 1) * width + j - 1] + change);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best.min(cost[(i - 2) * width + j - 2] + 1)
                } else {
                    best
                }
            };
        }
    }
    cost.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("abc", ""), 3);
        assert_eq!(edits("sm.count", "sm.count"), 0);
        assert_eq!(edits("sest", "sets"), 1);
    }

    #[test]
    fn suggests_only_what_is_near() {
        assert_eq!(nearest("cuont", ["count", "warps"]), Some("count".to_owned()));
        assert_eq!(nearest("voltage", ["count", "warps"]), None);
    }
}
