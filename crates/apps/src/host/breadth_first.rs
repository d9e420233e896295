use super::Host;
use crate::error::AppError;
use crate::output::Output;
use crate::random::Generator;
use crate::reference::{self, Graph};
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Breadth-first search from node 0 of a random graph.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BreadthFirst {
    nodes: u32,
    /// Fewest and most edges that each node starts; every edge goes both ways.
    edges: [u32; 2],
    block: u32,
}

impl BreadthFirst {
    fn input(&self, seed: u64) -> Graph {
        let mut generator = Generator::new(seed, 0);
        let [fewest, most] = self.edges;
        let mut edges = Vec::new();
        for node in 0..self.nodes as usize {
            for _ in 0..fewest + generator.below(most - fewest + 1) {
                edges.push([node, generator.below(self.nodes) as usize]);
            }
        }
        Graph::new(self.nodes as usize, &edges)
    }
}

impl Host for BreadthFirst {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let graph = self.input(seed);
        let count = self.nodes as usize;
        let nodes: Vec<i32> =
            graph.begins.windows(2).flat_map(|w| [w[0] as i32, (w[1] - w[0]) as i32]).collect();
        let mut only_source = vec![0u8; count];
        only_source[0] = 1;
        let mut cost = vec![-1; count];
        cost[0] = 0;

        let nodes_at = session.place(&nodes)?;
        let edges_at = session.place(&graph.neighbours)?;
        let frontier = session.place(&only_source)?;
        let reached = session.zeros(count)?;
        let visited = session.place(&only_source)?;
        let cost_at = session.place(&cost)?;
        let again = session.room(1)?;

        let grid = [self.nodes.div_ceil(self.block), 1, 1];
        let block = [self.block, 1, 1];
        let expand = Args::new()
            .ptr(nodes_at)
            .ptr(edges_at)
            .ptr(frontier)
            .ptr(reached)
            .ptr(visited)
            .ptr(cost_at)
            .i32(self.nodes as i32);
        let advance =
            Args::new().ptr(frontier).ptr(reached).ptr(visited).ptr(again).i32(self.nodes as i32);
        // A level visits at least one new node, so there can't be more levels
        // than nodes unless something is broken.
        for _ in 0..=self.nodes {
            session.write(again, &[0u8])?;
            session.launch("Kernel", grid, block, &expand)?;
            session.launch("Kernel2", grid, block, &advance)?;
            if session.read::<u8>(again, 1)?[0] == 0 {
                let cost: Vec<i32> = session.read(cost_at, count)?;
                return Ok(vec![Output::new("cost", cost)]);
            }
        }
        Err(AppError::Host("the search does not end".into()))
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let cost = reference::distances(&self.input(seed));
        vec![Expected::ints("cost", &cost)]
    }
}
