//! Bit-cycles that matter after refinement.

use upset_state::Kind;

use crate::clock::Tally;
use crate::hot::Hot;

/// Makes [`Refined`]: a field for each kind of array that is refined.
macro_rules! refined {
    ($($field:ident: $kind:ident,)*) => {
        /// Bit-cycles that matter, by kind of array, and where they come from.
        #[derive(Debug, Default)]
        pub(crate) struct Refined {
            $(pub(crate) $field: Tally,)*
            pub(crate) hot: Hot,
        }

        impl Refined {
            /// Of one kind, where it is refined at all.
            pub(crate) fn of(&self, kind: Kind) -> Option<&Tally> {
                match kind {
                    $(Kind::$kind => Some(&self.$field),)*
                    _ => None,
                }
            }

            /// The tally of a kind, to be added to.
            pub(crate) fn of_mut(&mut self, kind: Kind) -> Option<&mut Tally> {
                match kind {
                    $(Kind::$kind => Some(&mut self.$field),)*
                    _ => None,
                }
            }

            /// All tallies.
            pub(crate) fn tallies(&self) -> impl Iterator<Item = &Tally> {
                [$(&self.$field,)*].into_iter()
            }
        }
    };
}

refined! {
    rf: Rf,
    pred: Pred,
    ureg: Ureg,
    upred: Upred,
    smem: Smem,
    vrf: Vrf,
    srf: Srf,
    lds: Lds,
    scc: Scc,
    m0: M0,
}
