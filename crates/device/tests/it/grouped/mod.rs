//! Both engines run code of the shape that sm_35 has: groups with control words,
//! a stack, condition codes, a scoreboard, locks on shared memory. The
//! instructions are put together by hand; what decoders make of words is not at
//! stake here.

mod assembler;
mod codes;
mod flow;
mod machines;
mod memory;
mod rates;
