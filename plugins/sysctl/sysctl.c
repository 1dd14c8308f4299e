/* SPDX-License-Identifier: Apache-2.0 */
/* sysctl - keep parameters of the kernel: the value it runs with, and the one it gets at the next boot.
 *
 * The two are two properties, `value` and `persist`, so that a report tells which of them was off. No
 * command is run: the one is a file below /proc/sys, the other a line of a file in sysctl.d. */

#include "entry.h"
#include "kernel.h"
#include "order.h"

#include <rhost/dry-run.h>
#include <rhost/posix.h>

#include <strings.h>

/* No value of a key is a Boolean that was written with quotes. */
#define OTHER "Pattern[/\\A(?!(?i:true|false|yes|no|on|off)\\z)[^\\r\\n]+\\z/]"
#define DEFAULT_TARGET "/etc/sysctl.d/99-rhost.conf"

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[^\\s=*#;-][^\\s=*]*\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The key, with dots or slashes between its parts." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether it should be set; absent takes it from the file alone." },
    { .name = "value",
      .type = "Variant[String[1], Integer]",
      .desc = "Its value; several parts with one blank between them, or any number of them." },
    { .name = "persist",
      .type = "Variant[Boolean, Integer, " OTHER "]",
      .default_value = "true",
      .desc = "Whether the file has it, for the next boot; or another value that the file has." },
    { .name = "apply",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "true",
      .desc = "Whether the running kernel is looked at and set; false: the file alone." },
    { .name = "target",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"" DEFAULT_TARGET "\"",
      .desc = "The file that has it." },
};

static const char *const relations[] = {
    "autorequire file[$target]",
    "autorequire directory[$target/..]",
    "edits content[$target] if $persist",
    NULL,
};

/* A value in the form in which the kernel shows it. */
static int32_t
tidy(rhost_ctx *ctx, rhost_value *resource, const char *key)
{
    const rhost_value *value = rhost_get(resource, key);
    const char *text = rhost_str(resource, key);

    if (text) {
        char *to = rhost_strdup(ctx, text);

        kernel_tidy_value(to);
        if (!*to)
            return rhost_fail_attr(ctx, key, "it is nothing but blanks");
        if (strcmp(to, text) != 0)
            rhost_put_str(resource, key, to);
    } else if (value && value->host->kind(value) == RHOST_INTEGER) {
        rhost_put_fmt(resource, key, "%lld", (long long)value->host->integer(value, 0));
    }
    return 0;
}

static int32_t
sysctl_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *name = rhost_str(resource, "name"), *value, *persist;

    if (name) {
        char *key = rhost_strdup(ctx, name);

        if (kernel_tidy_key(key) < 0)
            return rhost_fail_attr(ctx, "name",
                                   "'%s' is not a key of the kernel: a part of it is empty or "
                                   "only dots",
                                   name);
        if (strcmp(key, name) != 0)
            rhost_put_str(resource, "name", key);
    }
    if (tidy(ctx, resource, "value") < 0 || tidy(ctx, resource, "persist") < 0)
        return -1;
    value = rhost_str(resource, "value");
    persist = rhost_str(resource, "persist");
    if (value && persist && strcmp(value, persist) == 0)
        rhost_put_bool(resource, "persist", 1);
    rhost_tidy_path(ctx, resource, "target");
    return 0;
}

static const char *
target_of(const rhost_value *should)
{
    return rhost_str_or(should, "target", DEFAULT_TARGET);
}

static int
is_boolean(const char *text)
{
    static const char *const words[] = { "true", "false", "yes", "no", "on", "off" };
    size_t i = 0;

    while (i < sizeof words / sizeof words[0] && strcasecmp(words[i], text) != 0)
        i++;
    return i < sizeof words / sizeof words[0];
}

/* Whether the running kernel is looked at and set. In an image it is that of another machine. */
static int
is_applied(const rhost_value *should)
{
    return rhost_bool(should, "apply", 1) && !rhost_in_chroot();
}

/* What the file has, beside what the kernel has. */
static void
report_saved(rhost_value *into, const char *value, const char *saved)
{
    if (saved && *saved && strcmp(saved, value) != 0 && rhost_is_utf8(saved, strlen(saved))
        && !is_boolean(saved))
        rhost_put_str(into, "persist", saved);
    else
        rhost_put_bool(into, "persist", saved != NULL);
}

static int32_t
sysctl_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *key = rhost_str(name, "name"), *wanted = rhost_str(should, "value");
    int gone = rhost_wants_absence(should);
    const struct rhost_lines *l = rhost_lines_of(ctx, target_of(should));
    const char *saved = l ? entry_value(ctx, l, key) : NULL, *value = saved, *by = NULL, *other;
    int failed = 0;

    if (!l)
        return -1;
    if (saved && !gone && rhost_bool(should, "persist", 1))
        by = order_overridden(ctx, target_of(should), key, saved, &other, &failed);
    if (failed)
        return -1;
    if (!gone && is_applied(should)) {
        value = kernel_read(ctx, key);
        if (!value && errno != ENOENT)
            return rhost_fail_errno(ctx, "cannot read the value of '%s'", key);
        if (!value && rhost_looks_ahead(ctx, should)) {
            errno = ENOENT;
            if (rhost_fail_missing(ctx, "name", kernel_explain(ctx, "")) < 0)
                return -1;
        }
    }
    if (!l->exists && rhost_bool(should, "persist", 1) && rhost_absent_at(ctx, should, target_of(should)) < 0)
        return -1;
    if (!value && !gone && wanted && rhost_in_chroot() && !rhost_bool(should, "persist", 1)) {
        rhost_warning(ctx, "'%s' is neither looked at nor set: the kernel is not that of this image", key);
        value = wanted;
    }
    if (!value)
        return RHOST_ABSENT;
    if (*value && rhost_is_utf8(value, strlen(value)))
        rhost_put_str(current, "value", value);
    /* An entry that has neither the value that is wanted nor the one that is to be changed is none:
     * insync tells. */
    if (by && rhost_bool(should, "persist", 0))
        rhost_put_bool(current, "persist", 0); /* not the one of the next boot: insync tells */
    else if (wanted && rhost_bool(should, "persist", 0))
        rhost_put_bool(current, "persist",
                       saved && (strcmp(saved, wanted) == 0 || strcmp(saved, value) == 0));
    else if (!by || strcmp(saved, value) != 0)
        report_saved(current, value, saved);
    return 0;
}

static int32_t
sysctl_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *key = rhost_str(change->name, "name"), *other = rhost_str(change->should, "persist");
    const char *target = target_of(change->should), *saved, *value, *by;
    const struct rhost_lines *l;
    int failed;

    if (strcmp(attribute, "persist") != 0 || !rhost_bool(change->should, "persist", 1)
        || (!other && rhost_bool(change->is, "persist", 1)))
        return RHOST_DEFAULT_COMPARISON;
    l = rhost_lines_of(ctx, target);
    if (!l)
        return -1;
    saved = entry_value(ctx, l, key);
    if (saved && other && strcmp(saved, other) == 0)
        return 0;
    by = saved && !other ? order_overridden(ctx, target, key, saved, &value, &failed) : NULL;
    if (by)
        return rhost_differs(ctx, "'%s' is read after '%s' and has the value '%s'", by, target, value);
    if (saved)
        return rhost_differs(ctx, "'%s' has the value '%s'", target, saved);
    return rhost_differs(ctx, "'%s' does not have it", target);
}

static int
emit(rhost_ctx *ctx, const char *key, const char *value)
{
    const struct rhost_lines *l = rhost_lines_of(ctx, DEFAULT_TARGET);
    const char *saved = l ? entry_value(ctx, l, key) : NULL;
    rhost_value *resource = ctx->host->new_hash(ctx);
    const char *other;
    int failed = 0;

    if (!l)
        return -1;
    if (!rhost_is_utf8(key, strlen(key)) || !rhost_is_utf8(value, strlen(value)))
        return 0;
    rhost_put_str(resource, "name", key);
    rhost_put_str(resource, "value", value);
    if (!saved || strcmp(saved, value) != 0
        || !order_overridden(ctx, DEFAULT_TARGET, key, saved, &other, &failed))
        report_saved(resource, value, saved);
    if (failed)
        return -1;
    return ctx->host->emit(ctx, resource);
}

/* All that the running kernel has. */
static int32_t
sysctl_get(rhost_ctx *ctx, const rhost_value *names)
{
    (void)names;
    return rhost_in_chroot() ? 0 : kernel_each(ctx, emit);
}

static const char *
path_of(rhost_ctx *ctx, const struct rhost_change *change)
{
    (void)ctx;
    return target_of(change->should);
}

/* Why an entry would not count at the next boot; NULL: it does. */
static const char *
why_in_vain(rhost_ctx *ctx, const struct rhost_change *change, const char *key, const char *value)
{
    const char *target = target_of(change->should), *by, *other;
    int failed;

    by = order_overridden(ctx, target, key, value, &other, &failed);
    if (failed)
        return rhost_fmt(ctx, "cannot read all files that come after '%s'", target);
    return by ? rhost_fmt(ctx,
                          "'%s' is read after '%s' and would set it to '%s' at boot: remove that entry, or "
                          "manage it with 'target: %s'",
                          by, target, other, by)
              : NULL;
}

/* The running kernel first: what it refuses does not get into the file. */
static const char *
edit(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change)
{
    const char *key = rhost_str(change->name, "name"), *value = rhost_str_of(change, "value"), *vain;

    if (rhost_gone(change)) {
        entry_remove(ctx, l, key);
        return NULL;
    }
    vain = rhost_bool(change->should, "persist", 1) && !rhost_str(change->should, "persist")
               ? why_in_vain(ctx, change, key, value)
               : NULL;
    if (vain)
        return vain;
    if (is_applied(change->should)) {
        const char *now = kernel_read(ctx, key);
        const char *why = now && strcmp(now, value) == 0 ? NULL : kernel_write(ctx, key, value);

        if (why)
            return why;
    }
    if (rhost_bool(change->should, "persist", 1))
        entry_put(ctx, l, key, rhost_str_or(change->should, "persist", value));
    else
        entry_remove(ctx, l, key);
    return NULL;
}

static int32_t
sysctl_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    static const struct rhost_lines_how how = {
        .struct_size = sizeof how,
        .path = path_of,
        .edit = edit,
    };

    return rhost_lines_set(ctx, changes, n, &how);
}

static const char *const needs[] = { "root if $apply",
                                     "write[$target]",
                                     "write[/proc/sys] if $apply",
                                     "read[/etc/sysctl.conf]",
                                     "read[/etc/sysctl.d]",
                                     "read[/run/sysctl.d]",
                                     "read[/usr/lib/sysctl.d]",
                                     "capability[net_admin sys_admin sys_rawio] if $apply",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider sysctl_provider = {
    RHOST_PROVIDER("sysctl", "Keep parameters of the kernel, now and for the next boot."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .relations = relations,
    .needs = needs,
    .canonicalize = sysctl_canonicalize,
    .insync = sysctl_insync,
    .load = sysctl_load,
    .get = sysctl_get,
    .set = sysctl_set,
};

RHOST_PLUGIN(sysctl, "1.0", &sysctl_provider)
