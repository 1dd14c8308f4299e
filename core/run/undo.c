/* SPDX-License-Identifier: Apache-2.0 */
/* undo - the states before a run, as a catalog. */
#include "config.h"

#include "run/undo-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/map.h"
#include "base/value.h"
#include "catalog/export.h"
#include "provider/observed.h"
#include "provider/outcome.h"
#include "run/expect.h"
#include "run/journal-read.h"
#include "schema/loss.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

static struct rh_undo_change *
change_of(struct rh_undo_making *m, const struct rh_value *line)
{
    const char *type = rh_value_get_str(line, "type", ""), *title = rh_value_get_str(line, "title", "");
    const char *key = rh_arena_printf(m->a, "%s[%s]", type, title);
    struct rh_undo_change *c = rh_map_get(&m->by_key, key);

    if (c)
        return c;
    c = rh_arena_alloc(m->a, sizeof *c);
    c->key = key;
    c->type = type;
    c->title = title;
    rh_map_put(&m->by_key, key, c);
    m->v = rh_xgrow(m->v, &m->cap, m->n, sizeof(struct rh_undo_change *));
    m->v[m->n++] = c;
    return c;
}

static const struct rh_type *
find_type(struct rh_undo_making *m, const struct rh_undo_change *c, const struct rh_value *line)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_type *t =
        m->source->type(m->source->data, c->type, rh_value_get_str(line, "provider", NULL), &err);

    if (!t)
        rh_undo_report(m, c->key, "it cannot be restored: %s",
                       err.message ? err.message : "its type is not installed");
    return t;
}

/* Attributes as a catalog has them; those that are sensitive stay marked, and are never written. */
static struct rh_value *
plain(struct rh_arena *a, const struct rh_value *attributes)
{
    struct rh_value *all = rh_value_hash(a, rh_value_count(attributes));

    for (size_t i = 0; i < rh_value_count(attributes); i++) {
        const struct rh_entry *e = rh_value_entry(attributes, i);
        struct rh_value *v = rh_value_copy(a, e->value);
        unsigned secret = v->marks & RH_SENSITIVE;

        v->marks &= (uint8_t)~RH_SENSITIVE;
        rh_value_put_ref(all, e->key, rh_value_marked(a, rh_catalog_plain(a, v), secret));
    }
    return all;
}

static void
resource_of(struct rh_undo_making *m, struct rh_undo_change *c, const struct rh_type *t,
            const struct rh_value *attributes)
{
    struct rh_value *r = rh_value_new(m->a, RH_HASH);
    const struct rh_value *place = rh_value_get(c->event, "location");
    struct rh_value *secrets = rh_undo_secrets(m, c, attributes);

    rh_value_put(r, "type", rh_value_string(m->a, t->type));
    rh_value_put(r, "title", rh_value_string(m->a, c->title));
    rh_value_put(r, "provider", rh_value_string(m->a, t->provider));
    rh_value_put_ref(r, "attributes", plain(m->a, attributes));
    if (secrets)
        rh_value_put_ref(r, "sensitive", secrets);
    if (rh_undo_keeps_secrets(c))
        rh_value_put(r, "backup", rh_value_string(m->a, "sensitive"));
    if (rh_value_is(place, RH_HASH))
        rh_value_put(r, "place", rh_value_copy(m->a, place));
    rh_value_append(m->resources, r);
    c->parts = r;
}

static void
add_change(struct rh_undo_making *m, struct rh_undo_change *c)
{
    const struct rh_value *was = rh_value_get(c->before, "attributes");
    const struct rh_type *t = find_type(m, c, c->before);
    bool gone = !rh_value_is(was, RH_HASH);
    struct rh_value *attributes, *todo;

    if (!t)
        return;
    if (gone && !t->ensure) {
        rh_undo_report(m, c->key, "it cannot be removed: type '%s' lacks 'ensure'", t->type);
        return;
    }
    attributes = rh_undo_attributes(m, c, t, gone);
    if (gone)
        rh_value_put(attributes, t->ensure->name, rh_value_string(m->a, "absent"));
    else if (rh_undo_restore(m, c, t, was, attributes) < 0)
        return;
    resource_of(m, c, t, attributes);
    todo = rh_value_new(m->a, RH_HASH);
    rh_value_put(todo, "resource", rh_value_string(m->a, c->key));
    rh_value_put(todo, "action", rh_value_string(m->a, "converge"));
    m->expected[m->undo->n++] = (struct rh_expectation){
        .state = rh_undo_expected(m, c),
        .any = m->source->force && m->source->force(m->source->data, c->type, c->title),
        .salt = m->salt,
    };
    rh_value_append(m->list, todo);
}

/* What the run has changed, without that anybody knows what it was. */
static bool
is_change(const struct rh_value *event)
{
    enum rh_status status;

    return rh_status_read(rh_value_get_str(event, "status", ""), &status) && status == RH_CHANGED;
}

static void
report_unknown(struct rh_undo_making *m, const struct rh_undo_change *c)
{
    const char *provider = rh_value_get_str(c->event, "provider", NULL);
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_type *t;

    if (provider && strcmp(provider, "define") == 0)
        return; /* what it is made of is restored */
    t = m->source->type(m->source->data, c->type, provider, &err);
    if (t && t->irreversible)
        rh_undo_report(m, c->key, "it cannot be undone: %s", t->irreversible);
    else
        rh_undo_report(m, c->key, "it cannot be undone: its state before the run was not kept");
}

static bool
is_changed(void *data, const char *attribute)
{
    const struct rh_value *changes = rh_value_get(((struct rh_undo_change *)data)->event, "changes");

    for (size_t i = 0; i < rh_value_count(changes); i++)
        if (strcmp(rh_value_get_str(rh_value_at(changes, i), "attribute", ""), attribute) == 0)
            return true;
    return false;
}

/* What the run has destroyed beside the attributes. The desired state was: the parameters, and what has
 * changed.
 */
static void
report_losses(struct rh_undo_making *m, struct rh_undo_change *c)
{
    const struct rh_type *t = c->before ? find_type(m, c, c->before) : NULL;
    const struct rh_value *after = c->after ? rh_value_get(c->after, "attributes") : NULL;
    const struct rh_value *changes = rh_value_get(c->event, "changes");
    struct rh_value *should;
    struct rh_loss_change change = { .removed = rh_undo_is_removed(c), .data = c, .changes = is_changed };

    if (!t || !t->n_losses)
        return;
    should = rh_undo_attributes(m, c, t, false);
    for (size_t i = 0; i < rh_value_count(after); i++) {
        const struct rh_value *v = rh_value_get(rh_value_entry(after, i)->value, "value");

        if (v)
            rh_value_put(should, rh_value_entry(after, i)->key, v);
    }
    for (size_t i = 0; i < rh_value_count(changes); i++) {
        const struct rh_value *one = rh_value_at(changes, i), *to = rh_value_get(one, "to");

        if (to)
            rh_value_put(should, rh_value_get_str(one, "attribute", ""), to);
    }
    change.name = change.should = should;
    for (size_t i = 0; i < t->n_losses; i++)
        if (rh_loss_happens(&t->losses[i], &change))
            rh_undo_report(m, c->key, "this cannot be restored: %s", t->losses[i].what);
}

/* When a resource has its turn. */
enum phase { COMES_BACK, IS_READ, IS_SET, GOES, IS_MISSING, IS_LEFT };

/* Others may read it: a file, or a part of one. */
static bool
is_file(const struct rh_undo_making *m, const struct rh_undo_change *c)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_type *t =
        m->source->type(m->source->data, c->type, rh_value_get_str(c->before, "provider", NULL), &err);

    return t && t->n_claims;
}

static enum phase
phase_of(const struct rh_undo_making *m, const struct rh_undo_change *c)
{
    if (c->before && rh_value_get(c->before, "unknown"))
        return IS_MISSING;
    if (!c->before)
        return is_change(c->event) && !c->file ? IS_MISSING : IS_LEFT;
    if (m->j->end && !c->event && !c->after)
        return IS_LEFT; /* it was not changed after all */
    if (!rh_value_is(rh_value_get(c->before, "attributes"), RH_HASH))
        return GOES;
    if (rh_undo_is_removed(c))
        return COMES_BACK;
    return is_file(m, c) ? IS_READ : IS_SET;
}

/* Adds the types that resources like this one need. */
static void
add_needed_types(struct rh_undo_making *m, const struct rh_undo_change *c, struct rh_map *needed)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_type *t =
        m->source->type(m->source->data, c->type, rh_value_get_str(c->before, "provider", NULL), &err);

    for (size_t i = 0; t && i < t->n_relations; i++)
        if (t->relations[i].kind == RH_REQUIRE || t->relations[i].kind == RH_SUBSCRIBE)
            rh_map_put(needed, t->relations[i].type, m);
}

/* What was set after the run had removed something that needs resources of its type, such as a group after an
 * account: its state was read without that, and is restored before that comes back. */
static void
find_early(struct rh_undo_making *m)
{
    struct rh_map needed = { 0 }, known = { 0 };

    for (size_t i = 0; i < m->n; i++) {
        struct rh_undo_change *c = m->v[i];
        enum phase phase = phase_of(m, c);

        c->early = phase == IS_SET && rh_map_get(&needed, c->type);
        if (phase == COMES_BACK && !rh_map_get(&known, c->type)) {
            rh_map_put(&known, c->type, m);
            add_needed_types(m, c, &needed);
        }
    }
    rh_map_clear(&needed);
    rh_map_clear(&known);
}

/* A service that did not start again with the configuration of the run, or that ended later, runs again once
 * the former one is back. What it must be is not known: its entry is behind those of which it is. */
static void
add_notified(struct rh_undo_making *m, const struct rh_undo_change *c, const struct rh_type *t,
             const struct rh_value *line)
{
    const struct rh_value *in_sync = rh_value_get(line, "in_sync");
    struct rh_value *todo;

    if (!rh_value_is(in_sync, RH_BOOLEAN) || !in_sync->u.integer || t->irreversible)
        return;
    todo = rh_value_new(m->a, RH_HASH);
    rh_value_put(todo, "resource", rh_value_string(m->a, c->key));
    rh_value_put(todo, "action", rh_value_string(m->a, "converge"));
    rh_value_append(m->list, todo);
}

/* Who was notified by something that is restored is notified again: it has to take note of that as well. */
static void
add_notification(struct rh_undo_making *m, const struct rh_value *line)
{
    const char *by = rh_value_get_str(line, "by", ""), *action = rh_value_get_str(line, "action", "");
    struct rh_undo_change *from = rh_map_get(&m->by_key, by), *to;
    const struct rh_type *t;
    struct rh_value *one;

    if (from && from->file)
        from = rh_map_get(&m->by_key, from->file);
    if (!from || !from->parts)
        return;
    to = change_of(m, line);
    if (!to->parts) {
        t = find_type(m, to, line);
        if (!t || !rh_value_is(rh_value_get(line, "attributes"), RH_HASH))
            return;
        resource_of(m, to, t, rh_value_copy(m->a, rh_value_get(line, "attributes")));
        add_notified(m, to, t, line);
    }
    if (!from->notifies) {
        from->notifies = rh_value_new(m->a, RH_ARRAY);
        rh_value_put_ref(from->parts, "notifies", from->notifies);
    }
    one = rh_value_new(m->a, RH_ARRAY);
    rh_value_append(one, rh_value_string(m->a, action));
    rh_value_append(one, rh_value_string(m->a, to->key));
    rh_value_append(one, rh_value_string(m->a, "delayed"));
    rh_value_append(from->notifies, one);
}

static int64_t
number_of(const struct rh_value *line)
{
    const struct rh_value *seq = rh_value_get(line, "seq");

    return rh_value_is(seq, RH_INTEGER) ? seq->u.integer : 0;
}

static void
gather_event(struct rh_undo_making *m, const struct rh_value *line)
{
    struct rh_undo_change *c;

    if (!rh_value_get(line, "type") || (rh_value_get(line, "timing") && !is_change(line)))
        return;
    c = change_of(m, line);
    c->event = line;
}

/* What it was before counts as it was when it was changed first: until then somebody else may have changed
 * it. */
static void
gather_state(struct rh_undo_making *m, const struct rh_value *line)
{
    const char *stage = rh_value_get_str(line, "state", "");
    struct rh_undo_change *c;

    if (strcmp(stage, "notified") == 0)
        return;
    c = change_of(m, line);
    if (rh_value_get_str(line, "file", NULL))
        c->file = rh_arena_printf(m->a, "file[%s]", rh_value_get_str(line, "file", ""));
    else if (strcmp(stage, "after") == 0)
        c->after = line;
    else if (!c->before || !(c->event || c->after))
        c->before = line;
    else if (strcmp(stage, "before") == 0)
        c->after = NULL; /* it is being changed again */
}

/* What the lines of the journal say of each resource. */
static void
gather(struct rh_undo_making *m)
{
    const struct rh_run_journal *j = m->j;

    size_t n_lines = rh_value_count(j->lines), at = 0;

    for (size_t i = 0; i < rh_value_count(j->states); i++) {
        const struct rh_value *line = rh_value_at(j->states, i);

        while (at < n_lines && number_of(rh_value_at(j->lines, at)) < number_of(line))
            gather_event(m, rh_value_at(j->lines, at++));
        gather_state(m, line);
    }
    while (at < n_lines)
        gather_event(m, rh_value_at(j->lines, at++));
}

static void
mark_edited(struct rh_undo_making *m)
{
    for (size_t i = 0; i < m->n; i++) {
        struct rh_undo_change *file = m->v[i]->file ? rh_map_get(&m->by_key, m->v[i]->file) : NULL;

        if (file)
            file->edited = true;
    }
}

static const char *
salt_of(const struct rh_run_journal *j)
{
    for (size_t i = 0; i < rh_value_count(j->states); i++) {
        const struct rh_value *all = rh_value_get(rh_value_at(j->states, i), "attributes");

        for (size_t k = 0; rh_value_is(all, RH_HASH) && k < all->count; k++)
            if (rh_observed_salt(rh_value_entry(all, k)->value))
                return rh_observed_salt(rh_value_entry(all, k)->value);
    }
    return NULL;
}

void
rh_undo_make(const struct rh_run_journal *j, const struct rh_undo_source *source, struct rh_undo *undo)
{
    struct rh_undo_making m = { .j = j, .source = source, .undo = undo };

    *undo = (struct rh_undo){ .arena = rh_arena_new(NULL) };
    m.a = undo->arena;
    undo->problems = rh_value_new(m.a, RH_ARRAY);
    undo->catalog = rh_value_new(m.a, RH_HASH);
    m.resources = rh_value_new(m.a, RH_ARRAY);
    m.list = rh_value_new(m.a, RH_ARRAY);
    gather(&m);
    mark_edited(&m);
    m.salt = salt_of(j);
    m.expected = rh_arena_alloc(m.a, rh_xmul(m.n + 1, sizeof *m.expected));
    undo->expected = m.expected;
    /* What something else may need comes back first; then files, since others may read them; then what was
     * changed, and at the end what the run has made goes. All but files the last first: what a resource was
     * before its change, it was after the changes of those before it. */
    for (size_t i = 0; i < m.n; i++)
        if (phase_of(&m, m.v[i]) != IS_LEFT)
            report_losses(&m, m.v[i]);
    find_early(&m);
    for (size_t i = m.n; i--;)
        if (m.v[i]->early || phase_of(&m, m.v[i]) == COMES_BACK)
            add_change(&m, m.v[i]);
    for (size_t i = 0; i < m.n; i++)
        if (phase_of(&m, m.v[i]) == IS_READ)
            add_change(&m, m.v[i]);
    for (size_t i = m.n; i--;)
        if (phase_of(&m, m.v[i]) == IS_SET && !m.v[i]->early)
            add_change(&m, m.v[i]);
    for (size_t i = m.n; i--;)
        if (phase_of(&m, m.v[i]) == GOES)
            add_change(&m, m.v[i]);
        else if (phase_of(&m, m.v[i]) == IS_MISSING)
            report_unknown(&m, m.v[i]);
    for (size_t i = 0; i < rh_value_count(j->states); i++)
        if (strcmp(rh_value_get_str(rh_value_at(j->states, i), "state", ""), "notified") == 0)
            add_notification(&m, rh_value_at(j->states, i));
    rh_value_put(undo->catalog, "catalog", rh_value_integer(m.a, RH_CATALOG_FORMAT));
    rh_value_put_ref(undo->catalog, "resources", m.resources);
    rh_value_put_ref(undo->catalog, "list", m.list);
    rh_map_clear(&m.by_key);
    free(m.v);
}

void
rh_undo_clear(struct rh_undo *undo)
{
    rh_arena_free(undo->arena);
    *undo = (struct rh_undo){ 0 };
}

char *
rh_undo_find(const char *state_dir, const char *run)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_run_names names;
    char *found = NULL;

    if (rh_run_names_read(state_dir, &names, &err) < 0)
        return NULL;
    for (size_t i = 0; i < names.n && !found && strcmp(names.v[i], run) > 0; i++) {
        rh_autoerror struct rh_error ignored = { 0 };
        struct rh_run_journal j;
        const struct rh_value *status;

        if (rh_run_journal_read(state_dir, names.v[i], &j, &ignored) < 0)
            continue;
        status = rh_value_get(j.end, "exit");
        if (strcmp(rh_value_get_str(j.begin, "undoes", ""), run) == 0 && rh_value_is(status, RH_INTEGER)
            && (status->u.integer == 0 || status->u.integer == 2))
            found = rh_xstrdup(names.v[i]);
        rh_run_journal_clear(&j);
    }
    rh_run_names_clear(&names);
    return found;
}
