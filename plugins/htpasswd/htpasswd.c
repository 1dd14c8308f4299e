/* SPDX-License-Identifier: Apache-2.0 */
/* htpasswd - keep single users of password files, as Apache and nginx read them.
 *
 * A user has a line. A password is compared by computing the hash that the line has. All users of a file in
 * one batch are one reading and one writing of it. */

#include "hash.h"

#include <rhost/dry-run.h>
#include <rhost/lines.h>
#include <rhost/posix.h>

#define DEFAULT_COST 10

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the password file." },
    { .name = "user",
      .type = "Pattern[/\\A[^\\s:#]([^:\\r\\n]*[^\\s:])?\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name that the user logs in with." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the file has the user." },
    { .name = "password",
      .type = "Optional[Sensitive[String[1, 511]]]",
      .desc = "The password; the file gets a hash of it." },
    { .name = "hash",
      .type = "Optional[Sensitive[Pattern[/\\A(\\$[!-9;-~]+|\\{S?SHA\\}[!-9;-~]+|[.\\/"
              "0-9A-Za-z]{13}|[!*]+)\\z/]]]",
      .desc = "The hash itself, instead of 'password'; * for a user who cannot log in." },
    { .name = "scheme",
      .type = "Optional[Enum[bcrypt, sha256, sha512]]",
      .desc = "How the password is hashed; a new hash is bcrypt otherwise." },
    { .name = "cost",
      .type = "Optional[Integer[4, 16]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "For a new hash with bcrypt: each step doubles the time; otherwise 10." },
    { .name = "rounds",
      .type = "Optional[Integer[1000, 1000000]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "For a new hash with sha256 or sha512; otherwise 5000." },
};

static const char *const title_patterns[] = {
    "\\A(?<path>\\/.*):(?<user>[^:]+)\\z",
    "\\A(?<user>[^:]+)\\z",
    NULL,
};

static const char *const relations[] = {
    "autorequire file[$path]",
    "autorequire directory[$path/..]",
    "edits content[$path]",
    "loses the password",
    NULL,
};

/* The line of a user: NAME:HASH, and behind another colon what servers do not read. */
struct entry {
    size_t at; /* of the first line that has the user; n of the lines where there is none */
    const char *hash, *rest;
    size_t hash_len, rest_len;
};

static int
is_line_of(const struct rhost_line *line, const char *user, size_t len)
{
    return line->len > len && memcmp(line->text, user, len) == 0 && line->text[len] == ':';
}

static struct entry
find(const struct rhost_lines *l, const char *user)
{
    size_t len = strlen(user);
    struct entry e = { .at = 0, .hash = "", .rest = "" };

    while (e.at < l->n && !is_line_of(&l->at[e.at], user, len))
        e.at++;
    if (e.at < l->n) {
        const char *end = l->at[e.at].text + l->at[e.at].len, *colon;

        e.hash = l->at[e.at].text + len + 1;
        colon = e.hash < end ? memchr(e.hash, ':', (size_t)(end - e.hash)) : NULL;
        e.rest = colon ? colon : end;
        e.hash_len = (size_t)(e.rest - e.hash);
        e.rest_len = (size_t)(end - e.rest);
    }
    return e;
}

static int32_t
htpasswd_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *user = rhost_str(resource, "user");

    for (const char *c = user ? user : ""; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return rhost_fail_attr(ctx, "user", "the name of a user has no control characters");
    if (user && strlen(user) > 255)
        return rhost_fail_attr(ctx, "user", "the name of a user has at most 255 bytes");
    rhost_tidy_path(ctx, resource, "path");
    return 0;
}

static int
check_password(rhost_ctx *ctx, size_t len, const char *scheme)
{
    if (len > HASH_PASSWORD_MAX)
        return rhost_fail_attr(ctx, "password", "a password has at most %d bytes", HASH_PASSWORD_MAX);
    if (len > HASH_BCRYPT_MAX && strcmp(scheme, "bcrypt") == 0)
        return rhost_fail_attr(ctx, "password",
                               "bcrypt heeds only the first %d bytes of a password, and this one is longer; "
                               "'scheme: sha512' heeds all",
                               HASH_BCRYPT_MAX);
    return 0;
}

static int32_t
htpasswd_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *hash = rhost_str(resource, "hash"), *stated = rhost_str(resource, "scheme");
    const char *scheme = stated ? stated : "bcrypt", *actual = hash ? hash_scheme(hash) : NULL;
    size_t len = 0;
    const char *password = rhost_bytes(resource, "password", &len);
    int failed = 0;

    if (hash && password)
        failed = rhost_fail_attr(ctx, "hash", "'password' and 'hash' exclude each other");
    else if (hash && stated && (!actual || strcmp(actual, stated) != 0))
        failed = rhost_fail_attr(ctx, "scheme", "'hash' is not of the scheme '%s'", stated);
    if (password && check_password(ctx, len, scheme) < 0)
        failed = -1;
    if (rhost_has(resource, "cost") && strcmp(scheme, "bcrypt") != 0)
        failed = rhost_fail_attr(ctx, "cost", "'cost' is for 'scheme: bcrypt'; 'rounds' is for '%s'", scheme);
    if (rhost_has(resource, "rounds") && strcmp(scheme, "bcrypt") == 0)
        failed = rhost_fail_attr(ctx, "rounds", "'rounds' is for 'scheme: sha512' and 'sha256'");
    return failed;
}

/* As the type of `hash` has it: what else stands in a line stays unknown. */
static int
may_be_hash(const char *hash, size_t len)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./";

    for (const char *c = hash; c < hash + len; c++)
        if (*c <= ' ' || *c >= 127)
            return 0;
    return (len > 1 && *hash == '$') || (len > 5 && strncmp(hash, "{SHA}", 5) == 0)
           || (len > 6 && strncmp(hash, "{SSHA}", 6) == 0) || (len == 13 && strspn(hash, letters) == len)
           || (len && strspn(hash, "!*") == len);
}

static int32_t
htpasswd_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path"), *password = rhost_str(should, "password"), *hash;
    const struct rhost_lines *l = rhost_lines_of(ctx, path);
    struct entry e;
    int matches;

    if (!l)
        return -1;
    e = find(l, rhost_str(name, "user"));
    if (e.at == l->n)
        return l->exists ? RHOST_ABSENT : rhost_absent_at(ctx, should, path);
    hash = rhost_copy(ctx, e.hash, e.hash_len);
    if (may_be_hash(hash, e.hash_len))
        rhost_put_str(current, "hash", hash);
    if (hash_scheme(hash))
        rhost_put_str(current, "scheme", hash_scheme(hash));
    if (!password || rhost_wants_absence(should))
        return 0;
    /* Another password is unknown, which differs from the desired one. */
    matches = hash_matches(ctx, hash, password);
    if (matches > 0)
        rhost_put_copy(current, "password", rhost_get(should, "password"));
    return matches < 0 ? -1 : 0;
}

/* A new file is nobody's but the owner's; one that exists keeps its mode. */
static void
like(rhost_ctx *ctx, const struct rhost_change *change, struct rhost_new_file *file)
{
    struct stat st;

    file->flags |= RHOST_FILE_ONLY_CHANGE;
    if (!rhost_gone(change) && rhost_path_stat(ctx, file->path, RHOST_PATH_FOLLOW, &st) < 0
        && errno == ENOENT)
        file->mode = 0600;
}

/* What the line is to have; NULL with *why. */
static const char *
desired_hash(rhost_ctx *ctx, const struct rhost_change *change, const struct entry *e, const char **why)
{
    const char *password = rhost_str(change->should, "password"), *hash = rhost_str(change->should, "hash");
    const char *scheme = rhost_str_or(change->should, "scheme", "bcrypt");
    int is_bcrypt = strcmp(scheme, "bcrypt") == 0;
    unsigned long cost = (unsigned long)(is_bcrypt ? rhost_int(change->should, "cost", DEFAULT_COST)
                                                   : rhost_int(change->should, "rounds", 0));

    if (hash)
        return hash;
    if (!password && e->hash_len)
        *why = "to change the scheme takes 'password'";
    else if (!password)
        *why = "a user who is not in the file yet needs 'password' or 'hash'";
    else if (!(hash = hash_make(ctx, scheme, password, cost)))
        *why = "the hash of the password cannot be computed";
    return hash;
}

static const char *
edit(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change)
{
    const char *user = rhost_str(change->name, "user"), *hash, *line, *why = NULL;
    struct entry e = find(l, user);
    char *goes = rhost_alloc(ctx, l->n + 1);

    /* Servers read the first line of a user alone: the others would come to life with its removal. */
    for (size_t i = 0; i < l->n; i++)
        goes[i] = (rhost_gone(change) || i > e.at) && is_line_of(&l->at[i], user, strlen(user));
    if (!rhost_gone(change)) {
        hash = desired_hash(ctx, change, &e, &why);
        if (!hash)
            return why;
        line = rhost_fmt(ctx, "%s:%s%.*s", user, hash, (int)e.rest_len, e.rest);
        if (e.at == l->n) {
            rhost_lines_append(l, line);
            return NULL;
        }
        rhost_lines_put(l, e.at, line, strlen(line));
    }
    rhost_lines_remove_marked(l, goes);
    return NULL;
}

static int32_t
htpasswd_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    static const struct rhost_lines_how how = { .struct_size = sizeof how, .edit = edit, .like = like };

    return rhost_lines_set(ctx, changes, n, &how);
}

static const char *const needs[] = { "write[$path]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]", NULL };

static const struct rhost_provider htpasswd_provider = {
    RHOST_PROVIDER("htpasswd", "Keep users of password files, as Apache and nginx read them."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK | RHOST_PURE_CANONICALIZE,
    .title_patterns = title_patterns,
    .relations = relations,
    .canonicalize = htpasswd_canonicalize,
    .validate = htpasswd_validate,
    .load = htpasswd_load,
    .set = htpasswd_set,
    .needs = needs,
};

RHOST_PLUGIN(htpasswd, "1.0", &htpasswd_provider)
