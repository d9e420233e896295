//! Tests of the instruction set of Southern Islands.

mod any_words;
mod code_objects;
mod deviations;
mod llvm_mc;
mod oracle;
mod random;
mod table;
mod text;
