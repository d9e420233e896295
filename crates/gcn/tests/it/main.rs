//! Tests of the instruction set of Southern Islands.

mod any_words;
mod deviations;
mod llvm_mc;
mod oracle;
mod random;
mod table;
mod text;
