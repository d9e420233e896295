//! From patterns to instructions.

use super::table;

/// A PTX register class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// 16 bits.
    Half,
    /// 32 bits.
    Word,
    /// 64 bits.
    Wide,
    /// FP32.
    Float,
    /// FP64.
    Double,
    /// Predicate.
    Predicate,
}

impl Class {
    fn of(letter: char) -> Class {
        match letter {
            'h' => Class::Half,
            'l' => Class::Wide,
            'f' => Class::Float,
            'd' => Class::Double,
            'p' => Class::Predicate,
            _ => Class::Word,
        }
    }

    /// The letter that registers of the class begin with.
    pub fn letter(self) -> char {
        match self {
            Class::Half => 'h',
            Class::Word => 'r',
            Class::Wide => 'l',
            Class::Float => 'f',
            Class::Double => 'd',
            Class::Predicate => 'p',
        }
    }
}

/// An instruction, or a few that belong together, without operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    text: String,
    /// Of the result.
    pub result: Class,
    /// Of the operands.
    pub operands: Vec<Class>,
}

impl Instruction {
    /// For people.
    pub fn name(&self) -> &str {
        &self.text
    }

    /// The statement with operands in their places.
    pub fn statement(&self, result: &str, operands: &[String], scratch: &Scratch<'_>) -> String {
        if !self.text.contains('$') {
            return format!("{} {result}, {};", self.text, operands.join(", "));
        }
        let mut text = self.text.replace("$d", result);
        for (name, value) in ["$a", "$b", "$c"].iter().zip(operands) {
            text = text.replace(name, value);
        }
        if let Some(predicate) = operands.last() {
            text = text.replace("$p", predicate);
        }
        let temporary = [("$t", scratch.word), ("$u", scratch.wide), ("$h", scratch.half)];
        temporary.iter().fold(text, |text, (name, value)| text.replace(name, value))
    }
}

/// Registers that a statement may use for the time being.
pub struct Scratch<'a> {
    /// 16 bits.
    pub half: &'a str,
    /// 32 bits.
    pub word: &'a str,
    /// 64 bits.
    pub wide: &'a str,
}

/// Every choice of alternatives.
fn expand(pattern: &str) -> Vec<String> {
    let Some((before, rest)) = pattern.split_once('(') else { return vec![pattern.to_owned()] };
    let Some((choices, after)) = rest.split_once(')') else { return vec![pattern.to_owned()] };
    let tails = expand(after);
    choices
        .split('|')
        .flat_map(|choice| tails.iter().map(move |tail| format!("{before}{choice}{tail}")))
        .collect()
}

fn all(families: &[&[(&str, &str)]]) -> Vec<Instruction> {
    let patterns = families.iter().flat_map(|family| family.iter());
    let of = |(pattern, signature): &(&str, &str)| {
        let mut classes = signature.chars().map(Class::of);
        let result = classes.next().unwrap_or(Class::Word);
        let operands: Vec<Class> = classes.collect();
        expand(pattern)
            .into_iter()
            .map(|text| Instruction { text, result, operands: operands.clone() })
            .collect::<Vec<_>>()
    };
    patterns.flat_map(of).collect()
}

/// Instructions that are defined to the last bit.
pub fn exact() -> Vec<Instruction> {
    all(table::EXACT)
}

/// Instructions that are not.
pub fn approximate() -> Vec<Instruction> {
    all(table::APPROXIMATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_are_multiplied() {
        assert_eq!(expand("a(b|c).(|d)e"), ["ab.e", "ab.de", "ac.e", "ac.de"]);
    }

    #[test]
    fn every_instruction_is_there_once() {
        let mut names: Vec<String> = exact().iter().map(|i| i.name().to_owned()).collect();
        let len = names.len();
        assert!(len > 2000, "{len}");
        names.sort();
        names.dedup();
        assert_eq!(names.len(), len);
    }

    #[test]
    fn operands_go_to_their_places() {
        let scratch = Scratch { half: "%h9", word: "%t", wide: "%u" };
        let find = |name: &str| {
            exact().into_iter().find(|i| i.name().starts_with(name)).expect("in the table")
        };
        let ops = ["%r1", "%r2", "%r3"].map(str::to_owned);
        let one = find("add.u32").statement("%r0", &ops[..2], &scratch);
        assert_eq!(one, "add.u32 %r0, %r1, %r2;");
        let two = find("add.cc.u32").statement("%r0", &ops, &scratch);
        assert_eq!(two, "add.cc.u32 %t, %r1, %r2; addc.u32 %r0, %r2, %r3;");
    }
}
