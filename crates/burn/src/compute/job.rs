//! One launch of an arithmetic test over the chip: a table of operands goes in,
//! a record for each thread comes out.

use crate::chip::{AlignedTable, WarpAt, one_cta_per_sm, place_of_warp, threads_per_cta};
use crate::raw::Code;
use crate::{About, Arg, Bench, BoardError};

/// Words of a record: where its warp ran, then results.
pub const RECORD: usize = 32;
/// Words before the first result.
pub const HEAD: usize = 4;

/// A launch over the chip.
pub struct Job<'a> {
    /// Plain, and with errors made on purpose.
    pub code: Code,
    /// Kernel; with `_raw` behind it the one that stores every result.
    pub kernel: &'a str,
    /// Operands.
    pub operands: &'a AlignedTable,
    /// Sets of operands.
    pub count: u32,
    /// CTAs.
    pub ctas: u32,
}

impl Job<'_> {
    /// Signatures of every thread, `rounds` times over all operands.
    pub fn sign(&self, bench: &mut Bench<'_>, rounds: u32) -> Result<Vec<u32>, BoardError> {
        let records = self.ctas as usize * threads_per_cta(bench.board.about()) as usize;
        self.launch(bench, self.kernel, rounds, records)
    }

    /// Results of one SM's warps, one by one: a record for each set of operands
    /// and thread of a CTA.
    pub fn store(&self, bench: &mut Bench<'_>, sm: u32) -> Result<Vec<u32>, BoardError> {
        let threads = threads_per_cta(bench.board.about()) as usize;
        let kernel = format!("{}_raw", self.kernel);
        self.launch(bench, &kernel, sm, self.count as usize * threads)
    }

    /// Runs a kernel: `wanted` is the rounds of the signing one, the SM of the
    /// storing one.
    fn launch(
        &self,
        bench: &mut Bench<'_>,
        kernel: &str,
        wanted: u32,
        records: usize,
    ) -> Result<Vec<u32>, BoardError> {
        let bytes = records * RECORD * 4;
        let out = AlignedTable::new(bench.board, bytes as u64)?;
        // Nobody finds the last run's results there.
        let done = out
            .write(bench.board, &vec![0xa5; bytes])
            .and_then(|()| self.start(bench, kernel, wanted, &out))
            .and_then(|()| out.read(bench.board));
        let freed = out.free(bench.board);
        done.and_then(|words| freed.map(|()| words))
    }

    fn start(
        &self,
        bench: &mut Bench<'_>,
        kernel: &str,
        wanted: u32,
        out: &AlignedTable,
    ) -> Result<(), BoardError> {
        let about = bench.board.about().clone();
        let threads = threads_per_cta(&about);
        let mut args = vec![
            Arg::U64(self.operands.address()),
            Arg::U32(self.count),
            Arg::U32(wanted),
            Arg::U32(threads.trailing_zeros()),
            Arg::U64(out.address()),
        ];
        let image = match (bench.inject, self.code.inject) {
            (Some(i), Some(image)) => {
                let words = [i.sm, i.sub_core, about.sub_cores, i.lane, i.mask, i.period];
                args.extend(words.map(Arg::U32));
                image
            }
            _ => self.code.plain,
        };
        let module = bench.module(image)?;
        let shape = one_cta_per_sm(&about, self.ctas, threads);
        bench.board.launch(module, kernel, shape, &args)?;
        bench.board.sync()
    }
}

/// The warps of a table of records: where each ran, and its lanes' results.
pub fn warps<'r>(
    records: &'r [u32],
    about: &About,
) -> impl Iterator<Item = (Option<WarpAt>, impl Iterator<Item = &'r [u32]>)> {
    records.chunks_exact(RECORD * about.warp as usize).map(|warp| {
        let lanes = warp.chunks_exact(RECORD);
        let at = place_of_warp(lanes.clone().map(|r| [r[0], r[1], r[2], r[3]]));
        (at, lanes.map(|record| &record[HEAD..]))
    })
}
