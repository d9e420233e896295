//! The colours of the page, for whoever draws the same figures elsewhere. They
//! are read from the page's style, so that there is one place to change them.

use std::collections::BTreeMap;

use crate::html::{STYLE, structure_class};

/// A colour of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colour {
    /// On light ground, `#rrggbb`.
    pub light: String,
    /// On dark ground.
    pub dark: String,
}

/// Every colour by the name that the style has for it: `sdc`, `crash`, `v0`, …
pub fn palette() -> BTreeMap<String, Colour> {
    let dark_from = STYLE.find("prefers-color-scheme: dark").unwrap_or(STYLE.len());
    let (light, dark) = STYLE.split_at(dark_from);
    let dark: BTreeMap<&str, &str> = first_rule(dark).collect();
    first_rule(light)
        .map(|(name, light)| {
            let dark = dark.get(name).copied().unwrap_or(light);
            (name.to_string(), Colour { light: light.into(), dark: dark.into() })
        })
        .collect()
}

/// The name of the colour in which the page shows a structure.
pub fn colour_of(structure: &str) -> &'static str {
    structure_class(structure)
}

/// Variables of the first `:root` that are plain colours.
fn first_rule(style: &str) -> impl Iterator<Item = (&str, &str)> {
    let body = style.split_once(":root {").map_or("", |(_, rest)| rest);
    let body = body.split('}').next().unwrap_or_default();
    body.split(';').filter_map(|line| {
        let (name, value) = line.trim().strip_prefix("--")?.split_once(':')?;
        let value = value.trim();
        let plain = value.len() == 7 && value.starts_with('#');
        plain.then_some((name.trim(), value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_has_a_colour_for_every_class_on_both_grounds() {
        let colours = palette();
        for name in ["sdc", "crash", "timeout", "performance", "tool", "paper", "ink", "v0", "v5"] {
            let colour = colours.get(name).unwrap_or_else(|| panic!("no colour {name}"));
            assert_ne!(colour.light, colour.dark, "{name}");
        }
        assert_eq!(colours.get("shade"), None, "it is no plain colour");
        for structure in ["rf", "smem", "l1d", "l2", "lds", "anything else"] {
            assert!(colours.contains_key(colour_of(structure)), "{structure}");
        }
    }
}
