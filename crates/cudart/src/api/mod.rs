//! The C side: one function per entry of the runtime API, exported as
//! `upset_<name>`. A function is one entry in an `api!` list of the file of
//! its area; the [`names`] of all of them are what the facades offer.

mod array;
mod call;
mod copy2d;
mod device;
mod error;
mod function;
mod graph;
mod graph_edge;
mod host;
mod launch;
mod memory;
mod pool;
mod registration;
mod stream;
mod surface;
mod symbol;
mod texture;

pub use call::missing;

/// Every function of the API that exists here.
pub fn names() -> impl Iterator<Item = &'static str> {
    let all: [&[&str]; 16] = [
        array::NAMES,
        copy2d::NAMES,
        device::NAMES,
        error::NAMES,
        function::NAMES,
        graph::NAMES,
        graph_edge::NAMES,
        host::NAMES,
        launch::NAMES,
        memory::NAMES,
        pool::NAMES,
        registration::NAMES,
        stream::NAMES,
        surface::NAMES,
        symbol::NAMES,
        texture::NAMES,
    ];
    all.into_iter().flatten().copied()
}
