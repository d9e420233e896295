//! Kinds of fault on a page: their order and their colours.

use crate::panel::{Panel, Variant};

/// Kinds of fault in order.
pub fn variants<'a>(panels: impl IntoIterator<Item = &'a Panel>) -> Vec<Variant> {
    let mut list: Vec<Variant> = panels.into_iter().map(|p| p.variant.clone()).collect();
    list.sort();
    list.dedup();
    list
}

/// The style class of a kind of fault.
pub fn variant_class(variants: &[Variant], v: &Variant) -> String {
    format!("v{}", variants.iter().position(|x| x == v).unwrap_or(0) % 6)
}

/// What the colours of kinds of fault mean.
pub fn variant_legend(variants: &[Variant]) -> Vec<(String, String)> {
    variants.iter().map(|v| (variant_class(variants, v), v.label())).collect()
}
