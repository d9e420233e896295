use std::collections::VecDeque;

/// A graph whose edges go both ways: the neighbours of each node, those of the first
/// node first.
pub(crate) struct Graph {
    /// Where each node's begin, then where all end.
    pub(crate) begins: Vec<usize>,
    pub(crate) neighbours: Vec<i32>,
}

impl Graph {
    /// Neighbours are in the order of the edges.
    pub(crate) fn new(nodes: usize, edges: &[[usize; 2]]) -> Graph {
        let mut begins = vec![0; nodes + 1];
        edges.iter().flatten().for_each(|&node| begins[node + 1] += 1);
        for node in 0..nodes {
            begins[node + 1] += begins[node];
        }
        let mut ends = begins.clone();
        let mut neighbours = vec![0; 2 * edges.len()];
        for &[one, other] in edges {
            for (from, to) in [(one, other), (other, one)] {
                neighbours[ends[from]] = to as i32;
                ends[from] += 1;
            }
        }
        Graph { begins, neighbours }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.begins.len() - 1
    }

    pub(crate) fn of(&self, node: usize) -> &[i32] {
        &self.neighbours[self.begins[node]..self.begins[node + 1]]
    }
}

/// Fewest edges from node 0 to every node, -1 where there is no way.
pub(crate) fn distances(graph: &Graph) -> Vec<i32> {
    let mut distance = vec![-1; graph.nodes()];
    let mut queue = VecDeque::from([0]);
    distance[0] = 0;
    while let Some(node) = queue.pop_front() {
        for &next in graph.of(node) {
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
        let ring = Graph::new(5, &[[0, 1], [3, 0], [1, 2], [2, 3]]);
        assert_eq!(ring.of(0), [1, 3]);
        assert_eq!(ring.of(3), [0, 2]);
        assert!(ring.of(4).is_empty());
        assert_eq!(distances(&ring), [0, 1, 2, 1, -1]);
    }

    #[test]
    fn paths_may_turn_aside_one_column_per_row() {
        let weights = [9, 9, 0, 9, 5, 9, 0, 9, 9];
        assert_eq!(cheapest_paths(&weights, 3), [5, 14, 14]);
        assert_eq!(cheapest_paths(&[1, 5, 1, 1], 2), [2, 2]);
    }
}
