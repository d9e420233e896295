//! Readings many times a second, beside whatever the GPU does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::api::{FieldValue, POWER_NOW, UNSIGNED};
use super::card::Card;

/// One reading, of what changes fast and is read fast.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Seconds since the trace began.
    pub at: f64,
    /// Degrees Celsius.
    pub temperature: Option<f64>,
    /// Watts now.
    pub power_now: Option<f64>,
    /// Watts as NVML averages them.
    pub power: Option<f64>,
    /// MHz of the SMs.
    pub sm_clock: Option<f64>,
}

impl Card {
    /// Reads what changes fast.
    pub fn sample(&self, at: f64) -> Sample {
        let (api, device) = (&self.api, self.device);
        let mut value = 0;
        let mut fields = [FieldValue { field: POWER_NOW, ..FieldValue::default() }];
        // SAFETY: each function writes one value to a place of its type, for a
        // device that NVML gave; there is one field.
        unsafe {
            let now = api.fields.filter(|f| f(device, 1, fields.as_mut_ptr()) == 0);
            let now = now.map(|_| fields[0]).filter(|f| f.status == 0 && f.kind == UNSIGNED);
            Sample {
                at,
                temperature: api
                    .temperature
                    .filter(|f| f(device, 0, &mut value) == 0)
                    .map(|_| f64::from(value)),
                power_now: now.map(|f| f64::from(f.value as u32) / 1000.0),
                power: api
                    .power
                    .filter(|f| f(device, &mut value) == 0)
                    .map(|_| f64::from(value) / 1000.0),
                sm_clock: api
                    .clock
                    .filter(|f| f(device, 1, &mut value) == 0)
                    .map(|_| f64::from(value)),
            }
        }
    }
}

/// A thread that reads.
pub struct Trace {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<Vec<Sample>, String>>,
}

impl Trace {
    /// Begins to read the card with that UUID.
    pub fn start(uuid: &str, every: Duration) -> Trace {
        let stop = Arc::new(AtomicBool::new(false));
        let (own, uuid) = (Arc::clone(&stop), uuid.to_string());
        let thread = std::thread::spawn(move || {
            let card = Card::open(&uuid)?;
            let begun = Instant::now();
            let mut samples = Vec::new();
            while !own.load(Ordering::Relaxed) {
                samples.push(card.sample(begun.elapsed().as_secs_f64()));
                std::thread::sleep(every);
            }
            Ok(samples)
        });
        Trace { stop, thread }
    }

    /// Ends; what was read, or why nothing could be.
    pub fn finish(self) -> Result<Vec<Sample>, String> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or_else(|_| Err("the reading thread ended".into()))
    }
}
