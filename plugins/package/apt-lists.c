/* SPDX-License-Identifier: Apache-2.0 */
/* apt-lists - the package lists of apt: how old they are, and bringing them up to date. Also whether there is
 * an apt. */

#include "apt-lists.h"

#include "tool.h"

#include <rhost/catalog.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LISTS "/var/lib/apt/lists"

const char *const apt_locks[] = { "/var/lib/dpkg/lock-frontend", "/var/lib/dpkg/lock",
                                  "/var/cache/apt/archives/lock", NULL };
static const char *const list_locks[] = { "/var/lib/apt/lists/lock", NULL };

int32_t
apt_suits(rhost_ctx *ctx)
{
    if (access("/var/lib/dpkg/status", F_OK) < 0)
        return rhost_fail(ctx, "no database of dpkg found") + 1;
    if (!tool_is_there("apt-get"))
        return rhost_fail(ctx, "apt-get is not installed") + 1;
    return 30;
}

static const int64_t second = 1000000000;

/* When it was changed last, in nanoseconds, if that is later than `newest`. */
static int64_t
later_of(int64_t newest, int dir, const char *path)
{
    struct stat st;
    int64_t changed = fstatat(dir, path, &st, 0) == 0 ? st.st_mtim.tv_sec * second + st.st_mtim.tv_nsec : 0;

    return changed > newest ? changed : newest;
}

static int64_t
lists_changed(void)
{
    int64_t newest = later_of(0, AT_FDCWD, LISTS);

    newest = later_of(newest, AT_FDCWD, LISTS "/partial");
    return later_of(newest, AT_FDCWD, "/var/lib/apt/periodic/update-success-stamp");
}

static int64_t
age_of_lists(void)
{
    return time(NULL) - lists_changed() / second;
}

/* When the repositories were changed last; of the folder, when one was added or removed. */
static int64_t
sources_changed(void)
{
    int64_t newest = later_of(0, AT_FDCWD, "/etc/apt/sources.list");
    DIR *folder = opendir("/etc/apt/sources.list.d");
    const struct dirent *entry;

    if (!folder)
        return newest;
    while ((entry = readdir(folder)))
        if (strcmp(entry->d_name, "..") != 0)
            newest = later_of(newest, dirfd(folder), entry->d_name);
    closedir(folder);
    return newest;
}

/* Under noop: whether the manifest adds a repository. */
static int
repository_would_come(rhost_ctx *ctx)
{
    const rhost_value *all = rhost_noop(ctx) ? rhost_declared_all(ctx, "apt_repository") : NULL;

    for (size_t i = 0; i < rhost_count(all); i++) {
        const rhost_value *one = rhost_get(rhost_at(all, i, NULL), "should");
        const char *path = rhost_fmt(ctx, "%s/sources.list.d/%s.sources",
                                     rhost_str_or(one, "root", "/etc/apt"), rhost_str_or(one, "name", ""));

        if (strcmp(rhost_str_or(one, "ensure", ""), "absent") != 0 && access(path, F_OK) < 0)
            return 1;
    }
    return 0;
}

/* Whether the package lists are to be brought up to date for this one. */
static int
wants_refresh(const rhost_value *should)
{
    const rhost_value *v = rhost_get(should, "refresh");
    int64_t seconds = v ? v->host->integer(v, -1) : -1;

    return rhost_bool(should, "refresh", 0) || (seconds >= 0 && age_of_lists() > seconds);
}

/* Whether the repositories have changed since the lists were brought up to date; then they are again. */
static int
is_stale(rhost_ctx *ctx, const rhost_value *should)
{
    struct memory *m = latest_memory(ctx);
    int64_t sources;

    if (!rhost_bool(should, "refresh", 1))
        return 0;
    sources = sources_changed();
    if (sources <= (m->refreshed ? m->sources : lists_changed()))
        return !m->refreshed && repository_would_come(ctx);
    m->refreshed = 0;
    m->sources = sources;
    return 1;
}

/* Nobody asked for what is only stale: without it there are the lists as they are. */
int
apt_lists_refresh(rhost_ctx *ctx, const rhost_value *should, const char **why)
{
    struct words argv = { 0 };
    const char *printed = NULL;
    int stale = is_stale(ctx, should), wanted = wants_refresh(should);

    if (!stale && !wanted)
        return 0;
    if (!latest_memory(ctx)->refreshed)
        latest_memory(ctx)->sources = sources_changed();
    tool_words(ctx, &argv, "apt-get", "-q", "update");
    if (latest_lists(ctx, should, &argv, list_locks,
                     rhost_fmt(ctx, ", which are %lld s old", (long long)age_of_lists()), &printed, why)
        < 0) {
        if (!wanted)
            rhost_warning(ctx, "the repositories have changed, and %s", *why);
        return wanted ? -1 : 0;
    }
    if (printed) /* apt leaves the time of lists that had not changed */
        (void)utimensat(AT_FDCWD, LISTS, NULL, 0);
    if (printed && strstr(printed, "W: Failed to fetch"))
        rhost_warning(ctx,
                      "not all package lists could be brought up to date, going on with those that "
                      "could:\n%s",
                      lines_of_error(ctx, printed));
    return 0;
}
