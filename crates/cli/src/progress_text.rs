//! The words of the progress display: pure text, none of it wider than a
//! terminal of 80 columns, whatever the counts.

use upset_campaign::{Counted, Progress};
use upset_metrics::Class;

use crate::words::counted;

/// Columns of the narrowest terminal that is common.
pub const WIDTH: usize = 80;
/// Columns of the bar.
const BAR: u64 = 24;
/// Columns that a subject's name keeps when the numbers are long.
const NAME: usize = 12;
/// Columns that it keeps in any case.
const LEAST: usize = 4;

/// How fast a round goes: experiments a second, and seconds left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Experiments a second.
    pub rate: f64,
    /// Seconds left.
    pub left: f64,
}

/// Subjects that are under way at once, as one: of the first, by name.
pub fn together<'a>(all: impl Iterator<Item = &'a Progress>) -> Progress {
    all.fold(Progress::default(), |mut sum, p| {
        if sum.subject.is_empty() {
            (sum.subject, sum.subjects, sum.counted) = (p.subject.clone(), p.subjects, p.counted);
        } else {
            sum.subject = format!("{}, {}", sum.subject, p.subject);
        }
        sum.done += p.done;
        sum.total += p.total;
        sum.handed = (sum.handed.0 + p.handed.0, sum.handed.1 + p.handed.1);
        sum.simulated += p.simulated;
        Class::ALL.into_iter().for_each(|class| sum.counts.add_many(class, p.counts.of(class)));
        sum
    })
}

/// The display on a terminal: how far, the bar, the classes.
pub fn display(p: &Progress, pace: Option<Pace>) -> String {
    let head = fitting(|n| {
        let (name, known, rest) = head(p, n);
        (name, format!("{known}, {} simulated{rest}", n(p.simulated)))
    });
    [head, bar(p, pace), fitting(|n| (String::new(), classes(p, n)))].join("\n")
}

/// One line for a log: how far, and what is certain of the failures.
pub fn line(p: &Progress) -> String {
    fitting(|n| {
        let (name, known, rest) = head(p, n);
        match limits(p) {
            Some(limits) => (name, format!("{known}{rest}; {limits}")),
            None => (name, known + &rest),
        }
    })
}

/// What is done before the runs.
pub fn stage(subject: &str, what: &str) -> String {
    fitting(|_| (subject.to_string(), format!(": {what}")))
}

/// Writes a number.
type Number = fn(u64) -> String;

/// The subject's name, how much is known, and what went wrong.
fn head(p: &Progress, number: Number) -> (String, String, String) {
    let place = match p.subjects.1 {
        0 | 1 => String::new(),
        all => format!(" ({} of {all})", p.subjects.0 + 1),
    };
    let what = match p.counted {
        Counted::Experiments => "experiment",
        Counted::Flips => "flip",
    };
    let plural = |n: u64| if n == 1 { "" } else { "s" };
    let (done, total) = (number(p.done), number(p.total));
    let known = format!("{place}: {done} of {total} {what}{} known", plural(p.total));
    let failed = match p.counts.tool_error {
        0 => String::new(),
        n => format!(", {} tool error{}", number(n), plural(n)),
    };
    (p.subject.clone(), known, failed)
}

/// The share that certainly fails, and the share that fails at most: what is
/// not known yet may go either way. Flips of an exact count stand for different
/// numbers of bits and cycles, so their share says nothing.
fn limits(p: &Progress) -> Option<String> {
    let valid = p.total.checked_sub(p.counts.tool_error).filter(|n| *n > 0)?;
    let (fail, open) = (p.counts.failures(), p.total.saturating_sub(p.done));
    let percent = |n: u64| 100.0 * n as f64 / valid as f64;
    match (p.counted, open) {
        (Counted::Flips, _) => None,
        (_, 0) => Some(format!("{:.2} % fail", percent(fail))),
        _ => Some(format!("{:.2} to {:.2} % fail", percent(fail), percent(fail + open))),
    }
}

fn bar(p: &Progress, pace: Option<Pace>) -> String {
    let filled = (p.done.min(p.total) * BAR).checked_div(p.total).unwrap_or(0);
    let mut parts: Vec<String> = limits(p).into_iter().collect();
    if let Some(pace) = pace {
        parts.push(format!("{}/s", rate(pace.rate)));
        parts.push(format!("{} left", duration(pace.left)));
    }
    let bar = "█".repeat(filled as usize) + &"░".repeat((BAR - filled) as usize);
    format!("{bar} {}", parts.join(", ")).trim_end().to_string()
}

fn classes(p: &Progress, number: Number) -> String {
    let classes = Class::ALL.into_iter().filter(|c| *c != Class::ToolError);
    let each = classes.map(|c| format!("{} {}", c.name(), number(p.counts.of(c))));
    each.collect::<Vec<_>>().join(", ")
}

/// A name and what comes after it in one line: with numbers to the last digit
/// if there is room, then with short ones; a long name gives way.
fn fitting(of: impl Fn(Number) -> (String, String)) -> String {
    let exact: Number = |n| n.to_string();
    let short: Number = short;
    for number in [exact, short] {
        let (name, rest) = of(number);
        let Some(room) = WIDTH.checked_sub(rest.chars().count()) else { continue };
        let len = name.chars().count();
        if room >= len {
            return name + &rest;
        }
        if room >= NAME.min(len) {
            return cut(&name, room) + &rest;
        }
    }
    let (name, rest) = of(short);
    let room = WIDTH.saturating_sub(rest.chars().count());
    cut(&(cut(&name, room.max(LEAST)) + &rest), WIDTH)
}

/// At most so many characters; what is cut leaves an ellipsis.
fn cut(text: &str, most: usize) -> String {
    match text.chars().count() <= most {
        true => text.to_string(),
        false => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// A number in at most four characters.
fn short(n: u64) -> String {
    let (value, unit) = match n {
        0..=9_999 => return n.to_string(),
        10_000..=999_999 => (n as f64 / 1e3, "k"),
        1_000_000..=999_999_999 => (n as f64 / 1e6, "M"),
        1_000_000_000..=999_999_999_999 => (n as f64 / 1e9, "G"),
        _ => return "many".into(),
    };
    // Downwards: 999 999 is not 1000 k.
    match value {
        v if v < 10.0 => format!("{:.1}{unit}", (v * 10.0).floor() / 10.0),
        v => format!("{}{unit}", v.floor()),
    }
}

fn rate(per_second: f64) -> String {
    match per_second {
        r if r < 10.0 => format!("{r:.1}"),
        r => short(r as u64),
    }
}

/// A time in words.
fn duration(seconds: f64) -> String {
    let minutes = (seconds / 60.0) as u64;
    match (seconds as u64, minutes) {
        (0..60, _) => format!("{} s", seconds.ceil() as u64),
        (_, 0..60) => format!("{minutes} min"),
        (_, 60..2880) => format!("{} h {} min", minutes / 60, minutes % 60),
        _ => counted((minutes / 1440).min(9999), "day"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_metrics::Counts;

    fn progress(counts: Counts, total: u64, simulated: u64) -> Progress {
        let done = counts.runs();
        let subject = "hs on rtx2060".to_string();
        Progress {
            subject,
            subjects: (0, 1),
            done,
            total,
            simulated,
            counts,
            ..Progress::default()
        }
    }

    #[test]
    fn the_display_in_the_middle_of_a_campaign() {
        let counts = Counts {
            masked: 1040,
            performance: 2,
            sdc: 120,
            crash: 30,
            timeout: 8,
            ..Counts::default()
        };
        let p = progress(counts, 12_000, 190);
        let pace = Some(Pace { rate: 412.3, left: 26.2 });
        insta::assert_snapshot!(display(&p, pace), @r"
        hs on rtx2060: 1200 of 12000 experiments known, 190 simulated
        ██░░░░░░░░░░░░░░░░░░░░░░ 1.32 to 91.32 % fail, 412/s, 27 s left
        masked 1040, performance 2, sdc 120, crash 30, timeout 8
        ");
        insta::assert_snapshot!(
            line(&p),
            @"hs on rtx2060: 1200 of 12000 experiments known; 1.32 to 91.32 % fail"
        );
    }

    #[test]
    fn the_display_at_the_ends() {
        let p = progress(Counts::default(), 3000, 0);
        insta::assert_snapshot!(display(&p, None), @r"
        hs on rtx2060: 0 of 3000 experiments known, 0 simulated
        ░░░░░░░░░░░░░░░░░░░░░░░░ 0.00 to 100.00 % fail
        masked 0, performance 0, sdc 0, crash 0, timeout 0
        ");
        let p = progress(Counts { masked: 2700, sdc: 300, ..Counts::default() }, 3000, 41);
        insta::assert_snapshot!(
            line(&p),
            @"hs on rtx2060: 3000 of 3000 experiments known; 10.00 % fail"
        );
    }

    #[test]
    fn one_is_singular() {
        let one = Counts { tool_error: 1, ..Counts::default() };
        let p = Progress { subjects: (1, 2), ..progress(one, 1, 1) };
        insta::assert_snapshot!(
            line(&p),
            @"hs on rtx2060 (2 of 2): 1 of 1 experiment known, 1 tool error"
        );
    }

    #[test]
    fn an_exact_count_shows_no_share() {
        let counts = Counts { masked: 700, sdc: 40, ..Counts::default() };
        let p = Progress { counted: Counted::Flips, ..progress(counts, 1000, 12) };
        insta::assert_snapshot!(display(&p, None), @r"
        hs on rtx2060: 740 of 1000 flips known, 12 simulated
        █████████████████░░░░░░░
        masked 700, performance 0, sdc 40, crash 0, timeout 0
        ");
    }

    #[test]
    fn no_line_is_wider_than_a_terminal() {
        let names =
            ["x".repeat(200), "a program with a name on a chip of ours".into(), "va".into()];
        let counts = [0, 1, 99_999, 100_000, 999_999, 1_234_567, 99_999_999, u32::MAX.into()];
        for (name, n) in names.iter().flat_map(|s| counts.map(|n| (s, n))) {
            let all =
                Counts { masked: n, performance: n, sdc: n, crash: n, timeout: n, tool_error: n };
            for (rate, left) in [(0.01, 0.4), (9.99, 59.9), (123_456.0, 3600.0), (1e9, 1e12)] {
                let p = Progress {
                    subject: name.clone(),
                    subjects: (9, 20),
                    ..progress(all, 10 * n + 1, n)
                };
                let text = display(&p, Some(Pace { rate, left })) + "\n" + &line(&p);
                let text = text + "\n" + &stage(name, "lifetimes of the bits");
                for line in text.lines() {
                    assert!(line.chars().count() <= WIDTH, "{line}");
                }
                assert_eq!(text.lines().count(), 5, "{text}");
                assert!(text.contains(" known"), "{text}");
            }
        }
    }

    #[test]
    fn times_are_in_words() {
        let words = [0.2, 59.0, 60.0, 3599.0, 3600.0, 100_000.0, 200_000.0].map(duration);
        assert_eq!(words, ["1 s", "59 s", "1 min", "59 min", "1 h 0 min", "27 h 46 min", "2 days"]);
    }
}
