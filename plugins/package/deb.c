/* SPDX-License-Identifier: Apache-2.0 */
/* deb - the database of dpkg: reading it, and what is wanted of a version. */

#include "deb.h"

#include "marks.h"
#include "source.h"
#include "status.h"
#include "tool.h"

#include <rhost/catalog.h>

#include <stdlib.h>

#define FORMAT                                                                                               \
    "${Package}\\t${Architecture}\\t${Version}\\t${db:Status-Want}\\t${db:Status-Eflag}\\t"                  \
    "${db:Status-Status}\\n"

const char *const deb_locks[] = { "/var/lib/dpkg/lock-frontend", "/var/lib/dpkg/lock", NULL };

static int
by_name(const void *a, const void *b)
{
    return strcmp(((const struct deb *)a)->name, ((const struct deb *)b)->name);
}

static int
cut(char *line, char **fields, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fields[i] = line;
        line += strcspn(line, "\t");
        if (i + 1 < n && !*line)
            return -1;
        if (*line)
            *line++ = '\0';
    }
    return 0;
}

int32_t
deb_query(rhost_ctx *ctx, const struct words *names, struct debs *debs)
{
    struct words argv = { 0 };
    struct rhost_output out;
    size_t lines = 0;
    char *text, *line;

    tool_words(ctx, &argv, "dpkg-query", "-W", "-f", FORMAT);
    if (names) {
        tool_words(ctx, &argv, "--", "dpkg"); /* which has the architecture of the machine */
        for (size_t i = 0; i < names->n; i++)
            words_add(ctx, &argv, names->at[i]);
    }
    if (tool_read(ctx, &argv, &out) < 0)
        return -1;
    if (out.status > 1 || (out.status == 1 && !names)) /* 1: some of them are unknown */
        return rhost_fail(ctx, "cannot read the database of dpkg: %s", lines_of_error(ctx, out.err));
    if (out.truncated)
        return rhost_fail(ctx, "cannot read the database of dpkg: it is too large");
    text = tool_text(ctx, out.out);
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    *debs = (struct debs){ .at = rhost_alloc(ctx, (lines + 1) * sizeof *debs->at), .native = "" };
    while ((line = words_line(&text))) {
        struct deb *deb = &debs->at[debs->n];
        char *f[6];

        if (cut(line, f, 6) < 0)
            return rhost_fail(ctx, "cannot read the database of dpkg: dpkg-query said '%s'", line);
        if (!*f[1] && strcmp(f[5], "not-installed") == 0)
            continue;
        *deb = (struct deb){ f[0], f[1], f[2], f[3], f[5], strcmp(f[4], "ok") != 0 };
        if (strcmp(deb->name, "dpkg") == 0)
            debs->native = deb->arch;
        debs->n++;
    }
    qsort(debs->at, debs->n, sizeof *debs->at, by_name);
    return 0;
}

static const struct deb *
first_of(const struct debs *debs, const char *name)
{
    const struct deb key = { .name = name };
    const struct deb *found = debs->n ? bsearch(&key, debs->at, debs->n, sizeof key, by_name) : NULL;

    while (found && found > debs->at && strcmp(found[-1].name, name) == 0)
        found--;
    return found;
}

static int
is_native(const struct debs *debs, const struct deb *deb)
{
    return strcmp(deb->arch, "all") == 0 || strcmp(deb->arch, debs->native) == 0;
}

const struct deb *
deb_find(const struct debs *debs, const char *name)
{
    const char *arch = strchr(name, ':');
    char base[256];
    size_t n = arch ? (size_t)(arch - name) : strlen(name);

    if (n >= sizeof base)
        return NULL;
    memcpy(base, name, n);
    base[n] = '\0';
    for (const struct deb *deb = first_of(debs, base);
         deb && deb < debs->at + debs->n && strcmp(deb->name, base) == 0; deb++)
        if (arch && strcmp(arch + 1, debs->native) != 0 ? strcmp(deb->arch, arch + 1) == 0
                                                        : is_native(debs, deb))
            return deb;
    return NULL;
}

const char *
deb_foreign(rhost_ctx *ctx, const struct debs *debs, const char *name)
{
    const struct deb *deb = strchr(name, ':') ? NULL : first_of(debs, name);

    for (; deb && deb < debs->at + debs->n && strcmp(deb->name, name) == 0; deb++)
        if (!is_native(debs, deb) && deb_is_there(deb))
            return rhost_fmt(ctx, "%s:%s", deb->name, deb->arch);
    return NULL;
}

int
deb_is_there(const struct deb *deb)
{
    return deb && strcmp(deb->state, "not-installed") != 0 && strcmp(deb->state, "config-files") != 0;
}

int
deb_is_complete(const struct deb *deb)
{
    return !deb
           || (!deb->reinstall
               && (strcmp(deb->state, "installed") == 0 || strcmp(deb->state, "config-files") == 0
                   || strcmp(deb->state, "not-installed") == 0));
}

int
deb_is_held(const struct deb *deb)
{
    return deb && strcmp(deb->want, "hold") == 0;
}

int
deb_has_leftovers(const struct deb *deb)
{
    return deb && strcmp(deb->state, "config-files") == 0;
}

const char *
deb_title(rhost_ctx *ctx, const struct debs *debs, const struct deb *deb)
{
    return is_native(debs, deb) ? deb->name : rhost_fmt(ctx, "%s:%s", deb->name, deb->arch);
}

int32_t
deb_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *version = rhost_str(resource, "version");
    const char *name = rhost_str(resource, "name"), *arch, *native;

    if (name_check(ctx, resource, "+-.:") < 0)
        return -1;
    arch = name ? strchr(name, ':') : NULL;
    native = arch && arch > name ? status_native(ctx) : NULL;
    if (native && strcmp(arch + 1, native) == 0) { /* what is meant without it */
        rhost_put_bytes(resource, "name", name, (size_t)(arch - name));
        name = rhost_str(resource, "name");
    }
    for (; name && *name; name++)
        if (*name >= 'A' && *name <= 'Z')
            return rhost_fail_attr(ctx, "name", "'%s' is not a valid name of a package: they are lower case",
                                   rhost_str(resource, "name"));
    if (version && strpbrk(version, " \t\n=/"))
        return rhost_fail_attr(ctx, "version", "'%s' is not a version", version);
    return 0;
}

static int32_t
emit(rhost_ctx *ctx, const struct debs *debs, const struct deb *deb, const char *name,
     const struct marks *marks)
{
    rhost_value *one = ctx->host->new_hash(ctx);

    rhost_put_str(one, "name", name);
    rhost_put_str(one, "ensure", "present");
    if (*deb->version)
        rhost_put_str(one, "version", deb->version);
    rhost_put_bool(one, "held", deb_is_held(deb));
    if (marks)
        rhost_put_str(one, "mark", marks_of(marks, debs, deb));
    rhost_put_str(one, "state",
                  deb->reinstall           ? "half-installed"
                  : deb_has_leftovers(deb) ? "installed"
                                           : deb->state);
    return ctx->host->emit(ctx, one);
}

/* Configuration files that are left count as something that is there for one who wants them gone, and
 * for nobody else. */
static int
leftovers_must_go(rhost_ctx *ctx, const char *name)
{
    const rhost_value *should = rhost_declared(ctx, "package", name);

    return rhost_wants_absence(should) && rhost_bool(should, "purge", 0);
}

int32_t
deb_get(rhost_ctx *ctx, const rhost_value *names, const struct marks *marks)
{
    struct words asked = { 0 };
    struct debs debs;

    for (size_t i = 0; i < rhost_count(names); i++)
        words_add(ctx, &asked, rhost_str(rhost_at(names, i, NULL), "name"));
    if (status_read(ctx, &debs))
        qsort(debs.at, debs.n, sizeof *debs.at, by_name);
    else if (deb_query(ctx, names ? &asked : NULL, &debs) < 0)
        return -1;
    for (size_t i = 0; !names && i < debs.n; i++)
        if (deb_is_there(&debs.at[i])
            && emit(ctx, &debs, &debs.at[i], deb_title(ctx, &debs, &debs.at[i]), marks) < 0)
            return -1;
    for (size_t i = 0; i < asked.n; i++) {
        const struct deb *deb = deb_find(&debs, asked.at[i]);

        if ((deb_is_there(deb) || (deb_has_leftovers(deb) && leftovers_must_go(ctx, asked.at[i])))
            && emit(ctx, &debs, deb, asked.at[i], marks) < 0)
            return -1;
    }
    return 0;
}

int32_t
deb_version_of_file(rhost_ctx *ctx, const char *file, const char *name, const char **version,
                    const char **why)
{
    struct words argv = { 0 };
    struct rhost_output out;
    size_t base = strcspn(name, ":"), n;
    const char *tab;

    *version = NULL;
    if (!source_is_safe(ctx, file, why))
        return 0;
    tool_words(ctx, &argv, "dpkg-deb", "--showformat=${Package}\\t${Version}\\n", "--show", file);
    if (tool_read(ctx, &argv, &out) < 0)
        return -1;
    tab = strchr(out.out, '\t');
    n = tab ? (size_t)(tab - out.out) : 0;
    if (out.status || !tab)
        *why = rhost_fmt(ctx, "source: '%s' is not a package: %s", file, lines_of_error(ctx, out.err));
    else if (n != base || strncmp(out.out, name, base) != 0)
        *why =
            rhost_fmt(ctx, "source: '%s' has the package '%.*s', and not '%s'", file, (int)n, out.out, name);
    else
        *version = rhost_copy(ctx, tab + 1, strcspn(tab + 1, "\n"));
    return 0;
}
