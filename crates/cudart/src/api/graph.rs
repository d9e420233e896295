//! CUDA graphs and stream capture.

use std::sync::Arc;

use upset_device::Launch;

use super::call::api;
use super::copy2d::copy_volume;
use super::stream::call_host;
use super::symbol::part;
use crate::abi::{
    Address, Handle, HostNode, In, KernelNode, MemAllocNode, Memcpy3DParms, MemcpyKind, MemsetNode,
    Out,
};
use crate::error::{Error, Result};
use crate::runtime::graph::kind;
use crate::runtime::graph_told::{Told, line};
use crate::runtime::{Given, Op, Runtime, Work, session};

/// `cudaGraphExecUpdateResultInfo`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct UpdateInfo {
    result: i32,
    node: Handle,
    from: Handle,
}

/// `cudaGraphInstantiateFlagAutoFreeOnLaunch`.
const FREE_FIRST: u64 = 1;
/// All flags are less: what is more is an address, which came third before CUDA 12.
const FLAGS: u64 = 1 << 12;

/// Numbers of `cudaGraphExecUpdateResult`.
const UPDATED: i32 = 0;
const NOT_UPDATED: i32 = 1;

/// Numbers of `cudaStreamCaptureStatus`.
const NOT_CAPTURED: i32 = 0;
const CAPTURED: i32 = 1;
/// Offered as the number of a capture.
const CAPTURE_ID: u64 = 1;

pub(super) fn list(nodes: In<Handle>, count: usize) -> Result<Vec<Handle>> {
    (0..count).map(|i| nodes.at(i)).collect()
}

/// What a node does, and what the program may ask of it.
pub(crate) type Said = (Op, Option<Told>);

pub(super) fn kernel(rt: &mut Runtime, params: In<KernelNode>) -> Result<Said> {
    let p = params.get()?;
    let launch = Launch {
        grid: p.grid.array(),
        block: p.block.array(),
        shared_bytes: p.shared,
        ..Launch::default()
    };
    let work = rt.prepare_launch(p.function, launch, Given::Each(p.args))?;
    Ok((Op::Device(work), Some(rt.told_of(p.function, launch, Given::Each(p.args))?)))
}

pub(super) fn fill(params: In<MemsetNode>) -> Result<Said> {
    let p = params.get()?;
    if !matches!(p.element, 1 | 2 | 4) {
        return Err(Error::INVALID_VALUE);
    }
    let work: Work = Arc::new(move |rt| {
        let value = &p.value.to_le_bytes()[..p.element as usize];
        for row in 0..p.height as u64 {
            let to = p.to.offset(row * p.pitch as u64);
            rt.fill_pattern(to, value, p.width)?;
        }
        Ok(())
    });
    Ok((Op::Device(work), Some(Told::Fill(p))))
}

pub(super) fn copy(params: In<Memcpy3DParms>) -> Result<Said> {
    let p = params.get()?;
    let work: Work = Arc::new(move |rt| copy_volume(rt, &p));
    Ok((Op::Device(work), Some(Told::Copy(p))))
}

pub(super) fn copy_line(to: Address, from: Address, bytes: usize, kind: MemcpyKind) -> Said {
    let work: Work = Arc::new(move |rt| rt.copy(to, from, bytes, kind));
    (Op::Device(work), Some(Told::Copy(line(to, from, bytes, kind))))
}

pub(super) fn host(params: In<HostNode>) -> Result<Said> {
    let p = params.get()?;
    Ok((Op::Host { function: p.function, data: p.data }, None))
}

pub(super) fn child(rt: &mut Runtime, graph: Handle) -> Result<Said> {
    Ok((Op::Graph(rt.graphs.copy(graph)?), None))
}

/// Memory for a node after others.
pub(super) fn allocation(
    rt: &mut Runtime,
    params: Out<MemAllocNode>,
    after: &[Handle],
) -> Result<Said> {
    let mut p = params.get()?;
    p.at = Address(rt.malloc_for_graphs(p.bytes as u64, after)?);
    params.set(p)?;
    Ok((Op::Allocate(p.at.0), Some(Told::Alloc(p))))
}

pub(super) fn freeing(at: Address) -> Said {
    (Op::Free(at.0), Some(Told::Free(at)))
}

pub(super) fn recording(rt: &Runtime, event: Handle) -> Result<Said> {
    rt.streams.events.get(event)?;
    let op = Op::Device(Arc::new(move |rt: &mut Runtime| rt.record(event, 0)));
    Ok((op, Some(Told::Event(event))))
}

pub(super) fn waiting(rt: &Runtime, event: Handle) -> Result<Said> {
    rt.streams.events.get(event)?;
    Ok((Op::Empty, Some(Told::Event(event))))
}

pub(crate) fn add(
    rt: &mut Runtime,
    out: Out<Handle>,
    (graph, after, count): (Handle, In<Handle>, usize),
    kind: i32,
    (op, told): Said,
) -> Result<()> {
    let after = list(after, count)?;
    let node = rt.graphs.add(graph, kind, op, after)?;
    rt.graphs.nodes.get_mut(node)?.told = told;
    out.set(node)
}

/// Lets a node do something else of its kind.
pub(crate) fn change(rt: &mut Runtime, node: Handle, (op, told): Said) -> Result<()> {
    let node = rt.graphs.nodes.get_mut(node)?;
    (node.op, node.told) = (op, told);
    Ok(())
}

/// Replaces what a node of an executable graph does.
pub(crate) fn replace(rt: &mut Runtime, executable: Handle, node: Handle, op: Op) -> Result<()> {
    let ops = rt.graphs.executables.get_mut(executable)?;
    let found = ops.iter_mut().find(|(n, _)| *n == node).ok_or(Error::INVALID_VALUE)?;
    found.1 = op;
    Ok(())
}

/// Lets an executable graph do what another graph does.
fn update(rt: &mut Runtime, executable: Handle, graph: Handle) -> Result<()> {
    let ops = rt.graphs.in_order(graph)?;
    let old = rt.graphs.executables.get_mut(executable)?;
    if old.len() != ops.len() {
        return Err(Error::GRAPH_EXEC_UPDATE_FAILURE);
    }
    // Nodes keep their names: the program may change them later.
    for (old, (_, op)) in old.iter_mut().zip(ops) {
        old.1 = op;
    }
    Ok(())
}

pub(super) fn instantiate(
    rt: &mut Runtime,
    out: Out<Handle>,
    graph: Handle,
    flags: u64,
) -> Result<()> {
    let ops = rt.graphs.in_order(graph)?;
    let executable = rt.graphs.executables.add(ops);
    if flags & FREE_FIRST != 0 {
        rt.graphs.frees_first.insert(executable);
    }
    out.set(executable)
}

fn begin(rt: &mut Runtime, stream: Handle, graph: Option<Handle>) -> Result<()> {
    rt.not_captured(stream)?;
    // The legacy stream waits for all others; it cannot be captured.
    if stream < 2 {
        return Err(Error::STREAM_CAPTURE_UNSUPPORTED);
    }
    let graph = match graph {
        Some(graph) => graph,
        None => rt.graphs.graphs.add(Vec::new()),
    };
    rt.streams.get_mut(stream)?.capture = Some(graph);
    Ok(())
}

fn capture_info(
    rt: &mut Runtime,
    stream: Handle,
    status: Out<i32>,
    id: Out<u64>,
    graph: Option<Out<Handle>>,
) -> Result<()> {
    let capture = rt.streams.get_mut(stream)?.capture;
    status.set(if capture.is_some() { CAPTURED } else { NOT_CAPTURED })?;
    if let Some(handle) = capture {
        id.set_if_wanted(CAPTURE_ID);
        if let Some(graph) = graph {
            graph.set_if_wanted(handle);
        }
    }
    Ok(())
}

api! {
    sync fn cudaGraphCreate(out: Out<Handle>, _flags: u32) |rt| {
        out.set(rt.graphs.graphs.add(Vec::new()))
    }

    sync fn cudaGraphDestroy(graph: Handle) |rt| {
        rt.graphs.remove(graph)
    }

    sync fn cudaGraphClone(out: Out<Handle>, graph: Handle) |rt| {
        out.set(rt.graphs.copy(graph)?)
    }

    sync fn cudaGraphAddKernelNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize, params: In<KernelNode>,
    ) |rt| {
        let said = kernel(rt, params)?;
        add(rt, out, (graph, after, count), kind::KERNEL, said)
    }

    sync fn cudaGraphAddMemcpyNode1D(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize, to: Address,
        from: Address, bytes: usize, direction: MemcpyKind,
    ) |rt| {
        let said = copy_line(to, from, bytes, direction);
        add(rt, out, (graph, after, count), kind::MEMCPY, said)
    }

    sync fn cudaGraphAddMemcpyNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize,
        params: In<Memcpy3DParms>,
    ) |rt| {
        add(rt, out, (graph, after, count), kind::MEMCPY, copy(params)?)
    }

    sync fn cudaGraphMemcpyNodeSetParams(node: Handle, params: In<Memcpy3DParms>) |rt| {
        change(rt, node, copy(params)?)
    }

    sync fn cudaGraphExecMemcpyNodeSetParams(
        executable: Handle, node: Handle, params: In<Memcpy3DParms>,
    ) |rt| {
        replace(rt, executable, node, copy(params)?.0)
    }

    sync fn cudaGraphAddMemcpyNodeToSymbol(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize, symbol: Address,
        from: Address, bytes: usize, offset: usize, direction: MemcpyKind,
    ) |rt| {
        let to = part(rt, symbol, offset, bytes)?;
        let said = copy_line(to, from, bytes, direction);
        add(rt, out, (graph, after, count), kind::MEMCPY, said)
    }

    sync fn cudaGraphAddMemcpyNodeFromSymbol(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize, to: Address,
        symbol: Address, bytes: usize, offset: usize, direction: MemcpyKind,
    ) |rt| {
        let from = part(rt, symbol, offset, bytes)?;
        let said = copy_line(to, from, bytes, direction);
        add(rt, out, (graph, after, count), kind::MEMCPY, said)
    }

    sync fn cudaGraphAddMemsetNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize, params: In<MemsetNode>,
    ) |rt| {
        add(rt, out, (graph, after, count), kind::MEMSET, fill(params)?)
    }

    sync fn cudaGraphAddHostNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize, params: In<HostNode>,
    ) |rt| {
        add(rt, out, (graph, after, count), kind::HOST, host(params)?)
    }

    sync fn cudaGraphAddChildGraphNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize,
        graph_inside: Handle,
    ) |rt| {
        let said = child(rt, graph_inside)?;
        add(rt, out, (graph, after, count), kind::GRAPH, said)
    }

    sync fn cudaGraphAddEmptyNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize,
    ) |rt| {
        add(rt, out, (graph, after, count), kind::EMPTY, (Op::Empty, None))
    }

    sync fn cudaGraphAddMemAllocNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize,
        params: Out<MemAllocNode>,
    ) |rt| {
        let said = allocation(rt, params, &list(after, count)?)?;
        add(rt, out, (graph, after, count), kind::MEM_ALLOC, said)
    }

    sync fn cudaGraphAddMemFreeNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize, at: Address,
    ) |rt| {
        add(rt, out, (graph, after, count), kind::MEM_FREE, freeing(at))
    }

    sync fn cudaGraphAddEventRecordNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize, event: Handle,
    ) |rt| {
        let said = recording(rt, event)?;
        add(rt, out, (graph, after, count), kind::EVENT_RECORD, said)
    }

    sync fn cudaGraphAddEventWaitNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize, event: Handle,
    ) |rt| {
        let said = waiting(rt, event)?;
        add(rt, out, (graph, after, count), kind::EVENT_WAIT, said)
    }

    sync fn cudaGraphKernelNodeSetParams(node: Handle, params: In<KernelNode>) |rt| {
        let said = kernel(rt, params)?;
        change(rt, node, said)
    }

    sync fn cudaGraphMemsetNodeSetParams(node: Handle, params: In<MemsetNode>) |rt| {
        change(rt, node, fill(params)?)
    }

    sync fn cudaGraphMemcpyNodeSetParams1D(
        node: Handle, to: Address, from: Address, bytes: usize, direction: MemcpyKind,
    ) |rt| {
        change(rt, node, copy_line(to, from, bytes, direction))
    }

    sync fn cudaGraphDestroyNode(node: Handle) |rt| {
        let graph = rt.graphs.nodes.remove(node)?.graph;
        rt.graphs.graphs.get_mut(graph)?.retain(|n| *n != node);
        for other in rt.graphs.nodes.values_mut() {
            other.after.retain(|n| *n != node);
        }
        Ok(())
    }

    sync fn cudaGraphNodeGetType(node: Handle, out: Out<i32>) |rt| {
        out.set(rt.graphs.nodes.get(node)?.kind)
    }

    sync fn cudaGraphGetNodes(graph: Handle, nodes: Out<Handle>, count: Out<usize>) |rt| {
        give(rt.graphs.graphs.get(graph)?, nodes, count)
    }

    sync fn cudaGraphGetRootNodes(graph: Handle, nodes: Out<Handle>, count: Out<usize>) |rt| {
        let all = rt.graphs.graphs.get(graph)?;
        let root = |n: &&Handle| rt.graphs.nodes.get(**n).is_ok_and(|n| n.after.is_empty());
        let roots: Vec<Handle> = all.iter().filter(root).copied().collect();
        give(&roots, nodes, count)
    }

    // Releases before 12 have an error node and a log here, which nothing
    // fills; later ones have flags in their place.
    sync fn cudaGraphInstantiate(out: Out<Handle>, graph: Handle, third: u64) |rt| {
        instantiate(rt, out, graph, if third < FLAGS { third } else { 0 })
    }

    sync fn cudaGraphInstantiateWithFlags(out: Out<Handle>, graph: Handle, flags: u64) |rt| {
        instantiate(rt, out, graph, flags)
    }

    sync fn cudaGraphExecUpdate(
        executable: Handle, graph: Handle, error_node: Out<Handle>, result: Out<i32>,
    ) |rt| {
        let done = update(rt, executable, graph);
        error_node.set_if_wanted(0);
        result.set_if_wanted(if done.is_ok() { UPDATED } else { NOT_UPDATED });
        done
    }

    sync fn cudaGraphExecUpdate_v12(
        executable: Handle, graph: Handle, info: Out<UpdateInfo>,
    ) |rt| {
        let done = update(rt, executable, graph);
        let result = if done.is_ok() { UPDATED } else { NOT_UPDATED };
        info.set_if_wanted(UpdateInfo { result, node: 0, from: 0 });
        done
    }

    sync fn cudaGraphExecKernelNodeSetParams(
        executable: Handle, node: Handle, params: In<KernelNode>,
    ) |rt| {
        let said = kernel(rt, params)?;
        replace(rt, executable, node, said.0)
    }

    sync fn cudaGraphExecMemsetNodeSetParams(
        executable: Handle, node: Handle, params: In<MemsetNode>,
    ) |rt| {
        replace(rt, executable, node, fill(params)?.0)
    }

    sync fn cudaGraphExecMemcpyNodeSetParams1D(
        executable: Handle, node: Handle, to: Address, from: Address, bytes: usize,
        direction: MemcpyKind,
    ) |rt| {
        replace(rt, executable, node, copy_line(to, from, bytes, direction).0)
    }

    sync fn cudaGraphExecHostNodeSetParams(
        executable: Handle, node: Handle, params: In<HostNode>,
    ) |rt| {
        replace(rt, executable, node, host(params)?.0)
    }

    sync fn cudaGraphExecDestroy(executable: Handle) |rt| {
        rt.graphs.executables.remove(executable).map(|_| ())
    }

    sync fn cudaGraphUpload(executable: Handle, _stream: Handle) |rt| {
        rt.graphs.executables.get(executable).map(|_| ())
    }

    plain fn cudaGraphLaunch(executable: Handle, stream: Handle) {
        let ops = session::stream(|rt| {
            rt.not_captured(stream)?;
            let mut ops = rt.graphs.executables.get(executable)?.clone();
            ops.retain(|(node, _)| !rt.graphs.skipped.contains(&(executable, *node)));
            let (mut allocated, mut freed) = (Vec::new(), Vec::new());
            for (_, op) in &ops {
                match op {
                    Op::Allocate(at) => allocated.push(*at),
                    Op::Free(at) => freed.push(*at),
                    _ => {}
                }
            }
            let again = rt.graphs.frees_first.contains(&executable);
            rt.graphs.memory.launch(&allocated, &freed, again)?;
            Ok(ops)
        })?;
        for (_, op) in ops {
            match op {
                Op::Device(work) => session::stream(|rt| match rt.fault.is_set() {
                    true => Ok(()),
                    false => work(rt),
                })?,
                Op::Host { function, data } => call_host(function, data),
                Op::Graph(_) | Op::Allocate(_) | Op::Free(_) | Op::Empty => {}
            }
        }
        Ok(())
    }

    sync fn cudaStreamBeginCapture(stream: Handle, _mode: i32) |rt| {
        begin(rt, stream, None)
    }

    sync fn cudaStreamBeginCaptureToGraph(
        stream: Handle, graph: Handle, _after: In<Handle>, _edges: Address, _count: usize,
        _mode: i32,
    ) |rt| {
        begin(rt, stream, Some(graph))
    }

    sync fn cudaStreamEndCapture(stream: Handle, out: Out<Handle>) |rt| {
        let graph = rt.streams.get_mut(stream)?.capture.ok_or(Error::ILLEGAL_STATE)?;
        for other in rt.streams.all_mut().filter(|s| s.capture == Some(graph)) {
            other.capture = None;
        }
        for event in rt.streams.events.values_mut().filter(|e| e.capture == Some(graph)) {
            event.capture = None;
        }
        out.set(graph)
    }

    sync fn cudaStreamIsCapturing(stream: Handle, status: Out<i32>) |rt| {
        let captured = rt.streams.get_mut(stream)?.capture.is_some();
        status.set(if captured { CAPTURED } else { NOT_CAPTURED })
    }

    sync fn cudaStreamGetCaptureInfo(stream: Handle, status: Out<i32>, id: Out<u64>) |rt| {
        capture_info(rt, stream, status, id, None)
    }

    sync fn cudaStreamGetCaptureInfo_v2(
        stream: Handle, status: Out<i32>, id: Out<u64>, graph: Out<Handle>,
        after: Out<Address>, count: Out<usize>,
    ) |rt| {
        after.set_if_wanted(Address(0));
        count.set_if_wanted(0);
        capture_info(rt, stream, status, id, Some(graph))
    }

    /// CUDA 13's `cudaStreamGetCaptureInfo`: with what sets the edges apart, which
    /// is nothing here.
    sync fn cudaStreamGetCaptureInfo_v3(
        stream: Handle, status: Out<i32>, id: Out<u64>, graph: Out<Handle>,
        after: Out<Address>, edges: Out<Address>, count: Out<usize>,
    ) |rt| {
        after.set_if_wanted(Address(0));
        edges.set_if_wanted(Address(0));
        count.set_if_wanted(0);
        capture_info(rt, stream, status, id, Some(graph))
    }

    plain fn cudaThreadExchangeStreamCaptureMode(mode: Out<i32>) {
        // One mode serves all: nothing here is unsafe during a capture.
        mode.get().map(|_| ())
    }
}

/// Stores nodes, and how many there are when only that is asked for.
pub(super) fn give(all: &[Handle], nodes: Out<Handle>, count: Out<usize>) -> Result<()> {
    if !nodes.is_null() {
        let room = count.get()?;
        for i in 0..room {
            nodes.at(i).set(all.get(i).copied().unwrap_or(0))?;
        }
        return count.set(all.len().min(room));
    }
    count.set(all.len())
}
