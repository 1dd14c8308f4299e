/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/fake-value.h - what <rhost/fake-host.h>, which includes it, consists of, and its values. */
#ifndef RHOST_FAKE_VALUE_H
#define RHOST_FAKE_VALUE_H

#include <rhost/provider.h>

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
    int32_t stopping; /* what stopping() answers */
    double deadline;  /* what deadline() answers; 0: there is no limit */
    const void *(*api)(const char *id);  /* what transport() answers; NULL: rhost_fake_connect() decides */
    const void *(*find)(const char *id); /* extensions beside keep, and path, private and overlap */

    /* For the test to look at. */
    rhost_value *emitted; /* an array: what get() emitted */
    size_t failures;      /* how often fail() or fail_name() was called */
    rhost_value *unread;  /* an array: the names that fail_name() was called for */
    char *said;           /* a line for each thing said: "fail how: text", "log notice: text",
                           * "begin creating a", "end creating a", "did updating a", "unchanged a",
                           * "changed a target: text", "explain: text", "busy 30: text",
                           * "progress a 3/10 files" */

    /* Its own. */
    void *state;
    const struct rhost_transport *transport; /* that is open */
    void *transport_state;
    int32_t in_transport; /* state() is that of the transport */
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
    const struct rhost_fake_value *to = rhost_fake_of(in);
    const rhost_value *v = key      ? rhost_fake_get(in, key)
                           : to->n ? &to->entries[to->n - 1].value->v /* the last of an array */
                                   : NULL;

    if (v)
        rhost_fake_of(v)->sensitive = 1;
}

#ifdef __cplusplus
}
#endif

#endif
