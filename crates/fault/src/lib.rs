//! Fault models, spatial patterns, sampling, and the name of an experiment.
