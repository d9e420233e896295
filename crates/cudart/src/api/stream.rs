//! Streams and events.

use super::call::{api, returns};
use crate::abi::{Address, Handle, In, Out};
use crate::error::{Error, Result};
use crate::host::theirs;
use crate::runtime::session;
use crate::runtime::{AttributeValue, Event, HIGHEST_PRIORITY, Op, Runtime, Stream, graph};

/// Numbers of `cudaLaunchAttributeID` that streams have.
const ACCESS_POLICY: i32 = 1;
const SYNCHRONIZATION_POLICY: i32 = 3;
const PRIORITY: i32 = 8;
/// `cudaSyncPolicyAuto`.
const POLICY_AUTO: u64 = 1;

/// `cudaStreamCallback_t`.
pub type StreamCallback = unsafe extern "C" fn(Handle, i32, Address);
/// `cudaHostFn_t`.
type HostFunction = unsafe extern "C" fn(Address);

fn make_stream(rt: &mut Runtime, out: Out<Handle>, flags: u32, priority: i32) -> Result<()> {
    if flags > 1 || out.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    let priority = priority.clamp(HIGHEST_PRIORITY, 0);
    out.set(rt.streams.streams.add(Stream { flags, priority, ..Stream::default() }))
}

fn make_event(rt: &mut Runtime, out: Out<Handle>, flags: u32) -> Result<()> {
    if flags > 7 || out.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    out.set(rt.streams.events.add(Event { flags, cycle: None, capture: None }))
}

/// Calls a function of the application. Our lock is not held: the function
/// belongs to the application and may take its time.
pub fn call_host(function: Address, data: Address) {
    // SAFETY: a `cudaHostFn_t` that the application handed over.
    let f: HostFunction = unsafe { std::mem::transmute(function.0 as usize) };
    // SAFETY: called with the argument that came with it, as the API says.
    theirs(|| unsafe { f(data) });
}

/// Puts a host function into a stream: called now, or kept in a graph.
fn host_function(stream: Handle, function: Address, data: Address) -> Result<()> {
    let captured = session::stream(|rt| {
        rt.flush_messages();
        match rt.streams.get_mut(stream)?.capture {
            Some(graph) => {
                let op = Op::Host { function, data };
                rt.capture(graph, graph::kind::HOST, op).map(|_| true)
            }
            None => Ok(rt.fault.is_set()),
        }
    })?;
    if !captured {
        call_host(function, data);
    }
    Ok(())
}

api! {
    sync fn cudaStreamCreate(out: Out<Handle>) |rt| {
        make_stream(rt, out, 0, 0)
    }

    sync fn cudaStreamCreateWithFlags(out: Out<Handle>, flags: u32) |rt| {
        make_stream(rt, out, flags, 0)
    }

    sync fn cudaStreamCreateWithPriority(out: Out<Handle>, flags: u32, priority: i32) |rt| {
        make_stream(rt, out, flags, priority)
    }

    sync fn cudaStreamDestroy(stream: Handle) |rt| {
        rt.streams.streams.remove(stream).map(|_| ())
    }

    sync fn cudaStreamSynchronize(stream: Handle) |rt| {
        rt.not_captured(stream)
    }

    sync fn cudaStreamQuery(stream: Handle) |rt| {
        rt.not_captured(stream)
    }

    stream fn cudaStreamWaitEvent(stream: Handle, event: Handle, _flags: u32) |rt| {
        rt.wait(stream, event)
    }

    sync fn cudaStreamGetFlags(stream: Handle, flags: Out<u32>) |rt| {
        flags.set(rt.streams.get_mut(stream)?.flags)
    }

    sync fn cudaStreamGetPriority(stream: Handle, priority: Out<i32>) |rt| {
        priority.set(rt.streams.get_mut(stream)?.priority)
    }

    sync fn cudaStreamGetId(stream: Handle, id: Out<u64>) |rt| {
        rt.streams.get_mut(stream)?;
        id.set(stream)
    }

    sync fn cudaStreamGetDevice(stream: Handle, device: Out<i32>) |rt| {
        rt.streams.get_mut(stream)?;
        device.set(0)
    }

    // Hints about caching and waiting: they are told again, and nothing else.
    stream fn cudaStreamSetAttribute(
        stream: Handle, attribute: i32, value: In<AttributeValue>,
    ) |rt| {
        let stream = rt.streams.get_mut(stream)?;
        stream.attributes.insert(attribute, value.get()?);
        Ok(())
    }

    stream fn cudaStreamGetAttribute(
        stream: Handle, attribute: i32, out: Out<AttributeValue>,
    ) |rt| {
        let stream = rt.streams.get_mut(stream)?;
        let first = |n: u64| [n, 0, 0, 0, 0, 0, 0, 0];
        out.set(match (stream.attributes.get(&attribute), attribute) {
            (Some(value), _) => *value,
            (None, SYNCHRONIZATION_POLICY) => first(POLICY_AUTO),
            (None, PRIORITY) => first(u64::from(stream.priority as u32)),
            (None, ACCESS_POLICY) => first(0),
            (None, _) => return Err(Error::INVALID_VALUE),
        })
    }

    stream fn cudaStreamCopyAttributes(to: Handle, from: Handle) |rt| {
        let attributes = rt.streams.get_mut(from)?.attributes.clone();
        rt.streams.get_mut(to)?.attributes = attributes;
        Ok(())
    }

    stream fn cudaStreamAttachMemAsync(
        stream: Handle, _at: Address, _bytes: usize, _flags: u32,
    ) |rt| {
        rt.streams.get_mut(stream).map(|_| ())
    }

    plain fn cudaStreamAddCallback(
        stream: Handle, callback: Option<StreamCallback>, data: Address, flags: u32,
    ) {
        let callback = callback.filter(|_| flags == 0).ok_or(Error::INVALID_VALUE)?;
        let status = returns("cudaStreamAddCallback", || session::sync(|rt| rt.not_captured(stream)));
        // SAFETY: the application's callback, with the arguments the API defines.
        theirs(|| unsafe { callback(stream, status, data) });
        Ok(())
    }

    plain fn cudaLaunchHostFunc(stream: Handle, function: Address, data: Address) {
        if function.0 == 0 {
            return Err(Error::INVALID_VALUE);
        }
        host_function(stream, function, data)
    }

    sync fn cudaEventCreate(out: Out<Handle>) |rt| {
        make_event(rt, out, 0)
    }

    sync fn cudaEventCreateWithFlags(out: Out<Handle>, flags: u32) |rt| {
        make_event(rt, out, flags)
    }

    sync fn cudaEventDestroy(event: Handle) |rt| {
        rt.streams.events.remove(event).map(|_| ())
    }

    stream fn cudaEventRecord(event: Handle, stream: Handle) |rt| {
        rt.record(event, stream)
    }

    stream fn cudaEventRecordWithFlags(event: Handle, stream: Handle, _flags: u32) |rt| {
        rt.record(event, stream)
    }

    sync fn cudaEventSynchronize(event: Handle) |rt| {
        rt.streams.events.get(event).map(|_| ())
    }

    sync fn cudaEventQuery(event: Handle) |rt| {
        rt.streams.events.get(event).map(|_| ())
    }

    sync fn cudaEventElapsedTime(ms: Out<f32>, start: Handle, end: Handle) |rt| {
        if ms.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        ms.set(rt.elapsed(start, end)?)
    }
}
