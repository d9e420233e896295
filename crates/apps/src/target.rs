//! What compiled code is made for.

use std::fmt;
use std::str::FromStr;
use upset_chip::{ChipSpec, Vendor};

/// An instruction set, as compilers name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// NVIDIA's, by compute capability: 75 is `sm_75`.
    Sm(u32),
    /// AMD's: 600 is `gfx600`.
    Gfx(u32),
}

impl Target {
    /// Those whose files are looked for beside a manifest.
    pub(crate) const KNOWN: [Target; 13] = [
        Target::Sm(35),
        Target::Sm(37),
        Target::Sm(70),
        Target::Sm(72),
        Target::Sm(75),
        Target::Sm(80),
        Target::Sm(86),
        Target::Sm(87),
        Target::Sm(89),
        Target::Sm(90),
        Target::Gfx(600),
        Target::Gfx(601),
        Target::Gfx(602),
    ];

    /// What a chip executes; none if its architecture has another kind of name.
    pub fn of_chip(chip: &ChipSpec) -> Option<Target> {
        chip.chip.arch.parse().ok()
    }

    /// Who makes chips for it.
    pub fn vendor(self) -> Vendor {
        match self {
            Target::Sm(_) => Vendor::Nvidia,
            Target::Gfx(_) => Vendor::Amd,
        }
    }

    /// Whether a chip of that kind executes this code: of its own generation,
    /// and with NVIDIA not newer than the chip. AMD's targets of a generation
    /// differ in nothing that a kernel can see.
    pub fn runs_on(self, chip: Target) -> bool {
        match (self, chip) {
            (Target::Sm(code), Target::Sm(chip)) => code / 10 == chip / 10 && code <= chip,
            (Target::Gfx(code), Target::Gfx(chip)) => code / 10 == chip / 10,
            (Target::Sm(_), Target::Gfx(_)) | (Target::Gfx(_), Target::Sm(_)) => false,
        }
    }

    /// What a file with such code of an application is called.
    pub fn file_name(self, app: &str) -> String {
        match self {
            Target::Sm(_) => format!("{app}.{self}.cubin"),
            Target::Gfx(_) => format!("{app}.{self}.co"),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Sm(number) => write!(f, "sm_{number}"),
            Target::Gfx(number) => write!(f, "gfx{number}"),
        }
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |prefix: &str| text.strip_prefix(prefix)?.parse().ok();
        let found = number("sm_").map(Target::Sm).or_else(|| number("gfx").map(Target::Gfx));
        found.ok_or_else(|| format!("{text:?} is not like sm_75 or gfx600"))
    }
}

/// A vendor's name for people.
pub fn vendor_name(vendor: Vendor) -> &'static str {
    match vendor {
        Vendor::Nvidia => "NVIDIA",
        Vendor::Amd => "AMD",
    }
}

/// Which of some compiled forms a chip can run, with its target: the newest one
/// that fits.
pub fn best_code<C>(chip: Target, forms: &[(Target, C)]) -> Option<(Target, &C)> {
    let fitting = forms.iter().filter(|(target, _)| target.runs_on(chip));
    fitting.max_by_key(|(target, _)| *target).map(|(target, code)| (*target, code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_chosen_within_the_chips_generation() {
        let forms = [70, 75, 80, 90].map(|sm| (Target::Sm(sm), ()));
        let best = |sm| best_code(Target::Sm(sm), &forms).map(|(target, _)| target);
        assert_eq!(best(70), Some(Target::Sm(70)));
        assert_eq!(best(75), Some(Target::Sm(75)));
        assert_eq!(best(72), Some(Target::Sm(70)));
        assert_eq!(best(86), Some(Target::Sm(80)));
        assert_eq!(best(35), None);
        assert!(best_code(Target::Sm(90), &forms[..3]).is_none());
    }

    #[test]
    fn code_of_southern_islands_runs_on_all_of_them_and_nowhere_else() {
        let forms = [(Target::Gfx(600), ())];
        for chip in [600, 601, 602] {
            assert!(best_code(Target::Gfx(chip), &forms).is_some(), "{chip}");
        }
        for chip in [Target::Gfx(700), Target::Sm(60), Target::Sm(600)] {
            assert!(best_code(chip, &forms).is_none(), "{chip}");
        }
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for target in Target::KNOWN {
            assert_eq!(target.to_string().parse(), Ok(target));
        }
        assert_eq!(Target::Gfx(600).file_name("mm"), "mm.gfx600.co");
        assert_eq!(Target::Sm(75).file_name("va"), "va.sm_75.cubin");
        for bad in ["", "75", "sm_", "sm_x", "gfx", "tahiti"] {
            assert!(bad.parse::<Target>().is_err(), "{bad}");
        }
    }
}
