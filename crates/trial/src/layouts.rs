//! The arrays of a machine, as they travel between processes.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use upset_state::{ArrayId, Axis, Layout, Registry};

/// A registry that can be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layouts(Vec<Sent>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Sent {
    id: ArrayId,
    kind: String,
    path: String,
    /// Name, size and names of values of each axis.
    axes: Vec<(String, u64, Vec<String>)>,
    parted: bool,
}

impl From<&Registry> for Layouts {
    fn from(registry: &Registry) -> Layouts {
        let sent = |l: &Layout| Sent {
            id: l.id,
            kind: l.kind.clone(),
            path: l.path.clone(),
            axes: l.axes.iter().map(axis).collect(),
            parted: l.parted,
        };
        Layouts(registry.arrays.iter().map(sent).collect())
    }
}

fn axis(a: &Axis) -> (String, u64, Vec<String>) {
    (a.name.to_string(), a.size, a.names.iter().map(ToString::to_string).collect())
}

impl From<Layouts> for Registry {
    fn from(layouts: Layouts) -> Registry {
        let layout = |s: Sent| Layout {
            id: s.id,
            kind: s.kind,
            path: s.path,
            axes: s
                .axes
                .into_iter()
                .map(|(name, size, names)| match names.is_empty() {
                    true => Axis { name: kept(name), size, names: &[] },
                    false => Axis { name: kept(name), size, names: kept_list(names) },
                })
                .collect(),
            parted: s.parted,
        };
        Registry { arrays: layouts.0.into_iter().map(layout).collect() }
    }
}

/// Names of axes live as long as the process. There are a dozen of them, and
/// each is kept once, however many registries arrive.
fn kept(name: String) -> &'static str {
    static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    match names.iter().find(|n| **n == name) {
        Some(known) => known,
        None => {
            let new: &'static str = name.leak();
            names.push(new);
            new
        }
    }
}

fn kept_list(names: Vec<String>) -> &'static [&'static str] {
    static LISTS: Mutex<Vec<&'static [&'static str]>> = Mutex::new(Vec::new());
    let mut lists = LISTS.lock().unwrap_or_else(PoisonError::into_inner);
    match lists.iter().find(|l| **l == names) {
        Some(known) => known,
        None => {
            let new: &'static [&'static str] =
                names.into_iter().map(kept).collect::<Vec<_>>().leak();
            lists.push(new);
            new
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_state::{Kind, Part};

    #[test]
    fn a_registry_arrives_as_it_was_sent() {
        let axes =
            vec![Axis::new("warp", 32), Axis::named(&["active", "live"]), Axis::new("bit", 32)];
        let id = ArrayId { kind: Kind::Cache(2), instance: 7, part: Part::Tag };
        let layout = Layout { id, kind: "l2".into(), path: "slice7".into(), axes, parted: true };
        let registry = Registry { arrays: vec![layout] };
        let text = serde_json::to_string(&Layouts::from(&registry)).unwrap();
        let back: Layouts = serde_json::from_str(&text).unwrap();
        assert_eq!(Registry::from(back), registry);
    }
}
