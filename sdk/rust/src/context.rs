// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::abi;
use crate::boundary;
use crate::builder::Builder;
use crate::change::Change;
use crate::failure::Failure;
use crate::value::{c_string, Value};
use std::ffi::CString;
use std::marker::PhantomData;
use std::os::raw::c_char;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

/// How much a message matters.
#[derive(Clone, Copy, Debug)]
pub enum Level {
    /// For who writes the provider.
    Debug = 0,
    /// For who wants to know more.
    Info = 1,
    /// What the operator should see.
    Notice = 2,
    /// Something may be wrong.
    Warning = 3,
    /// Something is wrong.
    Err = 4,
}

/// What is being done to a resource.
#[derive(Clone, Copy, Debug)]
pub enum Doing {
    /// It is made.
    Creating = 0,
    /// It is changed.
    Updating = 1,
    /// It is removed.
    Deleting = 2,
    /// Anything else.
    Processing = 3,
}

impl Doing {
    /// Reported by [`Context::failed`] alone.
    pub(crate) const FAILING: i32 = 4;
}

/// The call that a callback is in.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    raw: *mut abi::Ctx,
    of: PhantomData<&'a abi::Ctx>,
}

impl<'a> Context<'a> {
    pub(crate) fn from_raw(raw: *mut abi::Ctx) -> Self {
        Context { raw, of: PhantomData }
    }

    pub(crate) fn raw(&self) -> *mut abi::Ctx {
        self.raw
    }

    pub(crate) fn host(&self) -> &'a abi::Host {
        unsafe { &*(*self.raw).host }
    }

    /// Whether this only shows what would be done: report it, and change nothing.
    pub fn noop(&self) -> bool {
        unsafe { (self.host().noop)(self.raw) != 0 }
    }

    /// While reading: will anybody look at this attribute? What costs much can be left out.
    pub fn wants(&self, attribute: &str) -> bool {
        let attribute = c_string(attribute);
        unsafe { (self.host().wants)(self.raw, attribute.as_ptr()) != 0 }
    }

    /// A message of the type, or of the open scope's resource.
    pub fn log(&self, level: Level, message: &str) {
        let message = c_string(message);
        unsafe { (self.host().log)(self.raw, level as i32, ptr::null(), 0, message.as_ptr()) };
    }

    /// An empty hash.
    pub fn hash(&self) -> Builder<'a> {
        Builder::from_raw(unsafe { (self.host().new_hash)(self.raw) })
    }

    /// While getting: one resource that there is, with all its namevars.
    pub fn emit(&self, resource: &Builder<'_>) -> Result<(), Failure> {
        match unsafe { (self.host().emit)(self.raw, resource.value().raw()) } {
            0 => Ok(()),
            _ => Err(Failure::new("the host did not take what was emitted")),
        }
    }

    /// While converging: does any property differ, and is to be changed now?
    pub fn changed_any(&self, change: &Change<'_>) -> bool {
        unsafe { (self.host().changed)(self.raw, change.raw(), ptr::null(), 0) > 0 }
    }

    /// While converging: does any of these differ, and is to be changed now?
    pub fn changed(&self, change: &Change<'_>, attributes: &[&str]) -> bool {
        let names: Vec<CString> = attributes.iter().map(|name| c_string(name)).collect();
        let list: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
        !list.is_empty()
            && unsafe { (self.host().changed)(self.raw, change.raw(), list.as_ptr(), list.len()) > 0 }
    }

    /// Has the batch's sync cover a file that the provider wrote by itself.
    pub fn touched(&self, path: &Path) {
        let file = unsafe { (self.host().extension)(self.raw, abi::FILE_ID.as_ptr().cast::<c_char>()) };
        if let (Some(file), Ok(path)) =
            (unsafe { file.cast::<abi::File>().as_ref() }, CString::new(path.as_os_str().as_bytes()))
        {
            unsafe { (file.touched)(self.raw, path.as_ptr()) };
        }
    }

    /// While setting: a block around work on one resource. What the work fails with fails this
    /// resource, and no other.
    pub fn scope(&self, change: &Change<'_>, work: impl FnOnce() -> Result<(), Failure>) -> bool {
        let scope = Scope::begin(*self, change);
        let done = boundary::guard(*self, || work().map(|()| 0)) == 0;
        drop(scope);
        done
    }

    /// Says why an attribute differs, in the provider's own words.
    pub(crate) fn explain(&self, why: &str) {
        let why = c_string(why);
        unsafe { (self.host().explain)(self.raw, why.as_ptr()) };
    }

    /// An entry that was appended to the table: an older host's ends before it.
    fn appended<T: Copy>(&self, entry: &Option<T>) -> Option<T> {
        let start = self.host() as *const abi::Host as usize;
        let end = entry as *const Option<T> as usize + std::mem::size_of::<Option<T>>();
        if end - start <= self.host().struct_size {
            *entry
        } else {
            None
        }
    }

    /// Before work that is silent for so many seconds; the text is shown to who watches the run.
    pub fn busy(&self, seconds: f64, text: &str) {
        if let Some(busy) = self.appended(&self.host().busy) {
            let text = c_string(text);
            unsafe { busy(self.raw, seconds, text.as_ptr()) };
        }
    }

    /// So much is done; `total` 0: of how much is not known.
    pub fn progress(&self, done: u64, total: u64, unit: &str) {
        self.tell_progress(ptr::null(), done, total, unit);
    }

    /// The same for one of several resources of this call, outside of its block.
    pub fn progress_of(&self, change: &Change<'_>, done: u64, total: u64, unit: &str) {
        self.tell_progress(change.c_title().as_ptr(), done, total, unit);
    }

    fn tell_progress(&self, title: *const c_char, done: u64, total: u64, unit: &str) {
        if let Some(progress) = self.appended(&self.host().progress) {
            let unit = c_string(unit);
            unsafe { progress(self.raw, title, done, total, unit.as_ptr()) };
        }
    }

    /// Whether the run is to end: finish what can't be left, and return.
    pub fn stopping(&self) -> bool {
        self.appended(&self.host().stopping).map_or(false, |stopping| unsafe { stopping(self.raw) != 0 })
    }

    /// Seconds that the host still waits for a sign of life; 1e9: it doesn't say.
    pub fn deadline(&self) -> f64 {
        self.appended(&self.host().deadline).map_or(1e9, |deadline| unsafe { deadline(self.raw) })
    }

    /// While reading by `get`: what is wanted of the i-th name, or only the name.
    pub fn asked(&self, i: usize) -> Value<'a> {
        let all = match self.appended(&self.host().asked) {
            Some(asked) => unsafe { asked(self.raw) },
            None => ptr::null(),
        };
        if all.is_null() {
            return Value::from_raw(all);
        }
        Value::from_raw(unsafe { (self.host().at)(all, i, ptr::null_mut()) })
    }

    /// While reading by `get`: the resource of this name fails, and no other.
    pub fn fail_name(&self, name: Value<'_>, failure: &Failure) {
        match self.appended(&self.host().fail_name) {
            Some(fail_name) => {
                let message = c_string(failure.message());
                let attribute = failure.attribute().map(c_string);
                unsafe {
                    fail_name(
                        self.raw,
                        name.raw(),
                        failure.number(),
                        attribute.as_ref().map_or(ptr::null(), |name| name.as_ptr()),
                        message.as_ptr(),
                    )
                };
            }
            None => {
                self.fail(failure);
            }
        }
    }

    pub(crate) fn fail(&self, failure: &Failure) -> i32 {
        if failure.is_said() {
            return -1;
        }
        let message = c_string(failure.message());
        let attribute = failure.attribute().map(c_string);
        unsafe {
            (self.host().fail)(
                self.raw,
                failure.number(),
                attribute.as_ref().map_or(ptr::null(), |name| name.as_ptr()),
                message.as_ptr(),
            )
        }
    }

    pub(crate) fn state(&self) -> *mut *mut std::os::raw::c_void {
        unsafe { (self.host().state)(self.raw) }
    }
}

/// An open block around work on one resource; it ends when it goes out of scope.
pub struct Scope<'a> {
    ctx: Context<'a>,
    number: u64,
}

impl<'a> Scope<'a> {
    /// Opens one: creating, updating or deleting, as the change says.
    pub fn begin(ctx: Context<'a>, change: &Change<'_>) -> Self {
        let doing = if change.gone() {
            Doing::Deleting
        } else if change.absent() {
            Doing::Creating
        } else {
            Doing::Updating
        };
        let title = change.c_title().as_ptr();
        let none: Value<'_> = Value::from_raw(ptr::null());
        let number = unsafe {
            (ctx.host().scope_begin)(ctx.raw, doing as i32, &title, 1, none.raw(), none.raw(), ptr::null())
        };
        Scope { ctx, number }
    }
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        unsafe { (self.ctx.host().scope_end)(self.ctx.raw, self.number) };
    }
}
