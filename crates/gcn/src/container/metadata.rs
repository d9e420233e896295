//! What compilers say of kernels beside their descriptors, in MessagePack.

use rmpv::ValueRef;

use super::argument::{Access, Argument, ArgumentKind, Binding};
use super::error::{ContainerError, malformed};

/// What is said of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Name of the kernel.
    pub name: String,
    /// Symbol of its descriptor.
    pub symbol: String,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// Size of a work-group, where it is fixed.
    pub group_size: Option<[u32; 3]>,
    /// Work-items that a work-group may have.
    pub most_items: u32,
}

const PLACE: &str = "metadata note";

/// Reads the note's bytes.
pub fn read(mut bytes: &[u8]) -> Result<Vec<About>, ContainerError> {
    let all = rmpv::decode::read_value_ref(&mut bytes).map_err(|e| malformed(PLACE, e))?;
    let kernels = field(&all, "amdhsa.kernels")
        .and_then(array)
        .ok_or_else(|| malformed(PLACE, "it lists no kernels"))?;
    kernels.iter().map(about).collect()
}

fn field<'v, 'b>(map: &'v ValueRef<'b>, name: &str) -> Option<&'v ValueRef<'b>> {
    let ValueRef::Map(entries) = map else { return None };
    entries.iter().find(|(key, _)| text(key) == Some(name)).map(|(_, value)| value)
}

fn array<'v, 'b>(value: &'v ValueRef<'b>) -> Option<&'v [ValueRef<'b>]> {
    match value {
        ValueRef::Array(items) => Some(items),
        _ => None,
    }
}

fn text<'b>(value: &ValueRef<'b>) -> Option<&'b str> {
    match value {
        ValueRef::String(s) => s.into_str(),
        _ => None,
    }
}

fn number(value: &ValueRef<'_>) -> Option<u32> {
    match value {
        ValueRef::Integer(n) => n.as_u64().and_then(|n| u32::try_from(n).ok()),
        _ => None,
    }
}

fn about(kernel: &ValueRef<'_>) -> Result<About, ContainerError> {
    let word = |name: &str| {
        let found = field(kernel, name).and_then(text);
        found.map(String::from).ok_or_else(|| malformed(PLACE, format!("a kernel without {name}")))
    };
    let arguments = field(kernel, ".args").and_then(array).unwrap_or_default();
    let group_size = field(kernel, ".reqd_workgroup_size").and_then(array).and_then(|sizes| {
        let sizes: Vec<u32> = sizes.iter().filter_map(number).collect();
        sizes.try_into().ok()
    });
    Ok(About {
        name: word(".name")?,
        symbol: word(".symbol")?,
        arguments: arguments.iter().map(argument).collect::<Result<_, _>>()?,
        group_size,
        most_items: field(kernel, ".max_flat_workgroup_size").and_then(number).unwrap_or(256),
    })
}

fn argument(argument: &ValueRef<'_>) -> Result<Argument, ContainerError> {
    let size = |name: &str| {
        let found = field(argument, name).and_then(number);
        found.ok_or_else(|| malformed(PLACE, format!("an argument without {name}")))
    };
    let kind = match field(argument, ".value_kind").and_then(text) {
        Some("by_value") => ArgumentKind::Value,
        Some("global_buffer") => ArgumentKind::Buffer,
        Some("dynamic_shared_pointer") => ArgumentKind::Lds,
        Some(hidden) if hidden.starts_with("hidden_") => {
            ArgumentKind::Hidden(hidden["hidden_".len()..].to_string())
        }
        other => ArgumentKind::Other(other.unwrap_or("nothing").to_string()),
    };
    let word = |name: &str| field(argument, name).and_then(text).unwrap_or_default();
    let access = match word(".actual_access") {
        "read_only" => Access::ReadOnly,
        "write_only" => Access::WriteOnly,
        _ => Access::ReadWrite,
    };
    Ok(Argument {
        name: word(".name").to_string(),
        type_name: word(".type_name").to_string(),
        offset: size(".offset")?,
        bytes: size(".size")?,
        kind,
        binding: Binding::Address,
        access,
        align: field(argument, ".pointee_align").and_then(number).unwrap_or(0),
    })
}
