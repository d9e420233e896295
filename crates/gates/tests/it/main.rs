//! Operands and figures in the repository.

mod committed;
mod figures;
