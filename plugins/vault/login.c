/* SPDX-License-Identifier: Apache-2.0 */
/* login - the token that requests are made with. */

#include "login.h"

#include "../http/secret.h"
#include "../json_setting/json-write.h"

#include <rhost/keep.h>
#include <stdlib.h>

/* A token of this run; a list of them. */
struct kept {
    struct kept *next;
    char *of, *token;
};

static void
forget(void *list)
{
    struct kept *k = list;

    while (k) {
        struct kept *next = k->next;

        explicit_bzero(k->of, strlen(k->of));
        explicit_bzero(k->token, strlen(k->token));
        free(k->of);
        free(k->token);
        free(k);
        k = next;
    }
}

static const char *
find_kept(rhost_ctx *ctx, const char *of)
{
    void **word = rhost_keep_shared(ctx, "vault.tokens", forget);

    for (const struct kept *k = word ? *word : NULL; k; k = k->next)
        if (strcmp(k->of, of) == 0)
            return k->token;
    return NULL;
}

/* Where there is no memory, it is asked for again. */
static void
keep(rhost_ctx *ctx, const char *of, const char *token)
{
    void **word = rhost_keep_shared(ctx, "vault.tokens", forget);
    struct kept *k = word ? calloc(1, sizeof *k) : NULL;

    if (!k)
        return;
    k->of = strdup(of);
    k->token = strdup(token);
    if (!k->of || !k->token) {
        free(k->of);
        free(k->token);
        free(k);
        return;
    }
    k->next = *word;
    *word = k;
}

static const char *
body_of(const struct client *c, const char *role, const char *secret)
{
    const char *why = NULL, *first = json_write_text(c->ctx, role, strlen(role), &why),
               *second = secret ? json_write_text(c->ctx, secret, strlen(secret), &why) : NULL;

    if (why) {
        (void)rhost_fail(c->ctx, "cannot write the request: %s", why);
        return NULL;
    }
    return second ? rhost_fmt(c->ctx, "{\"role_id\": %s, \"secret_id\": %s}", first, second)
                  : rhost_fmt(c->ctx, "{\"role_id\": %s}", first);
}

/* The token in the answer to a login; NULL: there is none that can be used. */
static const char *
token_in(const struct reply *reply)
{
    const struct tree *auth = reply->body ? tree_child(reply->body, "auth") : NULL;
    const struct tree *token = auth && auth->kind == TREE_MAPPING ? tree_child(auth, "client_token") : NULL;
    size_t n = 0;

    if (!token || token->kind != TREE_STRING || !token->len)
        return NULL;
    while (n < token->len && token->text[n] > ' ' && token->text[n] < 127)
        n++;
    return n == token->len ? token->text : NULL;
}

static int32_t
log_in(struct client *c, const char *mount, const char *role, const char *secret)
{
    const char *of = rhost_fmt(c->ctx, "%s\n%s\n%s\n%s\n%s", c->address, c->name_space ? c->name_space : "",
                               mount, role, secret ? secret : "");
    const char *body = body_of(c, role, secret);
    struct reply reply;

    c->token = find_kept(c->ctx, of);
    if (c->token)
        return 0;
    c->secret = secret;
    if (!body
        || client_send(c, "POST", rhost_fmt(c->ctx, "auth/%s/login", client_encode(c->ctx, mount)), body,
                       &reply)
               < 0)
        return -1;
    if (reply.status != 200)
        return client_refuse(c, rhost_fmt(c->ctx, "auth/%s/login", mount), &reply);
    c->token = token_in(&reply);
    if (!c->token)
        return rhost_fail(c->ctx,
                          "the answer of '%s' to the login has no token: it is not that of a Vault server",
                          c->address);
    keep(c->ctx, of, c->token);
    return 0;
}

int32_t
login(struct client *c, const rhost_value *p)
{
    const char *token = rhost_str(p, "token_file"), *role = rhost_str(p, "role_id_file"),
               *secret = rhost_str(p, "secret_id_file");

    if (!token == !role)
        return rhost_fail(c->ctx, token ? "'token_file' and 'role_id_file' exclude each other"
                                        : "one of 'token_file' and 'role_id_file' is needed");
    if (secret && !role)
        return rhost_fail(c->ctx, "'secret_id_file' needs 'role_id_file'");
    if (token) {
        c->token = secret_read_word(c->ctx, token);
        return c->token ? 0 : -1;
    }
    role = secret_read_word(c->ctx, role);
    if (!role)
        return -1;
    if (secret) {
        secret = secret_read_word(c->ctx, secret);
        if (!secret)
            return -1;
    }
    return log_in(c, rhost_str_or(p, "role_mount", "approle"), role, secret);
}
