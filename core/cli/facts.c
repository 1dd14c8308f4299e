/* SPDX-License-Identifier: Apache-2.0 */
/* facts - rhost facts [PATH]: what is so of this machine. */
#include "config.h"

#include "facts/facts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/source.h"
#include "base/suggest.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/lookup.h"
#include "cli/print-value.h"
#include "cli/refusal.h"
#include "cli/session.h"
#include "facts/folders.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct list {
    const char **v;
    size_t n, cap;
};

static void
take_name(void *to, const char *name)
{
    struct list *list = to;

    list->v = rh_xgrow(list->v, &list->cap, list->n, sizeof *list->v);
    list->v[list->n++] = name;
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct rh_value *
all_facts(struct rh_facts *f, struct rh_arena *a)
{
    struct rh_value *all = rh_value_new(a, RH_HASH);
    struct list names = { 0 };

    rh_facts_names(f, take_name, &names);
    qsort(names.v, names.n, sizeof *names.v, by_name);
    for (size_t i = 0; i < names.n; i++) {
        const struct rh_value *v = rh_facts_get(f, names.v[i]);

        if (v)
            rh_value_add_ref(all, names.v[i], rh_value_copy(a, v));
    }
    free(names.v);
    return all;
}

/* One step of a path: a key, quoted or not, or a position. */
struct step {
    const char *text; /* where it is written */
    size_t n;
    const char *rest; /* behind it */
    bool exact;       /* in quotes: it ends where they do */
};

/* "os", ".family", "[0]", "['/srv/a.b']". -1 after saying what is wrong. */
static int
read_step(const char *path, const char *at, struct step *s)
{
    const char *close;

    *s = (struct step){ 0 };
    if (*at == '[' && (at[1] == '\'' || at[1] == '"')) {
        s->text = at + 2;
        close = strchr(s->text, at[1]);
        if (close && close[1] == ']') {
            s->n = (size_t)(close - s->text);
            s->rest = close + 2;
            s->exact = true;
            return 0;
        }
    } else if (*at == '[') {
        s->text = at + 1;
        s->n = strspn(s->text, "0123456789");
        if (s->n && s->text[s->n] == ']') {
            s->rest = s->text + s->n + 1;
            s->exact = true;
            return 0;
        }
    } else {
        s->text = at + (*at == '.' && at != path);
        s->n = strcspn(s->text, ".[");
        s->rest = s->text + s->n;
        if (s->n)
            return 0;
    }
    (void)rh_usage_error(&rh_command_facts,
                         "invalid path '%s': expected a form such as os.family, package_managers[0] or "
                         "mounts['/srv/a.b'].size",
                         path);
    return -1;
}

/* Keys may have dots in them: eth0.100. The longest one that is written here is meant. */
static const struct rh_value *
in_hash(const struct rh_value *hash, struct step *s)
{
    const struct rh_value *found = NULL;

    for (size_t i = 0; i < rh_value_count(hash); i++) {
        const struct rh_entry *e = rh_value_entry(hash, i);
        size_t n = strlen(e->key);
        bool fits = strncmp(e->key, s->text, n) == 0
                    && (s->exact ? n == s->n : n >= s->n && (!s->text[n] || strchr(".[", s->text[n])));

        if (fits && (!found || n > s->n)) {
            found = e->value;
            if (!s->exact) {
                s->n = n;
                s->rest = s->text + n;
            }
        }
    }
    return found;
}

static const struct rh_value *
in_array(const struct rh_value *array, const struct step *s)
{
    size_t i = 0;

    if (!s->n || s->n > 9 || strspn(s->text, "0123456789") < s->n)
        return NULL;
    for (size_t k = 0; k < s->n; k++)
        i = i * 10 + (size_t)(s->text[k] - '0');
    return rh_value_at(array, i);
}

/* `v` is what the step that fails leads into. */
static void
refuse_step(struct rh_error *err, const char *path, const struct step *s, const struct rh_value *v,
            const struct rh_suggest *near)
{
    size_t up = (size_t)(s->text - path);
    rh_autofree char *whole = rh_xstrndup(path, (size_t)(s->rest - path)), *before = NULL, *meant = NULL;

    while (up && strchr(".['\"", path[up - 1]))
        up--;
    before = rh_xstrndup(path, up);
    if (rh_value_is(v, RH_ARRAY))
        rh_error_set(err, RH_EINPUT, "unknown fact '%s': '%s' is a list of %zu, counted from 0", whole,
                     before, rh_value_count(v));
    else if (v && v->kind != RH_HASH)
        rh_error_set(err, RH_EINPUT, "unknown fact '%s': '%s' has nothing below it", whole, before);
    else
        rh_error_set(err, RH_EINPUT, "unknown fact '%s'", whole);
    if (near->best)
        meant = rh_printf("%s%s%s", before, up ? "." : "", near->best);
    (void)rh_error_suggest(err, meant, NULL);
}

/* The top-level fact that a path begins with: the only one that is gathered. */
static const struct rh_value *
top(struct rh_facts *f, const char *path, struct step *s, struct rh_error *err)
{
    rh_autofree char *name = rh_xstrndup(s->text, s->n);
    const struct rh_value *v = rh_facts_get(f, name);
    struct list names = { 0 };
    struct rh_suggest near;
    bool known = false;

    if (v)
        return v;
    rh_suggest_init(&near, name);
    rh_facts_names(f, take_name, &names);
    for (size_t i = 0; i < names.n; i++) {
        known |= strcmp(names.v[i], name) == 0;
        rh_suggest_try(&near, names.v[i]);
    }
    if (known)
        rh_error_set(err, RH_EINPUT, "the fact '%s' is not known on this machine", name);
    else
        refuse_step(err, path, s, NULL, &near);
    free(names.v);
    return NULL;
}

static const struct rh_value *
find(struct rh_facts *f, const char *path, struct rh_error *err)
{
    const struct rh_value *v;
    struct step s;

    if (read_step(path, path, &s) < 0)
        return NULL;
    v = top(f, path, &s, err);
    while (v && *s.rest) {
        const struct rh_value *in = v;
        rh_autofree char *word = NULL;
        struct rh_suggest near;

        if (read_step(path, s.rest, &s) < 0)
            return NULL;
        v = in->kind == RH_HASH ? in_hash(in, &s) : in->kind == RH_ARRAY ? in_array(in, &s) : NULL;
        if (v)
            continue;
        word = rh_xstrndup(s.text, s.n);
        rh_suggest_init(&near, word);
        for (size_t i = 0; in->kind == RH_HASH && i < rh_value_count(in); i++)
            rh_suggest_try(&near, rh_value_entry(in, i)->key);
        refuse_step(err, path, &s, in, &near);
    }
    return v;
}

/* Plugins are looked for when a fact is asked for that may be one of theirs. */
struct plugins {
    const struct rh_settings *settings;
    struct rh_session session;
    bool opened;
};

static struct rh_session *
session_of(void *data)
{
    struct plugins *p = data;

    if (!p->opened)
        rh_session_open(&p->session, p->settings);
    p->opened = true;
    return &p->session;
}

static const struct rh_value *
get_plugins_fact(void *data, const char *name)
{
    return rh_session_fact(session_of(data), name);
}

static void
get_plugins_names(void *data, void (*one)(void *to, const char *name), void *to)
{
    rh_session_fact_names(session_of(data), one, to);
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources, .warn = true };
    struct rh_facts_options options = { .root = "", .complaints = &complaints };
    struct plugins plugins = { .settings = settings };
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *v;
    struct rh_facts *f;

    if (argc > 1)
        return rh_usage_error(&rh_command_facts, "unexpected argument '%s': give one PATH", argv[1]);
    options.folders = rh_facts_folders(a, settings->facts_dirs.v, settings->facts_dirs.n, &options.n_folders);
    f = rh_facts_new(&options);
    rh_facts_set_plugins(f, &(struct rh_facts_plugins){
                                .data = &plugins, .get = get_plugins_fact, .names = get_plugins_names });
    v = argc > 0 ? find(f, argv[0], &err) : all_facts(f, a);
    rh_complaints_print(&complaints, stderr, rh_session_colour(settings, STDERR_FILENO));
    if (v)
        rh_print_value(settings->format, v);
    else if (err.message)
        rh_refuse_error(NULL, &err);
    rh_facts_free(f);
    if (plugins.opened)
        rh_session_close(&plugins.session);
    rh_complaints_clear(&complaints);
    rh_sources_clear(&sources);
    return v ? RH_EXIT_OK : RH_EXIT_REFUSED;
}

const struct rh_command rh_command_facts = {
    .name = "facts",
    .arguments = "[PATH]",
    .summary = "show facts about this machine",
    .text = "With a PATH, as in os.family or package_managers[0], evaluates and prints that fact only.\n"
            "Errors in custom facts are warnings.",
    .options = RH_OPT_COMMON | RH_OPT_YAML | RH_OPT_FACTS | RH_OPT_POLICY,
    .run = run,
};
