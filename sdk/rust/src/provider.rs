// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::abi;
use crate::builder::Builder;
use crate::change::{Change, Changes};
use crate::context::Context;
use crate::describe::Type;
use crate::failure::Failure;
use crate::value::Value;
use std::any::Any;

/// Whether a resource is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It is.
    Present,
    /// It is not.
    Absent,
}

/// How a property compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compare {
    /// It is as wanted.
    InSync,
    /// It is not, and this is why, in the provider's own words.
    Differs(Option<String>),
    /// As if there were no comparison of one's own.
    Default,
}

/// What a provider is; the other traits are what it can do, and `describe` names those that it has.
pub trait Provider: Sized + 'static {
    /// The type, its attributes, and which callbacks there are.
    fn describe() -> Type<Self>;
}

/// Reads one resource.
pub trait Load: Provider {
    /// Fills in `current`, which has the namevars and parameters. `should` is what is wanted, and
    /// undefined when somebody only looks.
    fn load(
        ctx: Context<'_>,
        name: Value<'_>,
        should: Value<'_>,
        current: &mut Builder<'_>,
    ) -> Result<Presence, Failure>;
}

/// Reads what is there.
pub trait Get: Provider {
    /// Emits all resources; of a type with `simple_get_filter`, those of `names` will do (an array of
    /// hashes of namevars; undefined: all).
    fn get(ctx: Context<'_>, names: Value<'_>) -> Result<(), Failure>;
}

/// Writes one resource at a time; the host opens the scope around it.
pub trait Write: Provider {
    /// It is not there, and is wanted.
    fn create(ctx: Context<'_>, change: &Change<'_>) -> Result<(), Failure>;
    /// It is there, and not as wanted.
    fn update(ctx: Context<'_>, change: &Change<'_>) -> Result<(), Failure>;
    /// It is there, and must go.
    fn remove(ctx: Context<'_>, change: &Change<'_>) -> Result<(), Failure>;
}

/// Writes a whole batch.
pub trait Set: Provider {
    /// All of these, in any order; work on one of them belongs into [`Context::scope`].
    fn set(ctx: Context<'_>, changes: Changes<'_>) -> Result<(), Failure>;
}

/// Finds out and writes, one resource at a time.
pub trait Converge: Provider {
    /// Asks [`Context::changed`] before it acts.
    fn converge(ctx: Context<'_>, change: &Change<'_>) -> Result<(), Failure>;
}

/// Knows several ways of writing the same value.
pub trait Canonicalize: Provider {
    /// Brings the attributes into the form that reading uses; must be idempotent.
    fn canonicalize(ctx: Context<'_>, resource: &mut Builder<'_>) -> Result<(), Failure>;
}

/// Finds mistakes of a manifest that no data type states.
pub trait Validate: Provider {
    /// Fails for attributes that exclude or need each other; it looks at the resource alone.
    fn validate(ctx: Context<'_>, resource: Value<'_>) -> Result<(), Failure>;
}

/// Compares in a way of its own.
pub trait Insync: Provider {
    /// One property.
    fn insync(ctx: Context<'_>, change: &Change<'_>, attribute: &str) -> Result<Compare, Failure>;
}

/// Has actions beside converging.
pub trait Act: Provider {
    /// Does one of them.
    fn act(ctx: Context<'_>, change: &Change<'_>, action: &str) -> Result<(), Failure>;
}

/// May not fit every machine.
pub trait Suits: Provider {
    /// 0: not at all; more is better. An error says why it does not.
    fn suits(ctx: Context<'_>) -> Result<i32, Failure>;
}

/// Keeps something from the first resource of a run to the last.
pub trait Open: Provider {
    /// What is kept; the callbacks find it with [`Context::kept`].
    type State: 'static;
    /// Before everything else.
    fn open(ctx: Context<'_>) -> Result<Self::State, Failure>;
    /// After everything else; what is kept is dropped behind it.
    fn close(_ctx: Context<'_>, _state: &mut Self::State) {}
}

impl<'a> Context<'a> {
    /// What `open` of this provider has made; `None` in what runs before it: `suits`, `canonicalize`.
    pub fn kept<P: Open>(&self) -> Option<&'a P::State> {
        unsafe { (*self.state()).cast::<Box<dyn Any>>().as_ref() }?.downcast_ref()
    }
}

/// The descriptor's callbacks, made from the traits.
pub(crate) mod calls {
    use super::*;
    use crate::boundary::guard;
    use std::ffi::CStr;
    use std::os::raw::{c_char, c_void};
    use std::ptr;

    pub(crate) unsafe extern "C" fn load<P: Load>(
        raw: *mut abi::Ctx,
        name: *const abi::Datum,
        should: *const abi::Datum,
        current: *mut abi::Datum,
    ) -> i32 {
        let ctx = Context::from_raw(raw);
        guard(ctx, || {
            let mut current = Builder::from_raw(current);
            let found = P::load(ctx, Value::from_raw(name), Value::from_raw(should), &mut current)?;
            Ok(if found == Presence::Present { 0 } else { abi::ABSENT })
        })
    }

    pub(crate) unsafe extern "C" fn get<P: Get>(raw: *mut abi::Ctx, names: *const abi::Datum) -> i32 {
        let ctx = Context::from_raw(raw);
        guard(ctx, || P::get(ctx, Value::from_raw(names)).map(|()| 0))
    }

    pub(crate) unsafe extern "C" fn create<P: Write>(raw: *mut abi::Ctx, c: *const abi::RawChange) -> i32 {
        let ctx = Context::from_raw(raw);
        guard(ctx, || P::create(ctx, &Change::from_raw(c)).map(|()| 0))
    }

    pub(crate) unsafe extern "C" fn update<P: Write>(raw: *mut abi::Ctx, c: *const abi::RawChange) -> i32 {
        let ctx = Context::from_raw(raw);
        guard(ctx, || P::update(ctx, &Change::from_raw(c)).map(|()| 0))
    }

    pub(crate) unsafe extern "C" fn remove<P: Write>(raw: *mut abi::Ctx, c: *const abi::RawChange) -> i32 {
        let ctx = Context::from_raw(raw);
        guard(ctx, || P::remove(ctx, &Change::from_raw(c)).map(|()| 0))
    }

    pub(crate) unsafe extern "C" fn converge<P: Converge>(
        raw: *mut abi::Ctx,
        c: *const abi::RawChange,
    ) -> i32 {
        let ctx = Context::from_raw(raw);
        guard(ctx, || P::converge(ctx, &Change::from_raw(c)).map(|()| 0))
    }

    pub(crate) unsafe extern "C" fn set<P: Set>(
        raw: *mut abi::Ctx,
        list: *const *const abi::RawChange,
        n: usize,
    ) -> i32 {
        let ctx = Context::from_raw(raw);
        guard(ctx, || P::set(ctx, Changes::from_raw(list, n)).map(|()| 0))
    }

    pub(crate) unsafe extern "C" fn canonicalize<P: Canonicalize>(
        raw: *mut abi::Ctx,
        resource: *mut abi::Datum,
    ) -> i32 {
        let ctx = Context::from_raw(raw);
        guard(ctx, || P::canonicalize(ctx, &mut Builder::from_raw(resource)).map(|()| 0))
    }

    pub(crate) unsafe extern "C" fn validate<P: Validate>(
        raw: *mut abi::Ctx,
        resource: *const abi::Datum,
    ) -> i32 {
        let ctx = Context::from_raw(raw);
        guard(ctx, || P::validate(ctx, Value::from_raw(resource)).map(|()| 0))
    }

    pub(crate) unsafe extern "C" fn insync<P: Insync>(
        raw: *mut abi::Ctx,
        c: *const abi::RawChange,
        attribute: *const c_char,
    ) -> i32 {
        let ctx = Context::from_raw(raw);
        guard(ctx, || {
            let attribute = CStr::from_ptr(attribute).to_str().unwrap_or_default();
            Ok(match P::insync(ctx, &Change::from_raw(c), attribute)? {
                Compare::InSync => 0,
                Compare::Differs(why) => {
                    if let Some(why) = why {
                        ctx.explain(&why);
                    }
                    abi::DIFFERS
                }
                Compare::Default => abi::DEFAULT_COMPARISON,
            })
        })
    }

    pub(crate) unsafe extern "C" fn act<P: Act>(
        raw: *mut abi::Ctx,
        c: *const abi::RawChange,
        action: *const c_char,
    ) -> i32 {
        let ctx = Context::from_raw(raw);
        guard(ctx, || {
            let action = CStr::from_ptr(action).to_str().unwrap_or_default();
            P::act(ctx, &Change::from_raw(c), action).map(|()| 0)
        })
    }

    pub(crate) unsafe extern "C" fn suits<P: Suits>(raw: *mut abi::Ctx) -> i32 {
        let ctx = Context::from_raw(raw);
        guard(ctx, || P::suits(ctx)).max(0)
    }

    pub(crate) unsafe extern "C" fn open<P: Open>(raw: *mut abi::Ctx) -> i32 {
        let ctx = Context::from_raw(raw);
        guard(ctx, || {
            let state: Box<dyn Any> = Box::new(P::open(ctx)?);
            *ctx.state() = Box::into_raw(Box::new(state)).cast::<c_void>();
            Ok(0)
        })
    }

    pub(crate) unsafe extern "C" fn close<P: Open>(raw: *mut abi::Ctx) {
        let ctx = Context::from_raw(raw);
        let state = ptr::replace(ctx.state(), ptr::null_mut()).cast::<Box<dyn Any>>();
        if !state.is_null() {
            guard(ctx, || {
                if let Some(state) = Box::from_raw(state).downcast_mut::<P::State>() {
                    P::close(ctx, state);
                }
                Ok(0)
            });
        }
    }
}
