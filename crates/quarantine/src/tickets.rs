//! Launches by tickets on a device: what `kernels/quarantine/ticket.cuh` needs
//! of its host.

use crate::mapping::ticket::{self, MOST_BLOCKS, Verdict};
use upset_apps::{AppError, Launcher};
use upset_device::{Args, DevPtr, Device, DeviceError, FunctionId, Launch};

/// SMs that the header's list of bad ones has room for.
pub const MOST_SMS: u32 = 256;
/// Times that a launch is made before it is given up. Each is twice as large as
/// the one before, so the last would fill a chip over and over.
const ATTEMPTS: u32 = 6;

/// Launches kernels that were compiled under tickets, so that no block runs on
/// a bad SM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tickets {
    bad: Vec<u32>,
    taken: Vec<Taken>,
}

/// Who did the blocks of one launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The kernel.
    pub kernel: String,
    /// Blocks that the program asked for.
    pub blocks: u32,
    /// CTAs that were launched, over all attempts.
    pub ctas: u32,
    /// Launches that it took.
    pub attempts: u32,
    /// Blocks done by each SM.
    pub by_sm: Vec<u32>,
}

impl Tickets {
    /// Without these SMs.
    pub fn without(bad: &[u32]) -> Tickets {
        Tickets { bad: bad.to_vec(), taken: Vec::new() }
    }

    /// The launches so far, in order.
    pub fn taken(&self) -> &[Taken] {
        &self.taken
    }

    /// The header's list: one bit for each bad SM.
    fn bitmap(&self) -> Result<[u32; MOST_SMS as usize / 32], AppError> {
        let mut words = [0; MOST_SMS as usize / 32];
        for &sm in &self.bad {
            let word = words.get_mut(sm as usize / 32);
            let far = || refused(format!("SM {sm} is beyond the {MOST_SMS} that tickets know"));
            *word.ok_or_else(far)? |= 1 << (sm % 32);
        }
        Ok(words)
    }
}

fn refused(why: String) -> AppError {
    AppError::Launcher(why)
}

impl Launcher for Tickets {
    fn launch(
        &mut self,
        device: &mut Device,
        function: FunctionId,
        launch: &Launch,
        args: &Args,
    ) -> Result<(), AppError> {
        let kernel = device.kernel(function).name;
        if launch.cooperative {
            return Err(refused(format!(
                "{kernel} is launched cooperatively: its blocks wait for each other, so they \
                 cannot be taken one after the other"
            )));
        }
        let blocks = launch.grid.iter().map(|&n| u64::from(n)).product::<u64>();
        let total = u32::try_from(blocks).ok().filter(|_| blocks <= MOST_BLOCKS);
        let total = total.ok_or_else(|| {
            refused(format!("{kernel} has {blocks} blocks, more than {MOST_BLOCKS} tickets"))
        })?;
        let bitmap = self.bitmap()?;
        let sms = device.sm_core().sm.count;
        let bad = (0..sms).filter(|sm| self.bad.contains(sm)).count() as u32;
        if bad == sms {
            return Err(refused(format!("all {sms} SMs are bad")));
        }
        let threads = launch.block.iter().product();
        let room = device.occupancy(function, threads, launch.shared_bytes).ctas_per_sm;

        let control = device.malloc(4 * (1 + bitmap.len() as u64))?;
        let done_by = device.malloc(4 * u64::from(total.max(1)))?;
        device.memset(done_by, 0, 4 * u64::from(total.max(1)))?;
        let args = args.clone().bytes(&parameter(control, done_by, launch.grid, total));
        let mut taken = Taken { kernel, blocks: total, ctas: 0, attempts: 0, by_sm: Vec::new() };
        loop {
            let ctas = ticket::ctas(total, sms, bad, room, taken.attempts);
            let words = std::iter::once(0).chain(bitmap).flat_map(u32::to_le_bytes);
            device.upload(control, &words.collect::<Vec<_>>())?;
            device.launch(function, &Launch { grid: [ctas, 1, 1], ..*launch }, &args)?;
            taken.ctas += ctas;
            taken.attempts += 1;
            let next = words_at(device, control, 1)?[0];
            match ticket::verdict(next, total) {
                Verdict::Complete => break,
                Verdict::Nothing if taken.attempts < ATTEMPTS => {}
                Verdict::Nothing => {
                    return Err(refused(format!(
                        "{}: no block was done in {ATTEMPTS} launches: no good SM was reached",
                        taken.kernel
                    )));
                }
                Verdict::Partial => {
                    return Err(refused(format!(
                        "{}: only {next} of {total} blocks were taken",
                        taken.kernel
                    )));
                }
            }
        }
        taken.by_sm = vec![0; sms as usize];
        for mark in words_at(device, done_by, total as usize)? {
            let sm = mark.checked_sub(1).and_then(|sm| taken.by_sm.get_mut(sm as usize));
            let wrong = || refused(format!("{}: a block was done by nobody", taken.kernel));
            *sm.ok_or_else(wrong)? += 1;
        }
        device.free(control)?;
        device.free(done_by)?;
        self.taken.push(taken);
        Ok(())
    }
}

/// `struct UpsetTickets` of the header.
fn parameter(control: DevPtr, done_by: DevPtr, grid: [u32; 3], total: u32) -> Vec<u8> {
    let pointers = [control.0, done_by.0].into_iter().flat_map(u64::to_le_bytes);
    let numbers = grid.into_iter().chain([total]).flat_map(u32::to_le_bytes);
    pointers.chain(numbers).collect()
}

fn words_at(device: &mut Device, at: DevPtr, count: usize) -> Result<Vec<u32>, DeviceError> {
    let mut bytes = vec![0; 4 * count];
    device.read(at, &mut bytes)?;
    Ok(bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
}
