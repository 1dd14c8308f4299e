/* SPDX-License-Identifier: Apache-2.0 */
/* table - the host's functions as plugins call them: reading and building values. What answers and
 * tells is in answer.c and log-scope.c. */
#include "config.h"

#include "provider/call.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/draft.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/secret.h"

#include <string.h>

enum {
    ENTRIES = 4, /* that a new hash has room for */
    LONGEST_VALUE = 1 << 30,
    /* Kinds that have text. */
    TEXTS = 1 << RH_STRING | 1 << RH_BINARY | 1 << RH_REGEXP | 1 << RH_SEMVER | 1 << RH_SEMVER_RANGE
            | 1 << RH_TIMESTAMP | 1 << RH_TIMESPAN | 1 << RH_URI | 1 << RH_TYPE,
};

static const struct rh_value *
inside(const rhost_value *v)
{
    return (const struct rh_value *)(const void *)v;
}

static const rhost_value *
outside(const struct rh_value *v)
{
    return (const rhost_value *)(const void *)v;
}

/* What a check of the plugin watches. */
static rh_asked_fn *watcher;
static void *watcher_data;
static const struct rh_value *found_last;
static const char *found_key;

void
rh_table_watch(rh_asked_fn *fn, void *data)
{
    watcher = fn;
    watcher_data = data;
    found_last = NULL;
}

static void
note_found(const struct rh_value *v, const char *key)
{
    if (!watcher)
        return;
    found_last = v;
    found_key = key;
}

/* A question that this value can't answer: `kinds` has a bit for each that could. */
static void
note_asked(const struct rh_value *v, const char *function, unsigned kinds)
{
    if (watcher && v && v == found_last && v->kind != RH_UNDEF && !(kinds & 1U << v->kind))
        watcher(watcher_data, found_key, function, kinds);
}

static int32_t
table_kind(const rhost_value *v)
{
    const struct rh_value *in = inside(v);

    rh_handle_check_thread(__func__);
    if (!in)
        return RHOST_UNDEF;
    return in->kind <= RH_UNKNOWN ? in->kind : RHOST_STRING;
}

static int32_t
table_sensitive(const rhost_value *v)
{
    rh_handle_check_thread(__func__);
    return rh_value_sensitive(inside(v));
}

static int32_t
table_boolean(const rhost_value *v, int32_t fallback)
{
    rh_handle_check_thread(__func__);
    note_asked(inside(v), "boolean", 1U << RH_BOOLEAN);
    return rh_value_is(inside(v), RH_BOOLEAN) ? (int32_t)inside(v)->u.integer : fallback;
}

static int64_t
table_integer(const rhost_value *v, int64_t fallback)
{
    rh_handle_check_thread(__func__);
    note_asked(inside(v), "integer", 1U << RH_INTEGER);
    return rh_value_is(inside(v), RH_INTEGER) ? inside(v)->u.integer : fallback;
}

static double
table_real(const rhost_value *v, double fallback)
{
    rh_handle_check_thread(__func__);
    note_asked(inside(v), "real", 1U << RH_INTEGER | 1U << RH_FLOAT);
    if (rh_value_is(inside(v), RH_INTEGER))
        return (double)inside(v)->u.integer;
    return rh_value_is(inside(v), RH_FLOAT) ? inside(v)->u.real : fallback;
}

static const char *
table_string(const rhost_value *v, size_t *len)
{
    const struct rh_value *in = inside(v);

    rh_handle_check_thread(__func__);
    note_asked(in, "string", TEXTS);
    /* Rich scalars are their text to a plugin; kind() says string as well. */
    if (!in || !rh_kind_has_text(in->kind))
        return NULL;
    if (len)
        *len = in->count;
    return in->u.string;
}

static size_t
table_count(const rhost_value *v)
{
    rh_handle_check_thread(__func__);
    note_asked(inside(v), "count", 1U << RH_ARRAY | 1U << RH_HASH);
    return rh_value_count(inside(v));
}

static const rhost_value *
table_at(const rhost_value *v, size_t i, const char **key)
{
    const struct rh_entry *e = rh_value_entry(inside(v), i);

    rh_handle_check_thread(__func__);
    note_asked(inside(v), "at", 1U << RH_ARRAY | 1U << RH_HASH);
    if (key)
        *key = e ? e->key : NULL;
    if (e)
        note_found(e->value, e->key);
    return outside(e ? e->value : rh_value_at(inside(v), i));
}

static const rhost_value *
table_get(const rhost_value *hash, const char *key)
{
    const struct rh_value *v = key ? rh_value_get(inside(hash), key) : NULL;

    rh_handle_check_thread(__func__);
    note_asked(inside(hash), "get", 1U << RH_HASH);
    note_found(v, key);
    return outside(v);
}

static int32_t
table_equal(const rhost_value *a, const rhost_value *b)
{
    rh_handle_check_thread(__func__);
    return rh_value_equal(inside(a), inside(b));
}

static rhost_value *
table_new_hash(rhost_ctx *ctx)
{
    struct rh_call *call = rh_call_of(ctx);
    struct rh_value *v = rh_value_hash(call->arena, ENTRIES);

    if (call->may_emit) /* mostly the next resource to be emitted */
        rh_secret_watch(call->rt, call->wanted, v);
    return (rhost_value *)(void *)v;
}

static void
note_misuse(const struct rh_value *to, const char *key)
{
    if (rh_value_is(to, RH_HASH) && !key)
        rh_call_misused("it put a value without a key into a hash");
    else if (rh_value_is(to, RH_ARRAY) && key)
        rh_call_misused("it put a value with a key into an array");
    else if (!rh_value_is(to, RH_HASH) && !rh_value_is(to, RH_ARRAY))
        rh_call_misused("it put a value into one that is neither a hash nor an array");
}

/* Puts `v` where a plugin said; what can't be put there is dropped, and the call fails. */
static void
put(rhost_value *in, const char *key, struct rh_value *v)
{
    struct rh_value *to = (struct rh_value *)(void *)in;

    note_misuse(to, key);
    if (rh_value_is(to, RH_ARRAY) && !key) {
        rh_value_append(to, v);
    } else if (rh_value_is(to, RH_HASH) && key) {
        size_t n = strlen(key);
        rh_autofree char *safe = rh_utf8_valid(key, n) ? NULL : rh_safe_text(key);
        const struct rh_value *was = rh_value_get(to, safe ? safe : key);

        if (!was) {
            rh_value_add_ref(to, rh_arena_strdup(rh_value_arena(to), safe ? safe : key), v);
            return;
        }
        /* What was secret stays so in another form, as after canonicalize(). */
        if (rh_value_sensitive(was))
            v->marks |= RH_SENSITIVE;
        rh_value_put(to, safe ? safe : key, v);
    }
}

static struct rh_arena *
arena_of(const rhost_value *in)
{
    const struct rh_value *to = inside(in);
    bool is_container = rh_value_is(to, RH_ARRAY) || rh_value_is(to, RH_HASH);

    if (!is_container)
        note_misuse(to, NULL);
    return is_container ? rh_value_arena(to) : NULL;
}

static rhost_value *
put_container(rhost_value *in, const char *key, enum rh_kind kind)
{
    struct rh_arena *a = arena_of(in);
    struct rh_value *v = a ? rh_value_new(a, kind) : NULL;

    if (v)
        put(in, key, v);
    return (rhost_value *)(void *)v;
}

static rhost_value *
table_put_hash(rhost_value *in, const char *key)
{
    rh_handle_check_thread(__func__);
    return put_container(in, key, RH_HASH);
}

static rhost_value *
table_put_array(rhost_value *in, const char *key)
{
    rh_handle_check_thread(__func__);
    return put_container(in, key, RH_ARRAY);
}

static void
table_put_undef(rhost_value *in, const char *key)
{
    rh_handle_check_thread(__func__);
    (void)put_container(in, key, RH_UNDEF);
}

static void
table_put_boolean(rhost_value *in, const char *key, int32_t b)
{
    rh_handle_check_thread(__func__);
    if (arena_of(in))
        put(in, key, rh_value_boolean(arena_of(in), b != 0));
}

static void
table_put_integer(rhost_value *in, const char *key, int64_t i)
{
    rh_handle_check_thread(__func__);
    if (arena_of(in))
        put(in, key, rh_value_integer(arena_of(in), i));
}

static void
table_put_real(rhost_value *in, const char *key, double d)
{
    rh_handle_check_thread(__func__);
    if (arena_of(in))
        put(in, key, rh_value_float(arena_of(in), d));
}

static void
table_put_binary(rhost_value *in, const char *key, const void *p, size_t len)
{
    rh_handle_check_thread(__func__);
    if (arena_of(in) && p && len <= LONGEST_VALUE)
        put(in, key, rh_value_binary(arena_of(in), p, len));
}

static void
table_put_string(rhost_value *in, const char *key, const char *s, size_t len)
{
    rh_handle_check_thread(__func__);
    if (!s) {
        table_put_undef(in, key);
        return;
    }
    if (len == RHOST_NUL)
        len = strlen(s);
    if (!arena_of(in) || len > LONGEST_VALUE)
        return;
    /* Text that is no UTF-8 is bytes, whatever the plugin calls it. */
    if (rh_utf8_valid(s, len))
        put(in, key, rh_value_stringn(arena_of(in), s, len));
    else
        put(in, key, rh_value_binary(arena_of(in), s, len));
}

static void
table_put_copy(rhost_value *in, const char *key, const rhost_value *v)
{
    rh_handle_check_thread(__func__);
    if (arena_of(in) && v)
        put(in, key, rh_value_copy(arena_of(in), inside(v)));
}

static void
table_mark_sensitive(rhost_value *in, const char *key)
{
    struct rh_value *to = (struct rh_value *)(void *)in;

    rh_handle_check_thread(__func__);
    if (to && key)
        to = rh_draft_get(to, key);
    else if (rh_value_is(to, RH_ARRAY))
        to = to->count ? rh_draft_part(to, to->count - 1) : NULL;
    if (to)
        to->marks |= RH_SENSITIVE;
}

const struct rhost_host rh_host_table = {
    .struct_size = sizeof rh_host_table,
    .version = PACKAGE_VERSION,
    .kind = table_kind,
    .sensitive = table_sensitive,
    .boolean = table_boolean,
    .integer = table_integer,
    .real = table_real,
    .string = table_string,
    .count = table_count,
    .at = table_at,
    .get = table_get,
    .equal = table_equal,
    .new_hash = table_new_hash,
    .put_hash = table_put_hash,
    .put_array = table_put_array,
    .put_undef = table_put_undef,
    .put_boolean = table_put_boolean,
    .put_integer = table_put_integer,
    .put_real = table_put_real,
    .put_string = table_put_string,
    .put_binary = table_put_binary,
    .put_copy = table_put_copy,
    .mark_sensitive = table_mark_sensitive,
    .emit = rh_table_emit,
    .changed = rh_table_changed,
    .explain = rh_table_explain,
    .fail = rh_table_fail,
    .log = rh_table_log,
    .scope_begin = rh_table_scope_begin,
    .scope_end = rh_table_scope_end,
    .did = rh_table_did,
    .unchanged = rh_table_unchanged,
    .attribute_changed = rh_table_attribute_changed,
    .noop = rh_table_noop,
    .wants = rh_table_wants,
    .state = rh_table_state,
    .alloc = rh_table_alloc,
    .transport = rh_table_transport,
    .extension = rh_table_extension,
    .asked = rh_table_asked,
    .fail_name = rh_table_fail_name,
    .busy = rh_table_busy,
    .progress = rh_table_progress,
    .stopping = rh_table_stopping,
    .deadline = rh_table_deadline,
};
