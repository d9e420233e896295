//! A rule that the values of a chip must keep.

/// A broken rule.
pub(crate) struct Fault {
    pub(crate) component: String,
    pub(crate) key: &'static str,
    pub(crate) problem: String,
    pub(crate) mend: String,
}

pub(crate) type Checked = Result<(), Fault>;

pub(crate) fn rule(
    holds: bool,
    component: &str,
    key: &'static str,
    fault: impl FnOnce() -> (String, String),
) -> Checked {
    if holds {
        return Ok(());
    }
    let (problem, mend) = fault();
    Err(Fault { component: component.to_owned(), key, problem, mend })
}

pub(crate) fn power_of_two(component: &str, key: &'static str, value: u32) -> Checked {
    rule(value.is_power_of_two(), component, key, || {
        let up = value.checked_next_power_of_two().unwrap_or(1);
        (format!("{value} is not a power of two"), format!("use {up} or {}", up / 2))
    })
}
