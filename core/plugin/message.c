/* SPDX-License-Identifier: Apache-2.0 */
/* message - the requests that frames carry: hello, and what is wanted. What comes back is in
 * message-answer.c. */
#include "config.h"

#include "plugin/message.h"

#include "base/arena.h"
#include "base/draft.h"
#include "base/value.h"
#include "schema/type.h"

#include <string.h>

enum {
    NOOP = 1,
    STALE = 2,
    HAS_SHOULD = 4,
    TRIAL = 8,
    WATCHED = 16,
    BEGUN = 32,
    VERIFY = 64,
    LIMITED = 128,
    REPLACE = 256,
    EXPECTED = 512,
    RESULT = 1024,
    BACKUP = 2048,
    CANONICAL = 4096,
};
enum { LEFT = 1, ANY = 2, UNCHANGED = 4 }; /* of what is expected */

void
rh_message_hello(struct rh_buf *b, const struct rh_hello *hello)
{
    size_t frame = rh_frame_begin(b, RH_HELLO);

    rh_put_text(b, hello->path);
    rh_put_text(b, hello->type);
    rh_put_text(b, hello->provider);
    rh_put_u8(b, hello->strict);
    rh_put_u8(b, hello->debug);
    rh_put_u8(b, hello->diff);
    rh_put_u8(b, hello->notices);
    rh_put_u8(b, hello->noop);
    rh_put_u8(b, hello->sole);
    rh_put_u32(b, hello->time_limit);
    rh_put_u8(b, hello->live);
    rh_put_u8(b, hello->tail);
    rh_put_u8(b, hello->facts);
    rh_put_u8(b, hello->source);
    rh_put_u8(b, hello->target != NULL);
    if (hello->target) {
        rh_put_text(b, hello->target->path);
        rh_put_text(b, hello->target->transport);
        rh_put_value(b, hello->target->info);
    }
    rh_frame_end(b, frame);
}

bool
rh_message_take_hello(struct rh_in *in, struct rh_arena *a, struct rh_hello *hello, struct rh_target *taken)
{
    hello->path = rh_take_text(in);
    hello->type = rh_take_text(in);
    hello->provider = rh_take_text(in);
    hello->strict = (enum rh_strict)rh_take_u8(in);
    in->bad |= hello->strict > RH_STRICT_OFF;
    hello->debug = rh_take_u8(in) != 0;
    hello->diff = rh_take_u8(in) != 0;
    hello->notices = rh_take_u8(in) != 0;
    hello->noop = rh_take_u8(in) != 0;
    hello->sole = rh_take_u8(in) != 0;
    hello->time_limit = rh_take_u32(in);
    hello->live = rh_take_u8(in) != 0;
    hello->tail = rh_take_u8(in) != 0;
    hello->facts = rh_take_u8(in) != 0;
    hello->source = rh_take_u8(in) != 0;
    hello->target = rh_take_u8(in) ? taken : NULL;
    if (hello->target) {
        taken->path = rh_take_text(in);
        taken->transport = rh_take_text(in);
        taken->info = rh_take_value(in, a);
        in->bad |= !rh_value_is(taken->info, RH_HASH);
    }
    return !in->bad;
}

static void
put_watch(struct rh_buf *b, const struct rh_watch *w)
{
    rh_put_text(b, w->salt);
    rh_put_u8(b, w->only);
    rh_put_u32(b, (uint32_t)w->n);
    for (size_t i = 0; i < w->n; i++) {
        rh_put_text(b, w->names[i]);
        rh_put_u8(b, w->secret[i]);
    }
}

/* Attributes that the type has not are nonsense. */
static const struct rh_watch *
take_watch(struct rh_in *in, struct rh_arena *a, const struct rh_type *t)
{
    struct rh_watch *w = rh_arena_alloc(a, sizeof *w);
    const char **names;
    bool *secret;
    uint32_t n;

    w->salt = rh_take_text(in);
    w->only = rh_take_u8(in);
    n = rh_take_u32(in);
    if (n > t->n_attrs)
        in->bad = true;
    if (in->bad)
        return NULL;
    names = rh_arena_alloc(a, n * sizeof *names);
    secret = rh_arena_alloc(a, n * sizeof *secret);
    for (uint32_t i = 0; i < n; i++) {
        const struct rh_attr *attr = rh_type_attr(t, rh_take_text(in));

        secret[i] = rh_take_u8(in);
        if (!attr || in->bad) {
            in->bad = true;
            return NULL;
        }
        names[i] = attr->name;
    }
    w->names = names;
    w->secret = secret;
    w->n = n;
    return w;
}

static void
put_expected(struct rh_buf *b, const struct rh_expected *p)
{
    rh_put_text(b, p->key);
    rh_put_u8(b, (p->left ? LEFT : 0U) | (p->any ? ANY : 0U) | (p->unchanged ? UNCHANGED : 0U));
    rh_put_u8(b, p->state != NULL);
    if (p->state)
        rh_put_value(b, p->state);
}

static const struct rh_expected *
take_expected(struct rh_in *in, struct rh_arena *a)
{
    struct rh_expected *p = rh_arena_alloc(a, sizeof *p);
    unsigned flags;

    p->key = rh_take_text(in);
    flags = rh_take_u8(in);
    p->left = flags & LEFT;
    p->any = flags & ANY;
    p->unchanged = flags & UNCHANGED;
    p->state = rh_take_u8(in) ? rh_take_value(in, a) : NULL;
    in->bad |= p->state && p->state->kind != RH_HASH && p->state->kind != RH_UNDEF;
    return p;
}

enum { REQUIRED = 1, SEALED = 2, BRIEF = 4 };

static void
put_backup(struct rh_buf *b, const struct rh_backup *backup)
{
    rh_put_text(b, backup->key);
    rh_put_u8(b, (backup->required ? REQUIRED : 0U) | (backup->sealed ? SEALED : 0U)
                     | (backup->brief ? BRIEF : 0U));
}

static const struct rh_backup *
take_backup(struct rh_in *in, struct rh_arena *a)
{
    struct rh_backup *backup = rh_arena_alloc(a, sizeof *backup);
    unsigned flags;

    backup->key = rh_take_text(in);
    flags = rh_take_u8(in);
    backup->required = flags & REQUIRED;
    backup->sealed = flags & SEALED;
    backup->brief = flags & BRIEF;
    return backup;
}

void
rh_message_want(struct rh_buf *b, const struct rh_want *want, const struct rh_text_way *way)
{
    rh_put_u32(b, want->id);
    rh_put_u32(b, (want->noop ? NOOP : 0U) | (want->stale ? STALE : 0U) | (want->trial ? TRIAL : 0U)
                      | (want->begun ? BEGUN : 0U) | (want->should ? HAS_SHOULD : 0U)
                      | (want->watch ? WATCHED : 0U) | (want->verify ? VERIFY : 0U)
                      | (want->limit > 0 ? LIMITED : 0U) | (want->replace ? REPLACE : 0U)
                      | (want->expected ? EXPECTED : 0U) | (want->result ? RESULT : 0U)
                      | (want->backup ? BACKUP : 0U) | (want->canonical ? CANONICAL : 0U));
    rh_put_text(b, want->title);
    rh_put_text(b, want->action);
    rh_put_value_by(b, want->should ? want->should : want->name, way);
    rh_put_u32(b, (uint32_t)want->n_after);
    rh_buf_addn(b, want->after, want->n_after * sizeof *want->after);
    if (want->watch)
        put_watch(b, want->watch);
    if (want->limit > 0)
        rh_put_real(b, want->limit);
    if (want->expected)
        put_expected(b, want->expected);
    if (want->backup)
        put_backup(b, want->backup);
}

/* Attributes go by the type's own text for their names, which everybody then finds at once. */
static void
use_own_names(const struct rh_type *t, struct rh_value *v)
{
    for (uint32_t i = 0; i < v->count; i++) {
        const struct rh_attr *attr = rh_type_attr(t, v->u.entries[i].key);

        if (attr)
            rh_draft_set_entry(v, i, attr->name, v->u.entries[i].value);
    }
}

bool
rh_message_take_want(struct rh_in *in, struct rh_arena *a, const struct rh_type *t, struct rh_want *want)
{
    unsigned flags;
    struct rh_value *v;
    uint32_t *after;

    *want = (struct rh_want){ .id = rh_take_u32(in) };
    flags = rh_take_u32(in);
    want->noop = flags & NOOP;
    want->stale = flags & STALE;
    want->trial = flags & TRIAL;
    want->begun = flags & BEGUN;
    want->verify = flags & VERIFY;
    want->replace = flags & REPLACE;
    want->result = flags & RESULT;
    want->canonical = flags & CANONICAL;
    want->title = rh_take_text(in);
    want->action = rh_take_text(in);
    v = rh_take_value(in, a);
    want->n_after = rh_take_u32(in);
    if (in->bad || !rh_value_is(v, RH_HASH) || want->n_after > (size_t)(in->end - in->at) / sizeof *after)
        return !(in->bad = true);
    use_own_names(t, v);
    after = rh_arena_alloc(a, want->n_after * sizeof *after);
    memcpy(after, in->at, want->n_after * sizeof *after);
    in->at += want->n_after * sizeof *after;
    want->after = after;
    want->should = flags & HAS_SHOULD ? v : NULL;
    want->name = rh_resource_name(t, a, v);
    want->watch = flags & WATCHED ? take_watch(in, a, t) : NULL;
    want->limit = flags & LIMITED ? rh_take_real(in) : 0;
    want->expected = flags & EXPECTED ? take_expected(in, a) : NULL;
    want->backup = flags & BACKUP ? take_backup(in, a) : NULL;
    return !in->bad;
}
