//! `table.key=value`: one value of a chip, typed by the schema.

use crate::check::{check_kind, core};
use crate::error::{ChipError, SourcePlace};
use crate::nearest::nearest;
use crate::schema::{Core, FIELDS, Kind, TABLES, core_of, field, unread};
use crate::tree::{Node, Value};

/// Applies `text` to a complete tree; errors call it `label`.
///
/// Members of a family are reached by name, with or without the family:
/// `cache.l1d.ways=4`, `l1d.ways=4`. `l1d=none` drops one.
pub(crate) fn apply(tree: &mut Node, text: &str, label: &str) -> Result<(), ChipError> {
    let place = SourcePlace::file(&short(label));
    let fail = |problem: String| ChipError::Override { text: short(text), problem };
    let Some((path, value)) = text.split_once('=') else {
        return Err(fail("there is no `=`".to_owned()));
    };
    let (path, value) = (path.trim(), value.trim());
    let parts: Vec<&str> = path.split('.').map(str::trim).collect();

    if let Some((family, member)) = member_of(tree, &parts) {
        if value != "none" {
            return Err(fail(format!("`{path}` is a table; only `none` can be put in its place")));
        }
        tree.put(&[family, &member], Node { value: Value::Text("none".to_owned()), place });
        return Ok(());
    }
    let Some((component, key, kind)) = find(tree, &parts) else {
        if let Some(instead) = unread_by(tree, &parts) {
            let (key, instead) = (short(path), instead.to_owned());
            return Err(ChipError::Unread { place, key, instead });
        }
        let paths = all_paths(tree);
        let foreign = parts.first().is_some_and(|table| !is_own(tree, table));
        let known = match core(tree) {
            Core::Sm if foreign => "the chip has SMs: see [sm] and the tables around it",
            Core::Cu if foreign => "the chip has compute units: see [cu] and the tables around it",
            Core::Sm | Core::Cu => "a path is table.key, cache.NAME.key or unit.NAME.key",
        };
        return Err(ChipError::UnknownKey {
            place,
            key: short(path),
            nearest: nearest(path, paths.iter().map(String::as_str)),
            known: known.to_owned(),
        });
    };
    let value = read(kind, value, &place)
        .ok_or_else(|| fail(format!("`{}` is not {}", short(value), kind.describe())))?;
    let node = Node { value, place };
    check_kind(kind, &component, key, &node)?;
    let full: Vec<&str> = component.split('.').chain([key]).collect();
    tree.put(&full, node);
    Ok(())
}

fn families() -> impl Iterator<Item = &'static str> {
    TABLES.iter().filter(|t| t.family).map(|t| t.name)
}

fn has_member(tree: &Node, family: &str, member: &str) -> bool {
    tree.at(&[family, member]).is_some_and(|n| n.as_table().is_some())
}

/// The family and member that a path without a key names.
fn member_of(tree: &Node, parts: &[&str]) -> Option<(&'static str, String)> {
    let (families, member): (Vec<_>, &str) = match parts {
        [member] => (families().collect(), member),
        [family, member] => (families().filter(|f| f == family).collect(), member),
        _ => return None,
    };
    let family = families.into_iter().find(|f| has_member(tree, f, member))?;
    Some((family, member.to_owned()))
}

/// Whether a chip can have a table: that of other cores it cannot.
fn is_own(tree: &Node, table: &str) -> bool {
    core_of(table).is_none_or(|c| c == core(tree))
}

/// The component, key and kind that a path names.
fn find<'a>(tree: &Node, parts: &[&'a str]) -> Option<(String, &'a str, Kind)> {
    match *parts {
        [table, key] => {
            let plain = TABLES.iter().any(|t| !t.family && t.name == table);
            if plain && !is_own(tree, table) {
                return None;
            }
            if plain {
                return field(table, key).map(|f| (table.to_owned(), key, f.kind));
            }
            let family = families().find(|f| has_member(tree, f, table))?;
            field(family, key).map(|f| (format!("{family}.{table}"), key, f.kind))
        }
        [family, member, key] if families().any(|f| f == family) => {
            let f = field(family, key)?;
            has_member(tree, family, member).then(|| (format!("{family}.{member}"), key, f.kind))
        }
        _ => None,
    }
}

/// What the model does instead of reading the key that a path names.
fn unread_by(tree: &Node, parts: &[&str]) -> Option<&'static str> {
    let (component, key) = match *parts {
        [component, key] => (component, key),
        [family, member, key] if has_member(tree, family, member) => (family, key),
        _ => return None,
    };
    let family = families().find(|f| has_member(tree, f, component));
    unread(family.unwrap_or(component), key)
}

/// Every path that could have been meant.
fn all_paths(tree: &Node) -> Vec<String> {
    let mut paths = Vec::new();
    for f in FIELDS.iter().filter(|f| is_own(tree, f.table)) {
        if families().all(|name| name != f.table) {
            paths.push(format!("{}.{}", f.table, f.key));
            continue;
        }
        for (member, _) in tree.get(f.table).and_then(Node::as_table).into_iter().flatten() {
            paths.push(format!("{member}.{}", f.key));
            paths.push(format!("{}.{member}.{}", f.table, f.key));
        }
    }
    paths
}

fn read(kind: Kind, text: &str, place: &SourcePlace) -> Option<Value> {
    let unquoted = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text);
    let list = |read: &dyn Fn(&str) -> Option<Value>| {
        let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
        let items = inner.split(',').map(str::trim).filter(|t| !t.is_empty());
        items
            .map(|t| read(t).map(|value| Node { value, place: place.clone() }))
            .collect::<Option<Vec<_>>>()
            .map(Value::List)
    };
    match kind {
        Kind::Int(..) => integer(text).map(Value::Int),
        Kind::Float(_) => text.parse().ok().map(Value::Float),
        Kind::Flag => text.parse().ok().map(Value::Flag),
        Kind::Text | Kind::Choice(_) => Some(Value::Text(unquoted.to_owned())),
        Kind::ChoiceList(_) => list(&|t| Some(Value::Text(t.trim_matches('"').to_owned()))),
        Kind::IntList(..) => list(&|t| integer(t).map(Value::Int)),
    }
}

/// Decimal or 0x, `_` between digits.
fn integer(text: &str) -> Option<i64> {
    let digits = text.replace('_', "");
    match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

fn short(text: &str) -> String {
    text.chars().take(120).collect()
}
