/* SPDX-License-Identifier: Apache-2.0 */
/* kernel - parameters of the kernel that files of sysctl.d set. */
#include "config.h"

#include "capture/parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/value.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char heading[] = "Parameters of the kernel";

struct entry {
    const char *key, *value, *file;
};

struct entries {
    struct entry *v;
    size_t n, cap;
};

static char *
trimmed(char *s)
{
    char *end;

    s += strspn(s, " \t");
    for (end = s + strlen(s); end > s && strchr(" \t\r", end[-1]); end--)
        continue;
    *end = '\0';
    return s;
}

/* With dots between its parts, where that is what it is meant to be. */
static const char *
key_of(struct looking *l, const char *text)
{
    char *key = rh_arena_strdup(l->arena, text);
    bool slashes = key[strcspn(key, "./")] == '/';

    for (char *c = key; slashes && *c; c++)
        *c = *c == '/' ? '.' : *c == '.' ? '/' : *c;
    return key;
}

/* What a file of sysctl.d sets; false: something that the type cannot have, such as a pattern. */
static bool
read_entries(struct looking *l, const char *path, struct entries *e)
{
    struct stat st;
    size_t n;
    char *text = rh_capture_read(l, path, &n, &st), *line, *equals;

    while ((line = rh_capture_line(&text))) {
        line = trimmed(line);
        if (!*line || *line == '#' || *line == ';')
            continue;
        equals = strchr(line, '=');
        if (!equals || *line == '-' || strpbrk(line, "*?[") || !equals[1])
            return false;
        *equals = '\0';
        e->v = rh_xgrow(e->v, &e->cap, e->n, sizeof *e->v);
        e->v[e->n++] = (struct entry){ key_of(l, trimmed(line)), trimmed(equals + 1), path };
    }
    return true;
}

/* Whether the kernel that runs here has it. */
static bool
kernel_has(const char *key)
{
    rh_autofree char *path = rh_printf("/proc/sys/%s", key);

    for (char *c = path + strlen("/proc/sys/"); *c; c++)
        *c = *c == '.' ? '/' : *c == '/' ? '.' : *c;
    return access(path, F_OK) == 0;
}

static void
add_entry(struct looking *l, const struct entry *e)
{
    struct rh_value *item = rh_value_new(l->arena, RH_HASH);
    struct rh_captured *c;

    rh_value_put(item, "name", rh_value_string(l->arena, e->key));
    rh_value_put(item, "value", rh_value_string(l->arena, e->value));
    rh_value_put(item, "target", rh_value_string(l->arena, e->file));
    if (!kernel_has(e->key))
        rh_value_put(item, "apply", rh_value_boolean(l->arena, false));
    c = rh_capture_add(l, heading, "sysctl", item);
    if (c)
        c->secret = rh_capture_secret(e->file);
}

/* The entries of a file, or the file, where they can't be had one by one. */
static void
read_one(struct looking *l, const char *path, struct entries *e)
{
    size_t before = e->n;

    if (read_entries(l, path, e)) {
        if (e->n > before)
            rh_capture_take(l, path);
        return;
    }
    e->n = before;
    (void)rh_capture_file(l, heading, path);
}

/* A file that a package brought counts when it was changed. */
static bool
is_ours(struct looking *l, const char *path)
{
    const struct conffile *c;

    if (!rh_dpkg_owns(l, path))
        return true;
    for (size_t i = 0; (c = rh_dpkg_conffile(l, i)); i++)
        if (strcmp(c->path, path) == 0)
            return rh_dpkg_changed(c);
    return false;
}

void
rh_capture_sysctl(struct looking *l)
{
    static const char last[] = "/etc/sysctl.conf", folder[] = "/etc/sysctl.d";
    struct entries e = { 0 };
    const char **names;
    size_t n = rh_capture_names(l, folder, &names);
    struct stat st;

    if (!l->options->wants(l->options->data, "sysctl"))
        return;
    for (size_t i = 0; i < n; i++) {
        const char *path = rh_arena_printf(l->arena, "%s/%s", folder, names[i]);

        if (rh_capture_ends_with(path, ".conf") && lstat(path, &st) == 0 && S_ISREG(st.st_mode)
            && is_ours(l, path))
            read_one(l, path, &e);
    }
    if (lstat(last, &st) == 0 && S_ISREG(st.st_mode) && is_ours(l, last))
        read_one(l, last, &e);
    /* Of several entries for a key the last one counts. */
    for (size_t i = 0; i < e.n; i++) {
        bool again = false;

        for (size_t k = i + 1; k < e.n && !again; k++)
            again = strcmp(e.v[k].key, e.v[i].key) == 0;
        if (!again)
            add_entry(l, &e.v[i]);
    }
    free(e.v);
}
