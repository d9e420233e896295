//! CUDA graphs: work kept for later, explicit or captured from streams.
//!
//! What work is (`W`) is said by the runtime, which has the graphs and is what
//! work is done with.

use std::collections::BTreeSet;

use super::graph_memory::GraphMemory;
use super::graph_told::Told;
use super::handles::Handles;
use crate::abi::{Address, Handle};
use crate::error::{Error, Result};

/// What a node does.
#[derive(Clone)]
pub enum Op<W> {
    /// Something the device does.
    Device(W),
    /// A function of the application: it must run without our lock.
    Host {
        /// `void (*)(void *)`.
        function: Address,
        /// Its argument.
        data: Address,
    },
    /// The nodes of another graph.
    Graph(Handle),
    /// Allocation of what is at an address.
    Allocate(u64),
    /// Its end.
    Free(u64),
    /// Nothing.
    Empty,
}

/// Numbers of `cudaGraphNodeType`.
pub mod kind {
    /// A kernel.
    pub const KERNEL: i32 = 0;
    /// A copy.
    pub const MEMCPY: i32 = 1;
    /// A fill.
    pub const MEMSET: i32 = 2;
    /// A host function.
    pub const HOST: i32 = 3;
    /// A graph.
    pub const GRAPH: i32 = 4;
    /// Nothing.
    pub const EMPTY: i32 = 5;
    /// Waiting for an event.
    pub const EVENT_WAIT: i32 = 6;
    /// Recording an event.
    pub const EVENT_RECORD: i32 = 7;
    /// Allocation.
    pub const MEM_ALLOC: i32 = 10;
    /// Freeing.
    pub const MEM_FREE: i32 = 11;
}

/// A node.
#[derive(Clone)]
pub struct Node<W> {
    /// Which graph it is in.
    pub graph: Handle,
    /// `cudaGraphNodeType`.
    pub kind: i32,
    /// What it does.
    pub op: Op<W>,
    /// Nodes that come before it.
    pub after: Vec<Handle>,
    /// What the program said of it, where it may ask.
    pub told: Option<Told>,
    /// The node that it is a copy of.
    pub twin: Option<Handle>,
}

/// Graphs, nodes and executable graphs of the process.
pub struct Graphs<W> {
    /// Graphs: their nodes in the order they were added.
    pub graphs: Handles<Vec<Handle>>,
    /// Nodes.
    pub nodes: Handles<Node<W>>,
    /// Executable graphs: operations in the order they run, with their nodes.
    pub executables: Handles<Vec<(Handle, Op<W>)>>,
    /// Nodes of executable graphs that are skipped.
    pub skipped: BTreeSet<(Handle, Handle)>,
    /// Executable graphs whose launches free what those before have left.
    pub frees_first: BTreeSet<Handle>,
    /// Memory that they allocate.
    pub memory: GraphMemory,
}

impl<W> Default for Graphs<W> {
    fn default() -> Self {
        Graphs {
            graphs: Handles::from(0x3000_0000),
            nodes: Handles::from(0x4000_0000),
            executables: Handles::from(0x5000_0000),
            skipped: BTreeSet::new(),
            frees_first: BTreeSet::new(),
            memory: GraphMemory::default(),
        }
    }
}

impl<W: Clone> Graphs<W> {
    /// Adds a node.
    pub fn add(
        &mut self,
        graph: Handle,
        kind: i32,
        op: Op<W>,
        after: Vec<Handle>,
    ) -> Result<Handle> {
        self.graphs.get(graph)?;
        for &node in &after {
            if self.nodes.get(node)?.graph != graph {
                return Err(Error::INVALID_VALUE);
            }
        }
        let node = self.nodes.add(Node { graph, kind, op, after, told: None, twin: None });
        self.graphs.get_mut(graph)?.push(node);
        Ok(node)
    }

    /// Memory that is freed in a graph before a node which comes after these, and that no
    /// other node has taken over.
    pub fn freed_before(&self, after: &[Handle], bytes: u64) -> Option<u64> {
        let graph = self.nodes.get(*after.first()?).ok()?.graph;
        let all: Vec<(Handle, &Node<W>)> = self
            .graphs
            .get(graph)
            .ok()?
            .iter()
            .filter_map(|&handle| Some((handle, self.nodes.get(handle).ok()?)))
            .collect();
        let mut earlier: BTreeSet<Handle> = after.iter().copied().collect();
        // Nodes come after those that they are added after; edges may be added later.
        loop {
            let more = all.iter().filter(|(handle, _)| earlier.contains(handle));
            let more: Vec<Handle> = more.flat_map(|(_, node)| node.after.clone()).collect();
            let before = earlier.len();
            earlier.extend(more);
            if earlier.len() == before {
                break;
            }
        }
        let count = |wanted: &dyn Fn(Handle, &Op<W>) -> bool| {
            all.iter().filter(|(handle, node)| wanted(*handle, &node.op)).count()
        };
        all.iter().find_map(|(handle, node)| match node.op {
            Op::Free(at) if earlier.contains(handle) && self.memory.bytes_at(at)? >= bytes => {
                let allocated = count(&|_, op| matches!(op, Op::Allocate(a) if *a == at));
                let freed =
                    count(&|n, op| earlier.contains(&n) && matches!(op, Op::Free(a) if *a == at));
                (allocated == freed).then_some(at)
            }
            _ => None,
        })
    }

    /// The operations of a graph in an order that its edges allow: as added,
    /// but for nodes that must wait.
    pub fn in_order(&self, graph: Handle) -> Result<Vec<(Handle, Op<W>)>> {
        let mut waiting = self.graphs.get(graph)?.clone();
        let mut done = Vec::new();
        let mut ops = Vec::new();
        while !waiting.is_empty() {
            let ready = waiting.iter().position(|&n| {
                self.nodes.get(n).is_ok_and(|n| n.after.iter().all(|a| done.contains(a)))
            });
            // Edges that form a circle.
            let node = waiting.remove(ready.ok_or(Error::INVALID_VALUE)?);
            match &self.nodes.get(node)?.op {
                Op::Graph(child) => ops.extend(self.in_order(*child)?),
                op => ops.push((node, op.clone())),
            }
            done.push(node);
        }
        Ok(ops)
    }

    /// A copy of a graph with nodes of its own.
    pub fn copy(&mut self, graph: Handle) -> Result<Handle> {
        let nodes = self.graphs.get(graph)?.clone();
        let copy = self.graphs.add(Vec::new());
        let mut new = Vec::new();
        for &old in &nodes {
            let node = self.nodes.get(old)?.clone();
            let twin = |a: &Handle| nodes.iter().position(|n| n == a).and_then(|i| new.get(i));
            let after = node.after.iter().filter_map(twin).copied().collect();
            let op = match node.op {
                Op::Graph(child) => Op::Graph(self.copy(child)?),
                op => op,
            };
            let twin = Some(old);
            new.push(self.nodes.add(Node { graph: copy, op, after, twin, ..node }));
        }
        *self.graphs.get_mut(copy)? = new;
        Ok(copy)
    }

    /// Ends a graph and its nodes.
    pub fn remove(&mut self, graph: Handle) -> Result<()> {
        for node in self.graphs.remove(graph)? {
            let _ = self.nodes.remove(node);
        }
        Ok(())
    }
}
