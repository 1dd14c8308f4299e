// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `rhost/abi.h` as it stands, major 1. Plugins need none of it: it is what the rest of the crate is
//! made of. The test `layout` holds it against the golden layout of the headers.
#![allow(missing_docs)]

use std::os::raw::{c_char, c_void};

/// Of the headers that this is.
pub const SDK_VERSION: &str = "0.1.0";

/// "Up to the NUL", where a length may be given.
pub const NUL: usize = usize::MAX;

pub const UNDEF: i32 = 0;
pub const BOOLEAN: i32 = 1;
pub const INTEGER: i32 = 2;
pub const FLOAT: i32 = 3;
pub const STRING: i32 = 4;
pub const BINARY: i32 = 5;
pub const ARRAY: i32 = 6;
pub const HASH: i32 = 7;
pub const UNKNOWN: i32 = 8;

pub const NAMEVAR: u64 = 1;
pub const PARAMETER: u64 = 2;
pub const READ_ONLY: u64 = 4;
pub const INIT_ONLY: u64 = 8;
pub const UNORDERED: u64 = 16;

pub const SIMPLE_GET_FILTER: u64 = 1;
pub const SUPPORTS_NOOP: u64 = 2;
pub const REMOTE_RESOURCE: u64 = 4;
pub const FORGETS_WORLD: u64 = 8;
pub const READ_BACK: u64 = 16;
pub const GATHERS: u64 = 32;
pub const CREATES_NEW: u64 = 1 << 32;
pub const PURE_CANONICALIZE: u64 = 1 << 33;

/// Of a plugin: one process for all of its providers.
pub const ONE_WORKER: u64 = 1;

pub const ABSENT: i32 = 1;
pub const DIFFERS: i32 = 3;
pub const DEFAULT_COMPARISON: i32 = 2;

pub const KEEP_ID: &[u8] = b"rhost.keep/1\0";
pub const FILE_ID: &[u8] = b"rhost.file/1\0";
pub const OVERLAP_ID: &[u8] = b"rhost.overlap/1\0";
pub const PRIVATE_ID: &[u8] = b"rhost.private/1\0";
pub const PATH_ID: &[u8] = b"rhost.path/1\0";

/// One call; only the first word is ours to read.
#[repr(C)]
pub struct Ctx {
    pub host: *const Host,
}

/// One datum; only the first word is ours to read.
#[repr(C)]
pub struct Datum {
    pub host: *const Host,
}

#[repr(C)]
pub struct RawChange {
    pub struct_size: usize,
    pub title: *const c_char,
    pub name: *const Datum,
    pub is: *const Datum,
    pub should: *const Datum,
}

#[repr(C)]
pub struct Host {
    pub struct_size: usize,
    pub version: *const c_char,
    pub kind: unsafe extern "C" fn(*const Datum) -> i32,
    pub sensitive: unsafe extern "C" fn(*const Datum) -> i32,
    pub boolean: unsafe extern "C" fn(*const Datum, i32) -> i32,
    pub integer: unsafe extern "C" fn(*const Datum, i64) -> i64,
    pub real: unsafe extern "C" fn(*const Datum, f64) -> f64,
    pub string: unsafe extern "C" fn(*const Datum, *mut usize) -> *const c_char,
    pub count: unsafe extern "C" fn(*const Datum) -> usize,
    pub at: unsafe extern "C" fn(*const Datum, usize, *mut *const c_char) -> *const Datum,
    pub get: unsafe extern "C" fn(*const Datum, *const c_char) -> *const Datum,
    pub equal: unsafe extern "C" fn(*const Datum, *const Datum) -> i32,
    pub new_hash: unsafe extern "C" fn(*mut Ctx) -> *mut Datum,
    pub put_hash: unsafe extern "C" fn(*mut Datum, *const c_char) -> *mut Datum,
    pub put_array: unsafe extern "C" fn(*mut Datum, *const c_char) -> *mut Datum,
    pub put_undef: unsafe extern "C" fn(*mut Datum, *const c_char),
    pub put_boolean: unsafe extern "C" fn(*mut Datum, *const c_char, i32),
    pub put_integer: unsafe extern "C" fn(*mut Datum, *const c_char, i64),
    pub put_real: unsafe extern "C" fn(*mut Datum, *const c_char, f64),
    pub put_string: unsafe extern "C" fn(*mut Datum, *const c_char, *const c_char, usize),
    pub put_binary: unsafe extern "C" fn(*mut Datum, *const c_char, *const c_void, usize),
    pub put_copy: unsafe extern "C" fn(*mut Datum, *const c_char, *const Datum),
    pub mark_sensitive: unsafe extern "C" fn(*mut Datum, *const c_char),
    pub emit: unsafe extern "C" fn(*mut Ctx, *const Datum) -> i32,
    pub changed: unsafe extern "C" fn(*mut Ctx, *const RawChange, *const *const c_char, usize) -> i32,
    pub explain: unsafe extern "C" fn(*mut Ctx, *const c_char) -> i32,
    pub fail: unsafe extern "C" fn(*mut Ctx, i32, *const c_char, *const c_char) -> i32,
    pub log: unsafe extern "C" fn(*mut Ctx, i32, *const *const c_char, usize, *const c_char),
    pub scope_begin: unsafe extern "C" fn(
        *mut Ctx,
        i32,
        *const *const c_char,
        usize,
        *const Datum,
        *const Datum,
        *const c_char,
    ) -> u64,
    pub scope_end: unsafe extern "C" fn(*mut Ctx, u64),
    pub did: unsafe extern "C" fn(
        *mut Ctx,
        i32,
        *const *const c_char,
        usize,
        *const Datum,
        *const Datum,
        *const c_char,
    ) -> i32,
    pub unchanged: unsafe extern "C" fn(*mut Ctx, *const c_char, *const c_char) -> i32,
    pub attribute_changed: unsafe extern "C" fn(
        *mut Ctx,
        *const c_char,
        *const c_char,
        *const Datum,
        *const Datum,
        *const c_char,
    ) -> i32,
    pub noop: unsafe extern "C" fn(*mut Ctx) -> i32,
    pub wants: unsafe extern "C" fn(*mut Ctx, *const c_char) -> i32,
    pub state: unsafe extern "C" fn(*mut Ctx) -> *mut *mut c_void,
    pub alloc: unsafe extern "C" fn(*mut Ctx, usize) -> *mut c_void,
    pub transport: unsafe extern "C" fn(*mut Ctx, *const c_char) -> *const c_void,
    pub extension: unsafe extern "C" fn(*mut Ctx, *const c_char) -> *const c_void,
    pub asked: Option<unsafe extern "C" fn(*mut Ctx) -> *const Datum>,
    pub fail_name:
        Option<unsafe extern "C" fn(*mut Ctx, *const Datum, i32, *const c_char, *const c_char) -> i32>,
    pub busy: Option<unsafe extern "C" fn(*mut Ctx, f64, *const c_char)>,
    pub progress: Option<unsafe extern "C" fn(*mut Ctx, *const c_char, u64, u64, *const c_char)>,
    pub stopping: Option<unsafe extern "C" fn(*mut Ctx) -> i32>,
    pub deadline: Option<unsafe extern "C" fn(*mut Ctx) -> f64>,
}

#[repr(C)]
pub struct RawAttr {
    pub name: *const c_char,
    pub r#type: *const c_char,
    pub desc: *const c_char,
    pub behaviour: u64,
    pub default_value: *const c_char,
    pub initial: *const c_char,
    pub deprecated: *const c_char,
    pub formerly: *const *const c_char,
}

#[repr(C)]
pub struct RawAction {
    pub name: *const c_char,
    pub desc: *const c_char,
    pub overlay: *const c_char,
}

pub type CtxFn = unsafe extern "C" fn(*mut Ctx) -> i32;
pub type ChangeFn = unsafe extern "C" fn(*mut Ctx, *const RawChange) -> i32;

#[repr(C)]
pub struct RawProvider {
    pub struct_size: usize,
    pub attr_stride: usize,
    pub n_attrs: usize,
    pub attrs: *const RawAttr,
    pub r#type: *const c_char,
    pub name: *const c_char,
    pub desc: *const c_char,
    pub features: u64,
    pub title_patterns: *const *const c_char,
    pub relations: *const *const c_char,
    pub action_stride: usize,
    pub n_actions: usize,
    pub actions: *const RawAction,
    pub default_action: *const c_char,
    pub refresh_action: *const c_char,
    pub suits: Option<CtxFn>,
    pub open: Option<CtxFn>,
    pub close: Option<unsafe extern "C" fn(*mut Ctx)>,
    pub canonicalize: Option<unsafe extern "C" fn(*mut Ctx, *mut Datum) -> i32>,
    pub insync: Option<unsafe extern "C" fn(*mut Ctx, *const RawChange, *const c_char) -> i32>,
    pub get: Option<unsafe extern "C" fn(*mut Ctx, *const Datum) -> i32>,
    pub load: Option<unsafe extern "C" fn(*mut Ctx, *const Datum, *const Datum, *mut Datum) -> i32>,
    pub set: Option<unsafe extern "C" fn(*mut Ctx, *const *const RawChange, usize) -> i32>,
    pub create: Option<ChangeFn>,
    pub update: Option<ChangeFn>,
    pub remove: Option<ChangeFn>,
    pub converge: Option<ChangeFn>,
    pub act: Option<unsafe extern "C" fn(*mut Ctx, *const RawChange, *const c_char) -> i32>,
    pub validate: Option<unsafe extern "C" fn(*mut Ctx, *const Datum) -> i32>,
    pub needs: *const *const c_char,
    pub irreversible: *const c_char,
}

#[repr(C)]
pub struct Plugin {
    pub struct_size: usize,
    pub name: *const c_char,
    pub version: *const c_char,
    pub providers: *const *const RawProvider,
    pub transports: *const *const RawTransport,
    pub extension: Option<unsafe extern "C" fn(*const c_char) -> *const c_void>,
    pub lookups: *const *const RawLookup,
    pub facts: *const *const RawFact,
    pub built_with: *const c_char,
    pub flags: u64,
}

#[repr(C)]
pub struct RawTransport {
    pub struct_size: usize,
    pub attr_stride: usize,
    pub n_attrs: usize,
    pub attrs: *const RawAttr,
    pub name: *const c_char,
    pub desc: *const c_char,
    pub open: Option<unsafe extern "C" fn(*mut Ctx, *const Datum) -> i32>,
    pub close: Option<unsafe extern "C" fn(*mut Ctx)>,
    pub verify: Option<CtxFn>,
    pub facts: Option<CtxFn>,
    pub api: Option<unsafe extern "C" fn(*mut Ctx, *const c_char) -> *const c_void>,
    pub needs: *const *const c_char,
}

#[repr(C)]
pub struct RawLookup {
    pub struct_size: usize,
    pub attr_stride: usize,
    pub n_attrs: usize,
    pub attrs: *const RawAttr,
    pub name: *const c_char,
    pub desc: *const c_char,
    pub r#type: *const c_char,
    pub find: Option<unsafe extern "C" fn(*mut Ctx, *const Datum, *mut Datum) -> i32>,
    pub needs: *const *const c_char,
}

#[repr(C)]
pub struct RawFact {
    pub struct_size: usize,
    pub name: *const c_char,
    pub r#type: *const c_char,
    pub desc: *const c_char,
    pub read: Option<unsafe extern "C" fn(*mut Ctx, *mut Datum) -> i32>,
    pub needs: *const *const c_char,
}

/// The extension rhost.file/1, as far as this crate uses it.
#[repr(C)]
pub struct File {
    pub struct_size: usize,
    pub replace: unsafe extern "C" fn(*mut Ctx, *const NewFile) -> i32,
    pub touched: unsafe extern "C" fn(*mut Ctx, *const c_char),
}

/// The extension rhost.keep/1.
#[repr(C)]
pub struct Keep {
    pub struct_size: usize,
    pub word:
        unsafe extern "C" fn(*mut Ctx, *const c_char, unsafe extern "C" fn(*mut c_void)) -> *mut *mut c_void,
    pub shared: Option<
        unsafe extern "C" fn(*mut Ctx, *const c_char, unsafe extern "C" fn(*mut c_void)) -> *mut *mut c_void,
    >,
}

/// The extension rhost.private/1.
#[repr(C)]
pub struct Private {
    pub struct_size: usize,
    pub get: unsafe extern "C" fn(*mut Ctx, *const Datum, *const c_char) -> *const c_char,
    pub put: unsafe extern "C" fn(*mut Ctx, *const Datum, *const c_char, *const c_char) -> i32,
    pub digest: unsafe extern "C" fn(*mut Ctx, *const Datum, *const c_char, *const Datum) -> *const c_char,
}

/// The extension rhost.overlap/1.
#[repr(C)]
pub struct Overlap {
    pub struct_size: usize,
    pub begin: unsafe extern "C" fn(*mut Ctx, i32, *const c_char, *const c_char) -> u64,
    pub end: unsafe extern "C" fn(*mut Ctx, u64, *const c_char),
}

/// The extension rhost.path/1.
#[repr(C)]
pub struct Path {
    pub struct_size: usize,
    pub open: unsafe extern "C" fn(*mut Ctx, *const c_char, u64, i32, u32) -> i32,
    pub parent: unsafe extern "C" fn(*mut Ctx, *const c_char, u64, *mut *const c_char) -> i32,
    pub r#unsafe: unsafe extern "C" fn(*mut Ctx) -> *const c_char,
    pub symlink: unsafe extern "C" fn(*mut Ctx, *const c_char, *const c_char, u64) -> i32,
    pub own: unsafe extern "C" fn(*mut Ctx, i32, i64, i64, i64) -> i32,
    pub trusted: Option<unsafe extern "C" fn(*mut Ctx, *const c_char) -> i32>,
    pub hidden_mount: Option<unsafe extern "C" fn(*mut Ctx, i32, *const c_char) -> i32>,
}

#[repr(C)]
pub struct NewFile {
    pub struct_size: usize,
    pub path: *const c_char,
    pub content: *const c_void,
    pub content_len: usize,
    pub source: *const c_char,
    pub mode: i64,
    pub uid: i64,
    pub gid: i64,
    pub flags: u64,
    pub validate: *const *const c_char,
    pub validate_timeout: u32,
    pub dir: i32,
    pub seen: *const c_void,
}
