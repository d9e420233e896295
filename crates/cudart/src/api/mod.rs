//! The C side: one function per entry of the runtime API, exported as
//! `upset_<name>`. A function is one entry in an `api!` list of the file of
//! its area; the [`names`] of all of them are what the facades offer.

pub(crate) mod array;
mod call;
pub(crate) mod copy2d;
pub(crate) mod device;
mod entry;
mod error;
pub(crate) mod function;
pub(crate) mod graph;
pub(crate) mod graph_edge;
pub(crate) mod graph_node;
pub(crate) mod hint;
pub(crate) mod host;
pub(crate) mod launch;
mod library;
pub(crate) mod logs;
mod memory;
pub(crate) mod pool;
mod registration;
pub(crate) mod stream;
pub(crate) mod surface;
mod symbol;
pub(crate) mod texture;

pub use call::missing;
pub(crate) use call::{keeping_last_error, net};

/// Every function of the API that exists here.
pub fn names() -> impl Iterator<Item = &'static str> {
    let all: [&[&str]; 21] = [
        array::NAMES,
        copy2d::NAMES,
        device::NAMES,
        entry::NAMES,
        error::NAMES,
        function::NAMES,
        graph::NAMES,
        graph_edge::NAMES,
        graph_node::NAMES,
        hint::NAMES,
        host::NAMES,
        launch::NAMES,
        library::NAMES,
        logs::NAMES,
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
