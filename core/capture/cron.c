/* SPDX-License-Identifier: Apache-2.0 */
/* cron - jobs of cron.d, of the crontabs of users, and of cron.daily and its like.
 *
 * A file in which each job has a name of rhost is captured job by job, any other one as it is: a job of
 * others has no name by which it could be found again. */
#include "config.h"

#include "capture/parts.h"

#include "base/arena.h"
#include "base/value.h"

#include <ctype.h>
#include <string.h>

#define CRON_D "/etc/cron.d"
#define SPOOL "/var/spool/cron/crontabs"

static const char heading[] = "Jobs of cron";

/* Lines that jobs of rhost account for: their name, their environment, and the job itself. */
static size_t
lines_of_jobs(const struct rh_value *items, const char *target)
{
    size_t lines = 0;

    for (size_t i = 0; i < rh_value_count(items); i++) {
        const struct rh_value *item = rh_value_at(items, i);

        if (strcmp(rh_value_get_str(item, "target", ""), target) == 0)
            lines += 2 + rh_value_count(rh_value_get(item, "environment"));
    }
    return lines;
}

/* Lines that are neither empty nor what crontab(1) puts in front. */
static size_t
lines_of_file(struct looking *l, const char *path)
{
    struct stat st;
    size_t n, lines = 0;
    char *text = rh_capture_read(l, path, &n, &st), *line;

    for (size_t i = 0; (line = rh_capture_line(&text)); i++) {
        line += strspn(line, " \t\r");
        lines +=
            *line && !(i < 3 && (strncmp(line, "# DO NOT EDIT", 13) == 0 || strncmp(line, "# (", 3) == 0));
    }
    return lines;
}

static void
add_jobs(struct looking *l, const struct rh_value *items, const char *target, const char *path)
{
    static const char *const attributes[] = { "title",   "name",    "target",      "command", "user",
                                              "minute",  "hour",    "monthday",    "month",   "weekday",
                                              "special", "enabled", "environment", NULL };

    for (size_t i = 0; i < rh_value_count(items); i++) {
        const struct rh_value *item = rh_value_at(items, i);
        struct rh_value *copy;
        struct rh_captured *c;

        if (strcmp(rh_value_get_str(item, "target", ""), target) != 0)
            continue;
        copy = rh_capture_item(l, item, attributes);
        if (!rh_value_count(rh_value_get(copy, "environment")))
            rh_value_drop(copy, "environment");
        if (strncmp(target, "crontab:", 8) == 0)
            rh_value_drop(copy, "user"); /* its owner */
        c = rh_capture_add(l, heading, "cron", copy);
        if (c)
            c->secret = rh_capture_secret(path);
    }
}

/* Each file of the directory: its jobs, or itself. */
static void
add_files(struct looking *l, const struct rh_value *items, const char *directory, const char *prefix)
{
    const char **names;
    size_t n = rh_capture_names(l, directory, &names);

    for (size_t i = 0; i < n; i++) {
        const char *path = rh_arena_printf(l->arena, "%s/%s", directory, names[i]);
        const char *target = rh_arena_printf(l->arena, "%s%s", prefix, names[i]);
        struct stat st;

        if (strpbrk(names[i], ".~") || rh_dpkg_owns(l, path) || lstat(path, &st) < 0)
            continue;
        if (S_ISREG(st.st_mode) && lines_of_jobs(items, target) == lines_of_file(l, path)) {
            rh_capture_take(l, path);
            add_jobs(l, items, target, path);
        } else {
            (void)rh_capture_file(l, heading, path);
        }
    }
}

void
rh_capture_cron(struct looking *l)
{
    static const char *const periods[] = { "/etc/cron.hourly", "/etc/cron.daily", "/etc/cron.weekly",
                                           "/etc/cron.monthly", "/etc/cron.yearly" };
    struct rh_value *items = rh_capture_list(l, "cron");

    add_files(l, items, CRON_D, CRON_D "/");
    add_files(l, items, SPOOL, "crontab:");
    for (size_t i = 0; i < sizeof periods / sizeof periods[0]; i++)
        rh_capture_unowned(l, heading, periods[i], "");
}
