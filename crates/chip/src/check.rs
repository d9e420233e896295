//! Holds a tree against the schema: unknown keys, missing keys, types, ranges.

use crate::error::{ChipError, SourcePlace};
use crate::nearest::nearest;
use crate::schema::{
    Core, FIELDS, Field, Kind, SOURCE, TABLES, Table, core_of, field, fields, unread,
};
use crate::tree::{Node, Value};

/// More members than any chip has.
const MAX_MEMBERS: usize = 64;

/// Finds keys and values that cannot be right wherever they are inherited to.
///
/// Runs on each file by itself, before files are merged.
pub(crate) fn check_file(root: &Node) -> Result<(), ChipError> {
    for (name, node) in root.as_table().into_iter().flatten() {
        if name == "extends" {
            continue;
        }
        let Some(table) = TABLES.iter().find(|t| t.name == name) else {
            return Err(unknown(&node.place, name, name, TABLES.iter().map(|t| t.name).collect()));
        };
        let Some(entries) = node.as_table() else {
            return Err(not_a_table(node, name));
        };
        if !table.family {
            check_keys(table.name, name, entries)?;
            continue;
        }
        if entries.len() > MAX_MEMBERS {
            return Err(invalid(
                &node.place,
                name,
                name,
                format!("{} members", entries.len()),
                format!("list at most {MAX_MEMBERS}"),
            ));
        }
        for (member, body) in entries {
            let component = format!("{name}.{member}");
            check_member_name(&body.place, name, member)?;
            match &body.value {
                Value::Table(keys) => check_keys(table.name, &component, keys)?,
                Value::Text(t) if t == "none" => {}
                _ => return Err(not_a_table(body, &component)),
            }
        }
    }
    Ok(())
}

/// Finds what a merged tree still lacks; `file` is the file asked for.
pub(crate) fn check_complete(root: &Node, file: &str) -> Result<(), ChipError> {
    let core = core(root);
    let foreign = |t: &&Table| t.core.is_some_and(|c| c != core) && root.get(t.name).is_some();
    if let Some((table, node)) =
        TABLES.iter().find(foreign).and_then(|t| Some((t.name, root.get(t.name)?)))
    {
        let problem = format!("the chip has [{}] already, which goes without it", core.table());
        let mend = "leave one of the two out".to_owned();
        return Err(invalid(&node.place, table, "table", problem, mend));
    }
    let own = |f: &&Field| f.required && core_of(f.table).is_none_or(|c| c == core);
    for f in FIELDS.iter().filter(own) {
        let family = TABLES.iter().any(|t| t.name == f.table && t.family);
        let components: Vec<(String, Option<&Node>)> = if family {
            let members = root.get(f.table).and_then(Node::as_table).into_iter().flatten();
            members.map(|(m, n)| (format!("{}.{m}", f.table), Some(n))).collect()
        } else {
            vec![(f.table.to_owned(), root.get(f.table))]
        };
        for (component, node) in components {
            if node.and_then(|n| n.get(f.key)).is_none() {
                return Err(ChipError::Missing {
                    file: file.to_owned(),
                    component,
                    key: f.key.to_owned(),
                    doc: f.doc.to_owned(),
                });
            }
        }
    }
    Ok(())
}

/// What a chip executes code with, by its tables; SMs if they do not say.
pub(crate) fn core(root: &Node) -> Core {
    let has = |core: Core| root.get(core.table()).is_some();
    let vendor = root.at(&["chip", "vendor"]).map(|n| &n.value);
    let amd = matches!(vendor, Some(Value::Text(v)) if v == "amd");
    if !has(Core::Sm) && (has(Core::Cu) || amd) { Core::Cu } else { Core::Sm }
}

fn check_member_name(place: &SourcePlace, family: &str, member: &str) -> Result<(), ChipError> {
    if family == "unit" && !crate::schema::UNITS.contains(&member) {
        let key = format!("unit.{member}");
        return Err(unknown(place, &key, member, crate::schema::UNITS.to_vec()));
    }
    let plain = member.len() <= 16
        && member.starts_with(|c: char| c.is_ascii_lowercase())
        && member.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    // A cache named like a table would make `--set name.key=…` ambiguous.
    if plain && member != "memory" && TABLES.iter().all(|t| t.name != member) {
        return Ok(());
    }
    Err(invalid(
        place,
        family,
        "name",
        format!("`{}` cannot name a {family}", member.chars().take(40).collect::<String>()),
        "use lower-case letters, digits and _, e.g. l1d, and no name of a table".to_owned(),
    ))
}

fn check_keys(table: &str, component: &str, keys: &[(String, Node)]) -> Result<(), ChipError> {
    for (key, node) in keys {
        if key == SOURCE {
            check_kind(Kind::Text, component, key, node)?;
            continue;
        }
        let Some(f) = field(table, key) else {
            let path = format!("{component}.{key}");
            if let Some(instead) = unread(table, key) {
                return Err(ChipError::Unread {
                    place: node.place.clone(),
                    key: path,
                    instead: instead.to_owned(),
                });
            }
            return Err(unknown(&node.place, &path, key, fields(table).map(|f| f.key).collect()));
        };
        check_kind(f.kind, component, key, node)?;
    }
    Ok(())
}

/// Holds one value against its kind.
pub(crate) fn check_kind(
    kind: Kind,
    component: &str,
    key: &str,
    node: &Node,
) -> Result<(), ChipError> {
    let fail = |problem: String| {
        Err(invalid(&node.place, component, key, problem, format!("give {}", kind.describe())))
    };
    let word = |words: &[&str], text: &str| {
        words.contains(&text).then_some(()).ok_or_else(|| {
            match nearest(text, words.iter().copied()) {
                Some(n) => format!("`{text}` is no choice (did you mean `{n}`?)"),
                None => format!("`{}` is no choice", text.chars().take(40).collect::<String>()),
            }
        })
    };
    let range = |value: i64, min: u64, max: u64| match u64::try_from(value) {
        Ok(v) if (min..=max).contains(&v) => Ok(()),
        _ => Err(format!("{value} is out of range")),
    };
    match (kind, &node.value) {
        (Kind::Int(min, max), Value::Int(v)) => range(*v, min, max).or_else(fail),
        (Kind::Float(max), Value::Float(v)) if *v > 0.0 && *v <= max => Ok(()),
        (Kind::Float(max), Value::Int(v)) if *v > 0 && (*v as f64) <= max => Ok(()),
        (Kind::Float(_), Value::Float(v)) => fail(format!("{v} is out of range")),
        (Kind::Float(_), Value::Int(v)) => fail(format!("{v} is out of range")),
        (Kind::Flag, Value::Flag(_)) | (Kind::Text, Value::Text(_)) => Ok(()),
        (Kind::Choice(words), Value::Text(t)) => word(words, t).or_else(fail),
        (Kind::ChoiceList(words), Value::List(items)) => {
            for (i, item) in items.iter().enumerate() {
                let Value::Text(t) = &item.value else {
                    return fail(format!("the list holds {}", item.value.type_name()));
                };
                word(words, t).or_else(fail)?;
                if items.iter().take(i).any(|o| matches!(&o.value, Value::Text(u) if u == t)) {
                    return fail(format!("`{t}` is listed twice"));
                }
            }
            Ok(())
        }
        (Kind::IntList(min, max), Value::List(items)) => {
            for item in items {
                let Value::Int(v) = item.value else {
                    return fail(format!("the list holds {}", item.value.type_name()));
                };
                range(v, min, max).or_else(fail)?;
            }
            Ok(())
        }
        (_, other) => fail(format!("this is {}", other.type_name())),
    }
}

fn not_a_table(node: &Node, component: &str) -> ChipError {
    invalid(
        &node.place,
        component,
        "value",
        format!("this is {}, not a table", node.value.type_name()),
        match component.split_once('.') {
            Some(_) => format!("write [{component}] and its keys, or \"none\" to drop it"),
            None => format!("write [{component}] and its keys below"),
        },
    )
}

fn unknown(place: &SourcePlace, path: &str, word: &str, known: Vec<&str>) -> ChipError {
    ChipError::UnknownKey {
        place: place.clone(),
        key: path.chars().take(120).collect(),
        nearest: nearest(word, known.iter().copied()),
        known: format!("known here: {}", known.join(", ")),
    }
}

pub(crate) fn invalid(
    place: &SourcePlace,
    component: &str,
    key: &str,
    problem: String,
    mend: String,
) -> ChipError {
    ChipError::Invalid {
        place: place.clone(),
        component: component.to_owned(),
        key: key.to_owned(),
        problem,
        mend,
    }
}
