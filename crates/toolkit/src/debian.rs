//! Where this Debian system gets packages from.

use crate::files::files_ending;
use std::fs;
use std::path::{Path, PathBuf};

/// The system's package sources, one text per file.
pub fn system_sources() -> Vec<String> {
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    files.extend(files_ending(Path::new("/etc/apt/sources.list.d"), ".list").unwrap_or_default());
    files
        .extend(files_ending(Path::new("/etc/apt/sources.list.d"), ".sources").unwrap_or_default());
    files.iter().filter_map(|f| fs::read_to_string(f).ok()).collect()
}

/// The system's own entries for this release, in deb822 form, with the
/// components that hold the toolkit. Entries of other origins are left out.
pub fn private_sources(files: &[String], codename: &str) -> String {
    let stanzas = files.iter().flat_map(|text| text.split("\n\n"));
    stanzas
        .filter_map(|stanza| {
            deb822_entry(stanza, codename).or_else(|| one_line_entry(stanza, codename))
        })
        .collect()
}

fn deb822_entry(stanza: &str, codename: &str) -> Option<String> {
    let field = |name: &str| {
        stanza.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    };
    field("Types")?.split_whitespace().find(|t| *t == "deb")?;
    field("Suites")?.split_whitespace().find(|s| *s == codename)?;
    field("Components")?.split_whitespace().find(|c| *c == "main")?;
    Some(entry(field("URIs")?, codename, field("Signed-By")))
}

fn one_line_entry(stanza: &str, codename: &str) -> Option<String> {
    stanza.lines().find_map(|line| {
        let line = line.trim().strip_prefix("deb ")?.trim();
        let (options, rest) = match line.strip_prefix('[') {
            Some(bracketed) => bracketed.split_once(']')?,
            None => ("", line),
        };
        let mut words = rest.split_whitespace();
        let uri = words.next()?;
        words.next().filter(|suite| *suite == codename)?;
        words.find(|component| *component == "main")?;
        let key = options.split_whitespace().find_map(|o| o.strip_prefix("signed-by="));
        Some(entry(uri, codename, key))
    })
}

fn entry(uris: &str, codename: &str, key: Option<&str>) -> String {
    let key = key.map_or(String::new(), |key| format!("Signed-By: {key}\n"));
    format!(
        "Types: deb\nURIs: {uris}\nSuites: {codename}\nComponents: main contrib non-free\n{key}\n"
    )
}

pub fn codename_of(os_release: &str) -> Option<&str> {
    let line = os_release.lines().find_map(|l| l.strip_prefix("VERSION_CODENAME="))?;
    Some(line.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &str = "\
Types: deb
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
";
    const FOREIGN: &str = "deb https://tools.example/apt sdk-bookworm main\n";

    #[test]
    fn only_the_release_itself_is_taken_with_more_components() {
        let security =
            OURS.replace("Suites: bookworm bookworm-updates", "Suites: bookworm-security");
        let files = [format!("{OURS}\n{security}"), FOREIGN.to_string()];
        assert_eq!(
            private_sources(&files, "bookworm"),
            "Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm\n\
             Components: main contrib non-free\n\
             Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n"
        );
    }

    #[test]
    fn one_line_entries_are_understood() {
        let line = "# comment\ndeb [signed-by=/k.gpg] http://m.example/debian bookworm main\n";
        assert_eq!(
            private_sources(&[line.to_string()], "bookworm"),
            "Types: deb\nURIs: http://m.example/debian\nSuites: bookworm\n\
             Components: main contrib non-free\nSigned-By: /k.gpg\n\n"
        );
    }

    #[test]
    fn codename_comes_with_or_without_quotes() {
        assert_eq!(codename_of("ID=debian\nVERSION_CODENAME=bookworm\n"), Some("bookworm"));
        assert_eq!(codename_of("VERSION_CODENAME=\"trixie\""), Some("trixie"));
        assert_eq!(codename_of("ID=arch\n"), None);
    }
}
