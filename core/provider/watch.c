/* SPDX-License-Identifier: Apache-2.0 */
/* watch - attributes that somebody wants to know about, whether they are managed or not. */
#include "config.h"

#include "provider/runtime-parts.h"

#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "provider/outgoing.h"
#include "schema/type.h"

#include <rhost/sha256.h>
#include <stdlib.h>
#include <string.h>

enum {
    LARGEST = 256, /* bytes of JSON; what is larger is told by its digest */
    DEEPEST = 16,
    ROUNDS = 1000, /* of hashing what is secret: guessing shall cost something */
};

/* What a value is made of: its bytes, or its JSON. */
static void
bytes_of(struct rh_buf *b, const struct rh_value *v)
{
    if (v->kind == RH_STRING || v->kind == RH_BINARY)
        rh_buf_addn(b, v->u.string, v->count);
    else
        rh_value_to_json(b, v, true);
}

/* Whether it comes back from JSON as it went. */
static bool
is_plain(const struct rh_value *v, int depth)
{
    if (depth > DEEPEST)
        return false;
    switch (v->kind) {
    case RH_UNDEF:
    case RH_BOOLEAN:
    case RH_INTEGER:
        return true;
    case RH_STRING:
        return v->count <= LARGEST && rh_utf8_valid(v->u.string, v->count)
               && !memchr(v->u.string, '\0', v->count);
    case RH_ARRAY:
        for (size_t i = 0; i < v->count; i++)
            if (!is_plain(rh_value_at(v, i), depth + 1))
                return false;
        return true;
    case RH_HASH:
        for (size_t i = 0; i < v->count; i++)
            if (!is_plain(rh_value_entry(v, i)->value, depth + 1))
                return false;
        return true;
    default:
        return false;
    }
}

static struct rh_value *
digest(struct rh_arena *a, const struct rh_buf *bytes)
{
    struct rh_value *told = rh_value_new(a, RH_HASH);
    struct rhost_sha256 sum;
    char hex[65];

    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, rh_buf_text(bytes), bytes->n);
    rhost_sha256_hex(&sum, hex);
    rh_value_put(told, "sha256", rh_value_string(a, hex));
    rh_value_put(told, "bytes", rh_value_integer(a, (int64_t)bytes->n));
    return told;
}

static struct rh_value *
salted(struct rh_arena *a, const char *salt, const char *name, const struct rh_buf *bytes)
{
    struct rh_value *told = rh_value_new(a, RH_HASH);
    struct rhost_sha256 sum;
    char hex[65];

    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, salt, strlen(salt) + 1);
    rhost_sha256_add(&sum, name, strlen(name) + 1);
    rhost_sha256_add(&sum, rh_buf_text(bytes), bytes->n);
    rhost_sha256_hex(&sum, hex);
    for (int i = 0; i < ROUNDS; i++) {
        rhost_sha256_init(&sum);
        rhost_sha256_add(&sum, salt, strlen(salt));
        rhost_sha256_add(&sum, hex, sizeof hex - 1);
        rhost_sha256_hex(&sum, hex);
    }
    rh_value_put(told, "hash", rh_value_string(a, hex));
    rh_value_put(told, "salt", rh_value_string(a, salt));
    return told;
}

static struct rh_value *
tell(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job, size_t i)
{
    const struct rh_watch *w = job->want->watch;
    const struct rh_value *v = rh_value_get(job->is, w->names[i]);
    rh_autobuf struct rh_buf bytes = { 0 };
    struct rh_value *told;

    if (!job->is && rt->type->ensure && strcmp(w->names[i], "ensure") == 0)
        v = rh_value_string(a, "absent");
    if (!v)
        return rh_value_new(a, RH_HASH);
    bytes_of(&bytes, v);
    if (w->secret[i] || rh_job_hides(rt, job, w->names[i], v, NULL) || rh_outgoing_value(rt, a, v) != v)
        return salted(a, w->salt, w->names[i], &bytes);
    if (bytes.n > LARGEST || !is_plain(v, 0))
        return digest(a, &bytes);
    told = rh_value_new(a, RH_HASH);
    rh_value_put(told, "value", rh_value_copy(a, v));
    return told;
}

struct rh_value *
rh_watch_take(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job)
{
    const struct rh_watch *w = job->want->watch;
    struct rh_value *all = rh_value_hash(a, w->n);

    for (size_t i = 0; i < w->n; i++)
        rh_value_put_ref(all, w->names[i], tell(rt, a, job, i));
    return all;
}

struct rh_value *
rh_watch_again(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job)
{
    struct rh_job again = { .want = job->want, .name = job->name, .should = job->should, .key = job->key };
    struct rh_job *one = &again;
    struct rh_value *v;

    rh_read_jobs(rt, a, &one, 1);
    v = again.done ? NULL : rh_watch_take(rt, a, &again);
    free(again.differences);
    free(again.reason);
    return v;
}
