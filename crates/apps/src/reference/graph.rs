use std::collections::VecDeque;

/// Fewest edges from node 0 to every node, -1 where there is no way.
pub(crate) fn distances(neighbours: &[Vec<i32>]) -> Vec<i32> {
    let mut distance = vec![-1; neighbours.len()];
    let mut queue = VecDeque::from([0]);
    distance[0] = 0;
    while let Some(node) = queue.pop_front() {
        for &next in &neighbours[node] {
            let next = next as usize;
            if distance[next] < 0 {
                distance[next] = distance[node] + 1;
                queue.push_back(next);
            }
        }
    }
    distance
}

/// Least total weight of a way from the first row to each cell of the last; a
/// step goes to the next row, straight or one column aside.
pub(crate) fn cheapest_paths(weights: &[i32], cols: usize) -> Vec<i32> {
    let mut rows = weights.chunks_exact(cols);
    let mut best = rows.next().map(<[i32]>::to_vec).unwrap_or_default();
    for row in rows {
        best = (0..cols)
            .map(|col| {
                let from = col.saturating_sub(1)..(col + 2).min(cols);
                row[col] + best[from].iter().min().copied().unwrap_or(0)
            })
            .collect();
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_in_a_ring_with_an_island() {
        let ring = [vec![1, 3], vec![0, 2], vec![1, 3], vec![2, 0], vec![]];
        assert_eq!(distances(&ring), [0, 1, 2, 1, -1]);
    }

    #[test]
    fn paths_may_turn_aside_one_column_per_row() {
        let weights = [9, 9, 0, 9, 5, 9, 0, 9, 9];
        assert_eq!(cheapest_paths(&weights, 3), [5, 14, 14]);
        assert_eq!(cheapest_paths(&[1, 5, 1, 1], 2), [2, 2]);
    }
}
