//! From a name or a file to a chip: read, inherit, override, check, build.

use std::path::{Path, PathBuf};

use crate::check::{check_complete, check_file, invalid};
use crate::error::{ChipError, SourcePlace};
use crate::name::{self, is_name_char};
use crate::nearest::nearest;
use crate::overrides;
use crate::presets::{self, PRESETS};
use crate::schema::{Kind, TABLES, field};
use crate::spec::ChipSpec;
use crate::tree::{MAX_BYTES, Node, Value};
use crate::validate;

/// Longer chains of `extends` are a mistake.
const MAX_CHAIN: usize = 16;

/// How a file is read; tests and fuzzers pass one that reads nothing.
type Read<'a> = &'a dyn Fn(&Path) -> Result<String, String>;

impl ChipSpec {
    /// The chip called `name_or_path` (a preset, or a file if it ends in
    /// `.toml` or holds a `/`), with overrides such as `sm.count=15` applied.
    ///
    /// A variant, `rtx2060:sm.count=15:l1d.ways=4`, has its own before those,
    /// and is called after them: others must be able to tell it from the chip.
    pub fn load<S: AsRef<str>>(name_or_path: &str, overrides: &[S]) -> Result<Self, ChipError> {
        let (base, changes) = name::changes(name_or_path);
        let (mut tree, file) = resolve_name(base, Path::new(""), &mut Vec::new(), &read_file)?;
        if let (false, Some(Node { value: Value::Text(own), .. })) =
            (changes.is_empty(), tree.at(&["chip", "name"]))
        {
            let value = Value::Text(name::of_variant(own, &changes));
            tree.put(&["chip", "name"], Node { value, place: SourcePlace::file(name_or_path) });
        }
        for change in changes {
            overrides::apply(&mut tree, change, &format!("{base}:{change}"))?;
        }
        build(tree, &file, overrides)
    }

    /// The preset called `name`.
    pub fn preset(name: &str) -> Result<Self, ChipError> {
        let (tree, file) = resolve_preset(name, &mut Vec::new())?;
        build(tree, &file, NOTHING)
    }

    /// A chip from the text of a file; `file` is how errors call it. Only
    /// presets can be extended: nothing is read.
    pub fn parse<S: AsRef<str>>(
        text: &str,
        file: &str,
        overrides: &[S],
    ) -> Result<Self, ChipError> {
        let refuse = |_: &Path| Err("files cannot be extended from here".to_owned());
        let mut chain = vec![file.to_owned()];
        let tree = resolve_text(text, file, Path::new(""), &mut chain, &refuse)?;
        build(name_after_file(tree, file), file, overrides)
    }

    /// This chip with overrides such as `sm.count=15` applied.
    pub fn with<S: AsRef<str>>(&self, overrides: &[S]) -> Result<Self, ChipError> {
        Self::parse(&self.to_toml(), &self.chip.name, overrides)
    }

    /// Checks what a change made by hand may have broken.
    pub fn validate(&self) -> Result<(), ChipError> {
        validate::validate(self).map_err(|f| {
            invalid(&SourcePlace::file(&self.chip.name), &f.component, f.key, f.problem, f.mend)
        })
    }
}

/// No overrides.
const NOTHING: &[&str] = &[];

fn read_file(path: &Path) -> Result<String, String> {
    let size = std::fs::metadata(path).map_err(|e| e.to_string())?.len();
    if size > MAX_BYTES as u64 {
        return Err(format!("{size} bytes is too large for a chip description"));
    }
    std::fs::read_to_string(path).map_err(|e| e.to_string())
}

fn is_path(name: &str) -> bool {
    name.contains(['/', '\\']) || name.ends_with(".toml")
}

fn resolve_name(
    name: &str,
    beside: &Path,
    chain: &mut Vec<String>,
    read: Read<'_>,
) -> Result<(Node, String), ChipError> {
    if !is_path(name) {
        return resolve_preset(name, chain);
    }
    let path: PathBuf = beside.join(name);
    let label = path.display().to_string();
    let identity = path.canonicalize().unwrap_or_else(|_| path.clone()).display().to_string();
    enter(chain, &identity, &label)?;
    let text = read(&path).map_err(|reason| ChipError::Read { path: label.clone(), reason })?;
    let beside = path.parent().unwrap_or(Path::new("")).to_owned();
    let tree = resolve_text(&text, &label, &beside, chain, read)?;
    Ok((name_after_file(tree, &label), label))
}

fn resolve_preset(name: &str, chain: &mut Vec<String>) -> Result<(Node, String), ChipError> {
    let Some(preset) = presets::find(name) else {
        let names: Vec<&str> = PRESETS.iter().map(|p| p.name).collect();
        return Err(ChipError::UnknownChip {
            name: name.chars().take(80).collect(),
            presets: names.join(", "),
            nearest: nearest(name, names.iter().copied()),
        });
    };
    let label = preset.file();
    enter(chain, &label, &label)?;
    let refuse = |_: &Path| Err("a preset extends presets only".to_owned());
    let tree = resolve_text(preset.text, &label, Path::new(""), chain, &refuse)?;
    Ok((tree, label))
}

fn enter(chain: &mut Vec<String>, identity: &str, label: &str) -> Result<(), ChipError> {
    let circle = chain.iter().any(|c| c == identity);
    chain.push(identity.to_owned());
    if circle || chain.len() > MAX_CHAIN {
        return Err(ChipError::ExtendsCycle {
            place: SourcePlace::file(label),
            chain: chain.join(" -> "),
        });
    }
    Ok(())
}

fn resolve_text(
    text: &str,
    file: &str,
    beside: &Path,
    chain: &mut Vec<String>,
    read: Read<'_>,
) -> Result<Node, ChipError> {
    let mut tree = Node::parse(text, file)?;
    check_file(&tree)?;
    let Some(extends) = tree.take("extends") else { return Ok(tree) };
    let Value::Text(base) = &extends.value else {
        return Err(invalid(
            &extends.place,
            "file",
            "extends",
            format!("this is {}", extends.value.type_name()),
            "give the name of a preset or the path of a file, in quotes".to_owned(),
        ));
    };
    let (mut merged, _) = resolve_name(base, beside, chain, read)?;
    // The name belongs to one chip; a variant gets its own.
    if let Some(Node { value: Value::Table(entries), .. }) = merged.take("chip") {
        for (key, node) in entries.into_iter().filter(|(k, _)| k != "name") {
            merged.put(&["chip", &key], node);
        }
    }
    merged.merge(tree);
    Ok(merged)
}

/// A file that does not name its chip names it by its own name.
fn name_after_file(mut tree: Node, file: &str) -> Node {
    if tree.at(&["chip", "name"]).is_none() {
        let stem = Path::new(file).file_stem().and_then(|s| s.to_str()).unwrap_or("chip");
        let name: String =
            stem.chars().map(|c| if is_name_char(c) { c } else { '-' }).take(60).collect();
        tree.put(
            &["chip", "name"],
            Node { value: Value::Text(name), place: SourcePlace::file(file) },
        );
    }
    tree
}

fn build<S: AsRef<str>>(
    mut tree: Node,
    file: &str,
    overrides: &[S],
) -> Result<ChipSpec, ChipError> {
    for text in overrides {
        let text = text.as_ref();
        overrides::apply(&mut tree, text, &format!("--set {text}"))?;
    }
    drop_absent(&mut tree);
    check_complete(&tree, file)?;
    let spec: ChipSpec =
        toml::Value::Table(to_value(&tree)).try_into().map_err(|e: toml::de::Error| {
            ChipError::Syntax { place: SourcePlace::file(file), reason: e.message().to_owned() }
        })?;
    validate::validate(&spec).map_err(|fault| {
        let mut path: Vec<&str> = fault.component.split('.').collect();
        path.push(fault.key);
        let place = tree.at(&path).map_or_else(|| SourcePlace::file(file), |n| n.place.clone());
        invalid(&place, &fault.component, fault.key, fault.problem, fault.mend)
    })?;
    Ok(spec)
}

/// `cache.l1d = "none"` takes an inherited cache away.
fn drop_absent(tree: &mut Node) {
    let Value::Table(tables) = &mut tree.value else { return };
    for (name, node) in tables.iter_mut() {
        let family = TABLES.iter().any(|t| t.family && t.name == name);
        if let (true, Value::Table(members)) = (family, &mut node.value) {
            members.retain(|(_, body)| body.as_table().is_some());
        }
    }
}

/// The tree as serde sees it: families become lists of named members.
fn to_value(tree: &Node) -> toml::Table {
    let mut out = toml::Table::new();
    for (name, node) in tree.as_table().into_iter().flatten() {
        let entries = node.as_table().into_iter().flatten();
        let family = TABLES.iter().any(|t| t.family && t.name == name);
        let value = if family {
            toml::Value::Array(
                entries
                    .map(|(member, body)| {
                        let mut keys = keys_to_value(name, body);
                        keys.insert("name".to_owned(), toml::Value::String(member.clone()));
                        toml::Value::Table(keys)
                    })
                    .collect(),
            )
        } else {
            toml::Value::Table(keys_to_value(name, node))
        };
        out.insert(name.clone(), value);
    }
    out
}

fn keys_to_value(table: &str, node: &Node) -> toml::Table {
    let entries = node.as_table().into_iter().flatten();
    entries
        .map(|(key, node)| {
            let kind = field(table, key).map_or(Kind::Text, |f| f.kind);
            (key.clone(), leaf_to_value(kind, &node.value))
        })
        .collect()
}

fn leaf_to_value(kind: Kind, value: &Value) -> toml::Value {
    match value {
        Value::Int(v) if matches!(kind, Kind::Float(_)) => toml::Value::Float(*v as f64),
        Value::Int(v) => toml::Value::Integer(*v),
        Value::Float(v) => toml::Value::Float(*v),
        Value::Flag(v) => toml::Value::Boolean(*v),
        Value::Text(v) => toml::Value::String(v.clone()),
        Value::List(items) => {
            toml::Value::Array(items.iter().map(|n| leaf_to_value(kind, &n.value)).collect())
        }
        Value::Table(_) => toml::Value::Table(toml::Table::new()),
    }
}
