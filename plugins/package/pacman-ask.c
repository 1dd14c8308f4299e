/* SPDX-License-Identifier: Apache-2.0 */
/* pacman-ask - questions to pacman that change nothing. */

#include "pacman-ask.h"

#include "source.h"
#include "tool.h"

/* "NAME VERSION" or, with `skip`, "REPOSITORY NAME VERSION [...]", as lines that rpms_parse() reads. */
static void
parse(rhost_ctx *ctx, const char *printed, int skip, struct rpms *found)
{
    char *text = tool_text(ctx, printed), *line;
    char *lines = rhost_alloc(ctx, 2 * strlen(printed) + 2), *to = lines;

    *to = '\0';
    while ((line = words_line(&text))) {
        char *name = skip ? strchr(line, ' ') : line, *version;

        if (name && skip)
            name++;
        version = name ? strchr(name, ' ') : NULL;
        if (!version)
            continue;
        *version++ = '\0';
        version[strcspn(version, " ")] = '\0';
        to = stpcpy(stpcpy(stpcpy(stpcpy(to, name), "\t\t"), version), "\n");
    }
    rpms_parse(ctx, lines, found);
}

/* That a list was not downloaded yet is only a warning of pacman, and a status that is no error where nothing
 * is installed. */
static int32_t
ask(rhost_ctx *ctx, const char *option, const char *what, struct rhost_output *out)
{
    struct words argv = { 0 };

    tool_words(ctx, &argv, "pacman", option);
    if (tool_read(ctx, &argv, out) < 0)
        return -1;
    if (strstr(out->err, "error:") || (out->status && *out->err && !strstr(out->err, "warning:")))
        return rhost_fail(
            ctx, "cannot read %s of pacman: %s", what,
            rhost_copy(ctx, out->err, strlen(out->err) - (out->err[strlen(out->err) - 1] == '\n')));
    if (out->status > 1)
        return rhost_fail(ctx, "cannot read %s of pacman: it ended with status %d", what, out->status);
    return 0;
}

int32_t
pacman_installed(rhost_ctx *ctx, struct rpms *found)
{
    struct rhost_output out;

    if (ask(ctx, "-Q", "the database", &out) < 0)
        return -1;
    parse(ctx, out.out, 0, found);
    return 0;
}

int32_t
pacman_listed(rhost_ctx *ctx, struct rpms *found)
{
    struct rhost_output out;

    if (ask(ctx, "-Sl", "the package lists", &out) < 0)
        return -1;
    parse(ctx, out.out, 1, found);
    return 0;
}

const struct rpm *
pacman_first(const struct rpms *listed, const char *name)
{
    for (size_t i = 0; i < listed->n; i++)
        if (strcmp(listed->at[i].name, name) == 0)
            return &listed->at[i];
    return NULL;
}

int32_t
pacman_version_of_file(rhost_ctx *ctx, const char *file, const char *name, const char **version,
                       const char **why)
{
    struct words argv = { 0 };
    struct rhost_output out;
    struct rpms in;

    *version = NULL;
    if (!source_is_safe(ctx, file, why))
        return 0;
    tool_words(ctx, &argv, "pacman", "-Qp", "--", file);
    if (tool_read(ctx, &argv, &out) < 0)
        return -1;
    parse(ctx, out.out, 0, &in);
    if (out.status || !in.n)
        *why = rhost_fmt(ctx, "source: '%s' is not a package: %s", file, lines_of_error(ctx, out.err));
    else if (strcmp(in.at[0].name, name) != 0)
        *why = rhost_fmt(ctx, "source: '%s' has the package '%s', and not '%s'", file, in.at[0].name, name);
    else
        *version = in.at[0].version;
    return 0;
}

int32_t
pacman_means(rhost_ctx *ctx, const char *name, const char **provider, int *group)
{
    struct words argv = { 0 }, members = { 0 };
    struct rhost_output out;

    tool_words(ctx, &argv, "pacman", "-Sg", "--", name);
    if (tool_read(ctx, &argv, &out) < 0)
        return -1;
    *group = out.status == 0 && *out.out;
    *provider = NULL;
    tool_words(ctx, &members, "pacman", "--noconfirm", "-Sdd", "--print", "--print-format", "%n", "--", name);
    if (*group)
        return 0;
    if (tool_read(ctx, &members, &out) < 0)
        return -1;
    if (out.status == 0 && *out.out)
        *provider = rhost_copy(ctx, out.out, strcspn(out.out, "\n"));
    return 0;
}

int32_t
pacman_ignored(rhost_ctx *ctx, struct words *patterns)
{
    struct words argv = { 0 };
    struct rhost_output out;
    char *text, *line;

    tool_words(ctx, &argv, "pacman-conf", "IgnorePkg");
    if (tool_read(ctx, &argv, &out) < 0)
        return -1;
    if (out.status)
        return rhost_fail(ctx, "cannot read pacman.conf: %s", lines_of_error(ctx, out.err));
    text = tool_text(ctx, out.out);
    while ((line = words_line(&text)))
        if (*line)
            words_add(ctx, patterns, line);
    return 0;
}

const char *
pacman_complaints(rhost_ctx *ctx, const char *printed)
{
    char *text = tool_text(ctx, printed), *line;
    const char *all = "";

    while ((line = words_line(&text)))
        all = words_join(ctx, all, words_after(line, ":: ") ? rhost_fmt(ctx, "error: %s", line + 3) : line);
    return all;
}

const char *
pacman_script_errors(rhost_ctx *ctx, const char *printed)
{
    char *text = tool_text(ctx, printed), *line;
    const char *since = "", *all = "";

    while ((line = words_line(&text))) {
        if (words_after(line, "installing ") || words_after(line, "upgrading ")
            || words_after(line, "downgrading ") || words_after(line, "reinstalling ")
            || words_after(line, "removing "))
            since = "";
        since = words_join(ctx, since, line);
        if (strstr(line, "command failed to execute correctly")) {
            all = words_join(ctx, all, since);
            since = "";
        }
    }
    return all;
}
