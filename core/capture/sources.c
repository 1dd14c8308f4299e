/* SPDX-License-Identifier: Apache-2.0 */
/* sources - where apt has packages from: repositories, keys, priorities, and the lists of packages that
 * somebody asked for. */
#include "config.h"

#include "capture/parts.h"

#include "base/arena.h"
#include "base/text.h"
#include "base/value.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define APT "/etc/apt"

static const char heading[] = "Package sources";

/* Where a repository of this file has its key: the next path behind "signed-by"; NULL: there is none. */
static const char *
next_key(struct looking *l, const char **text)
{
    static const char word[] = "signed-by";
    const char *at = *text, *end;

    for (; *at; at++)
        if (strncasecmp(at, word, sizeof word - 1) == 0) {
            at += sizeof word - 1;
            at += strspn(at, " \t:=");
            end = at + strcspn(at, " \t\n],");
            *text = end;
            if (*at == '/')
                return rh_arena_strndup(l->arena, at, (size_t)(end - at));
            at = end - 1;
        }
    return NULL;
}

/* The file of a key, where it is text, as a file; its bytes are left where they are not: 1. */
static int
add_key(struct looking *l, const char *path, const char **bytes, size_t *n)
{
    struct stat st;

    if (rh_dpkg_owns(l, path) || rh_capture_is_taken(l, path))
        return 0;
    *bytes = rh_capture_read(l, path, n, &st);
    if (!*bytes)
        return 0;
    if (rh_armor_is_binary_key(*bytes, *n))
        return 1;
    (void)rh_capture_file(l, heading, path);
    return 0;
}

static void
add_keys_of(struct looking *l, const char *path)
{
    struct stat st;
    const char *text, *key, *bytes;
    size_t n;

    text = rh_capture_read(l, path, &n, &st);
    while (text && (key = next_key(l, &text)))
        if (add_key(l, key, &bytes, &n))
            (void)rh_capture_file(l, heading, key); /* which says why it can't be had */
}

/* A repository of a file with one stanza. Its key, where that is no text, becomes part of it. */
static void
add_repository(struct looking *l, const struct rh_value *item)
{
    static const char *const attributes[] = { "name",       "enabled",       "types",     "uris",   "suites",
                                              "components", "architectures", "signed_by", "fields", NULL };
    const char *name = rh_value_get_str(item, "name", ""), *key, *bytes;
    const char *path = rh_arena_printf(l->arena, APT "/sources.list.d/%s.sources", name);
    struct rh_value *copy = rh_capture_item(l, item, attributes);
    struct rh_captured *c;
    size_t n;

    rh_capture_take(l, path);
    if (rh_dpkg_owns(l, path))
        return;
    key = rh_value_get_str(copy, "signed_by", "");
    if (*key == '/' && !strpbrk(key, " \t\n,") && add_key(l, key, &bytes, &n)) {
        rh_value_put(copy, "key", rh_value_string(l->arena, rh_armor_key(l, bytes, n)));
        rh_value_drop(copy, "signed_by");
    }
    for (size_t i = 0; i < 2; i++) {
        const char *empty = i ? "fields" : "architectures";

        if (rh_value_get(copy, empty) && !rh_value_count(rh_value_get(copy, empty)))
            rh_value_drop(copy, empty);
    }
    if (rh_capture_is_true(copy, "enabled"))
        rh_value_drop(copy, "enabled");
    c = rh_capture_add(l, heading, "apt_repository", copy);
    if (c)
        c->secret = rh_capture_secret(path);
}

/* Whether there is more than comments in a file. */
static bool
says_something(struct looking *l, const char *path)
{
    struct stat st;
    size_t n;
    char *text = rh_capture_read(l, path, &n, &st), *line;

    while ((line = rh_capture_line(&text))) {
        line += strspn(line, " \t\r");
        if (*line && *line != '#')
            return true;
    }
    return false;
}

static void
add_file_with_keys(struct looking *l, const char *path)
{
    if (rh_dpkg_owns(l, path) || !says_something(l, path))
        return;
    add_keys_of(l, path);
    (void)rh_capture_file(l, heading, path);
}

void
rh_capture_sources(struct looking *l)
{
    struct rh_value *items = rh_capture_list(l, "apt_repository");
    const char **names;
    size_t n;

    for (size_t i = 0; i < rh_value_count(items); i++)
        add_repository(l, rh_value_at(items, i));
    add_file_with_keys(l, APT "/sources.list");
    n = rh_capture_names(l, APT "/sources.list.d", &names);
    for (size_t i = 0; i < n; i++) {
        const char *path = rh_arena_printf(l->arena, APT "/sources.list.d/%s", names[i]);

        if (!rh_capture_is_taken(l, path)
            && (rh_capture_ends_with(path, ".list") || rh_capture_ends_with(path, ".sources")))
            add_file_with_keys(l, path);
    }
    rh_capture_unowned(l, heading, APT "/trusted.gpg.d", "");
    rh_capture_unowned(l, heading, APT "/preferences.d", "");
    rh_capture_unowned(l, heading, APT "/auth.conf.d", "");
    rh_capture_unowned(l, heading, APT "/apt.conf.d", "");
    for (size_t i = 0; i < 3; i++) {
        static const char *const paths[] = { APT "/preferences", APT "/auth.conf", APT "/apt.conf" };

        if (!rh_dpkg_owns(l, paths[i]))
            (void)rh_capture_file(l, heading, paths[i]);
    }
}

/* What is there because somebody asked for it; all, where the package manager keeps no marks. */
void
rh_capture_packages(struct looking *l)
{
    struct rh_value *items = rh_capture_list(l, "package");
    const char *const attributes[] = { "name", "mark", "held", l->options->versions ? "version" : NULL,
                                       NULL };
    size_t required = 0;

    for (size_t i = 0; i < rh_value_count(items); i++) {
        const struct rh_value *item = rh_value_at(items, i);
        const char *name = rh_value_get_str(item, "name", "");
        bool is_held = rh_capture_is_true(item, "held");
        struct rh_value *copy;

        if (!is_held && strcmp(rh_value_get_str(item, "mark", "manual"), "auto") == 0)
            continue;
        if (!is_held && rh_dpkg_requires(l, name)) {
            required++;
            continue;
        }
        copy = rh_capture_item(l, item, attributes);
        if (!is_held)
            rh_value_drop(copy, "held");
        rh_capture_add(l, "Packages", "package", copy);
    }
    if (required)
        rh_capture_note(l, "Packages", "package",
                        "%zu that every machine of this distribution has (essential, or of priority "
                        "'required') are not listed",
                        required);
}
