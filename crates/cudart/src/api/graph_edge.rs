//! Edges of CUDA graphs: what comes before what.
//!
//! CUDA 12 gave every function a second form (`_v2`) in which an edge has data;
//! CUDA 13 has the second form alone, under the first one's name. Only edges that
//! wait for the whole node before them exist here: their data is zero.

use super::call::api;
use super::graph::give;
use crate::abi::{Handle, In, Out};
use crate::error::{Error, Result};
use crate::runtime::Runtime;

/// `cudaGraphEdgeData`, eight bytes.
pub type EdgeData = u64;
/// An edge that waits for all of a node.
const WHOLE: EdgeData = 0;

/// Refuses edges that wait for less than a whole node.
pub(super) fn all_whole(data: In<EdgeData>, count: usize) -> Result<()> {
    for i in 0..if data.is_null() { 0 } else { count } {
        if data.at(i)? != WHOLE {
            return Err(Error::NOT_SUPPORTED);
        }
    }
    Ok(())
}

/// Stores what is known of as many edges as there is room for.
fn describe(data: Out<EdgeData>, count: Out<usize>) -> Result<()> {
    if data.is_null() {
        return Ok(());
    }
    (0..count.get()?).try_for_each(|i| data.at(i).set(WHOLE))
}

fn connect(
    rt: &mut Runtime,
    graph: Handle,
    (from, to, count): (In<Handle>, In<Handle>, usize),
) -> Result<()> {
    rt.graphs.graphs.get(graph)?;
    for i in 0..count {
        let before = from.at(i)?;
        rt.graphs.nodes.get_mut(to.at(i)?)?.after.push(before);
    }
    Ok(())
}

fn disconnect(
    rt: &mut Runtime,
    graph: Handle,
    (from, to, count): (In<Handle>, In<Handle>, usize),
) -> Result<()> {
    rt.graphs.graphs.get(graph)?;
    for i in 0..count {
        let before = from.at(i)?;
        rt.graphs.nodes.get_mut(to.at(i)?)?.after.retain(|n| *n != before);
    }
    Ok(())
}

fn edges(
    rt: &Runtime,
    graph: Handle,
    (from, to, count): (Out<Handle>, Out<Handle>, Out<usize>),
) -> Result<()> {
    let mut edges = (Vec::new(), Vec::new());
    for &node in rt.graphs.graphs.get(graph)? {
        for &before in &rt.graphs.nodes.get(node)?.after {
            edges.0.push(before);
            edges.1.push(node);
        }
    }
    if !from.is_null() {
        let room = count.get()?;
        give(&edges.0, from, count)?;
        count.set(room)?;
    }
    give(&edges.1, to, count)
}

/// The nodes that come after one.
fn dependents(rt: &Runtime, node: Handle) -> Result<Vec<Handle>> {
    let graph = rt.graphs.nodes.get(node)?.graph;
    let after = |n: &&Handle| rt.graphs.nodes.get(**n).is_ok_and(|n| n.after.contains(&node));
    Ok(rt.graphs.graphs.get(graph)?.iter().filter(after).copied().collect())
}

api! {
    sync fn cudaGraphAddDependencies(
        graph: Handle, from: In<Handle>, to: In<Handle>, count: usize,
    ) |rt| {
        connect(rt, graph, (from, to, count))
    }

    sync fn cudaGraphAddDependencies_v2(
        graph: Handle, from: In<Handle>, to: In<Handle>, data: In<EdgeData>, count: usize,
    ) |rt| {
        all_whole(data, count)?;
        connect(rt, graph, (from, to, count))
    }

    sync fn cudaGraphRemoveDependencies(
        graph: Handle, from: In<Handle>, to: In<Handle>, count: usize,
    ) |rt| {
        disconnect(rt, graph, (from, to, count))
    }

    sync fn cudaGraphRemoveDependencies_v2(
        graph: Handle, from: In<Handle>, to: In<Handle>, data: In<EdgeData>, count: usize,
    ) |rt| {
        all_whole(data, count)?;
        disconnect(rt, graph, (from, to, count))
    }

    sync fn cudaGraphGetEdges(
        graph: Handle, from: Out<Handle>, to: Out<Handle>, count: Out<usize>,
    ) |rt| {
        edges(rt, graph, (from, to, count))
    }

    sync fn cudaGraphGetEdges_v2(
        graph: Handle, from: Out<Handle>, to: Out<Handle>, data: Out<EdgeData>,
        count: Out<usize>,
    ) |rt| {
        describe(data, count)?;
        edges(rt, graph, (from, to, count))
    }

    sync fn cudaGraphNodeGetDependencies(
        node: Handle, nodes: Out<Handle>, count: Out<usize>,
    ) |rt| {
        give(&rt.graphs.nodes.get(node)?.after, nodes, count)
    }

    sync fn cudaGraphNodeGetDependencies_v2(
        node: Handle, nodes: Out<Handle>, data: Out<EdgeData>, count: Out<usize>,
    ) |rt| {
        describe(data, count)?;
        give(&rt.graphs.nodes.get(node)?.after, nodes, count)
    }

    sync fn cudaGraphNodeGetDependentNodes(
        node: Handle, nodes: Out<Handle>, count: Out<usize>,
    ) |rt| {
        give(&dependents(rt, node)?, nodes, count)
    }

    sync fn cudaGraphNodeGetDependentNodes_v2(
        node: Handle, nodes: Out<Handle>, data: Out<EdgeData>, count: Out<usize>,
    ) |rt| {
        describe(data, count)?;
        give(&dependents(rt, node)?, nodes, count)
    }
}
