/* SPDX-License-Identifier: Apache-2.0 */
/* needs - whether a type declares what its provider uses: each use is compared with what is declared, while
 * nothing is refused. What works when all else is refused: confined.c. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/steps.h"
#include "check/subject.h"
#include "check/supervise.h"
#include "plugin/privileges.h"
#include "provider/call.h"
#include "sandbox/confinement.h"
#include "schema/need.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_USES = 10000, SHOWN = 5 };

/* Calls `fn` with the name (NULL: none) and the desired values of each resource that the checks try. */
static void
each_want(struct rh_subject *s,
          void (*fn)(void *data, const struct rh_value *name, const struct rh_value *should), void *data)
{
    struct rh_checker *c = s->checker;
    const struct rh_fixture *f = c->fixture;
    struct rh_value *defaults = rh_value_new(c->arena, RH_HASH);
    struct rh_want want;

    for (size_t i = 0; i < c->type->n_attrs; i++)
        if (c->type->attrs[i].default_value)
            rh_value_add_ref(defaults, c->type->attrs[i].name, c->type->attrs[i].default_value);
    fn(data, NULL, defaults);
    for (size_t i = 0; i < f->n; i++) {
        const struct rh_fixture_state *state = &f->states[i];

        if (rh_subject_want(s, c->arena, state, NULL, false, &want))
            fn(data, want.name, want.should);
        for (size_t k = 0; k < rh_value_count(state->updates); k++)
            if (rh_subject_want(s, c->arena, state, rh_step_only(c, rh_value_entry(state->updates, k)), false,
                                &want))
                fn(data, want.name, want.should);
        if (c->type->ensure && rh_subject_want(s, c->arena, state, rh_step_absent(c), false, &want))
            fn(data, want.name, want.should);
    }
}

struct adding {
    struct rh_privileges *p;
    const struct rh_type *type;
};

static void
add_privileges(void *data, const struct rh_value *name, const struct rh_value *should)
{
    const struct adding *a = data;

    rh_privileges_add(a->p, a->type, name, should);
}

/* What was used, and of that what nobody has declared. */
struct uses {
    struct rh_checker *c;
    const struct rh_buf *privileges;
    struct rh_confinement *plan; /* its paths */
    struct rh_value *used;       /* a hash: "write /etc/x" */
    struct rh_value *undeclared; /* a list: "write[/etc/x]" */
};

static bool
is_within(const char *path, const char *top)
{
    size_t n = strlen(top);

    return strncmp(path, top, n) == 0 && (n == 1 || path[n] == '\0' || path[n] == '/');
}

static bool
is_same_file(const char *one, const char *other)
{
    struct stat a, b;

    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* The next line of the privileges, "kind value". */
static const char *
next_line(const struct rh_buf *b, const char *before)
{
    const char *next = before ? before + strlen(before) + 1 : rh_buf_text(b);

    return next < rh_buf_text(b) + b->n ? next : NULL;
}

/* The path to a kind's line of the privileges, or NULL. */
static const char *
value_of(const char *line, const char *kind)
{
    size_t n = strlen(kind);

    return strncmp(line, kind, n) == 0 && line[n] == ' ' ? line + n + 1 : NULL;
}

/* A directory above what is declared may have to be made first. */
static bool
leads_to_declared(const struct uses *u, const char *path)
{
    for (const char *line = next_line(u->privileges, NULL); line; line = next_line(u->privileges, line)) {
        const char *top = value_of(line, "W");

        if (top && is_within(top, path))
            return true;
    }
    return false;
}

static bool
runs(const char *declared, const char *path)
{
    size_t n = strlen(declared);

    if (n > 2 && strcmp(declared + n - 2, "/*") == 0) /* each program of a directory */
        return strncmp(path, declared, n - 1) == 0;
    return strcmp(declared, "*") == 0
           || (*declared == '/' ? is_same_file(declared, path)
                                : strcmp(declared, strrchr(path, '/') + 1) == 0);
}

static bool
is_declared(const struct uses *u, enum rh_need_kind kind, const char *value)
{
    if (kind == RH_NEED_READ)
        return rh_confinement_covers(u->plan, RH_ACCESS_READ, value);
    if (kind == RH_NEED_WRITE)
        return rh_confinement_covers(u->plan, RH_ACCESS_EDIT, value) || leads_to_declared(u, value);
    for (const char *line = next_line(u->privileges, NULL); line; line = next_line(u->privileges, line)) {
        const char *declared = value_of(line, rh_need_word(kind));

        if (kind == RH_NEED_RUN && declared && runs(declared, value))
            return true;
        if (kind == RH_NEED_SOCKET
            && ((declared && is_same_file(declared, value))
                || (value_of(line, "dbus") && strstr(value, "system_bus_socket"))))
            return true;
        if (kind == RH_NEED_NETWORK && declared && is_within(value, declared))
            return true;
        if (kind == RH_NEED_NETWORK && declared && strncmp(value, declared, strlen(declared)) == 0
            && value[strlen(declared)] == ':')
            return true;
    }
    return false;
}

/* What the host itself needs, and what a C library tries and does without. */
static bool
is_of_host(const struct uses *u, enum rh_need_kind kind, const char *value)
{
    static const char *const sockets[] = { "/run/nscd", "/run/systemd/userdb", "/run/systemd/journal",
                                           "/dev/log" };
    const struct rh_fixture *f = u->c->fixture;

    for (size_t i = 0; kind == RH_NEED_SOCKET && i < sizeof sockets / sizeof sockets[0]; i++)
        if (is_within(value, sockets[i]))
            return true;
    if (kind == RH_NEED_READ && strcmp(value, "/") == 0)
        return true; /* where commands start */
    return (kind == RH_NEED_READ || kind == RH_NEED_WRITE) && is_within(value, f->base)
           && !is_within(value, f->dir);
}

static int
take_use(void *data, enum rh_check_use use, const char *value)
{
    static const enum rh_need_kind kinds[] = { [RH_USE_READ] = RH_NEED_READ,
                                               [RH_USE_WRITE] = RH_NEED_WRITE,
                                               [RH_USE_RUN] = RH_NEED_RUN,
                                               [RH_USE_SOCKET] = RH_NEED_SOCKET,
                                               [RH_USE_NETWORK] = RH_NEED_NETWORK };
    struct uses *u = data;
    struct rh_arena *a = u->c->arena;
    enum rh_need_kind kind = kinds[use];
    const char *key = rh_arena_printf(a, "%s %s", rh_need_word(kind), value);

    if (rh_value_count(u->used) >= MOST_USES || rh_value_get(u->used, key) || is_of_host(u, kind, value))
        return 0;
    rh_value_put(u->used, key, rh_value_string(a, ""));
    if (!is_declared(u, kind, value))
        rh_value_append(u->undeclared,
                        rh_value_string(a, rh_arena_printf(a, "%s[%s]", rh_need_word(kind), value)));
    return 0;
}

static void
exercise(void *data)
{
    struct rh_checker *c = data;
    struct rh_subject s;

    if (!rh_subject_open(&s, c))
        _exit(1);
    rh_step_exercise(&s);
    for (size_t i = 0; i < c->type->n_actions; i++) {
        rh_subject_converge(&s, &c->fixture->states[0], NULL, RH_CONVERGE_APPLY, false);
        rh_subject_act(&s, &c->fixture->states[0], c->type->actions[i].name, false);
    }
    rh_subject_close(&s);
}

/* Whether anything that was used is what this need is for. */
static bool
is_used(const struct uses *u, enum rh_need_kind kind, const char *value)
{
    for (size_t i = 0; i < rh_value_count(u->used); i++) {
        const char *key = rh_value_entry(u->used, i)->key;
        const char *one = value_of(key, rh_need_word(kind));

        if (!one && kind == RH_NEED_READ)
            one = value_of(key, rh_need_word(RH_NEED_WRITE));
        if (one
            && (kind == RH_NEED_RUN ? runs(value, one)
                : kind == RH_NEED_READ || kind == RH_NEED_WRITE
                    ? is_within(one, value) || is_same_file(one, value)
                    : strncmp(one, value, strlen(value)) == 0 || is_same_file(one, value)))
            return true;
    }
    return false;
}

struct unused {
    const struct uses *uses;
    struct rh_value *list;
};

static void
take_need(void *data, enum rh_need_kind kind, const char *value)
{
    const struct unused *u = data;
    struct rh_arena *a = u->uses->c->arena;
    const char *text;

    /* Who applies is no use, what a capability is used for can't be seen, and a home may be any directory. */
    if (kind == RH_NEED_ROOT || kind == RH_NEED_USER || kind == RH_NEED_CAPABILITY || kind == RH_NEED_DBUS
        || *value == '~' || strcmp(value, "*") == 0 || is_used(u->uses, kind, value))
        return;
    text = rh_arena_printf(a, "%s[%s]", rh_need_word(kind), value);
    for (size_t i = 0; i < rh_value_count(u->list); i++)
        if (strcmp(rh_value_str(rh_value_at(u->list, i), ""), text) == 0)
            return;
    rh_value_append(u->list, rh_value_string(a, text));
}

static void
each_need(void *data, const struct rh_value *name, const struct rh_value *should)
{
    const struct unused *u = data;

    if (name)
        rh_needs_each(u->uses->c->type, name, should, take_need, data);
}

static void
add_list(struct rh_buf *b, const struct rh_value *list)
{
    size_t n = rh_value_count(list);

    for (size_t i = 0; i < n && i < SHOWN; i++)
        rh_buf_addf(b, "%s%s", i ? ", " : "", rh_value_str(rh_value_at(list, i), ""));
    if (n > SHOWN)
        rh_buf_addf(b, ", and %zu more", n - SHOWN);
}

/* The paths that may be used: those of the list, and what any process needs. */
static int
read_plan(struct uses *u, struct rh_error *err)
{
    rh_confinement_runtime(u->plan);
    for (const char *line = next_line(u->privileges, NULL); line; line = next_line(u->privileges, line)) {
        const char *writable = value_of(line, "W"), *readable = value_of(line, "R");

        readable = readable ? readable : value_of(line, "plugin");
        if (writable && rh_confinement_path(u->plan, RH_ACCESS_READ | RH_ACCESS_WRITE, writable, err) < 0)
            return -1;
        if (readable && rh_confinement_path(u->plan, RH_ACCESS_READ, readable, err) < 0)
            return -1;
        if ((value_of(line, "run") && strcmp(value_of(line, "run"), "mount") == 0)
            || (value_of(line, "run") && strcmp(value_of(line, "run"), "umount") == 0))
            rh_confinement_permit(u->plan, RH_PERMIT_MOUNT);
    }
    return 0;
}

static void
compare(struct rh_checker *c, struct rh_subject *s, struct uses *u)
{
    rh_autobuf struct rh_buf text = { 0 };
    rh_autoerror struct rh_error err = { 0 };
    struct unused unused = { u, rh_value_new(c->arena, RH_ARRAY) };
    int status;

    if (rh_supervise(exercise, c, RH_USE_NEEDS, take_use, u, &status, &err) < 0) {
        rh_check_say(c, RH_CHECK_SKIP, "%s", err.message);
        return;
    }
    add_list(&text, u->undeclared);
    if (text.n) {
        rh_check_say(c, RH_CHECK_FAIL, "it uses what it does not declare: %s", rh_buf_text(&text));
        return;
    }
    if (status) {
        rh_check_say(c, RH_CHECK_SKIP, "it did not come to its end");
        return;
    }
    each_want(s, each_need, &unused);
    add_list(&text, unused.list);
    if (text.n)
        rh_buf_addf(&c->text, "declared, and not used here: %s", rh_buf_text(&text));
}

void
rh_check_needs(struct rh_checker *c)
{
    struct rh_subject s = { .checker = c, .reason = "" };
    struct uses u = { .c = c };
    rh_autoerror struct rh_error err = { 0 };
    struct rh_privileges *p;

    if (!c->type->declares_needs) {
        rh_check_say(c, RH_CHECK_SKIP, "it does not declare what it needs");
        return;
    }
    if (rh_check_is_program(c->options)) {
        rh_check_say(c, RH_CHECK_SKIP, "its program is not confined");
        return;
    }
    if (c->fixture->undeclared) {
        rh_check_say(c, RH_CHECK_SKIP, "it needs more than it declares: %s", c->fixture->undeclared);
        return;
    }
    p = rh_privileges_new(c->options->path, NULL);
    each_want(&s, add_privileges, &(struct adding){ p, c->type });
    if (c->fixture->transport && c->fixture->transport->declares_needs)
        rh_privileges_add_question(p, c->fixture->transport, c->fixture->info);
    u.privileges = rh_privileges_text(p);
    u.plan = rh_confinement_new();
    u.used = rh_value_new(c->arena, RH_HASH);
    u.undeclared = rh_value_new(c->arena, RH_ARRAY);
    if (read_plan(&u, &err) == 0)
        compare(c, &s, &u);
    else
        rh_check_say(c, RH_CHECK_FAIL, "%s", err.message);
    rh_confinement_free(u.plan);
    rh_privileges_free(p);
}
