//! Whole-number expressions in manifests: `rows * cols`, `ceil_div(n, 256)`.
//!
//! A value is a number or a string; names are the scale's parameters, and `i`
//! inside a repeated launch. Arithmetic is checked: overflow is an error.

use serde::{Deserialize, Deserializer, de};
use std::collections::BTreeMap;

/// Names that expressions may use, with their values.
pub type Variables = BTreeMap<String, i64>;

/// Parentheses and calls nest at most this deep.
const DEEPEST: u32 = 64;

/// A whole number, or a formula for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression {
    text: String,
}

impl Expression {
    /// An expression from its text; errors show when it is evaluated.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// Its value, or what is wrong with it.
    pub fn evaluate(&self, variables: &Variables) -> Result<i64, String> {
        let mut parser = Parser { rest: self.text.trim_start(), variables, depth: 0 };
        let value = parser.sum();
        let value = match value {
            Ok(value) if parser.rest.is_empty() => Ok(value),
            Ok(_) => Err(format!("did not expect {:?}", parser.rest)),
            Err(problem) => Err(problem),
        };
        value.map_err(|problem| format!("in {:?}: {problem}", self.text))
    }
}

impl<'de> Deserialize<'de> for Expression {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Expression;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a whole number, or a formula such as \"ceil_div(n, 256)\"")
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Expression, E> {
                Ok(Expression::new(value.to_string()))
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Expression, E> {
                Ok(Expression::new(value.to_string()))
            }
            fn visit_str<E: de::Error>(self, value: &str) -> Result<Expression, E> {
                Ok(Expression::new(value))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

struct Parser<'t> {
    rest: &'t str,
    variables: &'t Variables,
    depth: u32,
}

impl<'t> Parser<'t> {
    fn sum(&mut self) -> Result<i64, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("nested too deeply".into());
        }
        let mut value = self.product()?;
        loop {
            value = if self.take('+') {
                value.checked_add(self.product()?)
            } else if self.take('-') {
                value.checked_sub(self.product()?)
            } else {
                self.depth -= 1;
                return Ok(value);
            }
            .ok_or("the number is too large")?;
        }
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.factor()?;
        loop {
            value = if self.take('*') {
                let by = self.factor()?;
                value.checked_mul(by).ok_or("the number is too large")?
            } else if self.take('/') {
                let by = self.factor()?;
                value.checked_div(by).ok_or("division by zero")?
            } else if self.take('%') {
                let by = self.factor()?;
                value.checked_rem(by).ok_or("division by zero")?
            } else {
                return Ok(value);
            };
        }
    }

    fn factor(&mut self) -> Result<i64, String> {
        let mut negative = false;
        while self.take('-') {
            negative = !negative;
        }
        let value = self.atom()?;
        if negative {
            return value.checked_neg().ok_or("the number is too large".into());
        }
        Ok(value)
    }

    fn atom(&mut self) -> Result<i64, String> {
        if self.take('(') {
            let value = self.sum()?;
            return self.expect(')').map(|()| value);
        }
        let word = self.word();
        if word.is_empty() {
            return Err(match self.rest.chars().next() {
                Some(other) => format!("expected a number or a name, found {other:?}"),
                None => "it ends where a number or a name is missing".into(),
            });
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return word
                .replace('_', "")
                .parse()
                .map_err(|_| format!("{word} is not a whole number"));
        }
        if self.take('(') {
            let first = self.sum()?;
            self.expect(',')?;
            let second = self.sum()?;
            self.expect(')')?;
            return call(word, first, second);
        }
        self.variables.get(word).copied().ok_or_else(|| {
            let known: Vec<_> = self.variables.keys().map(String::as_str).collect();
            format!("no parameter {word:?} (there are: {})", known.join(", "))
        })
    }

    fn word(&mut self) -> &'t str {
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    fn take(&mut self, wanted: char) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.take(wanted) {
            return Ok(());
        }
        Err(format!("{wanted:?} is missing"))
    }
}

fn call(name: &str, a: i64, b: i64) -> Result<i64, String> {
    match name {
        "min" => Ok(a.min(b)),
        "max" => Ok(a.max(b)),
        "ceil_div" => {
            let whole = a.checked_div_euclid(b).ok_or("division by zero")?;
            let more = i64::from(a.checked_rem_euclid(b).unwrap_or(0) != 0);
            // A negative divisor would round the other way; nobody needs it.
            if b < 0 {
                return Err("ceil_div needs a positive divisor".into());
            }
            whole.checked_add(more).ok_or("the number is too large".into())
        }
        other => Err(format!("no function {other:?}: there are min, max and ceil_div")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> Result<i64, String> {
        let variables = Variables::from([("n".into(), 1000), ("rows".into(), 7)]);
        Expression::new(text).evaluate(&variables)
    }

    #[test]
    fn arithmetic_follows_the_usual_order() {
        assert_eq!(value("2 + 3 * 4"), Ok(14));
        assert_eq!(value("(2 + 3) * 4"), Ok(20));
        assert_eq!(value("10 - 3 - 2"), Ok(5));
        assert_eq!(value("-rows + 1"), Ok(-6));
        assert_eq!(value("17 / 5 + 17 % 5"), Ok(5));
        assert_eq!(value("1_000"), Ok(1000));
    }

    #[test]
    fn functions() {
        assert_eq!(value("ceil_div(n, 256)"), Ok(4));
        assert_eq!(value("ceil_div(1024, 256)"), Ok(4));
        assert_eq!(value("ceil_div(-7, 2)"), Ok(-3));
        assert_eq!(value("min(rows, 3) + max(rows, 3)"), Ok(10));
    }

    #[test]
    fn errors_say_what_is_wrong() {
        for (text, problem) in [
            ("m", "no parameter \"m\" (there are: n, rows)"),
            ("n +", "it ends where a number or a name is missing"),
            ("n ! 2", "did not expect \"! 2\""),
            ("n / 0", "division by zero"),
            ("9223372036854775807 + 1", "the number is too large"),
            ("12n", "12n is not a whole number"),
            ("sqrt(4, 2)", "no function \"sqrt\": there are min, max and ceil_div"),
            ("(1", "')' is missing"),
        ] {
            assert_eq!(value(text), Err(format!("in {text:?}: {problem}")));
        }
    }

    #[test]
    fn deep_nesting_is_an_error_not_a_stack_overflow() {
        let error = value(&"(".repeat(100_000)).unwrap_err();
        assert!(error.ends_with("nested too deeply"));
        assert_eq!(value(&format!("{}5", "-".repeat(100_000))), Ok(5));
    }

    proptest! {
        #[test]
        fn any_text_is_a_value_or_an_error(text in "[-+*/%(), 0-9a-z_]{0,40}") {
            let _ = value(&text);
        }

        #[test]
        fn printed_sums_evaluate_to_themselves(a in -1000i64..1000, b in -1000i64..1000, c in 1i64..50) {
            prop_assert_eq!(value(&format!("({a}) * ({b}) - ({a}) / ({c})")), Ok(a * b - a / c));
        }
    }
}
