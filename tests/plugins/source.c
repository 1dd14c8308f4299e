/* SPDX-License-Identifier: Apache-2.0 */
/* source - lookups and facts for tests, which note each call in $LETTER/calls. */
#include <rhost/provider.h>

#include <rhost/keep.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
note(const char *what)
{
    char path[4096];
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/calls", getenv("LETTER"));
    f = fopen(path, "ae");
    if (f) {
        (void)fprintf(f, "%s\n", what);
        (void)fclose(f);
    }
}

static void
closed(void *word)
{
    (void)word;
    note("closed");
}

/* The n-th call of this worker, as a connection would be kept. */
static int
count(rhost_ctx *ctx)
{
    int **word = (int **)rhost_keep_word(ctx, "source", closed);
    static int calls;

    *word = &calls;
    return ++calls;
}

static int32_t
echo(rhost_ctx *ctx, const rhost_value *parameters, rhost_value *answer)
{
    note("echo");
    (void)count(ctx);
    ctx->host->put_copy(answer, "value", ctx->host->get(parameters, "value"));
    return 0;
}

static int32_t
secret(rhost_ctx *ctx, const rhost_value *parameters, rhost_value *answer)
{
    const char *path = rhost_str(parameters, "path"), *field = rhost_str(parameters, "field");
    char text[100];

    note("secret");
    (void)snprintf(text, sizeof text, "s3cret-%s-%s", path, field);
    rhost_put_str(answer, "value", text);
    rhost_warning(ctx, "I hand out %s", text);
    return 0;
}

static int32_t
broken(rhost_ctx *ctx, const rhost_value *parameters, rhost_value *answer)
{
    const char *how = rhost_str(parameters, "how");

    note("broken");
    if (strcmp(how, "absent") == 0)
        return RHOST_ABSENT;
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "fail") == 0)
        return rhost_fail(ctx, "the server does not answer");
    if (strcmp(how, "type") == 0)
        rhost_put_str(answer, "value", "text");
    return 0;
}

static int32_t
read_site(rhost_ctx *ctx, rhost_value *answer)
{
    rhost_value *site = ctx->host->put_hash(answer, "value");

    note("source_site");
    rhost_put_str(site, "name", "berlin");
    rhost_put_int(site, "tier", 2);
    return 0;
}

static int32_t
read_broken(rhost_ctx *ctx, rhost_value *answer)
{
    (void)answer;
    note("source_broken");
    return rhost_fail(ctx, "no such sensor");
}

static int32_t
read_none(rhost_ctx *ctx, rhost_value *answer)
{
    (void)ctx;
    (void)answer;
    return RHOST_ABSENT;
}

static const struct rhost_attr echo_parameters[] = {
    { .name = "value", .type = "Any", .desc = "What is answered." },
};
static const struct rhost_attr secret_parameters[] = {
    { .name = "path", .type = "String[1]", .desc = "Where it is." },
    { .name = "field", .type = "String", .desc = "Which part.", .default_value = "\"password\"" },
    { .name = "version", .type = "Optional[Integer[1]]", .desc = "Which version." },
};
static const struct rhost_attr broken_parameters[] = {
    { .name = "how", .type = "String", .desc = "How it breaks." },
};

static const struct rhost_lookup echo_lookup = {
    RHOST_LOOKUP("echo", "Answers what it is asked."),
    RHOST_ATTRS(echo_parameters),
    .find = echo,
};
static const struct rhost_lookup secret_lookup = {
    RHOST_LOOKUP("test::secret", "Answers a secret."),
    RHOST_ATTRS(secret_parameters),
    .type = "Sensitive[String]",
    .find = secret,
};
static const struct rhost_lookup broken_lookup = {
    RHOST_LOOKUP("broken", "Breaks."),
    RHOST_ATTRS(broken_parameters),
    .type = "Integer",
    .find = broken,
};
static const struct rhost_fact site = { RHOST_FACT("source_site", "Where it is."),
                                        .type = "Struct[{name => String, tier => Integer}]",
                                        .read = read_site };
static const struct rhost_fact broken_fact = { RHOST_FACT("source_broken", "Breaks."), .read = read_broken };
static const struct rhost_fact none_fact = { RHOST_FACT("source_none", "Is not there."), .read = read_none };

static const struct rhost_lookup *const lookups[] = { &echo_lookup, &secret_lookup, &broken_lookup, NULL };
static const struct rhost_fact *const facts[] = { &site, &broken_fact, &none_fact, NULL };

RHOST_PLUGIN_WITH_LOOKUPS(source, "1.0", NULL, lookups, facts)
