//! Conditions of comparisons.

use crate::Mask;

/// A comparison, one bit per outcome: less, equal, greater, unordered.
///
/// The four-bit encoding of `FSETP` is exactly this truth table
/// (F LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cond(pub u8);

impl Cond {
    /// Never.
    pub const F: Cond = Cond(0);
    /// Less.
    pub const LT: Cond = Cond(1);
    /// Equal.
    pub const EQ: Cond = Cond(2);
    /// Greater.
    pub const GT: Cond = Cond(4);
    /// Unordered.
    pub const NAN: Cond = Cond(8);
    /// Always.
    pub const T: Cond = Cond(15);

    /// Evaluates the condition from the three ordered outcomes.
    #[inline]
    pub fn holds(self, lt: bool, eq: bool, gt: bool) -> bool {
        let outcome =
            u8::from(lt) | u8::from(eq) << 1 | u8::from(gt) << 2 | u8::from(!(lt | eq | gt)) << 3;
        self.0 & outcome != 0
    }

    /// Evaluates the condition for all lanes from those with each ordered outcome.
    #[inline]
    pub fn of_masks(self, lt: Mask, eq: Mask, gt: Mask) -> Mask {
        let outcomes = [lt, eq, gt, !(lt | eq | gt)];
        let wanted = outcomes.iter().enumerate().filter(|(k, _)| self.0 >> k & 1 != 0);
        wanted.fold(0, |all, (_, outcome)| all | outcome)
    }
}
