//! Reading the name of an experiment.

use upset_state::{Layout, Part};

use crate::decompose::{expand, size};
use crate::experiment::check_when;
use crate::names::hint;
use crate::{Experiment, Fault, FaultError, MAX_CHANGES, Model, Names, When, digits};

/// What is wrong, and the part of the text that is.
struct Problem<'t> {
    at: &'t str,
    problem: String,
}

fn wrong<'t, T>(at: &'t str, problem: impl Into<String>) -> Result<T, Problem<'t>> {
    Err(Problem { at, problem: problem.into() })
}

impl Names<'_> {
    /// Reads the name of an experiment.
    pub fn parse(&self, text: &str) -> Result<Experiment, FaultError> {
        let mut faults = Vec::new();
        for term in text.split('+') {
            let fault = self.term(term.trim()).map_err(|p| FaultError::Name {
                text: term.trim().to_string(),
                column: column(text, p.at),
                problem: p.problem,
            })?;
            faults.push(fault);
        }
        Experiment::new(faults).map_err(|problem| self.named(problem))
    }

    /// The problem with the bit's own name, which `Experiment::new` cannot know.
    fn named(&self, problem: FaultError) -> FaultError {
        match problem {
            FaultError::Twice { site, name, what } => {
                let name = self.layout(site.array).map_or(name, |l| l.name(site.bit));
                FaultError::Twice { site, name, what }
            }
            other => other,
        }
    }

    fn term<'t>(&self, term: &'t str) -> Result<Fault, Problem<'t>> {
        if term.is_empty() {
            return wrong(term, "expected site@cycle, e.g. rf:sm0.sub0.row3.lane5.bit12@1000");
        }
        let (word, rest) = in_front(term)?;
        let model = if word.is_empty() { Model::Flip } else { model(word)? };
        let Some((site, cycles)) = rest.rsplit_once('@') else {
            return wrong(&rest[rest.len()..], "no cycle: write site@CYCLE or site@FROM..TO");
        };
        let (layout, bits) = self.site(site.trim_end())?;
        let cycles = cycles.trim_start();
        let when = when(cycles)?;
        check_when(model, when).or_else(|e| wrong(cycles, e.to_string()))?;
        model.suits(layout.id, when).or_else(|why| wrong(word, why))?;
        Ok(Fault { model, array: layout.id, bits, when })
    }

    /// The array and bits that a site's words name.
    fn site<'t>(&self, site: &'t str) -> Result<(&Layout, Vec<u64>), Problem<'t>> {
        let Some((kind, path)) = site.split_once(':') else {
            return wrong(site, "no kind: write kind:path.bitN, e.g. rf:sm0.sub0.row3.lane5.bit12");
        };
        let Some(first) = self.of_kind(kind).next() else {
            let known = self.kinds();
            let hint = hint(kind, known.iter().copied());
            let known = known.join(", ");
            return wrong(kind, format!("this chip has no `{kind}` arrays{hint}; it has {known}"));
        };
        let Some((candidates, rest)) = self.longest(kind, path) else {
            let last = self.of_kind(kind).last().unwrap_or(first);
            let range = format!("from {kind}:{} to {kind}:{}", first.path, last.path);
            return wrong(path, format!("no `{kind}` array lies there; they lie {range}"));
        };
        let words: Vec<&str> = rest.split('.').collect();
        let shape = candidates[0];
        let example = || shape.name(shape.bits().saturating_sub(1));
        let wanted = shape.axes.len() + usize::from(shape.parted);
        if words.len() != wanted {
            let few = if words.len() < wanted { "too few" } else { "too many" };
            return wrong(rest, format!("{few} words; the last bit there is {}", example()));
        }
        let mut words = words;
        let layout = if shape.parted {
            let word = words.remove(wanted - 2);
            match candidates.iter().find(|l| l.id.part.to_string() == word) {
                Some(layout) => layout,
                None => {
                    let parts: Vec<String> =
                        candidates.iter().map(|l| l.id.part.to_string()).collect();
                    return wrong(word, format!("expected {}", parts.join(" or ")));
                }
            }
        } else {
            shape
        };
        let mut product = Vec::new();
        for (word, axis) in words.iter().zip(&layout.axes) {
            product.push(digits::parse(word, axis).or_else(|p| wrong(word, p))?);
        }
        if size(&product) > u128::from(MAX_CHANGES) {
            let bits = size(&product);
            return wrong(rest, format!("{bits} bits are too many: name at most {MAX_CHANGES}"));
        }
        Ok((layout, expand(&product, &layout.axes)))
    }

    /// The arrays whose path is the longest beginning of `path`, and the rest.
    fn longest<'t>(&self, kind: &str, path: &'t str) -> Option<(Vec<&Layout>, &'t str)> {
        let ends = path.match_indices('.').map(|(dot, _)| dot).rev();
        for end in ends {
            let arrays: Vec<&Layout> = self.at(kind, &path[..end]).collect();
            if !arrays.is_empty() {
                return Some((arrays, &path[end + 1..]));
            }
        }
        let arrays: Vec<&Layout> = self.at(kind, path).chain(self.at(kind, "")).collect();
        let whole = arrays.first().is_some_and(|l| !l.path.is_empty());
        (!arrays.is_empty()).then(|| (arrays, if whole { &path[path.len()..] } else { path }))
    }
}

/// Where `at`, a piece of `text`, begins.
fn column(text: &str, at: &str) -> usize {
    let offset = (at.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    text.get(..offset).map_or(1, |before| before.chars().count() + 1)
}

/// The model in front of a term, if there is one, and the rest.
fn in_front(term: &str) -> Result<(&str, &str), Problem<'_>> {
    let end = term.find([':', '@']).unwrap_or(term.len());
    // A condition has spaces between its brackets.
    if let Some(open) = term[..end].find('(') {
        return match term[open..].find(')') {
            Some(close) => {
                let (word, rest) = term.split_at(open + close + 1);
                Ok((word, rest.trim_start()))
            }
            None => wrong(&term[open..], "the `(` has no `)`"),
        };
    }
    match term.split_once(char::is_whitespace) {
        Some((word, rest)) if !word.contains([':', '@']) => Ok((word, rest.trim_start())),
        _ => Ok((&term[..0], term)),
    }
}

fn model(word: &str) -> Result<Model, Problem<'_>> {
    Ok(match word {
        "flip" => Model::Flip,
        "stuck0" => Model::Stuck(false),
        "stuck1" => Model::Stuck(true),
        _ => match burst(word) {
            Some(burst) => burst,
            None => Model::Quirk(word.parse().or_else(|problem: String| wrong(word, problem))?),
        },
    })
}

fn burst(word: &str) -> Option<Model> {
    let (value, rest) = if let Some(rest) = word.strip_prefix("burst0") {
        (false, rest)
    } else {
        (true, word.strip_prefix("burst1")?)
    };
    let (on, off) = rest.strip_prefix('(')?.strip_suffix(')')?.split_once('/')?;
    Some(Model::Burst { value, on: number(on)?, off: number(off)? })
}

fn when(text: &str) -> Result<When, Problem<'_>> {
    let parsed = match text.split_once("..") {
        None => number(text).map(When::At),
        Some((from, "")) => number(from).map(When::From),
        Some((from, to)) => number(from).zip(number(to)).map(|(from, to)| When::Span { from, to }),
    };
    match parsed {
        Some(when) => Ok(when),
        None => wrong(text, "expected a cycle, FROM..TO (without the cycle TO) or FROM.."),
    }
}

/// Digits only: `u64::from_str` would also take a sign.
pub(crate) fn number(text: &str) -> Option<u64> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// The part that a word names.
pub(crate) fn part(word: &str) -> Option<Part> {
    [Part::Data, Part::Tag, Part::State].into_iter().find(|p| p.to_string() == word)
}
