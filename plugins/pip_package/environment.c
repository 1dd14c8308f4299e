/* SPDX-License-Identifier: Apache-2.0 */
/* environment - a virtual environment, or the prefix of a Python, and the packages in it.
 *
 * Python is not started for this: what is installed is in the names of the directories
 * NAME-VERSION.dist-info. */

#include "environment.h"

#include "pep440.h"

#include <rhost/path.h>

#include <ctype.h>

const char *
environment_canonical_name(rhost_ctx *ctx, const char *name, size_t len)
{
    char *canonical = rhost_copy(ctx, name, len), *to = canonical;

    for (const char *p = canonical; *p; p++) {
        if (!strchr("-_.", *p))
            *to++ = (char)tolower((unsigned char)*p);
        else if (p[1] && !strchr("-_.", p[1]))
            *to++ = '-';
    }
    *to = '\0';
    return canonical;
}

static void
add_site(struct environment *e, const char *path)
{
    struct stat st;
    size_t n = 0;

    while (e->sites[n])
        n++;
    if (n < MOST_SITES && rhost_path_stat(e->place.ctx, path, 0, &st) == 0 && S_ISDIR(st.st_mode))
        e->sites[n] = path;
}

/* `lib` may have python3.11, or several; Debian has python3 and dist-packages as well. */
static int32_t
look_into(struct environment *e, const char *lib)
{
    rhost_ctx *ctx = e->place.ctx;
    const char **names, *managed;
    ssize_t n = rhost_path_list(ctx, lib, RHOST_PATH_FOLLOW, &names);

    if (n < 0 && errno != ENOENT && errno != ENOTDIR)
        return rhost_fail_path(ctx, "cannot read '%s'", lib);
    for (ssize_t i = 0; i < n; i++) {
        if (strncmp(names[i], "python3", 7) != 0)
            continue;
        add_site(e, rhost_fmt(ctx, "%s/%s/site-packages", lib, names[i]));
        if (e->is_virtual)
            continue;
        add_site(e, rhost_fmt(ctx, "%s/%s/dist-packages", lib, names[i]));
        managed = rhost_fmt(ctx, "%s/%s/EXTERNALLY-MANAGED", lib, names[i]);
        if (place_has(ctx, managed))
            e->managed = managed;
    }
    return 0;
}

int32_t
environment_open(rhost_ctx *ctx, struct environment *e, const char *path, const rhost_value *should)
{
    *e = (struct environment){ 0 };
    if (place_open(ctx, &e->place, path, should) < 0)
        return -1;
    if (!e->place.exists)
        return 0;
    e->is_virtual = place_has(ctx, rhost_fmt(ctx, "%s/pyvenv.cfg", path));
    if (!e->is_virtual && errno != ENOENT)
        return rhost_fail_path(ctx, "cannot read '%s'", path);
    if (look_into(e, rhost_fmt(ctx, "%s/lib", path)) < 0)
        return -1;
    if (!e->is_virtual && look_into(e, rhost_fmt(ctx, "%s/local/lib", path)) < 0)
        return -1;
    e->is_whole = e->sites[0] && place_has(ctx, rhost_fmt(ctx, "%s/bin/python3", path));
    for (size_t i = 0; e->sites[i]; i++)
        e->has_pip |= place_has(ctx, rhost_fmt(ctx, "%s/pip/__main__.py", e->sites[i]));
    return 0;
}

/* Why what pip has begun is not whole: it writes RECORD at the end. What a package of the distribution
 * has put there needs none. */
static const char *
find_fault(rhost_ctx *ctx, const char *info)
{
    static const char pip[] = "pip";
    struct stat st;
    char *by;

    if (rhost_path_stat(ctx, rhost_fmt(ctx, "%s/METADATA", info), 0, &st) < 0 || st.st_size == 0)
        return rhost_fmt(ctx, "'%s' has no METADATA", info);
    if (place_has(ctx, rhost_fmt(ctx, "%s/RECORD", info)))
        return NULL;
    by = rhost_path_read(ctx, rhost_fmt(ctx, "%s/INSTALLER", info), 0, 4096, NULL, NULL);
    return !by || strncmp(by, pip, sizeof pip - 1) == 0 ? rhost_fmt(ctx, "'%s' has no RECORD", info) : NULL;
}

/* One entry of a directory for packages. */
static void
judge(rhost_ctx *ctx, const char *site, const char *entry, const char *name, struct installed *found)
{
    size_t len = strlen(entry), n = strcspn(entry, "-"), suffix = 0;
    const char *version, *end;

    if (len > 10 && strcmp(entry + len - 10, ".dist-info") == 0)
        suffix = 10;
    else if (len > 9 && strcmp(entry + len - 9, ".egg-info") == 0)
        suffix = 9;
    if (!suffix || n + 1 >= len - suffix || strcmp(environment_canonical_name(ctx, entry, n), name) != 0)
        return;
    version = rhost_copy(ctx, entry + n + 1, len - suffix - n - 1);
    if (suffix == 9 && (end = strstr(version, "-py"))) /* of the Python that it was made by */
        version = rhost_copy(ctx, version, (size_t)(end - version));
    if (found->version) {
        found->second = rhost_fmt(ctx, "%s/%s", site, entry);
        return;
    }
    found->version = version;
    if (suffix == 10)
        found->broken = find_fault(ctx, rhost_fmt(ctx, "%s/%s", site, entry));
}

int32_t
environment_find(const struct environment *e, const char *name, struct installed *found)
{
    rhost_ctx *ctx = e->place.ctx;

    *found = (struct installed){ 0 };
    for (size_t i = 0; e->sites[i] && !found->version; i++) {
        const char **names;
        ssize_t n = rhost_path_list(ctx, e->sites[i], 0, &names);

        if (n < 0)
            return rhost_fail_path(ctx, "cannot read '%s'", e->sites[i]);
        for (ssize_t k = 0; k < n; k++)
            judge(ctx, e->sites[i], names[k], name, found);
    }
    return found->second
               ? rhost_fail(ctx,
                            "there is metadata of two versions of '%s': a pip that was killed leaves it; "
                            "remove '%s' or the other one",
                            name, found->second)
               : 0;
}
