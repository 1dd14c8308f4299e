// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::abi;
use crate::change::Change;
use crate::context::{Context, Doing};
use crate::value::c_string;
use std::os::raw::c_char;
use std::ptr;

/// A block for work on one resource that goes on beside others. One that is dropped without [`Block::end`] fails its
/// resource.
#[must_use]
pub struct Block<'a> {
    ctx: Context<'a>,
    ext: &'a abi::Overlap,
    number: u64,
}

impl<'a> Context<'a> {
    /// In `set`: opens a block for this resource, whatever others are open. `None` when the host has no such blocks: then
    /// do one after the other, in [`Context::scope`].
    pub fn overlap(&self, doing: Doing, change: &Change<'_>, message: Option<&str>) -> Option<Block<'a>> {
        let found = unsafe { (self.host().extension)(self.raw(), abi::OVERLAP_ID.as_ptr().cast::<c_char>()) };
        let ext = unsafe { found.cast::<abi::Overlap>().as_ref() }?;
        let message = message.map(c_string);
        let raw = message.as_ref().map_or(ptr::null(), |text| text.as_ptr());
        let number = unsafe { (ext.begin)(self.raw(), doing as i32, change.c_title().as_ptr(), raw) };

        Some(Block { ctx: *self, ext, number })
    }
}

impl Block<'_> {
    /// The resource is done, or has failed for this reason. Its time is that of the block.
    pub fn end(self, outcome: Result<(), &str>) {
        let failure = outcome.err().map(c_string);
        let raw = failure.as_ref().map_or(ptr::null(), |text| text.as_ptr());

        unsafe { (self.ext.end)(self.ctx.raw(), self.number, raw) }
    }
}
