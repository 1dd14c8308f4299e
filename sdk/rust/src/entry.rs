// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::abi;
use crate::describe::forever;
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Once;

/// The plugin's descriptor, which is made when it is asked for first.
pub struct Entry {
    once: Once,
    plugin: AtomicPtr<abi::Plugin>,
}

impl Entry {
    /// Nothing yet.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Entry { once: Once::new(), plugin: AtomicPtr::new(ptr::null_mut()) }
    }

    /// What the host looks for; for [`plugin!`](crate::plugin). Null when describing panics, which the
    /// host refuses.
    pub fn get(
        &self,
        name: &str,
        version: &str,
        flags: u64,
        providers: fn() -> Vec<*const abi::RawProvider>,
    ) -> *const abi::Plugin {
        self.once.call_once(|| {
            let described = std::panic::catch_unwind(|| {
                let mut list = providers();
                list.push(ptr::null());
                Box::into_raw(Box::new(abi::Plugin {
                    struct_size: mem::size_of::<abi::Plugin>(),
                    name: forever(name),
                    version: forever(version),
                    providers: Box::leak(list.into_boxed_slice()).as_ptr(),
                    transports: ptr::null(),
                    extension: None,
                    lookups: ptr::null(),
                    facts: ptr::null(),
                    built_with: forever(env!("CARGO_PKG_VERSION")),
                    flags,
                }))
            });
            let plugin = described.unwrap_or_else(|payload| {
                mem::forget(payload); // it may panic again when it is dropped
                ptr::null_mut()
            });
            self.plugin.store(plugin, Ordering::Release);
        });
        self.plugin.load(Ordering::Acquire)
    }
}
