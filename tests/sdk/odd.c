/* SPDX-License-Identifier: Apache-2.0 */
/* odd - types whose resources have values that are hard to write down: what lists them must print
 * what means the same when it is read again. Nothing of it is ever to be changed, so set() fails.
 *
 *     odd     one attribute of each kind        pair    a name of two parts, with title patterns
 *     door    a name that is a number           many    as many as MANY says
 *     torn    get() fails half way */
#include <rhost/provider.h>

#include <math.h>
#include <stdlib.h>

static const struct rhost_attr odd_attrs[] = {
    { .name = "name", .type = "String", .behaviour = RHOST_NAMEVAR },
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"" },
    { .name = "text", .type = "Optional[String]" },
    { .name = "any", .type = "Any" },
    { .name = "both", .type = "Optional[Variant[Boolean, Integer, Float, String, Binary]]" },
    { .name = "count", .type = "Optional[Integer]" },
    { .name = "ratio", .type = "Optional[Float]" },
    { .name = "flag", .type = "Optional[Boolean]" },
    { .name = "list", .type = "Optional[Array]" },
    { .name = "tree", .type = "Optional[Hash]" },
    { .name = "bytes", .type = "Optional[Binary]" },
    { .name = "since", .type = "Optional[Timestamp]" },
    { .name = "version", .type = "Optional[Variant[SemVer, Enum[latest]]]" },
    { .name = "home", .type = "Optional[URI]" },
    { .name = "lasts", .type = "Optional[Timespan]" },
    { .name = "secret", .type = "Optional[Sensitive[String]]" },
    { .name = "pin", .type = "Optional[Sensitive[Integer]]" },
    { .name = "nested", .type = "Optional[Hash[String, Variant[Integer, Sensitive[String]]]]" },
    { .name = "seen", .type = "Optional[String]", .behaviour = RHOST_READ_ONLY },
    { .name = "first", .type = "Optional[String]", .behaviour = RHOST_INIT_ONLY },
    { .name = "hint", .type = "Optional[String]", .behaviour = RHOST_PARAMETER },
};

static const char *const texts[] = {
    "yes",
    "no",
    "on",
    "off",
    "true",
    "False",
    "null",
    "~",
    "",
    " ",
    "y",
    "N",
    "1",
    "1.0",
    "0644",
    "0x1F",
    "0o17",
    "1e3",
    "-1",
    "+1",
    ".inf",
    ".nan",
    "12:30:45",
    "2026-01-02",
    "1_000",
    "=",
    "<<",
    "- a",
    "a: b",
    "a #b",
    "#",
    "'",
    "\"",
    "\\",
    "\\n",
    "a\nb\n\n  c\n",
    "trailing  ",
    "\ttab\t",
    "  lead",
    "!tag",
    "&anchor",
    "*alias",
    "%dir",
    "@at",
    "`tick`",
    "{a: b}",
    "[a]",
    "a]",
    "?",
    "? a",
    "|",
    ">",
    "---",
    "...",
    "${x}",
    "$${x}",
    "$$${",
    "$",
    "${",
    "\x01\x1b[31m\x7f",
    "\r\n",
    "\xc2\x85 \xc2\x80 \xc2\xa0",
    "\xe2\x80\xa8 \xe2\x80\xa9",
    "\xef\xbb\xbf bom",
    "\xe2\x80\xae turned",
    "\xef\xbf\xbf",
    "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
    "Null",
    "TRUE",
    "n/a",
    "e5",
    "0b1",
    "1,000",
    "::",
    "a:",
    ":a",
    "-",
    "--",
    "-a",
    "\xf4\x8f\xbf\xbf",
};

static void
emit_odd(rhost_ctx *ctx, const char *name, void (*fill)(rhost_value *r))
{
    rhost_value *r = ctx->host->new_hash(ctx);

    rhost_put_str(r, "name", name);
    fill(r);
    (void)ctx->host->emit(ctx, r);
}

static void
fill_numbers(rhost_value *r)
{
    rhost_put_int(r, "count", INT64_MIN);
    r->host->put_real(r, "ratio", 0.1);
    rhost_put_bool(r, "flag", 0);
    r->host->put_real(r, "any", 1e300);
    rhost_put_int(r, "both", 12);
}

static void
fill_floats(rhost_value *r)
{
    r->host->put_real(r, "ratio", 3.0);
    r->host->put_real(r, "any", -1.5e-7);
    r->host->put_real(r, "both", 2.0);
    rhost_put_int(r, "count", INT64_MAX);
    rhost_put_bool(r, "flag", 1);
}

static void
fill_infinite(rhost_value *r)
{
    r->host->put_real(r, "any", INFINITY);
    rhost_put_str(r, "text", "kept");
}

static void
fill_trees(rhost_value *r)
{
    rhost_value *tree = r->host->put_hash(r, "tree"), *list = r->host->put_array(r, "list");
    rhost_value *inner = r->host->put_hash(tree, "a: b"), *any = r->host->put_array(r, "any");
    char key[2000];

    rhost_put_str(inner, "${x}", "${y}");
    rhost_put_str(inner, "", "empty key");
    rhost_put_str(inner, "<<", "no merge");
    rhost_put_str(inner, "line\nbreak", "\xe2\x80\xa8");
    rhost_put_bool(tree, "true", 1);
    rhost_put_str(tree, "1", "1");
    rhost_put_int(tree, "~", 1);
    (void)r->host->put_hash(tree, "none");
    (void)r->host->put_array(tree, "nothing");
    rhost_put_str(list, NULL, "- a");
    rhost_put_int(list, NULL, -1);
    r->host->put_real(list, NULL, 1.0);
    inner = r->host->put_array(list, NULL);
    rhost_put_str(inner, NULL, "deep");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        rhost_put_str(any, NULL, texts[i]);
    memset(key, 'k', sizeof key - 1);
    key[900] = '\0';
    rhost_put_str(tree, key, "a long key");
}

static void
fill_long_key(rhost_value *r)
{
    rhost_value *tree = r->host->put_hash(r, "tree");
    char key[2000];

    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    rhost_put_str(tree, key, "too long a key");
    rhost_put_str(r, "text", "kept");
}

static void
fill_bytes(rhost_value *r)
{
    r->host->put_binary(r, "bytes", "\0\xff\xfe zip", 7);
    r->host->put_binary(r, "any", "\0\x81", 2);
    rhost_put_bytes(r, "both", "nul \0 inside", 12); /* its type has a Binary */
}

static void
fill_raw(rhost_value *r)
{
    r->host->put_binary(r, "both", "\0\x80", 2);
}

static void
fill_secrets(rhost_value *r)
{
    rhost_value *nested = r->host->put_hash(r, "nested");

    rhost_put_str(r, "secret", "hunter2");
    rhost_put_int(nested, "open", 1);
    rhost_put_str(nested, "closed", "hunter3");
    r->host->mark_sensitive(nested, "closed");
    rhost_put_str(r, "text", "plain");
}

static void
fill_roles(rhost_value *r)
{
    rhost_put_str(r, "seen", "a\nb ${x}\xe2\x80\xa8");
    rhost_put_str(r, "first", "once");
    rhost_put_str(r, "hint", "for nobody");
}

static void
fill_rich(rhost_value *r)
{
    rhost_put_str(r, "since", "2026-01-02T03:04:05 UTC");
    rhost_put_str(r, "version", "1.10.0-rc.1");
    rhost_put_str(r, "home", "https://example.com/a?b=c#d");
    rhost_put_str(r, "lasts", "1-02:03:04");
}

static void
fill_nothing(rhost_value *r)
{
    (void)r;
}

static int32_t
odd_get(rhost_ctx *ctx, const rhost_value *names)
{
    static const char *const titles[] = {
        "a[b]", "]",        "say \"hi\"", "it's", "a: b", "- a",  "two\nlines", "\xe2\x80\xa8",
        "${x}", "#",        " ",          "null", "12",   "true", "x # y",      "\x1b[31m",
        "~",    "\xc3\xa9", "a,b",        "{}",   "!x",   "\\",   "'",          "*",
    };

    (void)names;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        rhost_value *r = ctx->host->new_hash(ctx);

        rhost_put_fmt(r, "name", "text %zu", i);
        rhost_put_str(r, "text", texts[i]);
        rhost_put_str(r, "any", texts[i]);
        rhost_put_str(r, "both", texts[i]);
        (void)ctx->host->emit(ctx, r);
    }
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        emit_odd(ctx, titles[i], fill_nothing);
    emit_odd(ctx, "", fill_nothing);
    emit_odd(ctx, "numbers", fill_numbers);
    emit_odd(ctx, "floats", fill_floats);
    emit_odd(ctx, "infinite", fill_infinite);
    emit_odd(ctx, "trees", fill_trees);
    emit_odd(ctx, "long key", fill_long_key);
    emit_odd(ctx, "bytes", fill_bytes);
    emit_odd(ctx, "secrets", fill_secrets);
    emit_odd(ctx, "raw", fill_raw);
    emit_odd(ctx, "roles", fill_roles);
    emit_odd(ctx, "rich", fill_rich);
    return 0;
}

static int32_t
no_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    (void)changes;
    (void)n;
    return rhost_fail(ctx, "nothing of it was to be changed");
}

static const struct rhost_attr pair_attrs[] = {
    { .name = "package", .type = "String[1]", .behaviour = RHOST_NAMEVAR },
    { .name = "manager", .type = "String[1]", .behaviour = RHOST_NAMEVAR },
    { .name = "note", .type = "Optional[String]" },
};

static const char *const pair_patterns[] = { "\\A(?<package>.*[^/])/(?<manager>[a-z]+)\\z",
                                             "\\A(?<package>[a-z]+)\\z", NULL };

static int32_t
pair_get(rhost_ctx *ctx, const rhost_value *names)
{
    static const char *const pairs[][2] = {
        { "php", "yum" },  { "php", "gem" }, { "a b", "x y" },
        { "\"q\"", "{}" }, { "${p}", "m" },  { "x/y", "z" },
    };

    (void)names;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        rhost_value *r = ctx->host->new_hash(ctx);

        rhost_put_str(r, "package", pairs[i][0]);
        rhost_put_str(r, "manager", pairs[i][1]);
        rhost_put_str(r, "note", "${n}");
        (void)ctx->host->emit(ctx, r);
    }
    return 0;
}

static const struct rhost_attr door_attrs[] = {
    { .name = "port", .type = "Integer", .behaviour = RHOST_NAMEVAR },
    { .name = "open", .type = "Boolean" },
};

static int32_t
door_get(rhost_ctx *ctx, const rhost_value *names)
{
    (void)names;
    for (int64_t port = 22; port < 25; port++) {
        rhost_value *r = ctx->host->new_hash(ctx);

        rhost_put_int(r, "port", port);
        rhost_put_bool(r, "open", port == 22);
        (void)ctx->host->emit(ctx, r);
    }
    return 0;
}

static const struct rhost_attr many_attrs[] = {
    { .name = "name", .type = "String[1]", .behaviour = RHOST_NAMEVAR },
    { .name = "value", .type = "Integer" },
    { .name = "seen", .type = "String", .behaviour = RHOST_READ_ONLY },
    { .name = "secret", .type = "Optional[Sensitive[String]]" },
};

static int32_t
many_get(rhost_ctx *ctx, const rhost_value *names)
{
    long n = getenv("MANY") ? atol(getenv("MANY")) : 1;

    (void)names;
    for (long i = 0; i < n; i++) {
        rhost_value *r = ctx->host->new_hash(ctx);

        rhost_put_fmt(r, "name", "one of many %ld", i);
        rhost_put_int(r, "value", i);
        rhost_put_str(r, "seen", "now");
        rhost_put_str(r, "secret", "hunter2");
        (void)ctx->host->emit(ctx, r);
    }
    return 0;
}

static int32_t
torn_get(rhost_ctx *ctx, const rhost_value *names)
{
    (void)many_get(ctx, names);
    return rhost_fail(ctx, "the rest is unreadable");
}

static const struct rhost_provider odd = {
    RHOST_PROVIDER("odd", "One attribute of each kind."),
    RHOST_ATTRS(odd_attrs),
    .get = odd_get,
    .set = no_set,
};

static const struct rhost_provider pair = {
    RHOST_PROVIDER("pair", "A name of two parts."),
    RHOST_ATTRS(pair_attrs),
    .title_patterns = pair_patterns,
    .get = pair_get,
    .set = no_set,
};

static const struct rhost_provider door = {
    RHOST_PROVIDER("door", "A name that is a number."),
    RHOST_ATTRS(door_attrs),
    .get = door_get,
    .set = no_set,
};

static const struct rhost_provider many = {
    RHOST_PROVIDER("many", "As many as MANY says."),
    RHOST_ATTRS(many_attrs),
    .get = many_get,
    .set = no_set,
};

static const struct rhost_provider torn = {
    RHOST_PROVIDER("torn", "Can be read half way."),
    RHOST_ATTRS(many_attrs),
    .get = torn_get,
    .set = no_set,
};

static const struct rhost_provider *const providers[] = { &odd, &pair, &door, &many, &torn, NULL };

static const struct rhost_plugin plugin = {
    .struct_size = sizeof plugin,
    .name = "odd",
    .version = "0.1",
    .providers = providers,
};

RHOST_EXPORT const struct rhost_plugin *rhost_plugin_v1(void);

const struct rhost_plugin *
rhost_plugin_v1(void)
{
    return &plugin;
}
