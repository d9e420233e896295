//! Tables that grow as places in them are used.

/// The entry of a table of options.
pub(crate) fn entry<T>(
    table: &mut Vec<Vec<Option<T>>>,
    outer: usize,
    inner: usize,
) -> &mut Option<T> {
    if table.len() <= outer {
        table.resize_with(outer + 1, Vec::new);
    }
    let row = &mut table[outer];
    if row.len() <= inner {
        row.resize_with(inner + 1, || None);
    }
    &mut row[inner]
}

/// An entry of a table.
pub(crate) fn at<T: Clone + Default>(table: &mut Vec<Vec<T>>, outer: usize, inner: u32) -> &mut T {
    if table.len() <= outer {
        table.resize_with(outer + 1, Vec::new);
    }
    let row = &mut table[outer];
    if row.len() <= inner as usize {
        row.resize_with(inner as usize + 1, T::default);
    }
    &mut row[inner as usize]
}
