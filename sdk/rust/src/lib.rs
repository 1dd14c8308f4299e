// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Resource providers for rhost, in Rust: a safe layer over the C ABI of `rhost/abi.h`, which says when
//! each callback is called. It needs nothing but the standard library.
//!
//! ```
//! use rhost::{
//!     Attr, Because, Builder, Change, Context, Failure, Load, Presence, Provider, Type, Value, Write,
//! };
//! use std::fs;
//!
//! struct Motd;
//!
//! impl Provider for Motd {
//!     fn describe() -> Type<Self> {
//!         Type::new("motd", "Keep what is said to who logs in.")
//!             .attr(Attr::new("path", r"Pattern[/\A\//]", "Where it stands.").namevar())
//!             .attr(Attr::new("text", "String", "What is said."))
//!             .load()
//!             .write()
//!     }
//! }
//!
//! impl Load for Motd {
//!     fn load(_: Context<'_>, name: Value<'_>, _: Value<'_>, current: &mut Builder<'_>) -> Result<Presence, Failure> {
//!         let path = name.get("path").text().unwrap_or_default();
//!
//!         match fs::read_to_string(path) {
//!             Ok(text) => current.put("text", &text),
//!             Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Presence::Absent),
//!             Err(e) => return Err(Failure::because(format!("cannot read '{path}'"), &e)),
//!         };
//!         Ok(Presence::Present)
//!     }
//! }
//!
//! impl Write for Motd {
//!     fn create(_: Context<'_>, change: &Change<'_>) -> Result<(), Failure> {
//!         let path = change.name().get("path").text().unwrap_or_default();
//!
//!         fs::write(path, change.attr("text").text().unwrap_or_default())
//!             .because(|| format!("cannot write '{path}'"))
//!     }
//!
//!     fn update(ctx: Context<'_>, change: &Change<'_>) -> Result<(), Failure> {
//!         Self::create(ctx, change)
//!     }
//!
//!     fn remove(_: Context<'_>, change: &Change<'_>) -> Result<(), Failure> {
//!         let path = change.name().get("path").text().unwrap_or_default();
//!
//!         fs::remove_file(path).because(|| format!("cannot remove '{path}'"))
//!     }
//! }
//!
//! rhost::plugin!("motd", "1.0", Motd);
//! # fn main() {}
//! ```
//!
//! A callback that returns an error fails the resource that it is about, with the error's message; one
//! that panics does the same. The crate of a plugin is a `cdylib`.
#![warn(missing_docs)]

pub mod abi;
mod boundary;
mod builder;
mod change;
mod context;
mod describe;
mod entry;
mod failure;
mod keep;
mod overlap;
mod path;
mod private;
mod provider;
mod report;
mod source;
mod transport;
mod value;

pub use builder::{Builder, Put};
pub use change::{Change, Changes};
pub use context::{Context, Doing, Level, Scope};
pub use describe::{Action, Attr, Type};
pub use entry::Entry;
pub use failure::{Because, Failure};
pub use overlap::Block;
pub use path::Reached;
pub use provider::{
    Act, Canonicalize, Compare, Converge, Get, Insync, Load, Open, Presence, Provider, Set, Suits, Validate,
    Write,
};
pub use source::{fact, lookup, Fact, Lookup, Question};
pub use transport::{transport, ConnectionInfo, Transport};
pub use value::{Kind, Value};

/// Exports a plugin with these providers: `rhost::plugin!("link", "1.0", Link);`, in one process with
/// `rhost::plugin!("pair", "1.0", one_worker, Left, Right);`. Transports, lookups and facts stand behind them, in this
/// order, each after a semicolon: `rhost::plugin!("vault", "1.0", Entry; transports: Api; lookups: Secret; facts: Site);`
#[macro_export]
macro_rules! plugin {
    (@ $name:expr, $version:expr, $flags:expr, [$($provider:ty),*], [$($transport:ty),*], [$($lookup:ty),*], [$($fact:ty),*]) => {
        /// What the host looks for.
        #[no_mangle]
        pub extern "C" fn rhost_plugin_v1() -> *const $crate::abi::Plugin {
            static ENTRY: $crate::Entry = $crate::Entry::new();
            ENTRY.get(
                $name,
                $version,
                $flags,
                || vec![$(<$provider as $crate::Provider>::describe().finish()),*],
                || vec![$($crate::lookup::<$lookup>()),*],
                || vec![$($crate::fact::<$fact>()),*],
                || vec![$($crate::transport::<$transport>()),*],
            )
        }
    };
    ($name:expr, $version:expr, one_worker $(, $provider:ty)* $(,)? $(; transports: $($transport:ty),*)?
            $(; lookups: $($lookup:ty),*)? $(; facts: $($fact:ty),*)?) => {
        $crate::plugin!(@ $name, $version, $crate::abi::ONE_WORKER, [$($provider),*], [$($($transport),*)?],
            [$($($lookup),*)?], [$($($fact),*)?]);
    };
    ($name:expr, $version:expr $(, $provider:ty)* $(,)? $(; transports: $($transport:ty),*)?
            $(; lookups: $($lookup:ty),*)? $(; facts: $($fact:ty),*)?) => {
        $crate::plugin!(@ $name, $version, 0, [$($provider),*], [$($($transport),*)?], [$($($lookup),*)?],
            [$($($fact),*)?]);
    };
}
