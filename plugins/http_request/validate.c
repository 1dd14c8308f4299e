/* SPDX-License-Identifier: Apache-2.0 */
/* validate - what no data type says of a request. */

#include "validate.h"

#include "../line/pattern.h"
#include "answer.h"
#include "request.h"

/* As the data type of `url` has it; for a name that is one. */
static int
is_url(const char *text)
{
    size_t scheme = strncasecmp(text, "http://", 7) == 0 ? 7 : strncasecmp(text, "https://", 8) == 0 ? 8 : 0;
    size_t host = scheme ? strcspn(text + scheme, "/?#@") : 0;

    if (!host || text[scheme + host] == '@')
        return 0;
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 127)
            return 0;
    return 1;
}

static int
check_pattern(rhost_ctx *ctx, const rhost_value *text, const char *attribute)
{
    struct pattern p;
    char why[512];

    if (!text || text->host->kind(text) == RHOST_UNDEF)
        return 0;
    if (pattern_init(&p, text->host->string(text, NULL), PATTERN_TEXT, why, sizeof why) < 0)
        return rhost_fail_attr(ctx, attribute, "%s",
                               text->host->sensitive(text) ? "invalid regular expression" : why);
    pattern_clear(&p);
    return 0;
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
    const rhost_value *headers = rhost_get(r, "headers");
    int known = rhost_has(r, "token") || rhost_has(r, "user"), result = 0;

    for (size_t i = 0; i < rhost_count(headers); i++) {
        const char *name = NULL;

        (void)rhost_at(headers, i, &name);
        if (strcasecmp(name, "Content-Length") == 0 || strcasecmp(name, "Transfer-Encoding") == 0
            || strcasecmp(name, "Expect") == 0)
            result = rhost_fail_attr(ctx, "headers", "'%s' is set by rhost", name);
        else if (known && strcasecmp(name, "Authorization") == 0)
            result = rhost_fail_attr(ctx, "headers", "'%s' excludes 'user' and 'token'", name);
        else if (rhost_int(r, "redirects", 0) && answer_is_sensitive(headers))
            result = rhost_fail_attr(ctx, "headers",
                                     "with 'redirects', the sensitive header '%s' could reach another server",
                                     name);
    }
    return result;
}

static int
check_redirects(rhost_ctx *ctx, const rhost_value *r)
{
    const char *method = rhost_str_or(r, "method", "GET");

    if (!rhost_int(r, "redirects", 0))
        return 0;
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return rhost_fail_attr(ctx, "redirects", "redirects are followed for GET and HEAD only");
    return rhost_has(r, "socket")
               ? rhost_fail_attr(ctx, "redirects", "'socket' and 'redirects' exclude each other")
               : 0;
}

int32_t
http_request_validate(rhost_ctx *ctx, const rhost_value *r)
{
    const char *name = rhost_str(r, "name"), *method = rhost_str_or(r, "method", "GET");
    const char *user = rhost_str(r, "user");
    int result = 0;

    if (!rhost_has(r, "url") && name && !is_url(name))
        result =
            rhost_fail_attr(ctx, "url", "expected a URL, as https://example.org/path, here or as the name");
    if (strcmp(method, "CONNECT") == 0)
        result = rhost_fail_attr(ctx, "method", "CONNECT is for proxies");
    if (strcmp(method, "HEAD") == 0 && (rhost_has(r, "body") || rhost_has(r, "json") || rhost_has(r, "text")))
        result = rhost_fail_attr(ctx, "method", "HEAD has no content: 'body', 'json' and 'text' exclude it");
    if (user && strchr(user, ':'))
        result = rhost_fail_attr(ctx, "user", "must not contain ':'");
    if (exclude(ctx, r, "body", "json") < 0 || exclude(ctx, r, "user", "token") < 0
        || take(ctx, r, "password", "user") < 0 || take(ctx, r, "certificate", "key") < 0
        || take(ctx, r, "key", "certificate") < 0 || check_headers(ctx, r) < 0 || check_redirects(ctx, r) < 0
        || check_pattern(ctx, rhost_get(r, "text"), "text") < 0
        || check_pattern(ctx, rhost_get(rhost_get(r, "check"), "text"), "check.text") < 0)
        return -1;
    return result;
}
