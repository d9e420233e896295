//! Colours: one for each structure by its name, steps for shares.

/// The style class of a structure: the same on every page, whatever else is on it.
/// Parts have their structure's, and what has the same role on other chips shares it.
pub fn structure_class(structure: &str) -> &'static str {
    match structure.split(['.', '+']).next().unwrap_or_default() {
        "rf" | "vrf" => "t0",
        "smem" | "lds" => "t1",
        "l1d" => "t2",
        "l2" => "t3",
        "l1t" => "t4",
        "lmem" | "gmem" => "t5",
        "pred" | "upred" | "scc" | "cc" => "t6",
        "ureg" | "srf" | "m0" => "t7",
        "l1i" | "l1c" | "ibuf" => "t8",
        _ => "t9",
    }
}

/// Steps of the colour scale.
pub const STEPS: usize = 7;

/// Shares from which on a step begins; the first is for nothing at all.
const EDGES: [f64; STEPS - 1] = [0.0, 0.001, 0.003, 0.01, 0.03, 0.1];

/// The step of a share, on a scale that a factor of three divides.
pub fn step_of(share: f64) -> usize {
    match share > 0.0 {
        true => EDGES.iter().filter(|edge| share >= **edge).count(),
        false => 0,
    }
}

/// What the steps mean.
pub fn steps_legend() -> Vec<(String, String)> {
    let percent = |x: f64| format!("{}\u{a0}%", crate::number::trimmed(100.0 * x));
    (0..STEPS)
        .map(|i| {
            let text = match i {
                0 => "0".to_string(),
                1 => format!("below {}", percent(EDGES[1])),
                i => format!("from {}", percent(EDGES[i - 1])),
            };
            (format!("h{i}"), text)
        })
        .collect()
}

/// The colours of light paper, for figures that stand alone: style class and colour.
/// A test compares them with the page's style.
pub const LIGHT: &[(&str, &str)] = &[
    ("v0", "#1f5f8b"),
    ("v1", "#c2571a"),
    ("v2", "#3c8d5a"),
    ("v3", "#8a4f9e"),
    ("v4", "#8d7a1f"),
    ("v5", "#4b5563"),
    ("t0", "#1f5f8b"),
    ("t1", "#a05a00"),
    ("t2", "#00785a"),
    ("t3", "#b03a2e"),
    ("t4", "#7b4ea3"),
    ("t5", "#0a7f9c"),
    ("t6", "#6b6b00"),
    ("t7", "#a8387f"),
    ("t8", "#5a4636"),
    ("t9", "#5b6470"),
    ("h0", "#f3f4f2"),
    ("h1", "#eef3f9"),
    ("h2", "#d9e6f2"),
    ("h3", "#bcd4ea"),
    ("h4", "#9cc0e0"),
    ("h5", "#7aa9d4"),
    ("h6", "#5b93c7"),
    ("used", "#86b3d1"),
    ("c-sdc", "#c8510a"),
    ("c-crash", "#2166a5"),
    ("c-timeout", "#e0a500"),
    ("c-performance", "#b4bec8"),
    ("c-tool_error", "#7d7d7d"),
    ("e-corrected", "#4c9f85"),
    ("e-detected", "#2166a5"),
    ("e-perhaps", "#86b3d1"),
    ("e-escaped", "#c8510a"),
    ("e-unknown", "#8c6bb1"),
    ("e-harmless", "#dfe3e6"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_colours_alone_and_in_the_page() {
        let style = include_str!("style.css");
        for (class, colour) in LIGHT {
            let rule = style.split(&format!(".{class} {{ color: var(--")).nth(1);
            let name = rule.and_then(|r| r.split(')').next()).unwrap_or_else(|| panic!("{class}"));
            let light = style.split("--").find(|s| s.starts_with(&format!("{name}: ")));
            assert_eq!(light.map(|s| &s[name.len() + 2..name.len() + 9]), Some(*colour), "{class}");
        }
    }

    #[test]
    fn steps() {
        for (share, step) in
            [(0.0, 0), (1e-9, 1), (0.001, 2), (0.0029, 2), (0.01, 4), (0.05, 5), (0.1, 6), (1.0, 6)]
        {
            assert_eq!(step_of(share), step, "{share}");
        }
        assert_eq!(steps_legend().len(), STEPS);
        assert_eq!(structure_class("l2.tag"), structure_class("l2"));
    }
}
