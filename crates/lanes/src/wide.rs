//! Loops over rows, compiled a second time for processors with wider vectors.

/// Work on whole rows of lanes, which gives the same bits however it is compiled.
pub trait Work {
    /// Does it. `FUSED` says that `mul_add` is one instruction here, so that work may
    /// choose between ways to the same bits. This and what it calls in its loops has
    /// to be `#[inline(always)]`, or stays as narrow as the rest of the program.
    fn run<const FUSED: bool>(self);
}

/// Does it with the widest vectors of this processor: on x86-64 those of AVX2 with
/// FMA where it has them, which only running the program tells.
#[inline]
pub fn widest<W: Work>(work: W) {
    #[cfg(target_arch = "x86_64")]
    {
        struct Fused<W>(W);

        impl<W: Work> pulp::NullaryFnOnce for Fused<W> {
            type Output = ();

            #[inline(always)]
            fn call(self) {
                self.0.run::<true>();
            }
        }

        if let Some(wide) = pulp::x86::V3::try_new() {
            return wide.vectorize(Fused(work));
        }
    }
    work.run::<{ cfg!(target_arch = "aarch64") }>();
}
