//! What is asked for, in the words of `ptxas`.

use std::ffi::OsString;
use std::path::PathBuf;

/// One conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The library.
    pub library: PathBuf,
    /// PTX, cubins, objects or libraries, by the ends of their names.
    pub from: Vec<PathBuf>,
    /// Where the code goes.
    pub to: PathBuf,
    /// Options, as the library writes them: `-arch=sm_75`.
    pub options: Vec<String>,
}

impl Order {
    /// Reads `LIBRARY -arch=sm_75 FROM… -o TO [OPTION…]`.
    pub fn read(words: &[OsString]) -> Result<Order, String> {
        const USAGE: &str = "wanted: LIBRARY -arch=sm_NN FROM... -o TO [OPTION]...";
        let [library, arch, rest @ ..] = words else { return Err(USAGE.into()) };
        let named = rest.iter().position(|word| word == "-o").unwrap_or_default();
        let (from, [_, to, more @ ..]) = rest.split_at(named) else { return Err(USAGE.into()) };
        if from.is_empty() || !arch.to_string_lossy().starts_with("-arch=sm_") {
            return Err(USAGE.into());
        }
        let options = std::iter::once(arch).chain(more).map(|word| {
            let word = word.to_string_lossy();
            // ptxas has two dashes where the library has one.
            format!("-{}", word.trim_start_matches('-'))
        });
        Ok(Order {
            library: library.into(),
            from: from.iter().map(PathBuf::from).collect(),
            to: to.into(),
            options: options.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_ptxas_are_read() {
        let words = ["lib", "-arch=sm_75", "a.ptx", "-o", "a.cubin", "--maxrregcount=32"];
        let order = Order::read(&words.map(OsString::from)).expect("an order");
        assert_eq!(order.options, ["-arch=sm_75", "-maxrregcount=32"]);
        assert_eq!(order.to, PathBuf::from("a.cubin"));
        let words = ["lib", "-arch=sm_75", "a.ptx", "b.cubin", "-o", "c.cubin"];
        let order = Order::read(&words.map(OsString::from)).expect("an order");
        assert_eq!(order.from, ["a.ptx", "b.cubin"].map(PathBuf::from));
        for wrong in [
            &words[..5],
            &["lib", "a.ptx", "-arch=sm_75", "-o", "a.cubin"],
            &["lib", "-arch=sm_75", "-o", "a.cubin"],
        ] {
            let wrong: Vec<OsString> = wrong.iter().map(OsString::from).collect();
            assert!(Order::read(&wrong).is_err(), "{wrong:?}");
        }
    }
}
