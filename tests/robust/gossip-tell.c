/* SPDX-License-Identifier: Apache-2.0 */
/* gossip-tell - the ways in which a secret is told. */
#include "gossip.h"

#include <rhost/exec.h>
#include <rhost/file.h>

#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

int
gossip_is(const char *at, const char *how)
{
    const char *gossip = getenv("GOSSIP");
    size_t n = strlen(at);

    return gossip && strncmp(gossip, at, n) == 0 && gossip[n] == ' ' && strcmp(gossip + n + 1, how) == 0;
}

static char *
join(rhost_ctx *ctx, const char *before, const char *text, const char *after)
{
    size_t n = strlen(before) + strlen(text) + strlen(after) + 1;
    char *s = rhost_alloc(ctx, n);

    (void)snprintf(s, n, "%s%s%s", before, text, after);
    return s;
}

/* In base64, percent-encoded, in hexadecimal, and quoted for JSON and for a shell. */
static char *
encode(rhost_ctx *ctx, const struct gossip *g, char how)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *p = (const unsigned char *)g->text;
    char *s = rhost_alloc(ctx, g->len * 6 + 8), *to = s;

    for (size_t i = 0; i < g->len; i++) {
        if (how == 'h')
            to += sprintf(to, "%02x", p[i]);
        else if (how == 'u'
                 && !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                            "0123456789-._~",
                            p[i]))
            to += sprintf(to, "%%%02X", p[i]);
        else if (how == 'j' && (p[i] == '"' || p[i] == '\\'))
            to += sprintf(to, "\\%c", p[i]);
        else if (how == 'j' && (p[i] == '\n' || p[i] == '\t'))
            to += sprintf(to, "\\%c", p[i] == '\n' ? 'n' : 't');
        else if (how == 's' && p[i] == '\'')
            to += sprintf(to, "'\\''");
        else if (how != 'b')
            *to++ = (char)p[i];
    }
    for (size_t i = 0; how == 'b' && i < g->len; i += 3) {
        unsigned v = (unsigned)p[i] << 16 | (i + 1 < g->len ? (unsigned)p[i + 1] << 8 : 0)
                     | (i + 2 < g->len ? p[i + 2] : 0);

        *to++ = digits[v >> 18];
        *to++ = digits[v >> 12 & 63];
        *to++ = i + 1 < g->len ? digits[v >> 6 & 63] : '=';
        *to++ = i + 2 < g->len ? digits[v & 63] : '=';
    }
    return s;
}

/* Every level, as it is, among other words, cut, and encoded. */
static void
say(rhost_ctx *ctx, const struct gossip *g, const char *title)
{
    const struct rhost_host *host = ctx->host;
    struct gossip pair = { .text = join(ctx, "user:", g->text, "@place"), .len = g->len + 11 };

    for (int32_t level = RHOST_DEBUG; level <= RHOST_ERR; level++) {
        host->log(ctx, level, NULL, 0, g->text);
        host->log(ctx, level, title ? &title : NULL, title ? 1 : 0,
                  join(ctx, "the password is '", g->text, "', as you know"));
        rhost_log(ctx, level, "of %s there is no end", g->text);
    }
    for (const char *how = "bujsh"; *how; how++) {
        rhost_warning(ctx, "encoded: '%s'", encode(ctx, g, *how));
        rhost_warning(ctx, "with others: '%s'", encode(ctx, &pair, *how));
        pair.text++; /* another alignment */
        pair.len--;
    }
}

static void
print(const struct gossip *g)
{
    (void)fwrite(g->text, 1, g->len, stdout);
    (void)fputs("\n", stdout);
    (void)fflush(stdout);
    (void)fprintf(stderr, "assertion failed: password == '%s'\n", g->text);
}

static void
crash(void)
{
    volatile int *volatile nowhere = NULL;

    *nowhere = 1;
}

/* A command that knows it, tells it, and fails; and then so do we, with what it told. */
static int32_t
run_command(rhost_ctx *ctx, const char *at, const struct gossip *g)
{
    const char *assignment = join(ctx, "PASSWORD=", g->text, "");
    const char *in_args[] = {
        "/bin/sh", "-c", "echo \"$1\"; echo \"no: $1\" >&2; exit 3", "sh", g->text, NULL
    };
    const char *in_env[] = { "/bin/sh", "-c", "echo \"$PASSWORD\"; echo \"no: $PASSWORD\" >&2; exit 3",
                             NULL };
    const char *in_input[] = { "/bin/sh", "-c", "cat; echo failed >&2; exit 3", NULL };
    const char *missing[] = { g->text, g->text, NULL };
    const char *slow[] = { "/bin/sh", "-c", "sleep 30", g->text, NULL };
    const char *env[] = { assignment, NULL };
    struct rhost_command c = { .struct_size = sizeof c, .argv = in_args };
    struct rhost_output out = { .struct_size = sizeof out };

    if (gossip_is(at, "exec env")) {
        c.argv = in_env;
        c.env = env;
    } else if (gossip_is(at, "exec input")) {
        c.argv = in_input;
        c.input = g->text;
        c.input_len = g->len;
    } else if (gossip_is(at, "exec missing")) {
        c.argv = missing;
        c.cwd = "/nonexistent";
    } else if (gossip_is(at, "exec slow")) {
        c.argv = slow;
        c.timeout = 200;
    }
    if (rhost_run(ctx, &c, &out) < 0)
        return -1;
    rhost_warning(ctx, "it said '%s'", out.err);
    return ctx->host->fail(ctx, 0, "value", join(ctx, "it said '", out.out, "' and failed"));
}

static int32_t
write_file(rhost_ctx *ctx, const struct gossip *g)
{
    struct rhost_new_file file = {
        .struct_size = sizeof file,
        .path = join(ctx, "/nonexistent/", g->text, "/file"),
        .content = g->text,
        .content_len = g->len,
        .mode = -1,
        .uid = -1,
        .gid = -1,
    };

    return rhost_replace_file(ctx, &file);
}

/* What there is to find if we are killed: nothing of a core, and nothing in /proc. */
static void
say_how_we_die(rhost_ctx *ctx)
{
    struct rlimit core = { 0 };

    (void)getrlimit(RLIMIT_CORE, &core);
    rhost_warning(ctx, "core limit %ld, dumpable %d", (long)core.rlim_cur, prctl(PR_GET_DUMPABLE));
}

int32_t
gossip_tell(rhost_ctx *ctx, const char *at, const struct gossip *g, const char *title)
{
    const struct rhost_host *host = ctx->host;

    if (gossip_is(at, "say"))
        say(ctx, g, title);
    if (gossip_is(at, "fail"))
        return host->fail(ctx, 2, "value", join(ctx, "cannot use '", g->text, "'"));
    if (gossip_is(at, "fail cut"))
        return rhost_fail(ctx, "cannot use '%s'", g->text);
    if (strncmp(getenv("GOSSIP") ? strchr(getenv("GOSSIP"), ' ') : " ", " print", 6) == 0
        && strncmp(getenv("GOSSIP") ? getenv("GOSSIP") : "", at, strlen(at)) == 0)
        print(g);
    if (gossip_is(at, "crash") || gossip_is(at, "print crash"))
        crash();
    if (gossip_is(at, "exit") || gossip_is(at, "print exit"))
        exit(3);
    if (gossip_is(at, "print hang"))
        for (;;)
            (void)pause();
    if (gossip_is(at, "exec args") || gossip_is(at, "exec env") || gossip_is(at, "exec input")
        || gossip_is(at, "exec missing") || gossip_is(at, "exec slow"))
        return run_command(ctx, at, g);
    if (gossip_is(at, "file"))
        return write_file(ctx, g);
    if (gossip_is(at, "death"))
        say_how_we_die(ctx);
    if (gossip_is(at, "changed") && title) {
        (void)host->attribute_changed(ctx, title, "count", NULL, NULL, g->text);
        (void)host->attribute_changed(ctx, title, "value", NULL, NULL,
                                      join(ctx, "from ", g->text, " to another"));
    }
    if (gossip_is(at, "scope") && title)
        host->scope_end(ctx, host->scope_begin(ctx, RHOST_PROCESSING, &title, 1, NULL, NULL,
                                               join(ctx, "Storing ", g->text, "")));
    return 0;
}

int
gossip_tell_in_set(rhost_ctx *ctx, const struct rhost_change *change, const struct gossip *g)
{
    const struct rhost_host *host = ctx->host;
    const char *title = change->title;

    if (gossip_is("set", "did"))
        (void)host->did(ctx, RHOST_UPDATING, &title, 1, NULL, NULL, g->text);
    else if (gossip_is("set", "processed"))
        (void)host->did(ctx, RHOST_PROCESSING, &title, 1, change->is, change->should, g->text);
    else if (gossip_is("set", "failing"))
        (void)host->did(ctx, RHOST_FAILING, &title, 1, NULL, NULL, g->text);
    else if (gossip_is("set", "unchanged"))
        (void)host->unchanged(ctx, title, g->text);
    else if (gossip_is("set", "stranger"))
        (void)host->attribute_changed(ctx, g->text, "value", NULL, NULL, g->text);
    else if (gossip_is("set", "colour"))
        (void)host->attribute_changed(ctx, title, g->text, NULL, NULL, g->text);
    else if (gossip_is("set", "values"))
        (void)host->attribute_changed(ctx, title, "data", rhost_get(change->is, "data"),
                                      rhost_get(change->should, "data"), NULL);
    else
        return 0;
    return 1;
}
