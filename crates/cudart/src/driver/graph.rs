//! Graphs as wholes.

use super::call::{driver, same};
use crate::abi::{Address, Handle, In, Out};
use crate::api::graph::{
    UpdateInfo, cudaGraphClone, cudaGraphCreate, cudaGraphDestroy, cudaGraphDestroyNode,
    cudaGraphExecDestroy, cudaGraphExecUpdate, cudaGraphExecUpdate_v12, cudaGraphGetNodes,
    cudaGraphGetRootNodes, cudaGraphInstantiate, cudaGraphInstantiateWithFlags, cudaGraphLaunch,
    cudaGraphNodeGetType, cudaGraphUpload,
};
use crate::api::graph_edge::{
    cudaGraphAddDependencies, cudaGraphGetEdges, cudaGraphNodeGetDependencies,
    cudaGraphNodeGetDependentNodes, cudaGraphRemoveDependencies,
};

/// `CUDA_GRAPH_INSTANTIATE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct InstantiateParams {
    flags: u64,
    upload: Handle,
    error_node: Handle,
    result: i32,
}

driver! {
    same fn cuGraphCreate(out: Out<Handle>, flags: u32) {
        cudaGraphCreate(out, flags)
    }

    same fn cuGraphDestroy(graph: Handle) {
        cudaGraphDestroy(graph)
    }

    same fn cuGraphClone(out: Out<Handle>, graph: Handle) {
        cudaGraphClone(out, graph)
    }

    same fn cuGraphInstantiate(
        out: Out<Handle>, graph: Handle, _error: Out<Handle>, _log: Address, _size: usize,
    ) {
        cudaGraphInstantiate(out, graph, 0)
    }

    same fn cuGraphInstantiate_v2(
        out: Out<Handle>, graph: Handle, _error: Out<Handle>, _log: Address, _size: usize,
    ) {
        cudaGraphInstantiate(out, graph, 0)
    }

    same fn cuGraphInstantiateWithFlags(out: Out<Handle>, graph: Handle, flags: u64) {
        cudaGraphInstantiateWithFlags(out, graph, flags)
    }

    plain fn cuGraphInstantiateWithParams(
        out: Out<Handle>, graph: Handle, params: Out<InstantiateParams>,
    ) {
        let given = params.get()?;
        // SAFETY: a place for the result, as the runtime's function wants it.
        same(|| unsafe { cudaGraphInstantiateWithFlags(out, graph, given.flags) })?;
        params.set(InstantiateParams { error_node: 0, result: 0, ..given })
    }

    same fn cuGraphExecUpdate(
        executable: Handle, graph: Handle, error: Out<Handle>, result: Out<i32>,
    ) {
        cudaGraphExecUpdate(executable, graph, error, result)
    }

    same fn cuGraphExecUpdate_v2(executable: Handle, graph: Handle, info: Out<UpdateInfo>) {
        cudaGraphExecUpdate_v12(executable, graph, info)
    }

    same fn cuGraphExecDestroy(executable: Handle) {
        cudaGraphExecDestroy(executable)
    }

    same fn cuGraphUpload(executable: Handle, stream: Handle) {
        cudaGraphUpload(executable, stream)
    }

    same fn cuGraphLaunch(executable: Handle, stream: Handle) {
        cudaGraphLaunch(executable, stream)
    }

    same fn cuGraphGetNodes(graph: Handle, nodes: Out<Handle>, count: Out<usize>) {
        cudaGraphGetNodes(graph, nodes, count)
    }

    same fn cuGraphGetRootNodes(graph: Handle, nodes: Out<Handle>, count: Out<usize>) {
        cudaGraphGetRootNodes(graph, nodes, count)
    }

    same fn cuGraphGetEdges(
        graph: Handle, from: Out<Handle>, to: Out<Handle>, count: Out<usize>,
    ) {
        cudaGraphGetEdges(graph, from, to, count)
    }

    same fn cuGraphNodeGetDependencies(node: Handle, nodes: Out<Handle>, count: Out<usize>) {
        cudaGraphNodeGetDependencies(node, nodes, count)
    }

    same fn cuGraphNodeGetDependentNodes(node: Handle, nodes: Out<Handle>, count: Out<usize>) {
        cudaGraphNodeGetDependentNodes(node, nodes, count)
    }

    same fn cuGraphAddDependencies(
        graph: Handle, from: In<Handle>, to: In<Handle>, count: usize,
    ) {
        cudaGraphAddDependencies(graph, from, to, count)
    }

    // What edges say beyond the order concerns launches that overlap.
    same fn cuGraphAddDependencies_v2(
        graph: Handle, from: In<Handle>, to: In<Handle>, _edges: Address, count: usize,
    ) {
        cudaGraphAddDependencies(graph, from, to, count)
    }

    same fn cuGraphRemoveDependencies(
        graph: Handle, from: In<Handle>, to: In<Handle>, count: usize,
    ) {
        cudaGraphRemoveDependencies(graph, from, to, count)
    }

    same fn cuGraphNodeGetType(node: Handle, out: Out<i32>) {
        cudaGraphNodeGetType(node, out)
    }

    same fn cuGraphDestroyNode(node: Handle) {
        cudaGraphDestroyNode(node)
    }

}
