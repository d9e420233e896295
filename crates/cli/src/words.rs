//! Grammar.

/// A number of things: `1 experiment`, `2 experiments`.
pub fn counted(n: u64, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

/// A verb of the third person: `1 differs`, `2 differ`.
pub fn does(n: u64, verb: &str) -> String {
    match n {
        1 => format!("1 {verb}s"),
        n => format!("{n} {verb}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        assert_eq!([0, 1, 2].map(|n| counted(n, "run")), ["0 runs", "1 run", "2 runs"]);
        assert_eq!([0, 1, 2].map(|n| does(n, "differ")), ["0 differ", "1 differs", "2 differ"]);
    }
}
