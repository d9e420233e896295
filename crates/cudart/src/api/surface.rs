//! Surface objects and surface references.

use super::call::api;
use crate::abi::{Address, ChannelDesc, Handle, In, Out, ResourceDesc};
use crate::error::Error;

api! {
    sync fn cudaCreateSurfaceObject(out: Out<u64>, resource: In<ResourceDesc>) |rt| {
        if out.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        out.set(rt.make_surface(resource.get()?)?)
    }

    sync fn cudaDestroySurfaceObject(surface: u64) |rt| {
        rt.forget_surface(surface)
    }

    sync fn cudaGetSurfaceObjectResourceDesc(out: Out<ResourceDesc>, surface: u64) |rt| {
        out.set(rt.surface(surface)?)
    }

    sync fn cudaBindSurfaceToArray(
        reference: Address, array: Handle, _channels: In<ChannelDesc>,
    ) |rt| {
        rt.bind_surface(reference, array)
    }

    sync fn cudaGetSurfaceReference(out: Out<Address>, symbol: Address) |rt| {
        rt.surface_reference(symbol)?;
        out.set(symbol)
    }
}
