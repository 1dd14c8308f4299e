/* SPDX-License-Identifier: Apache-2.0 */
/* host - keep entries of /etc/hosts.
 *
 * A whole batch of changes is one rewrite of the file. Comments, blank lines, the order and the
 * lines of others stay as they are. The file that was read is kept until the end of the
 * transaction, so that a thousand entries cost one reading; when it has changed meanwhile, it is
 * read again. */

#include "hosts.h"

#include <rhost/dry-run.h>
#include <rhost/file.h>
#include <rhost/path.h>
#include <rhost/provider.h>

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/utsname.h>

#define DEFAULT_TARGET "/etc/hosts"

enum { TRIES = 5 }; /* to edit a file that others edit as well */

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[^\\s#]+\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "Its canonical name." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the entry should exist." },
    { .name = "ip", .type = "String[2]", .desc = "Its address, of IPv4 or IPv6." },
    { .name = "host_aliases",
      .type = "Optional[Array[Pattern[/\\A[^\\s#]+\\z/]]]",
      .behaviour = RHOST_UNORDERED,
      .desc = "Other names, in any order." },
    { .name = "comment",
      .type = "Optional[Pattern[/\\A[^\\n]*\\z/]]",
      .desc = "What stands after a '#' on its line." },
    { .name = "target",
      .type = "Pattern[/\\A\\//]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"" DEFAULT_TARGET "\"",
      .desc = "The file that the entry is in." },
    { .name = "system",
      .type = "Boolean",
      .behaviour = RHOST_READ_ONLY,
      .desc = "Whether its line has a name of this machine itself, such as localhost." },
};

static const char *const relations[] = {
    "autorequire file[$target]",
    "autorequire directory[$target/..]",
    "edits content[$target]",
    NULL,
};

static void
host_close(rhost_ctx *ctx)
{
    void **kept = ctx->host->state(ctx);

    hosts_free(*kept);
    *kept = NULL;
}

static const char *
lower(rhost_ctx *ctx, const char *s)
{
    size_t len = strlen(s);
    char *copy = rhost_alloc(ctx, len + 1);

    for (size_t i = 0; i < len; i++)
        copy[i] = (char)tolower((unsigned char)s[i]);
    return copy;
}

static int32_t
host_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *name = rhost_str(resource, "name"), *ip = rhost_str(resource, "ip");
    const rhost_value *aliases = rhost_get(resource, "host_aliases");
    size_t n = rhost_count(aliases);
    char canonical[INET6_ADDRSTRLEN];

    if (ip && hosts_canonical_ip(ip, canonical, sizeof canonical) < 0)
        return rhost_fail_attr(ctx, "ip", "'%s' is not an address of IPv4 or IPv6", ip);
    if (ip)
        rhost_put_str(resource, "ip", canonical);
    if (name)
        rhost_put_str(resource, "name", lower(ctx, name));
    if (n) {
        const char **names = rhost_alloc(ctx, n * sizeof *names);
        rhost_value *array;

        for (size_t i = 0; i < n; i++)
            names[i] = lower(ctx, rhost_str_at(aliases, i));
        array = resource->host->put_array(resource, "host_aliases");
        for (size_t i = 0; i < n; i++)
            rhost_put_str(array, NULL, names[i]);
    }
    return 0;
}

static struct hosts *
read_hosts(rhost_ctx *ctx, const char *path, size_t more)
{
    int fd = rhost_path_open(ctx, path, RHOST_PATH_FOLLOW, O_RDONLY | O_NONBLOCK, 0);
    struct hosts *hosts;

    if (fd < 0 && errno != ENOENT) {
        rhost_fail_path(ctx, "cannot read '%s'", path);
        return NULL;
    }
    hosts = hosts_read(path, fd, more);
    if (!hosts)
        rhost_fail_errno(ctx, "cannot read '%s'", path);
    rhost_path_close(fd);
    return hosts;
}

/* The file as it is now, read when needed; NULL after the reason was given. */
static const struct hosts *
kept_hosts(rhost_ctx *ctx, const char *path)
{
    void **kept = ctx->host->state(ctx);

    if (!*kept || !hosts_is_fresh(*kept, path)) {
        hosts_free(*kept);
        *kept = read_hosts(ctx, path, 0);
    }
    return *kept;
}

/* Names that programs expect to find whatever else is there, and that of the machine, with or without a
 * domain. */
static int
is_of_system(const char *name)
{
    static const char *const expected[] = { "localhost",  "localhost.",  "localhost4", "localhost4.",
                                            "localhost6", "localhost6.", "ip6-",       "broadcasthost" };
    struct utsname machine;
    size_t n;

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        n = strlen(expected[i]);
        if (strncmp(name, expected[i], n) == 0 && (!name[n] || strchr(".-", expected[i][n - 1])))
            return 1;
    }
    if (uname(&machine) < 0 || !*machine.nodename)
        return 0;
    n = strcspn(machine.nodename, ".");
    return strcasecmp(name, machine.nodename) == 0
           || (strncasecmp(name, machine.nodename, n) == 0
               && (!name[n] || (!machine.nodename[n] && name[n] == '.')));
}

static int
is_line_of_system(const struct hosts_line *line)
{
    for (size_t i = 0; i < line->n_names; i++)
        if (is_of_system(line->names[i]))
            return 1;
    return 0;
}

static void
report(rhost_value *into, const struct hosts_line *line, int own)
{
    rhost_value *aliases;

    rhost_put_str(into, "ip", line->ip);
    aliases = into->host->put_array(into, "host_aliases");
    for (size_t i = 1; own && i < line->n_names; i++)
        rhost_put_str(aliases, NULL, line->names[i]);
    rhost_put_str(into, "comment", own ? line->comment : "");
}

/* A name that is only mentioned on another's line is there as well, without aliases of its own. */
static int32_t
host_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *target = rhost_str_or(should, "target", DEFAULT_TARGET);
    const struct hosts *hosts = kept_hosts(ctx, target);
    const struct hosts_line *line;
    size_t at;

    if (!hosts)
        return -1;
    line = hosts_find(hosts, rhost_str(name, "name"), rhost_str(should, "ip"), &at);
    if (!line)
        return hosts->stat.st_ino ? RHOST_ABSENT : rhost_absent_at(ctx, should, target);
    report(current, line, at == 0);
    if (!should && is_line_of_system(line))
        rhost_put_bool(current, "system", 1);
    return 0;
}

/* All that have a line of their own in /etc/hosts. A name with several lines is told once. */
static int32_t
host_get(rhost_ctx *ctx, const rhost_value *names)
{
    const struct hosts *hosts = kept_hosts(ctx, DEFAULT_TARGET);

    (void)names;
    if (!hosts)
        return -1;
    for (size_t i = 0; i < hosts->n_lines; i++) {
        const struct hosts_line *line = &hosts->lines[i];
        rhost_value *resource;
        size_t at;

        if (!*line->ip || hosts_find(hosts, line->names[0], NULL, &at) != line)
            continue;
        resource = ctx->host->new_hash(ctx);
        rhost_put_str(resource, "name", line->names[0]);
        report(resource, line, 1);
        if (is_line_of_system(line)) /* for who purges */
            rhost_put_bool(resource, "system", 1);
        if (ctx->host->emit(ctx, resource) < 0)
            return -1;
    }
    return 0;
}

static int
is_among(const rhost_value *aliases, const char *name)
{
    for (size_t i = 0; i < rhost_count(aliases); i++)
        if (strcmp(rhost_str_at(aliases, i), name) == 0)
            return 1;
    return 0;
}

static int
has_name(const struct hosts_line *line, size_t n, const char *name)
{
    for (size_t k = 1; k < n; k++)
        if (strcmp(line->names[k], name) == 0)
            return 1;
    return 0;
}

/* Of the aliases on the line those that are asked for stay in their places, each once; the others are added.
 */
static void
set_aliases(rhost_ctx *ctx, struct hosts_line *line, const rhost_value *aliases)
{
    size_t n = rhost_count(aliases);

    for (size_t k = 1; k < line->n_names; k++)
        if (!is_among(aliases, line->names[k]) || has_name(line, k, line->names[k]))
            line->names[k] = "";
    line->more = rhost_alloc(ctx, n * sizeof *line->more);
    line->n_more = 0;
    for (size_t i = 0; i < n; i++)
        if (!has_name(line, line->n_names, rhost_str_at(aliases, i)))
            line->more[line->n_more++] = rhost_str_at(aliases, i);
}

static void
edit(rhost_ctx *ctx, struct hosts *hosts, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name");
    const rhost_value *aliases = rhost_get(change->should, "host_aliases");
    const char *ip;
    struct hosts_line *line;
    size_t at;

    if (rhost_gone(change)) {
        hosts_remove(hosts, name, NULL);
        return;
    }
    ip = rhost_str_or(change->should, "ip", rhost_str_or(change->is, "ip", ""));
    line = hosts_find(hosts, name, ip, &at);
    if (!line || at > 0) {
        if (line)
            hosts_remove(hosts, name, ip); /* it gets a line of its own */
        line = hosts_add(hosts);
        line->names = rhost_alloc(ctx, sizeof *line->names);
        line->names[line->n_names++] = name;
    }
    if (aliases)
        set_aliases(ctx, line, aliases);
    snprintf(line->ip, sizeof line->ip, "%s", ip);
    line->new_comment = rhost_str_or(change->should, "comment", line->new_comment);
    line->changed = 1;
}

static const char *
target_of(const struct rhost_change *change)
{
    return rhost_str_or(change->should, "target", rhost_str_or(change->is, "target", DEFAULT_TARGET));
}

/* All changes from `from` on that are for this file, as one rewrite; RHOST_FILE_CHANGED when somebody has
 * changed it meanwhile. */
static int32_t
rewrite_once(rhost_ctx *ctx, const char *target, const struct rhost_change *const *changes, size_t from,
             size_t n)
{
    struct rhost_file_seen seen = { .struct_size = sizeof seen };
    struct rhost_new_file file = {
        .struct_size = sizeof file,
        .path = target,
        .mode = -1,
        .uid = -1,
        .gid = -1,
        .flags = RHOST_FILE_FOLLOW,
        .seen = &seen,
    };
    struct hosts *hosts = read_hosts(ctx, target, n - from);
    int32_t result;
    char *text;

    if (!hosts)
        return -1;
    for (size_t i = from; i < n; i++)
        if (strcmp(target_of(changes[i]), target) == 0)
            edit(ctx, hosts, changes[i]);
    text = hosts_write(hosts, &file.content_len);
    seen.exists = hosts->stat.st_ino != 0;
    seen.dev = (uint64_t)hosts->stat.st_dev;
    seen.ino = (uint64_t)hosts->stat.st_ino;
    seen.size = hosts->stat.st_size;
    seen.mtime_sec = hosts->stat.st_mtim.tv_sec;
    seen.mtime_nsec = hosts->stat.st_mtim.tv_nsec;
    seen.ctime_sec = hosts->stat.st_ctim.tv_sec;
    seen.ctime_nsec = hosts->stat.st_ctim.tv_nsec;
    hosts_free(hosts);
    if (!text)
        return rhost_fail(ctx, "cannot write '%s': out of memory", target);
    file.content = text;
    result = rhost_replace_file(ctx, &file);
    free(text);
    return result;
}

static int32_t
rewrite(rhost_ctx *ctx, const char *target, const struct rhost_change *const *changes, size_t from, size_t n)
{
    int32_t result = RHOST_FILE_CHANGED;

    for (int attempt = 0; attempt < TRIES && result == RHOST_FILE_CHANGED; attempt++)
        result = rewrite_once(ctx, target, changes, from, n);
    if (result == RHOST_FILE_CHANGED)
        return rhost_fail(ctx, "cannot write '%s': something else changed it %d times while it was edited",
                          target, TRIES);
    return result;
}

/* What has been written stays a success when another file fails after it. */
static int32_t
confirm(rhost_ctx *ctx, const struct rhost_change *change)
{
    int32_t doing = rhost_gone(change) ? RHOST_DELETING : change->is ? RHOST_UPDATING : RHOST_CREATING;

    return ctx->host->did(ctx, doing, &change->title, 1, change->is, change->should, NULL);
}

static int32_t
host_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    int done_before; /* its target was written together with an earlier change */

    for (size_t i = 0; i < n; i++) {
        const char *target = target_of(changes[i]);

        done_before = 0;
        for (size_t k = 0; k < i && !done_before; k++)
            done_before = strcmp(target_of(changes[k]), target) == 0;
        if (done_before)
            continue;
        if (rewrite(ctx, target, changes, i, n) < 0)
            return -1;
        for (size_t k = i; k < n; k++)
            if (strcmp(target_of(changes[k]), target) == 0 && confirm(ctx, changes[k]) < 0)
                return -1;
    }
    return 0;
}

static const char *const needs[] = { "write[$target]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]", NULL };

static const struct rhost_provider host_provider = {
    RHOST_PROVIDER("host", "Keep entries of /etc/hosts."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .relations = relations,
    .needs = needs,
    .close = host_close,
    .canonicalize = host_canonicalize,
    .load = host_load,
    .get = host_get,
    .set = host_set,
};

RHOST_PLUGIN(host, "1.0", &host_provider)
