/* SPDX-License-Identifier: Apache-2.0 */
/* @NAME@ - keep a file that has one line.
 *
 * A place to begin: put what you manage in the place of the file, attribute by attribute. */

#include <rhost/file.h>
#include <rhost/provider.h>

#include <unistd.h>

static const struct rhost_attr attrs[] = {
    { .name = "path", .type = "Pattern[/\\A\\//]", .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the file." },
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"",
      .desc = "Whether the file should exist." },
    { .name = "value", .type = "Pattern[/\\A[^\\n]{0,1000}\\z/]",
      .desc = "The line that is in it." },
};

/* Reads what is there into the attributes of a resource. */
static int32_t
read_file(rhost_ctx *ctx, const char *path, rhost_value *into)
{
    FILE *f = fopen(path, "re");
    char line[4096] = "";

    if (!f && errno == ENOENT)
        return RHOST_ABSENT;
    if (!f)
        return rhost_fail_errno(ctx, "cannot open '%s'", path);
    if (!fgets(line, sizeof line, f) && ferror(f)) {
        rhost_fail_errno(ctx, "cannot read '%s'", path);
        fclose(f);
        return -1;
    }
    fclose(f);
    line[strcspn(line, "\n")] = '\0';
    rhost_put_str(into, "value", line);
    return 0;
}

static int32_t
@NAME@_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should,
            rhost_value *current)
{
    (void)should; /* what is wanted, for those whose reading depends on it */
    return read_file(ctx, rhost_str(name, "path"), current);
}

/* Serves create and update. */
static int32_t
@NAME@_write(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *value = rhost_str_of(change, "value");
    size_t size = strlen(value) + 2; /* a newline and the NUL */
    char *line = rhost_alloc(ctx, size);
    const struct rhost_new_file file = {
        .struct_size = sizeof file,
        .path = rhost_str(change->name, "path"),
        .content = line,
        .content_len = size - 1,
        .mode = -1, /* as it was */
        .uid = -1,
        .gid = -1,
    };

    snprintf(line, size, "%s\n", value);
    return rhost_replace_file(ctx, &file);
}

static int32_t
@NAME@_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");

    if (unlink(path) < 0)
        return rhost_fail_errno(ctx, "cannot remove '%s'", path);
    rhost_touched(ctx, path);
    return 0;
}

static const struct rhost_provider @NAME@_provider = {
    RHOST_PROVIDER("@NAME@", "Keep a file that has one line."),
    RHOST_ATTRS(attrs),
    .load   = @NAME@_load,
    .create = @NAME@_write,
    .update = @NAME@_write,
    .remove = @NAME@_remove,
};

RHOST_PLUGIN(@NAME@, "0.1.0", &@NAME@_provider)
