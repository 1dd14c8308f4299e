/* SPDX-License-Identifier: Apache-2.0 */
/* audit - what watched attributes were, and what has become of them. */
#include "config.h"

#include "run/audit.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/meta.h"
#include "provider/observed.h"
#include "provider/outcome.h"
#include "run/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

static const char file_name[] = "audit.json";

enum { SALT = 16 };

/* One resource: an attribute's name to what was read of it (provider/observed.h), with `since`. */
struct record {
    const char *key;
    const struct rh_value *attributes;
};

struct rh_audit {
    struct rh_arena *arena;
    const char *state_dir, *now;
    char salt[2 * SALT + 1];
    struct rh_map by_key;
    struct record **records;
    size_t n, cap;
    struct rh_difference *found;
    size_t cap_found;
    bool changed;
};

static bool
has_any(const struct rh_catalog *c)
{
    for (size_t i = 0; i < c->n_resources; i++)
        if (c->resources[i]->meta && c->resources[i]->meta->audits)
            return true;
    return false;
}

static int
make_salt(struct rh_audit *audit, struct rh_error *err)
{
    unsigned char bytes[SALT];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return rh_error_system(err, errno, "cannot get random bytes");
    for (size_t i = 0; i < sizeof bytes; i++)
        (void)snprintf(audit->salt + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

static struct record *
find(struct rh_audit *audit, const char *key)
{
    struct record *r = rh_map_get(&audit->by_key, key);

    if (r)
        return r;
    r = rh_arena_alloc(audit->arena, sizeof *r);
    r->key = key;
    rh_map_put(&audit->by_key, key, r);
    audit->records = rh_xgrow(audit->records, &audit->cap, audit->n, sizeof *audit->records);
    return audit->records[audit->n++] = r;
}

int
rh_audit_open(struct rh_audit **to, const struct rh_catalog *c, const char *state_dir, struct rh_error *err)
{
    struct rh_audit *audit;
    const struct rh_value *v;

    *to = NULL;
    if (!has_any(c))
        return 0;
    audit = rh_xalloc(sizeof *audit);
    audit->arena = rh_arena_new(NULL);
    audit->state_dir = state_dir;
    audit->now = rh_state_time(audit->arena, time(NULL));
    v = rh_state_load(audit->arena, state_dir, file_name, err);
    if (!v || make_salt(audit, err) < 0) {
        rh_audit_free(audit);
        return -1;
    }
    for (size_t i = 0; i < rh_value_count(v); i++) {
        const struct rh_entry *e = rh_value_entry(v, i);

        if (rh_value_is(e->value, RH_HASH)) /* else as if it had never been looked at */
            find(audit, e->key)->attributes = e->value;
    }
    *to = audit;
    return 0;
}

void
rh_audit_free(struct rh_audit *audit)
{
    if (!audit)
        return;
    rh_map_clear(&audit->by_key);
    rh_arena_free(audit->arena);
    free(audit->records);
    free(audit->found);
    free(audit);
}

/* Hashes can only be compared when they were made with one salt. */
static const char *
salt_of(const struct rh_audit *audit, const struct rh_value *attributes)
{
    for (size_t i = 0; i < rh_value_count(attributes); i++) {
        const char *salt = rh_observed_salt(rh_value_entry(attributes, i)->value);

        if (salt)
            return salt;
    }
    return audit->salt;
}

static bool
is_among(const struct rh_names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->v[i], name) == 0)
            return true;
    return false;
}

const struct rh_watch *
rh_audit_watch(struct rh_audit *audit, const struct rh_resource *r)
{
    const struct rh_meta *meta = r->meta;
    const struct record *record;
    struct rh_watch *w;
    const char **names;
    bool *secret;

    if (!audit || !meta || !meta->audits)
        return NULL;
    record = rh_map_get(&audit->by_key, rh_state_key(audit->arena, r));
    w = rh_arena_alloc(audit->arena, sizeof *w);
    names = rh_arena_alloc(audit->arena, r->type->n_attrs * sizeof *names);
    secret = rh_arena_alloc(audit->arena, r->type->n_attrs * sizeof *secret);
    for (size_t i = 0; i < r->type->n_attrs; i++) {
        const struct rh_attr *attr = &r->type->attrs[i];

        if (attr->behaviour & (RH_NAMEVAR | RH_PARAMETER)
            || (!meta->audit_all && !is_among(&meta->audit, attr->name)))
            continue;
        secret[w->n] = attr->sensitive || attr->sensitive_within || is_among(&meta->secrets, attr->name);
        names[w->n++] = attr->name;
    }
    w->names = names;
    w->secret = secret;
    w->only = meta->only_audits;
    w->salt = salt_of(audit, record ? record->attributes : NULL);
    return w;
}

static void
add(struct rh_audit *audit, size_t n, struct rh_difference finding)
{
    audit->found = rh_xgrow(audit->found, &audit->cap_found, n, sizeof *audit->found);
    audit->found[n] = finding;
}

/* How things are left is what the next run compares with; what is as it was keeps its time. */
static void
record(struct rh_audit *audit, struct record *r, const struct rh_value *now)
{
    struct rh_arena *a = audit->arena;
    struct rh_value *attributes = rh_value_hash(a, rh_value_count(now));

    for (size_t i = 0; i < rh_value_count(now); i++) {
        const struct rh_entry *e = rh_value_entry(now, i);
        const struct rh_value *was = rh_value_get(r->attributes, e->key);
        const char *since = rh_value_get_str(was, "since", NULL);
        struct rh_value *recorded = rh_value_copy(a, e->value);

        if (!was || !since || !rh_observed_equal(was, recorded))
            since = audit->now;
        rh_value_put(recorded, "since", rh_value_string(a, since));
        rh_value_put(attributes, e->key, recorded);
    }
    /* What this manifest does not watch, another one may. */
    for (size_t i = 0; i < rh_value_count(r->attributes); i++) {
        const struct rh_entry *e = rh_value_entry(r->attributes, i);

        if (!rh_value_get(attributes, e->key))
            rh_value_put(attributes, e->key, e->value);
    }
    if (!r->attributes || !rh_value_equal(r->attributes, attributes))
        audit->changed = true;
    r->attributes = attributes;
}

size_t
rh_audit_compare(struct rh_audit *audit, const struct rh_resource *r, const struct rh_outcome *outcome,
                 bool may_record, const struct rh_difference **findings)
{
    struct record *known;
    size_t n = 0;

    if (!audit || !outcome->was)
        return 0;
    known = find(audit, rh_state_key(audit->arena, r));
    for (size_t i = 0; i < rh_value_count(outcome->was); i++) {
        const struct rh_entry *e = rh_value_entry(outcome->was, i);
        const struct rh_value *was = rh_value_get(known->attributes, e->key);
        const struct rh_value *recorded = was ? e->value : rh_value_get(outcome->now, e->key);
        struct rh_difference finding = {
            .attribute = rh_arena_strdup(audit->arena, e->key),
            /* What is a secret now may have been recorded before it was one. */
            .from = rh_observed_show(audit->arena, was && rh_observed_is_secret(recorded) ? recorded : was),
            .to = recorded ? rh_observed_show(audit->arena, rh_value_copy(audit->arena, recorded)) : NULL,
            .since = was ? rh_value_get_str(was, "since", "") : NULL,
        };

        if (was ? !rh_observed_equal(was, e->value) : recorded && may_record)
            add(audit, n++, finding);
    }
    if (may_record && outcome->now)
        record(audit, known, outcome->now);
    *findings = audit->found;
    return n;
}

int
rh_audit_save(struct rh_audit *audit, struct rh_error *err)
{
    struct rh_value *v;

    if (!audit || !audit->changed)
        return 0;
    v = rh_value_hash(audit->arena, audit->n);
    for (size_t i = 0; i < audit->n; i++)
        if (audit->records[i]->attributes)
            rh_value_add_ref(v, audit->records[i]->key, audit->records[i]->attributes);
    return rh_state_save(audit->state_dir, file_name, v, err);
}
