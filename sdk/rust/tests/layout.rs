// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `src/abi.rs` is the ABI as it stands: each member lies where the golden layout of the C headers has it,
//! each name is worth the same, and no member is missing.
use rhost::abi::*;
use std::collections::BTreeMap;
use std::mem::{size_of, MaybeUninit};
use std::ptr;

type Layout = BTreeMap<String, String>;

/// The size of what a pointer to a member points at.
fn size_behind<S, M>(_: fn(&S) -> &M) -> usize {
    size_of::<M>()
}

/// As that of std::mem, which came with Rust 1.77.
macro_rules! offset_of {
    ($what:ty, $member:tt) => {{
        let whole = MaybeUninit::<$what>::uninit();
        let at = unsafe { ptr::addr_of!((*whole.as_ptr()).$member) };
        at as usize - whole.as_ptr() as usize
    }};
}

macro_rules! lay_out {
    ($into:expr, $name:literal, $what:ty, $($member:ident),+) => {
        $into.insert(format!("struct {}", $name), format!("{} bytes", size_of::<$what>()));
        $($into.insert(
            format!("{}.{}", $name, stringify!($member).trim_start_matches("r#")),
            format!("at {}, {} bytes", offset_of!($what, $member), size_behind(|s: &$what| &s.$member)),
        );)+
    };
}

macro_rules! worth {
    ($into:expr, $($name:ident),+) => {
        $($into.insert(format!("RHOST_{}", stringify!($name)), format!("is {}", $name));)+
    };
}

fn here() -> Layout {
    let mut here = Layout::new();

    lay_out!(here, "rhost_ctx", Ctx, host);
    lay_out!(here, "rhost_value", Datum, host);
    lay_out!(here, "rhost_change", RawChange, struct_size, title, name, is, should);
    lay_out!(
        here,
        "rhost_host",
        Host,
        struct_size,
        version,
        kind,
        sensitive,
        boolean,
        integer,
        real,
        string,
        count,
        at,
        get,
        equal,
        new_hash,
        put_hash,
        put_array,
        put_undef,
        put_boolean,
        put_integer,
        put_real,
        put_string,
        put_binary,
        put_copy,
        mark_sensitive,
        emit,
        changed,
        explain,
        fail,
        log,
        scope_begin,
        scope_end,
        did,
        unchanged,
        attribute_changed,
        noop,
        wants,
        state,
        alloc,
        transport,
        extension,
        asked,
        fail_name,
        busy,
        progress,
        stopping,
        deadline
    );
    lay_out!(
        here,
        "rhost_attr",
        RawAttr,
        name,
        r#type,
        desc,
        behaviour,
        default_value,
        initial,
        deprecated,
        formerly
    );
    lay_out!(here, "rhost_action", RawAction, name, desc, overlay);
    lay_out!(
        here,
        "rhost_provider",
        RawProvider,
        struct_size,
        attr_stride,
        n_attrs,
        attrs,
        r#type,
        name,
        desc,
        features,
        title_patterns,
        relations,
        action_stride,
        n_actions,
        actions,
        default_action,
        refresh_action,
        suits,
        open,
        close,
        canonicalize,
        insync,
        get,
        load,
        set,
        create,
        update,
        remove,
        converge,
        act,
        validate,
        needs,
        irreversible
    );
    lay_out!(
        here,
        "rhost_plugin",
        Plugin,
        struct_size,
        name,
        version,
        providers,
        transports,
        extension,
        lookups,
        facts,
        built_with,
        flags
    );
    lay_out!(
        here,
        "rhost_transport",
        RawTransport,
        struct_size,
        attr_stride,
        n_attrs,
        attrs,
        name,
        desc,
        open,
        close,
        verify,
        facts,
        api,
        needs
    );
    lay_out!(here, "rhost_keep", Keep, struct_size, word, shared);
    lay_out!(
        here,
        "rhost_lookup",
        RawLookup,
        struct_size,
        attr_stride,
        n_attrs,
        attrs,
        name,
        desc,
        r#type,
        find,
        needs
    );
    lay_out!(here, "rhost_fact", RawFact, struct_size, name, r#type, desc, read, needs);
    lay_out!(here, "rhost_file", File, struct_size, replace, touched);
    lay_out!(
        here,
        "rhost_new_file",
        NewFile,
        struct_size,
        path,
        content,
        content_len,
        source,
        mode,
        uid,
        gid,
        flags,
        validate,
        validate_timeout,
        dir,
        seen
    );
    lay_out!(here, "rhost_private", Private, struct_size, get, put, digest);
    lay_out!(here, "rhost_overlap", Overlap, struct_size, begin, end);
    lay_out!(here, "rhost_path", Path, struct_size, open, parent, r#unsafe, symlink, own, trusted, hidden_mount);
    worth!(
        here,
        UNDEF,
        BOOLEAN,
        INTEGER,
        FLOAT,
        STRING,
        BINARY,
        ARRAY,
        HASH,
        UNKNOWN,
        NAMEVAR,
        PARAMETER,
        READ_ONLY,
        INIT_ONLY,
        UNORDERED,
        SIMPLE_GET_FILTER,
        SUPPORTS_NOOP,
        REMOTE_RESOURCE,
        FORGETS_WORLD,
        READ_BACK,
        GATHERS,
        CREATES_NEW,
        PURE_CANONICALIZE,
        ONE_WORKER,
        ABSENT,
        DIFFERS,
        DEFAULT_COMPARISON
    );
    here
}

/// A line is `rhost_ctx.host at 0, 8 bytes`, `struct rhost_ctx, 8 bytes`, or `RHOST_UNDEF is 0`.
fn golden() -> Layout {
    let path = std::env::var("RHOST_ABI_LAYOUT").expect("RHOST_ABI_LAYOUT names the golden layout");

    std::fs::read_to_string(path)
        .expect("the golden layout can be read")
        .lines()
        .map(|line| match line.strip_prefix("struct ") {
            Some(rest) => {
                let (name, size) = rest.split_once(", ").expect("a name and its size");
                (format!("struct {name}"), size.to_owned())
            }
            None => {
                let (name, rest) = line.split_once(' ').expect("a name and what it is");
                (name.to_owned(), rest.to_owned())
            }
        })
        .collect()
}

#[test]
fn everything_is_where_the_headers_have_it() {
    let (here, golden) = (here(), golden());

    for (name, what) in &here {
        assert_eq!(golden.get(name), Some(what), "{name}");
    }
    for name in golden.keys() {
        let of = name.split('.').next().unwrap_or_default();
        assert!(
            !here.contains_key(&format!("struct {of}")) || here.contains_key(name),
            "{name} is not in src/abi.rs"
        );
    }
}
