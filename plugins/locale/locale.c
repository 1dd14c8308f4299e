/* SPDX-License-Identifier: Apache-2.0 */
/* locale - keep locales that programs can use.
 *
 * localedef(1) makes one from its source. Where there is /etc/locale.gen, it is listed there as well:
 * otherwise it would be gone when locale-gen(8) makes all locales anew, as after an update of the C library.
 */

#include "generated.h"
#include "listed.h"
#include "spelling.h"

#include <rhost/dry-run.h>
#include <rhost/posix.h>

#define GEN_FILE "/etc/locale.gen"

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[a-z]{2,3}(_[A-Z0-9]{2,3})?(\\.[A-Za-z0-9-]{1,30})?(@[A-Za-z0-9]{1,30})?\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name of the locale, such as de_DE.UTF-8." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether programs can use it." },
    { .name = "listed",
      .type = "Boolean",
      .default_value = "true",
      .desc = "Whether gen_file, where it exists, lists it, so that locale-gen makes it again." },
    { .name = "charset",
      .type = "Optional[Pattern[/\\A[A-Za-z0-9][A-Za-z0-9._-]*\\z/]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "Its character set, where the name and the list of the C library do not say it." },
    { .name = "gen_file",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"" GEN_FILE "\"",
      .desc = "The file that lists the locales for locale-gen(8)." },
};

static const char *const relations[] = {
    "autorequire file[$gen_file]",
    "autorequire package[locales]",
    "edits content[$gen_file] if $name",
    NULL,
};

static int32_t
locale_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *name = rhost_str(resource, "name"), *tidy = name ? spelling_tidy(ctx, name) : NULL;

    if (name && strcmp(name, tidy) != 0)
        rhost_put_str(resource, "name", tidy);
    rhost_tidy_path(ctx, resource, "gen_file");
    return 0;
}

static const char *
gen_file_of(const rhost_value *should)
{
    return rhost_str_or(should, "gen_file", GEN_FILE);
}

/* 1, 0, or -1 after the reason was given. Where there is no file, nothing has to be listed. */
static int
is_listed(rhost_ctx *ctx, const char *name, const rhost_value *should)
{
    const struct rhost_lines *l = rhost_lines_of(ctx, gen_file_of(should));

    return l ? !l->exists || listed_has(ctx, l, name) : -1;
}

/* Under noop: what it is made from exists, or the run may install it. */
static int32_t
foresee(rhost_ctx *ctx, const char *name, const rhost_value *should)
{
    const char *charset, *lacks;

    if (!rhost_looks_ahead(ctx, should))
        return 0;
    charset = generated_charset(ctx, name, rhost_str(should, "charset"));
    if (!charset)
        return -1;
    lacks = generated_lacks(ctx, name, charset);
    return lacks ? rhost_fail_missing(ctx, "name", lacks) : 0;
}

static int32_t
locale_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *which = rhost_str(name, "name"), **names;
    ssize_t n = generated_list(ctx, &names);
    int listed = is_listed(ctx, which, should), exists;

    if (n < 0 || listed < 0)
        return -1;
    exists = generated_has(names, n, which);
    /* One that is only listed would come back. */
    if (rhost_wants_absence(should) && !exists) {
        const struct rhost_lines *l = rhost_lines_of(ctx, gen_file_of(should));

        exists = l && l->exists && listed;
    }
    if (!exists)
        return foresee(ctx, which, should) < 0 ? -1 : RHOST_ABSENT;
    rhost_put_bool(current, "listed", listed);
    return 0;
}

/* Whether its language is one as the type has it: C, POSIX and aliases such as "german" are no resources. */
static int
has_language(const char *name)
{
    size_t base = strcspn(name, ".@"), language = strspn(name, "abcdefghijklmnopqrstuvwxyz");

    if (language < 2 || language > 3)
        return 0;
    if (base == language)
        return 1;
    return name[language] == '_'
           && strspn(name + language + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == base - language - 1
           && base - language - 1 >= 2 && base - language - 1 <= 3;
}

static int32_t
locale_get(rhost_ctx *ctx, const rhost_value *names)
{
    const char **all;
    ssize_t n = generated_list(ctx, &all);

    (void)names;
    for (ssize_t i = 0; i < n; i++) {
        rhost_value *one;
        int listed, seen = 0;

        for (ssize_t k = 0; k < i; k++)
            seen |= spelling_same(all[k], all[i]);
        if (seen || !has_language(all[i]))
            continue;
        listed = is_listed(ctx, all[i], NULL);
        if (listed < 0)
            return -1;
        one = ctx->host->new_hash(ctx);
        rhost_put_str(one, "name", all[i]);
        rhost_put_str(one, "ensure", "present");
        rhost_put_bool(one, "listed", listed);
        if (ctx->host->emit(ctx, one) < 0)
            return -1;
    }
    return n < 0 ? -1 : 0;
}

/* Reads the list, edits and writes it; again when something else has changed it meanwhile. */
static int32_t
list(rhost_ctx *ctx, const char *name, const rhost_value *should, int wanted, const char *charset)
{
    const struct rhost_new_file like = { .struct_size = sizeof like,
                                         .path = gen_file_of(should),
                                         .mode = -1,
                                         .uid = -1,
                                         .gid = -1,
                                         .flags = RHOST_FILE_FOLLOW };

    for (int attempt = 0; attempt < RHOST_LINES_TRIES; attempt++) {
        struct rhost_lines *l = rhost_lines_of(ctx, like.path);
        int32_t saved;

        if (!l || !l->exists)
            return l ? 0 : -1;
        if (listed_has(ctx, l, name) == wanted)
            return 0;
        if (wanted)
            listed_add(ctx, l, name, charset);
        else
            listed_remove(ctx, l, name);
        saved = rhost_lines_save(ctx, l, &like);
        if (saved != RHOST_FILE_CHANGED)
            return saved;
    }
    return rhost_lines_fail_changed(ctx, like.path);
}

/* The locale first: one that cannot be made is not listed, or locale-gen would fail each time. */
static int32_t
locale_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name");
    const char *charset = generated_charset(ctx, name, rhost_str(change->should, "charset"));

    if (!charset || (!change->is && generated_make(ctx, name, charset) < 0))
        return -1;
    return list(ctx, name, change->should, rhost_bool(change->should, "listed", 1), charset);
}

static int32_t
locale_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name"), **names;
    ssize_t n = generated_list(ctx, &names);

    if (n < 0
        || (generated_has(names, n, name)
            && generated_remove(ctx, name, rhost_str(change->should, "charset")) < 0))
        return -1;
    return list(ctx, name, change->should, 0, "");
}

static const char *const needs[] = { "root",
                                     "write[$gen_file]",
                                     "read[/usr/share/i18n]",
                                     "read[/usr/local/share/i18n]",
                                     "run[locale]",
                                     "run[localedef]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider locale_provider = {
    RHOST_PROVIDER("locale", "Keep locales that programs can use."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .relations = relations,
    .canonicalize = locale_canonicalize,
    .load = locale_load,
    .get = locale_get,
    .create = locale_create,
    .update = locale_create,
    .remove = locale_remove,
    .needs = needs,
};

RHOST_PLUGIN(locale, "1.0", &locale_provider)
