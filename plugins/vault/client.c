/* SPDX-License-Identifier: Apache-2.0 */
/* client - requests to a Vault server. */

#include "client.h"

#include "../http/pem.h"
#include "../json_setting/json-read.h"

#include <rhost/lines.h>

enum { LARGEST = 2 << 20, LONGEST_WORDS = 400 };

const char *
client_encode(rhost_ctx *ctx, const char *path)
{
    static const char digits[] = "0123456789ABCDEF";
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    char *text = rhost_alloc(ctx, 3 * strlen(path) + 1), *to = text;

    for (; *path; path++) {
        if (strchr(plain, *path)) {
            *to++ = *path;
            continue;
        }
        *to++ = '%';
        *to++ = digits[(unsigned char)*path >> 4];
        *to++ = digits[(unsigned char)*path & 15];
    }
    *to = '\0';
    return text;
}

static int32_t
add_headers(const struct client *c, struct transfer *t)
{
    int rc = transfer_header(t, "X-Vault-Request: true") | transfer_header(t, "Expect:");

    if (c->token)
        rc |= transfer_header(t, rhost_fmt(c->ctx, "X-Vault-Token: %s", c->token));
    if (c->name_space)
        rc |= transfer_header(t, rhost_fmt(c->ctx, "X-Vault-Namespace: %s", c->name_space));
    if (t->body.bytes)
        rc |= transfer_header(t, "Content-Type: application/json");
    return rc ? rhost_fail(c->ctx, "out of memory") : 0;
}

static int32_t
read_reply(const struct client *c, const struct transfer *t, struct reply *reply)
{
    struct tree *root = NULL;
    const char *why = json_read(c->pool, t->answer, t->len, &root);

    *reply = (struct reply){ .status = t->status };
    if (!why && root && root->kind == TREE_MAPPING)
        reply->body = root;
    if (t->status < 300 || t->status > 399)
        return 0;
    return rhost_fail(
        c->ctx,
        "'%s' redirects to another server (status %ld), which is not followed: 'address' must be that of "
        "the active server, or of a load balancer",
        c->address, t->status);
}

int32_t
client_send(const struct client *c, const char *method, const char *path, const char *body,
            struct reply *reply)
{
    struct transfer t;
    int32_t rc;

    transfer_init(&t, c->ctx);
    t.method = method;
    t.url = rhost_fmt(c->ctx, "%s/v1/%s", c->address, path);
    t.timeout = c->timeout;
    t.most = LARGEST;
    if (body)
        t.body = (struct transfer_bytes){ body, strlen(body) };
    rc = pem_read_ca(&t, c->ca) < 0 || add_headers(c, &t) < 0 ? -1 : 0;
    if (rc == 0)
        rc = transfer_perform(&t) == 0 ? read_reply(c, &t, reply)
                                       : rhost_fail(c->ctx, "cannot ask '%s': %s", c->address, t.why);
    transfer_clear(&t);
    return rc;
}

static int
has(const char *text, const char *secret)
{
    return secret && *secret && strstr(text, secret) != NULL;
}

/* "2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n" becomes "permission denied, invalid
 * token". */
static void
add_words(char *text, size_t room, const char *from, size_t len)
{
    size_t n = strlen(text), digits = strspn(from, "0123456789");
    const char *head = digits ? strstr(from, "occurred:") : NULL, *end = from + len;

    if (head && head - from < 40)
        from = head + strlen("occurred:");
    if (n && n + 2 < room)
        n += (size_t)snprintf(text + n, room - n, ", ");
    for (int gap = 0, first = 1; from < end && n + 3 < room; from++) {
        if ((unsigned char)*from <= ' ' || *from == 127 || (*from == '*' && gap)) {
            gap = gap == 2 || *from == '*' || *from == '\n' ? 2 : 1;
            continue;
        }
        if (gap && !first) {
            if (gap == 2)
                text[n++] = ',';
            text[n++] = ' ';
        }
        text[n++] = *from;
        gap = first = 0;
    }
    text[n] = '\0';
}

const char *
client_words(const struct client *c, const struct reply *reply, const char *list)
{
    const struct tree *words = reply->body ? tree_child(reply->body, list) : NULL;
    char text[LONGEST_WORDS] = "";

    for (const struct tree *one = words && words->kind == TREE_LIST ? words->first : NULL; one;
         one = one->next) {
        if (one->kind != TREE_STRING)
            continue;
        if (has(one->text, c->token) || has(one->text, c->secret)) /* all of it: what follows is cut */
            return "[redacted]";
        add_words(text, sizeof text - 4, one->text, one->len);
    }
    while (*text && !rhost_is_utf8(text, strlen(text))) /* cut in the middle of a character */
        text[strlen(text) - 1] = '\0';
    if (has(text, c->token) || has(text, c->secret))
        return "[redacted]";
    return rhost_strdup(c->ctx, text);
}

int32_t
client_refuse(const struct client *c, const char *what, const struct reply *reply)
{
    const char *words = client_words(c, reply, "errors"), *colon = *words ? ": " : "";

    switch (reply->status) {
    case 400:
        return rhost_fail(c->ctx, "'%s' refuses the request for '%s' (status 400)%s%s", c->address, what,
                          colon, words);
    case 403:
        return rhost_fail(
            c->ctx,
            "'%s' refuses '%s' (status 403)%s%s: the token is not valid there, or its policies do not "
            "allow it",
            c->address, what, colon, words);
    case 404:
        return rhost_fail(c->ctx, "'%s' has nothing at '%s' (status 404)%s%s", c->address, what, colon,
                          words);
    case 429:
        return rhost_fail(c->ctx, "'%s' has too many requests (status 429)%s%s: try again later", c->address,
                          colon, words);
    case 503:
        return rhost_fail(c->ctx,
                          "'%s' cannot answer for '%s': it is sealed, or in maintenance (status 503)%s%s",
                          c->address, what, colon, words);
    default:
        return rhost_fail(c->ctx, "'%s' cannot answer for '%s' (status %ld)%s%s", c->address, what,
                          reply->status, colon, words);
    }
}
