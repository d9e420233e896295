//! Streaming multiprocessors, cycle by cycle, over real arrays.
