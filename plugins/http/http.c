/* SPDX-License-Identifier: Apache-2.0 */
/* http - a lookup whose answer is what a server has at a URL, by libcurl. */

#include "../http_request/transfer.h"
#include "content.h"
#include "pem.h"
#include "secret.h"

#include <rhost/posix.h>
#include <rhost/sha256.h>

static const struct rhost_attr parameters[] = {
    { .name = "url",
      .type = "Pattern[/\\A[Hh][Tt][Tt][Pp][Ss]?:\\/\\/[^\\s\\/?#@]+([\\/?#]\\S*)?\\z/]",
      .desc = "The URL: http or https." },
    { .name = "format",
      .type = CONTENT_FORMAT,
      .default_value = "\"text\"",
      .desc = "What the answer is read as: text, the value of a JSON text, or a list of lines." },
    { .name = "sha256",
      .type = "Optional[Pattern[/\\A[0-9A-Fa-f]{64}\\z/]]",
      .desc = "The SHA-256 of the answer, which must be so." },
    { .name = "token_file",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .desc = "A file with the token for Bearer authentication." },
    { .name = "header_file",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .desc = "A file with headers to send, a line 'Name: value' each." },
    { .name = "ca",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .desc = "A file with the certificates that sign the server's; default: those of the system." },
    { .name = "redirects",
      .type = "Integer[0, 20]",
      .default_value = "0",
      .desc = "How many redirects are followed; from https never to http." },
    { .name = "timeout",
      .type = "Integer[1, 600]",
      .default_value = "30",
      .desc = "Seconds after which the request is given up." },
    { .name = "most",
      .type = "Integer[1, 16777216]",
      .default_value = "1048576",
      .desc = "How many bytes an answer may have." },
    { .name = "secret",
      .type = "Boolean",
      .default_value = "false",
      .desc = "Whether the answer is sensitive: it is shown nowhere." },
};

/* A line of a file of headers. */
static int32_t
add_header(struct transfer *t, const char *path, int number, const char *line, size_t n)
{
    const char *colon = memchr(line, ':', n);

    while (n && (line[n - 1] == '\r' || line[n - 1] == ' '))
        n--;
    if (!n || *line == '#')
        return 0;
    if (!colon || colon == line)
        return rhost_fail(t->ctx, "'%s': line %d is not a header: write 'Name: value'", path, number);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == 127 || (line + i < colon && line[i] == ' '))
            return rhost_fail(
                t->ctx, "'%s': line %d is not a header: it has a control character, or a blank in its name",
                path, number);
    if (transfer_header(t, rhost_copy(t->ctx, line, n)) < 0)
        return rhost_fail(t->ctx, "out of memory");
    return 0;
}

static int32_t
add_headers(struct transfer *t, const char *path)
{
    size_t len;
    const char *text = secret_read_file(t->ctx, path, &len), *end = text + len;

    if (!text)
        return -1;
    if (memchr(text, '\0', len))
        return rhost_fail(t->ctx, "'%s' has a NUL character", path);
    for (int number = 1; text < end; number++) {
        const char *next = memchr(text, '\n', (size_t)(end - text));

        if (add_header(t, path, number, text, (size_t)((next ? next : end) - text)) < 0)
            return -1;
        text = next ? next + 1 : end;
    }
    return 0;
}

static int32_t
set_up(struct transfer *t, const rhost_value *p)
{
    const char *token = rhost_str(p, "token_file"), *headers = rhost_str(p, "header_file");

    t->method = "GET";
    t->url = rhost_str(p, "url");
    t->timeout = (long)rhost_int(p, "timeout", 30);
    t->redirects = (long)rhost_int(p, "redirects", 0);
    t->most = (size_t)rhost_int(p, "most", 1 << 20);
    if ((token || headers) && secret_would_be_seen(t->url))
        return rhost_fail(
            t->ctx,
            "'%s' with 'http' would show the secret to whoever is on the way: use 'https'; 'http' is for "
            "this machine alone",
            token ? "token_file" : "header_file");
    /* libcurl sends headers of one's own to whatever host it is redirected to. */
    if (headers && t->redirects)
        return rhost_fail(
            t->ctx, "redirects are not followed with 'header_file': its headers would go to other hosts");
    if (token) {
        t->token = secret_read_word(t->ctx, token);
        if (!t->token)
            return -1;
    }
    if (headers && add_headers(t, headers) < 0)
        return -1;
    return pem_read_ca(t, rhost_str(p, "ca"));
}

static int32_t
check_sum(struct transfer *t, const char *wanted, int secret)
{
    struct rhost_sha256 sum;
    char hex[65];

    if (!wanted)
        return 0;
    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, t->answer, t->len);
    rhost_sha256_hex(&sum, hex);
    if (strcasecmp(hex, wanted) == 0)
        return 0;
    if (secret)
        return rhost_fail(t->ctx, "GET '%s': the answer has another SHA-256 than %s", t->url, wanted);
    return rhost_fail(t->ctx, "GET '%s': the answer has the SHA-256 %s, expected %s", t->url, hex, wanted);
}

static int32_t
put_answer(struct transfer *t, const rhost_value *p, rhost_value *answer)
{
    if (t->status == 404 || t->status == 410)
        return RHOST_ABSENT;
    if (t->status < 200 || t->status > 299)
        return rhost_fail(t->ctx, "GET '%s' was answered with status %ld", t->url, t->status);
    if (check_sum(t, rhost_str(p, "sha256"), rhost_bool(p, "secret", 0)) < 0
        || content_put(t->ctx, answer, rhost_str_or(p, "format", "text"), t->answer, t->len,
                       rhost_fmt(t->ctx, "the answer of '%s'", t->url))
               < 0)
        return -1;
    if (rhost_bool(p, "secret", 0))
        answer->host->mark_sensitive(answer, "value");
    return 0;
}

static int32_t
find(rhost_ctx *ctx, const rhost_value *p, rhost_value *answer)
{
    struct transfer t;
    int32_t rc = -1;

    transfer_init(&t, ctx);
    if (set_up(&t, p) == 0)
        rc = transfer_perform(&t) == 0 ? put_answer(&t, p, answer)
                                       : rhost_fail(ctx, "cannot get '%s': %s", t.url, t.why);
    transfer_clear(&t);
    return rc;
}

static const char *const needs[] = {
    "network[tcp]",
    "network[udp]",
    "read[/etc/resolv.conf]",
    "read[/etc/hosts]",
    "read[/etc/host.conf]",
    "read[/etc/gai.conf]",
    "read[/etc/nsswitch.conf]",
    "read[/etc/ssl]",
    "read[/etc/pki]",
    "read[/usr/share/ca-certificates]",
    "read[/usr/local/share/ca-certificates]",
    "read[$ca]",
    "read[$token_file]",
    "read[$header_file]",
    NULL,
};

static const struct rhost_lookup http = {
    .struct_size = sizeof http,
    .attr_stride = sizeof parameters[0],
    .n_attrs = sizeof parameters / sizeof parameters[0],
    .attrs = parameters,
    .name = "http",
    .desc = "What an HTTP server has at a URL.",
    .type = "Variant[Data, Binary]",
    .find = find,
    .needs = needs,
};

static const struct rhost_lookup *const lookups[] = { &http, NULL };

RHOST_PLUGIN_WITH_LOOKUPS(http, "1.0", NULL, lookups, NULL)
