//! What is asked of the nodes of graphs, and changed. Parameters have the layouts of
//! the runtime API's, but for copies, which are missing here.

use super::call::driver;
use super::graph_nodes::KernelNodeV2;
use crate::abi::{Address, Handle, HostNode, In, KernelNode, MemAllocNode, MemsetNode, Out, Text};
use crate::api::graph_node::{
    cudaGraphChildGraphNodeGetGraph, cudaGraphDebugDotPrint, cudaGraphEventRecordNodeGetEvent,
    cudaGraphEventRecordNodeSetEvent, cudaGraphEventWaitNodeGetEvent,
    cudaGraphEventWaitNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent,
    cudaGraphExecEventWaitNodeSetEvent, cudaGraphHostNodeGetParams, cudaGraphHostNodeSetParams,
    cudaGraphKernelNodeGetParams, cudaGraphMemAllocNodeGetParams, cudaGraphMemFreeNodeGetParams,
    cudaGraphMemsetNodeGetParams, cudaGraphNodeFindInClone, cudaGraphNodeGetEnabled,
    cudaGraphNodeSetEnabled, kernel_told,
};

driver! {
    same fn cuGraphKernelNodeGetParams(node: Handle, out: Out<KernelNode>) {
        cudaGraphKernelNodeGetParams(node, out)
    }

    sync fn cuGraphKernelNodeGetParams_v2(node: Handle, out: Out<KernelNodeV2>) |rt| {
        out.set(KernelNodeV2::of(kernel_told(rt, node)?))
    }

    same fn cuGraphMemsetNodeGetParams(node: Handle, out: Out<MemsetNode>) {
        cudaGraphMemsetNodeGetParams(node, out)
    }

    same fn cuGraphHostNodeGetParams(node: Handle, out: Out<HostNode>) {
        cudaGraphHostNodeGetParams(node, out)
    }

    same fn cuGraphHostNodeSetParams(node: Handle, params: In<HostNode>) {
        cudaGraphHostNodeSetParams(node, params)
    }

    same fn cuGraphMemAllocNodeGetParams(node: Handle, out: Out<MemAllocNode>) {
        cudaGraphMemAllocNodeGetParams(node, out)
    }

    same fn cuGraphMemFreeNodeGetParams(node: Handle, out: Out<Address>) {
        cudaGraphMemFreeNodeGetParams(node, out)
    }

    same fn cuGraphChildGraphNodeGetGraph(node: Handle, out: Out<Handle>) {
        cudaGraphChildGraphNodeGetGraph(node, out)
    }

    same fn cuGraphEventRecordNodeGetEvent(node: Handle, out: Out<Handle>) {
        cudaGraphEventRecordNodeGetEvent(node, out)
    }

    same fn cuGraphEventWaitNodeGetEvent(node: Handle, out: Out<Handle>) {
        cudaGraphEventWaitNodeGetEvent(node, out)
    }

    same fn cuGraphEventRecordNodeSetEvent(node: Handle, event: Handle) {
        cudaGraphEventRecordNodeSetEvent(node, event)
    }

    same fn cuGraphEventWaitNodeSetEvent(node: Handle, event: Handle) {
        cudaGraphEventWaitNodeSetEvent(node, event)
    }

    same fn cuGraphExecEventRecordNodeSetEvent(executable: Handle, node: Handle, event: Handle) {
        cudaGraphExecEventRecordNodeSetEvent(executable, node, event)
    }

    same fn cuGraphExecEventWaitNodeSetEvent(executable: Handle, node: Handle, event: Handle) {
        cudaGraphExecEventWaitNodeSetEvent(executable, node, event)
    }

    same fn cuGraphNodeSetEnabled(executable: Handle, node: Handle, enabled: u32) {
        cudaGraphNodeSetEnabled(executable, node, enabled)
    }

    same fn cuGraphNodeGetEnabled(executable: Handle, node: Handle, out: Out<u32>) {
        cudaGraphNodeGetEnabled(executable, node, out)
    }

    same fn cuGraphNodeFindInClone(out: Out<Handle>, original: Handle, clone: Handle) {
        cudaGraphNodeFindInClone(out, original, clone)
    }

    same fn cuGraphDebugDotPrint(graph: Handle, path: Text, flags: u32) {
        cudaGraphDebugDotPrint(graph, path, flags)
    }
}
