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

/// The list, with a null behind it, for as long as the plugin is there; nothing for none.
fn ended<T>(mut list: Vec<*const T>) -> *const *const T {
    if list.is_empty() {
        return ptr::null();
    }
    list.push(ptr::null());
    Box::leak(list.into_boxed_slice()).as_ptr()
}

impl Entry {
    /// Nothing yet.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Entry { once: Once::new(), plugin: AtomicPtr::new(ptr::null_mut()) }
    }

    /// What the host looks for; for [`plugin!`](crate::plugin). Null when describing panics, which the
    /// host refuses.
    #[allow(clippy::too_many_arguments)]
    pub fn get(
        &self,
        name: &str,
        version: &str,
        flags: u64,
        providers: fn() -> Vec<*const abi::RawProvider>,
        lookups: fn() -> Vec<*const abi::RawLookup>,
        facts: fn() -> Vec<*const abi::RawFact>,
        transports: fn() -> Vec<*const abi::RawTransport>,
    ) -> *const abi::Plugin {
        self.once.call_once(|| {
            let described = std::panic::catch_unwind(|| {
                Box::into_raw(Box::new(abi::Plugin {
                    struct_size: mem::size_of::<abi::Plugin>(),
                    name: forever(name),
                    version: forever(version),
                    providers: ended(providers()),
                    transports: ended(transports()),
                    extension: None,
                    lookups: ended(lookups()),
                    facts: ended(facts()),
                    built_with: forever(abi::SDK_VERSION),
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
