/* SPDX-License-Identifier: Apache-2.0 */
/* archive - keep a directory that has what an archive has. */

#include "content.h"
#include "stage.h"

#include "../directory/tree.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>
#include <rhost/posix.h>

#include <fcntl.h>
#include <unistd.h>

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the directory, which has nothing else in it." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the directory should exist." },
    { .name = "source",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .desc = "The archive, a file on this machine: tar, cpio, zip or 7z, compressed or not." },
    { .name = "checksum",
      .type = "Optional[Pattern[/\\A(sha256:)?[0-9A-Fa-f]{64}\\z/]]",
      .desc = "SHA-256 of the archive; another one is not unpacked." },
    { .name = "strip",
      .type = "Integer[0, 100]",
      .default_value = "0",
      .desc = "How many leading directories are dropped from the names in the archive." },
    { .name = "mode",
      .type = "Optional[" RHOST_TYPE_MODE "]",
      .desc = "Permissions of the directory itself, in octal; a new one has 0755." },
    { .name = "owner",
      .type = "Optional[" RHOST_TYPE_OWNER "]",
      .desc = "Name or number of the user that it belongs to, with all that is in it." },
    { .name = "group",
      .type = "Optional[" RHOST_TYPE_OWNER "]",
      .desc = "Name or number of the group that it belongs to, with all that is in it." },
    { .name = "size_limit",
      .type = "Integer[1]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "4294967296",
      .desc = "Bytes that all files together may have; an archive with more is refused." },
    { .name = "entry_limit",
      .type = "Integer[1]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "200000",
      .desc = "Entries that it may have; an archive with more is refused." },
    { .name = "force",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether a directory that was not unpacked by rhost may be replaced or removed." },
    { .name = "parents",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether the directories that it is to be in are created as well, with 0755." },
};

static const char *const relations[] = {
    "autorequire mount[$path/..]",
    "autorequire directory[$path/..]",
    "autorequire file[$source]",
    "autorequire remote_file[$source]",
    "autorequire user[$owner]",
    "autorequire group[$group]",
    "owns path[$path]",
    "loses what is in it if $force",
    NULL,
};

static int32_t
archive_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    static const char prefix[] = "sha256:";
    const char *sum = rhost_str(resource, "checksum");

    rhost_tidy_path(ctx, resource, "path");
    rhost_tidy_path(ctx, resource, "source");
    rhost_tidy_mode(resource);
    rhost_tidy_owners(ctx, resource);
    if (sum) {
        char *lower =
            rhost_strdup(ctx, strncmp(sum, prefix, sizeof prefix - 1) == 0 ? sum + sizeof prefix - 1 : sum);

        for (char *p = lower; *p; p++)
            if (*p >= 'A' && *p <= 'F')
                *p = (char)(*p - 'A' + 'a');
        if (strcmp(lower, sum) != 0)
            rhost_put_str(resource, "checksum", lower);
    }
    return 0;
}

static int32_t
archive_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *path = rhost_str(resource, "path");

    if (path && strcmp(path, "/") == 0)
        return rhost_fail_attr(ctx, "path", "'/' cannot be replaced or removed");
    return 0;
}

/* What is not ours is neither replaced nor removed without `force`. */
static int32_t
may_discard(rhost_ctx *ctx, const char *path, const struct content *c, int force)
{
    if (c->is_ours || c->is_empty || force)
        return 0;
    return rhost_fail(
        ctx,
        "'%s' has something in it, and rhost did not unpack it there: with 'force: true' it is replaced or "
        "removed",
        path);
}

static int32_t
load_directory(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, int fd,
               rhost_value *current)
{
    const char *path = rhost_str(name, "path");
    struct content c;
    struct stat st;

    if (fstat(fd, &st) < 0)
        return rhost_fail_errno(ctx, "cannot stat '%s'", path);
    if (content_read(ctx, name, path, fd, &c) < 0)
        return -1;
    rhost_put_stat(ctx, current, &st);
    content_report(ctx, &c, current);
    if (rhost_foresee_owners(ctx, should, current) < 0)
        return -1;
    if (!rhost_noop(ctx) || !should)
        return 0;
    if (rhost_wants_absence(should))
        return may_discard(ctx, path, &c, rhost_bool(should, "force", 0));
    if (!c.is_known && rhost_has(should, "source")
        && may_discard(ctx, path, &c, rhost_bool(should, "force", 0)) < 0)
        return -1;
    return content_foresee(ctx, &c.record, should);
}

static int32_t
archive_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path");
    int32_t result;
    struct stat st;
    int fd;

    if (rhost_path_stat(ctx, path, 0, &st) < 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            return rhost_fail_path(ctx, "cannot stat '%s'", path);
        if (rhost_wants_absence(should) && stage_is_left(ctx, name, path))
            return 0; /* the rest of a removal that was killed */
        return rhost_foresee_owners(ctx, should, NULL) < 0 || content_foresee(ctx, NULL, should) < 0
                   ? -1
                   : rhost_absent_at(ctx, should, path);
    }
    if (!S_ISDIR(st.st_mode))
        return rhost_fail(ctx, "'%s' exists, but is not a directory", path);
    fd = rhost_path_open(ctx, path, 0, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0)
        return rhost_fail_path(ctx, "cannot open '%s'", path);
    result = load_directory(ctx, name, should, fd, current);
    (void)close(fd);
    return result;
}

static int32_t
archive_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    if (strcmp(attribute, "source") != 0 || !change->is)
        return RHOST_DEFAULT_COMPARISON;
    return content_compare_source(ctx, change);
}

/* Owner and mode of the directory, and the owner of all that is in it. */
static int32_t
adjust(rhost_ctx *ctx, const char *path, int fd, const rhost_value *should)
{
    struct tree_rule rule = { .mode = NULL };

    if (rhost_wanted_id(ctx, should, "owner", 0, &rule.uid) < 0
        || rhost_wanted_id(ctx, should, "group", 1, &rule.gid) < 0)
        return -1;
    if (rhost_path_own(ctx, fd, rule.uid, rule.gid, rhost_wanted_mode(should)) < 0)
        return rhost_fail_errno(ctx, "cannot change the owner or the mode of '%s'", path);
    rhost_touched(ctx, path);
    return rule.uid < 0 && rule.gid < 0 ? 0 : tree_apply(ctx, fd, &rule);
}

static int32_t
archive_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");

    if (rhost_bool(change->should, "parents", 0) && rhost_make_parents(ctx, path) < 0)
        return -1;
    return content_put(ctx, change, NULL);
}

static int32_t
update_directory(rhost_ctx *ctx, const struct rhost_change *change, int fd)
{
    const char *path = rhost_str(change->name, "path");
    struct content c;
    int differs;

    if (content_read(ctx, change->name, path, fd, &c) < 0)
        return -1;
    differs = content_differs(ctx, &c, change->should);
    if (differs <= 0)
        return differs < 0 ? -1 : adjust(ctx, path, fd, change->should);
    if (may_discard(ctx, path, &c, rhost_bool(change->should, "force", 0)) < 0)
        return -1;
    c.fd = fd;
    return content_put(ctx, change, &c);
}

static int32_t
archive_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    return stage_with(ctx, change, update_directory);
}

static int32_t
may_go(rhost_ctx *ctx, const struct rhost_change *change, int fd)
{
    const char *path = rhost_str(change->name, "path");
    /* A parameter, so it is in `should` when that is there, and in `is` in any case. */
    int force = rhost_bool(change->should, "force", rhost_bool(change->is, "force", 0));
    struct content c;

    return content_read(ctx, change->name, path, fd, &c) < 0 ? -1 : may_discard(ctx, path, &c, force);
}

static int32_t
archive_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    return stage_remove(ctx, change, may_go);
}

static const char *const needs[] = { "write[$path/../.]", "read[$source]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]", NULL };

static const struct rhost_provider archive_provider = {
    RHOST_PROVIDER("archive", "Keep a directory that has what an archive has."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK | RHOST_CREATES_NEW,
    .relations = relations,
    .canonicalize = archive_canonicalize,
    .insync = archive_insync,
    .load = archive_load,
    .validate = archive_validate,
    .create = archive_create,
    .update = archive_update,
    .remove = archive_remove,
    .needs = needs,
};

RHOST_PLUGIN(archive, "1.0", &archive_provider)
