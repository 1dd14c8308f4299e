/* SPDX-License-Identifier: Apache-2.0 */
/* pair - types whose resources have names of two parts: with title patterns, and without any. What a
 * pair holds is a file PACKAGE.MANAGER in the folder PAIRS. */
#include <rhost/provider.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ATTRS(more)                                                                                          \
    { .name = "package", .type = "String[1]", .behaviour = RHOST_NAMEVAR, .desc = "What it is." },           \
        { .name = "manager", .type = "String[1]", .behaviour = RHOST_NAMEVAR, .desc = "Who has it.", more }, \
        { .name = "ensure",                                                                                  \
          .type = "Enum[present, absent]",                                                                   \
          .default_value = "\"present\"",                                                                    \
          .desc = "Whether it is there." },                                                                  \
    {                                                                                                        \
        .name = "given", .type = "String", .desc = "What creating needs.", .behaviour = RHOST_PARAMETER      \
    }

static const struct rhost_attr pair_attrs[] = { ATTRS(.default_value = NULL) };
static const struct rhost_attr lone_attrs[] = { ATTRS(.default_value = NULL) };
static const struct rhost_attr half_attrs[] = { ATTRS(.default_value = "\"apt\"") };

static const char *
path_of(const rhost_value *name, char *path, size_t n)
{
    (void)snprintf(path, n, "%s/%s.%s", getenv("PAIRS"), rhost_str(name, "package"),
                   rhost_str(name, "manager"));
    return path;
}

static int32_t
pair_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    char path[PATH_MAX];

    (void)ctx;
    (void)should;
    (void)current;
    return access(path_of(name, path, sizeof path), F_OK) == 0 ? 0 : RHOST_ABSENT;
}

static int32_t
pair_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    char path[PATH_MAX];
    FILE *f = fopen(path_of(change->name, path, sizeof path), "we");

    if (!f || fclose(f) != 0)
        return rhost_fail_errno(ctx, "cannot create '%s'", path);
    return 0;
}

static int32_t
pair_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    char path[PATH_MAX];

    if (unlink(path_of(change->name, path, sizeof path)) < 0)
        return rhost_fail_errno(ctx, "cannot remove '%s'", path);
    return 0;
}

#define CALLBACKS .load = pair_load, .create = pair_create, .remove = pair_remove

/* The first that matches counts. */
static const char *const patterns[] = {
    "\\A(?<package>[^/]+)/(?<manager>[^/]+)\\z",
    "\\A(?<package>[a-z]+)\\z",
    "\\A(?<manager>slow)(a+)+!\\z",
    NULL,
};

static const struct rhost_provider pair = {
    RHOST_PROVIDER("pair", "Is named by two."),
    RHOST_ATTRS(pair_attrs),
    .title_patterns = patterns,
    CALLBACKS,
};

static const struct rhost_provider lone = {
    RHOST_PROVIDER("lone", "Is named by two, which no title says."),
    RHOST_ATTRS(lone_attrs),
    CALLBACKS,
};

static const struct rhost_provider half = {
    RHOST_PROVIDER("half", "Is named by two, of which one need not be said."),
    RHOST_ATTRS(half_attrs),
    .title_patterns = patterns,
    CALLBACKS,
};

RHOST_PLUGIN(pair, "0.1", &pair, &lone, &half)
