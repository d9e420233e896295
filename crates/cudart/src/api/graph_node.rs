//! Nodes of CUDA graphs: what they are about, asked and changed; nodes of any kind
//! (CUDA 12 and 13).

use std::fmt::Write as _;

use super::call::api;
use super::graph::{
    Said, add, allocation, change, child, copy, copy_line, fill, freeing, host, instantiate,
    kernel, list, recording, replace, waiting,
};
use super::graph_edge::{EdgeData, all_whole};
use super::symbol::part;
use crate::abi::{
    Address, AnyNode, Handle, HostNode, In, InstantiateParams, KernelNode, MemAllocNode,
    Memcpy3DParms, MemcpyKind, MemsetNode, Out, Text,
};
use crate::error::{Error, Result};
use crate::runtime::graph::kind;
use crate::runtime::graph_told::Told;
use crate::runtime::{Op, Runtime};

/// Kinds that can be left out of a launch.
const CAN_BE_SKIPPED: [i32; 3] = [kind::KERNEL, kind::MEMCPY, kind::MEMSET];

/// What the program said of a node of one kind.
fn told(rt: &mut Runtime, node: Handle, of: i32) -> Result<Told> {
    let found = rt.graphs.nodes.get(node)?;
    if found.kind != of {
        return Err(Error::INVALID_VALUE);
    }
    if let Some(told) = found.told.clone() {
        return Ok(told);
    }
    let what = if of == kind::MEMCPY { "copies" } else { "fills" };
    rt.tell(format!("parameters of {what} in a graph, which it captured from a stream"), true);
    Err(Error::NOT_SUPPORTED)
}

pub(crate) fn kernel_told(rt: &mut Runtime, node: Handle) -> Result<KernelNode> {
    match told(rt, node, kind::KERNEL)? {
        Told::Kernel(kernel) => Ok(kernel.params()),
        _ => Err(Error::INVALID_VALUE),
    }
}

fn event_told(rt: &mut Runtime, node: Handle, of: i32) -> Result<Handle> {
    match told(rt, node, of)? {
        Told::Event(event) => Ok(event),
        _ => Err(Error::INVALID_VALUE),
    }
}

/// What a node of any kind is to do.
fn any(rt: &mut Runtime, params: In<AnyNode>, after: &[Handle]) -> Result<(i32, Said)> {
    let kind = params.get()?.kind;
    let body = params.address().offset(AnyNode::BODY);
    let handle = || In::<Handle>::from_address(body).get();
    let said = match kind {
        kind::KERNEL => kernel(rt, In::from_address(body))?,
        kind::MEMCPY => copy(In::from_address(body.offset(AnyNode::COPY)))?,
        kind::MEMSET => fill(In::from_address(body))?,
        kind::HOST => host(In::from_address(body))?,
        kind::GRAPH => child(rt, handle()?)?,
        kind::EMPTY => (Op::Empty, None),
        kind::EVENT_WAIT => waiting(rt, handle()?)?,
        kind::EVENT_RECORD => recording(rt, handle()?)?,
        kind::MEM_ALLOC => allocation(rt, Out::<MemAllocNode>::from_address(body), after)?,
        kind::MEM_FREE => freeing(Address(handle()?)),
        _ => {
            rt.tell(format!("nodes of graphs of kind {kind} (semaphores, conditions)"), true);
            return Err(Error::NOT_SUPPORTED);
        }
    };
    Ok((kind, said))
}

/// The same for a node that there is.
fn any_again(rt: &mut Runtime, node: Handle, params: In<AnyNode>) -> Result<Said> {
    if rt.graphs.nodes.get(node)?.kind != params.get()?.kind {
        return Err(Error::INVALID_VALUE);
    }
    Ok(any(rt, params, &[])?.1)
}

/// A graph as Graphviz reads it.
fn picture(rt: &Runtime, graph: Handle) -> Result<String> {
    let name = |of: i32| match of {
        kind::KERNEL => "kernel",
        kind::MEMCPY => "copy",
        kind::MEMSET => "fill",
        kind::HOST => "host function",
        kind::GRAPH => "graph",
        kind::EVENT_WAIT => "wait for event",
        kind::EVENT_RECORD => "record event",
        kind::MEM_ALLOC => "allocate",
        kind::MEM_FREE => "free",
        _ => "empty",
    };
    let mut text = String::from("digraph graph_0 {\n");
    let nodes = rt.graphs.graphs.get(graph)?;
    let number = |node: &Handle| nodes.iter().position(|n| n == node).unwrap_or_default();
    for (i, node) in nodes.iter().enumerate() {
        let node = rt.graphs.nodes.get(*node)?;
        let _ = writeln!(text, "  node_{i} [shape=box, label=\"{i}: {}\"];", name(node.kind));
        for before in &node.after {
            let _ = writeln!(text, "  node_{} -> node_{i};", number(before));
        }
    }
    Ok(text + "}\n")
}

api! {
    sync fn cudaGraphKernelNodeGetParams(node: Handle, out: Out<KernelNode>) |rt| {
        out.set(kernel_told(rt, node)?)
    }

    sync fn cudaGraphMemcpyNodeGetParams(node: Handle, out: Out<Memcpy3DParms>) |rt| {
        match told(rt, node, kind::MEMCPY)? {
            Told::Copy(params) => out.set(params),
            _ => Err(Error::INVALID_VALUE),
        }
    }

    sync fn cudaGraphMemsetNodeGetParams(node: Handle, out: Out<MemsetNode>) |rt| {
        match told(rt, node, kind::MEMSET)? {
            Told::Fill(params) => out.set(params),
            _ => Err(Error::INVALID_VALUE),
        }
    }

    sync fn cudaGraphHostNodeGetParams(node: Handle, out: Out<HostNode>) |rt| {
        match rt.graphs.nodes.get(node)?.op {
            Op::Host { function, data } => out.set(HostNode { function, data }),
            _ => Err(Error::INVALID_VALUE),
        }
    }

    sync fn cudaGraphHostNodeSetParams(node: Handle, params: In<HostNode>) |rt| {
        change(rt, node, host(params)?)
    }

    sync fn cudaGraphMemAllocNodeGetParams(node: Handle, out: Out<MemAllocNode>) |rt| {
        match told(rt, node, kind::MEM_ALLOC)? {
            Told::Alloc(params) => out.set(params),
            _ => Err(Error::INVALID_VALUE),
        }
    }

    sync fn cudaGraphMemFreeNodeGetParams(node: Handle, out: Out<Address>) |rt| {
        match told(rt, node, kind::MEM_FREE)? {
            Told::Free(at) => out.set(at),
            _ => Err(Error::INVALID_VALUE),
        }
    }

    sync fn cudaGraphChildGraphNodeGetGraph(node: Handle, out: Out<Handle>) |rt| {
        match rt.graphs.nodes.get(node)?.op {
            Op::Graph(graph) => out.set(graph),
            _ => Err(Error::INVALID_VALUE),
        }
    }

    sync fn cudaGraphEventRecordNodeGetEvent(node: Handle, out: Out<Handle>) |rt| {
        out.set(event_told(rt, node, kind::EVENT_RECORD)?)
    }

    sync fn cudaGraphEventWaitNodeGetEvent(node: Handle, out: Out<Handle>) |rt| {
        out.set(event_told(rt, node, kind::EVENT_WAIT)?)
    }

    sync fn cudaGraphEventRecordNodeSetEvent(node: Handle, event: Handle) |rt| {
        event_told(rt, node, kind::EVENT_RECORD)?;
        let said = recording(rt, event)?;
        change(rt, node, said)
    }

    sync fn cudaGraphEventWaitNodeSetEvent(node: Handle, event: Handle) |rt| {
        event_told(rt, node, kind::EVENT_WAIT)?;
        let said = waiting(rt, event)?;
        change(rt, node, said)
    }

    sync fn cudaGraphExecEventRecordNodeSetEvent(
        executable: Handle, node: Handle, event: Handle,
    ) |rt| {
        let said = recording(rt, event)?;
        replace(rt, executable, node, said.0)
    }

    sync fn cudaGraphExecEventWaitNodeSetEvent(
        executable: Handle, node: Handle, event: Handle,
    ) |rt| {
        let said = waiting(rt, event)?;
        replace(rt, executable, node, said.0)
    }

    sync fn cudaGraphMemcpyNodeSetParamsToSymbol(
        node: Handle, symbol: Address, from: Address, bytes: usize, offset: usize,
        direction: MemcpyKind,
    ) |rt| {
        let to = part(rt, symbol, offset, bytes)?;
        change(rt, node, copy_line(to, from, bytes, direction))
    }

    sync fn cudaGraphMemcpyNodeSetParamsFromSymbol(
        node: Handle, to: Address, symbol: Address, bytes: usize, offset: usize,
        direction: MemcpyKind,
    ) |rt| {
        let from = part(rt, symbol, offset, bytes)?;
        change(rt, node, copy_line(to, from, bytes, direction))
    }

    sync fn cudaGraphExecMemcpyNodeSetParamsToSymbol(
        executable: Handle, node: Handle, symbol: Address, from: Address, bytes: usize,
        offset: usize, direction: MemcpyKind,
    ) |rt| {
        let to = part(rt, symbol, offset, bytes)?;
        replace(rt, executable, node, copy_line(to, from, bytes, direction).0)
    }

    sync fn cudaGraphExecMemcpyNodeSetParamsFromSymbol(
        executable: Handle, node: Handle, to: Address, symbol: Address, bytes: usize,
        offset: usize, direction: MemcpyKind,
    ) |rt| {
        let from = part(rt, symbol, offset, bytes)?;
        replace(rt, executable, node, copy_line(to, from, bytes, direction).0)
    }

    sync fn cudaGraphNodeSetEnabled(executable: Handle, node: Handle, enabled: u32) |rt| {
        rt.graphs.executables.get(executable)?;
        if !CAN_BE_SKIPPED.contains(&rt.graphs.nodes.get(node)?.kind) {
            return Err(Error::INVALID_VALUE);
        }
        match enabled {
            0 => rt.graphs.skipped.insert((executable, node)),
            _ => rt.graphs.skipped.remove(&(executable, node)),
        };
        Ok(())
    }

    sync fn cudaGraphNodeGetEnabled(executable: Handle, node: Handle, out: Out<u32>) |rt| {
        rt.graphs.executables.get(executable)?;
        out.set(u32::from(!rt.graphs.skipped.contains(&(executable, node))))
    }

    sync fn cudaGraphNodeFindInClone(out: Out<Handle>, original: Handle, clone: Handle) |rt| {
        let twin = |n: &&Handle| {
            rt.graphs.nodes.get(**n).is_ok_and(|n| n.twin == Some(original))
        };
        let found = rt.graphs.graphs.get(clone)?.iter().find(twin).copied();
        out.set(found.ok_or(Error::INVALID_VALUE)?)
    }

    sync fn cudaGraphAddNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize, params: In<AnyNode>,
    ) |rt| {
        let (kind, said) = any(rt, params, &list(after, count)?)?;
        add(rt, out, (graph, after, count), kind, said)
    }

    sync fn cudaGraphAddNode_v2(
        out: Out<Handle>, graph: Handle, after: In<Handle>, data: In<EdgeData>, count: usize,
        params: In<AnyNode>,
    ) |rt| {
        all_whole(data, count)?;
        let (kind, said) = any(rt, params, &list(after, count)?)?;
        add(rt, out, (graph, after, count), kind, said)
    }

    sync fn cudaGraphNodeSetParams(node: Handle, params: In<AnyNode>) |rt| {
        let said = any_again(rt, node, params)?;
        change(rt, node, said)
    }

    sync fn cudaGraphExecNodeSetParams(
        executable: Handle, node: Handle, params: In<AnyNode>,
    ) |rt| {
        let said = any_again(rt, node, params)?;
        replace(rt, executable, node, said.0)
    }

    sync fn cudaGraphInstantiateWithParams(
        out: Out<Handle>, graph: Handle, params: Out<InstantiateParams>,
    ) |rt| {
        let p = params.get()?;
        instantiate(rt, out, graph, p.flags)?;
        params.set(InstantiateParams { node: 0, result: 0, ..p })
    }

    sync fn cudaGraphDebugDotPrint(graph: Handle, path: Text, _flags: u32) |rt| {
        let path = path.get().ok_or(Error::INVALID_VALUE)?;
        std::fs::write(path, picture(rt, graph)?).map_err(|_| Error::INVALID_VALUE)
    }
}
