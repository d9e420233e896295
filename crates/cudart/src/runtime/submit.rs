//! Work of streams. It runs when it is put into a stream, in the order of the
//! calls: one of the orders that the API allows.

use std::sync::Arc;

use super::state::{Op, Runtime};
use crate::abi::Handle;
use crate::error::{Error, Result};

/// `cudaEventDisableTiming`.
const DISABLE_TIMING: u32 = 2;

impl Runtime {
    /// Puts work into a stream: it runs now, or becomes part of the graph that
    /// is being captured. Nothing runs on a dead device.
    pub fn submit(
        &mut self,
        stream: Handle,
        kind: i32,
        work: impl Fn(&mut Runtime) -> Result<()> + Send + Sync + 'static,
    ) -> Result<()> {
        match self.streams.get_mut(stream)?.capture {
            Some(graph) => self.capture(graph, kind, Op::Device(Arc::new(work))).map(|_| ()),
            None if self.fault.is_set() => Ok(()),
            None => work(self),
        }
    }

    /// Records an event.
    pub fn record(&mut self, event: Handle, stream: Handle) -> Result<()> {
        let capture = self.streams.get_mut(stream)?.capture;
        let now = self.now();
        let event = self.streams.events.get_mut(event)?;
        event.capture = capture;
        if capture.is_none() {
            event.cycle = Some(now);
            // From now on the host can ask for it.
            if event.flags & DISABLE_TIMING == 0 {
                self.device.tell_host(&now.to_le_bytes());
            }
        }
        Ok(())
    }

    /// Lets a stream wait for an event. Work runs in call order anyway; a
    /// stream that waits for a captured event joins the capture.
    pub fn wait(&mut self, stream: Handle, event: Handle) -> Result<()> {
        let capture = self.streams.events.get_mut(event)?.capture;
        let stream = self.streams.get_mut(stream)?;
        if let Some(graph) = capture {
            stream.capture.get_or_insert(graph);
        }
        Ok(())
    }

    /// Refuses to wait for a stream that is being captured.
    pub fn not_captured(&mut self, stream: Handle) -> Result<()> {
        match self.streams.get_mut(stream)?.capture {
            Some(_) => Err(Error::STREAM_CAPTURE_UNSUPPORTED),
            None => Ok(()),
        }
    }

    /// Milliseconds between two events, by the chip's clock.
    pub fn elapsed(&mut self, start: Handle, end: Handle) -> Result<f32> {
        let mut cycle = |event| {
            let event = self.streams.events.get_mut(event)?;
            if event.flags & DISABLE_TIMING != 0 {
                return Err(Error::INVALID_RESOURCE_HANDLE);
            }
            event.cycle.ok_or(Error::INVALID_RESOURCE_HANDLE)
        };
        let (start, end) = (cycle(start)?, cycle(end)?);
        let cycles = end as f64 - start as f64;
        if let Some(trial) = &self.trial {
            trial.told_time();
        }
        Ok((cycles / (self.device.chip().clock.core_mhz * 1e3)) as f32)
    }

    /// Adds work to a graph that is being captured: after all that came before.
    pub fn capture(&mut self, graph: Handle, kind: i32, op: Op) -> Result<Handle> {
        let last = self.graphs.graphs.get(graph)?.last().copied();
        self.graphs.add(graph, kind, op, last.into_iter().collect())
    }
}
