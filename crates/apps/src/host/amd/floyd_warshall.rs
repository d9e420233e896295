use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Side of a work-group.
const SIDE: u32 = 16;
/// Edges are from 1 to this long.
const LONGEST: u32 = 200;

/// All shortest paths of a complete directed graph.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FloydWarshall {
    nodes: u32,
}

impl FloydWarshall {
    /// Length of the edge between any two nodes, 0 from a node to itself.
    fn input(&self, seed: u64) -> Vec<u32> {
        let mut generator = Generator::new(seed, 0);
        let cells = self.nodes * self.nodes;
        let edge = |cell: u32| match cell % (self.nodes + 1) {
            0 => 0,
            _ => 1 + generator.below(LONGEST),
        };
        (0..cells).map(edge).collect()
    }
}

impl Host for FloydWarshall {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let cells = (self.nodes * self.nodes) as usize;
        let distance = session.place(&self.input(seed))?;
        // At first every way is the edge from its own start.
        let starts: Vec<u32> = (0..cells as u32).map(|cell| cell / self.nodes).collect();
        let path = session.place(&starts)?;
        let side = self.nodes / SIDE;
        for pass in 0..self.nodes {
            let args = Args::new().ptr(distance).ptr(path).u32(self.nodes).u32(pass);
            session.launch("floydWarshallPass", [side, side, 1], [SIDE, SIDE, 1], &args)?;
        }
        let distance: Vec<u32> = session.read(distance, cells)?;
        let path: Vec<u32> = session.read(path, cells)?;
        Ok(vec![Output::new("distance", distance), Output::new("path", path)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let paths = reference::shortest_paths(&self.input(seed), self.nodes as usize);
        vec![Expected::words("distance", &paths.distance), Expected::words("path", &paths.through)]
    }
}
