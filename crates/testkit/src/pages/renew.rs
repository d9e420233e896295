//! A page with the output of today.

use super::compare::ANY;
use super::run::{Answer, run};
use super::{Page, Setting};

/// The page's text with every output that has changed shown anew; none if the
/// page is as it should be. Output that is as shown but for times stays.
pub fn renewed(page: &str, setting: &Setting) -> Result<Option<String>, String> {
    let text = setting.read(page)?;
    let parsed = Page::parse(&text).map_err(|e| format!("{page}:{e}"))?;
    let answers = run(&parsed, setting)?;
    if let Some(failed) = answers.answers.iter().find(|answer| !answer.ended_well()) {
        let why = failed.wrong().unwrap_or_default();
        return Err(format!("{page}:{}: {why}", failed.step.line + 1));
    }
    Ok(with(&text, &answers.answers))
}

fn with(text: &str, answers: &[Answer<'_>]) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    let changed: Vec<&Answer<'_>> = answers.iter().filter(|a| !a.is_as_shown()).collect();
    // From the end, so that the places of the others stay.
    for answer in changed.iter().rev() {
        let (first, end) = answer.step.shown_at;
        lines.splice(first..end, shortened(&answer.step.shown, &answer.printed));
    }
    (!changed.is_empty()).then(|| lines.join("\n") + "\n")
}

/// As many lines from the beginning and the end as were shown.
fn shortened(shown: &[String], printed: &[String]) -> Vec<String> {
    let first = shown.iter().position(|line| line == ANY);
    let last = shown.iter().rposition(|line| line == ANY);
    let (Some(first), Some(last)) = (first, last) else { return printed.to_vec() };
    let after = shown.len() - last - 1;
    if first + after >= printed.len() {
        return printed.to_vec();
    }
    let dots = [ANY.to_string()];
    [&printed[..first], &dots, &printed[printed.len() - after..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_out_stays_left_out() {
        let lines = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        assert_eq!(shortened(&lines("a … d"), &lines("1 2 3 4 5")), lines("1 … 5"));
        assert_eq!(shortened(&lines("a …"), &lines("1 2 3")), lines("1 …"));
        assert_eq!(shortened(&lines("a b"), &lines("1 2 3")), lines("1 2 3"));
        assert_eq!(shortened(&lines("a b … c"), &lines("1 2")), lines("1 2"));
    }
}
