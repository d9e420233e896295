//! A kernel of a loaded module.

use std::collections::BTreeMap;

use upset_compute::Bank;

use crate::Args;

/// A kernel ready to launch.
pub struct LoadedKernel {
    pub name: String,
    /// Byte offset of the first instruction in the program.
    pub entry: u32,
    pub registers: u32,
    /// Compute capability of its code.
    pub sm: u32,
    pub barriers: u32,
    /// Static shared bytes, the reserved ones included.
    pub shared_bytes: u32,
    pub shared_reserved: u32,
    pub params: Params,
    /// Template of constant bank 0.
    pub bank0: Vec<u8>,
    /// Address and size of bank 0, and of the kernel's own banks, in timing mode.
    pub(super) placed: BTreeMap<u8, Bank>,
    pub(super) stack: Option<u32>,
    /// Calls may go deeper than `stack`.
    pub(super) stack_open: bool,
    pub(super) fixed_local: u32,
    pub(super) banks: BTreeMap<u8, Vec<u8>>,
}

impl LoadedKernel {
    /// Local bytes per thread; `unknown` where the compiler could not tell, and at
    /// least that where it did not.
    pub fn local_bytes(&self, unknown: u32) -> u32 {
        let stack = match self.stack {
            Some(stack) if self.stack_open => stack.max(unknown),
            Some(stack) => stack,
            None => unknown,
        };
        // 16 bytes is the widest access, so threads' areas stay aligned.
        stack.saturating_add(self.fixed_local).next_multiple_of(16)
    }
}

/// Layout of a kernel's parameters.
pub struct Params {
    pub base: u32,
    pub(super) size: u32,
    /// Offset and size of each.
    pub list: Vec<(u32, u32)>,
}

impl Params {
    /// The parameter block for `args`.
    pub fn lay_out(&self, args: &Args) -> Result<Vec<u8>, String> {
        let mut block = vec![0; self.size as usize];
        if args.iter().len() != self.list.len() {
            return Err(format!(
                "it takes {} arguments, {} were given",
                self.list.len(),
                args.iter().len()
            ));
        }
        for (i, (arg, &(offset, size))) in args.iter().zip(&self.list).enumerate() {
            if arg.bytes.len() != size as usize {
                return Err(format!(
                    "argument {i} has {} bytes, the kernel expects {size}",
                    arg.bytes.len()
                ));
            }
            block
                .get_mut(offset as usize..offset as usize + size as usize)
                .ok_or_else(|| format!("argument {i} lies outside the parameter block"))?
                .copy_from_slice(&arg.bytes);
        }
        Ok(block)
    }
}
