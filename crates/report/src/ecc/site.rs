//! Bits out of a fault's name, without the machine that it was made for.
//!
//! A fault's name is terms joined by ` + `; a term is an optional model, then
//! `kind:word.word.….bitN@when`. A word may name several digits: `bit3,7`,
//! `lane0-31`, and `*` for all, which is known here for lanes and for the bits
//! of bytes and registers only.

use upset_state::kind::named;

/// One bit of an array's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bit {
    /// `rf`, `l2`, …
    pub kind: String,
    /// `data`, `tag`, `state`: part of a cache line.
    pub part: Option<String>,
    /// The row: everything in the name but the position in it.
    pub row: String,
    /// Position in the row.
    pub position: u64,
    /// Model: empty for a flip.
    pub model: String,
    /// When.
    pub when: String,
}

/// More bits than anyone draws; a guard against names that mean a whole array.
const MOST: usize = 1 << 16;

/// All bits that a fault hits; `None` when the name alone does not tell.
pub fn bits(fault: &str) -> Option<Vec<Bit>> {
    let mut all = Vec::new();
    for term in fault.split(" + ") {
        let (head, when) = term.trim().rsplit_once('@')?;
        let (model, site) = match head.rsplit_once(' ') {
            Some((model, site)) => (model.trim(), site),
            None => ("", head),
        };
        let (kind, path) = site.split_once(':')?;
        let model = if model == "flip" { "" } else { model };
        expand(kind, path, |row, part, position| {
            all.push(Bit {
                kind: kind.to_string(),
                part,
                row,
                position,
                model: model.to_string(),
                when: when.to_string(),
            });
            all.len() <= MOST
        })?;
    }
    (!all.is_empty()).then_some(all)
}

/// Walks all combinations of the words' digits.
fn expand(
    kind: &str,
    path: &str,
    mut each: impl FnMut(String, Option<String>, u64) -> bool,
) -> Option<()> {
    let words: Vec<&str> = path.split('.').collect();
    let mut lists: Vec<(&str, Vec<Digit>)> = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| axis(words[i])).unwrap_or_default();
        lists.push((axis(word), digits(kind, word, before)?));
    }
    if lists.last()?.0 != "bit" {
        return None;
    }
    if lists.iter().try_fold(1usize, |n, (_, d)| n.checked_mul(d.len())).is_none_or(|n| n > MOST) {
        return None;
    }
    let mut at = vec![0usize; lists.len()];
    loop {
        let chosen: Vec<(&str, &Digit)> =
            lists.iter().zip(&at).map(|((name, d), i)| (*name, &d[*i])).collect();
        let (row, part, position) = place(kind, &chosen);
        if !each(row, part, position) {
            return None;
        }
        // Count up, last word fastest.
        let mut i = lists.len();
        loop {
            if i == 0 {
                return Some(());
            }
            i -= 1;
            at[i] += 1;
            if at[i] < lists[i].1.len() {
                break;
            }
            at[i] = 0;
        }
    }
}

/// A number, or a word that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Digit {
    Number(u64),
    Name(String),
}

/// The letters in front of a word's digits.
fn axis(word: &str) -> &str {
    let end = word.find(|c: char| c.is_ascii_digit() || c == '*').unwrap_or(word.len());
    &word[..end]
}

fn digits(kind: &str, word: &str, before: &str) -> Option<Vec<Digit>> {
    let name = axis(word);
    let list = &word[name.len()..];
    if list.is_empty() {
        return Some(name.split(',').map(|n| Digit::Name(n.to_string())).collect());
    }
    if list == "*" {
        let size = match (name, before) {
            ("bit", "byte") => 8,
            ("bit", _) => u64::from(named(kind)?.register_bits?),
            ("lane", _) => 32,
            _ => return None,
        };
        return Some((0..size).map(Digit::Number).collect());
    }
    let mut all = Vec::new();
    for item in list.split(',') {
        let item = item.strip_prefix(name).unwrap_or(item);
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        if first > last || last - first >= MOST as u64 {
            return None;
        }
        all.extend((first..=last).map(Digit::Number));
    }
    Some(all)
}

/// Bytes of a memory and lanes of a register row lie side by side: their bits
/// are one row.
fn place(kind: &str, words: &[(&str, &Digit)]) -> (String, Option<String>, u64) {
    let mut row = format!("{kind}:");
    let (mut part, mut position) = (None, 0);
    let lane_bits = named(kind).and_then(|a| a.lane_bits()).map(u64::from);
    for (name, digit) in words {
        match digit {
            Digit::Number(n) => match (*name, lane_bits) {
                ("bit", _) => position += n,
                ("byte", _) => position += 8 * n,
                ("lane", Some(bits)) => position += bits * n,
                _ => row += &format!("{name}{n}."),
            },
            Digit::Name(n) => {
                if matches!(n.as_str(), "data" | "tag" | "state") {
                    part = Some(n.clone());
                }
                row += &format!("{n}.");
            }
        }
    }
    (row, part, position)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(fault: &str) -> Vec<(String, u64)> {
        bits(fault).unwrap().into_iter().map(|b| (b.row, b.position)).collect()
    }

    #[test]
    fn one_bit() {
        let b = &bits("rf:sm3.sub1.row117.lane5.bit12@10234").unwrap()[0];
        assert_eq!((b.kind.as_str(), b.row.as_str()), ("rf", "rf:sm3.sub1.row117."));
        assert_eq!((b.position, b.when.as_str(), b.model.as_str()), (5 * 32 + 12, "10234", ""));
        let b = &bits("stuck1 l2:slice4.set9.way3.tag.bit8@1000..2000").unwrap()[0];
        assert_eq!(b.part.as_deref(), Some("tag"));
        assert_eq!((b.model.as_str(), b.when.as_str()), ("stuck1", "1000..2000"));
        assert_eq!(places("smem:sm2.byte1043.bit5@7"), [("smem:sm2.".into(), 8349)]);
        assert_eq!(places("mask:sm0.warp3.active.bit4@1"), [("mask:sm0.warp3.active.".into(), 4)]);
    }

    #[test]
    fn several_bits() {
        let row = || "rf:sm0.sub0.row1.".to_string();
        assert_eq!(
            places("rf:sm0.sub0.row1.lane0,2.bit3-5@9"),
            [3, 4, 5, 67, 68, 69].map(|p| (row(), p))
        );
        assert_eq!(places("rf:sm0.sub0.row1.lane*.bit0@9").len(), 32);
        assert_eq!(
            places("pred:sm0.warp1.p2.bit7@1 + pred:sm0.warp1.p3.bit7@1"),
            [("pred:sm0.warp1.p2.".into(), 7), ("pred:sm0.warp1.p3.".into(), 7)]
        );
        assert_eq!(places("smem:sm0.byte2.bit*@9").len(), 8);
        assert_eq!(places("mask:sm0.warp1.active,live.bit1@9").len(), 2);
    }

    #[test]
    fn what_a_name_alone_does_not_tell() {
        for fault in [
            "l2:slice4.set*.way3.data.bit8@1",
            "l2:slice4.set1.way3.data.bit*@1",
            "rf:sm3.sub1.row117.lane5.bit12",
            "nonsense",
            "",
            "rf:sm3.sub1@4",
            "rf:sm3.row5-2.bit1@4",
            "lmem:byte0-99999999.bit3@1",
        ] {
            assert_eq!(bits(fault), None, "{fault}");
        }
    }
}
