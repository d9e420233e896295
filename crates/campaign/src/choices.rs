//! Keys of a specification whose value is one of a few words. Each is defined
//! once, for files and flags alike.

use std::fmt;
use std::str::FromStr;

/// An enum of words, with all that reading and writing them needs.
macro_rules! choice {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            /// All of them, in the order in which they are told.
            pub const ALL: &[$name] = &[$($name::$variant),+];

            /// Its word.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)+
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<$name, String> {
                let found = $name::ALL.iter().copied().find(|c| c.name() == text);
                found.ok_or_else(|| must_be(text, $name::ALL))
            }
        }
    };
}

choice! {
    /// Which bits of a structure are drawn.
    Sampling {
        /// All of them.
        Physical = "physical",
        /// Those of live threads and CTAs.
        Active = "active",
    }
}

choice! {
    /// What decides on silent corruption.
    Comparison {
        /// All bytes copied to the host.
        Outputs = "outputs",
        /// The application's results.
        Results = "results",
        /// The application's own check.
        Verdict = "verdict",
        /// What a program prints.
        Stdout = "stdout",
        /// Files that it writes.
        Files = "files",
        /// Whether it prints that its result is right.
        Message = "message",
        /// A command of the user's.
        Command = "command",
    }
}

impl Comparison {
    /// Those for applications, or for programs.
    pub fn of(programs: bool) -> &'static [Comparison] {
        use Comparison::{Command, Files, Message, Outputs, Results, Stdout, Verdict};
        match programs {
            false => &[Outputs, Results, Verdict],
            true => &[Outputs, Stdout, Files, Message, Command],
        }
    }

    /// Whether it compares numbers, which may be nearly right.
    pub fn has_numbers(self) -> bool {
        match self {
            Comparison::Outputs | Comparison::Results | Comparison::Files => true,
            Comparison::Verdict
            | Comparison::Stdout
            | Comparison::Message
            | Comparison::Command => false,
        }
    }
}

/// What is wrong with a word.
pub(crate) fn must_be(text: &str, known: &[impl fmt::Display]) -> String {
    let known: Vec<String> = known.iter().map(ToString::to_string).collect();
    format!("`{text}` must be {}", known.join(", "))
}

/// For `#[serde(with)]`: a key that is written as a word.
pub(crate) mod word {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
    where
        T: FromStr<Err = String>,
        D: Deserializer<'de>,
    {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_back_and_others_are_told_what_there_is() {
        for choice in Comparison::ALL {
            assert_eq!(choice.name().parse(), Ok(*choice));
        }
        assert_eq!("active".parse(), Ok(Sampling::Active));
        let wrong = "random".parse::<Sampling>();
        assert_eq!(wrong, Err("`random` must be physical, active".into()));
    }

    #[test]
    fn every_comparison_is_for_somebody() {
        for choice in Comparison::ALL {
            let known = |programs| Comparison::of(programs).contains(choice);
            assert!(known(false) || known(true), "{choice}");
        }
    }
}
