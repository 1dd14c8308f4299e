/* SPDX-License-Identifier: Apache-2.0 */
/* plan-file - plans as they are found: anything may stand in the file. */
#include "config.h"

#include "run/plan.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 1 << 30 };

static const char magic[] = "{\"rhost_plan\": ";
static const char before_digest[] = ",\n \"digest\": \"", after_digest[] = "\"}\n";

bool
rh_plan_is(const char *path)
{
    char start[sizeof magic - 1];
    struct stat st;
    rh_autoclose int fd = -1;

    /* A FIFO that is opened and closed again has lost its writer. */
    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return false;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
           && read(fd, start, sizeof start) == (ssize_t)sizeof start
           && memcmp(start, magic, sizeof start) == 0;
}

/* Where the digest stands; NULL when the end is not as it is written. */
static const char *
digest_at(const char *text, size_t n)
{
    size_t tail = sizeof before_digest - 1 + RH_PLAN_DIGEST - 1 + sizeof after_digest - 1;
    const char *at;

    if (n < tail)
        return NULL;
    at = text + n - tail;
    if (memcmp(at, before_digest, sizeof before_digest - 1) != 0
        || memcmp(text + n - (sizeof after_digest - 1), after_digest, sizeof after_digest - 1) != 0)
        return NULL;
    at += sizeof before_digest - 1;
    return strspn(at, "0123456789abcdef") == RH_PLAN_DIGEST - 1 ? at : NULL;
}

/* The kinds of all that is read of it: what is not there is NULL for everybody. */
static const struct {
    const char *key;
    enum rh_kind kind;
} members[] = {
    { "rhost", RH_STRING },  { "created", RH_STRING },   { "machine", RH_HASH },    { "host", RH_HASH },
    { "plugins", RH_ARRAY }, { "directory", RH_STRING }, { "manifests", RH_ARRAY }, { "options", RH_HASH },
    { "inputs", RH_ARRAY },  { "facts", RH_HASH },       { "resources", RH_ARRAY }, { "counts", RH_HASH },
    { "digest", RH_STRING },
};

static const struct {
    const char *key;
    enum rh_kind kind;
} parts[] = {
    { "type", RH_STRING },   { "title", RH_STRING },  { "provider", RH_STRING },    { "action", RH_STRING },
    { "status", RH_STRING }, { "current", RH_HASH },  { "desired", RH_HASH },       { "created", RH_HASH },
    { "changes", RH_ARRAY }, { "reason", RH_STRING }, { "notified_by", RH_STRING }, { "timing", RH_STRING },
};

static bool
is_undef(const struct rh_value *v)
{
    return !v || v->kind == RH_UNDEF;
}

static bool
all_are(const struct rh_value *list, enum rh_kind kind)
{
    for (size_t i = 0; i < rh_value_count(list); i++)
        if (!rh_value_is(rh_value_at(list, i), kind))
            return false;
    return true;
}

static int
check_resource(const struct rh_value *r, size_t i, struct rh_error *err)
{
    const struct rh_value *current = rh_value_get(r, "current");

    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        const struct rh_value *v = rh_value_get(r, parts[k].key);

        if (k < 5 ? !rh_value_is(v, parts[k].kind) : !is_undef(v) && v->kind != parts[k].kind)
            return rh_error_set(err, RH_EINPUT, "it is damaged: '%s' of resource %zu must be a %s",
                                parts[k].key, i + 1, rh_kind_name(parts[k].kind));
    }
    for (size_t k = 0; k < rh_value_count(current); k++)
        if (!rh_value_is(rh_value_entry(current, k)->value, RH_HASH))
            return rh_error_set(err, RH_EINPUT, "it is damaged: '%s' of resource %zu must be a %s", "current",
                                i + 1, rh_kind_name(RH_HASH));
    return 0;
}

static int
check(const struct rh_plan *plan, struct rh_error *err)
{
    const struct rh_value *format = rh_value_get(plan->v, "rhost_plan");
    const struct rh_value *resources = rh_value_get(plan->v, "resources");

    if (!rh_value_is(plan->v, RH_HASH) || !rh_value_is(format, RH_INTEGER))
        return rh_error_set(err, RH_EINPUT, "it is not a plan of rhost");
    if (format->u.integer != RH_PLAN_FORMAT)
        return rh_error_set(err, RH_EINPUT, "it has format %lld, and this rhost reads format %d",
                            (long long)format->u.integer, RH_PLAN_FORMAT);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (!rh_value_is(rh_value_get(plan->v, members[i].key), members[i].kind))
            return rh_error_set(err, RH_EINPUT, "it is damaged: '%s' must be a %s", members[i].key,
                                rh_kind_name(members[i].kind));
    if (!all_are(rh_value_get(plan->v, "manifests"), RH_STRING)
        || !all_are(rh_value_get(plan->v, "inputs"), RH_HASH)
        || !all_are(rh_value_get(plan->v, "plugins"), RH_HASH) || !all_are(resources, RH_HASH))
        return rh_error_set(err, RH_EINPUT, "it is damaged: a list has an element of another kind");
    for (size_t i = 0; i < rh_value_count(resources); i++)
        if (check_resource(rh_value_at(resources, i), i, err) < 0)
            return -1;
    return 0;
}

int
rh_plan_parse(const char *text, size_t n, struct rh_plan *plan, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };

    *plan = (struct rh_plan){ .arena = rh_arena_new(NULL), .n = n };
    plan->text = rh_xalloc(n + 1);
    memcpy(plan->text, text, n);
    plan->v = rh_value_from_json(plan->arena, plan->text, n, &why);
    if (plan->v && check(plan, err) == 0)
        return 0;
    if (!plan->v && !digest_at(text, n))
        rh_error_set(err, RH_EINPUT, "it is truncated, or not valid JSON: %s",
                     why.message ? why.message : "");
    else if (!plan->v)
        rh_error_set(err, RH_EINPUT, "it is not valid JSON: %s", why.message ? why.message : "");
    rh_plan_clear(plan);
    return -1;
}

int
rh_plan_read(const char *path, struct rh_plan *plan, struct rh_error *err)
{
    size_t n = 0;
    rh_autofree char *text = rh_read_file(path, LARGEST, &n, err);

    if (!text || rh_plan_parse(text, n, plan, err) < 0)
        return rh_error_prefix(err, "cannot read the plan '%s'", path);
    return 0;
}

void
rh_plan_clear(struct rh_plan *plan)
{
    rh_arena_free(plan->arena);
    free(plan->text);
    *plan = (struct rh_plan){ 0 };
}

bool
rh_plan_is_genuine(const struct rh_plan *plan, const struct rh_plan_key *key)
{
    const char *at = digest_at(plan->text, plan->n);
    char digest[RH_PLAN_DIGEST];

    if (!at)
        return false;
    rh_plan_digest(key, plan->text, (size_t)(at - plan->text) - (sizeof before_digest - 1), digest);
    return memcmp(at, digest, RH_PLAN_DIGEST - 1) == 0;
}

const char *
rh_plan_digest_of(const struct rh_plan *plan)
{
    return rh_value_get_str(plan->v, "digest", "");
}

static size_t
count(const struct rh_plan *plan, const char *status)
{
    const struct rh_value *resources = rh_value_get(plan->v, "resources");
    size_t n = 0;

    for (size_t i = 0; i < rh_value_count(resources); i++)
        n += strcmp(rh_value_get_str(rh_value_at(resources, i), "status", ""), status) == 0;
    return n;
}

void
rh_plan_add_counts(const struct rh_plan *plan, struct rh_buf *b)
{
    static const struct {
        const char *status, *words;
    } all[] = { { "would_change", "would change" },
                { "would_refresh", "would be refreshed" },
                { "unchanged", "ok" },
                { "unknown", "may change" },
                { "failed", "failed" },
                { "skipped", "skipped" },
                { "excluded", "excluded" } };
    size_t before = b->n;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        size_t n = count(plan, all[i].status);

        if (n)
            rh_buf_addf(b, "%s%zu %s", b->n > before ? ", " : "", n, all[i].words);
    }
    if (b->n == before)
        rh_buf_add(b, "nothing to do");
}
