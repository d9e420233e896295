//! Tests of the instruction set of Southern Islands.

mod any_words;
mod app_sdk;
mod app_sdk_builder;
mod app_sdk_damage;
mod code_objects;
mod deviations;
mod llvm_mc;
mod oracle;
mod random;
mod scalar;
mod table;
mod text;
mod uses;
mod vector;
mod vop1_vopc;
mod wave;
