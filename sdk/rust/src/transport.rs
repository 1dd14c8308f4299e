// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::abi;
use crate::boundary::guard;
use crate::builder::Builder;
use crate::context::Context;
use crate::describe::{forever, list_forever, Attr};
use crate::failure::Failure;
use crate::value::{c_string, Value};
use std::any::Any;
use std::ffi::CStr;
use std::mem;
use std::os::raw::{c_char, c_void};
use std::ptr;

/// A way to reach a device. The value is the connection, from `open` to `close`; a provider with
/// [`Type::remote_resource`](crate::Type::remote_resource) finds it by [`Context::transport`].
pub trait Transport: Sized + 'static {
    /// Its name, and what a target must say.
    fn describe() -> ConnectionInfo;
    /// Connects, or keeps what is needed to connect. `info` has the attributes of the target.
    fn open(ctx: Context<'_>, info: Value<'_>) -> Result<Self, Failure>;
    /// Once, after `open`: finds a wrong address, password or version before anything is read.
    fn verify(&self, _ctx: Context<'_>) -> Result<(), Failure> {
        Ok(())
    }
    /// What the device says of itself, into an empty hash.
    fn facts(&self, _ctx: Context<'_>, _facts: &mut Builder<'_>) -> Result<(), Failure> {
        Err(Failure::new("this transport does not provide facts"))
    }
    /// An interface for providers of other plugins, by its id; null: none of this id. What it points at is
    /// `repr(C)`, and stays where it is until `close`.
    fn api(&self, _ctx: Context<'_>, _id: &str) -> *const c_void {
        ptr::null()
    }
    /// Disconnects; the connection is dropped after it.
    fn close(&mut self, _ctx: Context<'_>) {}
}

/// The shape of the connection info of a transport.
pub struct ConnectionInfo {
    name: String,
    desc: String,
    attrs: Vec<abi::RawAttr>,
    needs: *const *const c_char,
}

impl ConnectionInfo {
    /// With the name that stands in a file of targets in the place of a type.
    pub fn new(name: &str, desc: &str) -> Self {
        ConnectionInfo { name: name.to_owned(), desc: desc.to_owned(), attrs: Vec::new(), needs: ptr::null() }
    }

    /// One more attribute. A password or token is `Sensitive`.
    pub fn attr(mut self, attr: Attr) -> Self {
        self.attrs.push(attr.raw());
        self
    }

    /// What reaching the device takes, with attributes of the connection info: `network[tcp:$port]`. Providers that use the
    /// transport get it as well. An empty list: nothing.
    pub fn needs(mut self, needs: &[&str]) -> Self {
        self.needs = list_forever(needs);
        self
    }
}

/// Its address tells this plugin's connections from those of another one, whose Rust may lay them out differently.
static THIS_PLUGIN: u8 = 0;

fn own_id() -> String {
    format!("rhost-provider.rs/{:p}", &THIS_PLUGIN)
}

impl<'a> Context<'a> {
    /// The connection to the device, when it goes through this transport, which must be one of this plugin.
    pub fn transport<T: Transport>(&self) -> Option<&'a T> {
        let kept = self.transport_api(&own_id());
        unsafe { kept.cast::<Box<dyn Any>>().as_ref() }?.downcast_ref()
    }

    /// The interface of this id, of a transport of whatever plugin; null: it has none. See [`Transport::api`].
    pub fn transport_api(&self, id: &str) -> *const c_void {
        let id = c_string(id);
        unsafe { (self.host().transport)(self.raw(), id.as_ptr()) }
    }
}

/// What `open` has made; an error where it has not, which the host rules out.
unsafe fn connection<'a, T: Transport>(ctx: Context<'_>) -> Result<&'a T, Failure> {
    (*ctx.state())
        .cast::<Box<dyn Any>>()
        .as_ref()
        .and_then(|kept| kept.downcast_ref())
        .ok_or_else(|| Failure::new("the transport is not open"))
}

unsafe extern "C" fn open<T: Transport>(raw: *mut abi::Ctx, info: *const abi::Datum) -> i32 {
    let ctx = Context::from_raw(raw);
    guard(ctx, || {
        let connection: Box<dyn Any> = Box::new(T::open(ctx, Value::from_raw(info))?);
        *ctx.state() = Box::into_raw(Box::new(connection)).cast::<c_void>();
        Ok(0)
    })
}

unsafe extern "C" fn verify<T: Transport>(raw: *mut abi::Ctx) -> i32 {
    let ctx = Context::from_raw(raw);
    guard(ctx, || connection::<T>(ctx)?.verify(ctx).map(|()| 0))
}

unsafe extern "C" fn facts<T: Transport>(raw: *mut abi::Ctx) -> i32 {
    let ctx = Context::from_raw(raw);
    guard(ctx, || {
        let mut facts = ctx.hash();
        connection::<T>(ctx)?.facts(ctx, &mut facts)?;
        ctx.emit(&facts).map(|()| 0)
    })
}

unsafe extern "C" fn api<T: Transport>(raw: *mut abi::Ctx, id: *const c_char) -> *const c_void {
    let ctx = Context::from_raw(raw);
    let mut found = ptr::null();
    guard(ctx, || {
        let id = CStr::from_ptr(id).to_str().unwrap_or_default();
        found =
            if id == own_id() { *ctx.state() as *const c_void } else { connection::<T>(ctx)?.api(ctx, id) };
        Ok(0)
    });
    found
}

unsafe extern "C" fn close<T: Transport>(raw: *mut abi::Ctx) {
    let ctx = Context::from_raw(raw);
    let kept = ptr::replace(ctx.state(), ptr::null_mut()).cast::<Box<dyn Any>>();
    if !kept.is_null() {
        guard(ctx, || {
            if let Some(connection) = Box::from_raw(kept).downcast_mut::<T>() {
                connection.close(ctx);
            }
            Ok(0)
        });
    }
}

/// For [`plugin!`](crate::plugin).
#[doc(hidden)]
pub fn transport<T: Transport>() -> *const abi::RawTransport {
    let info = T::describe();

    Box::leak(Box::new(abi::RawTransport {
        struct_size: mem::size_of::<abi::RawTransport>(),
        attr_stride: mem::size_of::<abi::RawAttr>(),
        n_attrs: info.attrs.len(),
        attrs: Box::leak(info.attrs.into_boxed_slice()).as_ptr(),
        name: forever(&info.name),
        desc: forever(&info.desc),
        open: Some(open::<T>),
        close: Some(close::<T>),
        verify: Some(verify::<T>),
        facts: Some(facts::<T>),
        api: Some(api::<T>),
        needs: info.needs,
    }))
}
