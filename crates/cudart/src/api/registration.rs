//! What the compiler's start-up code calls.

use super::call::api;
use crate::abi::{Address, In, Out, Text};
use crate::runtime::registry::{self, Entry, ManagedVariable, Wrapper};
use crate::runtime::session;

/// Handles are indices from one, so that none is null.
fn handle(binary: usize) -> u64 {
    binary as u64 + 1
}

fn binary(handle: u64) -> usize {
    (handle as usize).wrapping_sub(1)
}

fn entry(of: u64, name: Text) -> Entry {
    Entry { binary: binary(of), name: name.get().unwrap_or_default() }
}

api! {
    raw fn __cudaRegisterFatBinary(wrapper: In<Wrapper>) -> u64 {
        handle(registry::with(|r| r.add(wrapper)))
    }

    raw fn __cudaRegisterFatBinaryEnd(_binary: u64) -> () {}

    raw fn __cudaUnregisterFatBinary(of: u64) -> () {
        registry::with(|r| r.remove(binary(of)));
    }

    raw fn __cudaRegisterFunction(
        of: u64, host: Address, _device_fun: Text, name: Text, _thread_limit: i32,
        _tid: Address, _bid: Address, _block: Address, _grid: Address, _warp_size: Address,
    ) -> () {
        registry::with(|r| r.functions.insert(host.0, entry(of, name)));
    }

    raw fn __cudaRegisterVar(
        of: u64, host: Address, _device_address: Text, name: Text, _ext: i32, _size: usize,
        _constant: i32, _global: i32,
    ) -> () {
        registry::with(|r| r.variables.insert(host.0, entry(of, name)));
    }

    raw fn __cudaRegisterManagedVar(
        of: u64, pointer: Address, _device_address: Text, name: Text, _ext: i32, size: usize,
        _constant: i32, _global: i32,
    ) -> () {
        registry::with(|r| {
            let entry = entry(of, name);
            r.variables.insert(pointer.0, entry.clone());
            r.managed.push(ManagedVariable { pointer, entry, bytes: size as u64 });
        });
    }

    // Of texture and surface references, the name comes as C++ writes it; the
    // device's own name stands where other registrations have an address.
    raw fn __cudaRegisterTexture(
        of: u64, host: Address, name: Text, _cpp_name: Text, _dim: i32,
        normalized: i32, _ext: i32,
    ) -> () {
        registry::with(|r| {
            r.textures.insert(host.0, entry(of, name));
            if normalized != 0 {
                r.normalized_reads.insert(host.0);
            }
        });
    }

    raw fn __cudaRegisterSurface(
        of: u64, host: Address, name: Text, _cpp_name: Text, _dim: i32, _ext: i32,
    ) -> () {
        registry::with(|r| r.surfaces.insert(host.0, entry(of, name)));
    }

    raw fn __cudaRegisterHostVar(_of: u64, _name: Text, _host: Address, _size: usize) -> () {}

    raw fn __cudaInitModule(of: u64) -> i8 {
        let ready = session::with(|rt| {
            rt.load_registered();
            rt.place_managed(binary(of));
            Ok(())
        });
        ready.is_ok() as i8
    }

    raw fn __cudaGetKernel(out: Out<Address>, host: Address) -> i32 {
        out.set_if_wanted(host);
        0
    }
}
