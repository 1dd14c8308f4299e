/* SPDX-License-Identifier: Apache-2.0 */
/* rule - the one rule of a file in sudoers.d: USERS HOSTS = (RUN_AS : GROUPS) TAG: COMMANDS. See sudoers(5).
 */

#include "rule.h"

#define BLANK " \t"

static const char *const lists[] = { "users", "hosts", "run_as", "run_as_groups", "tags", "commands" };

/* The length of what stands before one of these characters, a backslash and quotes aside; -1: a quote is not
 * closed. */
static long
span(const char *text, const char *ends)
{
    size_t n = 0;
    int quoted = 0;

    while (text[n] && (quoted || !strchr(ends, text[n]))) {
        if (text[n] == '\\' && text[n + 1])
            n++;
        else if (text[n] == '"')
            quoted = !quoted;
        n++;
    }
    return quoted ? -1 : (long)n;
}

static const char *
skip(const char *at)
{
    return at + strspn(at, BLANK);
}

/* A list with commas, whose elements end at one of `ends`; -1 when one is empty. */
static int
read_list(rhost_ctx *ctx, const char **at, const char *ends, rhost_value *list)
{
    for (;;) {
        long n = span(skip(*at), ends);
        const char *start = skip(*at), *end = start + (n > 0 ? n : 0);

        *at = end;
        while (end > start && strchr(BLANK, end[-1]) && (end - 1 == start || end[-2] != '\\'))
            end--;
        if (n <= 0 || end == start)
            return -1;
        rhost_put_str(list, NULL, rhost_copy(ctx, start, (size_t)(end - start)));
        *at = skip(*at);
        if (**at != ',')
            return 0;
        (*at)++;
    }
}

/* (alice, bob : adm) */
static int
read_run_as(rhost_ctx *ctx, const char **at, rhost_value *users, rhost_value *groups)
{
    if (**at != '(')
        return 0;
    *at = skip(*at + 1);
    if (**at != ':' && read_list(ctx, at, ",:)", users) < 0)
        return -1;
    if (**at == ':') {
        (*at)++;
        if (read_list(ctx, at, ",)", groups) < 0)
            return -1;
    }
    if (**at != ')')
        return -1;
    *at = skip(*at + 1);
    return 0;
}

static size_t
tag_len(const char *at)
{
    size_t n = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");

    return n > 1 && at[n] == ':' ? n : 0;
}

static int
read_rule(rhost_ctx *ctx, const char *at, rhost_value *current)
{
    rhost_value *list[sizeof lists / sizeof *lists];

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        list[i] = current->host->put_array(current, lists[i]);
    if (read_list(ctx, &at, BLANK ",=", list[0]) < 0 || read_list(ctx, &at, BLANK ",=", list[1]) < 0
        || *at != '=')
        return -1;
    at = skip(at + 1);
    if (read_run_as(ctx, &at, list[2], list[3]) < 0)
        return -1;
    for (size_t n; (n = tag_len(at)) > 0; at = skip(at + n + 1))
        rhost_put_str(list[4], NULL, rhost_copy(ctx, at, n));
    if (read_list(ctx, &at, ",:", list[5]) < 0 || *at)
        return -1;
    return 0;
}

/* What would be read as something else than a rule, or as more than one. */
static int
is_other(const char *rule)
{
    static const char *const words[] = { "Defaults",   "User_Alias", "Runas_Alias",
                                         "Host_Alias", "Cmnd_Alias", "Cmd_Alias" };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(rule, words[i], strlen(words[i])) == 0)
            return 1;
    return *rule == '@';
}

int
rule_read(rhost_ctx *ctx, const char *text, rhost_value *current)
{
    const char *rule = NULL;
    rhost_value *found = ctx->host->new_hash(ctx);

    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        const char *start = skip(line);

        if (start < line + len && (*start != '#' || strncmp(start, "#include", 8) == 0)) {
            if (rule)
                return -1;
            rule = rhost_copy(ctx, start, (size_t)(line + len - start));
        }
        line += len + (line[len] == '\n');
    }
    if (!rule || is_other(rule) || read_rule(ctx, rule, found) < 0)
        return -1;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        rhost_put_copy(current, lists[i], rhost_get(found, lists[i]));
    return 0;
}

static const char *
join(rhost_ctx *ctx, const rhost_value *list)
{
    const char *text = "";

    for (size_t i = 0; i < rhost_count(list); i++)
        text = rhost_fmt(ctx, "%s%s%s", text, i ? ", " : "", rhost_str_at(list, i));
    return text;
}

const char *
rule_write(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *part[sizeof lists / sizeof *lists], *tags = "", *run_as = "";
    const rhost_value *list = rhost_value_of(change, "tags");

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        part[i] = join(ctx, rhost_value_of(change, lists[i]));
    for (size_t i = 0; i < rhost_count(list); i++)
        tags = rhost_fmt(ctx, "%s%s: ", tags, rhost_str_at(list, i));
    if (*part[3])
        run_as = rhost_fmt(ctx, "(%s%s: %s) ", part[2], *part[2] ? " " : "", part[3]);
    else if (*part[2])
        run_as = rhost_fmt(ctx, "(%s) ", part[2]);
    return rhost_fmt(ctx, "# From rhost.\n%s %s = %s%s%s\n", part[0], part[1], run_as, tags, part[5]);
}

const char *
rule_check(rhost_ctx *ctx, const char *attribute, const char *text)
{
    int is_command = strcmp(attribute, "commands") == 0;
    long n = span(text, is_command ? ",:=#" : BLANK ",:=()#");

    if (!*text || strchr(BLANK, *text) || strchr(BLANK, text[strlen(text) - 1]))
        return "it is empty, or begins or ends with a blank";
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return "it has a control character";
    if (n < 0)
        return "a quote is not closed";
    /* #1000 is a number of a user, %#1000 one of a group. */
    if (!is_command && text[n] == '#'
        && (n == 0 || (n == 1 && strchr("%!", *text)) || (n == 2 && text[1] == '%')))
        n += span(text + n + 1, BLANK ",:=()#") + 1;
    if (is_command && strncmp(text, "sha", 3) == 0 && text[n] == ':')
        n += span(text + n + 1, ",:#") + 1;
    if (text[n])
        return rhost_fmt(
            ctx,
            "'%c' has a meaning of its own there: each is an entry of its own, and '\\%c' is the "
            "character itself",
            text[n], text[n]);
    if (text[strlen(text) - 1] == '\\')
        return "it ends with a backslash";
    return NULL;
}
