/* SPDX-License-Identifier: Apache-2.0 */
/* hoard - a type with a password that can be written and not read: a file in $LETTER for each resource, and
 * what is kept in rhost.private/1. */
#include <rhost/provider.h>

#include <fcntl.h>
#include <rhost/private.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[a-zA-Z0-9\\/._-]+\\z/]",
      .desc = "What it is called.",
      .behaviour = RHOST_NAMEVAR },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .desc = "Whether it should be there.",
      .default_value = "\"present\"" },
    { .name = "password", .type = "Optional[Sensitive[String]]", .desc = "Can't be read." },
    { .name = "note", .type = "Optional[String]", .desc = "What is kept.", .behaviour = RHOST_PARAMETER },
    { .name = "leak",
      .type = "Boolean",
      .desc = "Keep the password itself.",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false" },
};

static const char *
path_of(rhost_ctx *ctx, const rhost_value *name)
{
    const char *text = rhost_str(name, "name");

    if (*text == '/')
        return text;
    return rhost_fmt(ctx, "%s/hoard-%s", getenv("LETTER"), text);
}

static int32_t
load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *note = rhost_private_get(ctx, name, "note");

    (void)should;
    if (access(path_of(ctx, name), F_OK) < 0)
        return RHOST_ABSENT;
    rhost_put_str(current, "ensure", "present");
    rhost_info(ctx, "the note is '%s'", note ? note : "none");
    return 0;
}

static int32_t
insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    return strcmp(attribute, "password") == 0 ? rhost_private_insync(ctx, change, attribute)
                                              : RHOST_DEFAULT_COMPARISON;
}

static int32_t
write_it(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = path_of(ctx, change->name), *beside = rhost_fmt(ctx, "%s.new", path);
    int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

    if (!f)
        return rhost_fail(ctx, "cannot write");
    (void)fputs(rhost_str(change->should, "password") ? rhost_str(change->should, "password") : "", f);
    if (fclose(f) != 0 || rename(beside, path) < 0)
        return rhost_fail_errno(ctx, "cannot write");
    if (rhost_bool(change->should, "leak", 0))
        return rhost_private_put(ctx, change->name, "leaked", rhost_str(change->should, "password"));
    if (rhost_private_put(ctx, change->name, "note", rhost_str(change->should, "note")) < 0)
        return -1;
    return rhost_private_written(ctx, change, "password");
}

static int32_t
take_away(rhost_ctx *ctx, const struct rhost_change *change)
{
    return unlink(path_of(ctx, change->name)) < 0 ? rhost_fail_errno(ctx, "cannot remove it") : 0;
}

static const struct rhost_provider hoard = {
    RHOST_PROVIDER("hoard", "Things with a password."),
    RHOST_ATTRS(attrs),
    .load = load,
    .insync = insync,
    .create = write_it,
    .update = write_it,
    .remove = take_away,
};

RHOST_PLUGIN(hoard, "1.0", &hoard)
