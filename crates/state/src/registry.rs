//! The list of all arrays, made by walking the machine.

use crate::{ArrayId, Bits, Layout};

/// Walks arrays.
pub trait Visitor {
    /// Is this array of interest? Arrays that are not are skipped before their
    /// layout is made.
    fn wants(&self, id: ArrayId) -> bool;
    /// An array of interest.
    fn array(&mut self, layout: &Layout, bits: &mut dyn Bits);
}

/// A component that has arrays.
pub trait Visit {
    /// Shows every array to `v`, always in the same order.
    fn visit(&mut self, v: &mut dyn Visitor);
}

/// Layouts of all arrays of a machine, in visiting order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registry {
    /// The arrays.
    pub arrays: Vec<Layout>,
}

impl Registry {
    /// Walks a machine.
    pub fn of(machine: &mut dyn Visit) -> Registry {
        struct List(Vec<Layout>);
        impl Visitor for List {
            fn wants(&self, _: ArrayId) -> bool {
                true
            }
            fn array(&mut self, layout: &Layout, bits: &mut dyn Bits) {
                debug_assert_eq!(layout.bits(), bits.len(), "{}:{}", layout.kind, layout.path);
                self.0.push(layout.clone());
            }
        }
        let mut list = List(Vec::new());
        machine.visit(&mut list);
        Registry { arrays: list.0 }
    }

    /// The layout of an array.
    pub fn layout(&self, id: ArrayId) -> Option<&Layout> {
        self.arrays.iter().find(|l| l.id == id)
    }

    /// Bits of all arrays of a kind name (`rf`, `l2`), of all parts.
    pub fn bits(&self, kind: &str) -> u64 {
        self.arrays.iter().filter(|l| l.kind == kind).map(Layout::bits).sum()
    }
}

/// Does something to one array's bits; `None` when the machine has no such array.
pub fn with_array<R>(
    machine: &mut dyn Visit,
    id: ArrayId,
    f: impl FnOnce(&mut dyn Bits) -> R,
) -> Option<R> {
    find_array(|v| machine.visit(v), id, |_, bits| f(bits))
}

/// Does something with one array of those that `visit` shows.
pub fn find_array<R>(
    visit: impl FnOnce(&mut dyn Visitor),
    id: ArrayId,
    f: impl FnOnce(&Layout, &mut dyn Bits) -> R,
) -> Option<R> {
    struct One<F, R> {
        id: ArrayId,
        f: Option<F>,
        result: Option<R>,
    }
    impl<R, F: FnOnce(&Layout, &mut dyn Bits) -> R> Visitor for One<F, R> {
        fn wants(&self, id: ArrayId) -> bool {
            id == self.id && self.f.is_some()
        }
        fn array(&mut self, layout: &Layout, bits: &mut dyn Bits) {
            if let Some(f) = self.f.take() {
                self.result = Some(f(layout, bits));
            }
        }
    }
    let mut one = One { id, f: Some(f), result: None };
    visit(&mut one);
    one.result
}
