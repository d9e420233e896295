//! The notation of March tests, read and written.

use std::fmt;
use std::str::FromStr;

/// In which order an element walks over the addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// `⇑`: from the lowest address to the highest.
    Up,
    /// `⇓`: from the highest to the lowest.
    Down,
    /// `⇕`: either will do; it is walked upwards.
    Either,
}

/// What is done at one address. The bit says whether data are inverted: `r1`
/// expects the complement of the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `r0`, `r1`: reads and expects this.
    Read(bool),
    /// `w0`, `w1`: writes this.
    Write(bool),
}

/// Operations that are done at one address before the next is visited.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Element {
    /// The walk.
    pub order: Order,
    /// What is done at each address; never empty.
    pub ops: Vec<Op>,
}

/// A March test.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct March {
    elements: Vec<Element>,
}

/// Why a text is no March test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no March test: {why}; write it as {{⇕(w0);⇑(r0,w1);⇓(r1,w0)}}")]
pub struct NotationError {
    text: String,
    why: String,
}

impl March {
    /// Its elements in order; never empty.
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }

    /// How often each cell is read or written: the 10 of "March C- is 10 N".
    pub fn length(&self) -> usize {
        self.elements.iter().map(|e| e.ops.len()).sum()
    }

    /// How often each cell is read.
    pub fn reads(&self) -> usize {
        let reads = |e: &Element| e.ops.iter().filter(|op| matches!(op, Op::Read(_))).count();
        self.elements.iter().map(reads).sum()
    }
}

/// The arrows, and what a keyboard without them has.
const ARROWS: [(Order, &str, &str); 3] =
    [(Order::Up, "⇑", "^"), (Order::Down, "⇓", "v"), (Order::Either, "⇕", "*")];

impl FromStr for March {
    type Err = NotationError;

    /// Reads `{⇕(w0);⇑(r0,w1)}`; `*`, `^` and `v` stand for the arrows, blanks
    /// do not count, and the braces may be left out.
    fn from_str(text: &str) -> Result<March, NotationError> {
        let error = |why: String| NotationError { text: text.to_string(), why };
        let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let inner = match (plain.strip_prefix('{'), plain.strip_suffix('}')) {
            (Some(_), Some(_)) => &plain[1..plain.len() - 1],
            (None, None) => &plain[..],
            _ => return Err(error("a brace is missing".into())),
        };
        let elements: Vec<Element> =
            inner.split(';').map(element).collect::<Result<_, _>>().map_err(error)?;
        check(&elements).map_err(error)?;
        Ok(March { elements })
    }
}

fn element(text: &str) -> Result<Element, String> {
    let found = ARROWS.iter().find_map(|(order, arrow, plain)| {
        let rest = text.strip_prefix(arrow).or_else(|| text.strip_prefix(plain))?;
        Some((*order, rest))
    });
    let (order, rest) = found.ok_or_else(|| format!("{text:?} begins with no arrow"))?;
    let ops = rest.strip_prefix('(').and_then(|r| r.strip_suffix(')'));
    let ops = ops.ok_or_else(|| format!("the operations of {text:?} are not in parentheses"))?;
    let ops = ops.split(',').map(op).collect::<Result<_, _>>()?;
    Ok(Element { order, ops })
}

fn op(text: &str) -> Result<Op, String> {
    match text {
        "r0" => Ok(Op::Read(false)),
        "r1" => Ok(Op::Read(true)),
        "w0" => Ok(Op::Write(false)),
        "w1" => Ok(Op::Write(true)),
        other => Err(format!("{other:?} is none of r0, r1, w0, w1")),
    }
}

/// A read must expect what a memory without faults has, or the test would call
/// every memory broken.
fn check(elements: &[Element]) -> Result<(), String> {
    let mut holds = None;
    for op in elements.iter().flat_map(|e| &e.ops) {
        match (*op, holds) {
            (Op::Write(value), _) => holds = Some(value),
            (Op::Read(_), None) => return Err("it reads before anything was written".into()),
            (Op::Read(value), Some(held)) if value != held => {
                let [want, have] = [value, held].map(u8::from);
                return Err(format!("it expects {want} where cells hold {have}"));
            }
            (Op::Read(_), Some(_)) => {}
        }
    }
    Ok(())
}

impl fmt::Display for March {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let elements: Vec<String> = self.elements.iter().map(Element::to_string).collect();
        write!(f, "{{{}}}", elements.join(";"))
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arrow = ARROWS.iter().find(|(order, ..)| *order == self.order).map_or("", |a| a.1);
        let ops: Vec<String> = self.ops.iter().map(Op::to_string).collect();
        write!(f, "{arrow}({})", ops.join(","))
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Op::Read(value) => write!(f, "r{}", u8::from(*value)),
            Op::Write(value) => write!(f, "w{}", u8::from(*value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_what_was_read() {
        for text in ["{⇕(w0);⇑(r0,w1);⇓(r1,w0)}", "{⇕(w1);⇕(r1)}"] {
            assert_eq!(text.parse::<March>().unwrap().to_string(), text);
        }
        let keyboard: March = " *(w0); ^(r0,w1); v(r1,w0) ".parse().unwrap();
        assert_eq!(keyboard.to_string(), "{⇕(w0);⇑(r0,w1);⇓(r1,w0)}");
        assert_eq!((keyboard.length(), keyboard.reads()), (5, 2));
    }

    #[test]
    fn what_is_no_march_test_is_refused_with_the_reason() {
        let why = |text: &str| text.parse::<March>().unwrap_err().to_string();
        assert!(why("{⇕(w0)").contains("a brace is missing"));
        assert!(why("{(w0)}").contains("begins with no arrow"));
        assert!(why("{⇕w0}").contains("not in parentheses"));
        assert!(why("{⇕()}").contains("none of r0, r1, w0, w1"));
        assert!(why("{⇕(w2)}").contains("\"w2\" is none of"));
        assert!(why("{⇑(r0)}").contains("before anything was written"));
        assert!(why("{⇕(w0);⇑(r1)}").contains("expects 1 where cells hold 0"));
    }
}
