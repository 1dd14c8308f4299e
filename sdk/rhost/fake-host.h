/* SPDX-License-Identifier: Apache-2.0 */
/* rhost/fake-host.h - a host for unit tests: it calls a provider's callbacks without rhost, and keeps
 * what they say. All of it is inline; include it in the test, after the provider's source: when that uses
 * <rhost/path.h>, the fake host opens paths as the C library does (rhost/fake-path.h).
 *
 *   struct rhost_fake fake;
 *   rhost_value *name, *current;
 *
 *   rhost_fake_init(&fake);
 *   name = rhost_fake_hash(&fake);
 *   rhost_put_str(name, "path", "/tmp/current");
 *   current = rhost_fake_hash(&fake);
 *   assert(link_load(&fake.ctx, name, NULL, current) == 0);
 *   assert(strcmp(rhost_str(current, "target"), "releases/7") == 0);
 *   assert(fake.failures == 0);
 *   rhost_fake_clear(&fake);
 *
 * It takes what a provider says at its word, and checks no types: `rhost check` does. Misuse of the
 * values, such as a key in an array, ends the test by abort(). */
#ifndef RHOST_FAKE_HOST_H
#define RHOST_FAKE_HOST_H

#include <rhost/keep.h>
#include <rhost/provider.h>

#ifdef RHOST_PATH_H
#include <rhost/fake-path.h>
#endif

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rhost_fake {
    rhost_ctx ctx; /* what callbacks are given: &fake.ctx */
    struct rhost_host host;

    /* For the test to set. */
    int32_t noop;
    const char *const *wanted; /* NULL-terminated, what wants() says yes to; NULL: to everything */
    const rhost_value *asked; /* what asked() answers */
    const void *(*find)(const char *id); /* extensions; NULL: none but rhost.keep/1 and rhost.path/1 */

    /* For the test to look at. */
    rhost_value *emitted; /* an array: what get() emitted */
    size_t failures;      /* how often fail() or fail_name() was called */
    rhost_value *unread;  /* an array: the names that fail_name() was called for */
    char *said;           /* a line for each thing said: "fail how: text", "log notice: text",
                           * "begin creating a", "end creating a", "did updating a", "unchanged a",
                           * "changed a target: text", "explain: text" */

    /* Its own. */
    void *state;
    struct rhost_fake_word {
        const char *name;
        void *word;
        void (*release)(void *kept);
    } words[8]; /* of rhost/keep.h */
    size_t said_len;
    struct rhost_fake_value *values; /* all there are, the last first */
    struct rhost_fake_block *blocks;
    struct rhost_fake_scope {
        uint64_t number;
        int32_t doing;
        char *title;
    } scopes[32];
    size_t n_scopes;
    uint64_t last_scope;
};

/* --- Its insides. -------------------------------------------------------------------------- */

struct rhost_fake_entry {
    char *key; /* NULL in an array */
    struct rhost_fake_value *value;
};

struct rhost_fake_value {
    rhost_value v; /* first */
    struct rhost_fake *fake;
    struct rhost_fake_value *next; /* of all */
    int32_t kind, sensitive;
    int64_t integer; /* and booleans */
    double real;
    char *text;
    size_t len;
    struct rhost_fake_entry *entries;
    size_t n;
};

struct rhost_fake_block {
    struct rhost_fake_block *next;
    union {
        long long integer;
        long double real;
        void *pointer;
    } bytes[1]; /* aligned for anything */
};

RHOST_UNUSED static inline void *
rhost_fake_memory(void *p, size_t n)
{
    p = realloc(p, n ? n : 1);
    if (!p)
        abort();
    return p;
}

RHOST_UNUSED static inline char *
rhost_fake_copy(const char *s, size_t len)
{
    char *copy = (char *)rhost_fake_memory(NULL, len + 1);

    if (len)
        memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

RHOST_UNUSED static inline struct rhost_fake_value *
rhost_fake_of(const rhost_value *v)
{
    return (struct rhost_fake_value *)(uintptr_t)v; /* ours, and not const when it was made */
}

RHOST_UNUSED static inline struct rhost_fake *
rhost_fake_from(rhost_ctx *ctx)
{
    return (struct rhost_fake *)(void *)ctx;
}

RHOST_UNUSED static inline struct rhost_fake_value *
rhost_fake_value_new(struct rhost_fake *f, int32_t kind)
{
    struct rhost_fake_value *v = (struct rhost_fake_value *)rhost_fake_memory(NULL, sizeof *v);

    memset(v, 0, sizeof *v);
    v->v.host = &f->host;
    v->fake = f;
    v->kind = kind;
    v->next = f->values;
    f->values = v;
    return v;
}

/* Adds a line to what was said. */
RHOST_UNUSED static inline void RHOST_PRINTF(2, 3)
rhost_fake_say(struct rhost_fake *f, const char *fmt, ...)
{
    char line[RHOST_MESSAGE_MAX + 512];
    size_t n;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(line, sizeof line - 1, fmt, ap);
    va_end(ap);
    n = strlen(line);
    line[n++] = '\n';
    f->said = (char *)rhost_fake_memory(f->said, f->said_len + n + 1);
    memcpy(f->said + f->said_len, line, n);
    f->said_len += n;
    f->said[f->said_len] = '\0';
}

RHOST_UNUSED static inline const char *
rhost_fake_doing(int32_t doing)
{
    static const char *const words[] = { "creating", "updating", "deleting", "processing", "failing" };

    return doing >= 0 && doing <= RHOST_FAILING ? words[doing] : "doing what is not known";
}

/* --- What the host's table has. ------------------------------------------------------------ */

RHOST_UNUSED static inline int32_t
rhost_fake_kind(const rhost_value *v)
{
    return v ? rhost_fake_of(v)->kind : (int32_t)RHOST_UNDEF;
}

RHOST_UNUSED static inline int32_t
rhost_fake_sensitive(const rhost_value *v)
{
    return v ? rhost_fake_of(v)->sensitive : 0;
}

RHOST_UNUSED static inline int32_t
rhost_fake_boolean(const rhost_value *v, int32_t fallback)
{
    return rhost_fake_kind(v) == RHOST_BOOLEAN ? (int32_t)rhost_fake_of(v)->integer : fallback;
}

RHOST_UNUSED static inline int64_t
rhost_fake_integer(const rhost_value *v, int64_t fallback)
{
    return rhost_fake_kind(v) == RHOST_INTEGER ? rhost_fake_of(v)->integer : fallback;
}

RHOST_UNUSED static inline double
rhost_fake_real(const rhost_value *v, double fallback)
{
    if (rhost_fake_kind(v) == RHOST_INTEGER)
        return (double)rhost_fake_of(v)->integer;
    return rhost_fake_kind(v) == RHOST_FLOAT ? rhost_fake_of(v)->real : fallback;
}

RHOST_UNUSED static inline const char *
rhost_fake_string(const rhost_value *v, size_t *len)
{
    int32_t kind = rhost_fake_kind(v);

    if (kind != RHOST_STRING && kind != RHOST_BINARY)
        return NULL;
    if (len)
        *len = rhost_fake_of(v)->len;
    return rhost_fake_of(v)->text;
}

RHOST_UNUSED static inline size_t
rhost_fake_count(const rhost_value *v)
{
    return v ? rhost_fake_of(v)->n : 0;
}

RHOST_UNUSED static inline const rhost_value *
rhost_fake_at(const rhost_value *v, size_t i, const char **key)
{
    if (i >= rhost_fake_count(v))
        return NULL;
    if (key)
        *key = rhost_fake_of(v)->entries[i].key;
    return &rhost_fake_of(v)->entries[i].value->v;
}

RHOST_UNUSED static inline const rhost_value *
rhost_fake_get(const rhost_value *v, const char *key)
{
    for (size_t i = 0; rhost_fake_kind(v) == RHOST_HASH && i < rhost_fake_of(v)->n; i++)
        if (strcmp(rhost_fake_of(v)->entries[i].key, key) == 0)
            return &rhost_fake_of(v)->entries[i].value->v;
    return NULL;
}

RHOST_UNUSED static inline int32_t
rhost_fake_equal(const rhost_value *a, const rhost_value *b)
{
    const struct rhost_fake_value *x = a ? rhost_fake_of(a) : NULL, *y = b ? rhost_fake_of(b) : NULL;

    if (!x || !y || x->kind != y->kind)
        return rhost_fake_kind(a) == RHOST_UNDEF && rhost_fake_kind(b) == RHOST_UNDEF;
    if (x->n != y->n || x->len != y->len || x->integer != y->integer || x->real < y->real
        || x->real > y->real || (x->len && memcmp(x->text, y->text, x->len) != 0))
        return 0;
    for (size_t i = 0; i < x->n; i++) {
        const rhost_value *other =
            x->kind == RHOST_HASH ? rhost_fake_get(b, x->entries[i].key) : &y->entries[i].value->v;

        if (!other || !rhost_fake_equal(&x->entries[i].value->v, other))
            return 0;
    }
    return 1;
}

/* What stands under this key from now on. */
RHOST_UNUSED static inline struct rhost_fake_value *
rhost_fake_put(rhost_value *in, const char *key, int32_t kind)
{
    struct rhost_fake_value *to = rhost_fake_of(in);
    struct rhost_fake_value *v = rhost_fake_value_new(to->fake, kind);
    size_t i = 0;

    if ((to->kind != RHOST_HASH || !key) && (to->kind != RHOST_ARRAY || key))
        abort(); /* a hash needs keys, an array has none, and nothing else has elements */
    while (key && i < to->n && strcmp(to->entries[i].key, key) != 0)
        i++;
    if (!key)
        i = to->n;
    if (i == to->n) {
        to->entries =
            (struct rhost_fake_entry *)rhost_fake_memory(to->entries, (i + 1) * sizeof *to->entries);
        to->entries[i].key = key ? rhost_fake_copy(key, strlen(key)) : NULL;
        to->n++;
    }
    to->entries[i].value = v;
    return v;
}

RHOST_UNUSED static inline rhost_value *
rhost_fake_new_hash(rhost_ctx *ctx)
{
    return &rhost_fake_value_new(rhost_fake_from(ctx), RHOST_HASH)->v;
}

RHOST_UNUSED static inline rhost_value *
rhost_fake_put_hash(rhost_value *in, const char *key)
{
    return &rhost_fake_put(in, key, RHOST_HASH)->v;
}

RHOST_UNUSED static inline rhost_value *
rhost_fake_put_array(rhost_value *in, const char *key)
{
    return &rhost_fake_put(in, key, RHOST_ARRAY)->v;
}

RHOST_UNUSED static inline void
rhost_fake_put_undef(rhost_value *in, const char *key)
{
    (void)rhost_fake_put(in, key, RHOST_UNDEF);
}

RHOST_UNUSED static inline void
rhost_fake_put_boolean(rhost_value *in, const char *key, int32_t b)
{
    rhost_fake_put(in, key, RHOST_BOOLEAN)->integer = b != 0;
}

RHOST_UNUSED static inline void
rhost_fake_put_integer(rhost_value *in, const char *key, int64_t i)
{
    rhost_fake_put(in, key, RHOST_INTEGER)->integer = i;
}

RHOST_UNUSED static inline void
rhost_fake_put_real(rhost_value *in, const char *key, double d)
{
    rhost_fake_put(in, key, RHOST_FLOAT)->real = d;
}

RHOST_UNUSED static inline void
rhost_fake_put_text(rhost_value *in, const char *key, int32_t kind, const char *s, size_t len)
{
    char *text = rhost_fake_copy(s, len == RHOST_NUL ? strlen(s) : len);
    struct rhost_fake_value *v = rhost_fake_put(in, key, kind);

    v->text = text;
    v->len = len == RHOST_NUL ? strlen(text) : len;
}

RHOST_UNUSED static inline void
rhost_fake_put_string(rhost_value *in, const char *key, const char *s, size_t len)
{
    rhost_fake_put_text(in, key, RHOST_STRING, s, len);
}

RHOST_UNUSED static inline void
rhost_fake_put_binary(rhost_value *in, const char *key, const void *p, size_t len)
{
    rhost_fake_put_text(in, key, RHOST_BINARY, (const char *)p, len);
}

RHOST_UNUSED static inline void
rhost_fake_put_copy(rhost_value *in, const char *key, const rhost_value *from)
{
    const struct rhost_fake_value *v = rhost_fake_of(from);
    struct rhost_fake_value *to = rhost_fake_put(in, key, v->kind);

    to->sensitive = v->sensitive;
    to->integer = v->integer;
    to->real = v->real;
    to->text = v->text ? rhost_fake_copy(v->text, v->len) : NULL;
    to->len = v->len;
    for (size_t i = 0; i < v->n; i++)
        rhost_fake_put_copy(&to->v, v->entries[i].key, &v->entries[i].value->v);
}

RHOST_UNUSED static inline void
rhost_fake_mark_sensitive(rhost_value *in, const char *key)
{
    const rhost_value *v = rhost_fake_get(in, key);

    if (v)
        rhost_fake_of(v)->sensitive = 1;
}

RHOST_UNUSED static inline int32_t
rhost_fake_emit(rhost_ctx *ctx, const rhost_value *resource)
{
    rhost_fake_put_copy(rhost_fake_from(ctx)->emitted, NULL, resource);
    return 0;
}

/* Compares what is wanted with what is there; of no attributes named, all that are wanted and that
 * were read. */
RHOST_UNUSED static inline int32_t
rhost_fake_changed(rhost_ctx *ctx, const struct rhost_change *change, const char *const *attributes,
                   size_t n)
{
    struct rhost_fake *f = rhost_fake_from(ctx);
    int32_t differs = !change->is != (rhost_gone(change) != 0);

    for (size_t i = 0; change->is && !rhost_gone(change) && i < (n ? n : rhost_count(change->should)); i++) {
        const char *key = n ? attributes[i] : NULL;

        if (!n)
            (void)rhost_at(change->should, i, &key);
        if (rhost_has(change->should, key) && (n || rhost_get(change->is, key))
            && !rhost_fake_equal(rhost_get(change->is, key), rhost_get(change->should, key))) {
            rhost_fake_say(f, "changed %s %s", change->title, key);
            differs = 1;
        }
    }
    return differs && !f->noop;
}

RHOST_UNUSED static inline int32_t
rhost_fake_explain(rhost_ctx *ctx, const char *message)
{
    rhost_fake_say(rhost_fake_from(ctx), "explain: %s", message);
    return 0;
}

RHOST_UNUSED static inline int32_t
rhost_fake_fail(rhost_ctx *ctx, int32_t number, const char *attribute, const char *message)
{
    struct rhost_fake *f = rhost_fake_from(ctx);

    f->failures++;
    rhost_fake_say(f, "fail%s%s: %s%s%s", attribute ? " " : "", attribute ? attribute : "", message,
                   number > 0 ? ": " : "", number > 0 ? strerror(number) : "");
    return -1;
}

RHOST_UNUSED static inline const rhost_value *
rhost_fake_asked(rhost_ctx *ctx)
{
    return rhost_fake_from(ctx)->asked;
}

RHOST_UNUSED static inline int32_t
rhost_fake_fail_name(rhost_ctx *ctx, const rhost_value *name, int32_t number, const char *attribute,
                     const char *message)
{
    rhost_fake_put_copy(rhost_fake_from(ctx)->unread, NULL, name);
    return rhost_fake_fail(ctx, number, attribute, message);
}

RHOST_UNUSED static inline void
rhost_fake_log(rhost_ctx *ctx, int32_t level, const char *const *titles, size_t n, const char *message)
{
    static const char *const words[] = { "debug", "info", "notice", "warning", "err" };

    rhost_fake_say(rhost_fake_from(ctx), "log %s%s%s: %s",
                   level >= 0 && level <= RHOST_ERR ? words[level] : "at no level", n ? " " : "",
                   n ? titles[0] : "", message);
}

RHOST_UNUSED static inline uint64_t
rhost_fake_scope_begin(rhost_ctx *ctx, int32_t doing, const char *const *titles, size_t n,
                       const rhost_value *is, const rhost_value *should, const char *message)
{
    struct rhost_fake *f = rhost_fake_from(ctx);
    const char *title = n ? titles[0] : "";

    (void)is;
    (void)should;
    if (f->n_scopes == sizeof f->scopes / sizeof f->scopes[0])
        abort();
    rhost_fake_say(f, "begin %s %s%s%s", rhost_fake_doing(doing), title, message ? ": " : "",
                   message ? message : "");
    f->scopes[f->n_scopes].number = ++f->last_scope;
    f->scopes[f->n_scopes].doing = doing;
    f->scopes[f->n_scopes++].title = rhost_fake_copy(title, strlen(title));
    return f->last_scope;
}

RHOST_UNUSED static inline void
rhost_fake_scope_end(rhost_ctx *ctx, uint64_t scope)
{
    struct rhost_fake *f = rhost_fake_from(ctx);

    if (!f->n_scopes || f->scopes[f->n_scopes - 1].number != scope)
        abort(); /* the innermost is the one to end */
    f->n_scopes--;
    rhost_fake_say(f, "end %s %s", rhost_fake_doing(f->scopes[f->n_scopes].doing),
                   f->scopes[f->n_scopes].title);
    free(f->scopes[f->n_scopes].title);
}

RHOST_UNUSED static inline int32_t
rhost_fake_did(rhost_ctx *ctx, int32_t doing, const char *const *titles, size_t n,
               const rhost_value *is, const rhost_value *should, const char *message)
{
    (void)is;
    (void)should;
    for (size_t i = 0; i < n; i++)
        rhost_fake_say(rhost_fake_from(ctx), "did %s %s%s%s", rhost_fake_doing(doing), titles[i],
                       message ? ": " : "", message ? message : "");
    return 0;
}

RHOST_UNUSED static inline int32_t
rhost_fake_unchanged(rhost_ctx *ctx, const char *title, const char *message)
{
    rhost_fake_say(rhost_fake_from(ctx), "unchanged %s%s%s", title, message ? ": " : "",
                   message ? message : "");
    return 0;
}

RHOST_UNUSED static inline int32_t
rhost_fake_attribute_changed(rhost_ctx *ctx, const char *title, const char *attribute,
                             const rhost_value *is, const rhost_value *should, const char *message)
{
    struct rhost_fake *f = rhost_fake_from(ctx);

    (void)is;
    (void)should;
    if (!title)
        title = f->n_scopes ? f->scopes[f->n_scopes - 1].title : "";
    rhost_fake_say(f, "changed %s %s%s%s", title, attribute, message ? ": " : "",
                   message ? message : "");
    return 0;
}

RHOST_UNUSED static inline int32_t
rhost_fake_noop(rhost_ctx *ctx)
{
    return rhost_fake_from(ctx)->noop;
}

RHOST_UNUSED static inline int32_t
rhost_fake_wants(rhost_ctx *ctx, const char *attribute)
{
    const char *const *wanted = rhost_fake_from(ctx)->wanted;

    if (!wanted)
        return 1;
    while (*wanted && strcmp(*wanted, attribute) != 0)
        wanted++;
    return *wanted != NULL;
}

RHOST_UNUSED static inline void **
rhost_fake_state(rhost_ctx *ctx)
{
    return &rhost_fake_from(ctx)->state;
}

RHOST_UNUSED static inline void *
rhost_fake_alloc(rhost_ctx *ctx, size_t n)
{
    struct rhost_fake *f = rhost_fake_from(ctx);
    struct rhost_fake_block *block = (struct rhost_fake_block *)rhost_fake_memory(NULL, sizeof *block + n);

    block->next = f->blocks;
    f->blocks = block;
    memset(block->bytes, 0, n);
    return block->bytes;
}

RHOST_UNUSED static inline const void *
rhost_fake_transport(rhost_ctx *ctx, const char *id)
{
    (void)ctx;
    (void)id;
    return NULL;
}

RHOST_UNUSED static inline void **
rhost_fake_word(rhost_ctx *ctx, const char *name, void (*release)(void *kept))
{
    struct rhost_fake *f = rhost_fake_from(ctx);
    size_t i = 0;

    while (i < sizeof f->words / sizeof *f->words && f->words[i].name && strcmp(f->words[i].name, name) != 0)
        i++;
    if (i == sizeof f->words / sizeof *f->words)
        abort();
    f->words[i].name = name;
    f->words[i].release = release;
    return &f->words[i].word;
}

RHOST_UNUSED static inline const void *
rhost_fake_extension(rhost_ctx *ctx, const char *id)
{
    static struct rhost_keep keep;
    const struct rhost_fake *f = rhost_fake_from(ctx);
    const void *found = f->find ? f->find(id) : NULL;

    keep.struct_size = sizeof keep;
    keep.word = rhost_fake_word;
    if (!found && strcmp(id, RHOST_KEEP_ID) == 0)
        found = &keep;
#ifdef RHOST_PATH_H
    if (!found && strcmp(id, RHOST_PATH_ID) == 0)
        found = rhost_fake_path();
#endif
    return found;
}

/* --- For the test. ------------------------------------------------------------------------- */

RHOST_UNUSED static inline void
rhost_fake_init(struct rhost_fake *f)
{
    /* In the order of the table. */
    const struct rhost_host host = {
        sizeof host, "0.0.0", rhost_fake_kind, rhost_fake_sensitive, rhost_fake_boolean,
        rhost_fake_integer, rhost_fake_real, rhost_fake_string, rhost_fake_count, rhost_fake_at,
        rhost_fake_get, rhost_fake_equal, rhost_fake_new_hash, rhost_fake_put_hash,
        rhost_fake_put_array, rhost_fake_put_undef, rhost_fake_put_boolean, rhost_fake_put_integer,
        rhost_fake_put_real, rhost_fake_put_string, rhost_fake_put_binary, rhost_fake_put_copy,
        rhost_fake_mark_sensitive, rhost_fake_emit, rhost_fake_changed, rhost_fake_explain,
        rhost_fake_fail, rhost_fake_log, rhost_fake_scope_begin, rhost_fake_scope_end,
        rhost_fake_did, rhost_fake_unchanged, rhost_fake_attribute_changed, rhost_fake_noop,
        rhost_fake_wants, rhost_fake_state, rhost_fake_alloc, rhost_fake_transport,
        rhost_fake_extension, rhost_fake_asked, rhost_fake_fail_name
    };

    memset(f, 0, sizeof *f);
    f->host = host;
    f->ctx.host = &f->host;
    f->emitted = &rhost_fake_value_new(f, RHOST_ARRAY)->v;
    f->unread = &rhost_fake_value_new(f, RHOST_ARRAY)->v;
    f->said = rhost_fake_copy("", 0);
}

/* Frees all that it gave, and releases what was kept. */
RHOST_UNUSED static inline void
rhost_fake_clear(struct rhost_fake *f)
{
    for (size_t i = 0; i < sizeof f->words / sizeof *f->words; i++)
        if (f->words[i].word && f->words[i].release)
            f->words[i].release(f->words[i].word);
    while (f->values) {
        struct rhost_fake_value *v = f->values;

        f->values = v->next;
        for (size_t i = 0; i < v->n; i++)
            free(v->entries[i].key);
        free(v->entries);
        free(v->text);
        free(v);
    }
    while (f->blocks) {
        struct rhost_fake_block *block = f->blocks;

        f->blocks = block->next;
        free(block);
    }
    while (f->n_scopes)
        free(f->scopes[--f->n_scopes].title);
    free(f->said);
    memset(f, 0, sizeof *f);
}

/* A hash to be filled by rhost_put_str() and its like. */
RHOST_UNUSED static inline rhost_value *
rhost_fake_hash(struct rhost_fake *f)
{
    return rhost_fake_new_hash(&f->ctx);
}

/* Forgets what was said, emitted and failed. */
RHOST_UNUSED static inline void
rhost_fake_forget(struct rhost_fake *f)
{
    f->failures = 0;
    f->said_len = 0;
    f->said[0] = '\0';
    f->emitted = &rhost_fake_value_new(f, RHOST_ARRAY)->v;
    f->unread = &rhost_fake_value_new(f, RHOST_ARRAY)->v;
}

/* The provider of a plugin that serves this type; NULL when none does. */
RHOST_UNUSED static inline const struct rhost_provider *
rhost_fake_provider(const struct rhost_plugin *plugin, const char *type)
{
    const struct rhost_provider *const *p = plugin->providers;

    while (p && *p && strcmp((*p)->type, type) != 0)
        p++;
    return p ? *p : NULL;
}

#ifdef __cplusplus
}
#endif

#endif
