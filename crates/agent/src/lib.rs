//! What works inside the process of a program that runs on the model, whatever
//! the API is that it calls the device by.
//!
//! The environment says which device to make ([`config`]); an order says what to
//! break in it and what to find out ([`order`]); what happens is told, record by
//! record, to the `upset` that launched the program ([`report`]). Where that one
//! asks for a [`walk`] of the fault-free run, the process is forked wherever
//! another run must leave it ([`split`]).

#![allow(unsafe_code)]

pub mod config;
pub mod order;
pub mod owner;
pub mod report;
pub mod say;
pub mod split;
pub mod walk;
