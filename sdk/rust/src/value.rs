// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::abi;
use std::ffi::{CStr, CString};
use std::marker::PhantomData;
use std::os::raw::c_char;
use std::path::Path;
use std::ptr;
use std::slice;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing, or not there.
    Undef,
    /// `true` or `false`.
    Boolean,
    /// 64 bits, signed.
    Integer,
    /// A double.
    Float,
    /// UTF-8.
    String,
    /// Bytes.
    Binary,
    /// Values in order.
    Array,
    /// Values by key, in order.
    Hash,
    /// Known only after something else has run.
    Unknown,
}

/// A datum of the host, which lives until the callback returns. One that is not there is `Undef`, has
/// nothing in it, and gives `None` to each question: a chain of questions needs one check at its end.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    raw: *const abi::Datum,
    of: PhantomData<&'a abi::Datum>,
}

/// A text with a NUL behind it; what has one inside ends there.
pub(crate) fn c_string(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

impl<'a> Value<'a> {
    pub(crate) fn from_raw(raw: *const abi::Datum) -> Self {
        Value { raw, of: PhantomData }
    }

    pub(crate) fn raw(&self) -> *const abi::Datum {
        self.raw
    }

    fn host(&self) -> Option<&'a abi::Host> {
        // The host hands out null or a datum that lives as long as the callback.
        unsafe { self.raw.as_ref().map(|datum| &*datum.host) }
    }

    /// What it is.
    pub fn kind(&self) -> Kind {
        match self.host().map_or(abi::UNDEF, |host| unsafe { (host.kind)(self.raw) }) {
            abi::BOOLEAN => Kind::Boolean,
            abi::INTEGER => Kind::Integer,
            abi::FLOAT => Kind::Float,
            abi::STRING => Kind::String,
            abi::BINARY => Kind::Binary,
            abi::ARRAY => Kind::Array,
            abi::HASH => Kind::Hash,
            abi::UNKNOWN => Kind::Unknown,
            _ => Kind::Undef,
        }
    }

    /// Whether it is not there, or nothing.
    pub fn is_undef(&self) -> bool {
        self.kind() == Kind::Undef
    }

    /// Whether it must not be shown.
    pub fn is_sensitive(&self) -> bool {
        self.host().map_or(false, |host| unsafe { (host.sensitive)(self.raw) != 0 })
    }

    /// Of a boolean.
    pub fn boolean(&self) -> Option<bool> {
        let host = self.host().filter(|_| self.kind() == Kind::Boolean)?;
        Some(unsafe { (host.boolean)(self.raw, 0) != 0 })
    }

    /// Of an integer.
    pub fn integer(&self) -> Option<i64> {
        let host = self.host().filter(|_| self.kind() == Kind::Integer)?;
        Some(unsafe { (host.integer)(self.raw, 0) })
    }

    /// Of a float or an integer.
    pub fn real(&self) -> Option<f64> {
        let host = self.host().filter(|_| matches!(self.kind(), Kind::Float | Kind::Integer))?;
        Some(unsafe { (host.real)(self.raw, 0.0) })
    }

    /// Of a string or a binary.
    pub fn bytes(&self) -> Option<&'a [u8]> {
        let mut len = 0;
        let at = unsafe { (self.host()?.string)(self.raw, &mut len) };
        if at.is_null() {
            return None;
        }
        Some(unsafe { slice::from_raw_parts(at.cast::<u8>(), len) })
    }

    /// Of a string.
    pub fn text(&self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// Of a string that names a file.
    pub fn path(&self) -> Option<&'a Path> {
        self.text().map(Path::new)
    }

    /// How many elements or entries it has.
    pub fn len(&self) -> usize {
        self.host().map_or(0, |host| unsafe { (host.count)(self.raw) })
    }

    /// Whether it has neither elements nor entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Of a hash, by key.
    pub fn get(&self, key: &str) -> Value<'a> {
        let key = c_string(key);
        Self::from_raw(self.host().map_or(ptr::null(), |host| unsafe { (host.get)(self.raw, key.as_ptr()) }))
    }

    /// Of an array or a hash, by place.
    pub fn at(&self, place: usize) -> Value<'a> {
        Self::from_raw(
            self.host().map_or(ptr::null(), |host| unsafe { (host.at)(self.raw, place, ptr::null_mut()) }),
        )
    }

    /// The elements of an array, or the values of a hash, in order.
    pub fn iter(&self) -> impl Iterator<Item = Value<'a>> {
        let whole = *self;
        (0..self.len()).map(move |place| whole.at(place))
    }

    /// The entries of a hash, in order.
    pub fn entries(&self) -> impl Iterator<Item = (&'a str, Value<'a>)> {
        let whole = *self;
        (0..self.len()).filter_map(move |place| whole.entry(place))
    }

    fn entry(&self, place: usize) -> Option<(&'a str, Value<'a>)> {
        let mut key: *const c_char = ptr::null();
        let value = unsafe { (self.host()?.at)(self.raw, place, &mut key) };
        if key.is_null() {
            return None;
        }
        let key = unsafe { CStr::from_ptr(key) }.to_str().ok()?;
        Some((key, Self::from_raw(value)))
    }
}

impl PartialEq for Value<'_> {
    /// The order within a hash makes no difference.
    fn eq(&self, other: &Self) -> bool {
        match (self.host(), other.host()) {
            (Some(host), Some(_)) => unsafe { (host.equal)(self.raw, other.raw) != 0 },
            _ => self.is_undef() && other.is_undef(),
        }
    }
}
