//! Events.

use super::call::driver;
use crate::abi::{Handle, Out};
use crate::api::stream::{
    cudaEventCreateWithFlags, cudaEventDestroy, cudaEventElapsedTime, cudaEventQuery,
    cudaEventRecord, cudaEventRecordWithFlags, cudaEventSynchronize,
};

driver! {
    same fn cuEventCreate(out: Out<Handle>, flags: u32) {
        cudaEventCreateWithFlags(out, flags)
    }

    same fn cuEventDestroy_v2(event: Handle) {
        cudaEventDestroy(event)
    }

    same fn cuEventRecord(event: Handle, stream: Handle) {
        cudaEventRecord(event, stream)
    }

    same fn cuEventRecordWithFlags(event: Handle, stream: Handle, flags: u32) {
        cudaEventRecordWithFlags(event, stream, flags)
    }

    same fn cuEventSynchronize(event: Handle) {
        cudaEventSynchronize(event)
    }

    same fn cuEventQuery(event: Handle) {
        cudaEventQuery(event)
    }

    same fn cuEventElapsedTime(ms: Out<f32>, start: Handle, end: Handle) {
        cudaEventElapsedTime(ms, start, end)
    }

    same fn cuEventElapsedTime_v2(ms: Out<f32>, start: Handle, end: Handle) {
        cudaEventElapsedTime(ms, start, end)
    }
}
