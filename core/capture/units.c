/* SPDX-License-Identifier: Apache-2.0 */
/* units - unit files that no package brought, and units that are enabled, disabled or masked otherwise than
 * the presets say. */
#include "config.h"

#include "capture/parts.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/value.h"

#include <string.h>
#include <unistd.h>

#define ETC "/etc/systemd/system"
#define LIB "/usr/lib/systemd/system"

/* The file of a unit, or of a drop-in. */
static const char *
path_of(struct looking *l, const struct rh_value *item)
{
    const char *unit = rh_value_get_str(item, "unit", ""), *dropin = rh_value_get_str(item, "dropin", "");

    if (!*dropin)
        return rh_arena_printf(l->arena, ETC "/%s", unit);
    return rh_arena_printf(l->arena, ETC "/%s.d/%s%s", unit, dropin, strstr(dropin, ".conf") ? "" : ".conf");
}

void
rh_capture_units(struct looking *l)
{
    static const char *const attributes[] = { "title", "unit", "dropin", "content", NULL };
    static const char heading[] = "Units";
    struct rh_value *items = rh_capture_list(l, "systemd_unit");

    for (size_t i = 0; i < rh_value_count(items); i++) {
        const struct rh_value *item = rh_value_at(items, i);
        const char *path = path_of(l, item);

        if (rh_dpkg_owns(l, path) || rh_capture_is_taken(l, path))
            continue;
        if (rh_capture_secret(path)) { /* the type would let everybody read it */
            (void)rh_capture_file(l, heading, path);
            continue;
        }
        rh_capture_take(l, path);
        rh_capture_add(l, heading, "systemd_unit", rh_capture_item(l, item, attributes));
    }
}

/* --- Services. --- */

static const char services[] = "Services";

struct units {
    struct looking *l;
    struct rh_presets *presets;
    struct rh_value *names; /* to be asked about: each a hash with its name */
    struct rh_map seen;
};

static bool
has_type(const char *unit, const char *const *types)
{
    const char *dot = strrchr(unit, '.');

    for (; dot && *types; types++)
        if (strcmp(dot, *types) == 0)
            return true;
    return false;
}

static void
ask_about(struct units *u, const char *unit)
{
    struct rh_value *name;

    if (rh_map_put(&u->seen, unit, u))
        return;
    name = rh_value_new(u->l->arena, RH_HASH);
    rh_value_put(name, "name", rh_value_string(u->l->arena, unit));
    rh_value_append(u->names, name);
}

static bool
is_template(const char *unit)
{
    return strstr(unit, "@.") != NULL;
}

static bool
is_mask(const char *path)
{
    char target[16];
    ssize_t n = readlink(path, target, sizeof target);

    return n == 9 && memcmp(target, "/dev/null", 9) == 0;
}

/* Unit files of a directory; and what is masked in it. */
static void
ask_about_files(struct units *u, const char *directory)
{
    static const char *const types[] = { ".service", ".timer", ".socket", ".path", NULL };
    static const char *const masked[] = { ".service", ".timer", ".socket", ".path",
                                          ".target",  ".mount", ".swap",   NULL };
    const char **names;
    size_t n = rh_capture_names(u->l, directory, &names);

    for (size_t i = 0; i < n; i++) {
        const char *path = rh_arena_printf(u->l->arena, "%s/%s", directory, names[i]);
        struct stat st;

        if (is_template(names[i]) || lstat(path, &st) < 0)
            continue;
        if (S_ISREG(st.st_mode) ? has_type(names[i], types)
                                : S_ISLNK(st.st_mode) && has_type(names[i], masked) && is_mask(path))
            ask_about(u, names[i]);
    }
}

/* Instances of templates that are enabled: the links of *.wants. */
static void
ask_about_instances(struct units *u)
{
    const char **folders, **names;
    size_t n = rh_capture_names(u->l, ETC, &folders);

    for (size_t i = 0; i < n; i++) {
        static const char *const ends[] = { ".wants", ".requires", ".upholds", NULL };
        size_t found;

        if (!has_type(folders[i], ends))
            continue;
        found = rh_capture_names(u->l, rh_arena_printf(u->l->arena, ETC "/%s", folders[i]), &names);
        for (size_t k = 0; k < found; k++)
            if (strchr(names[k], '@'))
                ask_about(u, names[k]);
    }
}

/* The file that a unit, or its template, is in; NULL: there is none. */
static const char *
file_of(struct units *u, const char *unit)
{
    static const char *const folders[] = { ETC, "/run/systemd/system", "/usr/local/lib/systemd/system", LIB,
                                           "/lib/systemd/system" };
    const char *at = strchr(unit, '@'), *dot = strrchr(unit, '.');
    const char *name = unit;

    if (at && dot > at)
        name = rh_arena_printf(u->l->arena, "%.*s@%s", (int)(at - unit), unit, dot);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const char *path = rh_arena_printf(u->l->arena, "%s/%s", folders[i], name);
        struct stat st;

        if (lstat(path, &st) == 0)
            return path;
    }
    return NULL;
}

/* "DefaultInstance=tty1" */
static bool
is_default_instance(const char *unit, const char *text)
{
    static const char setting[] = "\nDefaultInstance=";
    const char *at = strchr(unit, '@'), *dot = strrchr(unit, '.'), *value = strstr(text, setting);
    size_t n = at && dot > at ? (size_t)(dot - at - 1) : 0;

    value = value ? value + sizeof setting - 1 : NULL;
    return value && n && strncmp(value, at + 1, n) == 0 && strchr(" \t\r\n", value[n]);
}

static void
add_masked(struct units *u, const char *unit, const struct rh_value *item)
{
    static const char *const attributes[] = { "name", "mask", NULL };
    struct rh_value *copy = rh_capture_item(u->l, item, attributes);

    if (strcmp(rh_value_get_str(item, "ensure", ""), "stopped") == 0 && strrchr(unit, '.')
        && strcmp(strrchr(unit, '.'), ".target") != 0)
        rh_value_put(copy, "ensure", rh_value_get(item, "ensure"));
    rh_capture_add(u->l, services, "service", copy);
}

/* A unit of which systemd knows how to enable it. One that runs at the wish of another, or not just now, is
 * left alone: that it is enabled says what is wanted of it. */
static void
add_unit(struct units *u, const char *unit, const struct rh_value *item, bool ours, const char *text)
{
    static const char *const attributes[] = { "name", "enable", NULL };
    bool enabled = rh_capture_is_true(item, "enable"), instance = strchr(unit, '@') != NULL;
    bool running = strcmp(rh_value_get_str(item, "ensure", ""), "running") == 0;
    bool stopped = strcmp(rh_value_get_str(item, "ensure", ""), "stopped") == 0;
    bool preset = rh_preset_enables(u->presets, unit) && (!instance || is_default_instance(unit, text));
    struct rh_value *copy = rh_capture_item(u->l, item, attributes);

    if (!strstr(text, "[Install]")) {
        if (!ours || !running)
            return;
        rh_value_drop(copy, "enable");
    } else if (!ours && enabled == preset) {
        return;
    }
    if (running || (stopped && !enabled))
        rh_value_put(copy, "ensure", rh_value_get(item, "ensure"));
    rh_capture_add(u->l, services, "service", copy);
}

static void
judge(struct units *u, const struct rh_value *item)
{
    const char *unit = rh_value_get_str(item, "name", ""), *path, *text;
    struct stat st;
    size_t n;

    if (!strrchr(unit, '.'))
        unit = rh_arena_printf(u->l->arena, "%s.service", unit);
    path = file_of(u, unit);
    if (rh_capture_is_true(item, "mask")) {
        if (path && strncmp(path, ETC, sizeof ETC - 1) == 0) /* or else a package did that */
            add_masked(u, unit, item);
    } else if (path && (text = rh_capture_read(u->l, path, &n, &st))) {
        add_unit(u, unit, item, !rh_dpkg_owns(u->l, path), text);
    }
}

/* Without systemd: what is not started with the machine, as scripts are by their nature. */
static void
add_scripts(struct looking *l)
{
    static const char *const attributes[] = { "name", "ensure", "enable", NULL };
    struct rh_value *items = rh_capture_list(l, "service");

    for (size_t i = 0; i < rh_value_count(items); i++) {
        const struct rh_value *item = rh_value_at(items, i);

        if (!rh_capture_is_true(item, "enable"))
            rh_capture_add(l, services, "service", rh_capture_item(l, item, attributes));
    }
}

void
rh_capture_services(struct looking *l)
{
    struct units u = { .l = l, .names = rh_value_new(l->arena, RH_ARRAY) };
    struct rh_value *items = rh_value_new(l->arena, RH_ARRAY);

    if (!l->options->wants(l->options->data, "service"))
        return;
    if (access("/run/systemd/system", F_OK) < 0) {
        add_scripts(l);
        return;
    }
    u.presets = rh_preset_read(l);
    ask_about_files(&u, ETC);
    ask_about_files(&u, LIB);
    ask_about_files(&u, "/lib/systemd/system");
    ask_about_files(&u, "/usr/local/lib/systemd/system");
    ask_about_instances(&u);
    if (u.names->count && l->options->read(l->options->data, "service", u.names, items) < 0)
        l->failed = true;
    for (size_t i = 0; i < rh_value_count(items); i++)
        judge(&u, rh_value_at(items, i));
    rh_map_clear(&u.seen);
}
