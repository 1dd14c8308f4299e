/* SPDX-License-Identifier: Apache-2.0 */
/* file - keep files with the content, owner and mode that they should have.
 *
 * In sync, a file costs open, fstat, read and close; the same of its directory when its content is not
 * managed. */

#include "acl.h"
#include "caps.h"
#include "content.h"
#include "ending.h"
#include "xattrs.h"

#include <rhost/dry-run.h>
#include <rhost/file.h>
#include <rhost/mode.h>
#include <rhost/path.h>
#include <rhost/posix.h>
#include <rhost/provider.h>

#include <fcntl.h>
#include <unistd.h>

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the file." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the file should exist." },
    { .name = "content",
      .type = "Optional[Variant[String, Binary]]",
      .desc = "What is in it, byte for byte." },
    { .name = "source",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .desc = "A file on this machine whose content it should have." },
    { .name = "mode",
      .type = "Optional[" RHOST_TYPE_ANY_MODE "]",
      .desc = "Permissions, in octal or as 'u=rw,g=r,o='; a new file has 0644, or 0600 for a secret." },
    { .name = "owner",
      .type = "Optional[" RHOST_TYPE_OWNER "]",
      .desc = "Name or number of the user it belongs to." },
    { .name = "group",
      .type = "Optional[" RHOST_TYPE_OWNER "]",
      .desc = "Name or number of the group it belongs to." },
    { .name = "acl",
      .type = ACL_TYPE,
      .behaviour = RHOST_UNORDERED,
      .desc =
          "What others than the owner and the group may: entries such as 'u:www-data:r' and 'g:adm:rw'; all "
          "that there are." },
    { .name = "capabilities",
      .type = CAPS_TYPE,
      .desc = "Capabilities that the program gets when it is run, such as 'cap_net_bind_service=ep'; 'none' "
              "for none." },
    { .name = "xattrs",
      .type = XATTRS_TYPE,
      .desc = "Extended attributes 'user.NAME' and their values; one without a value is removed, and others "
              "stay." },
    { .name = "line_ending",
      .type = "Optional[Enum[lf, crlf]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "How the lines of the content end, whatever they end with in 'content' or 'source'." },
    { .name = "replace",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "true",
      .desc = "Whether a file that exists gets the content; false: only a new one." },
    { .name = "follow",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether a symbolic link at the path is followed, or replaced." },
    { .name = "parents",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether the directories that it is to be in are created as well, with 0755." },
    RHOST_VALIDATE_ATTR,
    { .name = "checksum",
      .type = "Pattern[/\\A[0-9a-f]{64}\\z/]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "SHA-256 of the content." },
};

static const char *const relations[] = {
    "autorequire mount[$path/..]",
    "autorequire directory[$path/..]",
    "autorequire file[$source]",
    "autorequire user[$owner]",
    "autorequire group[$group]",
    "owns path[$path] unless $follow",
    "owns content[$path] if $content if $replace",
    "owns content[$path] if $source if $replace",
    NULL,
};

static int32_t
file_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    if (rhost_check_validate(ctx, resource) < 0)
        return -1;
    rhost_tidy_path(ctx, resource, "path");
    rhost_tidy_path(ctx, resource, "source");
    rhost_tidy_any_mode(resource, 0);
    rhost_tidy_owners(ctx, resource);
    ending_tidy(ctx, resource);
    return acl_tidy(ctx, resource, 0) < 0 ? -1 : caps_tidy(ctx, resource);
}

static int32_t
file_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    int failed = 0;

    if (rhost_has(resource, "content") && rhost_has(resource, "source"))
        failed = rhost_fail_attr(ctx, "source", "a file has either content or a source, not both");
    if (strcmp(rhost_str_or(resource, "path", ""), "/") == 0)
        failed = rhost_fail_attr(ctx, "path", "'/' is a directory");
    if (ending_validate(ctx, resource) < 0 || xattrs_validate(ctx, resource) < 0)
        failed = -1;
    return failed;
}

/* Whether the ACL, the capabilities or the extended attributes matter: they are wanted, or all is reported.
 */
static int
wants(rhost_ctx *ctx, const rhost_value *should, const char *attribute)
{
    return should ? rhost_has(should, attribute) : rhost_wants(ctx, attribute);
}

/* Owner, mode and, where they matter, the ACL, the capabilities and the extended attributes. */
static int32_t
report_rights(rhost_ctx *ctx, int fd, const struct stat *st, const rhost_value *should, rhost_value *current)
{
    int acl = fd >= 0 && wants(ctx, should, "acl");
    const char *mode = rhost_str(should, "mode");
    struct stat own = *st;

    if (acl && acl_own_mode(fd, &own) < 0)
        return rhost_fail_errno(ctx, "cannot read the ACL");
    rhost_put_stat(ctx, current, &own);
    rhost_put_mode(current, should, &own);
    if (acl
        && acl_report(ctx, fd, 0, mode ? rhost_mode_of(mode, own.st_mode, 0) : own.st_mode & 07777, should,
                      current)
               < 0)
        return -1;
    if (fd >= 0 && wants(ctx, should, "capabilities") && caps_report(ctx, fd, should != NULL, current) < 0)
        return -1;
    return fd >= 0 && wants(ctx, should, "xattrs") ? xattrs_report(ctx, fd, should, current) : 0;
}

/* What is reported of an open file, or of one that need not be opened (fd -1). */
static int32_t
report(rhost_ctx *ctx, int fd, const struct stat *st, const rhost_value *should, rhost_value *current)
{
    const rhost_value *content = rhost_get(should, "content");
    const char *source = rhost_str(should, "source");

    if (report_rights(ctx, fd, st, should, current) < 0)
        return -1;
    if (should && !rhost_bool(should, "replace", 1)) { /* what is there is good enough */
        rhost_put_copy(current, "content", content);
        rhost_put_copy(current, "source", rhost_get(should, "source"));
        return 0;
    }
    if (fd < 0)
        return 0;
    if ((content || !should) && content_report(ctx, fd, st, should, current) < 0)
        return -1;
    if (should && !content && rhost_wants(ctx, "content") && content_report_whole(ctx, fd, st, current) < 0)
        return -1;
    if (source && rhost_looks_ahead(ctx, should) && content_foresee_source(ctx, source) < 0)
        return -1;
    if (source
        && (ending_is_desired(should) ? content_report_lines(ctx, fd, st, source, should, current)
                                      : content_report_source(ctx, fd, st, source, current))
               < 0)
        return -1;
    return rhost_wants(ctx, "checksum") ? content_report_checksum(ctx, fd, current) : 0;
}

/* Of a file that is to be created: what it needs. */
static int32_t
absent(rhost_ctx *ctx, const char *path, const rhost_value *should)
{
    const char *source = rhost_str(should, "source");

    if (!rhost_looks_ahead(ctx, should))
        return RHOST_ABSENT;
    if (source && content_foresee_source(ctx, source) < 0)
        return -1;
    return rhost_foresee_owners(ctx, should, NULL) < 0 ? -1 : rhost_absent_at(ctx, should, path);
}

static int32_t
file_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path");
    int gone = rhost_wants_absence(should);
    uint64_t follow = rhost_bool(should, "follow", 0) && !gone ? RHOST_PATH_FOLLOW : 0;
    int inside = !gone
                 && (rhost_has(should, "source") || rhost_wants(ctx, "content")
                     || rhost_wants(ctx, "checksum") || wants(ctx, should, "acl")
                     || wants(ctx, should, "capabilities") || wants(ctx, should, "xattrs"));
    int fd = -1, failed;
    struct stat st;

    if (inside) {
        /* O_NONBLOCK: a named pipe must not hold us up. */
        fd = rhost_path_open(ctx, path, follow, O_RDONLY | O_NONBLOCK, 0);
        failed = fd < 0 || fstat(fd, &st) < 0;
    }
    if (!inside || (fd < 0 && (errno == ELOOP || errno == ENXIO)))
        failed = rhost_path_stat(ctx, path, follow, &st) < 0;
    if (failed)
        return errno == ENOENT || errno == ENOTDIR ? absent(ctx, path, should)
                                                   : rhost_fail_path(ctx, "cannot read '%s'", path);
    if (S_ISREG(st.st_mode)) {
        int32_t result = report(ctx, fd, &st, should, current);

        if (result == 0)
            result = rhost_foresee_owners(ctx, should, current);

        if (fd >= 0)
            (void)close(fd);
        return result;
    }
    if (fd >= 0)
        (void)close(fd);
    if (S_ISLNK(st.st_mode) && should) /* it is removed, or gives way to a file */
        return gone ? 0 : absent(ctx, path, should);
    return rhost_fail(ctx, "'%s' exists, but is not a regular file: it is %s", path,
                      S_ISLNK(st.st_mode)   ? "a symbolic link, as the type 'link' keeps them"
                      : S_ISDIR(st.st_mode) ? "a directory, as the type 'directory' keeps them"
                                            : "something else");
}

/* In words, where the content is not at hand or too long to be shown. */
static int32_t
file_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    if (!change->is || !change->should)
        return RHOST_DEFAULT_COMPARISON;
    if (rhost_has(change->is, attribute))
        return strcmp(attribute, "content") == 0 ? ending_compare(ctx, change) : RHOST_DEFAULT_COMPARISON;
    if (strcmp(attribute, "source") == 0)
        return rhost_differs(ctx, "has other content than '%s'", rhost_str_or(change->should, "source", ""));
    if (strcmp(attribute, "content") == 0)
        return rhost_differs(ctx, "has other content, too long to be shown");
    return RHOST_DEFAULT_COMPARISON;
}

static int
differs(const struct rhost_change *change, const char *attribute)
{
    const rhost_value *wanted = rhost_get(change->should, attribute);
    const rhost_value *now = rhost_get(change->is, attribute);

    return wanted && (!now || !wanted->host->equal(wanted, now));
}

/* What was absent is created, and nothing is replaced that came to be there since. A symbolic link counts as
 * absent, and gives way. */
static int32_t
put(rhost_ctx *ctx, struct rhost_new_file *file, int was_absent)
{
    static const struct rhost_file_seen nothing = { .struct_size = sizeof nothing };
    struct stat st;
    int32_t result;

    file->seen = was_absent ? &nothing : NULL;
    result = rhost_replace_file(ctx, file);
    if (result != RHOST_FILE_CHANGED)
        return result;
    if (rhost_path_stat(ctx, file->path, 0, &st) == 0 && !S_ISLNK(st.st_mode)) {
        errno = EEXIST;
        return rhost_fail_errno(ctx, "cannot create '%s'", file->path);
    }
    file->seen = NULL;
    return rhost_replace_file(ctx, file);
}

/* The mode of the new file that replaces the one there, or that is the first one. -1: as it was. Symbols
 * count from the mode that there is, without its setuid and setgid: new content does not inherit those. */
static int64_t
new_mode(rhost_ctx *ctx, const struct rhost_change *change, int is_secret)
{
    const char *wanted = rhost_str(change->should, "mode");
    uint64_t follow = rhost_bool(change->should, "follow", 0) ? RHOST_PATH_FOLLOW : 0;
    struct stat st;
    int is_there = wanted && change->is
                   && rhost_path_stat(ctx, rhost_str(change->name, "path"), follow, &st) == 0
                   && S_ISREG(st.st_mode);

    return rhost_mode_of(wanted, is_there ? st.st_mode & 01777 : is_secret ? 0600 : 0644, 0);
}

/* Owner and mode of the file as it is, its ACL, its capabilities and its extended attributes. The ACL is set
 * after those: with it, the owner may have no right to write any more. */
static int32_t
adjust(rhost_ctx *ctx, const char *path, int fd, const rhost_value *should)
{
    int acl = rhost_has(should, "acl");
    int64_t uid, gid, mode;
    struct stat st;

    if (fstat(fd, &st) < 0 || (acl && acl_own_mode(fd, &st) < 0))
        return rhost_fail_errno(ctx, "cannot read '%s'", path);
    if (!S_ISREG(st.st_mode))
        return rhost_fail(ctx, "'%s' is not a regular file any more", path);
    if (rhost_wanted_id(ctx, should, "owner", 0, &uid) < 0
        || rhost_wanted_id(ctx, should, "group", 1, &gid) < 0)
        return -1;
    mode = rhost_mode_of(rhost_str(should, "mode"), st.st_mode, 0);
    if (rhost_path_own(ctx, fd, uid, gid, mode) < 0)
        return rhost_fail_errno(ctx, "cannot change the owner or the mode of '%s'", path);
    if (rhost_has(should, "xattrs") && xattrs_set(ctx, fd, should) < 0)
        return -1;
    if (acl && acl_set(ctx, fd, 0, mode < 0 ? st.st_mode & 07777 : mode, should) < 0)
        return -1;
    if (rhost_has(should, "capabilities") && caps_set(ctx, fd, should) < 0)
        return -1;
    rhost_touched(ctx, path);
    return 0;
}

static int32_t
adjust_path(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");
    uint64_t follow = rhost_bool(change->should, "follow", 0) ? RHOST_PATH_FOLLOW : 0;
    int fd = rhost_path_open(ctx, path, follow, O_RDONLY | O_NONBLOCK, 0);
    int32_t result;

    if (fd < 0)
        return rhost_fail_path(ctx, "cannot open '%s'", path);
    result = adjust(ctx, path, fd, change->should);
    (void)close(fd);
    return result;
}

/* The whole file, beside its place and then into it. */
static int32_t
file_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *should = change->should, *content = rhost_get(should, "content");
    const rhost_value *source = rhost_get(should, "source");
    struct rhost_new_file file = {
        .struct_size = sizeof file,
        .path = rhost_str(change->name, "path"),
        .source = rhost_str(should, "source"),
        .flags = RHOST_FILE_ONLY_CHANGE,
        .validate = rhost_wanted_validate(ctx, should),
    };
    int is_secret =
        (content && content->host->sensitive(content)) || (source && source->host->sensitive(source));
    int32_t result;

    file.mode = new_mode(ctx, change, is_secret);
    if (file.mode == 0)
        file.flags |= RHOST_FILE_MODE_0;
    file.content = rhost_bytes(should, "content", &file.content_len);
    if (rhost_bool(should, "follow", 0))
        file.flags |= RHOST_FILE_FOLLOW;
    if (is_secret)
        file.flags |= RHOST_FILE_SECRET;
    if (rhost_wanted_id(ctx, should, "owner", 0, &file.uid) < 0
        || rhost_wanted_id(ctx, should, "group", 1, &file.gid) < 0)
        return -1;
    if (rhost_bool(should, "parents", 0) && rhost_make_parents(ctx, file.path) < 0)
        return -1;
    if (file.source && ending_is_desired(should)) {
        file.content = ending_source(ctx, should, file.source, &file.content_len);
        if (!file.content)
            return errno ? rhost_fail_path(ctx, "cannot read '%s'", file.source) : -1;
        file.source = NULL;
    }
    result = put(ctx, &file, !change->is);
    return result == 0
                   && (rhost_has(should, "acl") || rhost_has(should, "capabilities")
                       || rhost_has(should, "xattrs"))
               ? adjust_path(ctx, change)
               : result;
}

static int32_t
file_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    return differs(change, "content") || differs(change, "source") ? file_create(ctx, change)
                                                                   : adjust_path(ctx, change);
}

static int32_t
file_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");

    if (rhost_path_unlink(ctx, path, 0) < 0)
        return rhost_fail_path(ctx, "cannot remove '%s'", path);
    rhost_touched(ctx, path);
    return 0;
}

static const char *const needs[] = { "write[$path]",
                                     "read[$source]",
                                     "run[$validate]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     "capability[setfcap] if $capabilities",
                                     NULL };

static const struct rhost_provider file_provider = {
    RHOST_PROVIDER("file", "Keep files with the content, owner and mode that they should have."),
    RHOST_ATTRS(attrs),
    .features = RHOST_CREATES_NEW | RHOST_PURE_CANONICALIZE,
    .relations = relations,
    .canonicalize = file_canonicalize,
    .insync = file_insync,
    .load = file_load,
    .validate = file_validate,
    .create = file_create,
    .update = file_update,
    .remove = file_remove,
    .needs = needs,
};

RHOST_PLUGIN(file, "1.0", &file_provider)
