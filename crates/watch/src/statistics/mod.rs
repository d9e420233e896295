//! Numbers with a proof: bounds on false alarms, drift, outliers. Smallest sets of
//! counters are in `upset_metrics::cover`.

pub mod conformal;
pub mod drift;
pub mod robust;
pub mod tolerance;
