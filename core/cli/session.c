/* SPDX-License-Identifier: Apache-2.0 */
/* session - what commands share. */
#include "config.h"

#include "cli/session.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/installation.h"
#include "base/log.h"
#include "base/status-line.h"
#include "base/suggest.h"
#include "base/text.h"
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
#include "facts/facts.h"
#include "manifest/load/missing.h"
#include "manifest/manifest.h"
#include "plugin/policy.h"
#include "plugin/registry.h"
#include "plugin/spawn.h"
#include "provider/call.h"
#include "provider/exec-child.h"
#include "run/credential.h"
#include "run/lock.h"
#include "run/seal.h"
#include "run/state.h"
#include "sandbox/confinement.h"
#include "schema/type.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
rh_session_colour(const struct rh_settings *settings, int fd)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    if (settings->colour >= 0)
        return settings->colour;
    return isatty(fd) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

/* A pipe may end at the same terminal. */
static bool
leads_elsewhere(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISCHR(st.st_mode)) && !isatty(fd);
}

bool
rh_session_has_status_line(const struct rh_settings *settings)
{
    return settings->progress == RH_PROGRESS_AUTO && !settings->quiet
           && rh_status_line_possible(STDERR_FILENO) && !rh_session_events_on(settings, STDERR_FILENO)
           && ((isatty(STDOUT_FILENO) && settings->format == RH_FORMAT_TEXT)
               || leads_elsewhere(STDOUT_FILENO));
}

bool
rh_session_events_on(const struct rh_settings *settings, int fd)
{
    const char *to = settings->events;

    return to
           && ((fd == STDOUT_FILENO && strcmp(to, "-") == 0)
               || (strncmp(to, "fd:", 3) == 0 && strtol(to + 3, NULL, 10) == fd));
}

/* root's state is the machine's; everybody else has their own, and NULL without a home. */
static char *
home_path(const char *variable, const char *below, const char *machine)
{
    const char *base = getenv(variable), *home = getenv("HOME");

    if (geteuid() == 0)
        return rh_xstrdup(machine);
    if (base && base[0] == '/')
        return rh_printf("%s/rhost", base);
    return home && home[0] == '/' ? rh_printf("%s/%s/rhost", home, below) : NULL;
}

/* Each once: some are only noticed when a type is looked at. */
static void
report_problems(struct rh_session *s)
{
    while (s->n_reported < rh_registry_problems(s->registry))
        rh_log_error(RH_WARNING, rh_registry_problem(s->registry, s->n_reported++));
}

static bool
has_reports(const struct rh_settings *settings)
{
    for (int i = 0; i < RH_REPORTS; i++)
        if (settings->reports[i])
            return true;
    return settings->events;
}

static void
find_plugins(struct rh_session *s)
{
    const struct rh_settings *o = s->settings;
    const char *path = getenv("RHOST_PLUGIN_PATH");
    const char **folders = NULL;
    size_t n = 0, cap = 0;
    rh_autofree char *copy = NULL;
    rh_autofree char *cache = s->cache;
    char *rest;

    for (size_t i = 0; i < o->plugin_dirs.n; i++) {
        folders = rh_xgrow(folders, &cap, n, sizeof *folders);
        folders[n++] = o->plugin_dirs.v[i];
        if (access(o->plugin_dirs.v[i], F_OK) < 0 && errno == ENOENT)
            rh_log(RH_WARNING, "cannot search for plugins in '%s': %s; ignoring this directory",
                   o->plugin_dirs.v[i], strerror(errno));
    }
    /* What the environment says is not for root to believe. */
    if (path && geteuid() != 0 && getuid() == geteuid()) {
        copy = rest = rh_xstrdup(path);
        for (char *one; (one = strsep(&rest, ":"));) {
            if (!*one)
                continue;
            folders = rh_xgrow(folders, &cap, n, sizeof *folders);
            folders[n++] = one;
        }
    }
    if (!o->no_installed_plugins) {
        folders = rh_xgrow(folders, &cap, n, sizeof *folders);
        folders[n++] = rh_installation_plugins();
    }
    s->cache = NULL;
    s->registry = rh_registry_open(&(struct rh_registry_options){
        .folders = folders,
        .n_folders = n,
        .cache = cache,
        .isolation = o->isolation,
        .passive = o->passive,
        .policy = o->policy,
        .confined = o->confined,
    });
    free(folders);
    report_problems(s);
}

static int
ask_whether_suits(void *data, const struct rh_type *t, struct rh_error *why)
{
    return rh_pool_suits(data, t, why);
}

static void
start_to_ask(void *data, const struct rh_type *t)
{
    (void)rh_pool_worker(data, t);
}

char *
rh_session_state_dir(const struct rh_settings *settings)
{
    return settings->state_dir ? rh_xstrdup(settings->state_dir)
                               : home_path("XDG_STATE_HOME", ".local/state", rh_installation_state());
}

/* The state directory that the settings name; the caller frees it. NULL after printing why there is none. */
static char *
require_state_dir(const struct rh_settings *settings)
{
    char *path = rh_session_state_dir(settings);

    if (!path)
        rh_refuse("cannot determine the state directory: HOME is not set; use --state-dir=DIR");
    return path;
}

char *
rh_session_safe_state_dir(const struct rh_settings *settings)
{
    rh_autofree char *path = require_state_dir(settings);
    rh_autoerror struct rh_error err = { 0 };
    rh_autoclose int dir = path ? rh_state_dir_open(path, false, &err) : -1;

    (void)dir; /* only looked at */
    if (!err.message)
        return rh_take(&path);
    rh_refuse_error(NULL, &err);
    return NULL;
}

/* Before any worker starts, since it gets the descriptor: what it starts then holds the lock that this
 * takes later. An error is reported when the lock is taken. */
static void
open_state(struct rh_session *s, int state)
{
    rh_autoerror struct rh_error err = { 0 };

    if (state >= 0)
        s->state = fcntl(state, F_DUPFD_CLOEXEC, 3);
    else
        s->state = s->state_dir ? rh_state_dir_open(s->state_dir, s->settings->runs, &err) : -1;
    s->unsafe = err.message != NULL;
    rh_process_share(s->state);
    rh_exec_hold(s->state);
}

/* Notes that a run has said so. Whether it is the first one: with this state directory, or cache. */
static bool
note_first_warning(const struct rh_session *s)
{
    rh_autofree char *path =
        s->cache ? rh_printf("%.*s/without-landlock", (int)(strrchr(s->cache, '/') - s->cache), s->cache)
                 : NULL;
    rh_autoclose int fd = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;

    return fd >= 0 || (path && errno == ENOENT);
}

/* Once for a run: what the kernel can't enforce of what a typical provider is confined to. */
static void
warn_of_gaps(const struct rh_session *s)
{
    const struct rh_settings *settings = s->settings;
    const bool denies = settings->policy && settings->policy->n_denials;
    const bool confines = settings->isolation == RH_ISOLATION_WORKER && (settings->confined || denies);
    rh_autoconfinement struct rh_confinement *c = confines ? rh_confinement_new() : NULL;
    rh_autoerror struct rh_error err = { 0 };
    rh_autobuf struct rh_buf text = { 0 };
    unsigned gaps;

    if (!c || rh_confinement_path(c, RH_ACCESS_READ | RH_ACCESS_WRITE, "/etc/rhost", &err) < 0
        || rh_confinement_tcp(c, false, 443, &err) < 0)
        return;
    rh_confinement_permit(c, RH_PERMIT_TMP);
    gaps = rh_confinement_gaps(c);
    if (geteuid() != 0) /* as a user there are no namespaces, whatever the kernel has */
        gaps &= ~(unsigned)(RH_GAP_METADATA | RH_GAP_NETWORK);
    for (unsigned i = 0; i < RH_GAPS; i++)
        if (gaps >> i & 1)
            rh_buf_addf(&text, "%s%s", text.n ? "; " : "", rh_gap_text(1U << i));
    /* Who has not asked for it can do nothing about it, and is warned once, of what matters most. */
    if (text.n)
        rh_log(settings->confined_by_default && !denies && !(gaps & RH_GAP_FILES && note_first_warning(s))
                   ? RH_INFO
                   : RH_WARNING,
               "this kernel does not confine all that providers do: %s", rh_buf_text(&text));
}

static void
open_session(struct rh_session *s, const struct rh_settings *settings, int state)
{
    bool live =
        settings->progress == RH_PROGRESS_JSON || settings->events || rh_session_has_status_line(settings);

    *s = (struct rh_session){ .settings = settings };
    s->state_dir = require_state_dir(settings);
    open_state(s, state);
    if (settings->state_dir) {
        s->cache = s->unsafe ? NULL : rh_printf("%s/plugins.json", settings->state_dir);
    } else {
        rh_autofree char *folder = home_path("XDG_CACHE_HOME", ".cache", rh_installation_cache());

        s->cache =
            folder ? rh_printf("%s/plugins%s.json", folder, rh_installation_kit() ? "-kit" : "") : NULL;
    }
    if (s->cache)
        s->parsed = rh_printf("%.*s/manifest-records", (int)(strrchr(s->cache, '/') - s->cache), s->cache);
    s->complaints.sources = s->warnings.sources = &s->sources;
    s->complaints.warnings = &s->warnings;
    s->warnings.warn = true;
    s->sources.secrets = &s->pool.secrets;
    s->arena = rh_arena_new(&rh_host_table);
    rh_catalog_init(&s->catalog, s->arena, &s->sources);
    s->catalog.duplicates = settings->duplicates;
    rh_pool_init(&s->pool, &(struct rh_worker_options){
                               .isolation = settings->isolation,
                               .strict = settings->strict,
                               .debug = settings->verbose >= 2,
                               .notices = settings->verbose >= 1 || settings->format == RH_FORMAT_JSON
                                          || has_reports(settings),
                               .diff = settings->diff,
                               .noop = settings->noop,
                               .keeps = settings->runs && !settings->noop,
                               .live = live,
                               .tail = live && settings->verbose > 0,
                               .time_limit = settings->time_limit,
                               .confined = settings->confined,
                               .policy = settings->policy,
                           });
    rh_pool_confine(&s->pool, &s->catalog);
    if (!settings->passive)
        warn_of_gaps(s);
    rh_machine_open(&s->machine, settings, &s->sources);
    find_plugins(s);
    s->validates = settings->passive;
    if (settings->passive)
        return;
    rh_facts_set_plugins(
        s->machine.facts,
        &(struct rh_facts_plugins){ .data = s, .get = rh_session_fact, .names = rh_session_fact_names });
    rh_registry_ask(s->registry, ask_whether_suits, start_to_ask, &s->pool);
}

void
rh_session_open(struct rh_session *s, const struct rh_settings *settings)
{
    open_session(s, settings, -1);
}

void
rh_session_open_locked(struct rh_session *s, const struct rh_settings *settings, int state,
                       const struct rh_lock *lock)
{
    open_session(s, settings, state);
    s->outer_lock = lock;
}

void
rh_session_close(struct rh_session *s)
{
    const char *name;

    for (unsigned i = 1; (name = rh_sources_name(&s->sources, i)); i++)
        rh_refused_source(name);
    for (size_t i = 0; i < s->sources.n_read; i++)
        rh_refused_source(s->sources.read[i]);
    report_problems(s);
    rh_seal_free(s->seal);
    rh_pool_dismiss(&s->pool);
    rh_order_clear(&s->order);
    rh_catalog_clear(&s->catalog);
    rh_complaints_clear(&s->complaints);
    rh_complaints_clear(&s->warnings);
    rh_machine_warn(&s->machine, rh_session_colour(s->settings, STDERR_FILENO));
    rh_machine_close(&s->machine);
    rh_sources_clear(&s->sources);
    rh_map_clear(&s->answers);
    rh_map_clear(&s->facts);
    rh_arena_free(s->arena);
    rh_pool_stop(&s->pool);
    rh_registry_free(s->registry);
    free(s->state_dir);
    free(s->cache);
    free(s->parsed);
    rh_process_share(-1);
    rh_exec_hold(-1);
    if (s->state >= 0)
        (void)close(s->state);
}

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

struct rh_lock *
rh_session_lock(const struct rh_settings *settings, const char *state_dir, int *dir)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_lock *lock = NULL;

    if (!state_dir) {
        free(require_state_dir(settings)); /* it tells why there is none */
        return NULL;
    }
    if (*dir < 0)
        *dir = rh_state_dir_open(state_dir, true, &err);
    if (*dir >= 0)
        lock = rh_lock_take(state_dir, *dir, settings->wait_lock, &err);
    if (!lock)
        rh_refuse_error(NULL, &err);
    return lock;
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
