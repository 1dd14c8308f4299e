/* SPDX-License-Identifier: Apache-2.0 */
/* nft_element - addresses in sets of nftables, such as a list of who is blocked; with libnftables. All changes of a
 * run go to the kernel in one transaction. docs/authors/provider-nftables.md explains it. */
#include <rhost/provider.h>

#include <arpa/inet.h>
#include <nftables/libnftables.h>
#include <stdlib.h>

static const struct rhost_attr attrs[] = {
    { .name = "set", .type = "Pattern[/\\A(inet|ip|ip6|bridge|netdev|arp) [a-zA-Z]\\w{0,63} [a-zA-Z]\\w{0,63}\\z/]",
      .behaviour = RHOST_NAMEVAR, .desc = "The set: the family, the table and its name, 'inet filter blocked'." },
    { .name = "address", .type = "Pattern[/\\A[0-9a-fA-F:.]{2,45}\\z/]", .behaviour = RHOST_NAMEVAR,
      .desc = "An address of IPv4 or IPv6, as the type of the set is." },
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"",
      .desc = "Whether the set has it." },
    { .name = "comment", .type = "Pattern[/\\A[^\"\\\\\\x00-\\x1f\\x7f]{0,120}\\z/]", .initial = "\"\"",
      .desc = "A remark." },
};

static const char *const title_patterns[] = { "\\A(?<set>\\w+ \\w+ \\w+) (?<address>\\S+)\\z", NULL };

/* --- The library: one context for the run. --------------------------------------------------- */

static int32_t
element_open(rhost_ctx *ctx)
{
    struct nft_ctx *nft = nft_ctx_new(NFT_CTX_DEFAULT);

    if (!nft || nft_ctx_buffer_output(nft) || nft_ctx_buffer_error(nft))
        return rhost_fail(ctx, "cannot start libnftables");
    nft_ctx_output_set_flags(nft, NFT_CTX_OUTPUT_NUMERIC_ALL);
    *ctx->host->state(ctx) = nft;
    return 0;
}

static void
element_close(rhost_ctx *ctx)
{
    nft_ctx_free(*ctx->host->state(ctx));
}

/* Runs commands as one transaction. NULL, or why they were refused: the first line of what the library says. */
static const char *
run(rhost_ctx *ctx, const char *commands)
{
    struct nft_ctx *nft = *ctx->host->state(ctx);
    const char *why;

    (void)nft_ctx_get_output_buffer(nft); /* forgets what was there */
    if (nft_run_cmd_from_buffer(nft, commands) == 0)
        return NULL;
    why = nft_ctx_get_error_buffer(nft);
    while (*why == ':' || *why == '/' || *why == '<') /* "<cmdline>:1:6-7: Error: " */
        why++;
    why = strstr(why, "Error: ") ? strstr(why, "Error: ") + strlen("Error: ") : why;
    return rhost_copy(ctx, why, strcspn(why, "\n"));
}

/* --- Reading. -------------------------------------------------------------------------------- */

/* What follows "elements = { ", as in `10.0.0.1 comment "a, b", 10.0.0.2 }`: the next element, and where the one
 * after it begins; NULL at the end. */
static const char *
next_element(rhost_ctx *ctx, const char *s, const char **address, const char **comment)
{
    static const char mark[] = " comment \"";
    size_t n;

    s += strspn(s, " ,\t\n");
    n = strspn(s, "0123456789abcdefABCDEF:.");
    if (!n)
        return NULL;
    *address = rhost_copy(ctx, s, n);
    *comment = "";
    for (s += n; *s && *s != ',' && *s != '}'; s++)
        if (strncmp(s, mark, strlen(mark)) == 0) {
            s += strlen(mark);
            n = strcspn(s, "\"");
            *comment = rhost_copy(ctx, s, n);
            s += n;
        }
    return s;
}

static int32_t
emit(rhost_ctx *ctx, const char *set, const char *address, const char *comment)
{
    rhost_value *one = ctx->host->new_hash(ctx);

    rhost_put_fmt(one, "title", "%s %s", set, address);
    rhost_put_str(one, "set", set);
    rhost_put_str(one, "address", address);
    rhost_put_str(one, "ensure", "present");
    rhost_put_str(one, "comment", comment);
    return ctx->host->emit(ctx, one);
}

/* Of the lines that libnftables prints: "table inet filter {", "set blocked {" and "elements = {", with more
 * blanks before. An element may be on a line of its own. */
static int32_t
emit_listed(rhost_ctx *ctx, const char *s)
{
    const char *table = "", *set = NULL, *address, *comment;

    for (; *s; s += strcspn(s, "\n"), s += *s == '\n') {
        s += strspn(s, " \t");
        if (strncmp(s, "table ", 6) == 0)
            table = rhost_copy(ctx, s + 6, strcspn(s + 6, "{") - 1);
        else if (strncmp(s, "set ", 4) == 0)
            set = rhost_fmt(ctx, "%s %s", table, rhost_copy(ctx, s + 4, strcspn(s + 4, " ")));
        else if (strncmp(s, "map ", 4) == 0 || strncmp(s, "chain ", 6) == 0)
            set = NULL;
        if (!set || strncmp(s, "elements = {", 12) != 0)
            continue;
        for (s = next_element(ctx, s + 12, &address, &comment); s;
             s = next_element(ctx, s, &address, &comment)) {
            if (emit(ctx, set, address, comment) < 0)
                return -1;
            if (*s == '}')
                break;
        }
        if (!s)
            return rhost_fail(ctx, "cannot read the elements of the set '%s'", set);
    }
    return 0;
}

/* The output is copied: the library uses its buffer again. */
static const char *
listed(rhost_ctx *ctx)
{
    return rhost_strdup(ctx, nft_ctx_get_output_buffer(*ctx->host->state(ctx)));
}

static int
was_listed(const rhost_value *names, size_t i)
{
    const char *set = rhost_str(rhost_at(names, i, NULL), "set");

    for (size_t k = 0; k < i; k++)
        if (strcmp(rhost_str(rhost_at(names, k, NULL), "set"), set) == 0)
            return 1;
    return 0;
}

/* A set that is not there fails its own elements: an earlier resource may make it before the next run. */
static void
fail_set(rhost_ctx *ctx, const rhost_value *names, const char *set, const char *why)
{
    for (size_t i = 0; i < rhost_count(names); i++)
        if (strcmp(rhost_str(rhost_at(names, i, NULL), "set"), set) == 0)
            rhost_fail_name(ctx, rhost_at(names, i, NULL), "cannot list the set '%s': %s", set, why);
}

static int32_t
element_get(rhost_ctx *ctx, const rhost_value *names)
{
    const char *why = names ? NULL : run(ctx, "list ruleset");

    if (why)
        return rhost_fail(ctx, "cannot list the rules: %s", why);
    if (!names)
        return emit_listed(ctx, listed(ctx));
    for (size_t i = 0; i < rhost_count(names); i++) {
        const char *set = rhost_str(rhost_at(names, i, NULL), "set");

        if (was_listed(names, i))
            continue;
        why = run(ctx, rhost_fmt(ctx, "list set %s", set));
        if (why)
            fail_set(ctx, names, set, why);
        else if (emit_listed(ctx, listed(ctx)) < 0)
            return -1;
    }
    return 0;
}

/* --- Writing. -------------------------------------------------------------------------------- */

/* An address as the kernel writes it: 2001:DB8:0::1 is 2001:db8::1. */
static int32_t
element_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *address = rhost_str(resource, "address");
    char text[INET6_ADDRSTRLEN];
    unsigned char bytes[16];
    int family = address && strchr(address, ':') ? AF_INET6 : AF_INET;

    if (!address)
        return 0;
    if (inet_pton(family, address, bytes) != 1 || !inet_ntop(family, bytes, text, sizeof text))
        return rhost_fail_attr(ctx, "address", "'%s' is not an address", address);
    rhost_put_str(resource, "address", text);
    return 0;
}

/* The commands of one change. A remark of an element cannot be changed: it is removed and added, and since both
 * are in one transaction, there is no moment without it. The types of the attributes let nothing through that
 * would be more than one word, or end the quotes. */
static const char *
commands(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *set = rhost_str(change->name, "set"), *address = rhost_str(change->name, "address");
    const char *comment = rhost_str_of(change, "comment"), *first = "", *then = "";

    if (change->is)
        first = rhost_fmt(ctx, "delete element %s { %s }\n", set, address);
    if (!rhost_gone(change))
        then = rhost_fmt(ctx, comment && *comment ? "add element %s { %s comment \"%s\" }\n" : "add element %s { %s }\n",
                         set, address, comment);
    return rhost_fmt(ctx, "%s%s", first, then);
}

/* All of them, or none; then each by itself, so that only those fail that the kernel refuses. */
static int32_t
element_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    char **texts = rhost_alloc(ctx, n * sizeof *texts), *all, *end;
    size_t room = 1;

    for (size_t i = 0; i < n; i++) {
        texts[i] = rhost_strdup(ctx, commands(ctx, changes[i]));
        room += strlen(texts[i]);
    }
    end = all = rhost_alloc(ctx, room);
    for (size_t i = 0; i < n; i++)
        end = stpcpy(end, texts[i]);
    if (!run(ctx, all))
        return 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t scope = rhost_begin(ctx, rhost_gone(changes[i]) ? RHOST_DELETING
                                          : changes[i]->is      ? RHOST_UPDATING
                                                                : RHOST_CREATING,
                                     changes[i]->title);
        const char *why = run(ctx, texts[i]);

        if (why)
            rhost_fail(ctx, "%s", why);
        rhost_end(ctx, scope);
    }
    return 0;
}

/* libnftables reads the names of groups and realms. */
static const char *const needs[] = { "root", "capability[net_admin]", "read[/etc/iproute2]", "read[/usr/share/iproute2]",
                                     NULL };

static const struct rhost_provider provider = {
    RHOST_PROVIDER("nft_element", "Keep addresses in sets of nftables."),
    RHOST_ATTRS(attrs),
    .features = RHOST_SIMPLE_GET_FILTER | RHOST_GATHERS | RHOST_READ_BACK,
    .title_patterns = title_patterns,
    .needs = needs,
    .open = element_open,
    .close = element_close,
    .canonicalize = element_canonicalize,
    .get = element_get,
    .set = element_set,
};

RHOST_PLUGIN(nft_element, "1.0", &provider)
