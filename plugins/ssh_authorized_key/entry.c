/* SPDX-License-Identifier: Apache-2.0 */
/* entry - the lines that are about one resource: found, reported and written. */

#include "entry.h"

struct entry
entry_find(const struct rhost_lines *l, const char *name, const char *blob)
{
    int printed = strncmp(name, "SHA256:", 7) == 0;
    struct entry f = { 0 };
    char fingerprint[64];

    for (size_t i = 0; i < l->n; i++) {
        int has_name, has_key;
        struct key k;

        if (!key_parse(l->at[i].text, l->at[i].len, &k))
            continue;
        has_name = key_part_is(k.comment, name);
        if (printed && !has_name) {
            key_fingerprint(k.blob, fingerprint);
            has_name = strcmp(fingerprint, name) == 0;
        }
        has_key = blob && key_part_is(k.blob, blob);
        if (has_key && !f.n_keyed++)
            f.keyed = i;
        if (has_name && (!f.n_named || (has_key && !key_part_is(f.k.blob, blob)))) {
            f.named = i;
            f.k = k;
        }
        f.n_named += (size_t)has_name;
    }
    return f;
}

static void
put_options(rhost_value *into, struct key_part options)
{
    rhost_value *array = into->host->put_array(into, "options");
    const char *at = options.len ? options.at : "", *end = at + options.len;

    while (at < end) {
        long n = key_option_length(at, end);

        if (n <= 0)
            break;
        rhost_put_bytes(array, NULL, at, (size_t)n);
        at += n + (at + n < end);
    }
}

void
entry_report(rhost_value *into, const struct key *k)
{
    rhost_put_bytes(into, "type", k->type.at, k->type.len);
    if (key_is_whole(k))
        rhost_put_bytes(into, "key", k->blob.at, k->blob.len);
    if (rhost_is_utf8(k->options.at, k->options.len))
        put_options(into, k->options);
}

/* Removes every line that has the name or the key, but line `keep`. */
static void
remove_lines(rhost_ctx *ctx, struct rhost_lines *l, const char *name, const char *blob, size_t keep)
{
    char *goes = rhost_alloc(ctx, l->n);
    char fingerprint[64] = "";

    for (size_t i = 0; i < l->n; i++) {
        struct key k;

        if (i == keep || !key_parse(l->at[i].text, l->at[i].len, &k))
            continue;
        if (name && strncmp(name, "SHA256:", 7) == 0)
            key_fingerprint(k.blob, fingerprint);
        goes[i] = (name && (key_part_is(k.comment, name) || strcmp(fingerprint, name) == 0))
                  || (blob && key_part_is(k.blob, blob));
    }
    rhost_lines_remove_marked(l, goes);
}

static void
append(char **to, const char *text, size_t len)
{
    if (len)
        memcpy(*to, text, len);
    *to += len;
}

/* The line of the key; `old` is what it was, with no blob when there was none. */
static char *
compose(rhost_ctx *ctx, const struct rhost_change *change, const struct key *old, const char *blob,
        const char *type)
{
    const rhost_value *options = rhost_get(change->should, "options");
    const char *name = rhost_str(change->name, "name");
    int printed = strncmp(name, "SHA256:", 7) == 0 && old->blob.len;
    size_t size = old->options.len + strlen(type) + strlen(blob) + strlen(name) + old->comment.len + 8;
    char *text, *to;

    for (size_t i = 0; i < rhost_count(options); i++)
        size += strlen(rhost_str_at(options, i)) + 1;
    text = to = rhost_alloc(ctx, size);
    for (size_t i = 0; i < rhost_count(options); i++) {
        append(&to, ",", i > 0);
        append(&to, rhost_str_at(options, i), strlen(rhost_str_at(options, i)));
    }
    if (!options || options->host->kind(options) == RHOST_UNDEF)
        append(&to, old->options.at, old->options.len);
    append(&to, " ", to > text);
    append(&to, type, strlen(type));
    append(&to, " ", 1);
    append(&to, blob, strlen(blob));
    if (printed && old->comment.len) {
        append(&to, " ", 1);
        append(&to, old->comment.at, old->comment.len);
    } else if (!printed) {
        append(&to, " ", 1);
        append(&to, name, strlen(name));
    }
    return text;
}

const char *
entry_edit(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name"), *blob = rhost_str_of(change, "key");
    char own[64], why[160], *text;
    struct key old = { 0 };
    struct entry f;
    size_t at;

    if (rhost_gone(change)) {
        remove_lines(ctx, l, name, rhost_str(change->should, "key"), l->n);
        return NULL;
    }
    if (!blob
        || key_check_blob(blob, strlen(blob), rhost_str(change->should, "type"), own, why, sizeof why) < 0)
        return "the key on the machine is not of the type that is wanted";
    f = entry_find(l, name, blob);
    at = f.n_named ? f.named : f.n_keyed ? f.keyed : l->n;
    if (at < l->n)
        (void)key_parse(l->at[at].text, l->at[at].len, &old);
    text = compose(ctx, change, &old, blob, own);
    if (at < l->n && !rhost_line_is(l, at, text, strlen(text)))
        rhost_lines_put(l, at, text, strlen(text));
    else if (at == l->n)
        rhost_lines_append(l, text);
    remove_lines(ctx, l, NULL, blob, at);
    l->edited = 1; /* or its modes are to be righted */
    return NULL;
}
