//! What a run of a program left, and where two differ.

use std::path::{Path, PathBuf};

/// What is compared of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Its exit code as shells have it; none if it took too long.
    pub code: Option<u8>,
    /// Its standard output, where that is compared.
    pub stdout: Option<Vec<u8>>,
    /// Its files; none where one was not written.
    pub files: Vec<Option<Vec<u8>>>,
}

impl Output {
    /// The first difference, in words.
    pub fn differs(&self, other: &Output, names: &[PathBuf]) -> Option<String> {
        let end = |o: &Output| match o.code {
            Some(code) => format!("exit code {code}"),
            None => "no end within the limit".to_string(),
        };
        if self.code != other.code {
            return Some(format!("{}, and {}", end(self), end(other)));
        }
        if let (Some(a), Some(b)) = (&self.stdout, &other.stdout)
            && a != b
        {
            return Some(format!("standard output {}", place(a, b)));
        }
        let files = self.files.iter().zip(&other.files).zip(names);
        files.filter(|((a, b), _)| a != b).map(|((a, b), name)| file(a, b, name)).next()
    }
}

fn file(a: &Option<Vec<u8>>, b: &Option<Vec<u8>>, name: &Path) -> String {
    match (a, b) {
        (Some(a), Some(b)) => format!("{} {}", name.display(), place(a, b)),
        _ => format!("{} is written by one of them alone", name.display()),
    }
}

/// Where bytes begin to differ.
fn place(a: &[u8], b: &[u8]) -> String {
    let at = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    match (a.get(at), b.get(at)) {
        (Some(a), Some(b)) => format!("from byte {at} on: {a:02x} and {b:02x}"),
        _ => format!("has {} and {} bytes", a.len(), b.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(stdout: &str, file: Option<&str>) -> Output {
        let bytes = |text: &str| text.as_bytes().to_vec();
        Output { code: Some(0), stdout: Some(bytes(stdout)), files: vec![file.map(bytes)] }
    }

    #[test]
    fn the_first_difference_is_told() {
        let names = [PathBuf::from("out.bin")];
        let a = output("one", Some("xyz"));
        let told = |b: &Output| a.differs(b, &names);
        assert_eq!(told(&a), None);
        let say = |text: &str| Some(text.to_string());
        assert_eq!(
            told(&output("ona", Some("xyz"))),
            say("standard output from byte 2 on: 65 and 61")
        );
        assert_eq!(told(&output("ones", Some("xyz"))), say("standard output has 3 and 4 bytes"));
        assert_eq!(told(&output("one", Some("xyx"))), say("out.bin from byte 2 on: 7a and 78"));
        assert_eq!(told(&output("one", None)), say("out.bin is written by one of them alone"));
        let hangs = Output { code: None, ..a.clone() };
        assert_eq!(told(&hangs), say("exit code 0, and no end within the limit"));
    }
}
