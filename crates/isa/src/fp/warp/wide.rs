//! Warp-wide operations with the widest vectors of the processor.

use std::marker::PhantomData;
use upset_lanes::{Work, widest};

use crate::{Results, Sources};

/// What an [`AluFn`](crate::AluFn) does, in a form that can be compiled for several
/// processors. As with [`Work`], everything in its loops has to be inlined.
pub(super) trait WideOp {
    /// Does it. `FUSED`: see [`Work::run`].
    fn run<const FUSED: bool>(m: u32, s: &Sources<'_>, r: &mut Results);
}

struct Call<'a, O> {
    m: u32,
    s: &'a Sources<'a>,
    r: &'a mut Results,
    what: PhantomData<O>,
}

impl<O: WideOp> Work for Call<'_, O> {
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        O::run::<FUSED>(self.m, self.s, self.r);
    }
}

/// `O` as an [`AluFn`](crate::AluFn).
pub(super) fn wide<O: WideOp>(m: u32, s: &Sources<'_>, r: &mut Results) {
    #[cfg(test)]
    let narrow = {
        let mut narrow = r.clone();
        O::run::<false>(m, s, &mut narrow);
        narrow
    };
    widest(Call::<O> { m, s, r, what: PhantomData });
    // Every test of such an operation compares both ways.
    #[cfg(test)]
    for i in (0..crate::WARP).filter(|i| s.active >> i & 1 != 0) {
        assert_eq!(r.d.map(|row| row[i]), narrow.d.map(|row| row[i]), "lane {i}");
    }
}
