//! The driver API, `libcuda`: the C side, as [`crate::api`] is that of the runtime.
//! A function is one entry in a `driver!` list of the file of its area, under the
//! name that the library has for it (`cuMemAlloc_v2`); what it means is in
//! `runtime`, for both.

mod array;
mod call;
mod context;
mod copy;
mod copy_box;
mod device;
mod error_names;
mod event;
mod fill;
mod function;
mod graph;
mod graph_asked;
mod graph_nodes;
mod launch;
mod link;
mod memory;
mod module;
mod pointer;
mod pool;
mod start;
mod stream;
mod texture;
mod virtual_memory;

/// Every function of the driver API that exists here.
pub fn names() -> impl Iterator<Item = &'static str> {
    let all: [&[&str]; 21] = [
        array::NAMES,
        context::NAMES,
        copy::NAMES,
        copy_box::NAMES,
        device::NAMES,
        event::NAMES,
        fill::NAMES,
        function::NAMES,
        graph::NAMES,
        graph_asked::NAMES,
        graph_nodes::NAMES,
        launch::NAMES,
        link::NAMES,
        memory::NAMES,
        module::NAMES,
        pointer::NAMES,
        pool::NAMES,
        start::NAMES,
        stream::NAMES,
        texture::NAMES,
        virtual_memory::NAMES,
    ];
    all.into_iter().flatten().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_is_one_of_the_library() {
        let exported = crate::driver_symbols::exported();
        for name in names() {
            assert!(exported.iter().any(|e| e == name), "{name}");
        }
    }

    #[test]
    fn no_function_is_there_twice() {
        let mut all: Vec<&str> = names().collect();
        all.sort_unstable();
        assert!(all.windows(2).all(|w| w[0] != w[1]));
    }
}
