/* SPDX-License-Identifier: Apache-2.0 */
/* policy - what apt could install: candidates and versions, of many packages in one question. */

#include "policy.h"

#include "jobs.h"
#include "tool.h"
#include "version.h"

/* A header has no space before it and ends with ':', versions stand behind five letters. */
static void
take_line(rhost_ctx *ctx, struct policies *all, const char *line)
{
    struct policy *now = all->n ? &all->at[all->n - 1] : NULL;
    size_t n = strlen(line);
    const char *rest;

    if (*line && *line != ' ' && line[n - 1] == ':') {
        all->at[all->n++] = (struct policy){ .name = rhost_copy(ctx, line, n - 1), .installed = (size_t)-1 };
    } else if (now && (rest = words_after(line, "  Candidate: "))) {
        now->candidate = strcmp(rest, "(none)") == 0 ? NULL : rhost_copy(ctx, rest, strlen(rest));
    } else if (now && n > 5 && line[5] != ' ' && (words_after(line, "     ") || words_after(line, " *** "))) {
        if (line[1] == '*')
            now->installed = now->versions.n;
        words_add(ctx, &now->versions, rhost_copy(ctx, line + 5, strcspn(line + 5, " ")));
    }
}

int32_t
policy_query(rhost_ctx *ctx, const struct words *names, const char *release, struct policies *policies)
{
    struct words argv = { 0 };
    struct rhost_output out;
    char *text, *line;

    *policies = (struct policies){ .at = rhost_alloc(ctx, (names->n + 1) * sizeof *policies->at) };
    if (!names->n)
        return 0;
    words_add(ctx, &argv, "apt-cache");
    if (release)
        tool_words(ctx, &argv, "-o", rhost_fmt(ctx, "APT::Default-Release=%s", release));
    tool_words(ctx, &argv, "policy", "--");
    for (size_t i = 0; i < names->n; i++)
        words_add(ctx, &argv, names->at[i]);
    if (tool_read(ctx, &argv, &out) < 0)
        return -1;
    if (out.status && !out.out_len)
        return rhost_fail(ctx, "cannot ask apt which versions there are: %s", lines_of_error(ctx, out.err));
    text = tool_text(ctx, out.out);
    while ((line = words_line(&text)))
        if (policies->n < names->n || *line == ' ')
            take_line(ctx, policies, line);
    for (size_t i = 0; i < policies->n; i++)
        if (policies->at[i].installed > policies->at[i].versions.n)
            policies->at[i].installed = policies->at[i].versions.n;
    return 0;
}

const struct policy *
policy_find(const struct policies *policies, const char *name, const char *native)
{
    const char *arch = strchr(name, ':');
    size_t n = arch && strcmp(arch + 1, native) == 0 ? (size_t)(arch - name) : strlen(name);

    for (size_t i = 0; i < policies->n; i++)
        if (strncmp(policies->at[i].name, name, n) == 0 && !policies->at[i].name[n])
            return &policies->at[i];
    return NULL;
}

size_t
policy_choose(const struct policy *policy, const char *wants)
{
    size_t i = 0;

    if (!wants || strcmp(wants, "latest") == 0)
        wants = policy->candidate;
    while (i < policy->versions.n && (!wants || !version_fits(wants, policy->versions.at[i])))
        i++;
    return i;
}

/* Who provides a virtual package: the lines behind "Reverse Provides:", each "name version ...". */
static int32_t
providers_of(rhost_ctx *ctx, const char *name, struct words *providers)
{
    struct words argv = { 0 };
    struct rhost_output out;
    char *text, *line;
    int inside = 0;

    tool_words(ctx, &argv, "apt-cache", "showpkg", "--", name);
    if (tool_read(ctx, &argv, &out) < 0)
        return -1;
    text = tool_text(ctx, out.out);
    while ((line = words_line(&text))) {
        const char *who = rhost_copy(ctx, line, strcspn(line, " "));

        if (inside && *who && !words_have(providers, who))
            words_add(ctx, providers, who);
        inside |= words_after(line, "Reverse Provides:") != NULL;
    }
    return 0;
}

const char *
policy_unknown(rhost_ctx *ctx, const char *name, const struct policy *policy, const char **names)
{
    struct words argv = { 0 }, providers = { 0 };
    struct rhost_output out;
    const char *meant;

    if (policy && providers_of(ctx, name, &providers) < 0)
        return NULL;
    if (providers.n)
        return rhost_fmt(ctx, "'%s' is a virtual package; name one of those that provide it: %s", name,
                         words_list(ctx, &providers, 12));
    if (!*names) {
        tool_words(ctx, &argv, "apt-cache", "pkgnames");
        if (tool_read(ctx, &argv, &out) < 0)
            return NULL;
        *names = out.out;
    }
    meant = words_closest(ctx, *names, name);
    return rhost_fmt(ctx, "package '%s' is not in the package lists%s%s%s", name,
                     meant ? ": did you mean '" : "; 'refresh: true' brings them up to date",
                     meant ? meant : "", meant ? "'?" : "");
}
