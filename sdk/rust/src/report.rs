// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::change::Change;
use crate::context::{Context, Doing};
use crate::failure::Failure;
use crate::value::c_string;
use std::os::raw::c_char;
use std::ptr;

/// In [`Set`](crate::Set): reports without a block, after the work.
impl Context<'_> {
    /// The resource was created, updated, deleted or processed; `message` replaces the host's own words. For a
    /// resource that failed there is [`Context::failed`].
    pub fn did(&self, doing: Doing, change: &Change<'_>, message: Option<&str>) -> Result<(), Failure> {
        let message = message.map(c_string);
        self.report(doing as i32, change, message.as_ref().map_or(ptr::null(), |text| text.as_ptr()))
    }

    /// The resource failed for this reason, and no other did.
    pub fn failed(&self, change: &Change<'_>, failure: &Failure) -> Result<(), Failure> {
        self.fail(failure);
        self.report(Doing::FAILING, change, ptr::null())
    }

    fn report(&self, doing: i32, change: &Change<'_>, message: *const c_char) -> Result<(), Failure> {
        let title = change.c_title().as_ptr();
        let both = doing == Doing::Processing as i32; // whose differences are reported
        let (is, should) =
            if both { (change.is().raw(), change.should().raw()) } else { (ptr::null(), ptr::null()) };
        taken(unsafe { (self.host().did)(self.raw(), doing, &title, 1, is, should, message) })
    }

    /// There was nothing to do for the resource after all.
    pub fn unchanged(&self, change: &Change<'_>, message: Option<&str>) -> Result<(), Failure> {
        let message = message.map(c_string);
        let text = message.as_ref().map_or(ptr::null(), |text| text.as_ptr());
        taken(unsafe { (self.host().unchanged)(self.raw(), change.c_title().as_ptr(), text) })
    }

    /// One attribute was changed. Must come before the action of that resource is reported.
    pub fn attribute_changed(
        &self,
        change: &Change<'_>,
        attribute: &str,
        message: Option<&str>,
    ) -> Result<(), Failure> {
        let (is, should) = (change.is().get(attribute), change.should().get(attribute));
        let attribute = c_string(attribute);
        let message = message.map(c_string);
        taken(unsafe {
            (self.host().attribute_changed)(
                self.raw(),
                change.c_title().as_ptr(),
                attribute.as_ptr(),
                is.raw(),
                should.raw(),
                message.as_ref().map_or(ptr::null(), |text| text.as_ptr()),
            )
        })
    }
}

fn taken(status: i32) -> Result<(), Failure> {
    match status {
        0 => Ok(()),
        _ => Err(Failure::said()),
    }
}
