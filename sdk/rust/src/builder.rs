// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::abi;
use crate::value::{c_string, Value};
use std::ffi::CString;
use std::marker::PhantomData;
use std::os::raw::{c_char, c_void};
use std::ptr;

/// A hash or an array of the host that is being built: `put` is of a hash, `add` of an array.
pub struct Builder<'a> {
    raw: *mut abi::Datum,
    of: PhantomData<&'a mut abi::Datum>,
}

/// What can be put into a builder.
pub trait Put {
    /// Puts it in: by key into a hash; without one it is appended to an array.
    fn put(&self, into: &mut Builder<'_>, key: Option<&str>);
}

/// A key as the host takes it: null, or a text that outlives the call.
struct Key(Option<CString>);

impl Key {
    fn new(key: Option<&str>) -> Self {
        Key(key.map(c_string))
    }

    fn as_ptr(&self) -> *const c_char {
        self.0.as_ref().map_or(ptr::null(), |key| key.as_ptr())
    }
}

impl<'a> Builder<'a> {
    pub(crate) fn from_raw(raw: *mut abi::Datum) -> Self {
        Builder { raw, of: PhantomData }
    }

    fn host(&self) -> &'a abi::Host {
        unsafe { &*(*self.raw).host }
    }

    /// What has been built so far.
    pub fn value(&self) -> Value<'_> {
        Value::from_raw(self.raw)
    }

    /// Into a hash; replaces what stood there.
    pub fn put<T: Put + ?Sized>(&mut self, key: &str, what: &T) -> &mut Self {
        what.put(self, Some(key));
        self
    }

    /// Behind the last element of an array.
    pub fn add<T: Put + ?Sized>(&mut self, what: &T) -> &mut Self {
        what.put(self, None);
        self
    }

    /// A hash within a hash.
    pub fn put_hash(&mut self, key: &str) -> Builder<'_> {
        let key = Key::new(Some(key));
        Builder::from_raw(unsafe { (self.host().put_hash)(self.raw, key.as_ptr()) })
    }

    /// An array within a hash.
    pub fn put_array(&mut self, key: &str) -> Builder<'_> {
        let key = Key::new(Some(key));
        Builder::from_raw(unsafe { (self.host().put_array)(self.raw, key.as_ptr()) })
    }

    /// A hash behind the last element of an array.
    pub fn add_hash(&mut self) -> Builder<'_> {
        Builder::from_raw(unsafe { (self.host().put_hash)(self.raw, ptr::null()) })
    }

    /// An array behind the last element of an array.
    pub fn add_array(&mut self) -> Builder<'_> {
        Builder::from_raw(unsafe { (self.host().put_array)(self.raw, ptr::null()) })
    }

    /// Bytes, which need not be UTF-8, into a hash.
    pub fn put_binary(&mut self, key: &str, bytes: &[u8]) -> &mut Self {
        let key = Key::new(Some(key));
        unsafe {
            (self.host().put_binary)(self.raw, key.as_ptr(), bytes.as_ptr().cast::<c_void>(), bytes.len());
        }
        self
    }

    /// What stands at `key` now must not be shown.
    pub fn mark_sensitive(&mut self, key: &str) -> &mut Self {
        let key = Key::new(Some(key));
        unsafe { (self.host().mark_sensitive)(self.raw, key.as_ptr()) };
        self
    }
}

impl Put for str {
    fn put(&self, into: &mut Builder<'_>, key: Option<&str>) {
        let key = Key::new(key);
        unsafe {
            (into.host().put_string)(into.raw, key.as_ptr(), self.as_ptr().cast::<c_char>(), self.len());
        }
    }
}

impl Put for String {
    fn put(&self, into: &mut Builder<'_>, key: Option<&str>) {
        self.as_str().put(into, key);
    }
}

impl Put for &str {
    fn put(&self, into: &mut Builder<'_>, key: Option<&str>) {
        (**self).put(into, key);
    }
}

impl Put for bool {
    fn put(&self, into: &mut Builder<'_>, key: Option<&str>) {
        let key = Key::new(key);
        unsafe { (into.host().put_boolean)(into.raw, key.as_ptr(), i32::from(*self)) };
    }
}

impl Put for i64 {
    fn put(&self, into: &mut Builder<'_>, key: Option<&str>) {
        let key = Key::new(key);
        unsafe { (into.host().put_integer)(into.raw, key.as_ptr(), *self) };
    }
}

impl Put for f64 {
    fn put(&self, into: &mut Builder<'_>, key: Option<&str>) {
        let key = Key::new(key);
        unsafe { (into.host().put_real)(into.raw, key.as_ptr(), *self) };
    }
}

impl Put for Value<'_> {
    fn put(&self, into: &mut Builder<'_>, key: Option<&str>) {
        let key = Key::new(key);
        if self.raw().is_null() {
            unsafe { (into.host().put_undef)(into.raw, key.as_ptr()) };
        } else {
            unsafe { (into.host().put_copy)(into.raw, key.as_ptr(), self.raw()) };
        }
    }
}

impl<T: Put> Put for Option<T> {
    fn put(&self, into: &mut Builder<'_>, key: Option<&str>) {
        match self {
            Some(what) => what.put(into, key),
            None => {
                let key = Key::new(key);
                unsafe { (into.host().put_undef)(into.raw, key.as_ptr()) };
            }
        }
    }
}

impl<T: Put> Put for [T] {
    fn put(&self, into: &mut Builder<'_>, key: Option<&str>) {
        let key = Key::new(key);
        let mut array: Builder<'_> =
            Builder::from_raw(unsafe { (into.host().put_array)(into.raw, key.as_ptr()) });
        for element in self {
            array.add(element);
        }
    }
}

impl<T: Put> Put for Vec<T> {
    fn put(&self, into: &mut Builder<'_>, key: Option<&str>) {
        self.as_slice().put(into, key);
    }
}
