/* SPDX-License-Identifier: Apache-2.0 */
/* levels - in which runlevels a script is started, as the links in rc?.d say. */

#include "levels.h"

#include <rhost/exec.h>
#include <rhost/path.h>

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

enum { LAST_LINES = 5 };

/* --- The script's header. --------------------------------------------------------------------- */

/* The runlevels of "# Default-Start: 2 3 4 5". */
static void
take_levels(const char *text, char levels[16])
{
    size_t n = 0;

    for (; *text && *text != '\n'; text++)
        if (strchr("0123456789S", *text) && n < 15)
            levels[n++] = *text;
    levels[n] = '\0';
}

static int
begins(const char *line, const char *with, const char **rest)
{
    while (*line == '#' || *line == ' ' || *line == '\t')
        line++;
    *rest = line + strlen(with);
    return strncmp(line, with, strlen(with)) == 0;
}

static void
read_line(struct script *s, const char *line)
{
    const char *rest;
    char levels[16];
    int start, stop;

    if (strstr(line, "status"))
        s->has_status = 1;
    if (*line != '#')
        return;
    if (begins(line, "Default-Start:", &rest))
        take_levels(rest, s->start);
    else if (begins(line, "Default-Stop:", &rest))
        take_levels(rest, s->stop);
    else if (begins(line, "chkconfig:", &rest) && sscanf(rest, "%15s %d %d", levels, &start, &stop) == 3
             && start >= 0 && start <= 99 && stop >= 0 && stop <= 99) {
        s->start_at = start;
        s->stop_at = stop;
        if (*levels != '-')
            take_levels(levels, s->start);
    }
}

int
script_read(rhost_ctx *ctx, struct script *s, const char *folder, const char *name)
{
    char line[1024];
    struct stat st;
    FILE *f;
    int fd;

    *s = (struct script){ .name = name, .start = "2345", .stop = "016", .start_at = 50, .stop_at = 50 };
    snprintf(s->folder, sizeof s->folder, "%s", folder);
    snprintf(s->path, sizeof s->path, "%s/%s", folder, name);
    fd = rhost_path_open(ctx, s->path, RHOST_PATH_FOLLOW, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0)
        return errno == EACCES || errno == ENOENT || errno == ENOTDIR
                   ? 0
                   : rhost_fail_path(ctx, "cannot read '%s'", s->path);
    if (fstat(fd, &st) == 0 && (!S_ISREG(st.st_mode) || !(st.st_mode & 0111))) {
        rhost_path_close(fd);
        return 0;
    }
    f = fdopen(fd, "r");
    if (!f) {
        rhost_path_close(fd);
        return rhost_fail_errno(ctx, "cannot read '%s'", s->path);
    }
    s->there = 1;
    errno = 0;
    while (fgets(line, sizeof line, f))
        read_line(s, line);
    if (ferror(f)) {
        (void)rhost_fail_errno(ctx, "cannot read '%s'", s->path);
        (void)fclose(f);
        return -1;
    }
    (void)fclose(f);
    return 0;
}

/* --- Links. ------------------------------------------------------------------------------------ */

static void
level_folder(const struct script *s, char level, char path[PATH_MAX])
{
    const char *slash = strrchr(s->folder, '/');

    snprintf(path, PATH_MAX, "%.*s/rc%c.d", (int)(slash - s->folder), s->folder, level);
}

/* Whether this is a link of the script that has this letter, 'S' or 'K'. */
static int
is_link(const char *entry, char letter, const char *name)
{
    return entry[0] == letter && isdigit((unsigned char)entry[1]) && isdigit((unsigned char)entry[2])
           && strcmp(entry + 3, name) == 0;
}

/* How many such links there are in a level; they are removed on demand. -1 with errno. */
static int
links(rhost_ctx *ctx, const struct script *s, char level, char letter, int removed)
{
    char path[PATH_MAX];
    struct dirent *e;
    int n = 0, fd;
    DIR *d;

    level_folder(s, level, path);
    fd = rhost_path_open(ctx, path, RHOST_PATH_FOLLOW, O_RDONLY | O_DIRECTORY, 0);
    d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        rhost_path_close(fd);
        return errno == ENOENT ? 0 : -1;
    }
    while (n >= 0 && (e = readdir(d)))
        if (is_link(e->d_name, letter, s->name))
            n = removed && unlinkat(dirfd(d), e->d_name, 0) < 0 ? -1 : n + 1;
    (void)closedir(d);
    return n;
}

int
script_enabled(rhost_ctx *ctx, const struct script *s)
{
    for (const char *level = "2345S"; *level; level++) {
        int n = links(ctx, s, *level, 'S', 0);

        if (n)
            return n > 0 ? 1 : rhost_fail_path(ctx, "cannot read the links of '%s'", s->name);
    }
    return 0;
}

static int
any_link(rhost_ctx *ctx, const struct script *s)
{
    for (const char *level = "0123456S"; *level; level++)
        if (links(ctx, s, *level, 'S', 0) > 0 || links(ctx, s, *level, 'K', 0) > 0)
            return 1;
    return 0;
}

static int
put_link(rhost_ctx *ctx, const struct script *s, char level, char letter)
{
    char folder[PATH_MAX], path[2 * PATH_MAX], target[PATH_MAX];

    level_folder(s, level, folder);
    if (links(ctx, s, level, letter == 'S' ? 'K' : 'S', 1) < 0)
        return rhost_fail_errno(ctx, "cannot remove a link from '%s'", folder);
    if (links(ctx, s, level, letter, 0) > 0)
        return 0;
    snprintf(path, sizeof path, "%s/%c%02d%s", folder, letter, letter == 'S' ? s->start_at : s->stop_at,
             s->name);
    snprintf(target, sizeof target, "../%s/%s", strrchr(s->folder, '/') + 1, s->name);
    if (rhost_path_symlink(ctx, target, path, 0) < 0)
        return rhost_fail_path(ctx, "cannot create the link '%s'", path);
    return 0;
}

static int
by_links(rhost_ctx *ctx, const struct script *s, int enable)
{
    for (const char *level = s->start; *level; level++)
        if (put_link(ctx, s, *level, enable ? 'S' : 'K') < 0)
            return -1;
    for (const char *level = s->stop; *level && enable; level++)
        if (put_link(ctx, s, *level, 'K') < 0)
            return -1;
    for (const char *level = "2345S"; *level && !enable; level++)
        if (links(ctx, s, *level, 'S', 1) < 0)
            return rhost_fail_errno(ctx, "cannot remove a link of '%s'", s->name);
    return 0;
}

/* --- Commands. --------------------------------------------------------------------------------- */

static const char *
last_lines(rhost_ctx *ctx, const struct rhost_output *output)
{
    const char *end = output->out + output->out_len, *from;
    char *copy;
    int n = 0;

    while (end > output->out && isspace((unsigned char)end[-1]))
        end--;
    for (from = end; from > output->out && end - from < 1500; from--)
        if (from[-1] == '\n' && ++n == LAST_LINES)
            break;
    copy = rhost_alloc(ctx, (size_t)(end - from) + 1);
    memcpy(copy, from, (size_t)(end - from));
    return copy;
}

int
script_run(rhost_ctx *ctx, const char *const *argv, int reads, double limit, const char **printed)
{
    struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .timeout = (uint32_t)(limit * 1000),
        .output_limit = 65536,
        .flags = (reads ? RHOST_EXEC_READS : 0) | RHOST_EXEC_MERGE | RHOST_EXEC_TAIL,
    };
    struct rhost_output output;

    if (rhost_run(ctx, &command, &output) < 0)
        return -1;
    if (printed)
        *printed = last_lines(ctx, &output);
    return output.status;
}

static const char *
find_tool(const char *name, char path[64])
{
    static const char *const folders[] = { "/usr/sbin", "/sbin", "/usr/bin", "/bin" };

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        snprintf(path, 64, "%s/%s", folders[i], name);
        if (access(path, X_OK) == 0)
            return path;
    }
    return NULL;
}

/* Those of the tools that each distribution has, each with what makes it enable and disable. */
static const struct {
    const char *name;
    const char *first; /* to be said once, where there are no links yet; NULL: nothing */
    const char *enable, *disable;
    int word_first; /* whether that stands before the script's name */
} tools[] = {
    { "update-rc.d", "defaults", "enable", "disable", 0 },
    { "chkconfig", NULL, "on", "off", 0 },
    { "insserv", NULL, "-d", "-r", 1 },
};

static int
run_tool(rhost_ctx *ctx, const char *tool, const struct script *s, const char *word, int word_first)
{
    const char *argv[] = { tool, word_first ? word : s->name, word_first ? s->name : word, NULL };
    const char *printed;
    int status = script_run(ctx, argv, 0, 60, &printed);

    if (status > 0)
        return rhost_fail(ctx, "%s %s %s failed with status %d: %s", argv[0], argv[1], argv[2], status,
                          *printed ? printed : "no output");
    return status;
}

int
script_enable(rhost_ctx *ctx, const struct script *s, int enable)
{
    char path[64];

    for (size_t i = 0; i < sizeof tools / sizeof tools[0] && strcmp(s->folder, "/etc/init.d") == 0; i++) {
        const char *tool = find_tool(tools[i].name, path);

        if (!tool)
            continue;
        if (tools[i].first && !any_link(ctx, s)
            && run_tool(ctx, tool, s, tools[i].first, tools[i].word_first) < 0)
            return -1;
        return run_tool(ctx, tool, s, enable ? tools[i].enable : tools[i].disable, tools[i].word_first);
    }
    return by_links(ctx, s, enable);
}
