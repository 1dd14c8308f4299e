/* SPDX-License-Identifier: Apache-2.0 */
/* request - sends the request of a resource, or the one that checks whether it is needed. */

#include "request.h"

#include "../json_setting/json-write.h"
#include "answer.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>

enum { LARGEST_PEM = 1 << 20, LARGEST_ANSWER = 16 << 20 };

const rhost_value *
request_url(const rhost_value *should)
{
    return rhost_get(should, rhost_has(should, "url") ? "url" : "name");
}

int
request_only_reads(const rhost_value *should)
{
    const char *method = rhost_str_or(should, "method", "GET");

    return !rhost_has(should, "check") && !rhost_has(should, "creates")
           && (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 || strcmp(method, "OPTIONS") == 0);
}

static int
add_headers(struct transfer *t, const rhost_value *headers)
{
    for (size_t i = 0; i < rhost_count(headers); i++) {
        const char *name = NULL;
        const rhost_value *one = rhost_at(headers, i, &name);
        const char *text = one->host->string(one, NULL);

        if (transfer_header(t, text && *text ? rhost_fmt(t->ctx, "%s: %s", name, text)
                                             : rhost_fmt(t->ctx, "%s;", name))
            < 0)
            return rhost_fail(t->ctx, "out of memory");
    }
    return 0;
}

static int
has_header(const rhost_value *headers, const char *name)
{
    for (size_t i = 0; i < rhost_count(headers); i++) {
        const char *key = NULL;

        (void)rhost_at(headers, i, &key);
        if (strcasecmp(key, name) == 0)
            return 1;
    }
    return 0;
}

/* libcurl would call it a form, and wait for the server to allow it. */
static int
add_body(struct transfer *t, const rhost_value *should)
{
    static const struct json_style style = { .unit = NULL, .colon = ":", .comma = ",", .newline = "\n" };
    const rhost_value *headers = rhost_get(should, "headers");
    const char *why = NULL, *type = "Content-Type:";

    if (rhost_has(should, "json")) {
        t->body.bytes = json_write(t->ctx, rhost_get(should, "json"), &style, "", &why);
        if (!t->body.bytes)
            return rhost_fail_attr(t->ctx, "json", "%s", why);
        t->body.len = strlen(t->body.bytes);
        type = "Content-Type: application/json";
    } else if (rhost_has(should, "body")) {
        t->body.bytes = rhost_bytes(should, "body", &t->body.len);
    }
    if ((!has_header(headers, "Content-Type") && transfer_header(t, type) < 0)
        || transfer_header(t, "Expect:") < 0)
        return rhost_fail(t->ctx, "out of memory");
    return 0;
}

static int
read_pem(struct transfer *t, const rhost_value *should, const char *attribute, struct transfer_bytes *to)
{
    const char *path = rhost_str(should, attribute);

    if (!path)
        return 0;
    to->bytes = rhost_path_read(t->ctx, path, RHOST_PATH_FOLLOW, LARGEST_PEM, &to->len, NULL);
    if (!to->bytes && rhost_noop(t->ctx) && errno == ENOENT)
        return t->ctx->host->fail(t->ctx, RHOST_MISSING, attribute,
                                  rhost_fmt(t->ctx, "'%s' does not exist", path));
    if (!to->bytes)
        return rhost_fail_path(t->ctx, "cannot read '%s'", path);
    return to->len ? 0 : rhost_fail_attr(t->ctx, attribute, "'%s' is empty", path);
}

/* What the request and the check have in common. */
static int
set_up(struct transfer *t, const rhost_value *should)
{
    const char *socket = rhost_str(should, "socket");

    t->timeout = (long)rhost_int(should, "timeout", 30);
    t->most = LARGEST_ANSWER;
    t->user = rhost_str(should, "user");
    t->password = rhost_str(should, "password");
    t->token = rhost_str(should, "token");
    if (socket) {
        t->socket = transfer_open_socket(t->ctx, "socket", socket, rhost_noop(t->ctx) ? RHOST_MISSING : 0);
        if (t->socket < 0)
            return -1;
    }
    if (read_pem(t, should, "ca", &t->ca) < 0 || read_pem(t, should, "certificate", &t->cert) < 0
        || read_pem(t, should, "key", &t->key) < 0)
        return -1;
    return add_headers(t, rhost_get(should, "headers"));
}

static const char *
shown(const rhost_value *url)
{
    return url->host->sensitive(url) ? "[redacted]" : url->host->string(url, NULL);
}

/* Under noop, what is to listen there may not have been started for the same reason. */
static int
perform(struct transfer *t, const rhost_value *should, const rhost_value *url, const char *attribute)
{
    const char *message;

    t->url = url->host->string(url, NULL);
    if (transfer_perform(t) == 0)
        return 0;
    message = rhost_fmt(t->ctx, "cannot send %s to '%s': %s", t->method, shown(url),
                        answer_is_secret(should) ? t->reason : t->why);
    return t->ctx->host->fail(t->ctx, t->unreachable && rhost_noop(t->ctx) ? RHOST_MISSING : 0, attribute,
                              message);
}

int
request_send(rhost_ctx *ctx, const rhost_value *should, struct transfer *t)
{
    const rhost_value *url = request_url(should);
    int secret = answer_is_secret(should), rc;

    t->method = rhost_str_or(should, "method", "GET");
    t->redirects = (long)rhost_int(should, "redirects", 0);
    if (set_up(t, should) < 0 || add_body(t, should) < 0 || perform(t, should, url, NULL) < 0)
        return -1;
    if (!answer_has_status(t, rhost_get(should, "status")))
        return rhost_fail(ctx, "%s '%s' was answered with status %ld%s", t->method, shown(url), t->status,
                          answer_excerpt(t, secret));
    rc = answer_matches(t, rhost_get(should, "text"), "text");
    if (rc == 0)
        return rhost_fail_attr(ctx, "text",
                               "%s '%s' was answered with status %ld, and 'text' does not match%s", t->method,
                               shown(url), t->status, answer_excerpt(t, secret));
    return rc < 0 ? -1 : 0;
}

/* These say nothing about what is there. */
static int
tells_nothing(long status)
{
    return status >= 500 || status == 401 || status == 403 || status == 407 || status == 408 || status == 429;
}

static int
judge_check(struct transfer *t, const rhost_value *should, const rhost_value *url)
{
    const rhost_value *check = rhost_get(should, "check");
    int rc;

    if (answer_has_status(t, rhost_get(check, "status"))) {
        rc = answer_matches(t, rhost_get(check, "text"), "check.text");
        return rc < 0 ? -1 : !rc;
    }
    if (!tells_nothing(t->status))
        return 1;
    return rhost_fail_attr(t->ctx, "check", "GET '%s' was answered with status %ld%s", shown(url), t->status,
                           answer_excerpt(t, answer_is_secret(should)));
}

int
request_check(rhost_ctx *ctx, const rhost_value *should)
{
    const rhost_value *check = rhost_get(should, "check");
    const rhost_value *url = rhost_has(check, "url") ? rhost_get(check, "url") : request_url(should);
    struct transfer t;
    int result = -1;

    transfer_init(&t, ctx);
    t.method = "GET";
    if (set_up(&t, should) == 0 && perform(&t, should, url, "check") == 0)
        result = judge_check(&t, should, url);
    transfer_clear(&t);
    return result;
}
