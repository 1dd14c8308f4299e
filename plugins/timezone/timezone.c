/* SPDX-License-Identifier: Apache-2.0 */
/* timezone - keep the time zone of the machine: the link /etc/localtime, and /etc/timezone where that exists.
 *
 * A machine has one zone: the resource is the link, and a title that is no absolute path is what the zone
 * should be. So two zones for one machine are two definitions of one resource, which the host refuses. */

#include "zones.h"

#include <rhost/dry-run.h>
#include <rhost/posix.h>

#define LINK_OF_MACHINE "/etc/localtime"
#define FOLDER "/usr/share/zoneinfo"
#define ZONE "/\\A[A-Za-z0-9_+-]{1,14}(\\/[A-Za-z0-9_+-]{1,30}){0,3}\\z/"

enum { LARGEST = 4096 };

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = "Pattern[/\\A\\//, " ZONE "]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The link to the rules of the zone; or the zone itself, for " LINK_OF_MACHINE "." },
    { .name = "value",
      .type = "Optional[Pattern[" ZONE "]]",
      .desc = "The zone, such as Europe/Berlin or Etc/UTC." },
    { .name = "zoneinfo",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"" FOLDER "\"",
      .desc = "The directory that has the rules of all zones." },
};

static const char *const relations[] = {
    "autorequire file[$path]",
    "autorequire directory[$path/..]",
    "autorequire package[tzdata]",
    "owns path[$path]",
    NULL,
};

static int32_t
timezone_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *title = rhost_str(resource, "path"), *value = rhost_str(resource, "value");

    if (title && *title != '/') {
        if (value && strcmp(value, title) != 0)
            return rhost_fail_attr(ctx, "value", "the title says that it is '%s'", title);
        rhost_put_str(resource, "value", rhost_strdup(ctx, title));
        rhost_put_str(resource, "path", LINK_OF_MACHINE);
    }
    rhost_tidy_path(ctx, resource, "path");
    rhost_tidy_path(ctx, resource, "zoneinfo");
    return 0;
}

/* The file of Debian that has the zone as text, beside the link. */
static const char *
text_file(rhost_ctx *ctx, const char *path)
{
    const char *parent = rhost_parent_path(ctx, path);

    return rhost_fmt(ctx, "%s/timezone", parent ? parent : "");
}

/* The zone that the link names: what follows the directory of zones, wherever that is. NULL: it names none.
 */
static const char *
zone_of_link(const char *target)
{
    const char *at = strstr(target, "/zoneinfo/");

    if (!at)
        return NULL;
    at += strlen("/zoneinfo/");
    if (strncmp(at, "posix/", 6) == 0)
        at += 6;
    return *at && strlen(at) < 100
                   && strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/")
                          == strlen(at)
               ? at
               : NULL;
}

/* The zone of a link into a directory that has another name. */
static const char *
zone_below(const char *target, const char *folder)
{
    size_t len = strlen(folder);

    return strncmp(target, folder, len) == 0 && target[len] == '/' ? target + len + 1 : NULL;
}

/* The text of the file, "" where there is none; NULL after the reason was given. */
static const char *
read_text(rhost_ctx *ctx, const char *path)
{
    const char *file = text_file(ctx, path), *text;

    text = rhost_path_read(ctx, file, RHOST_PATH_FOLLOW, LARGEST, NULL, NULL);
    if (!text && (errno == ENOENT || errno == ENOTDIR))
        return "";
    if (!text) {
        rhost_fail_path(ctx, "cannot read '%s'", file);
        return NULL;
    }
    return rhost_copy(ctx, text, strcspn(text, " \t\r\n"));
}

/* A zone that tzdata does not have. */
static int
check_zone(rhost_ctx *ctx, const rhost_value *should)
{
    const char *zone = rhost_str(should, "value"), *folder = rhost_str_or(should, "zoneinfo", FOLDER);
    int have = zone ? zones_have(ctx, folder, zone) : 1;

    if (have < 0)
        return -1;
    if (have)
        return 0;
    return ctx->host->fail(
        ctx, RHOST_MISSING, "value",
        rhost_fmt(ctx, "'%s' has no zone '%s'%s", folder, zone, zones_hint(ctx, folder, zone)));
}

static int32_t
timezone_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path"), *zone;
    char target[4096];
    struct stat st;

    if (rhost_looks_ahead(ctx, should) && rhost_declared_all(ctx, "-") && check_zone(ctx, should) < 0)
        return -1;
    if (rhost_path_readlink(ctx, path, target, sizeof target) < 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return rhost_absent_at(ctx, should, path);
        if (errno != EINVAL || rhost_path_stat(ctx, path, 0, &st) < 0)
            return rhost_fail_path(ctx, "cannot read link '%s'", path);
        return S_ISREG(st.st_mode) ? 0 /* a copy of some rules, whose name nobody knows */
                                   : rhost_fail(ctx, "'%s' exists, but is neither a link nor a file", path);
    }
    zone = zone_below(target, rhost_str_or(should, "zoneinfo", FOLDER));
    zone = zone ? zone : zone_of_link(target);
    if (zone)
        rhost_put_str(current, "value", zone);
    return 0;
}

static int32_t
timezone_get(rhost_ctx *ctx, const rhost_value *names)
{
    rhost_value *one = ctx->host->new_hash(ctx);
    int32_t result;

    (void)names;
    rhost_put_str(one, "path", LINK_OF_MACHINE);
    result = timezone_load(ctx, one, NULL, one);
    return result == 0 ? ctx->host->emit(ctx, one) : result == RHOST_ABSENT ? 0 : -1;
}

static int32_t
timezone_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *zone = rhost_str(change->should, "value"), *now = rhost_str(change->is, "value"), *text;
    const char *path = rhost_str(change->name, "path"),
               *folder = rhost_str_or(change->should, "zoneinfo", FOLDER);
    int have;

    if (strcmp(attribute, "value") != 0 || !zone || !now || strcmp(zone, now) != 0)
        return RHOST_DEFAULT_COMPARISON;
    have = zones_have(ctx, folder, zone);
    if (have < 0)
        return -1;
    if (!have)
        return rhost_differs(ctx, "'%s' has no zone '%s'", folder, zone);
    text = read_text(ctx, path);
    if (!text)
        return -1;
    return *text && strcmp(text, zone) != 0
               ? rhost_differs(ctx, "'%s' has the zone '%s'", text_file(ctx, path), text)
               : 0;
}

/* The file first: the link, which programs go by, is what is read again. */
static int32_t
timezone_write(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path"), *zone = rhost_str(change->should, "value"), *text;
    const char *folder = rhost_str_or(change->should, "zoneinfo", FOLDER);

    if (!zone)
        return rhost_fail_attr(ctx, "value", "'%s' names no zone, and none is desired", path);
    if (check_zone(ctx, change->should) < 0)
        return -1;
    text = read_text(ctx, path);
    if (!text)
        return -1;
    if (*text && strcmp(text, zone) != 0) {
        const struct rhost_new_file file = { .struct_size = sizeof file,
                                             .path = text_file(ctx, path),
                                             .content = rhost_fmt(ctx, "%s\n", zone),
                                             .content_len = strlen(zone) + 1,
                                             .mode = -1,
                                             .uid = -1,
                                             .gid = -1,
                                             .flags = RHOST_FILE_FOLLOW };

        if (rhost_replace_file(ctx, &file) < 0)
            return -1;
    }
    if (rhost_path_symlink(ctx, rhost_fmt(ctx, "%s/%s", folder, zone), path, RHOST_PATH_REPLACE) < 0)
        return rhost_fail_create(ctx, path);
    rhost_touched(ctx, path);
    return 0;
}

static const char *const needs[] = { "write[$path]", "read[$zoneinfo]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]", NULL };

static const struct rhost_provider timezone_provider = {
    RHOST_PROVIDER("timezone", "Keep the time zone of the machine."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .relations = relations,
    .canonicalize = timezone_canonicalize,
    .insync = timezone_insync,
    .load = timezone_load,
    .get = timezone_get,
    .create = timezone_write,
    .update = timezone_write,
    .needs = needs,
};

RHOST_PLUGIN(timezone, "1.0", &timezone_provider)
