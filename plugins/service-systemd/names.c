/* SPDX-License-Identifier: Apache-2.0 */
/* names - names of units, and what they are aliases of. */

#include "names.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where systemd looks for units of the system, in its order. */
static const char *const folders[] = {
    "/etc/systemd/system.control",   "/run/systemd/system.control",  "/run/systemd/transient",
    "/run/systemd/generator.early",  "/etc/systemd/system",          "/etc/systemd/system.attached",
    "/run/systemd/system",           "/run/systemd/system.attached", "/run/systemd/generator",
    "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",      "/lib/systemd/system",
    "/run/systemd/generator.late",
};

enum { FOLDERS = sizeof folders / sizeof folders[0], MOST_LINKS = 8 };

const char *
names_type(const char *name)
{
    static const char *const types[] = { ".service", ".socket",    ".target", ".timer", ".path",  ".mount",
                                         ".swap",    ".automount", ".slice",  ".scope", ".device" };
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && dot > name && i < sizeof types / sizeof types[0]; i++)
        if (strcmp(dot, types[i]) == 0)
            return dot;
    return NULL;
}

int
names_is_template(const char *name)
{
    const char *type = names_type(name), *at = strchr(name, '@');

    return type && at && at + 1 == type;
}

/* The name with another instance; "" makes it a template. */
static int
with_instance(const char *name, const char *instance, size_t len, char to[NAMES_MAX])
{
    const char *type = names_type(name), *at = strchr(name, '@');
    int n;

    if (!type || !at || at > type)
        return 0;
    n = snprintf(to, NAMES_MAX, "%.*s%.*s%s", (int)(at + 1 - name), name, (int)len, instance, type);
    return n > 0 && n < NAMES_MAX;
}

int
names_template(const char *name, char template[NAMES_MAX])
{
    return !names_is_template(name) && with_instance(name, "", 0, template);
}

const char *
names_complete(const char *name, char full[NAMES_MAX])
{
    int n = snprintf(full, NAMES_MAX, "%s%s", name, names_type(name) ? "" : ".service");

    if (n >= NAMES_MAX)
        return "it is too long";
    if (*name == '.' || *name == '@')
        return "nothing stands before its first '.' or '@'";
    if (strspn(full, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_.\\@-") != (size_t)n)
        return "letters, digits and ':_.\\@-' are all that it may have";
    return NULL;
}

/* Whether `name` may be an alias of what a link points at: both plain, both templates, or both
 * instances. A link from an instance to its own template makes it no alias. */
static int
may_be_alias(const char *name, const char *of)
{
    const char *type = names_type(name), *other = names_type(of);
    char ignored[NAMES_MAX];

    return type && other && strcmp(type, other) == 0 && strcmp(name, of) != 0
           && names_is_template(name) == names_is_template(of)
           && names_template(name, ignored) == names_template(of, ignored);
}

/* 1: there is such a file, and it is no alias; 2: it is one, of `of`; 0: no such file. */
static int
alias_of(const char *name, char of[NAMES_MAX])
{
    for (size_t i = 0; i < FOLDERS; i++) {
        char path[PATH_MAX], target[PATH_MAX];
        const char *base;
        ssize_t len;
        struct stat st;

        snprintf(path, sizeof path, "%s/%s", folders[i], name);
        if (lstat(path, &st) < 0)
            continue;
        len = S_ISLNK(st.st_mode) ? readlink(path, target, sizeof target - 1) : -1;
        if (len < 0)
            return 1;
        target[len] = '\0';
        base = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
        if (strlen(base) >= NAMES_MAX || !may_be_alias(name, base))
            return 1;
        memcpy(of, base, strlen(base) + 1);
        return 2;
    }
    return 0;
}

void
names_follow(char name[NAMES_MAX])
{
    char of[NAMES_MAX], template[NAMES_MAX], start[NAMES_MAX];

    snprintf(start, sizeof start, "%s", name);
    for (int links = 0; links < MOST_LINKS; links++) {
        int found = alias_of(name, of);

        if (found == 0 && names_template(name, template) && alias_of(template, of) == 2) {
            const char *instance = strchr(name, '@') + 1;
            char to[NAMES_MAX];

            if (!with_instance(of, instance, (size_t)(names_type(name) - instance), to))
                return;
            snprintf(of, sizeof of, "%s", to);
            found = 2;
        }
        if (found != 2)
            return;
        snprintf(name, NAMES_MAX, "%s", of);
    }
    snprintf(name, NAMES_MAX, "%s", start); /* they go round in a circle: systemd refuses them */
}

int
names_file(const char *name, char *path, size_t size)
{
    char template[NAMES_MAX];

    for (size_t i = 0; i < FOLDERS; i++) {
        int n = snprintf(path, size, "%s/%s", folders[i], name);

        if (n > 0 && (size_t)n < size && access(path, R_OK) == 0)
            return 1;
    }
    return names_template(name, template) && names_file(template, path, size);
}

unsigned
names_distance(const char *a, const char *b, unsigned limit)
{
    unsigned row[NAMES_MAX + 1];
    size_t n = strlen(a), m = strlen(b);

    if (n > NAMES_MAX || m > NAMES_MAX || (n > m ? n - m : m - n) > limit)
        return limit + 1;
    for (size_t j = 0; j <= m; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned diagonal = row[0];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned above = row[j], best = diagonal + (a[i - 1] != b[j - 1]);

            if (above + 1 < best)
                best = above + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = above;
            row[j] = best;
        }
    }
    return row[m] > limit ? limit + 1 : row[m];
}
