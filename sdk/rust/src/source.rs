// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::abi;
use crate::boundary::guard;
use crate::builder::Builder;
use crate::context::Context;
use crate::describe::{forever, list_forever, Attr};
use crate::failure::Failure;
use crate::provider::Presence;
use crate::value::Value;
use std::os::raw::c_char;
use std::mem;
use std::ptr;

/// A question that expressions can ask: `${lookup("vault", "secret/db")}`.
pub trait Lookup {
    /// Its name, the type of its answer, and its parameters.
    fn describe() -> Question;
    /// Puts the answer into `answer` under the key `value`; or there is none. It may only look.
    fn find(ctx: Context<'_>, parameters: Value<'_>, answer: &mut Builder<'_>) -> Result<Presence, Failure>;
}

/// A fact about the machine: `node.NAME` in expressions.
pub trait Fact {
    /// Its name and type, without parameters.
    fn describe() -> Question;
    /// As [`Lookup::find`].
    fn read(ctx: Context<'_>, answer: &mut Builder<'_>) -> Result<Presence, Failure>;
}

/// What a lookup or a fact is.
pub struct Question {
    name: String,
    data_type: String,
    desc: String,
    parameters: Vec<abi::RawAttr>,
    needs: *const *const c_char,
}

impl Question {
    /// With the data type of the answer: `Sensitive[String]` is a secret, which nothing shows.
    pub fn new(name: &str, data_type: &str, desc: &str) -> Self {
        Question {
            name: name.to_owned(),
            data_type: data_type.to_owned(),
            desc: desc.to_owned(),
            parameters: Vec::new(),
            needs: ptr::null::<*const c_char>(),
        }
    }

    /// What answering takes: `read[$path]`, `run[pass]`, `network[tcp:443]`; not `root`, `user` and `write`. An empty list:
    /// nothing. The plugin's lookups and facts are confined when each of them declares its needs.
    pub fn needs(mut self, needs: &[&str]) -> Self {
        self.needs = list_forever(needs);
        self
    }

    /// One more parameter of a lookup, in the order in which an expression gives them.
    pub fn parameter(mut self, parameter: Attr) -> Self {
        self.parameters.push(parameter.raw());
        self
    }
}

unsafe extern "C" fn find<L: Lookup>(
    raw: *mut abi::Ctx,
    parameters: *const abi::Datum,
    answer: *mut abi::Datum,
) -> i32 {
    let ctx = Context::from_raw(raw);
    guard(ctx, || {
        let found = L::find(ctx, Value::from_raw(parameters), &mut Builder::from_raw(answer))?;
        Ok(if found == Presence::Present { 0 } else { abi::ABSENT })
    })
}

unsafe extern "C" fn read<F: Fact>(raw: *mut abi::Ctx, answer: *mut abi::Datum) -> i32 {
    let ctx = Context::from_raw(raw);
    guard(ctx, || {
        let found = F::read(ctx, &mut Builder::from_raw(answer))?;
        Ok(if found == Presence::Present { 0 } else { abi::ABSENT })
    })
}

/// For [`plugin!`](crate::plugin).
#[doc(hidden)]
pub fn lookup<L: Lookup>() -> *const abi::RawLookup {
    let q = L::describe();
    let n_attrs = q.parameters.len();

    Box::leak(Box::new(abi::RawLookup {
        struct_size: mem::size_of::<abi::RawLookup>(),
        attr_stride: mem::size_of::<abi::RawAttr>(),
        n_attrs,
        attrs: if n_attrs == 0 { ptr::null() } else { Box::leak(q.parameters.into_boxed_slice()).as_ptr() },
        name: forever(&q.name),
        desc: forever(&q.desc),
        r#type: forever(&q.data_type),
        find: Some(find::<L>),
        needs: q.needs,
    }))
}

/// For [`plugin!`](crate::plugin).
#[doc(hidden)]
pub fn fact<F: Fact>() -> *const abi::RawFact {
    let q = F::describe();

    Box::leak(Box::new(abi::RawFact {
        struct_size: mem::size_of::<abi::RawFact>(),
        name: forever(&q.name),
        r#type: forever(&q.data_type),
        desc: forever(&q.desc),
        read: Some(read::<F>),
        needs: q.needs,
    }))
}
