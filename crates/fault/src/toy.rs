//! A small machine's registry, for tests.

use upset_state::{ArrayId, Axis, Kind, Layout, Part, Registry};

const MASKS: &[&str] = &["active", "live"];

/// Two SMs of two sub-cores, two slices, memory; few bits of each.
pub(crate) fn registry() -> Registry {
    machine(2)
}

/// A toy machine with any number of SMs.
pub(crate) fn machine(sms: u32) -> Registry {
    let mut arrays = Vec::new();
    let plain = |kind: Kind, instance: u32, path: String, axes: Vec<Axis>| Layout {
        id: ArrayId::data(kind, instance),
        kind: kind.name().unwrap().to_string(),
        path,
        axes,
        parted: false,
    };
    for sm in 0..sms {
        for sub in 0..2 {
            let axes = vec![Axis::new("row", 4), Axis::new("lane", 4), Axis::new("bit", 8)];
            arrays.push(plain(Kind::Rf, sm * 2 + sub, format!("sm{sm}.sub{sub}"), axes));
        }
        let masks = vec![Axis::new("warp", 3), Axis::named(MASKS), Axis::new("bit", 4)];
        arrays.push(plain(Kind::Mask, sm, format!("sm{sm}"), masks));
        let upreds = vec![Axis::new("warp", 3), Axis::new("up", 2), Axis::new("bit", 1)];
        arrays.push(plain(Kind::Upred, sm, format!("sm{sm}"), upreds));
        let bytes = vec![Axis::new("byte", 10), Axis::new("bit", 8)];
        arrays.push(plain(Kind::Smem, sm, format!("sm{sm}"), bytes));
        cache("l1d", 0, sm, format!("sm{sm}"), [1, 4, 16], &mut arrays);
    }
    for slice in 0..2 {
        cache("l2", 1, slice, format!("slice{slice}"), [3, 2, 12], &mut arrays);
    }
    for range in 0..2 {
        let path = if range == 0 { String::new() } else { format!("range{range}") };
        let bytes = vec![Axis::new("byte", 64), Axis::new("bit", 8)];
        arrays.push(plain(Kind::Lmem, range, path, bytes));
    }
    Registry { arrays }
}

fn cache(
    kind: &str,
    level: u8,
    instance: u32,
    path: String,
    [sets, ways, line]: [u64; 3],
    arrays: &mut Vec<Layout>,
) {
    for (part, bits) in [(Part::Data, line), (Part::Tag, 5), (Part::State, 2)] {
        arrays.push(Layout {
            id: ArrayId { kind: Kind::Cache(level), instance, part },
            kind: kind.to_string(),
            path: path.clone(),
            axes: vec![Axis::new("set", sets), Axis::new("way", ways), Axis::new("bit", bits)],
            parted: true,
        });
    }
}
