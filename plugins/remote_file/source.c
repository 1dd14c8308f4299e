/* SPDX-License-Identifier: Apache-2.0 */
/* source - the URLs of a resource, and what no data type says of them. */

#include "source.h"

#include "signature.h"

enum { LONGEST_URL = 4000 };

size_t
source_count(const rhost_value *should)
{
    const rhost_value *source = rhost_get(should, "source");

    return rhost_str(should, "source") ? 1 : rhost_count(source);
}

const rhost_value *
source_at(const rhost_value *should, size_t i)
{
    const rhost_value *source = rhost_get(should, "source");

    return rhost_str(should, "source") ? source : rhost_at(source, i, NULL);
}

const char *
source_url(const rhost_value *should, size_t i)
{
    const rhost_value *url = source_at(should, i);

    return url ? url->host->string(url, NULL) : "";
}

int
source_is_hidden(const rhost_value *should, size_t i)
{
    const rhost_value *all = rhost_get(should, "source"), *one = source_at(should, i);

    return all->host->sensitive(all) || one->host->sensitive(one);
}

const char *
source_shown(const rhost_value *should, size_t i)
{
    return source_is_hidden(should, i) ? "[redacted]" : source_url(should, i);
}

/* A value, or one that is in it. */
static int
is_sensitive(const rhost_value *v)
{
    int found = v && v->host->sensitive(v);

    for (size_t i = 0; !found && i < rhost_count(v); i++) {
        const rhost_value *one = rhost_at(v, i, NULL);

        found = one->host->sensitive(one);
    }
    return found;
}

int
source_is_secret(const rhost_value *should)
{
    return rhost_has(should, "password") || rhost_has(should, "token") || rhost_has(should, "certificate")
           || is_sensitive(rhost_get(should, "source")) || is_sensitive(rhost_get(should, "headers"));
}

/* What a URL that libcurl is not given is refused with; NULL: it is fine. */
static const char *
complaint(const char *url)
{
    const char *host = strstr(url, "://"), *at;

    if (strncasecmp(url, "file:", 5) == 0)
        return "a file of this machine is for the type 'file', with 'source: PATH'";
    if (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0)
        return "expected a URL of http or https, such as https://example.org/path";
    host += 3;
    at = strchr(host, '@');
    if (at && at < host + strcspn(host, "/?#"))
        return "a user and a password do not belong into a URL: use 'user' and 'password'";
    if (!strcspn(host, "/?#:"))
        return "the URL has no host";
    return strlen(url) > LONGEST_URL ? "the URL is too long" : NULL;
}

static int
check_url(rhost_ctx *ctx, const char *url, const char *attribute)
{
    const char *why = url ? complaint(url) : NULL;

    return why ? rhost_fail_attr(ctx, attribute, "%s", why) : 0;
}

static int
check_urls(rhost_ctx *ctx, const rhost_value *r)
{
    const char *signature = rhost_str(r, "signature");
    int result = 0;

    for (size_t i = 0; i < source_count(r); i++)
        if (check_url(ctx, source_url(r, i),
                      rhost_str(r, "source") ? "source" : rhost_fmt(ctx, "source[%zu]", i))
            < 0)
            result = -1;
    if (check_url(ctx, rhost_str(r, "checksum_source"), "checksum_source") < 0
        || (signature && *signature != '/' && check_url(ctx, signature, "signature") < 0))
        result = -1;
    return result;
}

static int
exclude(rhost_ctx *ctx, const rhost_value *r, const char *one, const char *other)
{
    return rhost_has(r, one) && rhost_has(r, other)
               ? rhost_fail_attr(ctx, other, "'%s' and '%s' exclude each other", one, other)
               : 0;
}

static int
take(rhost_ctx *ctx, const rhost_value *r, const char *one, const char *other)
{
    return rhost_has(r, one) && !rhost_has(r, other)
               ? rhost_fail_attr(ctx, one, "'%s' needs '%s' as well", one, other)
               : 0;
}

static int
check_headers(rhost_ctx *ctx, const rhost_value *r)
{
    static const char *const ours[] = { "Range",
                                        "If-Range",
                                        "If-Match",
                                        "If-None-Match",
                                        "If-Modified-Since",
                                        "If-Unmodified-Since",
                                        "Accept-Encoding",
                                        "Content-Length",
                                        "Transfer-Encoding",
                                        "Connection",
                                        "Expect" };
    const rhost_value *headers = rhost_get(r, "headers");
    int known = rhost_has(r, "token") || rhost_has(r, "user"), result = 0;

    for (size_t i = 0; i < rhost_count(headers); i++) {
        const char *name = NULL;

        (void)rhost_at(headers, i, &name);
        for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
            if (strcasecmp(name, ours[k]) == 0)
                result = rhost_fail_attr(ctx, "headers", "'%s' is set by rhost", name);
        if (known && strcasecmp(name, "Authorization") == 0)
            result = rhost_fail_attr(ctx, "headers", "'%s' excludes 'user' and 'token'", name);
    }
    return result;
}

int32_t
source_validate(rhost_ctx *ctx, const rhost_value *r)
{
    const char *user = rhost_str(r, "user");
    int result = check_urls(ctx, r);

    if (strcmp(rhost_str_or(r, "path", ""), "/") == 0)
        result = rhost_fail_attr(ctx, "path", "'/' is a directory");
    if (user && strchr(user, ':'))
        result = rhost_fail_attr(ctx, "user", "must not contain ':'");
    if (exclude(ctx, r, "checksum", "checksum_source") < 0 || exclude(ctx, r, "user", "token") < 0
        || take(ctx, r, "password", "user") < 0 || take(ctx, r, "certificate", "key") < 0
        || take(ctx, r, "key", "certificate") < 0 || check_headers(ctx, r) < 0
        || signature_validate(ctx, r) < 0)
        return -1;
    return result;
}
