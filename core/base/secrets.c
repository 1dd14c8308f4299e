/* SPDX-License-Identifier: Apache-2.0 */
/* secrets - the secrets of a run, and taking them out of text. */
#include "config.h"

#include "base/secrets.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/secret-forms.h"
#include "base/secret-index.h"
#include "base/text.h"
#include "base/value.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum {
    DEEPEST = 1000,
    ALL_FORMS = 1 << 20,      /* longer ones are looked for as they are, and by their lines */
    MOST_OF_FORMS = 64 << 20, /* bytes that forms may take */
};

static size_t
hash_of(const char *s, size_t n)
{
    uint64_t h = 0xcbf29ce484222325U;

    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 0x100000001b3U;
    return (size_t)(h ^ h >> 29);
}

/* Where it is, or would be, in the table; 0 stands there in the latter case. */
static size_t *
find_seen(const struct rh_secrets *s, const char *text, size_t n)
{
    size_t at = hash_of(text, n) & (s->n_seen - 1);

    for (; s->seen[at]; at = (at + 1) & (s->n_seen - 1)) {
        const struct rh_secret *one = &s->v[s->seen[at] - 1];

        if (one->n == n && memcmp(one->s, text, n) == 0)
            break;
    }
    return &s->seen[at];
}

static void
make_room(struct rh_secrets *s)
{
    if (s->n * 2 < s->n_seen)
        return;
    free(s->seen);
    s->n_seen = s->n_seen ? s->n_seen * 2 : 16;
    s->seen = rh_xalloc(rh_xmul(s->n_seen, sizeof *s->seen));
    for (size_t i = 0; i < s->n; i++)
        *find_seen(s, s->v[i].s, s->v[i].n) = i + 1;
}

void
rh_secrets_add(struct rh_secrets *s, const char *text, size_t n)
{
    size_t *seen;

    if (n < RH_SECRET_LEAST)
        return;
    make_room(s);
    seen = find_seen(s, text, n);
    if (*seen)
        return;
    if (!s->n)
        rh_secrets_shield();
    s->v = rh_xgrow(s->v, &s->cap, s->n, sizeof *s->v);
    s->v[s->n].s = rh_xalloc(n + 1);
    memcpy(s->v[s->n].s, text, n);
    s->v[s->n].n = n;
    *seen = ++s->n;
}

/* The kinds without parts, as bits. */
static const uint32_t PLAIN = ~(1U << RH_ARRAY | 1U << RH_HASH | 1U << RH_WRAPPED | 1U << RH_MAP);

/* Nearly all of what is read is plain text or a plain number: it is passed over without a call. */
static bool
is_plain(const struct rh_value *v)
{
    return !v || (!(v->marks & RH_SENSITIVE) && (PLAIN >> v->kind & 1));
}

static void
learn(struct rh_secrets *s, const struct rh_value *v, bool all, int depth)
{
    if (!v || depth > DEEPEST)
        return;
    all |= v->marks & RH_SENSITIVE || v->kind == RH_WRAPPED;
    if (v->kind == RH_HASH) {
        for (const struct rh_entry *e = v->u.entries, *end = e + v->count; e < end; e++)
            if (all || !is_plain(e->value))
                learn(s, e->value, all, depth + 1);
    } else if (rh_kind_has_items(v->kind)) {
        for (uint32_t i = 0; i < v->count; i++)
            if (all || !is_plain(v->u.items[i]))
                learn(s, v->u.items[i], all, depth + 1);
    } else if (!all) {
        return;
    } else if (rh_kind_has_text(v->kind)) {
        rh_secrets_add(s, v->u.string, v->count);
    } else if (v->kind == RH_INTEGER || v->kind == RH_FLOAT) {
        struct rh_value open = *v;
        rh_autobuf struct rh_buf b = { 0 };

        open.marks = 0;
        rh_value_show(&b, &open, 0);
        rh_secrets_add(s, b.s, b.n);
    }
}

void
rh_secrets_learn(struct rh_secrets *s, const struct rh_value *v, bool all)
{
    learn(s, v, all, 0);
}

struct indexing {
    struct rh_secret_index *index;
    const struct rh_secret *secret;
};

/* What is part of the secret, and no encoding of it, may be met cut off. */
static void
add_form(void *data, const char *s, size_t n)
{
    const struct indexing *i = data;
    bool part = (uintptr_t)s - (uintptr_t)i->secret->s < i->secret->n;

    rh_secret_index_add(i->index, s, n, part);
}

static void
bring_index_up(struct rh_secrets *s)
{
    if (!s->index)
        s->index = rh_secret_index_new();
    for (; s->indexed < s->n; s->indexed++) {
        const struct rh_secret *one = &s->v[s->indexed];
        struct indexing i = { s->index, one };

        if (one->n <= ALL_FORMS && rh_secret_index_bytes(s->index) < MOST_OF_FORMS)
            rh_secret_forms(one->s, one->n, add_form, &i);
        else
            rh_secret_lines(one->s, one->n, add_form, &i);
    }
}

bool
rh_secrets_scrub(struct rh_secrets *s, const char *text, size_t n, struct rh_buf *out)
{
    if (!s->n || n < RH_SECRET_LEAST)
        return false;
    bring_index_up(s);
    return rh_secret_index_scrub(s->index, text, n, out);
}

bool
rh_secrets_has(struct rh_secrets *s, const char *text, size_t n)
{
    rh_autobuf struct rh_buf scrubbed = { 0 };

    return rh_secrets_scrub(s, text, n, &scrubbed);
}

char *
rh_secrets_scrubbed(struct rh_secrets *s, const char *text)
{
    struct rh_buf b = { 0 };

    return s->n && rh_secrets_scrub(s, text, strlen(text), &b) ? rh_buf_take(&b) : NULL;
}

void
rh_secrets_clear(struct rh_secrets *s)
{
    for (size_t i = 0; i < s->n; i++) {
        explicit_bzero(s->v[i].s, s->v[i].n);
        free(s->v[i].s);
    }
    free(s->v);
    free(s->seen);
    rh_secret_index_free(s->index);
    *s = (struct rh_secrets){ 0 };
}

void
rh_secrets_shield(void)
{
#ifndef RH_SANITIZERS /* which look into their own process */
    static bool done;

    if (!done)
        (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    done = true;
#endif
}
