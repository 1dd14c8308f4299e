/* SPDX-License-Identifier: Apache-2.0 */
/* backup - the states of resources before and after this run has changed them. */
#include "config.h"

#include "run/backup-parts.h"
#include "run/backup.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/secrets.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/meta.h"
#include "provider/outcome.h"
#include "run/content.h"
#include "run/journal.h"
#include "run/transaction.h"
#include "schema/type.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

int
rh_backups_open(struct rh_backups **to, const struct rh_transaction_options *options, const char *run,
                struct rh_journal *journal, const struct rh_secrets *secrets, struct rh_error *err)
{
    unsigned char bytes[RH_BACKUP_SALT];
    struct rh_backups *b;

    *to = NULL;
    if (!journal || options->backup == RH_BACKUP_NONE)
        return 0;
    rh_contents_remove_leftovers(options->state_dir);
    if (options->backup_age)
        rh_contents_expire(options->state_dir, options->backup_age, options->undoes);
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return rh_error_system(err, errno, "cannot get random bytes");
    b = rh_xalloc(sizeof *b);
    b->journal = journal;
    b->contents = rh_contents_open(options->state_dir, run, options->backup_limit);
    b->durable = options->durable;
    b->seal = options->seal;
    b->run = run;
    for (size_t i = 0; i < sizeof bytes; i++)
        (void)snprintf(b->salt + 2 * i, 3, "%02x", bytes[i]);
    b->usual = (struct rh_backup){ .key = b->salt, .required = options->backup == RH_BACKUP_REQUIRED };
    b->sealed = b->usual;
    b->sealed.sealed = true;
    b->brief = b->usual;
    b->brief.brief = true;
    b->secrets = secrets;
    *to = b;
    return 0;
}

void
rh_backups_free(struct rh_backups *b)
{
    if (!b)
        return;
    rh_contents_free(b->contents);
    free(b->trouble);
    free(b);
}

static bool
is_sealed(const struct rh_backups *b, const struct rh_resource *r)
{
    return b->seal && r->meta && r->meta->backup == RH_BACKUP_SECRETS;
}

const struct rh_backup *
rh_backups_want(const struct rh_backups *b, const struct rh_resource *r)
{
    if (!b || r->type->defined || r->type->irreversible || (r->meta && r->meta->backup == RH_BACKUP_NOT))
        return NULL;
    return is_sealed(b, r) ? &b->sealed : b->secrets->n ? &b->usual : &b->brief;
}

bool
rh_backups_is_as_desired(const struct rh_backups *b, const struct rh_resource *r,
                         const struct rh_outcome *outcome)
{
    struct rh_journal_state record = { .resource = r, .state = "after", .unknown = true };

    if (!outcome->as_desired || outcome->status != RH_CHANGED || rh_backups_want(b, r) == NULL)
        return false;
    if (!b->secrets->n)
        return true;
    rh_journal_state(b->journal, &record); /* what is desired may have the secret in it that was met since */
    return false;
}

/* Before: what is needed to set it again. */
static struct rh_value *
keep_values(struct rh_backups *b, struct rh_arena *a, const struct rh_resource *r, bool sealed,
            const struct rh_value *state)
{
    struct rh_value *all = rh_value_hash(a, rh_value_count(state));

    for (size_t i = 0; i < rh_value_count(state); i++) {
        const struct rh_entry *e = rh_value_entry(state, i);

        rh_value_put(all, e->key, rh_backups_value(b, a, r, sealed, e->key, e->value));
    }
    return all;
}

/* What says how it is found and treated, and is not read, or NULL; with `properties`, everything that is
 * desired and can be recorded, never NULL. */
static struct rh_value *
parameters_of(struct rh_arena *a, const struct rh_resource *r, bool properties)
{
    struct rh_value *all = properties ? rh_value_hash(a, rh_value_count(r->should)) : NULL;

    for (size_t i = 0; i < rh_value_count(r->should); i++) {
        const struct rh_entry *e = rh_value_entry(r->should, i);
        const struct rh_attr *attr = rh_type_attr(r->type, e->key);

        if (attr && (properties || (attr->behaviour & RH_PARAMETER && !(attr->behaviour & RH_NAMEVAR)))
            && !rh_value_sensitive(e->value) && !attr->sensitive && e->value->kind != RH_UNKNOWN
            && rh_backups_is_plain(e->value)) {
            if (!all)
                all = rh_value_hash(a, rh_value_count(r->should));
            rh_value_put_ref(all, attr->name, e->value);
        }
    }
    return all;
}

/* The sensitive ones among them, encrypted; NULL: there are none. */
static struct rh_value *
secrets_of(struct rh_backups *b, struct rh_arena *a, const struct rh_resource *r)
{
    struct rh_value *all = NULL;

    for (size_t i = 0; is_sealed(b, r) && i < rh_value_count(r->should); i++) {
        const struct rh_entry *e = rh_value_entry(r->should, i);
        const struct rh_attr *attr = rh_type_attr(r->type, e->key);

        if (!attr || !(attr->behaviour & RH_PARAMETER) || attr->behaviour & RH_NAMEVAR
            || e->value->kind == RH_UNKNOWN || !(rh_value_sensitive(e->value) || attr->sensitive))
            continue;
        if (!all)
            all = rh_value_hash(a, rh_value_count(r->should));
        rh_value_put(all, attr->name,
                     rh_backups_value(b, a, r, true, attr->name, rh_value_marked(a, e->value, RH_SENSITIVE)));
    }
    return all;
}

/* A file that resources edit is undone as the type 'file' does it. */
static void
take_file(struct rh_backups *b, const struct rh_resource *r, const struct rh_backup_state *state,
          struct rh_arena *a)
{
    static const struct rh_type file_type = { .type = "file", .provider = "file" };
    struct rh_value *name = rh_value_hash(a, 1);
    const struct rh_resource file = { .type = &file_type, .title = state->file, .name = name };
    struct rh_journal_state record = { .resource = r, .state = "before", .file = state->file };

    if (state->stage == RH_BACKUP_BEFORE)
        rh_journal_state(b->journal, &record); /* which resource it was */
    if (state->stage == RH_BACKUP_BEFORE && rh_value_is(state->state, RH_UNKNOWN))
        return; /* the file was told of with another one */
    rh_value_put(name, "path", rh_value_string(a, state->file));
    record = (struct rh_journal_state){
        .resource = &file,
        .state = state->stage == RH_BACKUP_BEFORE ? "before" : "after",
        .unknown = rh_value_is(state->state, RH_UNKNOWN),
    };
    if (state->stage == RH_BACKUP_AFTER)
        record.attributes = state->state;
    else if (state->state)
        record.attributes = keep_values(b, a, &file, is_sealed(b, r), state->state);
    rh_journal_state(b->journal, &record);
}

/* What was recorded is written. False, with the reason: it is not, or something could not be kept. */
static bool
flush(struct rh_backups *b, struct rh_arena *a, const char **why)
{
    rh_autoerror struct rh_error err = { 0 };

    if ((b->durable && rh_backups_sync(b, &err) < 0) || rh_journal_write(b->journal, b->durable, &err) < 0) {
        *why = rh_arena_strdup(a, err.message);
        return false;
    }
    if (!b->trouble)
        return true;
    *why = rh_arena_strdup(a, b->trouble);
    free(b->trouble);
    b->trouble = NULL;
    return false;
}

bool
rh_backups_take(struct rh_backups *b, const struct rh_resource *r, const struct rh_backup_state *state,
                bool wait, struct rh_arena *a, const char **why)
{
    struct rh_journal_state record = {
        .resource = r,
        .state = state->stage == RH_BACKUP_BEFORE ? "before" : "after",
    };

    if (state->file) {
        take_file(b, r, state, a);
        return !wait || flush(b, a, why);
    }
    if (rh_value_is(state->state, RH_UNKNOWN)) {
        record.unknown = true;
    } else if (state->stage == RH_BACKUP_BEFORE) {
        record.attributes = state->state ? keep_values(b, a, r, is_sealed(b, r), state->state) : NULL;
        record.parameters = parameters_of(a, r, false);
        record.secrets = secrets_of(b, a, r);
    } else {
        record.attributes = state->state;
    }
    rh_journal_state(b->journal, &record);
    return !wait || flush(b, a, why);
}

void
rh_backups_note_notified(struct rh_backups *b, const struct rh_resource *r, const char *by,
                         const char *action, bool in_sync)
{
    rh_autoarena struct rh_arena *a = NULL;
    struct rh_journal_state record = {
        .resource = r, .state = "notified", .by = by, .action = action, .in_sync = in_sync
    };

    if (!b || r->type->defined)
        return;
    a = rh_arena_new(NULL);
    record.attributes = parameters_of(a, r, true);
    rh_journal_state(b->journal, &record);
}

int
rh_backups_sync(struct rh_backups *b, struct rh_error *err)
{
    return b ? rh_contents_sync(b->contents, err) : 0;
}
