//! Nodes of graphs, one kind after the other.

use std::sync::Arc;

use super::call::driver;
use super::copy_box::Copy3D;
use super::launch::{given, launch};
use crate::abi::{Address, Handle, HostNode, In, KernelNode, MemAllocNode, MemsetNode, Out};
use crate::api::graph::{
    Said, add, change, cudaGraphAddChildGraphNode, cudaGraphAddEmptyNode,
    cudaGraphAddEventRecordNode, cudaGraphAddEventWaitNode, cudaGraphAddHostNode,
    cudaGraphAddMemAllocNode, cudaGraphAddMemFreeNode, cudaGraphAddMemsetNode,
    cudaGraphExecHostNodeSetParams, cudaGraphExecMemsetNodeSetParams, cudaGraphMemsetNodeSetParams,
    replace,
};
use crate::error::Result;
use crate::runtime::graph::kind;
use crate::runtime::{Op, Runtime, Work};

/// `CUDA_KERNEL_NODE_PARAMS_v2`: the first form, a kernel and a context.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelNodeV2 {
    first: KernelNode,
    kernel: Address,
    context: Handle,
}

impl KernelNodeV2 {
    pub(super) fn of(first: KernelNode) -> KernelNodeV2 {
        KernelNodeV2 { first, kernel: Address(0), context: 0 }
    }

    /// The kernel stands where no function is given.
    fn merged(self) -> KernelNode {
        match self.first.function.0 {
            0 => KernelNode { function: self.kernel, ..self.first },
            _ => self.first,
        }
    }
}

fn kernel(rt: &mut Runtime, node: KernelNode) -> Result<Said> {
    let launch = launch(node.grid.array(), node.block.array(), node.shared);
    let args = given(node.args, In::from_address(node.extra))?;
    let work = rt.prepare_launch(node.function, launch, args)?;
    Ok((Op::Device(work), Some(rt.told_of(node.function, launch, args)?)))
}

fn copy_work(copy: In<Copy3D>) -> Result<Work> {
    let copy = copy.get()?;
    Ok(Arc::new(move |rt| copy.run(rt)))
}

driver! {
    sync fn cuGraphAddKernelNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize, params: In<KernelNode>,
    ) |rt| {
        let said = kernel(rt, params.get()?)?;
        add(rt, out, (graph, after, count), kind::KERNEL, said)
    }

    sync fn cuGraphAddKernelNode_v2(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize,
        params: In<KernelNodeV2>,
    ) |rt| {
        let said = kernel(rt, params.get()?.merged())?;
        add(rt, out, (graph, after, count), kind::KERNEL, said)
    }

    sync fn cuGraphKernelNodeSetParams(node: Handle, params: In<KernelNode>) |rt| {
        let said = kernel(rt, params.get()?)?;
        change(rt, node, said)
    }

    sync fn cuGraphKernelNodeSetParams_v2(node: Handle, params: In<KernelNodeV2>) |rt| {
        let said = kernel(rt, params.get()?.merged())?;
        change(rt, node, said)
    }

    sync fn cuGraphExecKernelNodeSetParams(
        executable: Handle, node: Handle, params: In<KernelNode>,
    ) |rt| {
        let said = kernel(rt, params.get()?)?;
        replace(rt, executable, node, said.0)
    }

    sync fn cuGraphExecKernelNodeSetParams_v2(
        executable: Handle, node: Handle, params: In<KernelNodeV2>,
    ) |rt| {
        let said = kernel(rt, params.get()?.merged())?;
        replace(rt, executable, node, said.0)
    }

    sync fn cuGraphAddMemcpyNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize, copy: In<Copy3D>,
        _context: Handle,
    ) |rt| {
        let op = Op::Device(copy_work(copy)?);
        add(rt, out, (graph, after, count), kind::MEMCPY, (op, None))
    }

    sync fn cuGraphMemcpyNodeSetParams(node: Handle, copy: In<Copy3D>) |rt| {
        change(rt, node, (Op::Device(copy_work(copy)?), None))
    }

    sync fn cuGraphExecMemcpyNodeSetParams(
        executable: Handle, node: Handle, copy: In<Copy3D>, _context: Handle,
    ) |rt| {
        replace(rt, executable, node, Op::Device(copy_work(copy)?))
    }

    same fn cuGraphAddMemsetNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize, params: In<MemsetNode>,
        _context: Handle,
    ) {
        cudaGraphAddMemsetNode(out, graph, after, count, params)
    }

    same fn cuGraphMemsetNodeSetParams(node: Handle, params: In<MemsetNode>) {
        cudaGraphMemsetNodeSetParams(node, params)
    }

    same fn cuGraphExecMemsetNodeSetParams(
        executable: Handle, node: Handle, params: In<MemsetNode>, _context: Handle,
    ) {
        cudaGraphExecMemsetNodeSetParams(executable, node, params)
    }

    same fn cuGraphAddHostNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize, params: In<HostNode>,
    ) {
        cudaGraphAddHostNode(out, graph, after, count, params)
    }

    same fn cuGraphExecHostNodeSetParams(
        executable: Handle, node: Handle, params: In<HostNode>,
    ) {
        cudaGraphExecHostNodeSetParams(executable, node, params)
    }

    same fn cuGraphAddChildGraphNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize, child: Handle,
    ) {
        cudaGraphAddChildGraphNode(out, graph, after, count, child)
    }

    same fn cuGraphAddEmptyNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize,
    ) {
        cudaGraphAddEmptyNode(out, graph, after, count)
    }

    same fn cuGraphAddEventRecordNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize, event: Handle,
    ) {
        cudaGraphAddEventRecordNode(out, graph, after, count, event)
    }

    same fn cuGraphAddEventWaitNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize, event: Handle,
    ) {
        cudaGraphAddEventWaitNode(out, graph, after, count, event)
    }

    same fn cuGraphAddMemAllocNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize,
        params: Out<MemAllocNode>,
    ) {
        cudaGraphAddMemAllocNode(out, graph, after, count, params)
    }

    same fn cuGraphAddMemFreeNode(
        out: Out<Handle>, graph: Handle, after: In<Handle>, count: usize, at: Address,
    ) {
        cudaGraphAddMemFreeNode(out, graph, after, count, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_those_of_the_c_header() {
        assert_eq!(std::mem::size_of::<KernelNodeV2>(), 72);
    }
}
