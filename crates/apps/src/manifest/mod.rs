//! `app.toml`: what an application is called, what it runs, how it is checked.
//!
//! Built-in applications use the descriptive part alone; a folder application
//! also declares its buffers and launches (see `docs/adding-an-application.md`).

mod error;
mod expression;
mod schema;

pub use error::ManifestError;
pub use expression::{Expression, Variables};
pub use schema::{
    Argument, Buffer, Components, Constant, Fill, KernelNote, Manifest, OutputNote, Real, Step,
    TextureBinding,
};

use crate::Scale;

impl Manifest {
    /// Reads a manifest and checks what can be checked without its folder.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let manifest: Manifest = toml::from_str(text)
            .map_err(|e| ManifestError::new("app.toml", e.to_string().trim_end().to_string()))?;
        manifest.validate()?;
        Ok(manifest)
    }

    /// The parameters of a scale, or an error that names the scale.
    pub fn parameters(&self, scale: Scale) -> Result<&toml::Table, ManifestError> {
        self.scales
            .get(scale.name())
            .ok_or_else(|| ManifestError::new("app.toml", format!("there is no [scales.{scale}]")))
    }

    fn validate(&self) -> Result<(), ManifestError> {
        let complain =
            |key: &str, problem: &str| Err(ManifestError::new(format!("app.toml, {key}"), problem));
        let plain = |name: &str| {
            !name.is_empty()
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        };
        if !plain(&self.id) {
            return complain("id", "must be letters, digits, `_` and `-`");
        }
        if let Some(bad) = self.aliases.iter().find(|a| !plain(a)) {
            return complain("aliases", &format!("{bad:?} must be letters, digits, `_` and `-`"));
        }
        if let Some(bad) = self.scales.keys().find(|name| name.parse::<Scale>().is_err()) {
            return complain(
                "scales",
                &format!("{bad:?} is not a scale: there are small and paper"),
            );
        }
        if let Some(tolerance) = &self.tolerance {
            // Written this way round so that NaN is refused, too.
            let sensible = tolerance.ulps >= 0.0 && tolerance.floor >= 0.0;
            if !sensible {
                return complain("tolerance", "ulps and floor must not be negative");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: &str = "id = \"x\"\nname = \"X\"\ndescription = \"d\"\n[scales.small]\n";

    #[test]
    fn the_least_manifest_is_accepted() {
        let manifest = Manifest::parse(LEAST).unwrap();
        assert_eq!(manifest.id, "x");
        assert!(manifest.parameters(Scale::Small).unwrap().is_empty());
        let error = manifest.parameters(Scale::Paper).unwrap_err();
        assert_eq!(error.to_string(), "app.toml: there is no [scales.paper]");
    }

    #[test]
    fn unknown_keys_are_named() {
        let error = Manifest::parse(&format!("colour = 1\n{LEAST}")).unwrap_err();
        assert!(error.to_string().contains("colour"), "{error}");
    }

    #[test]
    fn bad_names_scales_and_tolerances_are_refused() {
        let spaced = LEAST.replace("\"x\"", "\"a b\"");
        let huge = LEAST.replace("small", "huge");
        let negative = format!("{LEAST}[tolerance]\nulps = -1.0\n");
        let nan = format!("{LEAST}[tolerance]\nulps = nan\n");
        for (text, word) in
            [(spaced, "id"), (huge, "huge"), (negative, "negative"), (nan, "negative")]
        {
            let error = Manifest::parse(&text).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
