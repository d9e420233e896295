//! Bit-cycles: by launch, and over the time of the run.

use crate::questions::Questions;

/// Pieces of time that a timeline is kept in.
const PIECES: usize = 1024;

/// When launches began, and of which kernels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Launches {
    /// First cycle of each launch; the last entry may be time after a launch
    /// that no launch has taken yet.
    starts: Vec<u64>,
    /// Kernel of each; none for time after the last launch.
    kernels: Vec<Option<u32>>,
    /// Names of kernels in the order of their first launch.
    pub(crate) names: Vec<String>,
}

impl Launches {
    /// A kernel begins.
    pub(crate) fn begin(&mut self, cycle: u64, kernel: &str) {
        let known = self.names.iter().position(|n| n == kernel);
        let number = known.unwrap_or_else(|| {
            self.names.push(kernel.to_string());
            self.names.len() - 1
        });
        self.open(cycle);
        if let Some(last) = self.kernels.last_mut() {
            *last = Some(number as u32);
        }
    }

    /// The launch before, if any, is over: what follows is nobody's, or belongs
    /// to the launch that begins at this cycle.
    pub(crate) fn open(&mut self, cycle: u64) {
        if self.kernels.last().is_none_or(Option::is_some) {
            self.starts.push(cycle);
            self.kernels.push(None);
        }
    }

    /// Whether no kernel has begun.
    pub(crate) fn before_first(&self) -> bool {
        self.names.is_empty()
    }

    /// The kernel that runs.
    pub(crate) fn kernel(&self) -> u32 {
        self.kernels.iter().rev().flatten().next().copied().unwrap_or(0)
    }

    /// First cycle of the newest launch.
    pub(crate) fn start(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    fn at(&self, cycle: u64) -> usize {
        match self.starts.last() {
            Some(&last) if cycle >= last => self.starts.len() - 1,
            _ => self.starts.partition_point(|&s| s <= cycle).saturating_sub(1),
        }
    }

    /// Kernel and length of each launch of a run of `end` cycles.
    pub(crate) fn spans(&self, end: u64) -> impl Iterator<Item = (Option<u32>, u64)> {
        let ends = self.starts.iter().skip(1).copied().chain([end]);
        self.starts
            .iter()
            .zip(ends)
            .zip(&self.kernels)
            .map(|((&s, e), &k)| (k, e.saturating_sub(s)))
    }

    /// Cycles of each kernel.
    pub(crate) fn cycles(&self, end: u64) -> Vec<u64> {
        let mut cycles = vec![0; self.names.len()];
        for (kernel, length) in self.spans(end) {
            if let Some(kernel) = kernel {
                cycles[kernel as usize] += length;
            }
        }
        cycles
    }
}

/// A sum of bit-cycles.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    /// By launch: from spans that begin or end in it.
    parts: Vec<u64>,
    /// By launch: bits of spans that cover all of it, as differences to the one before.
    whole: Vec<i64>,
    /// The newest cycle that was seen, and its bits. The last cycle of a launch is
    /// the first one of the next, so whose it is shows only later.
    newest: (u64, u64),
    /// Cycles of a piece of the timeline.
    width: u64,
    piece_parts: Vec<u64>,
    piece_whole: Vec<i64>,
    /// What is asked about the bits that are summed here.
    pub(crate) questions: Questions,
}

impl Default for Tally {
    fn default() -> Tally {
        Tally {
            parts: Vec::new(),
            whole: Vec::new(),
            newest: (0, 0),
            width: 1,
            piece_parts: vec![0; PIECES],
            piece_whole: vec![0; PIECES + 1],
            questions: Questions::default(),
        }
    }
}

impl Tally {
    /// `bits` bits from cycle `from` to before cycle `to`.
    #[inline]
    pub(crate) fn add(&mut self, launches: &Launches, from: u64, to: u64, bits: u64) {
        if from >= to || bits == 0 {
            return;
        }
        while to > self.width * PIECES as u64 {
            self.widen();
        }
        let (a, b) = ((from / self.width) as usize, ((to - 1) / self.width) as usize);
        if a == b {
            self.piece_parts[a] += bits * (to - from);
        } else {
            self.piece_parts[a] += bits * ((a as u64 + 1) * self.width - from);
            self.piece_parts[b] += bits * (to - b as u64 * self.width);
            self.piece_whole[a + 1] += bits as i64;
            self.piece_whole[b] -= bits as i64;
        }
        let last = to - 1;
        if last < self.newest.0 {
            return self.add_to_launches(launches, from, to, bits);
        }
        if last > self.newest.0 {
            let (cycle, bits) = std::mem::replace(&mut self.newest, (last, 0));
            self.add_to_launches(launches, cycle, cycle + 1, bits);
        }
        self.newest.1 += bits;
        self.add_to_launches(launches, from, last, bits);
    }

    fn add_to_launches(&mut self, launches: &Launches, from: u64, to: u64, bits: u64) {
        if from >= to || bits == 0 {
            return;
        }
        if self.parts.len() < launches.starts.len() {
            self.parts.resize(launches.starts.len(), 0);
            self.whole.resize(launches.starts.len() + 1, 0);
        }
        let (a, b) = (launches.at(from), launches.at(to - 1));
        if a == b {
            self.parts[a] += bits * (to - from);
        } else {
            self.parts[a] += bits * (launches.starts[a + 1] - from);
            self.parts[b] += bits * (to - launches.starts[b]);
            self.whole[a + 1] += bits as i64;
            self.whole[b] -= bits as i64;
        }
    }

    /// Bit-cycles of each piece.
    fn pieces(&self) -> impl Iterator<Item = u64> {
        let whole = self.piece_whole.iter().scan(0, |sum, d| {
            *sum += d;
            Some(*sum as u64 * self.width)
        });
        self.piece_parts.iter().zip(whole).map(|(part, whole)| part + whole)
    }

    fn widen(&mut self) {
        let pieces: Vec<u64> = self.pieces().collect();
        self.piece_whole.fill(0);
        self.piece_parts.fill(0);
        for (i, bits) in pieces.into_iter().enumerate() {
            self.piece_parts[i / 2] += bits;
        }
        self.width *= 2;
    }

    /// Bit-cycles of each kernel in a run of `end` cycles.
    pub(crate) fn by_kernel(&self, launches: &Launches, end: u64) -> Vec<u64> {
        let mut sums = vec![0; launches.names.len()];
        let mut bits = 0;
        for (i, (kernel, length)) in launches.spans(end).enumerate() {
            bits += self.whole.get(i).copied().unwrap_or(0);
            let part = self.parts.get(i).copied().unwrap_or(0);
            if let Some(kernel) = kernel {
                sums[kernel as usize] += part + bits as u64 * length;
            }
        }
        let (cycle, bits) = self.newest;
        let last = launches.kernels.get(launches.at(cycle)).copied().flatten();
        if let Some(kernel) = last.filter(|_| cycle < end) {
            sums[kernel as usize] += bits;
        }
        sums
    }

    /// Mean bits in each of `buckets` equal parts of a run of `end` cycles.
    pub(crate) fn timeline(&self, end: u64, buckets: usize) -> Vec<f64> {
        let mut sums = vec![0.0; buckets];
        let width = end as f64 / buckets as f64;
        for (i, bits) in self.pieces().enumerate() {
            let (from, to) = (i as u64 * self.width, ((i as u64 + 1) * self.width).min(end));
            if bits == 0 || from >= to {
                continue;
            }
            let density = bits as f64 / (to - from) as f64;
            let (first, last) = (from as f64 / width, to as f64 / width);
            for bucket in first as usize..(last.ceil() as usize).min(buckets) {
                let overlap = last.min(bucket as f64 + 1.0) - first.max(bucket as f64);
                sums[bucket] += density * overlap.max(0.0);
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn launches(starts: &[u64]) -> Launches {
        let mut l = Launches::default();
        for (i, &s) in starts.iter().enumerate() {
            l.begin(s, if i % 2 == 0 { "even" } else { "odd" });
        }
        l
    }

    proptest! {
        #[test]
        fn bit_cycles_fall_to_the_launch_they_pass_in(
            spans in prop::collection::vec((0u64..3000, 0u64..3000, 1u64..40), 0..30),
            lengths in prop::collection::vec(1u64..900, 1..7),
        ) {
            let mut starts = vec![0];
            for length in &lengths {
                starts.push(starts[starts.len() - 1] + length);
            }
            let end = starts.pop().unwrap();
            let l = launches(&starts);
            let (mut tally, mut model) = (Tally::default(), vec![0u64; l.names.len()]);
            let mut total = 0;
            for (a, b, bits) in spans {
                let (from, to) = (a.min(b).min(end), a.max(b).min(end));
                tally.add(&l, from, to, bits);
                total += bits * (to - from);
                for cycle in from..to {
                    model[starts.partition_point(|&s| s <= cycle).saturating_sub(1) % 2] += bits;
                }
            }
            prop_assert_eq!(tally.by_kernel(&l, end), model);
            let line = tally.timeline(end, 8);
            let sum: f64 = line.iter().sum::<f64>() * end as f64 / 8.0;
            prop_assert!((sum - total as f64).abs() < 1e-6 * total as f64 + 1e-6);
        }
    }

    #[test]
    fn the_cycle_in_which_a_launch_ends_belongs_to_the_next() {
        let mut l = launches(&[0]);
        let mut tally = Tally::default();
        tally.add(&l, 5, 11, 2);
        l.begin(10, "next");
        tally.add(&l, 8, 11, 1);
        assert_eq!(tally.by_kernel(&l, 20), [12, 3]);
        tally.add(&l, 15, 16, 1);
        assert_eq!(tally.by_kernel(&l, 20), [12, 4]);
        assert_eq!(tally.by_kernel(&l, 15), [12, 3]);
    }

    #[test]
    fn time_after_the_last_launch_is_nobodys() {
        let mut l = launches(&[0]);
        l.open(10);
        let mut tally = Tally::default();
        tally.add(&l, 5, 11, 2);
        assert_eq!(tally.by_kernel(&l, 10), [10]);
        l.begin(10, "next");
        tally.add(&l, 10, 11, 1);
        assert_eq!(tally.by_kernel(&l, 20), [10, 3]);
    }
}
