//! What looking costs.

use std::time::{Duration, Instant};

/// The processor time of a piece of work of this thread. Where the system does not
/// tell it, the time that went by, which counts waiting for others too.
pub struct Cost {
    begun: Instant,
    used: Option<Duration>,
}

impl Cost {
    /// From now on.
    pub fn begin() -> Cost {
        Cost { begun: Instant::now(), used: used() }
    }

    /// Since the beginning.
    pub fn so_far(&self) -> Duration {
        match (self.used, used()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => self.begun.elapsed(),
        }
    }
}

/// What this thread has used so far.
fn used() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_costs_no_more_than_the_time_and_work_costs_something() {
        let cost = Cost::begin();
        std::thread::sleep(Duration::from_millis(5));
        assert!(cost.so_far() <= cost.begun.elapsed());
        let mut sum = 0u64;
        while cost.begun.elapsed() < Duration::from_secs(60) && cost.so_far().is_zero() {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(!cost.so_far().is_zero());
    }
}
