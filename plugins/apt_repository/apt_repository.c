/* SPDX-License-Identifier: Apache-2.0 */
/* apt_repository - keep the repositories that apt knows, in the deb822 format, and the keys they are signed
 * with. apt itself is not run: types that use it read its lists again (RHOST_FORGETS_WORLD). */

#include "bring.h"
#include "declared.h"
#include "fields.h"
#include "place.h"
#include "stanza.h"
#include "stored.h"

#include <rhost/posix.h>

#include <strings.h>

#define WORDS "Variant[Array[Pattern[/\\A\\S+\\z/]], String]"

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[A-Za-z0-9_][A-Za-z0-9_.-]*\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name of its file, without .sources." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether apt should know it; absent removes its file, and its key." },
    { .name = "enabled", .type = "Boolean", .initial = "true", .desc = "Whether apt uses it." },
    { .name = "types",
      .type = "Variant[Array[Enum[deb, deb-src], 1], Enum[deb, deb-src]]",
      .behaviour = RHOST_UNORDERED,
      .initial = "[\"deb\"]",
      .desc = "What it is used for: deb, packages; deb-src, sources." },
    { .name = "uris", .type = WORDS, .desc = "Where it is." },
    { .name = "suites",
      .type = WORDS,
      .desc = "Its releases, or a path that ends with '/' where it has none." },
    { .name = "components",
      .type = WORDS,
      .behaviour = RHOST_UNORDERED,
      .initial = "[]",
      .desc = "The parts of it that are used; none with a path." },
    { .name = "architectures",
      .type = WORDS,
      .behaviour = RHOST_UNORDERED,
      .initial = "[]",
      .desc = "The architectures that are used; none: those of this machine." },
    { .name = "signed_by",
      .type = "Optional[String]",
      .desc = "A file of keys, fingerprints, or the armored key; with `key`, where that is stored." },
    { .name = "key",
      .type = "Optional[String]",
      .desc = "The key, stored in a file: armored text, or the path of a file to copy." },
    { .name = "fields",
      .type = "Optional[Hash[Pattern[/\\A[A-Za-z][A-Za-z0-9-]*\\z/], Variant[String, Boolean, Integer]]]",
      .desc = "Other fields by name; \"\" takes one out. Those that are not named stay." },
    { .name = "root",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"" PLACE_ROOT "\"",
      .desc = "The directory of apt's configuration." },
};

static const char *const relations[] = {
    "autorequire file[$key]",
    "autorequire file[$signed_by]",
    "autorequire directory[$root]",
    "autorequire directory[$root/..]",
    "owns path[$root/sources.list.d/$name.sources]",
    "owns content[$root/sources.list.d/$name.sources]",
    NULL,
};

/* The lists that make no sense are left out: unknown, so that they are a difference. */
static void
report(rhost_ctx *ctx, const struct rhost_lines *l, rhost_value *into)
{
    rhost_value *sound = ctx->host->new_hash(ctx), *fields;
    struct stanza_field field;
    const char *attribute;

    for (size_t i = 0; i < FIELDS_LISTS; i++)
        fields_put_words(ctx, sound, fields_lists[i].attribute,
                         stanza_find(ctx, l, fields_lists[i].field, &field) ? field.value : "");
    for (size_t i = 0; i < FIELDS_LISTS; i++)
        if (strcmp(fields_lists[i].attribute, "architectures") == 0
            || (rhost_count(rhost_get(sound, "types")) && !declared_complaint(ctx, sound, &attribute)))
            rhost_put_copy(into, fields_lists[i].attribute, rhost_get(sound, fields_lists[i].attribute));
    rhost_put_bool(into, "enabled", !stanza_find(ctx, l, "Enabled", &field) || fields_is_yes(field.value));
    rhost_put_str(into, "signed_by",
                  stanza_find(ctx, l, "Signed-By", &field) ? fields_signed_by(ctx, field.value) : "");
    fields = into->host->put_hash(into, "fields");
    for (size_t i = 0; stanza_next(ctx, l, i, &field); i = field.line + field.n_lines)
        if (!fields_attribute(field.name) && rhost_is_utf8(field.value, strlen(field.value)))
            rhost_put_str(fields, field.name, field.value);
}

static int
is_all_text(const struct rhost_lines *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (!rhost_is_utf8(l->at[i].text, l->at[i].len))
            return 0;
    return 1;
}

/* Why this file can't be kept by a resource; NULL: it can. */
static const char *
trouble(rhost_ctx *ctx, const struct rhost_lines *l)
{
    size_t at;
    int n = stanza_count(l, &at);

    if (n < 0)
        return rhost_fmt(ctx, "line %zu of '%s' is not of the deb822 format", at + 1, l->path);
    if (n > 1)
        return rhost_fmt(ctx, "'%s' has %d stanzas, and a resource has one: give each a file of its own",
                         l->path, n);
    return is_all_text(l) ? NULL : rhost_fmt(ctx, "'%s' is not written in UTF-8", l->path);
}

static int32_t
apt_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *title = rhost_str(name, "name"), *why;
    int gone = rhost_wants_absence(should);
    const struct rhost_lines *l =
        rhost_lines_of(ctx, place_of_sources(ctx, rhost_str_or(should, "root", PLACE_ROOT), title));

    if (!l)
        return -1;
    if (!l->exists)
        return RHOST_ABSENT;
    why = trouble(ctx, l);
    if (why && should && !gone)
        return rhost_fail(ctx, "%s", why);
    if (!why)
        report(ctx, l, current);
    if (!why && !gone && stored_is_specified(should)) {
        if (stored_differs(ctx, title, should, l))
            rhost_put_str(current, "key", "");
        else
            rhost_put_copy(current, "key", rhost_get(should, "key"));
    }
    return 0;
}

/* Fields that are not named don't count. */
static int32_t
insync_fields(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *fields = rhost_get(change->should, "fields"), *is = rhost_get(change->is, "fields");

    for (size_t i = 0; i < rhost_count(fields); i++) {
        const char *name, *wanted, *value = "";

        (void)rhost_at(fields, i, &name);
        wanted = rhost_str_at(fields, i);
        for (size_t k = 0; k < rhost_count(is); k++) {
            const char *key;

            (void)rhost_at(is, k, &key);
            if (strcasecmp(key, name) == 0)
                value = rhost_str_at(is, k);
        }
        if (strcmp(value, wanted) != 0)
            return rhost_differs(ctx, "%s is '%s' instead of '%s'", name, value, wanted);
    }
    return 0;
}

static int32_t
apt_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *name = rhost_str(change->name, "name"), *why;
    const struct rhost_lines *l;

    if (strcmp(attribute, "fields") == 0)
        return insync_fields(ctx, change);
    if (strcmp(attribute, "key") == 0 && !stored_is_specified(change->should))
        return 0;
    if (strcmp(attribute, "key") != 0 || !change->is)
        return RHOST_DEFAULT_COMPARISON;
    l = rhost_lines_of(ctx, place_of_sources(ctx, rhost_str_or(change->should, "root", PLACE_ROOT), name));
    if (!l)
        return -1;
    why = stored_differs(ctx, name, change->should, l);
    return why ? rhost_differs(ctx, "%s", why) : 0;
}

static int
emit(rhost_ctx *ctx, const char *name)
{
    const struct rhost_lines *l = rhost_lines_of(ctx, place_of_sources(ctx, PLACE_ROOT, name));
    const char *why = l ? trouble(ctx, l) : NULL;
    rhost_value *resource = ctx->host->new_hash(ctx);

    if (!l)
        return -1;
    if (why || !l->exists)
        return why ? rhost_info(ctx, "ignoring '%s': %s", name, why), 0 : 0;
    rhost_put_str(resource, "name", name);
    report(ctx, l, resource);
    return ctx->host->emit(ctx, resource);
}

/* All files that one resource could have made. */
static int32_t
apt_get(rhost_ctx *ctx, const rhost_value *names)
{
    static const char folder[] = PLACE_ROOT "/sources.list.d";
    const char **files;
    ssize_t n = rhost_path_list(ctx, folder, RHOST_PATH_FOLLOW, &files);

    (void)names;
    if (n < 0)
        return errno == ENOENT ? 0 : rhost_fail_path(ctx, "cannot read '%s'", folder);
    for (ssize_t i = 0; i < n; i++) {
        const char *name = files[i];
        size_t len = strlen(name);
        size_t ours = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                   "abcdefghijklmnopqrstuvwxyz_.-");

        if (len > 8 && ours == len && !strchr(".-", *name) && strcmp(name + len - 8, ".sources") == 0
            && emit(ctx, rhost_copy(ctx, name, len - 8)) < 0)
            return -1;
    }
    return 0;
}

static const char *const needs[] = { "write[$root]", "write[$signed_by] if $key", "read[$key]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]", NULL };

static const struct rhost_provider apt_provider = {
    RHOST_PROVIDER("apt_repository", "Keep the repositories that apt knows, and their keys."),
    RHOST_ATTRS(attrs),
    .features = RHOST_FORGETS_WORLD,
    .relations = relations,
    .needs = needs,
    .canonicalize = declared_canonicalize,
    .insync = apt_insync,
    .load = apt_load,
    .get = apt_get,
    .create = bring_it,
    .update = bring_it,
    .remove = bring_remove,
};

RHOST_PLUGIN(apt_repository, "1.0", &apt_provider)
