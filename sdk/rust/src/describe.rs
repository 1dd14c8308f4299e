// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::abi;
use crate::provider::{
    calls, Act, Canonicalize, Converge, Get, Insync, Load, Open, Provider, Set, Suits, Validate, Write,
};
use crate::value::c_string;
use std::marker::PhantomData;
use std::mem;
use std::os::raw::c_char;
use std::ptr;

/// A text that is there as long as the plugin is: descriptors are made once, and never freed.
pub(crate) fn forever(text: &str) -> *const c_char {
    c_string(text).into_raw()
}

fn forever_or_null(text: Option<&str>) -> *const c_char {
    text.map_or(ptr::null(), forever)
}

/// A list that is there as long as the plugin is, with a null behind it.
pub(crate) fn list_forever(texts: &[&str]) -> *const *const c_char {
    let list: Vec<*const c_char> = texts.iter().map(|text| forever(text)).chain([ptr::null()]).collect();
    Box::leak(list.into_boxed_slice()).as_ptr()
}

/// An attribute of a type; a property unless it says otherwise.
pub struct Attr(abi::RawAttr);

impl Attr {
    /// Its name, its data type, and what it means.
    pub fn new(name: &str, data_type: &str, desc: &str) -> Self {
        Attr(abi::RawAttr {
            name: forever(name),
            r#type: forever(data_type),
            desc: forever(desc),
            behaviour: 0,
            default_value: ptr::null(),
            initial: ptr::null(),
            deprecated: ptr::null(),
            formerly: ptr::null(),
        })
    }

    pub(crate) fn raw(self) -> abi::RawAttr {
        self.0
    }

    fn is(mut self, behaviour: u64) -> Self {
        self.0.behaviour |= behaviour;
        self
    }

    /// Part of the identity.
    pub fn namevar(self) -> Self {
        self.is(abi::NAMEVAR)
    }

    /// Steers the provider, is never read back or compared.
    pub fn parameter(self) -> Self {
        self.is(abi::PARAMETER)
    }

    /// Is reported, and refused in a manifest.
    pub fn read_only(self) -> Self {
        self.is(abi::READ_ONLY)
    }

    /// May be given when the resource is created, not changed.
    pub fn init_only(self) -> Self {
        self.is(abi::INIT_ONLY)
    }

    /// An array compared as a set.
    pub fn unordered(self) -> Self {
        self.is(abi::UNORDERED)
    }

    /// JSON; wanted whenever the manifest is silent.
    pub fn default(mut self, json: &str) -> Self {
        self.0.default_value = forever(json);
        self
    }

    /// Who writes it is warned, with this text: what to use instead.
    pub fn deprecated(mut self, text: &str) -> Self {
        self.0.deprecated = forever(text);
        self
    }

    /// Older names, which a manifest may still use.
    pub fn formerly(mut self, names: &[&str]) -> Self {
        self.0.formerly = list_forever(names);
        self
    }

    /// JSON; wanted only while creating.
    pub fn initial(mut self, json: &str) -> Self {
        self.0.initial = forever(json);
        self
    }
}

/// An action beside converging.
pub struct Action(abi::RawAction);

impl Action {
    /// One that [`Act`] does.
    pub fn new(name: &str, desc: &str) -> Self {
        Action(abi::RawAction { name: forever(name), desc: forever(desc), overlay: ptr::null() })
    }

    /// One that is converging with this JSON hash laid over what is wanted.
    pub fn overlay(name: &str, desc: &str, json: &str) -> Self {
        Action(abi::RawAction { overlay: forever(json), ..Action::new(name, desc).0 })
    }
}

/// What a provider serves, and how.
pub struct Type<P> {
    raw: abi::RawProvider,
    attrs: Vec<abi::RawAttr>,
    actions: Vec<abi::RawAction>,
    of: PhantomData<P>,
}

impl<P: Provider> Type<P> {
    /// A type with one provider, which is called the same.
    pub fn new(name: &str, desc: &str) -> Self {
        Self::served_by(name, name, desc)
    }

    /// One of several providers of a type.
    pub fn served_by(name: &str, provider: &str, desc: &str) -> Self {
        let raw = abi::RawProvider {
            struct_size: mem::size_of::<abi::RawProvider>(),
            attr_stride: mem::size_of::<abi::RawAttr>(),
            n_attrs: 0,
            attrs: ptr::null(),
            r#type: forever(name),
            name: forever(provider),
            desc: forever(desc),
            features: 0,
            title_patterns: ptr::null(),
            relations: ptr::null(),
            action_stride: mem::size_of::<abi::RawAction>(),
            n_actions: 0,
            actions: ptr::null(),
            default_action: ptr::null(),
            refresh_action: ptr::null(),
            suits: None,
            open: None,
            close: None,
            canonicalize: None,
            insync: None,
            get: None,
            load: None,
            set: None,
            create: None,
            update: None,
            remove: None,
            converge: None,
            act: None,
            validate: None,
            needs: ptr::null(),
            irreversible: ptr::null(),
        };
        Type { raw, attrs: Vec::new(), actions: Vec::new(), of: PhantomData }
    }

    /// One more attribute.
    pub fn attr(mut self, attr: Attr) -> Self {
        self.attrs.push(attr.0);
        self
    }

    /// One more action.
    pub fn action(mut self, action: Action) -> Self {
        self.actions.push(action.0);
        self
    }

    /// What is done when the manifest names no action; without it, converging.
    pub fn default_action(mut self, name: Option<&str>) -> Self {
        self.raw.default_action = forever_or_null(name);
        self
    }

    /// What `notify` and `subscribe` mean.
    pub fn refresh_action(mut self, name: &str) -> Self {
        self.raw.refresh_action = forever(name);
        self
    }

    /// `get` honours its names.
    pub fn simple_get_filter(mut self) -> Self {
        self.raw.features |= abi::SIMPLE_GET_FILTER;
        self
    }

    /// What writes is called under noop, asks [`Context::noop`](crate::Context::noop), and reports.
    pub fn supports_noop(mut self) -> Self {
        self.raw.features |= abi::SUPPORTS_NOOP;
        self
    }

    /// What it manages is on a device: it is read and written by [`Context::transport`](crate::Context::transport),
    /// and never run locally.
    pub fn remote_resource(mut self) -> Self {
        self.raw.features |= abi::REMOTE_RESOURCE;
        self
    }

    /// Acting may change what any other provider has read.
    pub fn forgets_world(mut self) -> Self {
        self.raw.features |= abi::FORGETS_WORLD;
        self
    }

    /// A reading costs little, and has what a change did at once: what was changed is read again.
    pub fn read_back(mut self) -> Self {
        self.raw.features |= abi::READ_BACK;
        self
    }

    /// One call for all costs less than several: its resources come together, as far as relations allow.
    pub fn gathers(mut self) -> Self {
        self.raw.features |= abi::GATHERS;
        self
    }

    /// `create` makes only what is not there: where something is, it leaves that as it is and fails with `EEXIST`
    /// ([`Failure::because`](crate::Failure::because)). The host then reads the resource again and goes by what it finds.
    pub fn creates_new(mut self) -> Self {
        self.raw.features |= abi::CREATES_NEW;
        self
    }

    /// `canonicalize` and `validate` go by the resource, and beside it only by what an extension answers to them: not by
    /// files, accounts, the environment or the state of the provider. What was found before the run then holds in it, as
    /// long as no extension was asked.
    pub fn pure_canonicalize(mut self) -> Self {
        self.raw.features |= abi::PURE_CANONICALIZE;
        self
    }

    /// Regular expressions, tried in order on a title, whose named groups are namevars.
    pub fn title_patterns(mut self, patterns: &[&str]) -> Self {
        self.raw.title_patterns = list_forever(patterns);
        self
    }

    /// Relations to other resources: `autorequire file[$source]`.
    pub fn relations(mut self, relations: &[&str]) -> Self {
        self.raw.relations = list_forever(relations);
        self
    }

    /// What applying a resource takes: `root`, `write[$path]`, `run[crontab]`. An empty list: nothing.
    pub fn needs(mut self, needs: &[&str]) -> Self {
        self.raw.needs = list_forever(needs);
        self
    }

    /// Why what the provider does cannot be undone, as a sentence.
    pub fn irreversible(mut self, why: &str) -> Self {
        self.raw.irreversible = forever(why);
        self
    }

    /// For [`plugin!`](crate::plugin).
    #[doc(hidden)]
    pub fn finish(mut self) -> *const abi::RawProvider {
        self.raw.n_attrs = self.attrs.len();
        self.raw.attrs = Box::leak(self.attrs.into_boxed_slice()).as_ptr();
        self.raw.n_actions = self.actions.len();
        self.raw.actions = Box::leak(self.actions.into_boxed_slice()).as_ptr();
        Box::leak(Box::new(self.raw))
    }
}

impl<P: Load> Type<P> {
    /// It has [`Load`].
    pub fn load(mut self) -> Self {
        self.raw.load = Some(calls::load::<P>);
        self
    }
}

impl<P: Get> Type<P> {
    /// It has [`Get`].
    pub fn get(mut self) -> Self {
        self.raw.get = Some(calls::get::<P>);
        self
    }
}

impl<P: Write> Type<P> {
    /// It has [`Write`].
    pub fn write(mut self) -> Self {
        self.raw.create = Some(calls::create::<P>);
        self.raw.update = Some(calls::update::<P>);
        self.raw.remove = Some(calls::remove::<P>);
        self
    }
}

impl<P: Set> Type<P> {
    /// It has [`Set`].
    pub fn set(mut self) -> Self {
        self.raw.set = Some(calls::set::<P>);
        self
    }
}

impl<P: Converge> Type<P> {
    /// It has [`Converge`].
    pub fn converge(mut self) -> Self {
        self.raw.converge = Some(calls::converge::<P>);
        self
    }
}

impl<P: Canonicalize> Type<P> {
    /// It has [`Canonicalize`].
    pub fn canonicalize(mut self) -> Self {
        self.raw.canonicalize = Some(calls::canonicalize::<P>);
        self
    }
}

impl<P: Validate> Type<P> {
    /// Finds mistakes of a manifest that no data type states.
    pub fn validate(mut self) -> Self {
        self.raw.validate = Some(calls::validate::<P>);
        self
    }
}

impl<P: Insync> Type<P> {
    /// It has [`Insync`].
    pub fn insync(mut self) -> Self {
        self.raw.insync = Some(calls::insync::<P>);
        self
    }
}

impl<P: Act> Type<P> {
    /// It has [`Act`].
    pub fn act(mut self) -> Self {
        self.raw.act = Some(calls::act::<P>);
        self
    }
}

impl<P: Suits> Type<P> {
    /// It has [`Suits`].
    pub fn suits(mut self) -> Self {
        self.raw.suits = Some(calls::suits::<P>);
        self
    }
}

impl<P: Open> Type<P> {
    /// It has [`Open`].
    pub fn open(mut self) -> Self {
        self.raw.open = Some(calls::open::<P>);
        self.raw.close = Some(calls::close::<P>);
        self
    }
}
