/// Between every two nodes.
pub(crate) struct ShortestPaths {
    /// Length of the shortest way.
    pub distance: Vec<u32>,
    /// The largest node in the middle of the way, of several shortest ways the
    /// one where it is smallest; the start itself where the edge is shortest.
    pub through: Vec<u32>,
}

/// Shortest ways in a complete graph from the lengths of its edges, all above
/// 0 but those from a node to itself. One start after the other, nearest nodes
/// first (Dijkstra, 1959).
pub(crate) fn shortest_paths(edges: &[u32], nodes: usize) -> ShortestPaths {
    let mut all = ShortestPaths { distance: Vec::new(), through: Vec::new() };
    for start in 0..nodes {
        let (distance, through) = from_one(edges, nodes, start);
        all.distance.extend(distance);
        let largest = |node: Option<usize>| node.unwrap_or(start) as u32;
        all.through.extend(through.into_iter().map(largest));
    }
    all
}

/// Distances from `start`, and the largest node between, if there is one.
fn from_one(edges: &[u32], nodes: usize, start: usize) -> (Vec<u32>, Vec<Option<usize>>) {
    let mut distance = vec![u32::MAX; nodes];
    let mut through = vec![None; nodes];
    let mut done = vec![false; nodes];
    distance[start] = 0;
    for _ in 0..nodes {
        let open = (0..nodes).filter(|&node| !done[node]);
        let Some(node) = open.min_by_key(|&node| distance[node]) else { break };
        done[node] = true;
        // All ways to `node` are known now: every later node is farther.
        let passed = if node == start { None } else { through[node].max(Some(node)) };
        for next in (0..nodes).filter(|&next| !done[next]) {
            let way = distance[node] + edges[node * nodes + next];
            if way < distance[next] {
                (distance[next], through[next]) = (way, passed);
            } else if way == distance[next] {
                through[next] = through[next].min(passed);
            }
        }
    }
    (distance, through)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_around_a_long_edge() {
        // 0 -> 2 costs 9 directly, 3 over 1; back it is the edge.
        let edges = [0, 1, 9, 5, 0, 2, 1, 5, 0];
        let paths = shortest_paths(&edges, 3);
        assert_eq!(paths.distance, [0, 1, 3, 3, 0, 2, 1, 2, 0]);
        assert_eq!(paths.through, [0, 0, 1, 2, 1, 1, 2, 0, 2]);
    }

    #[test]
    fn of_equal_ways_the_one_with_the_smaller_largest_node_counts() {
        // From 0 to 3: over 1 or over 2, both 2 long; the edge is 7.
        let far = 7;
        #[rustfmt::skip]
        let edges = [
            0, 1, 1, far,
            far, 0, far, 1,
            far, far, 0, 1,
            far, far, far, 0,
        ];
        let paths = shortest_paths(&edges, 4);
        assert_eq!((paths.distance[3], paths.through[3]), (2, 1));
    }
}
