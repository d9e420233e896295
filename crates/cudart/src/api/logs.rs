//! The driver's log of errors, which a program may have itself told of. What goes
//! wrong here is told on standard error: the log stays empty.

use super::call::api;
use crate::abi::{Address, Handle, Out};
use crate::error::Error;

/// What a program that listens has in hand.
const LISTENER: Handle = 1;

api! {
    plain fn cudaLogsRegisterCallback(listen: Address, _data: Address, out: Out<Handle>) {
        if listen.0 == 0 {
            return Err(Error::INVALID_VALUE);
        }
        out.set_if_wanted(LISTENER);
        Ok(())
    }

    plain fn cudaLogsUnregisterCallback(listener: Handle) {
        match listener == LISTENER {
            true => Ok(()),
            false => Err(Error::INVALID_VALUE),
        }
    }
}
