//! Other simulators' configurations.
