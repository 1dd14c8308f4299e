// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::abi;
use crate::context::Context;
use crate::failure::Failure;
use crate::value::c_string;
use std::any::Any;
use std::mem;
use std::os::raw::{c_char, c_void};
use std::panic;

/// Drops what was kept. There is no call to go with, so a panic has nobody to be reported to.
unsafe extern "C" fn release(kept: *mut c_void) {
    if let Err(payload) = panic::catch_unwind(|| drop(Box::from_raw(kept.cast::<Box<dyn Any>>()))) {
        mem::forget(payload); // it may panic again when it is dropped
    }
}

impl<'a> Context<'a> {
    /// What all providers of the plugin in this process share under a name, such as a connection: with `one_worker` in
    /// [`plugin!`](crate::plugin) those are all. The first that asks makes it; when the last provider is closed, it is
    /// dropped.
    pub fn shared<T: 'static>(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<&'a T, Failure> {
        let ext = unsafe { (self.host().extension)(self.raw(), abi::KEEP_ID.as_ptr().cast::<c_char>()) };
        let ext = unsafe { ext.cast::<abi::Keep>().as_ref() };
        let whole = ext.filter(|ext| ext.struct_size >= mem::size_of::<abi::Keep>());
        let shared = whole.and_then(|ext| ext.shared);
        let shared =
            shared.ok_or_else(|| Failure::new("this host keeps nothing for all types of a plugin"))?;
        let name = c_string(name);
        let word = unsafe { shared(self.raw(), name.as_ptr(), release) };

        if unsafe { (*word).is_null() } {
            let made: Box<dyn Any> = Box::new(make()?);
            // `make` may have asked for the same name: what stands there then stays.
            if unsafe { (*word).is_null() } {
                unsafe { *word = Box::into_raw(Box::new(made)).cast::<c_void>() };
            }
        }
        unsafe { (*word).cast::<Box<dyn Any>>().as_ref() }
            .and_then(|kept| kept.downcast_ref())
            .ok_or_else(|| Failure::new("another type of value is kept under this name"))
    }
}
