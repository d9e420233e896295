//! Which code is the library's own.

use std::cell::Cell;

thread_local! {
    /// How deep this thread is in our own code.
    static OURS: Cell<u32> = const { Cell::new(0) };
}

/// As long as it lives, this thread sees the real system: what the library
/// itself asks for must not move the program's clock.
pub struct Ours(());

impl Ours {
    /// From now on.
    pub fn enter() -> Ours {
        OURS.set(OURS.get() + 1);
        Ours(())
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        OURS.set(OURS.get().saturating_sub(1));
    }
}

/// Runs something of the program's from within the library.
pub fn theirs<T>(f: impl FnOnce() -> T) -> T {
    let depth = OURS.replace(0);
    let done = f();
    OURS.set(depth);
    done
}

/// Whether this thread is in our own code.
pub fn is_entered() -> bool {
    OURS.get() > 0
}

#[cfg(test)]
mod tests {
    use super::super::holding::which;
    use super::*;

    #[test]
    fn our_own_code_sees_the_real_system_and_callbacks_do_not() {
        assert_eq!(OURS.get(), 0);
        let outer = Ours::enter();
        let inner = Ours::enter();
        assert_eq!(which(), None);
        theirs(|| assert_eq!(OURS.get(), 0));
        drop(inner);
        assert_eq!(OURS.get(), 1);
        drop(outer);
        assert_eq!(OURS.get(), 0);
    }
}
