/* SPDX-License-Identifier: Apache-2.0 */
/* fetch - GET requests with what the resource says of them. */

#include "fetch.h"

#include <rhost/path.h>

#include <curl/curl.h>

enum { LARGEST_PEM = 1 << 20, LONGEST_WAIT = 86400 };

static int32_t
read_pem(struct fetch *f, const char *attribute, struct transfer_bytes *to)
{
    rhost_ctx *ctx = f->ctx;
    const char *path = rhost_str(f->should, attribute);

    if (!path)
        return 0;
    to->bytes = rhost_path_read(ctx, path, RHOST_PATH_FOLLOW, LARGEST_PEM, &to->len, NULL);
    if (!to->bytes && rhost_noop(ctx) && errno == ENOENT)
        return ctx->host->fail(ctx, RHOST_MISSING, attribute, rhost_fmt(ctx, "'%s' does not exist", path));
    if (!to->bytes)
        return rhost_fail_path(ctx, "cannot read '%s'", path);
    return to->len ? 0 : rhost_fail_attr(ctx, attribute, "'%s' is empty", path);
}

int32_t
fetch_open(rhost_ctx *ctx, const rhost_value *should, struct fetch *f)
{
    *f = (struct fetch){ .ctx = ctx, .should = should };
    (void)clock_gettime(CLOCK_MONOTONIC, &f->until);
    f->until.tv_sec += (time_t)rhost_int(should, "timeout", LONGEST_WAIT);
    if (read_pem(f, "ca", &f->ca) < 0 || read_pem(f, "certificate", &f->cert) < 0
        || read_pem(f, "key", &f->key) < 0)
        return -1;
    return 0;
}

/* At least one, while there is any time. */
static long
seconds_left(const struct fetch *f)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec > f->until.tv_sec || (now.tv_sec == f->until.tv_sec && now.tv_nsec >= f->until.tv_nsec))
        return 0;
    return f->until.tv_sec - now.tv_sec > 0 ? (long)(f->until.tv_sec - now.tv_sec) : 1;
}

/* A part of a URL, in memory of the call; "" where it has none. */
static const char *
part(rhost_ctx *ctx, CURLU *u, CURLUPart which)
{
    char *text = NULL;
    const char *copy = "";

    if (curl_url_get(u, which, &text, CURLU_DEFAULT_PORT) == CURLUE_OK && text)
        copy = rhost_strdup(ctx, text);
    curl_free(text);
    return copy;
}

/* "https://example.org:443", in lower case; NULL: it is no URL. */
static const char *
origin_of(rhost_ctx *ctx, const char *url)
{
    CURLU *u = curl_url();
    const char *origin = NULL;

    if (u && curl_url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK)
        origin = rhost_fmt(ctx, "%s://%s:%s", part(ctx, u, CURLUPART_SCHEME), part(ctx, u, CURLUPART_HOST),
                           part(ctx, u, CURLUPART_PORT));
    curl_url_cleanup(u);
    return origin;
}

static int
add_headers(struct fetch *f, struct transfer *t, const struct fetch_how *how, int is_ours)
{
    const rhost_value *headers = is_ours ? rhost_get(f->should, "headers") : NULL;

    for (size_t i = 0; i < rhost_count(headers); i++) {
        const char *name = NULL;
        const rhost_value *one = rhost_at(headers, i, &name);
        const char *text = one->host->string(one, NULL);

        if (transfer_header(t, text && *text ? rhost_fmt(f->ctx, "%s: %s", name, text)
                                             : rhost_fmt(f->ctx, "%s;", name))
            < 0)
            return -1;
    }
    for (size_t i = 0; how->headers && how->headers[i]; i++)
        if (transfer_header(t, how->headers[i]) < 0)
            return -1;
    return 0;
}

static int
fail_with(struct fetch *f, const char *why)
{
    f->why = why;
    return -1;
}

static const char *
timeout_words(const struct fetch *f, const struct transfer *t, const char *origin)
{
    switch (t->waited) {
    case TRANSFER_CONNECTING:
        return rhost_fmt(f->ctx, "no connection to '%s' within %ld s ('connect_timeout')", origin,
                         t->connect);
    case TRANSFER_STALLED:
        return rhost_fmt(f->ctx, "nothing was received for %ld s ('stall_timeout')", t->stall);
    default:
        return rhost_fmt(f->ctx, "it was not complete within %lld s ('timeout')",
                         (long long)rhost_int(f->should, "timeout", LONGEST_WAIT));
    }
}

/* Why there is no answer. */
static const char *
words(const struct fetch *f, const struct transfer *t, const char *origin)
{
    rhost_ctx *ctx = f->ctx;

    switch (t->failure) {
    case CURLE_COULDNT_RESOLVE_HOST:
        return rhost_fmt(ctx, "the name in '%s' does not resolve", origin);
    case CURLE_COULDNT_RESOLVE_PROXY:
        return "the name of the proxy does not resolve";
    case CURLE_COULDNT_CONNECT:
        return t->system_error
                   ? rhost_fmt(ctx, "cannot connect to '%s': %s", origin, strerror(t->system_error))
                   : rhost_fmt(ctx, "cannot connect to '%s'", origin);
    case CURLE_OPERATION_TIMEDOUT:
        return timeout_words(f, t, origin);
    case CURLE_PEER_FAILED_VERIFICATION:
        return rhost_fmt(ctx, "the certificate of '%s' is not trusted: %s", origin, t->why);
    case CURLE_SSL_CONNECT_ERROR:
        return rhost_fmt(ctx, "no TLS connection to '%s': %s", origin, t->why);
    default:
        return rhost_strdup(ctx, t->why);
    }
}

static int
is_transient(const struct transfer *t)
{
    switch (t->failure) {
    case CURLE_COULDNT_CONNECT:
        return 0; /* another source, or the word `retries` of the resource */
    case CURLE_OPERATION_TIMEDOUT:
        return t->waited == TRANSFER_STALLED;
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return 1;
    default:
        return 0;
    }
}

static int
perform(struct fetch *f, const char *url, const char *origin, const struct fetch_how *how, int is_ours,
        struct transfer *t)
{
    transfer_init(t, f->ctx);
    t->method = "GET";
    t->url = url;
    t->timeout = seconds_left(f);
    t->connect = (long)rhost_int(f->should, "connect_timeout", 0);
    t->stall = (long)rhost_int(f->should, "stall_timeout", 0);
    t->most = how->most;
    t->sink = how->sink;
    t->sink_data = how->data;
    t->ca = f->ca;
    if (!t->timeout) {
        t->waited = TRANSFER_ALL;
        f->ended = 1;
        return fail_with(f, timeout_words(f, t, origin));
    }
    if (is_ours) {
        t->user = rhost_str(f->should, "user");
        t->password = rhost_str(f->should, "password");
        t->token = rhost_str(f->should, "token");
        t->cert = f->cert;
        t->key = f->key;
    }
    if (add_headers(f, t, how, is_ours) < 0)
        return fail_with(f, "out of memory");
    if (transfer_perform(t) < 0) {
        f->transient = is_transient(t);
        f->unreachable = t->unreachable;
        f->ended = t->failure == CURLE_ABORTED_BY_CALLBACK || t->waited == TRANSFER_ALL;
        return fail_with(f, words(f, t, origin));
    }
    return 0;
}

static int
is_redirect(long status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static void
take(struct fetch *f, struct transfer *t)
{
    f->status = t->status;
    f->etag = t->etag;
    f->modified = t->modified;
    f->range = t->range;
    f->length = t->length;
    f->len = t->len;
    f->text = t->answer ? rhost_copy(f->ctx, t->answer, t->len) : NULL;
}

/* Where a redirect leads: its origin; or NULL, and `why`. */
static const char *
check_redirect(struct fetch *f, const char *from, const char *location)
{
    const char *to = location ? origin_of(f->ctx, location) : NULL;

    if (!to) {
        f->why = "the server redirects to no URL";
        return NULL;
    }
    if (strncmp(to, "http://", 7) != 0 && strncmp(to, "https://", 8) != 0) {
        f->why = rhost_fmt(f->ctx, "the server redirects to '%s', which is neither http nor https", to);
        return NULL;
    }
    if (strncmp(from, "https:", 6) == 0 && strncmp(to, "http:", 5) == 0) {
        f->why = rhost_fmt(f->ctx, "'%s' redirects to '%s': from https, http is not followed", from, to);
        return NULL;
    }
    return to;
}

int
fetch_get(struct fetch *f, const char *url, const struct fetch_how *how)
{
    const char *first = origin_of(f->ctx, url), *origin = first;
    long most = (long)rhost_int(f->should, "redirects", 0);
    struct transfer t;

    f->status = 0;
    f->transient = f->unreachable = f->ended = 0;
    if (!first)
        return fail_with(f, "it is not a valid URL");
    for (long i = 0;; i++) {
        const char *location;
        int rc = perform(f, url, origin, how, strcmp(origin, first) == 0, &t);

        if (rc == 0)
            take(f, &t);
        location = t.location;
        transfer_clear(&t);
        if (rc < 0 || !is_redirect(f->status))
            return rc;
        if (i >= most)
            return fail_with(f, most ? rhost_fmt(f->ctx, "more than %ld redirects ('redirects')", most)
                                     : "the server redirects, and 'redirects' is 0");
        origin = check_redirect(f, origin, location);
        if (!origin)
            return -1;
        url = location;
    }
}

const char *
fetch_status_words(rhost_ctx *ctx, long status)
{
    const char *meaning = status == 401   ? "it wants other credentials"
                          : status == 403 ? "it denies access"
                          : status == 404 ? "it has no such file"
                          : status == 407 ? "the proxy wants credentials"
                          : status == 410 ? "the file is gone"
                          : status == 429 ? "it was asked too often"
                          : status == 503 ? "it is not available"
                          : status >= 500 ? "it has failed"
                                          : NULL;

    return meaning ? rhost_fmt(ctx, "the server answers with status %ld: %s", status, meaning)
                   : rhost_fmt(ctx, "the server answers with status %ld", status);
}

int32_t
fetch_fail(struct fetch *f, const char *attribute, const char *text)
{
    return f->ctx->host->fail(f->ctx, f->unreachable && rhost_noop(f->ctx) ? RHOST_MISSING : 0, attribute,
                              text);
}
