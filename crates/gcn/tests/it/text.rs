//! The text of some instructions, by hand.
