// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::abi;
use crate::value::Value;
use std::ffi::CStr;
use std::slice;

/// One resource to bring from `is` to `should`.
#[derive(Clone, Copy)]
pub struct Change<'a> {
    raw: &'a abi::RawChange,
}

impl<'a> Change<'a> {
    pub(crate) unsafe fn from_raw(raw: *const abi::RawChange) -> Self {
        Change { raw: &*raw }
    }

    pub(crate) fn raw(&self) -> *const abi::RawChange {
        self.raw
    }

    pub(crate) fn c_title(&self) -> &'a CStr {
        unsafe { CStr::from_ptr(self.raw.title) }
    }

    /// For people: what stands between the brackets of `type[title]`.
    pub fn title(&self) -> &'a str {
        self.c_title().to_str().unwrap_or_default()
    }

    /// A hash of the namevars, however many there are.
    pub fn name(&self) -> Value<'a> {
        Value::from_raw(self.raw.name)
    }

    /// What was read; undefined when it is absent now.
    pub fn is(&self) -> Value<'a> {
        Value::from_raw(self.raw.is)
    }

    /// What is wanted; undefined when it must go.
    pub fn should(&self) -> Value<'a> {
        Value::from_raw(self.raw.should)
    }

    /// What an attribute is to be once this is done: what is wanted, or else what is there.
    pub fn attr(&self, attribute: &str) -> Value<'a> {
        let wanted = self.should().get(attribute);
        if wanted.is_undef() {
            self.is().get(attribute)
        } else {
            wanted
        }
    }

    /// Whether it is wanted to be gone.
    pub fn gone(&self) -> bool {
        self.raw.should.is_null() || self.should().get("ensure").text() == Some("absent")
    }

    /// Whether it is absent now.
    pub fn absent(&self) -> bool {
        self.raw.is.is_null()
    }
}

/// The changes of one [`Set`](crate::Set).
#[derive(Clone, Copy)]
pub struct Changes<'a> {
    list: &'a [*const abi::RawChange],
}

impl<'a> Changes<'a> {
    pub(crate) unsafe fn from_raw(list: *const *const abi::RawChange, n: usize) -> Self {
        Changes { list: if n == 0 { &[] } else { slice::from_raw_parts(list, n) } }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = Change<'a>> {
        self.list.iter().map(|raw| unsafe { Change::from_raw(*raw) })
    }
}
