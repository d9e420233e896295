//! Streams, and what they capture.

use super::call::driver;
use crate::abi::{Address, Handle, In, Out};
use crate::api::graph::{
    cudaStreamBeginCapture, cudaStreamBeginCaptureToGraph, cudaStreamEndCapture,
    cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo_v3,
    cudaStreamIsCapturing, cudaThreadExchangeStreamCaptureMode,
};
use crate::api::stream::{
    StreamCallback, cudaStreamAddCallback, cudaStreamAttachMemAsync, cudaStreamCopyAttributes,
    cudaStreamCreateWithFlags, cudaStreamCreateWithPriority, cudaStreamDestroy,
    cudaStreamGetAttribute, cudaStreamGetDevice, cudaStreamGetFlags, cudaStreamGetId,
    cudaStreamGetPriority, cudaStreamQuery, cudaStreamSetAttribute, cudaStreamSynchronize,
    cudaStreamWaitEvent,
};
use crate::runtime::{AttributeValue, contexts};

driver! {
    same fn cuStreamCreate(out: Out<Handle>, flags: u32) {
        cudaStreamCreateWithFlags(out, flags)
    }

    same fn cuStreamCreateWithPriority(out: Out<Handle>, flags: u32, priority: i32) {
        cudaStreamCreateWithPriority(out, flags, priority)
    }

    same fn cuStreamDestroy_v2(stream: Handle) {
        cudaStreamDestroy(stream)
    }

    same fn cuStreamSynchronize(stream: Handle) {
        cudaStreamSynchronize(stream)
    }

    same fn cuStreamQuery(stream: Handle) {
        cudaStreamQuery(stream)
    }

    same fn cuStreamWaitEvent(stream: Handle, event: Handle, flags: u32) {
        cudaStreamWaitEvent(stream, event, flags)
    }

    same fn cuStreamGetFlags(stream: Handle, flags: Out<u32>) {
        cudaStreamGetFlags(stream, flags)
    }

    same fn cuStreamGetPriority(stream: Handle, priority: Out<i32>) {
        cudaStreamGetPriority(stream, priority)
    }

    same fn cuStreamGetId(stream: Handle, id: Out<u64>) {
        cudaStreamGetId(stream, id)
    }

    same fn cuStreamGetDevice(stream: Handle, device: Out<i32>) {
        cudaStreamGetDevice(stream, device)
    }

    sync fn cuStreamGetCtx(stream: Handle, context: Out<Handle>) |rt| {
        rt.streams.get_mut(stream)?;
        context.set(contexts::current().unwrap_or(contexts::PRIMARY))
    }

    same fn cuStreamSetAttribute(stream: Handle, attribute: i32, value: In<AttributeValue>) {
        cudaStreamSetAttribute(stream, attribute, value)
    }

    same fn cuStreamGetAttribute(stream: Handle, attribute: i32, out: Out<AttributeValue>) {
        cudaStreamGetAttribute(stream, attribute, out)
    }

    same fn cuStreamCopyAttributes(to: Handle, from: Handle) {
        cudaStreamCopyAttributes(to, from)
    }

    same fn cuStreamAttachMemAsync(stream: Handle, at: Address, bytes: usize, flags: u32) {
        cudaStreamAttachMemAsync(stream, at, bytes, flags)
    }

    same fn cuStreamAddCallback(
        stream: Handle, callback: Option<StreamCallback>, data: Address, flags: u32,
    ) {
        cudaStreamAddCallback(stream, callback, data, flags)
    }

    same fn cuStreamBeginCapture(stream: Handle) {
        cudaStreamBeginCapture(stream, 0)
    }

    same fn cuStreamBeginCapture_v2(stream: Handle, mode: i32) {
        cudaStreamBeginCapture(stream, mode)
    }

    same fn cuStreamBeginCaptureToGraph(
        stream: Handle, graph: Handle, after: In<Handle>, edges: Address, count: usize, mode: i32,
    ) {
        cudaStreamBeginCaptureToGraph(stream, graph, after, edges, count, mode)
    }

    same fn cuStreamEndCapture(stream: Handle, out: Out<Handle>) {
        cudaStreamEndCapture(stream, out)
    }

    same fn cuStreamIsCapturing(stream: Handle, status: Out<i32>) {
        cudaStreamIsCapturing(stream, status)
    }

    same fn cuStreamGetCaptureInfo(stream: Handle, status: Out<i32>, id: Out<u64>) {
        cudaStreamGetCaptureInfo(stream, status, id)
    }

    same fn cuStreamGetCaptureInfo_v2(
        stream: Handle, status: Out<i32>, id: Out<u64>, graph: Out<Handle>, after: Out<Address>,
        count: Out<usize>,
    ) {
        cudaStreamGetCaptureInfo_v2(stream, status, id, graph, after, count)
    }

    same fn cuStreamGetCaptureInfo_v3(
        stream: Handle, status: Out<i32>, id: Out<u64>, graph: Out<Handle>, after: Out<Address>,
        edges: Out<Address>, count: Out<usize>,
    ) {
        cudaStreamGetCaptureInfo_v3(stream, status, id, graph, after, edges, count)
    }

    same fn cuThreadExchangeStreamCaptureMode(mode: Out<i32>) {
        cudaThreadExchangeStreamCaptureMode(mode)
    }
}
