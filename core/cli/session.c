/* SPDX-License-Identifier: Apache-2.0 */
/* session - what commands share: the settings in use, the state directory, the plugins. */
#include "config.h"

#include "cli/session.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/installation.h"
#include "base/log.h"
#include "base/status-line.h"
#include "cli/lookup.h"
#include "cli/options.h"
#include "cli/refusal.h"
#include "facts/facts.h"
#include "plugin/policy.h"
#include "plugin/registry.h"
#include "plugin/spawn.h"
#include "provider/call.h"
#include "provider/exec-child.h"
#include "run/lock.h"
#include "run/seal.h"
#include "run/state.h"
#include "sandbox/confinement.h"

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
