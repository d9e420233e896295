//! Texture objects and texture references.

use super::call::api;
use crate::abi::{
    Address, ChannelDesc, Handle, In, Out, ResourceDesc, ResourceViewDesc, TextureDesc,
    TextureDescV2, TextureReference,
};
use crate::error::{Error, Result};
use crate::runtime::{Runtime, TextureObject};

fn create(
    rt: &mut Runtime,
    out: Out<u64>,
    resource: In<ResourceDesc>,
    texture: TextureDescV2,
    view: In<ResourceViewDesc>,
) -> Result<()> {
    if out.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    let view = if view.is_null() { None } else { Some(view.get()?) };
    out.set(rt.make_texture(TextureObject { resource: resource.get()?, texture, view })?)
}

api! {
    // From CUDA 12 on the descriptor has one more field at its end, for cubes
    // whose edges are filtered across, which we do not do anyway.
    sync fn cudaCreateTextureObject(
        out: Out<u64>, resource: In<ResourceDesc>, texture: In<TextureDesc>,
        view: In<ResourceViewDesc>,
    ) |rt| {
        let texture = TextureDescV2 { first: texture.get()?, seamless_cubemap: 0 };
        create(rt, out, resource, texture, view)
    }

    sync fn cudaCreateTextureObject_v2(
        out: Out<u64>, resource: In<ResourceDesc>, texture: In<TextureDescV2>,
        view: In<ResourceViewDesc>,
    ) |rt| {
        create(rt, out, resource, texture.get()?, view)
    }

    sync fn cudaDestroyTextureObject(texture: u64) |rt| {
        rt.forget_texture(texture)
    }

    sync fn cudaGetTextureObjectResourceDesc(out: Out<ResourceDesc>, texture: u64) |rt| {
        out.set(rt.texture(texture)?.resource)
    }

    sync fn cudaGetTextureObjectTextureDesc(out: Out<TextureDesc>, texture: u64) |rt| {
        out.set(rt.texture(texture)?.texture.first)
    }

    sync fn cudaGetTextureObjectTextureDesc_v2(out: Out<TextureDescV2>, texture: u64) |rt| {
        out.set(rt.texture(texture)?.texture)
    }

    sync fn cudaGetTextureObjectResourceViewDesc(out: Out<ResourceViewDesc>, texture: u64) |rt| {
        out.set(rt.texture(texture)?.view.ok_or(Error::INVALID_VALUE)?)
    }

    sync fn cudaBindTexture(
        offset: Out<usize>, reference: In<TextureReference>, at: Address,
        channels: In<ChannelDesc>, bytes: usize,
    ) |rt| {
        let to = ResourceDesc::linear(at, channels.get()?, bytes);
        let says = reference.get()?;
        let bytes = rt.bind_memory(reference.address(), &says, to, !offset.is_null())?;
        offset.set_if_wanted(bytes as usize);
        Ok(())
    }

    sync fn cudaBindTexture2D(
        offset: Out<usize>, reference: In<TextureReference>, at: Address,
        channels: In<ChannelDesc>, width: usize, height: usize, pitch: usize,
    ) |rt| {
        let to = ResourceDesc::rows(at, channels.get()?, [width, height, pitch]);
        let says = reference.get()?;
        let bytes = rt.bind_memory(reference.address(), &says, to, !offset.is_null())?;
        offset.set_if_wanted(bytes as usize);
        Ok(())
    }

    sync fn cudaBindTextureToArray(
        reference: In<TextureReference>, array: Handle, _channels: In<ChannelDesc>,
    ) |rt| {
        rt.bind(reference.address(), &reference.get()?, ResourceDesc::array(array))
    }

    sync fn cudaBindTextureToMipmappedArray(
        reference: In<TextureReference>, mipmaps: Handle, _channels: In<ChannelDesc>,
    ) |rt| {
        rt.bind(reference.address(), &reference.get()?, ResourceDesc::mipmaps(mipmaps))
    }

    sync fn cudaUnbindTexture(reference: In<TextureReference>) |rt| {
        rt.unbind(reference.address())
    }

    sync fn cudaGetTextureAlignmentOffset(
        out: Out<usize>, reference: In<TextureReference>,
    ) |rt| {
        out.set(rt.texture_offset(reference.address())? as usize)
    }

    sync fn cudaGetTextureReference(out: Out<Address>, symbol: Address) |rt| {
        rt.texture_reference(symbol)?;
        out.set(symbol)
    }
}
