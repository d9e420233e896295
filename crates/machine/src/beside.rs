//! Cores that run ahead of each other in several threads of the host. Each sees
//! what is below as it is when all begin, and sends through a doorway of its own;
//! what was sent is put in order afterwards as if they had gone one after the
//! other, so that nobody can tell which way they went.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use upset_mem::{Below, MemorySystem};
use upset_state::Probe;

use crate::core::{Core, Cx};
use crate::lead::Lead;
use crate::stretch::{Doings, Until, run_one};

/// What all of them work with.
pub(crate) struct Launch<'k, C: Core> {
    pub now: u64,
    pub kernel: &'k C::Kernel,
    pub prepared: &'k C::Prepared,
    pub config: &'k C::Config,
}

/// Lets those of some cores that need not wait run. False: there are too few, or
/// somebody watches who must see all of them, and none has run.
#[allow(clippy::too_many_arguments)]
pub(crate) fn run<C: Core, P: Probe>(
    busy: &[usize],
    cores: &mut [C],
    ahead: &mut [Lead],
    mem: &mut MemorySystem,
    until: Until,
    launch: &Launch<'_, C>,
    all: &mut Doings<C::Trap>,
    silent: fn() -> Option<P>,
) -> bool {
    if silent().is_none() {
        return false;
    }
    let mut chosen = busy.iter().copied().peekable();
    let mut runners = Vec::with_capacity(busy.len());
    for (i, (core, lead)) in cores.iter_mut().zip(&mut *ahead).enumerate() {
        if chosen.next_if_eq(&i).is_some() && !lead.waits {
            runners.push((i, core, lead));
        }
    }
    if runners.len() < 2 {
        return false;
    }
    let opened: Vec<usize> = runners.iter().map(|(i, ..)| *i).collect();
    runners.iter_mut().for_each(|(i, _, lead)| mem.open(*i, &mut lead.door));
    let below = &*mem;
    let done: Vec<Doings<C::Trap>> = runners
        .into_par_iter()
        .map(|(i, core, lead)| {
            let mut own = Doings::new(launch.now);
            let (mut door, mut out) =
                (std::mem::take(&mut lead.door), std::mem::take(&mut lead.out));
            if let Some(mut probe) = silent() {
                let Launch { now, kernel, prepared, config } = *launch;
                let mut cx = Cx {
                    now,
                    kernel,
                    prepared,
                    config,
                    mem: Below::Beside(below, &mut door),
                    probe: &mut probe,
                    out: &mut out,
                    trace: None,
                    witness: None,
                    slow: false,
                };
                run_one(i, core, lead, until, &mut own, &mut cx);
            }
            (lead.door, lead.out) = (door, out);
            own
        })
        .collect();
    done.into_iter().for_each(|own| all.add(own));
    opened.into_iter().for_each(|i| mem.close(&mut ahead[i].door));
    true
}
