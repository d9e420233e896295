//! Memory hierarchy whose lines hold real bytes: caches, crossbar, L2, DRAM.
