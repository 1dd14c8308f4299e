/* SPDX-License-Identifier: Apache-2.0 */
/* sums - files that list digests, such as SHA256SUMS. */

#include "sums.h"

#include "digest.h"
#include "source.h"

#include <ctype.h>

enum { LARGEST = 16 << 20 };

/* One entry: its digest and the name, in memory of the call. */
struct entry {
    const char *hex, *name;
};

/* "HEX  NAME", "HEX *NAME". */
static int
read_gnu(rhost_ctx *ctx, const char *line, struct entry *e)
{
    size_t n = strspn(line, "0123456789abcdefABCDEF");
    const char *name = line + n;

    if (n < 32 || (*name != ' ' && *name != '\t'))
        return 0;
    name += strspn(name, " \t");
    name += *name == '*';
    *e = (struct entry){ rhost_copy(ctx, line, n), name };
    return *name != '\0';
}

/* "SHA256 (NAME) = HEX", and without the spaces. */
static int
read_bsd(rhost_ctx *ctx, const char *line, struct entry *e)
{
    const char *open = strchr(line, '('), *close = strrchr(line, ')'), *hex = close ? close + 1 : NULL;

    if (!open || !close || close < open || strncasecmp(line, "SHA", 3) != 0)
        return 0;
    hex += strspn(hex, " \t");
    if (*hex != '=')
        return 0;
    hex++;
    hex += strspn(hex, " \t");
    *e = (struct entry){ hex, rhost_copy(ctx, open + 1, (size_t)(close - open - 1)) };
    return 1;
}

/* The path of a URL without its query, with %XX decoded. */
static const char *
path_of(rhost_ctx *ctx, const char *url)
{
    const char *at = strstr(url, "://");
    char *path, *to;
    size_t n;

    at = at ? at + 3 : url;
    at += strcspn(at, "/?#");
    n = strcspn(at, "?#");
    path = to = rhost_alloc(ctx, n + 1);
    for (size_t i = 0; i < n; i++) {
        unsigned byte;

        if (at[i] == '%' && i + 2 < n && isxdigit((unsigned char)at[i + 1])
            && isxdigit((unsigned char)at[i + 2]) && sscanf(at + i + 1, "%2x", &byte) == 1 && byte) {
            *to++ = (char)byte;
            i += 2;
        } else {
            *to++ = at[i];
        }
    }
    return path;
}

static const char *
last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* How well a name in the list fits the path of the URL: the length of what is the same at their ends, in
 * whole parts; 0: not at all. */
static size_t
fit(const char *name, const char *path)
{
    size_t n, p = strlen(path);

    while (name[0] == '.' && name[1] == '/')
        name += 2;
    n = strlen(name);
    if (n <= p && strcmp(path + p - n, name) == 0 && (n == p || path[p - n - 1] == '/'))
        return n + 1;
    return *last_part(name) && strcmp(last_part(name), last_part(path)) == 0 ? 1 : 0;
}

struct found {
    const char *sum;
    size_t fits;
    int ambiguous, weak;
};

static void
consider(rhost_ctx *ctx, const struct entry *e, const char *path, struct found *best)
{
    size_t fits = fit(e->name, path);
    const char *sum = fits ? digest_canonical(ctx, e->hex) : NULL;

    if (!fits || !sum) {
        best->weak |= fits != 0;
        return;
    }
    if (!best->sum || fits > best->fits
        || (fits == best->fits && strlen(sum) > strlen(best->sum))) { /* SHA-512 beside SHA-256 */
        *best = (struct found){ sum, fits, 0, best->weak };
    } else if (fits == best->fits && strlen(sum) == strlen(best->sum) && strcmp(sum, best->sum) != 0) {
        best->ambiguous = 1;
    }
}

const char *
sums_find(rhost_ctx *ctx, const char *text, const char *url, const char **why)
{
    const char *path = path_of(ctx, url), *alone = NULL;
    struct found best = { 0 };
    size_t lines = 0;

    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n");
        char *line = rhost_copy(ctx, at, n);
        struct entry e;

        at += n + (at[n] == '\n');
        while (n && strchr(" \t\r", line[n - 1]))
            line[--n] = '\0';
        if (!n || *line == '#')
            continue;
        lines++;
        alone = line;
        if (read_gnu(ctx, line, &e) || read_bsd(ctx, line, &e))
            consider(ctx, &e, path, &best);
    }
    if (!best.sum && lines == 1 && digest_canonical(ctx, alone))
        return digest_canonical(ctx, alone);
    if (best.sum && !best.ambiguous)
        return best.sum;
    *why = best.sum ? rhost_fmt(ctx, "it has several entries for '%s'", last_part(path))
           : best.weak
               ? rhost_fmt(ctx, "it has '%s', but neither with SHA-256 nor with SHA-512", last_part(path))
               : rhost_fmt(ctx, "it has no entry for '%s'", last_part(path));
    return NULL;
}

const char *
sums_fetch(struct fetch *f)
{
    static const char attribute[] = "checksum_source";
    const rhost_value *url = rhost_get(f->should, attribute);
    const struct fetch_how how = { .most = LARGEST };
    const char *sum = NULL;

    if (fetch_get(f, url->host->string(url, NULL), &how) == 0) {
        if (f->status != 200)
            f->why = fetch_status_words(f->ctx, f->status);
        else if (memchr(f->text, '\0', f->len))
            f->why = "it is no text";
        else
            sum = sums_find(f->ctx, f->text, source_url(f->should, 0), &f->why);
    }
    if (!sum)
        (void)fetch_fail(f, attribute,
                         rhost_fmt(f->ctx, "cannot use the checksums of '%s': %s",
                                   url->host->sensitive(url) ? "[redacted]" : url->host->string(url, NULL),
                                   f->why));
    return sum;
}
