/* SPDX-License-Identifier: Apache-2.0 */
/* options - mount options as a list: split, joined, compared, and held against what the kernel shows. */

#include "options.h"

#include <stdlib.h>

/* Flags that the kernel shows by the first name, and their opposites, which it doesn't show. */
static const struct flag {
    const char *name, *opposite;
} flags[] = {
    { "dirsync", NULL },
    { "noatime", "atime" },
    { "nodev", "dev" },
    { "nodiratime", "diratime" },
    { "noexec", "exec" },
    { "nosuid", "suid" },
    { "nosymfollow", "symfollow" },
    { "ro", "rw" },
    { "sync", "async" },
};

static const struct flag *
find_flag(const char *word, int *is_opposite)
{
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        *is_opposite = flags[i].opposite && strcmp(word, flags[i].opposite) == 0;
        if (*is_opposite || strcmp(word, flags[i].name) == 0)
            return &flags[i];
    }
    return NULL;
}

static void
add(struct options *o, const char *word)
{
    if (*word && strcmp(word, "defaults") != 0)
        o->at[o->n++] = word;
}

static size_t
word_length(const char *text)
{
    int quoted = 0;
    size_t n = 0;

    for (; text[n] && (quoted || text[n] != ','); n++)
        if (text[n] == '"')
            quoted = !quoted;
    return n;
}

/* Adds the words of a text; room for them is there. */
static void
add_words(rhost_ctx *ctx, struct options *o, const char *text)
{
    for (;;) {
        size_t n = word_length(text);
        char *word = rhost_alloc(ctx, n + 1);

        memcpy(word, text, n);
        add(o, word);
        if (!text[n])
            return;
        text += n + 1;
    }
}

static struct options
finish(struct options o)
{
    if (!o.n)
        o.at[o.n++] = "defaults";
    return o;
}

struct options
options_split(rhost_ctx *ctx, const char *text)
{
    size_t room = text ? strlen(text) + 1 : 1;
    struct options o = { .at = rhost_alloc(ctx, room * sizeof *o.at) };

    if (text)
        add_words(ctx, &o, text);
    return finish(o);
}

struct options
options_of(rhost_ctx *ctx, const rhost_value *v)
{
    const char *text = v ? v->host->string(v, NULL) : NULL;
    struct options o = { 0 };
    size_t room = 1;

    if (text || !v)
        return options_split(ctx, text);
    for (size_t i = 0; i < rhost_count(v); i++)
        room += strlen(rhost_str_at(v, i) ? rhost_str_at(v, i) : ""); /* no more words than letters */
    o.at = rhost_alloc(ctx, room * sizeof *o.at);
    for (size_t i = 0; i < rhost_count(v); i++)
        if (rhost_str_at(v, i))
            add_words(ctx, &o, rhost_str_at(v, i));
    return finish(o);
}

const char *
options_text(rhost_ctx *ctx, const struct options *o, const char *first)
{
    size_t size = first ? strlen(first) + 2 : 1, len = 0;
    char *text;

    for (size_t i = 0; i < o->n; i++)
        size += strlen(o->at[i]) + 1;
    text = rhost_alloc(ctx, size);
    if (first)
        len = (size_t)snprintf(text, size, "%s", first);
    for (size_t i = 0; i < o->n; i++)
        len += (size_t)snprintf(text + len, size - len, "%s%s", len ? "," : "", o->at[i]);
    return text;
}

void
options_report(const struct options *o, rhost_value *into)
{
    rhost_value *array = into->host->put_array(into, "options");

    for (size_t i = 0; i < o->n; i++)
        rhost_put_str(array, NULL, o->at[i]);
}

int
options_have(const struct options *o, const char *name)
{
    for (size_t i = 0; i < o->n; i++)
        if (strcmp(o->at[i], name) == 0)
            return 1;
    return 0;
}

int
options_are(const struct options *a, const struct options *b)
{
    for (size_t i = 0; i < a->n; i++)
        if (!options_have(b, a->at[i]))
            return 0;
    for (size_t i = 0; i < b->n; i++)
        if (!options_have(a, b->at[i]))
            return 0;
    return 1;
}

/* What a number of tmpfs stands for; -1: something else, as a percentage. */
static long long
number(const char *key, size_t len, const char *text)
{
    int base = len == 4 && strncmp(key, "mode", 4) == 0 ? 8 : 10;
    char *end;
    long long n = strtoll(text, &end, base);

    if (end == text)
        return -1;
    switch (*end) {
    case 'k':
    case 'K':
        return end[1] ? -1 : n << 10;
    case 'm':
    case 'M':
        return end[1] ? -1 : n << 20;
    case 'g':
    case 'G':
        return end[1] ? -1 : n << 30;
    default:
        return *end ? -1 : n;
    }
}

/* Whether the kernel shows another number for one of those that tmpfs shows when it was given them. */
static int
is_other_number(const char *word, const struct options *now)
{
    static const char *const keys[] = { "size=", "nr_inodes=", "mode=", "uid=", "gid=" };

    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        size_t len = strlen(keys[k]);

        if (strncmp(word, keys[k], len) != 0)
            continue;
        for (size_t i = 0; i < now->n; i++) {
            long long is, should = number(word, len - 1, word + len);

            if (strncmp(now->at[i], keys[k], len) != 0 || should < 0)
                continue;
            is = number(word, len - 1, now->at[i] + len);
            if (k < 1) /* whole pages */
                return is >= 0 && (is + 65535) / 65536 != (should + 65535) / 65536;
            return is >= 0 && is != should;
        }
    }
    return 0;
}

const char *
options_unheeded(const struct options *wanted, const struct options *now)
{
    for (size_t i = 0; i < wanted->n; i++) {
        int is_opposite, other, later = 0;
        const struct flag *flag = find_flag(wanted->at[i], &is_opposite);

        for (size_t k = i + 1; flag && k < wanted->n; k++)
            later = later || find_flag(wanted->at[k], &other) == flag;
        if (later)
            continue;
        if (flag ? options_have(now, flag->name) == is_opposite : is_other_number(wanted->at[i], now))
            return wanted->at[i];
    }
    return NULL;
}

const char *
options_taken_back(rhost_ctx *ctx, const struct options *was, const struct options *wanted)
{
    struct options back = { .at = rhost_alloc(ctx, was->n * sizeof *back.at) };
    int is_opposite;

    for (size_t i = 0; i < was->n; i++) {
        const struct flag *flag = find_flag(was->at[i], &is_opposite);

        if (flag && !is_opposite && flag->opposite && !options_have(wanted, flag->name))
            back.at[back.n++] = flag->opposite;
    }
    return back.n ? options_text(ctx, &back, NULL) : NULL;
}

static int
lacks_only_flags(const struct options *a, const struct options *b)
{
    int is_opposite;

    for (size_t i = 0; i < a->n; i++)
        if (!options_have(b, a->at[i]) && strcmp(a->at[i], "defaults") != 0
            && !find_flag(a->at[i], &is_opposite))
            return 0;
    return 1;
}

int
options_differ_in_flags(const struct options *a, const struct options *b)
{
    return lacks_only_flags(a, b) && lacks_only_flags(b, a);
}

/* Whether it says where a file system is: for mount(8), not for the kernel. */
static int
is_of_source(const char *word)
{
    static const char *const words[] = { "loop", "offset", "sizelimit", "bind", "rbind" };
    size_t n = strcspn(word, "=");

    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (n == strlen(words[k]) && memcmp(word, words[k], n) == 0)
            return 1;
    return 0;
}

struct options
options_for_twin(rhost_ctx *ctx, const struct options *o, const char *access)
{
    struct options twin = { .at = rhost_alloc(ctx, (o->n + 1) * sizeof *twin.at) };

    for (size_t i = 0; i < o->n; i++)
        if (!is_of_source(o->at[i]) && strcmp(o->at[i], "ro") != 0 && strcmp(o->at[i], "rw") != 0)
            twin.at[twin.n++] = o->at[i];
    twin.at[twin.n++] = access;
    return twin;
}

struct options
options_with_source(rhost_ctx *ctx, const struct options *o, const struct options *wanted)
{
    struct options all = { .at = rhost_alloc(ctx, (o->n + wanted->n) * sizeof *all.at) };

    for (size_t i = 0; i < o->n; i++)
        all.at[all.n++] = o->at[i];
    for (size_t i = 0; i < wanted->n; i++)
        if (is_of_source(wanted->at[i]) && !options_have(o, wanted->at[i]))
            all.at[all.n++] = wanted->at[i];
    return all;
}
