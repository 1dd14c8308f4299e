/* SPDX-License-Identifier: Apache-2.0 */
/* session-load - manifests made into a catalog, and the types that they name. */
#include "config.h"

#include "cli/session.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/suggest.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/claims.h"
#include "catalog/later.h"
#include "catalog/meta.h"
#include "catalog/order.h"
#include "catalog/purge.h"
#include "cli/current.h"
#include "cli/lookup.h"
#include "cli/options.h"
#include "cli/refusal.h"
#include "manifest/load/missing.h"
#include "manifest/manifest.h"
#include "plugin/registry.h"
#include "provider/call.h"
#include "run/credential.h"
#include "schema/type.h"

#include <unistd.h>

int
rh_session_complain(struct rh_session *s)
{
    if (!s->complaints.n)
        return 0;
    rh_refuse_complaints(&s->complaints, rh_session_colour(s->settings, STDERR_FILENO),
                         "nothing was changed");
    return -1;
}

static const struct rh_type *
find_type(void *data, const char *type, const char *provider, struct rh_error *err)
{
    struct rh_session *s = data;
    const struct rh_type *t = rh_registry_find(s->registry, type, provider, err);

    /* It will be asked for canonical names: it can get up while the manifest is read. */
    if (t && !s->settings->passive && t->slots & RH_HAS_CANONICALIZE
        && s->pool.options.isolation == RH_ISOLATION_WORKER)
        rh_pool_get_up(&s->pool, t);
    return t;
}

static const struct rh_type *
find_owner(void *data, const char *type, const char *attr)
{
    return rh_registry_owner(((struct rh_session *)data)->registry, type, attr);
}

static void
suggest_type(void *data, struct rh_suggest *s)
{
    rh_registry_suggest(((struct rh_session *)data)->registry, s);
}

/* The type that a resource is about: the one that it purges, if it does. NULL: made of other resources. */
static const struct rh_type *
subject_of(const struct rh_resource *r)
{
    if (r->type->defined)
        return NULL;
    return r->meta && r->meta->purge ? r->meta->purge->type : r->type;
}

/* What manages a device has no business with the machine that rhost runs on (S80), nor the other way
 * round. */
static bool
refuse_remote(struct rh_session *s)
{
    size_t before = s->complaints.n;

    for (size_t i = 0; i < s->catalog.n_resources; i++) {
        const struct rh_resource *r = s->catalog.resources[i];
        const struct rh_type *t = subject_of(r);
        bool remote = t && t->features & RH_REMOTE_RESOURCE;

        if (!t)
            continue;
        if (remote && !s->device)
            rh_complain(&s->complaints, r->place, "'rhost device' manages devices",
                        "type '%s' manages a device and cannot be applied to this machine", t->type);
        else if (!remote && s->device)
            rh_complain(&s->complaints, r->place, "'rhost apply' manages this machine",
                        "type '%s' manages this machine, not a device", t->type);
    }
    return s->complaints.n > before;
}

/* Of a resource that is declared many times, once for each place. */
static void
print_warnings(struct rh_session *s)
{
    rh_complaints_fold(&s->warnings, 0);
    if (!rh_refusal_takes_warnings(&s->warnings) && rh_log_enabled(RH_WARNING))
        rh_complaints_print(&s->warnings, stderr, rh_session_colour(s->settings, STDERR_FILENO));
    rh_complaints_clear(&s->warnings);
}

int
rh_session_resolve(struct rh_session *s)
{
    print_warnings(s);
    /* Refusals of providers and errors of relations are reported together with all others. */
    if (!refuse_remote(s)) {
        rh_pool_validate(&s->pool, &s->catalog, &s->complaints);
        rh_pool_canonicalize_relations(&s->pool, &s->catalog);
    }
    rh_catalog_arrange(&s->catalog, &s->complaints);
    rh_claims_check(&s->catalog, &s->complaints);
    rh_uses_resolve(&s->catalog, &s->complaints);
    rh_relations_resolve(&s->catalog, &s->complaints);
    rh_notifications_resolve(&s->catalog, &s->catalog.notifications, &s->complaints);
    if (!s->complaints.n && rh_order_make(&s->catalog, &s->order, &s->complaints) == 0 && rh_select(s) < 0)
        return -1;
    return rh_session_complain(s);
}

static const char *
decrypt(void *data, const char *name, const void *credential, size_t size, struct rh_arena *a, size_t *n,
        struct rh_error *err)
{
    (void)data;
    return rh_credential_decrypt(a, name, credential, size, n, err);
}

/* Where no provider is asked. */
static const struct rh_value *
unknown(void *data, const char *type, const char *title, struct rh_arena *a, struct rh_error *err)
{
    (void)data;
    (void)type;
    (void)title;
    (void)err;
    return rh_value_new(a, RH_UNKNOWN);
}

static bool
is_noop(const struct rh_resource *r)
{
    for (; r; r = r->container)
        if (r->noop_specified)
            return r->noop;
    return false;
}

int
rh_session_refuse_unknown(struct rh_session *s, bool noop)
{
    for (size_t i = 0; i < s->order.n && !noop; i++) {
        const struct rh_resource *r = s->catalog.list[s->order.entries[i]].resource;

        if (!r->undecided || is_noop(r) || r->first_entry != s->order.entries[i])
            continue;
        rh_complain(&s->complaints, r->undecided_place,
                    "let a first run, of another manifest or with --only, bring about what it depends "
                    "on; --noop shows the rest",
                    "%s[%s]: %s is not known before something has run", r->type->type, r->title,
                    r->undecided);
    }
    return rh_session_complain(s);
}

/* Of files, or of a compiled catalog. */
static int
read_manifests(struct rh_session *s, const char *const *files, size_t n, struct rh_value *compiled)
{
    const struct rh_settings *o = s->settings;
    const struct rh_command_line command_line = {
        .environment = o->environment,
        .roles = o->roles.v,
        .n_roles = o->roles.n,
        .attribute_files = o->attribute_files.v,
        .n_attribute_files = o->attribute_files.n,
        .attributes = o->attributes.v,
        .n_attributes = o->attributes.n,
    };
    const struct rh_manifest_types types = {
        .data = s,
        .find = find_type,
        .suggest = suggest_type,
        .owner = find_owner,
        .current = o->passive ? unknown : rh_session_current,
        .lookup = rh_session_lookup,
        .decrypt = o->passive ? NULL : decrypt,
        .secrets = &s->pool.secrets,
        .node = s->machine.node,
        .command_line = &command_line,
        .parsed = s->parsed,
        .explain = s->explains,
        .placeholders = o->placeholder_secrets || o->passive,
        .outside = o->outside,
        .guarded = o->runs && geteuid() == 0 && !o->unsafe_files,
    };
    int rc;

    s->machine.elsewhere = s->device;
    rc = compiled ? rh_manifest_load_compiled(&s->catalog, &types, compiled, &s->complaints)
                  : rh_manifest_load(&s->catalog, &types, files, n, &s->complaints);
    rh_machine_warn(&s->machine, rh_session_colour(o, STDERR_FILENO));
    return rc;
}

int
rh_session_read(struct rh_session *s, const char *const *files, size_t n)
{
    return read_manifests(s, files, n, NULL);
}

int
rh_session_load_compiled(struct rh_session *s, struct rh_value *compiled)
{
    (void)read_manifests(s, NULL, 0, compiled); /* the complaints are counted */
    return rh_session_resolve(s);
}

int
rh_session_load(struct rh_session *s, const char *const *files, size_t n)
{
    (void)rh_session_read(s, files, n); /* the complaints are counted */
    return rh_session_resolve(s);
}

/* In the words of a manifest that has such a type. */
static void
refuse_unknown_type(const char *name, const char *best)
{
    rh_autofree char *hint = rh_missing_type_hint(name, best);

    rh_refuse_hint(hint, "unknown type '%s'", name);
}

const struct rh_type *
rh_session_type(struct rh_session *s, const char *name)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_type *t = rh_registry_find(s->registry, name, s->settings->provider, &err);
    struct rh_reference ref;
    struct rh_suggest near;

    if (t)
        return t;
    rh_suggest_init(&near, name);
    rh_registry_suggest(s->registry, &near);
    if (err.message)
        rh_refuse_error(NULL, &err);
    else if (rh_reference_parse(s->arena, name, &ref))
        rh_refuse("'%s' is a reference: give the type '%s' alone, and the title as the next argument", name,
                  ref.type);
    else
        refuse_unknown_type(name, near.best);
    return NULL;
}
