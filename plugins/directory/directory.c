/* SPDX-License-Identifier: Apache-2.0 */
/* directory - keep directories with their owner and mode, and what is in them in order. */

#include "../file/acl.h"
#include "../file/xattrs.h"
#include "tree.h"

#include <rhost/catalog.h>
#include <rhost/dry-run.h>
#include <rhost/file.h>
#include <rhost/mode.h>
#include <rhost/path.h>
#include <rhost/posix.h>
#include <rhost/provider.h>

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

/* `recurse` and `purge` are properties: "true" is a statement about what is below, which holds or
 * doesn't. */
static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the directory." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the directory should exist." },
    { .name = "mode",
      .type = "Optional[" RHOST_TYPE_ANY_MODE "]",
      .desc = "Permissions, in octal or as 'u=rwx,go=rx'; a new directory has 0755." },
    { .name = "owner",
      .type = "Optional[" RHOST_TYPE_OWNER "]",
      .desc = "Name or number of the user it belongs to." },
    { .name = "group",
      .type = "Optional[" RHOST_TYPE_OWNER "]",
      .desc = "Name or number of the group it belongs to." },
    { .name = "acl",
      .type = ACL_TYPE,
      .behaviour = RHOST_UNORDERED,
      .desc = "What others than the owner and the group may: entries such as 'u:www-data:rx', and "
              "'d:g:adm:rX' for "
              "what is created in it; all that there are." },
    { .name = "xattrs",
      .type = XATTRS_TYPE,
      .desc = "Extended attributes 'user.NAME' and their values; one without a value is removed, and others "
              "stay." },
    { .name = "recurse",
      .type = "Optional[Boolean]",
      .desc = "Whether owner, group and mode hold below as well; directories get x where r is." },
    { .name = "purge",
      .type = "Optional[Boolean]",
      .desc = "Whether nothing may be in it but what keep or the manifest names." },
    { .name = "keep",
      .type = "Array[String[1]]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "[]",
      .desc = "Names of what a purge leaves there." },
    { .name = "purge_limit",
      .type = "Integer[0]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "100",
      .desc = "More entries than this, with all below them, are not purged, but an error." },
    { .name = "force",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether directories with something in them may be removed." },
    { .name = "parents",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether the directories that it is to be in are created as well, with 0755." },
};

static const char *const relations[] = {
    "autorequire mount[$path/..]",
    "autorequire directory[$path/..]",
    "autorequire user[$owner]",
    "autorequire group[$group]",
    "owns path[$path]",
    "loses what is in it if $force",
    "loses the modes and owners below it if $recurse",
    "loses what is purged of it if $purge",
    NULL,
};

static int32_t
directory_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    rhost_tidy_path(ctx, resource, "path");
    rhost_tidy_any_mode(resource, 1);
    rhost_tidy_owners(ctx, resource);
    return acl_tidy(ctx, resource, 1);
}

static int32_t
directory_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    return xattrs_validate(ctx, resource);
}

static int
open_directory(rhost_ctx *ctx, const char *path)
{
    return rhost_path_open(ctx, path, 0, O_RDONLY | O_DIRECTORY, 0);
}

/* How many entries below are not as wanted, at most `enough`. */
static int32_t
check_below(rhost_ctx *ctx, int fd, const rhost_value *should, size_t enough, size_t *differ, char *first,
            size_t size)
{
    const char *owner = rhost_str(should, "owner"), *group = rhost_str(should, "group");
    struct tree_rule rule = { .uid = owner ? rhost_look_up_id(ctx, 0, owner) : -1,
                              .gid = group ? rhost_look_up_id(ctx, 1, group) : -1,
                              .mode = rhost_str(should, "mode") };

    if ((owner && rule.uid < 0) || (group && rule.gid < 0)) {
        snprintf(first, size, "."); /* a user that is yet to be created owns nothing */
        *differ = 1;
        return 0;
    }
    return tree_check(ctx, fd, &rule, enough, differ, first, size);
}

static int32_t
list_extra(rhost_ctx *ctx, int fd, const char *path, const rhost_value *should, struct tree_entry **extra,
           size_t *n)
{
    int64_t limit = rhost_int(should, "purge_limit", 100);
    struct tree_kept kept = { .keep = rhost_get(should, "keep"),
                              .declared = rhost_declared_below(ctx, path),
                              .path = path,
                              .force = rhost_bool(should, "force", 0) };

    if (tree_list(ctx, fd, &kept, (size_t)limit, extra, n) < 0)
        return -1;
    if (*n > (size_t)limit)
        return rhost_fail_attr(ctx, "purge_limit", "more than %lld entries would be purged",
                               (long long)limit);
    return 0;
}

static int32_t
report_below(rhost_ctx *ctx, int fd, const char *path, const rhost_value *should, rhost_value *current)
{
    struct tree_entry *extra;
    size_t n = 0;
    char first[8];

    if (rhost_has(should, "recurse")) {
        if (rhost_bool(should, "recurse", 0) && check_below(ctx, fd, should, 1, &n, first, sizeof first) < 0)
            return -1;
        rhost_put_bool(current, "recurse", rhost_bool(should, "recurse", 0) && n == 0);
    }
    if (rhost_has(should, "purge")) {
        n = 0;
        if (rhost_bool(should, "purge", 0) && list_extra(ctx, fd, path, should, &extra, &n) < 0)
            return -1;
        rhost_put_bool(current, "purge", rhost_bool(should, "purge", 0) && n == 0);
    }
    return 0;
}

/* The mode that is wanted where `now` is the one that there is; -1: none. */
static int64_t
wanted_mode(const rhost_value *should, mode_t now)
{
    const char *mode = rhost_str(should, "mode");

    return rhost_bool(should, "recurse", 0) ? tree_directory_mode(mode, now) : rhost_mode_of(mode, now, 1);
}

/* Owner, mode and, where it is wanted or all is reported, the ACL. */
static int32_t
report_rights(rhost_ctx *ctx, int fd, struct stat *st, const rhost_value *should, rhost_value *current)
{
    int64_t mode;

    if (fd >= 0 && acl_own_mode(fd, st) < 0)
        return rhost_fail_errno(ctx, "cannot read the ACL");
    rhost_put_stat(ctx, current, st);
    rhost_put_mode(current, should, st);
    mode = wanted_mode(should, st->st_mode);
    if (rhost_bool(should, "recurse", 0) && mode == (int64_t)(st->st_mode & 07777))
        rhost_put_copy(current, "mode", rhost_get(should, "mode"));
    if (fd >= 0 && (should ? rhost_has(should, "acl") : rhost_wants(ctx, "acl"))
        && acl_report(ctx, fd, 1, mode < 0 ? st->st_mode & 07777 : mode, should, current) < 0)
        return -1;
    return fd >= 0 && (should ? rhost_has(should, "xattrs") : rhost_wants(ctx, "xattrs"))
               ? xattrs_report(ctx, fd, should, current)
               : 0;
}

static int32_t
directory_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path");
    int32_t result;
    struct stat st;
    int fd;

    if (rhost_path_stat(ctx, path, 0, &st) < 0)
        return (errno != ENOENT && errno != ENOTDIR)         ? rhost_fail_path(ctx, "cannot stat '%s'", path)
               : rhost_foresee_owners(ctx, should, NULL) < 0 ? -1
                                                             : rhost_absent_at(ctx, should, path);
    if (!S_ISDIR(st.st_mode))
        return rhost_fail(ctx, "'%s' exists, but is not a directory%s", path,
                          S_ISLNK(st.st_mode) ? ": it is a symbolic link, as the type 'link' keeps them"
                                              : "");

    if (should ? (rhost_has(should, "acl") || rhost_has(should, "xattrs")) && !rhost_wants_absence(should)
               : rhost_wants(ctx, "acl") || rhost_wants(ctx, "xattrs")) {
        fd = open_directory(ctx, path);
        if (fd < 0 && should)
            return rhost_fail_path(ctx, "cannot open '%s'", path);
        result = report_rights(ctx, fd, &st, should, current); /* without the ACL, where we may not read it */
        if (fd >= 0)
            (void)close(fd);
    } else {
        result = report_rights(ctx, -1, &st, should, current);
    }
    if (result < 0 || rhost_foresee_owners(ctx, should, current) < 0)
        return -1;
    if (!should || rhost_wants_absence(should)
        || (!rhost_has(should, "recurse") && !rhost_has(should, "purge")))
        return 0;
    fd = open_directory(ctx, path);
    if (fd < 0)
        return rhost_fail_path(ctx, "cannot open '%s'", path);
    result = report_below(ctx, fd, path, should, current);
    (void)close(fd);
    return result;
}

static int32_t
explain_recurse(rhost_ctx *ctx, int fd, const rhost_value *should)
{
    char first[PATH_MAX] = "";
    size_t n = 0;

    if (check_below(ctx, fd, should, SIZE_MAX, &n, first, sizeof first) < 0)
        return -1;
    return rhost_differs(ctx, "%zu %s below with another owner or mode, such as '%s'", n,
                         n == 1 ? "entry" : "entries", first);
}

static int32_t
explain_purge(rhost_ctx *ctx, int fd, const char *path, const rhost_value *should)
{
    struct tree_entry *extra;
    size_t n = 0, at = 0, shown = 0;
    char names[1024] = "";

    if (list_extra(ctx, fd, path, should, &extra, &n) < 0)
        return -1;
    for (; extra && shown < 5 && at < sizeof names - 300; extra = extra->next, shown++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s'%s'", shown ? ", " : "", extra->name);
    return rhost_differs(ctx, "%zu %s that should not be there: %s%s", n, n == 1 ? "entry" : "entries", names,
                         n > shown ? ", ..." : "");
}

/* In words: which entries it is about. */
static int32_t
directory_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    int recurse = strcmp(attribute, "recurse") == 0, purge = strcmp(attribute, "purge") == 0;
    int32_t result;
    int fd;

    if ((!recurse && !purge) || !change->is || !rhost_bool(change->should, attribute, 0)
        || rhost_bool(change->is, attribute, 0))
        return RHOST_DEFAULT_COMPARISON;
    fd = open_directory(ctx, rhost_str(change->name, "path"));
    if (fd < 0)
        return RHOST_DEFAULT_COMPARISON;
    result = recurse ? explain_recurse(ctx, fd, change->should)
                     : explain_purge(ctx, fd, rhost_str(change->name, "path"), change->should);
    (void)close(fd);
    return result;
}

/* Owner and mode, of the directory and, where asked for, of what is below it. */
static int32_t
set_metadata(rhost_ctx *ctx, int fd, const rhost_value *should, int is_new)
{
    int recurse = rhost_bool(should, "recurse", 0), acl = rhost_has(should, "acl");
    struct tree_rule rule = { .mode = rhost_str(should, "mode") };
    struct stat st;
    int64_t mode;

    if (fstat(fd, &st) < 0 || (acl && acl_own_mode(fd, &st) < 0))
        return rhost_fail_errno(ctx, "cannot read the directory's mode");
    if (is_new) /* symbols count from what a new directory has */
        st.st_mode = S_IFDIR | 0755;
    mode = wanted_mode(should, st.st_mode);
    if (rhost_wanted_id(ctx, should, "owner", 0, &rule.uid) < 0
        || rhost_wanted_id(ctx, should, "group", 1, &rule.gid) < 0)
        return -1;
    if (mode < 0 && is_new)
        mode = 0755;
    if (rhost_path_own(ctx, fd, rule.uid, rule.gid, mode) < 0)
        return rhost_fail_errno(ctx, "cannot change the owner or the mode");
    if (rhost_has(should, "xattrs") && xattrs_set(ctx, fd, should) < 0)
        return -1;
    if (acl && acl_set(ctx, fd, 1, mode < 0 ? st.st_mode & 07777 : mode, should) < 0)
        return -1;
    return recurse ? tree_apply(ctx, fd, &rule) : 0;
}

static int32_t
purge(rhost_ctx *ctx, int fd, const char *path, const rhost_value *should)
{
    struct tree_entry *extra;
    size_t n;

    if (list_extra(ctx, fd, path, should, &extra, &n) < 0)
        return -1;
    return tree_remove(ctx, fd, extra);
}

static int32_t
put_right(rhost_ctx *ctx, const struct rhost_change *change, int is_new)
{
    const char *path = rhost_str(change->name, "path");
    int fd = open_directory(ctx, path);
    int32_t result;

    if (fd < 0)
        return rhost_fail_path(ctx, "cannot open '%s'", path);
    result = set_metadata(ctx, fd, change->should, is_new);
    if (result == 0 && rhost_bool(change->should, "purge", 0))
        result = purge(ctx, fd, path, change->should);
    (void)close(fd);
    rhost_touched(ctx, path);
    return result;
}

static int32_t
directory_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");

    if (rhost_bool(change->should, "parents", 0) && rhost_make_parents(ctx, path) < 0)
        return -1;
    /* Without a mode in the manifest nobody would see later that it was not given its own. */
    if (rhost_path_mkdir(ctx, path, rhost_has(change->should, "mode") ? 0700 : 0755) < 0)
        return rhost_fail_create(ctx, path);
    return put_right(ctx, change, 1);
}

static int32_t
directory_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    return put_right(ctx, change, 0);
}

static int32_t
directory_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");
    /* A parameter, so it is in `should` when that is there, and in `is` in any case. */
    int force = rhost_bool(change->should, "force", rhost_bool(change->is, "force", 0));

    if (strcmp(path, "/") == 0)
        return rhost_fail(ctx, "'/' is not removed");
    if (rhost_path_unlink(ctx, path, AT_REMOVEDIR) == 0) {
        rhost_touched(ctx, path);
        return 0;
    }
    if ((errno != ENOTEMPTY && errno != EEXIST) || !force)
        return rhost_fail_path(ctx, "cannot remove '%s'", path);
    int fd = open_directory(ctx, path);
    int32_t result = fd < 0 ? rhost_fail_path(ctx, "cannot open '%s'", path) : tree_remove_below(ctx, fd);

    if (fd >= 0)
        (void)close(fd);
    if (result == 0 && rhost_path_unlink(ctx, path, AT_REMOVEDIR) < 0)
        result = rhost_fail_path(ctx, "cannot remove '%s'", path);
    rhost_touched(ctx, path);
    return result;
}

static const char *const needs[] = { "write[$path]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]", NULL };

static const struct rhost_provider directory_provider = {
    RHOST_PROVIDER("directory", "Keep directories with their owner and mode, and what is in them."),
    RHOST_ATTRS(attrs),
    .features = RHOST_CREATES_NEW | RHOST_PURE_CANONICALIZE,
    .relations = relations,
    .canonicalize = directory_canonicalize,
    .validate = directory_validate,
    .insync = directory_insync,
    .load = directory_load,
    .create = directory_create,
    .update = directory_update,
    .remove = directory_remove,
    .needs = needs,
};

RHOST_PLUGIN(directory, "1.0", &directory_provider)
