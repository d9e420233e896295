//! Numbers inside markup.

use crate::view::Left;

/// Seconds as people say them.
pub fn duration(seconds: f64) -> String {
    let s = seconds.max(0.0).round();
    let text = match s {
        s if s < 90.0 => format!("{s} s"),
        s if s < 90.0 * 60.0 => format!("{} min", (s / 60.0).round()),
        s if s < 48.0 * 3600.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86400.0),
    };
    text.replace(' ', "\u{a0}")
}

/// `40 s to 3 min`.
pub fn left(left: Left) -> String {
    let least = duration(left.least);
    match left.most.map(duration) {
        None => format!("{least} or more"),
        Some(most) if most == least => format!("about {least}"),
        Some(most) => format!("{least} to {most}"),
    }
}

/// How much is done, never `100 %` before the end.
pub fn share(done: u64, total: u64) -> String {
    if total == 0 || done >= total {
        return "100\u{a0}%".into();
    }
    let share = (1000.0 * done as f64 / total as f64).floor() / 10.0;
    match share < 10.0 {
        true => format!("{share:.1}\u{a0}%"),
        false => format!("{}\u{a0}%", share.floor()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_shares() {
        let plain = |text: String| text.replace('\u{a0}', " ");
        for (s, text) in
            [(0.2, "0 s"), (89.0, "89 s"), (90.0, "2 min"), (7200.0, "2.0 h"), (2e5, "2.3 days")]
        {
            assert_eq!(plain(duration(s)), text);
        }
        assert_eq!(plain(left(Left { least: 40.0, most: Some(180.0) })), "40 s to 3 min");
        assert_eq!(plain(left(Left { least: 40.2, most: Some(40.4) })), "about 40 s");
        assert_eq!(plain(left(Left { least: 40.0, most: None })), "40 s or more");
        for (done, total, text) in [
            (0, 300, "0.0 %"),
            (29, 300, "9.6 %"),
            (150, 300, "50 %"),
            (299_999, 300_000, "99 %"),
            (300, 300, "100 %"),
            (0, 0, "100 %"),
        ] {
            assert_eq!(plain(share(done, total)), text);
        }
    }
}
