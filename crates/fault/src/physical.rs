//! Drawing from all bits of a structure and all cycles of a window.

use crate::experiment::MAX_CHANGES;
use crate::geometry::Geometry;
use crate::model::is_control;
use crate::random::Draws;
use crate::{Experiment, Fault, FaultError, Key, Recipe, Space, Spread, Window};

/// Array number and bit.
type ArrayBit = (usize, u64);

/// Experiment `number` of a key: the recipe's pattern in each of the spaces,
/// all at one cycle of the window.
///
/// A single bit is any bit of the space at any cycle of the window, each pair
/// equally likely. Of the patterns, the one bit that is drawn first (`entry`,
/// `entries`, `array`) or the whole placement (`adjacent`, clusters,
/// `structure`, columns) is equally likely wherever the pattern fits.
pub fn draw_physical(
    spaces: &[Space],
    window: &Window,
    recipe: &Recipe,
    key: Key,
    number: u64,
) -> Result<Experiment, FaultError> {
    check(spaces, window, recipe)?;
    let mut draws = Draws::new(key, number);
    let cycle = window.nth(draws.below(window.cycles())).unwrap_or(0);
    let mut faults = Vec::new();
    for space in spaces {
        let mut places = pattern(space, recipe, &mut draws)?;
        if recipe.copies > 1 {
            places = copies(space, recipe, &places, &mut draws)?;
        }
        let ends = space.arrays.iter().any(|array| is_control(array.id));
        let (model, when) = recipe.model.at(cycle, window, ends, &mut draws);
        places.sort_unstable();
        for of_array in places.chunk_by(|a, b| a.0 == b.0) {
            let bits = of_array.iter().map(|(_, bit)| *bit).collect();
            faults.push(Fault { model, array: space.arrays[of_array[0].0].id, bits, when });
        }
    }
    Experiment::new(faults)
}

fn check(spaces: &[Space], window: &Window, recipe: &Recipe) -> Result<(), FaultError> {
    if spaces.is_empty() {
        return Err(FaultError::Nothing("no structure is named".into()));
    }
    for (i, space) in spaces.iter().enumerate() {
        let also = spaces[..i].iter().find(|other| other.structure().overlaps(space.structure()));
        if let Some(other) = also {
            return Err(no_room(
                space,
                recipe,
                &format!(
                    "{} and {} share bits; name each structure once, and give more bits instead",
                    other.structure(),
                    space.structure()
                ),
            ));
        }
    }
    if window.cycles() == 0 {
        return Err(FaultError::Nothing("the window has no cycle".into()));
    }
    let space = &spaces[0];
    if recipe.bits == 0 || recipe.copies == 0 {
        return Err(no_room(space, recipe, "bits and copies are at least 1"));
    }
    if recipe.copies > 1 && recipe.spread == Spread::Structure {
        let why = "bits anywhere in the structure have no copies; use the spread `array`";
        return Err(no_room(space, recipe, why));
    }
    if let Spread::Cluster { rows, cols } = recipe.spread {
        let bits = u64::from(rows) * u64::from(cols);
        if recipe.bits != 1 && u64::from(recipe.bits) != bits {
            let why = format!("it has {bits} bits, not {}; leave the number out", recipe.bits);
            return Err(no_room(space, recipe, &why));
        }
    }
    if recipe.spread == Spread::Column && recipe.bits != 1 {
        let why = "a column is one bit of every row; leave the number of bits out";
        return Err(no_room(space, recipe, why));
    }
    if recipe.total_bits() > MAX_CHANGES {
        let changes = u128::from(recipe.total_bits());
        return Err(FaultError::TooMany { changes, limit: MAX_CHANGES });
    }
    Ok(())
}

fn no_room(space: &Space, recipe: &Recipe, why: &str) -> FaultError {
    FaultError::NoRoom {
        pattern: recipe.to_string(),
        structure: space.structure().to_string(),
        why: why.to_string(),
    }
}

/// One pattern somewhere in a space.
fn pattern(space: &Space, recipe: &Recipe, draws: &mut Draws) -> Result<Vec<ArrayBit>, FaultError> {
    let bits = u64::from(recipe.bits);
    match recipe.spread {
        Spread::Array => in_one_instance(space, recipe, draws),
        Spread::Column => column(space, recipe, draws),
        Spread::Structure if bits > space.bits() => {
            Err(no_room(space, recipe, &format!("it has {} bits", space.bits())))
        }
        Spread::Structure => {
            Ok(draws.distinct(bits, space.bits()).into_iter().map(|n| space.place(n)).collect())
        }
        Spread::Entry | Spread::Adjacent | Spread::Cluster { .. } | Spread::Entries(_) => {
            in_one_array(space, recipe, draws)
        }
    }
}

/// Places for the pattern's anchor in an array of this shape.
fn anchors(geometry: &Geometry, recipe: &Recipe) -> u64 {
    let bits = u64::from(recipe.bits);
    match recipe.spread {
        Spread::Adjacent => geometry.adjacent(bits),
        Spread::Cluster { rows, cols } => geometry.clusters(rows.into(), cols.into()),
        Spread::Entries(entries) => {
            let fits = bits <= geometry.entry && u64::from(entries) <= geometry.entries();
            if fits { geometry.entries() * geometry.entry } else { 0 }
        }
        Spread::Entry | Spread::Array | Spread::Structure | Spread::Column => {
            geometry.in_entries_of(bits)
        }
    }
}

fn in_one_array(
    space: &Space,
    recipe: &Recipe,
    draws: &mut Draws,
) -> Result<Vec<ArrayBit>, FaultError> {
    let weight = |geometry: &Geometry, arrays: usize| anchors(geometry, recipe) * arrays as u64;
    let total: u64 = space.classes.iter().map(|c| weight(&c.geometry, c.arrays.len())).sum();
    if total == 0 {
        let most = |f: fn(&Geometry) -> u64| {
            space.classes.iter().map(|c| f(&c.geometry)).max().unwrap_or(0)
        };
        let (bits, rows, entries) = (most(|g| g.entry), most(|g| g.rows), most(Geometry::entries));
        let why = match recipe.spread {
            Spread::Cluster { .. } => {
                format!("at most {rows} entries of {bits} bits lie above one another")
            }
            Spread::Entries(_) => format!("arrays have at most {entries} entries of {bits} bits"),
            _ => format!("entries have at most {bits} bits"),
        };
        return Err(no_room(space, recipe, &why));
    }
    let mut n = draws.below(total);
    for class in &space.classes {
        let here = weight(&class.geometry, class.arrays.len());
        if n < here {
            let each = anchors(&class.geometry, recipe);
            let array = class.arrays[(n / each) as usize];
            let bits = bits_at(&class.geometry, recipe, n % each, draws);
            return Ok(bits.into_iter().map(|bit| (array, bit)).collect());
        }
        n -= here;
    }
    Ok(Vec::new())
}

/// The bits of the pattern at anchor `n`.
fn bits_at(geometry: &Geometry, recipe: &Recipe, n: u64, draws: &mut Draws) -> Vec<u64> {
    let bits = u64::from(recipe.bits);
    let size = geometry.entry_bits(n.min(geometry.bits - 1));
    let start = n / geometry.entry * geometry.entry;
    match recipe.spread {
        Spread::Adjacent => {
            let first = geometry.adjacent_at(bits, n);
            (first..first + bits).collect()
        }
        Spread::Cluster { rows, cols } => geometry.cluster_at(rows.into(), cols.into(), n),
        Spread::Entries(entries) => {
            let mask = draws.distinct_with(n % geometry.entry, bits, geometry.entry);
            let entry = n / geometry.entry;
            let all = draws.distinct_with(entry, entries.into(), geometry.entries());
            all.iter().flat_map(|e| mask.iter().map(move |bit| e * geometry.entry + bit)).collect()
        }
        Spread::Entry | Spread::Array | Spread::Structure | Spread::Column => {
            let mask = draws.distinct_with(n - start, bits, size);
            mask.into_iter().map(|bit| start + bit).collect()
        }
    }
}

/// A column of an array: all columns of all arrays are equally likely.
fn column(space: &Space, recipe: &Recipe, draws: &mut Draws) -> Result<Vec<ArrayBit>, FaultError> {
    let mut n = draws.below(space.arrays.iter().map(|a| a.columns.count).sum());
    for (array, member) in space.arrays.iter().enumerate() {
        if n >= member.columns.count {
            n -= member.columns.count;
            continue;
        }
        let changes = u128::from(member.columns.rows) * u128::from(recipe.copies);
        if changes > u128::from(MAX_CHANGES) {
            return Err(FaultError::TooMany { changes, limit: MAX_CHANGES });
        }
        return Ok(member.columns.bits(n).map(|bit| (array, bit)).collect());
    }
    Ok(Vec::new())
}

/// Any bits of one instance. The first is any bit of those that have enough.
fn in_one_instance(
    space: &Space,
    recipe: &Recipe,
    draws: &mut Draws,
) -> Result<Vec<ArrayBit>, FaultError> {
    let bits = u64::from(recipe.bits);
    let fits = || space.instances.iter().filter(|i| i.bits >= bits);
    let total: u64 = fits().map(|i| i.bits).sum();
    if total == 0 {
        let largest = space.instances.iter().map(|i| i.bits).max().unwrap_or(0);
        return Err(no_room(space, recipe, &format!("an array has at most {largest} bits")));
    }
    let mut n = draws.below(total);
    for instance in fits() {
        if n >= instance.bits {
            n -= instance.bits;
            continue;
        }
        let place = |mut bit: u64| {
            for &array in &instance.arrays {
                let size = space.arrays[array].geometry.bits;
                if bit < size {
                    return Some((array, bit));
                }
                bit -= size;
            }
            None
        };
        return Ok(draws
            .distinct_with(n, bits, instance.bits)
            .into_iter()
            .filter_map(place)
            .collect());
    }
    Ok(Vec::new())
}

/// The same positions in several instances of the same shape, the drawn one
/// among them.
fn copies(
    space: &Space,
    recipe: &Recipe,
    places: &[ArrayBit],
    draws: &mut Draws,
) -> Result<Vec<ArrayBit>, FaultError> {
    let Some(&(first, _)) = places.first() else { return Ok(Vec::new()) };
    let own = space.arrays[first].instance;
    let twin = |instance: usize, array: usize| {
        let like = &space.arrays[array];
        space.instances[instance].arrays.iter().copied().find(|&a| {
            let other = &space.arrays[a];
            other.id.part == like.id.part && other.geometry == like.geometry
        })
    };
    let fits: Vec<usize> = (0..space.instances.len())
        .filter(|&i| places.iter().all(|&(array, _)| twin(i, array).is_some()))
        .collect();
    if fits.len() < recipe.copies as usize {
        let why = format!("{} instances of this shape are there to choose from", fits.len());
        return Err(no_room(space, recipe, &why));
    }
    let at = fits.partition_point(|&i| i < own) as u64;
    let chosen = draws.distinct_with(at, recipe.copies.into(), fits.len() as u64);
    let mut all = Vec::with_capacity(places.len() * chosen.len());
    for instance in chosen {
        let instance = fits[instance as usize];
        all.extend(places.iter().filter_map(|&(a, bit)| Some((twin(instance, a)?, bit))));
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
