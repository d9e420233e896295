//! Work on several processors whose results are taken in order: the same
//! whatever the number of processors.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

/// Simulated kernels need more than a thread's usual 2 MB.
const STACK: usize = 16 << 20;

/// Processors there are.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Does `work` for 0 up to `count` by `jobs` threads and hands the results to
/// `take`, in order. The first failure, in that order, ends it.
pub fn in_order<T: Send, E: Send>(
    count: u64,
    jobs: usize,
    work: impl Fn(u64) -> Result<T, E> + Sync,
    mut take: impl FnMut(u64, T) -> Result<(), E>,
) -> Result<(), E> {
    let (next, over) = (AtomicU64::new(0), AtomicBool::new(false));
    let (send, receive) = mpsc::channel();
    let (next, over, work) = (&next, &over, &work);
    std::thread::scope(|scope| {
        let mut started = 0;
        for _ in 0..jobs.max(1) {
            let send = send.clone();
            let body = move || {
                while !over.load(Ordering::Relaxed) {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= count || send.send((i, work(i))).is_err() {
                        break;
                    }
                }
            };
            let thread = std::thread::Builder::new().stack_size(STACK);
            started += usize::from(thread.spawn_scoped(scope, body).is_ok());
        }
        drop(send);
        let mut waiting = BTreeMap::new();
        let mut done = 0;
        let mut hear = |(i, result)| {
            waiting.insert(i, result);
            while let Some(result) = waiting.remove(&done) {
                take(done, result?)?;
                done += 1;
            }
            Ok(())
        };
        let mut all = || match started {
            // No thread to be had: this one does it.
            0 => (0..count).try_for_each(|i| hear((i, work(i)))),
            _ => receive.iter().try_for_each(&mut hear),
        };
        let found = all();
        over.store(true, Ordering::Relaxed);
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_number_of_threads() {
        for jobs in [1, 2, 7] {
            let mut taken = Vec::new();
            let done = in_order(
                50,
                jobs,
                |i| {
                    // The first ones take longest.
                    std::thread::sleep(std::time::Duration::from_micros(500 / (i + 1)));
                    Ok::<_, ()>(i * i)
                },
                |i, square| {
                    taken.push((i, square));
                    Ok(())
                },
            );
            assert_eq!(done, Ok(()));
            assert_eq!(taken, (0..50).map(|i| (i, i * i)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_first_failure_in_order_is_told() {
        for jobs in [1, 4] {
            let mut taken = 0;
            let work = |i| if i >= 10 { Err(i) } else { Ok(()) };
            let done = in_order(1000, jobs, work, |_, ()| {
                taken += 1;
                Ok(())
            });
            assert_eq!((done, taken), (Err(10), 10));
            assert_eq!(
                in_order(9, jobs, |_| Ok(()), |i, ()| if i == 3 { Err(i) } else { Ok(()) }),
                Err(3)
            );
        }
    }
}
