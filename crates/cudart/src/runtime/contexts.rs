//! Contexts of the driver API. There is one device with one memory behind all of
//! them: a context is a name that threads have current, the primary one that of
//! the runtime API.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::abi::Handle;
use crate::error::{Error, Result};

/// The primary context.
pub const PRIMARY: Handle = 0xa000_0000;
/// Distance of handles.
const STEP: Handle = 16;

/// Contexts of the process.
struct Contexts {
    initialised: bool,
    /// How often the primary context was retained.
    retained: u32,
    /// Flags that the primary context has.
    flags: u32,
    next: Handle,
    /// Contexts that the program made, with their flags.
    made: BTreeMap<Handle, u32>,
}

static CONTEXTS: Mutex<Contexts> = Mutex::new(Contexts {
    initialised: false,
    retained: 0,
    flags: 0,
    next: PRIMARY + STEP,
    made: BTreeMap::new(),
});

thread_local! {
    /// The thread's contexts, the current one last.
    static STACK: RefCell<Vec<Handle>> = const { RefCell::new(Vec::new()) };
}

/// Does something with the thread's contexts. A thread that ends has none any more:
/// functions are still called when a process exits.
fn stack<T: Default>(f: impl FnOnce(&mut Vec<Handle>) -> T) -> T {
    STACK.try_with(|stack| f(&mut stack.borrow_mut())).unwrap_or_default()
}

fn with<T>(f: impl FnOnce(&mut Contexts) -> T) -> T {
    f(&mut CONTEXTS.lock().unwrap_or_else(|e| e.into_inner()))
}

impl Contexts {
    fn lives(&self, context: Handle) -> bool {
        context == PRIMARY || self.made.contains_key(&context)
    }
}

/// `cuInit`.
pub fn initialise() {
    with(|c| c.initialised = true);
}

/// Refuses calls before `cuInit`.
pub fn initialised() -> Result<()> {
    with(|c| if c.initialised { Ok(()) } else { Err(Error::INITIALIZATION_ERROR) })
}

/// Refuses calls of threads without a context.
pub fn needed() -> Result<()> {
    initialised()?;
    match current() {
        Some(context) if with(|c| c.lives(context)) => Ok(()),
        _ => Err(Error::INVALID_CONTEXT),
    }
}

/// The runtime API is used: it needs no initialisation, and a thread without a
/// context gets the primary one.
pub fn used_by_runtime() {
    stack(|stack| {
        if stack.is_empty() {
            stack.push(PRIMARY);
            with(|c| {
                c.initialised = true;
                c.retained = c.retained.max(1);
            });
        }
    });
}

/// The thread's current context.
pub fn current() -> Option<Handle> {
    stack(|stack| stack.last().copied())
}

/// Makes a context and makes it current.
pub fn create(flags: u32) -> Handle {
    let context = with(|c| {
        let context = c.next;
        c.next += STEP;
        c.made.insert(context, flags);
        context
    });
    stack(|stack| stack.push(context));
    context
}

/// Ends a context.
pub fn destroy(context: Handle) -> Result<()> {
    with(|c| c.made.remove(&context)).ok_or(Error::INVALID_CONTEXT)?;
    stack(|stack| {
        if stack.last() == Some(&context) {
            stack.pop();
        }
    });
    Ok(())
}

/// Puts a context on top of the thread's.
pub fn push(context: Handle) -> Result<()> {
    if !with(|c| c.lives(context)) {
        return Err(Error::INVALID_CONTEXT);
    }
    stack(|stack| stack.push(context));
    Ok(())
}

/// Takes the thread's current context away.
pub fn pop() -> Result<Handle> {
    stack(Vec::pop).ok_or(Error::INVALID_CONTEXT)
}

/// Puts a context in the place of the thread's current one; null takes it away.
pub fn set(context: Handle) -> Result<()> {
    if context != 0 && !with(|c| c.lives(context)) {
        return Err(Error::INVALID_CONTEXT);
    }
    stack(|stack| {
        stack.pop();
        if context != 0 {
            stack.push(context);
        }
    });
    Ok(())
}

/// Flags of a context.
pub fn flags(context: Handle) -> Result<u32> {
    with(|c| match context {
        PRIMARY => Ok(c.flags),
        other => c.made.get(&other).copied().ok_or(Error::INVALID_CONTEXT),
    })
}

/// Gives a context other flags.
pub fn set_flags(context: Handle, flags: u32) -> Result<()> {
    with(|c| {
        let place = match context {
            PRIMARY => &mut c.flags,
            other => c.made.get_mut(&other).ok_or(Error::INVALID_CONTEXT)?,
        };
        *place = flags;
        Ok(())
    })
}

/// Retains the primary context.
pub fn retain() -> Handle {
    with(|c| c.retained += 1);
    PRIMARY
}

/// Releases the primary context.
pub fn release() -> Result<()> {
    with(|c| {
        c.retained = c.retained.checked_sub(1).ok_or(Error::INVALID_CONTEXT)?;
        Ok(())
    })
}

/// Whether somebody retains the primary context.
pub fn is_retained() -> bool {
    with(|c| c.retained > 0)
}
