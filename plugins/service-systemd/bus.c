/* SPDX-License-Identifier: Apache-2.0 */
/* bus - a connection to systemd, and what is asked of it. */

#include "bus.h"

#include <rhost/posix.h>

#include <stdlib.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#define PRIVATE "/run/systemd/private"

enum { ANSWER_LIMIT = 120 }; /* seconds; reading all unit files anew may take long */

const char *
bus_why_not(void)
{
    if (sd_booted() <= 0)
        return "this machine does not run systemd (/run/systemd/system does not exist)";
    if (rhost_in_chroot())
        return "systemd runs this machine, but we are in a chroot";
    return NULL;
}

const char *
bus_reason(rhost_ctx *ctx, const sd_bus_error *error, int result)
{
    if (error && error->message)
        return rhost_strdup(ctx, error->message);
    return rhost_strdup(ctx, strerror(-result));
}

static int
connect_to(sd_bus *bus)
{
    int r = sd_bus_set_address(bus, "unix:path=" PRIVATE);

    return r < 0 ? r : sd_bus_start(bus);
}

sd_bus *
bus_open(rhost_ctx *ctx)
{
    const char *why = bus_why_not();
    sd_bus *bus = NULL;
    int r;

    if (why) {
        (void)rhost_fail(ctx, "%s", why);
        return NULL;
    }
    if (geteuid() == 0 && access(PRIVATE, F_OK) == 0) {
        r = sd_bus_new(&bus);
        r = r < 0 ? r : connect_to(bus);
    } else {
        r = sd_bus_open_system(&bus);
    }
    if (r >= 0)
        r = sd_bus_set_method_call_timeout(bus, ANSWER_LIMIT * UINT64_C(1000000));
    if (r < 0) {
        (void)rhost_fail(ctx, "cannot connect to systemd: %s", strerror(-r));
        sd_bus_close_unref(bus);
        return NULL;
    }
    return bus;
}

void
bus_close(sd_bus *bus)
{
    sd_bus_flush_close_unref(bus);
}

int
bus_reload(rhost_ctx *ctx, sd_bus *bus)
{
    sd_bus_error error = SD_BUS_ERROR_NULL;
    int r = sd_bus_call_method(bus, BUS_NAME, BUS_PATH, BUS_MANAGER, "Reload", &error, NULL, "");

    rhost_debug(ctx, "asked systemd to read its unit files anew");
    if (r < 0)
        (void)rhost_fail(ctx, "systemd cannot read its unit files anew: %s", bus_reason(ctx, &error, r));
    sd_bus_error_free(&error);
    return r < 0 ? -1 : 0;
}

/* Whether it says nothing of the unit that a question failed. */
static int
is_trouble(int r)
{
    return r == -ENOMEM || r == -EIO || r == -EPIPE || r == -ENOTCONN || r == -ECONNRESET || r == -ETIMEDOUT;
}

/* The state of its file as it is on disk; systemd's property may be older. "" when it has none; NULL with
 * the reason in `r` when that can't be told. */
static const char *
file_state(rhost_ctx *ctx, sd_bus *bus, const char *name, int *r)
{
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *reply = NULL;
    const char *state = "";
    int asked = sd_bus_call_method(bus, BUS_NAME, BUS_PATH, BUS_MANAGER, "GetUnitFileState", &error, &reply,
                                   "s", name);

    asked = asked < 0 ? asked : sd_bus_message_read(reply, "s", &state);
    if (is_trouble(asked))
        *r = asked;
    state = is_trouble(asked) ? NULL : rhost_strdup(ctx, asked < 0 ? "" : state);
    sd_bus_message_unref(reply);
    sd_bus_error_free(&error);
    return state;
}

struct listed {
    const char *name, *load, *active, *sub;
};

/* One of a(ssssssouso). 1: there was one. */
static int
next_unit(rhost_ctx *ctx, sd_bus_message *reply, struct listed *l)
{
    const char *name, *desc, *load, *active, *sub, *following, *path, *job, *object;
    uint32_t id;
    int r = sd_bus_message_read(reply, "(ssssssouso)", &name, &desc, &load, &active, &sub, &following, &path,
                                &id, &job, &object);

    if (r > 0) {
        l->name = rhost_strdup(ctx, name);
        l->load = rhost_strdup(ctx, load);
        l->active = rhost_strdup(ctx, active);
        l->sub = rhost_strdup(ctx, sub);
    }
    return r;
}

int
bus_units(rhost_ctx *ctx, sd_bus *bus, const char *const *names, size_t n, struct unit *units)
{
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *call = NULL, *reply = NULL;
    int r = sd_bus_message_new_method_call(bus, &call, BUS_NAME, BUS_PATH, BUS_MANAGER, "ListUnitsByNames");

    r = r < 0 ? r : sd_bus_message_open_container(call, 'a', "s");
    for (size_t i = 0; i < n && r >= 0; i++)
        if (!names_is_template(names[i]))
            r = sd_bus_message_append(call, "s", names[i]);
    r = r < 0 ? r : sd_bus_message_close_container(call);
    r = r < 0 ? r : sd_bus_call(bus, call, 0, &error, &reply);
    r = r < 0 ? r : sd_bus_message_enter_container(reply, 'a', "(ssssssouso)");
    for (size_t i = 0; i < n && r >= 0; i++) {
        struct listed l = { .load = "loaded", .active = "inactive", .sub = "" };
        int template = names_is_template(names[i]);

        /* They come in the order that was asked for, aliases under the name of their unit. */
        r = template ? 1 : next_unit(ctx, reply, &l);
        if (r == 0)
            r = -EBADMSG;
        units[i] = (struct unit){ names[i], l.load, l.active, l.sub, file_state(ctx, bus, names[i], &r) };
        if (template && units[i].file && !*units[i].file)
            units[i].load = "not-found";
    }
    if (r < 0)
        (void)rhost_fail(ctx, "cannot ask systemd how units are: %s", bus_reason(ctx, &error, r));
    sd_bus_message_unref(call);
    sd_bus_message_unref(reply);
    sd_bus_error_free(&error);
    return r < 0 ? -1 : 0;
}

static int
list(sd_bus *bus, const char *method, const char *pattern, sd_bus_message **reply, sd_bus_error *error)
{
    return sd_bus_call_method(bus, BUS_NAME, BUS_PATH, BUS_MANAGER, method, error, reply, "asas", 0, 1,
                              pattern);
}

struct seen {
    char **names;
    size_t n, room;
};

static void
see(rhost_ctx *ctx, struct seen *s, const char *name)
{
    if (s->n == s->room) {
        char **more = rhost_alloc(ctx, (2 * s->n + 64) * sizeof *more);

        if (s->n)
            memcpy(more, s->names, s->n * sizeof *more);
        s->room = 2 * s->n + 64;
        s->names = more;
    }
    s->names[s->n++] = rhost_strdup(ctx, name);
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of units that are loaded and of files, sorted; templates and aliases are left out. NULL, or
 * why not. */
static const char *
collect(rhost_ctx *ctx, sd_bus *bus, const char *pattern, struct seen *s)
{
    const char *why;
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *reply = NULL;
    int r = list(bus, "ListUnitsByPatterns", pattern, &reply, &error);
    struct listed l;
    const char *path, *state;

    r = r < 0 ? r : sd_bus_message_enter_container(reply, 'a', "(ssssssouso)");
    while (r >= 0 && (r = next_unit(ctx, reply, &l)) > 0)
        if (strcmp(l.load, "not-found") != 0)
            see(ctx, s, l.name);
    sd_bus_message_unref(reply);
    reply = NULL;
    r = r < 0 ? r : list(bus, "ListUnitFilesByPatterns", pattern, &reply, &error);
    r = r < 0 ? r : sd_bus_message_enter_container(reply, 'a', "(ss)");
    while (r >= 0 && (r = sd_bus_message_read(reply, "(ss)", &path, &state)) > 0) {
        const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
        char name[NAMES_MAX];

        if (names_is_template(base) || strlen(base) >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%s", base);
        names_follow(name);
        if (strcmp(name, base) == 0)
            see(ctx, s, name);
    }
    why = r < 0 ? bus_reason(ctx, &error, r) : NULL;
    sd_bus_message_unref(reply);
    sd_bus_error_free(&error);
    if (s->n)
        qsort(s->names, s->n, sizeof *s->names, by_name);
    return why;
}

int
bus_each(rhost_ctx *ctx, sd_bus *bus, const char *pattern,
         int (*visit)(rhost_ctx *ctx, const struct unit *unit))
{
    struct seen s = { 0 };
    const char **names;
    struct unit *units;
    size_t n = 0;
    const char *why = collect(ctx, bus, pattern, &s);

    if (why)
        return rhost_fail(ctx, "cannot ask systemd for its units: %s", why);
    names = rhost_alloc(ctx, (s.n + 1) * sizeof *names);
    units = rhost_alloc(ctx, (s.n + 1) * sizeof *units);
    for (size_t i = 0; i < s.n; i++)
        if (!n || strcmp(names[n - 1], s.names[i]) != 0)
            names[n++] = s.names[i];
    if (bus_units(ctx, bus, names, n, units) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (visit(ctx, &units[i]) < 0)
            return -1;
    return 0;
}

char *
bus_object(rhost_ctx *ctx, const char *unit)
{
    char *path = NULL, *copy;

    if (sd_bus_path_encode(BUS_PATH "/unit", unit, &path) < 0)
        return NULL;
    copy = rhost_strdup(ctx, path);
    free(path);
    return copy;
}

const char *
bus_property(rhost_ctx *ctx, sd_bus *bus, const char *unit, const char *interface, const char *property)
{
    char *object = bus_object(ctx, unit), *text = NULL;
    const char *copy = "";

    if (object && sd_bus_get_property_string(bus, BUS_NAME, object, interface, property, NULL, &text) >= 0)
        copy = rhost_strdup(ctx, text);
    free(text);
    return copy;
}

int
bus_flag(sd_bus *bus, const char *unit, const char *property)
{
    char *path = NULL;
    int flag = 0, r = sd_bus_path_encode(BUS_PATH "/unit", unit, &path);

    if (r >= 0)
        r = sd_bus_get_property_trivial(bus, BUS_NAME, path, BUS_UNIT, property, NULL, 'b', &flag);
    free(path);
    return r >= 0 && flag;
}

int
bus_files(sd_bus *bus, const char *method, const char *const *names, int runtime, int force,
          sd_bus_error *error)
{
    sd_bus_message *call = NULL;
    int r = sd_bus_message_new_method_call(bus, &call, BUS_NAME, BUS_PATH, BUS_MANAGER, method);

    r = r < 0 ? r : sd_bus_message_open_container(call, 'a', "s");
    for (size_t i = 0; names[i] && r >= 0; i++)
        r = sd_bus_message_append(call, "s", names[i]);
    r = r < 0 ? r : sd_bus_message_close_container(call);
    r = r < 0 ? r : sd_bus_message_append(call, "b", runtime);
    if (force >= 0)
        r = r < 0 ? r : sd_bus_message_append(call, "b", force);
    r = r < 0 ? r : sd_bus_call(bus, call, 0, error, NULL);
    sd_bus_message_unref(call);
    return r;
}

const char *
bus_suggest(rhost_ctx *ctx, sd_bus *bus, const char *name)
{
    char pattern[NAMES_MAX];
    struct seen s = { 0 };
    const char *best = NULL;
    size_t stem = strlen(name) - strlen(names_type(name));
    unsigned least = stem > 6 ? 3 : stem > 3 ? 2 : 1;
    const char *bare = rhost_copy(ctx, name, stem);

    snprintf(pattern, sizeof pattern, "*%s", names_type(name));
    if (collect(ctx, bus, pattern, &s))
        return NULL;
    for (size_t i = 0; i < s.n; i++) {
        unsigned distance = names_distance(name, s.names[i], least);

        /* "nginx.servce" got a type of its own. */
        if (distance > least && strchr(bare, '.'))
            distance = names_distance(bare, s.names[i], least);
        if (distance <= least && distance > 0) {
            best = s.names[i];
            least = distance - 1;
        }
    }
    return best;
}
