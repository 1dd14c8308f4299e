/* SPDX-License-Identifier: Apache-2.0 */
/* apt_pin - keep pins of apt: which versions of packages it prefers, each in a file of its own. apt itself is
 * not run; types that use it read its preferences again (RHOST_FORGETS_WORLD). */

#include "pin.h"

#include "../apt_repository/fields.h"
#include "../apt_repository/place.h"
#include "../apt_repository/stanza.h"
#include "../package/tool.h"

#include <rhost/file.h>
#include <rhost/posix.h>

#include <stdlib.h>

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[A-Za-z0-9_][A-Za-z0-9_.-]*\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name of its file, without .pref." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether apt has the pin." },
    { .name = "packages",
      .type = "Optional[Variant[Array[Pattern[/\\A\\S+\\z/], 1], String[1]]]",
      .behaviour = RHOST_UNORDERED,
      .desc = "Names of packages, patterns such as 'nginx*', or regular expressions such as '/^linux-/'." },
    { .name = "pin",
      .type = "Optional[String[1]]",
      .desc = "The versions that it is for, such as 'release n=bookworm-backports'." },
    { .name = "priority",
      .type = "Optional[Integer[-32768, 32767]]",
      .desc =
          "Their priority: below 0 never, from 100 on also as an upgrade, above 1000 also as a downgrade." },
    { .name = "explanation", .type = "String", .default_value = "\"\"", .desc = "Why, in one line." },
    { .name = "root",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"" PLACE_ROOT "\"",
      .desc = "The directory of apt's configuration." },
};

static const char *const relations[] = {
    "autobefore package[$packages]",
    "autorequire directory[$root]",
    "autorequire directory[$root/..]",
    "owns path[$root/preferences.d/$name.pref]",
    "owns content[$root/preferences.d/$name.pref]",
    NULL,
};

static int32_t
pin_suits(rhost_ctx *ctx)
{
    return tool_is_there("apt-get") ? 10 : rhost_fail(ctx, "apt-get is not installed") + 1;
}

static int32_t
pin_tidy(rhost_ctx *ctx, rhost_value *resource)
{
    const char *packages = rhost_str(resource, "packages"), *pin = rhost_str(resource, "pin"), *why;

    if (packages)
        fields_put_words(ctx, resource, "packages", rhost_strdup(ctx, packages));
    if (pin) {
        pin = pin_canonical(ctx, pin, &why);
        if (!pin)
            return rhost_fail_attr(ctx, "pin", "%s", why);
        rhost_put_str(resource, "pin", pin);
    }
    rhost_tidy_path(ctx, resource, "root");
    return 0;
}

static int32_t
pin_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const rhost_value *packages = rhost_get(resource, "packages");
    const char *explanation = rhost_str_or(resource, "explanation", "");
    int failed = 0;

    for (size_t i = 0; i < rhost_count(packages); i++) {
        const char *why = pin_package_trouble(ctx, rhost_str_at(packages, i));

        if (why)
            failed |= rhost_fail_attr(ctx, "packages", "%s", why);
    }
    if (rhost_int(resource, "priority", 1) == 0)
        failed |= rhost_fail_attr(ctx, "priority", "apt takes no 0");
    if (strpbrk(explanation, "\r\n") || strspn(explanation, " \t"))
        failed |= rhost_fail_attr(ctx, "explanation", "it must be one line that begins with no blank");
    return failed ? -1 : 0;
}

/* What a new pin needs; of one that exists, an undo states only what it brings back. */
static int
check_new(rhost_ctx *ctx, const rhost_value *should)
{
    int failed = 0;

    if (!should || rhost_wants_absence(should))
        return 0;
    if (!rhost_count(rhost_get(should, "packages")))
        failed |= rhost_fail_attr(ctx, "packages", "'packages' is required: '*' are all");
    if (!rhost_has(should, "pin"))
        failed |=
            rhost_fail_attr(ctx, "pin", "'pin' is required: 'release ...', 'version ...' or 'origin ...'");
    if (!rhost_has(should, "priority"))
        failed |= rhost_fail_attr(ctx, "priority", "'priority' is required");
    return failed ? -1 : 0;
}

static const char *
file_of(rhost_ctx *ctx, const rhost_value *with_root, const char *name)
{
    return place_of(ctx, rhost_str_or(with_root, "root", PLACE_ROOT), "preferences.d", name, ".pref");
}

/* Why a resource can neither change nor remove this file; NULL: it can. */
static const char *
several(rhost_ctx *ctx, const struct rhost_lines *l)
{
    size_t at;
    int n = stanza_count(l, &at);

    if (n <= 1)
        return NULL;
    return rhost_fmt(ctx, "'%s' has %d pins, and a resource has one: give each a file of its own", l->path,
                     n);
}

/* Why a resource cannot have this file; NULL: it can. */
static const char *
trouble(rhost_ctx *ctx, const struct rhost_lines *l)
{
    const char *why = several(ctx, l);
    size_t at;

    if (why)
        return why;
    if (stanza_count(l, &at) < 0)
        return rhost_fmt(ctx, "line %zu of '%s' is not of the format of apt", at + 1, l->path);
    for (size_t i = 0; i < l->n; i++)
        if (!rhost_is_utf8(l->at[i].text, l->at[i].len))
            return rhost_fmt(ctx, "'%s' is not written in UTF-8", l->path);
    return NULL;
}

/* What makes no sense is left out: unknown, so that it is a difference. */
static void
report(rhost_ctx *ctx, const struct rhost_lines *l, rhost_value *into)
{
    struct stanza_field field;
    const char *pin, *why;

    if (stanza_find(ctx, l, "Package", &field) && *field.value)
        fields_put_words(ctx, into, "packages", field.value);
    if (stanza_find(ctx, l, "Pin", &field)) {
        pin = pin_canonical(ctx, field.value, &why);
        if (pin)
            rhost_put_str(into, "pin", pin);
    }
    if (stanza_find(ctx, l, "Pin-Priority", &field)) {
        char *end;
        long n = strtol(field.value, &end, 10);

        if (end != field.value && !*end)
            rhost_put_int(into, "priority", n);
    }
    rhost_put_str(into, "explanation", stanza_find(ctx, l, "Explanation", &field) ? field.value : "");
}

static int32_t
pin_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = file_of(ctx, should, rhost_str(name, "name")), *why;
    struct rhost_lines *l = rhost_lines_read(ctx, path);
    int32_t result = 0;

    if (!l)
        return rhost_fail_path(ctx, "cannot read '%s'", path);
    why = l->exists ? trouble(ctx, l) : NULL;
    if (!l->exists)
        result = check_new(ctx, should) < 0 ? -1 : RHOST_ABSENT;
    else if (why && should && (!rhost_wants_absence(should) || several(ctx, l)))
        result = rhost_fail(ctx, "%s", why);
    else if (!why)
        report(ctx, l, current);
    rhost_lines_free(l);
    return result;
}

static int32_t
emit(rhost_ctx *ctx, const char *name)
{
    const char *path = file_of(ctx, NULL, name), *why;
    struct rhost_lines *l = rhost_lines_read(ctx, path);
    rhost_value *one = ctx->host->new_hash(ctx);
    int32_t result = 0;

    if (!l)
        return rhost_fail_path(ctx, "cannot read '%s'", path);
    why = l->exists ? trouble(ctx, l) : "it is gone";
    if (why) {
        rhost_info(ctx, "ignoring '%s': %s", path, why);
    } else {
        rhost_put_str(one, "name", name);
        rhost_put_str(one, "ensure", "present");
        report(ctx, l, one);
        if (rhost_has(one, "packages") && rhost_has(one, "pin") && rhost_int(one, "priority", 0) != 0)
            result = ctx->host->emit(ctx, one);
    }
    rhost_lines_free(l);
    return result;
}

/* All files that one resource could have made. */
static int32_t
pin_get(rhost_ctx *ctx, const rhost_value *names)
{
    static const char folder[] = PLACE_ROOT "/preferences.d", suffix[] = ".pref";
    const char **files;
    ssize_t n = rhost_path_list(ctx, folder, RHOST_PATH_FOLLOW, &files);

    (void)names;
    if (n < 0)
        return errno == ENOENT ? 0 : rhost_fail_path(ctx, "cannot read '%s'", folder);
    for (ssize_t i = 0; i < n; i++) {
        size_t len = strlen(files[i]), end = sizeof suffix - 1;
        size_t ours = strspn(files[i], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz_.-");

        if (len > end && ours == len && !strchr(".-", *files[i]) && strcmp(files[i] + len - end, suffix) == 0
            && emit(ctx, rhost_copy(ctx, files[i], len - end)) < 0)
            return -1;
    }
    return 0;
}

static void
put_explanation(rhost_ctx *ctx, struct rhost_lines *l, const char *text)
{
    struct stanza_field field;

    if (!*text)
        stanza_put(ctx, l, "Explanation", NULL);
    else if (stanza_find(ctx, l, "Explanation", &field) || !stanza_next(ctx, l, 0, &field))
        stanza_put(ctx, l, "Explanation", text);
    else {
        text = rhost_fmt(ctx, "Explanation: %s", text);
        rhost_lines_insert(l, field.line, text, strlen(text));
    }
}

/* What the file gets: of what is not named, that which it has. Comments and other fields stay. */
static int32_t
pin_write(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = file_of(ctx, change->should, rhost_str(change->name, "name"));
    const char *packages = fields_joined(ctx, rhost_value_of(change, "packages"));
    const char *explanation = rhost_str_of(change, "explanation");
    const struct rhost_new_file like = {
        .struct_size = sizeof like,
        .mode = 0644, /* apt reads it as another user as well */
        .uid = -1,
        .gid = -1,
    };
    int32_t saved = RHOST_FILE_CHANGED;

    for (int i = 0; saved == RHOST_FILE_CHANGED && i < RHOST_LINES_TRIES; i++) {
        struct rhost_lines *l = rhost_lines_of(ctx, path);
        const char *why;

        if (!l)
            return -1;
        why = trouble(ctx, l);
        if (why)
            return rhost_fail(ctx, "%s", why);
        put_explanation(ctx, l, explanation ? explanation : "");
        stanza_put(ctx, l, "Package", packages);
        stanza_put(ctx, l, "Pin", rhost_str_of(change, "pin"));
        stanza_put(ctx, l, "Pin-Priority",
                   rhost_fmt(ctx, "%lld", (long long)rhost_int_of(change, "priority", 0)));
        saved = rhost_lines_save(ctx, l, &like);
    }
    return saved == RHOST_FILE_CHANGED ? rhost_lines_fail_changed(ctx, path) : saved;
}

static int32_t
pin_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path =
        file_of(ctx, change->should ? change->should : change->is, rhost_str(change->name, "name"));

    if (rhost_path_unlink(ctx, path, 0) < 0 && errno != ENOENT)
        return rhost_fail_path(ctx, "cannot remove '%s'", path);
    rhost_touched(ctx, path);
    return 0;
}

static const char *const needs[] = { "write[$root/preferences.d/]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]", NULL };

static const struct rhost_provider apt_pin_provider = {
    RHOST_PROVIDER("apt_pin", "Keep pins of apt: which versions of packages it prefers."),
    RHOST_ATTRS(attrs),
    .features = RHOST_FORGETS_WORLD | RHOST_READ_BACK | RHOST_PURE_CANONICALIZE,
    .relations = relations,
    .needs = needs,
    .suits = pin_suits,
    .canonicalize = pin_tidy,
    .validate = pin_validate,
    .load = pin_load,
    .get = pin_get,
    .create = pin_write,
    .update = pin_write,
    .remove = pin_remove,
};

RHOST_PLUGIN(apt_pin, "1.0", &apt_pin_provider)
