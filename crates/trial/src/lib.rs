//! One run with faults, seen from the process that owns the device.
