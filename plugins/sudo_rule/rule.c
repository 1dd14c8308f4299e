/* SPDX-License-Identifier: Apache-2.0 */
/* rule - the one rule of a file in sudoers.d: USERS HOSTS = (RUN_AS : GROUPS) TAG: COMMANDS. See sudoers(5).
 *
 * Elements are checked by what they may be, not by what they may not: whoever gives one must not get another
 * rule. */

#include "rule.h"

#include <rhost/lines.h>

#define BLANK " \t"
#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static const char *const lists[] = { "users", "hosts", "run_as", "run_as_groups", "tags", "commands" };

/* What a line of sudoers begins with that is no rule. */
static const char *const words[] = { "Defaults",   "User_Alias", "Runas_Alias",
                                     "Host_Alias", "Cmnd_Alias", "Cmd_Alias" };

static int
begins_with_word(const char *text)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0)
            return 1;
    return 0;
}

/* The length of what stands before one of these characters, where a backslash takes the next one; and, of a
 * name, quotes what they enclose. -1: a quote is not closed. */
static long
span(const char *text, const char *ends, int quotes)
{
    size_t n = 0;
    int quoted = 0;

    while (text[n] && (quoted || !strchr(ends, text[n]))) {
        if (text[n] == '\\' && text[n + 1] && !quoted)
            n++;
        else if (text[n] == '"' && quotes)
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

/* A list with commas, whose elements end at one of `ends`; -1 when one of them is none. */
static int
read_list(rhost_ctx *ctx, const char **at, const char *ends, const char *attribute, rhost_value *list)
{
    for (;;) {
        const char *start = skip(*at), *end, *element;
        long n = span(start, ends, strcmp(attribute, "commands") != 0);

        if (n <= 0)
            return -1;
        *at = end = start + n;
        while (end > start && strchr(BLANK, end[-1]) && (end - 1 == start || end[-2] != '\\'))
            end--;
        element = rhost_copy(ctx, start, (size_t)(end - start));
        if (rule_check(ctx, attribute, element))
            return -1;
        rhost_put_str(list, NULL, element);
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
    if (**at != ':' && read_list(ctx, at, ",:)", "run_as", users) < 0)
        return -1;
    if (**at == ':') {
        (*at)++;
        if (read_list(ctx, at, ",)", "run_as_groups", groups) < 0)
            return -1;
    }
    if (**at != ')')
        return -1;
    *at = skip(*at + 1);
    return 0;
}

/* NOPASSWD: NOEXEC: */
static void
read_tags(rhost_ctx *ctx, const char **at, rhost_value *tags)
{
    for (;;) {
        size_t n = strspn(*at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");

        if (n == 0 || (*at)[n] != ':' || !strstr(RULE_TAGS, rhost_fmt(ctx, "'%s'", rhost_copy(ctx, *at, n))))
            return;
        rhost_put_str(tags, NULL, rhost_copy(ctx, *at, n));
        *at = skip(*at + n + 1);
    }
}

static int
read_rule(rhost_ctx *ctx, const char *at, rhost_value *current)
{
    rhost_value *list[sizeof lists / sizeof *lists];

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        list[i] = current->host->put_array(current, lists[i]);
    if (read_list(ctx, &at, BLANK ",=", "users", list[0]) < 0
        || read_list(ctx, &at, BLANK ",=", "hosts", list[1]) < 0 || *at != '=')
        return -1;
    at = skip(at + 1);
    if (read_run_as(ctx, &at, list[2], list[3]) < 0)
        return -1;
    read_tags(ctx, &at, list[4]);
    return read_list(ctx, &at, ",", "commands", list[5]) < 0 || *at ? -1 : 0;
}

/* A # begins a comment, unless a number of a user follows, or an include. */
static int
is_comment(const char *line)
{
    return *line == '#' && !strchr(DIGITS "-", line[1] ? line[1] : ' ') && strncmp(line, "#include", 8) != 0;
}

/* The line that has the rule, and its length; NULL: there is none, or more than one, or one that is
 * continued. */
static const char *
find_rule(const char *text, size_t *len)
{
    const char *rule = NULL;

    while (*text) {
        size_t n = strcspn(text, "\n");
        const char *start = skip(text);

        if (n > 0 && text[n - 1] == '\\')
            return NULL;
        if (start < text + n && !is_comment(start)) {
            if (rule)
                return NULL;
            rule = text;
            *len = n;
        }
        text += n + (text[n] == '\n');
    }
    return rule;
}

int
rule_read(rhost_ctx *ctx, const char *text, rhost_value *current)
{
    rhost_value *found = ctx->host->new_hash(ctx);
    size_t len = 0;
    const char *rule = find_rule(text, &len);

    if (!rule || !rhost_is_utf8(rule, len) || read_rule(ctx, skip(rhost_copy(ctx, rule, len)), found) < 0)
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
rule_write(rhost_ctx *ctx, const struct rhost_change *change, const char *before)
{
    const char *part[sizeof lists / sizeof *lists], *tags = "", *run_as = "", *rule, *old;
    const rhost_value *list = rhost_value_of(change, "tags");
    size_t len = 0;

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        part[i] = join(ctx, rhost_value_of(change, lists[i]));
    for (size_t i = 0; i < rhost_count(list); i++)
        tags = rhost_fmt(ctx, "%s%s: ", tags, rhost_str_at(list, i));
    if (*part[3])
        run_as = rhost_fmt(ctx, "(%s%s: %s) ", part[2], *part[2] ? " " : "", part[3]);
    else if (*part[2])
        run_as = rhost_fmt(ctx, "(%s) ", part[2]);
    rule = rhost_fmt(ctx, "%s %s = %s%s%s", part[0], part[1], run_as, tags, part[5]);
    old = before ? find_rule(before, &len) : NULL;
    if (!old)
        return rhost_fmt(ctx, "# From rhost.\n%s\n", rule);
    return rhost_fmt(ctx, "%s%s%s", rhost_copy(ctx, before, (size_t)(old - before)), rule,
                     old[len] ? old + len : "\n");
}

/* An address of IPv6, with or without a prefix: its colons have no meaning of their own. */
static int
is_address6(const char *text)
{
    const char *first = strchr(text, ':');

    return first && strchr(first + 1, ':') && text[strspn(text, DIGITS "abcdefABCDEF:./")] == '\0';
}

static const char *
complain_about(rhost_ctx *ctx, char c)
{
    return rhost_fmt(ctx,
                     "'%c' has a meaning of its own there: each is an entry of its own, and '\\%c' is the "
                     "character itself",
                     c, c);
}

/* A user, a group or a host, with what may stand before it. */
static const char *
check_name(rhost_ctx *ctx, const char *attribute, const char *text)
{
    int is_user = strcmp(attribute, "users") == 0;
    const char *name = text + strspn(text, "!");
    long n;

    if (strcmp(attribute, "hosts") == 0 && is_address6(name))
        return NULL;
    if (*name == '%')
        name += is_user && name[1] == ':' ? 2 : 1;
    else if (*name == '+')
        name++;
    if (*name == '#')
        return name[1] && !name[1 + strspn(name + 1, DIGITS)] ? NULL
                                                              : "a number of an account must follow the '#'";
    if (*name == '@' || begins_with_word(name))
        return rhost_fmt(ctx, "'%s' would begin a setting of sudo, and no rule", text);
    if (*name == '"' && (name == text || name[-1] == '!')) {
        n = (long)strcspn(name + 1, "\"\\");
        return n > 0 && name[n + 1] == '"' && !name[n + 2]
                   ? NULL
                   : "quotes enclose a whole name, without a backslash";
    }
    n = span(name, BLANK ",:=()#\"!", 0);
    if (name[n] == '"')
        return "quotes enclose a whole name";
    return name[n] ? complain_about(ctx, name[n]) : *name ? NULL : "a name is missing";
}

/* The length of "sha256:... "; 0: there is none. */
static size_t
digest_len(const char *text)
{
    static const char *const known[] = { "sha224:", "sha256:", "sha384:", "sha512:" };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = strlen(known[i]), more;

        if (strncmp(text, known[i], n) != 0)
            continue;
        more = strspn(text + n, DIGITS LETTERS "+/=");
        n += more;
        return more > 0 && strchr(BLANK, text[n]) && text[n] ? n + strspn(text + n, BLANK) : 0;
    }
    return 0;
}

static const char *
check_command(rhost_ctx *ctx, const char *text)
{
    long n;

    text += strspn(text, "!");
    text += digest_len(text);
    text += strspn(text, "!");
    n = span(text, ",:=#", 0);
    if (text[n])
        return complain_about(ctx, text[n]);
    return *text && strchr("/^" LETTERS, *text)
               ? NULL
               : "a command begins with '/'; others are ALL, sudoedit and aliases";
}

const char *
rule_check(rhost_ctx *ctx, const char *attribute, const char *text)
{
    size_t len = strlen(text);

    if (len == 0 || strchr(BLANK, *text) || strchr(BLANK, text[len - 1]))
        return "it is empty, or begins or ends with a blank";
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return "it has a control character";
    if (text[len - 1] == '\\')
        return "it ends with a backslash";
    return strcmp(attribute, "commands") == 0 ? check_command(ctx, text) : check_name(ctx, attribute, text);
}
