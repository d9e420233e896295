//! What a flip makes of results.

use upset_gcn::wave::Outcome;
use upset_lanes::{Lanes, WARP};

use super::matters::Matters;
use crate::needs::Needs;

/// What a flip does: harm, harm with others, or nothing that is ever seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) alone: bool,
    pub(crate) passes: bool,
    pub(crate) slips: bool,
    /// It changes a bit that may matter.
    pub(crate) shows: bool,
}

/// Bits that differ in each lane of a half; words that nobody uses do not count.
#[derive(Clone, Debug)]
pub(crate) struct LaneEffect {
    any: Lanes,
    many: Lanes,
    alone: Lanes,
    jointly: Lanes,
}

impl LaneEffect {
    /// Nothing does.
    pub(crate) const NONE: LaneEffect =
        LaneEffect { any: [0; WARP], many: [0; WARP], alone: [0; WARP], jointly: [0; WARP] };

    /// A word that was to be `right`.
    #[inline]
    fn add(&mut self, right: &Lanes, wrong: &Lanes, alone: &Lanes, jointly: &Lanes) {
        for l in 0..WARP {
            let used = if jointly[l] != 0 { !0 } else { 0 };
            let diff = (right[l] ^ wrong[l]) & used;
            let again = if self.any[l] != 0 { diff } else { 0 };
            self.many[l] |= diff & diff.wrapping_sub(1) | again;
            self.any[l] |= diff;
            self.alone[l] |= diff & alone[l];
            self.jointly[l] |= diff & jointly[l];
        }
    }

    /// What the differences of one half are.
    pub(crate) fn of(half: usize, right: &Outcome, wrong: &Outcome, m: &Matters) -> LaneEffect {
        let mut effect = LaneEffect::NONE;
        for word in 0..usize::from(right.rows.count).min(2) {
            effect.add(
                &right.vector[half].d[word],
                &wrong.vector[half].d[word],
                &m.alone[word][half],
                &m.jointly[word][half],
            );
        }
        // A bit for each lane goes to pairs of scalar registers.
        let (right, wrong) = (right.scalars.list(), wrong.scalars.list());
        let pairs = right.iter().zip(wrong).zip(&m.scalars).skip(half).step_by(2);
        for ((r, w), need) in pairs.filter(|(_, need)| need.jointly != 0) {
            let each = |bits: u32| -> Lanes { std::array::from_fn(|l| bits >> l & 1) };
            effect.add(&each(r.1), &each(w.1), &each(need.alone), &each(need.jointly));
        }
        effect
    }

    /// What that means in a lane.
    #[inline]
    pub(crate) fn verdict(&self, l: usize) -> Verdict {
        let (many, shows) = (self.many[l] != 0, self.jointly[l] != 0);
        let alone = if many { shows } else { self.alone[l] != 0 };
        Verdict {
            alone,
            passes: !many && !alone && shows,
            slips: self.any[l] != 0 && !shows,
            shows,
        }
    }

    /// Notes what it means for a bit of each lane. As [`LaneEffect::verdict`],
    /// without branches: most of the analysis is spent here.
    #[inline]
    pub(crate) fn note(&self, bit: u32, needs: &mut Needs) {
        for l in 0..WARP {
            let is = |word: u32| u32::from(word != 0);
            let (many, shows) = (is(self.many[l]), is(self.jointly[l]));
            let alone = many & shows | (many ^ 1) & is(self.alone[l]);
            needs.alone[l] |= alone << bit;
            needs.passes[l] |= (((many | alone) ^ 1) & shows) << bit;
            needs.slips[l] |= (is(self.any[l]) & (shows ^ 1)) << bit;
            needs.jointly[l] |= shows << bit;
        }
    }
}

/// The differences of all results together.
pub(crate) fn whole(right: &Outcome, wrong: &Outcome, m: &Matters) -> Verdict {
    let (mut any, mut many, mut alone, mut shows) = (false, false, false, false);
    let mut add = |diff: u32, need_alone: u32, need_jointly: u32| {
        if need_jointly != 0 && diff != 0 {
            many |= any || !diff.is_power_of_two();
            any = true;
            alone |= diff & need_alone != 0;
            shows |= diff & need_jointly != 0;
        }
    };
    for word in 0..usize::from(right.rows.count).min(2) {
        for half in 0..2 {
            for l in (0..WARP).filter(|l| right.rows.lanes[half] >> l & 1 == 1) {
                let diff = right.vector[half].d[word][l] ^ wrong.vector[half].d[word][l];
                add(diff, m.alone[word][half][l], m.jointly[word][half][l]);
            }
        }
    }
    let scalars = right.scalars.list().iter().zip(wrong.scalars.list());
    for ((r, w), need) in scalars.zip(&m.scalars) {
        add(r.1 ^ w.1, need.alone, need.jointly);
    }
    // Another way is harm in any case.
    let strays = right.next != wrong.next;
    let alone = strays || if many { shows } else { alone };
    Verdict { alone, passes: !many && !alone && shows, slips: any && !shows, shows }
}
