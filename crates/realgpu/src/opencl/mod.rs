//! Any vendor's GPU through OpenCL.

pub mod api;
mod board;
mod choice;
mod errors;

pub use board::OpenClBoard;
pub use choice::Choice;
