/* SPDX-License-Identifier: Apache-2.0 */
/* http_request - send HTTP requests, when a check says that it is needed.
 *
 * What a request does to a server can't be read. What can be read is whether it is to be sent: that is the
 * property `state`, which the check answers, also under noop, as with exec. A method that only reads (GET,
 * HEAD, OPTIONS) is sent while reading, and is no change. */

#include "answer.h"
#include "request.h"
#include "validate.h"

#include <rhost/path.h>
#include <rhost/posix.h>

#define TYPE_URL "Pattern[/\\A[Hh][Tt][Tt][Pp][Ss]?:\\/\\/[^\\s\\/?#@]+([\\/?#]\\S*)?\\z/]"
#define TYPE_STATUS "Array[Integer[100, 599], 1]"
#define TYPE_TEXT "Pattern[/\\A[^\\x00-\\x1f\\x7f]+\\z/]"

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "String[1]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "What the request is for, in words, or its URL." },
    { .name = "state",
      .type = "Enum[done, needed]",
      .default_value = "\"done\"",
      .desc = "Whether the request is to be sent, as the check says; always wanted: done." },
    { .name = "url",
      .type = "Optional[" TYPE_URL "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "Where the request goes: http or https; default: the name." },
    { .name = "method",
      .type = "Pattern[/\\A[A-Z][A-Z-]{0,30}\\z/]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"GET\"",
      .desc = "The method. GET, HEAD and OPTIONS only read: they are sent in each run, and are no change." },
    { .name = "headers",
      .type =
          "Optional[Hash[Pattern[/\\A[!#$%&'*+.^_`|~0-9A-Za-z-]+\\z/], Pattern[/\\A[^\\x00\\r\\n]*\\z/]]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "Headers, name and value." },
    { .name = "body",
      .type = "Optional[Variant[String, Binary]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "What is sent." },
    { .name = "json",
      .type = "Data",
      .behaviour = RHOST_PARAMETER,
      .desc = "What is sent, as a value: it becomes JSON, and the Content-Type application/json." },
    { .name = "status",
      .type = "Optional[" TYPE_STATUS "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "Statuses that mean success; default: 200 to 299." },
    { .name = "text",
      .type = "Optional[String[1]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "A regular expression that matches in the answer." },
    { .name = "check",
      .type = "Optional[Struct[{Optional[url] => " TYPE_URL ", Optional[status] => " TYPE_STATUS
              ", Optional[text] => String[1]}]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "A GET whose answer decides: with this status and this text the request is not needed." },
    { .name = "creates",
      .type = "Optional[Variant[" RHOST_TYPE_PATH ", Array[" RHOST_TYPE_PATH ", 1]]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The request is not needed when these paths exist." },
    { .name = "capture",
      .type = "Enum[no, text, sensitive]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"no\"",
      .desc = "Whether other resources can use the answer; 'sensitive': it is shown nowhere." },
    { .name = "socket",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "A Unix socket to connect to, whatever the host in the URL." },
    { .name = "user",
      .type = "Optional[" TYPE_TEXT "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The user for Basic authentication." },
    { .name = "password",
      .type = "Optional[Sensitive[" TYPE_TEXT "]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The password of the user." },
    { .name = "token",
      .type = "Optional[Sensitive[Pattern[/\\A[!-~]+\\z/]]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The token for Bearer authentication." },
    { .name = "ca",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "A file with the certificates that sign the server's; default: those of the system." },
    { .name = "certificate",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "A file with the certificate of this client." },
    { .name = "key",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "A file with the private key of that certificate." },
    { .name = "redirects",
      .type = "Integer[0, 20]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "0",
      .desc = "How many redirects of a GET or HEAD are followed; from https never to http." },
    { .name = "timeout",
      .type = "Integer[1, 3600]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "30",
      .desc = "Seconds after which a request is given up." },
    { .name = "answer",
      .type = "Optional[Variant[String, Binary]]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "What the server answered, with 'capture'." },
    { .name = "code",
      .type = "Optional[Integer[100, 999]]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "The status of the answer, where the request was sent." },
};

static const struct rhost_action actions[] = {
    { "send", "Send the request, if its check agrees.", NULL },
};

static const char *const relations[] = {
    "autorequire file[$ca]",
    "autorequire file[$certificate]",
    "autorequire file[$key]",
    "autorequire x509_certificate[$ca]",
    "autorequire x509_certificate[$certificate]",
    "autorequire x509_key[$key]",
    NULL,
};

static int32_t
http_request_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    static const char *const paths[] = { "socket", "ca", "certificate", "key" };

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        rhost_tidy_path(ctx, resource, paths[i]);
    return 0;
}

/* 1: it exists; 0: it does not; -1 after fail(). */
static int
exists(rhost_ctx *ctx, const char *path)
{
    struct stat st;

    if (rhost_path_stat(ctx, path, RHOST_PATH_FOLLOW, &st) == 0)
        return 1;
    return errno == ENOENT || errno == ENOTDIR ? 0 : rhost_fail_path(ctx, "cannot look for '%s'", path);
}

static int
all_created(rhost_ctx *ctx, const rhost_value *should)
{
    const rhost_value *creates = rhost_get(should, "creates");
    int found = 1;

    if (rhost_str(should, "creates"))
        return exists(ctx, rhost_str(should, "creates"));
    for (size_t i = 0; found == 1 && i < rhost_count(creates); i++)
        found = exists(ctx, rhost_str_at(creates, i));
    return found;
}

/* 1: the request is to be sent; 0: it isn't; -1: that can't be told. */
static int
is_needed(rhost_ctx *ctx, const rhost_value *should)
{
    if (rhost_has(should, "creates")) {
        int found = all_created(ctx, should);

        if (found)
            return found < 0 ? -1 : 0;
    }
    return rhost_has(should, "check") ? request_check(ctx, should) : 1;
}

/* Puts what the answer was into `result`, or reports it where that is NULL. */
static int32_t
send_request(rhost_ctx *ctx, const rhost_value *should, rhost_value *result)
{
    rhost_value *report = result ? result : ctx->host->new_hash(ctx);
    struct transfer t;
    int32_t rc;

    transfer_init(&t, ctx);
    rc = request_send(ctx, should, &t);
    if (rc == 0) {
        answer_put(&t, should, report);
        rhost_info(ctx, "%s was answered with status %ld", t.method, t.status);
        rc = result ? 0 : ctx->host->emit(ctx, report);
    }
    transfer_clear(&t);
    return rc;
}

static int32_t
http_request_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    int needed;

    (void)name;
    if (!should)
        return RHOST_ABSENT; /* without a check there is nothing to be seen */
    if (request_only_reads(should)) {
        if (send_request(ctx, should, current) < 0)
            return -1;
        rhost_put_str(current, "state", "done");
        return 0;
    }
    needed = is_needed(ctx, should);
    if (needed < 0)
        return -1;
    rhost_put_str(current, "state", needed ? "needed" : "done");
    return 0;
}

static int32_t
http_request_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    return send_request(ctx, change->should, NULL);
}

static int32_t
http_request_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action)
{
    int needed = is_needed(ctx, change->should);

    (void)action; /* there is but one */
    return needed == 1 ? send_request(ctx, change->should, NULL) : needed;
}

static const char *const needs[] = {
    "network[tcp] unless $socket",
    "network[udp] unless $socket",
    "read[/etc/resolv.conf] unless $socket",
    "read[/etc/hosts] unless $socket",
    "read[/etc/host.conf] unless $socket",
    "read[/etc/gai.conf] unless $socket",
    "read[/etc/ssl]",
    "read[/etc/pki]",
    "read[/usr/share/ca-certificates]",
    "read[/usr/local/share/ca-certificates]",
    "read[$ca]",
    "read[$certificate]",
    "read[$key]",
    "read[$creates]",
    "socket[$socket]",
    "capability[dac_read_search]",
    "capability[dac_override] if $socket",
    NULL,
};

static const struct rhost_provider http_request_provider = {
    RHOST_PROVIDER("http_request", "Send HTTP requests, when a check says that it is needed."),
    RHOST_ATTRS(attrs),
    RHOST_ACTIONS(actions),
    .relations = relations,
    .features = RHOST_FORGETS_WORLD,
    .irreversible = "what a request has done is not known",
    .refresh_action = "send",
    .canonicalize = http_request_canonicalize,
    .validate = http_request_validate,
    .load = http_request_load,
    .update = http_request_update,
    .act = http_request_act,
    .needs = needs,
};

RHOST_PLUGIN(http_request, "1.0", &http_request_provider)
