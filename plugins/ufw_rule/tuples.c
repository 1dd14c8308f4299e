/* SPDX-License-Identifier: Apache-2.0 */
/* tuples - reads the rules that ufw keeps, in user.rules and user6.rules. Each has a line for ufw itself:
 *
 *     ### tuple ### limit_log tcp 22 0.0.0.0/0 any 192.0.2.0/24 in_eth0 comment=73736820
 *     ### tuple ### route:allow tcp 22 0.0.0.0/0 any 0.0.0.0/0 OpenSSH - in_eth1!out_eth2
 *
 * The words are the action, the protocol, the port and address of the destination, those of the source, the
 * applications of both where there is one, direction and interface, and the comment in hexadecimal digits. */

#include "tuples.h"

#include "address.h"

#include <rhost/path.h>

#include <ctype.h>
#include <stdlib.h>

#define MARK "### tuple ### "
#define DEFAULTS "/etc/default/ufw"

enum { LARGEST = 16 << 20, MOST_WORDS = 10 };

int
ufw_same_traffic(const struct ufw_rule *a, const struct ufw_rule *b)
{
    return strcmp(a->direction, b->direction) == 0 && strcmp(a->interface_in, b->interface_in) == 0
           && strcmp(a->interface_out, b->interface_out) == 0 && strcmp(a->proto, b->proto) == 0
           && strcmp(a->from, b->from) == 0 && strcmp(a->from_port, b->from_port) == 0
           && strcmp(a->to, b->to) == 0 && strcmp(a->to_port, b->to_port) == 0;
}

int
ufw_same(const struct ufw_rule *a, const struct ufw_rule *b)
{
    return ufw_same_traffic(a, b) && strcmp(a->action, b->action) == 0 && strcmp(a->log, b->log) == 0;
}

/* The text of hexadecimal digits; "" where it is none. */
static const char *
from_hex(rhost_ctx *ctx, const char *hex)
{
    size_t len = strlen(hex) / 2;
    char *text = rhost_alloc(ctx, len + 1);

    for (size_t i = 0; i < len; i++) {
        const char digits[3] = { hex[2 * i], hex[2 * i + 1], '\0' };

        if (!isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1]))
            return "";
        text[i] = (char)strtoul(digits, NULL, 16);
    }
    text[len] = '\0';
    return text;
}

/* "OpenSSH", or "Nginx%20Full"; NULL of "-". */
static const char *
application(rhost_ctx *ctx, const char *word)
{
    char *name = rhost_copy(ctx, word, strlen(word)), *p;

    if (strcmp(word, "-") == 0)
        return NULL;
    while ((p = strstr(name, "%20"))) {
        *p = ' ';
        memmove(p + 1, p + 3, strlen(p + 3) + 1);
    }
    return name;
}

/* "in", "out_eth0", "in_eth1!out_eth2". */
static void
read_interfaces(rhost_ctx *ctx, struct ufw_rule *rule, const char *word, int route)
{
    rule->interface_in = rule->interface_out = UFW_ANY;
    rule->direction = route ? "route" : strncmp(word, "out", 3) == 0 ? "out" : "in";
    while (*word) {
        size_t len = strcspn(word, "!");
        int out = strncmp(word, "out", 3) == 0;
        size_t prefix = out ? 4 : 3;

        if (len > prefix)
            *(out ? &rule->interface_out : &rule->interface_in) =
                rhost_copy(ctx, word + prefix, len - prefix);
        word += len + (word[len] == '!');
    }
}

/* "route:limit_log-all" */
static int
read_action(rhost_ctx *ctx, struct ufw_rule *rule, const char *word)
{
    int route = strncmp(word, "route:", 6) == 0;
    size_t len;

    word += route ? 6 : 0;
    len = strcspn(word, "_");
    rule->action = rhost_copy(ctx, word, len);
    rule->log = strcmp(word + len, "_log") == 0       ? "new"
                : strcmp(word + len, "_log-all") == 0 ? "all"
                                                      : "none";
    return route;
}

/* The words of a line, without a comment; 0 where there are too few or too many. */
static size_t
split(rhost_ctx *ctx, const char *line, size_t len, const char **words)
{
    const char *end = line + len;
    size_t n = 0;

    while (line < end) {
        size_t word = strcspn(line, " \n");

        if (word && n == MOST_WORDS)
            return 0;
        if (word)
            words[n++] = rhost_copy(ctx, line, word);
        line += word + 1;
    }
    return n;
}

static const char *
or_any(const char *value)
{
    return value ? value : UFW_ANY;
}

/* Whether the line is a rule of ufw. */
static int
read_line(rhost_ctx *ctx, const char *line, size_t len, struct ufw_rule *rule)
{
    const char *words[MOST_WORDS], *to_app = NULL, *from_app = NULL;
    size_t n = split(ctx, line, len, words);
    int route;

    *rule = (struct ufw_rule){ .comment = "" };
    if (n && strncmp(words[n - 1], "comment=", 8) == 0)
        rule->comment = from_hex(ctx, words[--n] + 8);
    if (n != 7 && n != 9)
        return 0;
    route = read_action(ctx, rule, words[0]);
    if (n == 9) {
        to_app = application(ctx, words[6]);
        from_app = application(ctx, words[7]);
    }
    read_interfaces(ctx, rule, words[n - 1], route);
    rule->proto = to_app || from_app ? UFW_ANY : words[1];
    rule->to_port = to_app ? to_app : or_any(ufw_ports(ctx, words[2]));
    rule->from_port = from_app ? from_app : or_any(ufw_ports(ctx, words[4]));
    rule->to = or_any(ufw_address(ctx, words[3]));
    rule->from = or_any(ufw_address(ctx, words[5]));
    return 1;
}

static int32_t
read_file(rhost_ctx *ctx, const char *path, const char **text)
{
    size_t len;

    *text = rhost_path_read(ctx, path, RHOST_PATH_FOLLOW, LARGEST, &len, NULL);
    if (*text)
        return 0;
    *text = "";
    return errno == ENOENT ? 0 : rhost_fail_path(ctx, "cannot read '%s'", path);
}

static int32_t
read_rules(rhost_ctx *ctx, const char *name, int v6, struct tuples *tuples)
{
    const char *text;
    size_t n = 0;
    struct tuple *all;

    if (read_file(ctx, rhost_fmt(ctx, UFW_DIRECTORY "/%s", name), &text) < 0)
        return -1;
    for (const char *p = text; (p = strstr(p, MARK)); p++)
        n++;
    all = rhost_alloc(ctx, (tuples->n + n + 1) * sizeof *all);
    if (tuples->n)
        memcpy(all, tuples->all, tuples->n * sizeof *all);
    tuples->all = all;
    for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        struct tuple *t = &all[tuples->n];
        size_t len = strcspn(p, "\n");

        if (strncmp(p, MARK, sizeof MARK - 1) != 0
            || !read_line(ctx, p + sizeof MARK - 1, len - (sizeof MARK - 1), &t->rule))
            continue;
        t->v6 = v6;
        t->number = ++tuples->n;
    }
    return 0;
}

int32_t
tuples_read(rhost_ctx *ctx, struct tuples *tuples)
{
    const char *defaults;

    *tuples = (struct tuples){ .n = 0 };
    if (read_file(ctx, DEFAULTS, &defaults) < 0 || read_rules(ctx, "user.rules", 0, tuples) < 0)
        return -1;
    tuples->ipv6 = strncmp(defaults, "IPV6=yes", 8) == 0 || strstr(defaults, "\nIPV6=yes") != NULL
                   || strstr(defaults, "\nIPV6=\"yes\"") != NULL;
    return read_rules(ctx, "user6.rules", 1, tuples);
}
