//! The chips that come with the program.

/// A chip file compiled in.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// The file as written, with the source of every number.
    pub text: &'static str,
}

impl Preset {
    /// How errors call the file.
    pub(crate) fn file(&self) -> String {
        format!("chips/{}.toml", self.name)
    }
}

macro_rules! preset {
    ($name:literal) => {
        Preset { name: $name, text: include_str!(concat!("../../../chips/", $name, ".toml")) }
    };
}

/// All of them, in the order they are listed.
pub const PRESETS: &[Preset] = &[
    preset!("rtx2060"),
    preset!("gv100"),
    preset!("titan"),
    preset!("k40"),
    preset!("h200"),
    preset!("flexgrip"),
    preset!("hd7970"),
    preset!("hd7870"),
    preset!("hd7770"),
];

pub(crate) fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|p| p.name == name)
}

impl crate::ChipSpec {
    /// The chips that come with the program.
    pub fn presets() -> &'static [Preset] {
        PRESETS
    }
}
