//! A chip's name, and how a variant is called.

/// Characters of a name that somebody gives a chip.
pub(crate) fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// Characters of any chip's name: a variant's has what was changed, too.
pub(crate) fn is_variant_char(c: char) -> bool {
    is_name_char(c) || matches!(c, ':' | '=')
}

/// `hd7970:cu.count=1:cu.simds=2` is a chip and what is changed in it. What
/// follows a colon without a `=` belongs to the path of a file.
pub(crate) fn changes(name: &str) -> (&str, Vec<&str>) {
    match name.split_once(':') {
        Some((base, rest)) if rest.contains('=') && !base.is_empty() => {
            (base, rest.split(':').map(str::trim).collect())
        }
        _ => (name, Vec::new()),
    }
}

/// What a variant is called: the chip it is made of and what was changed.
pub(crate) fn of_variant(base: &str, changes: &[&str]) -> String {
    let text = std::iter::once(&base).chain(changes).copied().collect::<Vec<_>>().join(":");
    text.chars().map(|c| if is_variant_char(c) { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_is_a_chip_and_changes() {
        assert_eq!(changes("hd7970"), ("hd7970", vec![]));
        let two = ("hd7970", vec!["cu.count=1", "cu.simds=2"]);
        assert_eq!(changes("hd7970:cu.count=1:cu.simds=2"), two);
        assert_eq!(changes("./a.toml:sm.count=1"), ("./a.toml", vec!["sm.count=1"]));
        assert_eq!(changes("./a:b.toml"), ("./a:b.toml", vec![]));
        assert_eq!(of_variant("x", &["l1d.serves=local, global"]), "x:l1d.serves=local--global");
    }
}
