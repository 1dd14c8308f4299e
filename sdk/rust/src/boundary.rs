// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where Rust ends and C begins: nothing unwinds across it, and what goes wrong has said why.
use crate::context::Context;
use crate::failure::Failure;
use std::any::Any;
use std::cell::RefCell;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static WHERE: RefCell<Option<String>> = const { RefCell::new(None) };
}

static QUIET: Once = Once::new();

/// Keeps a panic from printing, and remembers where it was. The hook is this plugin's own: each has
/// its own standard library.
fn quiet() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(|at| format!("{}:{}", at.file(), at.line()));
        WHERE.with(|last| *last.borrow_mut() = place);
    }));
}

fn why(payload: &(dyn Any + Send)) -> Failure {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no reason given".to_owned());
    let place = WHERE.with(|last| last.borrow_mut().take());
    match place {
        Some(place) => Failure::new(format!("panicked at {place}: {text}")),
        None => Failure::new(format!("panicked: {text}")),
    }
}

/// Runs it; an error or a panic is told to the host, and is -1.
pub(crate) fn guard(ctx: Context<'_>, work: impl FnOnce() -> Result<i32, Failure>) -> i32 {
    QUIET.call_once(quiet);
    match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(status)) => status,
        Ok(Err(failure)) => ctx.fail(&failure),
        Err(payload) => {
            let status = ctx.fail(&why(payload.as_ref()));
            // What is not a text may panic again when it is dropped, which nothing would catch.
            if payload.is::<String>() || payload.is::<&str>() {
                drop(payload);
            } else {
                mem::forget(payload);
            }
            status
        }
    }
}
