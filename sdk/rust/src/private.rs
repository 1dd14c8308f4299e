// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::abi;
use crate::change::Change;
use crate::context::Context;
use crate::failure::Failure;
use crate::provider::Compare;
use crate::value::{c_string, Value};
use std::ffi::CStr;
use std::os::raw::c_char;
use std::ptr;

const NOTHING_KEPT: &str = "this host keeps nothing for resources";

/// Small texts that the host keeps for a resource, from one run to the next: what was written and can't be read back.
impl<'a> Context<'a> {
    fn private(&self) -> Option<&'a abi::Private> {
        let found = unsafe { (self.host().extension)(self.raw(), abi::PRIVATE_ID.as_ptr().cast::<c_char>()) };

        unsafe { found.cast::<abi::Private>().as_ref() }
    }

    /// 64 hexadecimal digits, with a key of this state directory, that depend on the resource and on `key`.
    pub fn private_digest(&self, name: Value<'_>, key: &str, value: Value<'_>) -> Result<&'a str, Failure> {
        let ext = self.private().ok_or_else(|| Failure::new(NOTHING_KEPT))?;
        let sum = unsafe { (ext.digest)(self.raw(), name.raw(), c_string(key).as_ptr(), value.raw()) };

        if sum.is_null() {
            return Err(Failure::said());
        }
        Ok(unsafe { CStr::from_ptr(sum) }.to_str().unwrap_or_default())
    }

    fn digest(&self, change: &Change<'_>, attribute: &str) -> Result<&'a str, Failure> {
        self.private_digest(change.name(), attribute, change.should().get(attribute))
    }

    /// What is kept for the resource with these namevars under a key.
    pub fn private_get(&self, name: Value<'_>, key: &str) -> Option<&'a str> {
        let text = unsafe { (self.private()?.get)(self.raw(), name.raw(), c_string(key).as_ptr()) };

        if text.is_null() {
            return None;
        }
        unsafe { CStr::from_ptr(text) }.to_str().ok()
    }

    /// Keeps a text, or nothing any longer. Under noop nothing is kept; a text with a secret in it is refused.
    pub fn private_put(&self, name: Value<'_>, key: &str, text: Option<&str>) -> Result<(), Failure> {
        let ext = self.private().ok_or_else(|| Failure::new(NOTHING_KEPT))?;
        let text = text.map(c_string);
        let raw = text.as_ref().map_or(ptr::null(), |text| text.as_ptr());

        match unsafe { (ext.put)(self.raw(), name.raw(), c_string(key).as_ptr(), raw) } {
            0 => Ok(()),
            _ => Err(Failure::said()),
        }
    }

    /// For [`Insync`](crate::Insync): whether what is wanted of an attribute that can't be read is what was written last.
    pub fn private_insync(&self, change: &Change<'_>, attribute: &str) -> Result<Compare, Failure> {
        let kept = self.private_get(change.name(), attribute);

        match kept {
            Some(kept) if self.digest(change, attribute)? == kept => Ok(Compare::InSync),
            _ => Ok(Compare::Differs(None)),
        }
    }

    /// Notes what was written, for [`Context::private_insync`]. Does nothing where the attribute is not wanted.
    pub fn private_written(&self, change: &Change<'_>, attribute: &str) -> Result<(), Failure> {
        if self.private().is_none() || change.should().get(attribute).is_undef() {
            return Ok(());
        }
        self.private_put(change.name(), attribute, Some(self.digest(change, attribute)?))
    }
}
