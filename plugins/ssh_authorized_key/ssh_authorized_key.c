/* SPDX-License-Identifier: Apache-2.0 */
/* ssh_authorized_key - keep the public keys with which a user may come in.
 *
 * A key has one line, whatever its comment; the comment is the name. Lines of others stay. The keys of a
 * file that change in one batch are one reading and one rewrite of it. */

#include "keys.h"
#include "place.h"
#include "twins.h"

#include <rhost/posix.h>

#include <ctype.h>
#include <pwd.h>

#define TYPES                                                                                      \
    "Variant[Enum[rsa, dsa, ed25519, ecdsa, ed25519-sk, ecdsa-sk, ssh-rsa, ssh-dss, ssh-ed25519, "  \
    "ecdsa-sha2-nistp256, ecdsa-sha2-nistp384, ecdsa-sha2-nistp521], "                              \
    "Pattern[/\\A[a-z0-9-]+@openssh\\.com\\z/]]"

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "Pattern[/\\A[^\\s#]([^\\r\\n]*\\S)?\\z/]", .behaviour = RHOST_NAMEVAR,
      .desc = "The comment of the key; or SHA256:... for one that has none of its own." },
    { .name = "user", .type = "Pattern[/\\A[^\\s:\\/]+\\z/]", .behaviour = RHOST_NAMEVAR,
      .desc = "The user who may come in with it." },
    { .name = "target", .type = "Pattern[/\\A(\\/.*)?\\z/]", .behaviour = RHOST_NAMEVAR,
      .default_value = "\"\"", .desc = "The file; empty for .ssh/authorized_keys of the user." },
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"",
      .desc = "Whether the key should be there." },
    { .name = "type", .type = "Optional[" TYPES "]",
      .desc = "Its type, which the key says as well." },
    { .name = "key", .type = "String[16]",
      .desc = "The key in base64; or the whole line of a .pub file." },
    { .name = "options", .type = "Optional[Array[String[1]]]", .behaviour = RHOST_UNORDERED,
      .desc = "What sshd makes of it: no-pty, from=\"10.0.0.0/8\", command=\"...\"." },
};

static const char *const title_patterns[] = {
    "\\A(?<user>[^\\s:\\/]+): (?<name>\\S.*)\\z",
    "\\A(?<name>.+)\\z",
    NULL,
};

static const char *const relations[] = {
    "autorequire user[$user]",
    "autorequire file[$target]",
    "autorequire directory[$target/..]",
    NULL,
};

struct state {
    int looked;
    struct twins *twins;
    struct rhost_lines *lines; /* that were read last */
};

static int32_t
key_open(rhost_ctx *ctx)
{
    void **state = ctx->host->state(ctx);

    *state = calloc(1, sizeof(struct state));
    return *state ? 0 : rhost_fail(ctx, "out of memory");
}

static void
key_close(rhost_ctx *ctx)
{
    struct state *state = *ctx->host->state(ctx);

    if (state) {
        twins_free(state->twins);
        rhost_lines_free(state->lines);
    }
    free(state);
    *ctx->host->state(ctx) = NULL;
}

/* --- Canonical form ------------------------------------------------------------------------- */

static const char *
full_type(const char *type)
{
    static const char *const shorter[][2] = {
        { "rsa", "ssh-rsa" },
        { "dsa", "ssh-dss" },
        { "ed25519", "ssh-ed25519" },
        { "ecdsa", "ecdsa-sha2-nistp256" },
        { "ed25519-sk", "sk-ssh-ed25519@openssh.com" },
        { "ecdsa-sk", "sk-ecdsa-sha2-nistp256@openssh.com" },
    };

    for (size_t i = 0; i < sizeof shorter / sizeof *shorter; i++)
        if (strcmp(type, shorter[i][0]) == 0)
            return shorter[i][1];
    return type;
}

static int
tidy_key(rhost_ctx *ctx, rhost_value *resource, const char *type)
{
    size_t len = 0;
    const char *text = rhost_bytes(resource, "key", &len);
    struct key_part blob = { text, len };
    char own[64], why[160];
    struct key k;

    if (!text)
        return 0;
    if (strlen(text) == len && key_parse(text, len, &k)) {
        if (k.options.len)
            return rhost_fail_attr(ctx, "key", "it begins with options, which belong into 'options'");
        blob = k.blob;
    }
    if (key_check_blob(blob.at, blob.len, type, own, why, sizeof why) < 0)
        return rhost_fail_attr(ctx, "key", "%s", why);
    if (blob.len != len) {
        char *copy = rhost_alloc(ctx, blob.len + 1);

        memcpy(copy, blob.at, blob.len);
        rhost_put_str(resource, "key", copy);
    }
    return 0;
}

static int32_t
key_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *type = rhost_str(resource, "type");
    const rhost_value *options = rhost_get(resource, "options");

    if (type && full_type(type) != type) {
        type = full_type(type);
        rhost_put_str(resource, "type", type);
    }
    for (size_t i = 0; i < rhost_count(options); i++) {
        const char *option = rhost_str_at(options, i), *end = option + strlen(option);
        long n = key_option_length(option, end);

        if (strpbrk(option, "\r\n"))
            return rhost_fail_attr(ctx, "options", "an option is one line");
        if (n < 0)
            return rhost_fail_attr(ctx, "options", "the quotes of '%s' are not closed", option);
        if (option + n != end)
            return rhost_fail_attr(ctx, "options", "'%s' has a blank or a comma outside of quotes; each "
                                                   "option is an entry of its own", option);
    }
    rhost_tidy_path(ctx, resource, "target");
    return tidy_key(ctx, resource, type);
}

/* --- Looking -------------------------------------------------------------------------------- */

/* The lines that are about one resource. */
struct found {
    size_t named, n_named; /* the line that has its name, if any does */
    size_t keyed, n_keyed; /* the first that has the key */
    struct key k;          /* of the line that counts */
};

/* Of several with its name the one with its key counts, and else the first. */
static struct found
find(const struct rhost_lines *l, const char *name, const char *blob)
{
    int printed = strncmp(name, "SHA256:", 7) == 0;
    struct found f = { 0 };
    char fingerprint[64];

    for (size_t i = 0; i < l->n; i++) {
        int has_name, has_key;
        struct key k;

        if (!key_parse(l->at[i].text, l->at[i].len, &k))
            continue;
        has_name = key_part_is(k.comment, name);
        if (printed && !has_name) {
            key_fingerprint(k.blob, fingerprint);
            has_name = strcmp(fingerprint, name) == 0;
        }
        has_key = blob && key_part_is(k.blob, blob);
        if (has_key && !f.n_keyed++)
            f.keyed = i;
        if (has_name && (!f.n_named || (has_key && !key_part_is(f.k.blob, blob)))) {
            f.named = i;
            f.k = k;
        }
        f.n_named += (size_t)has_name;
    }
    return f;
}

static void
put_options(rhost_value *into, struct key_part options)
{
    rhost_value *array = into->host->put_array(into, "options");
    const char *at = options.at, *end = at + options.len;

    while (at < end) {
        long n = key_option_length(at, end);

        if (n <= 0)
            break;
        rhost_put_bytes(array, NULL, at, (size_t)n);
        at += n + (at + n < end);
    }
}

static int
is_whole(const struct key *k)
{
    char own[64], why[160];

    return key_check_blob(k->blob.at, k->blob.len, NULL, own, why, sizeof why) == 0;
}

/* A key that is cut short is none: it stays unknown, and what is wanted takes its place. */
static void
report(rhost_value *into, const struct key *k)
{
    rhost_put_bytes(into, "type", k->type.at, k->type.len);
    if (is_whole(k))
        rhost_put_bytes(into, "key", k->blob.at, k->blob.len);
    if (rhost_is_utf8(k->options.at, k->options.len))
        put_options(into, k->options);
}

/* The lines of the place, which are kept until others are asked for. */
static struct rhost_lines *
lines_of(rhost_ctx *ctx, struct place *p)
{
    struct state *state = *ctx->host->state(ctx);

    rhost_lines_free(state->lines);
    state->lines = place_read(ctx, p);
    return state->lines;
}

static int
check_twins(rhost_ctx *ctx, const rhost_value *name)
{
    struct state *state = *ctx->host->state(ctx);
    const char *other;

    if (!state->looked)
        state->twins = twins_find(ctx);
    state->looked = 1;
    other = twins_of(state->twins, name);
    return other ? rhost_fail(ctx, "ssh_authorized_key[%s] has the same key: a key has one line, with one "
                                   "name (one that is 'absent' may leave out 'key')", other)
                 : 0;
}

static int32_t
key_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    int gone = strcmp(rhost_str_or(should, "ensure", ""), "absent") == 0, rc;
    struct rhost_lines *l;
    struct place p;
    struct found f;

    if (should && check_twins(ctx, name) < 0)
        return -1;
    rc = place_find(ctx, rhost_str(name, "user"), rhost_str_or(name, "target", ""), &p);
    if (rc)
        return rc < 0 ? -1 : RHOST_ABSENT; /* under noop the user may still be made */
    l = lines_of(ctx, &p);
    place_close(&p);
    if (!l)
        return -1;
    f = find(l, rhost_str(name, "name"), rhost_str(should, "key"));
    if (f.n_named)
        report(current, &f.k);
    return f.n_named || (gone && f.n_keyed) ? 0 : RHOST_ABSENT;
}

/* Lines beside the one that counts, and what would keep sshd from heeding the file. */
static int32_t
key_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *blob = rhost_str(change->should, "key"), *fault;
    int for_key = strcmp(attribute, "key") == 0;
    struct rhost_lines *l;
    struct place p;
    struct found f;

    if (rhost_gone(change) || !change->is || (!for_key && strcmp(attribute, "ensure") != 0))
        return RHOST_DEFAULT_COMPARISON;
    if (for_key && !key_part_is((struct key_part){ blob, strlen(blob) },
                                rhost_str_or(change->is, "key", "")))
        return RHOST_DEFAULT_COMPARISON;
    if (place_find(ctx, rhost_str(change->name, "user"), rhost_str_or(change->name, "target", ""), &p))
        return RHOST_DEFAULT_COMPARISON;
    l = lines_of(ctx, &p);
    fault = l && !for_key ? place_fault(ctx, &p, l) : NULL;
    place_close(&p);
    if (!l)
        return -1;
    if (fault)
        return rhost_differs(ctx, "%s, so that sshd would not heed it", fault);
    f = find(l, rhost_str(change->name, "name"), blob);
    if (for_key && f.n_keyed > 1)
        return rhost_differs(ctx, "%zu lines have this key", f.n_keyed);
    return RHOST_DEFAULT_COMPARISON;
}

/* All keys of the usual file of a user, each once; those without a comment of their own by what
 * ssh-keygen calls them. */
static int
list_user(rhost_ctx *ctx, const char *user, const struct rhost_lines *l)
{
    for (size_t i = 0; i < l->n; i++) {
        char fingerprint[64], *comment, *blob;
        const char *name;
        rhost_value *resource;
        struct found f;
        struct key k;

        if (!key_parse(l->at[i].text, l->at[i].len, &k) || !is_whole(&k))
            continue;
        comment = rhost_alloc(ctx, k.comment.len + 1);
        memcpy(comment, k.comment.at, k.comment.len);
        blob = rhost_alloc(ctx, k.blob.len + 1);
        memcpy(blob, k.blob.at, k.blob.len);
        f = find(l, comment, blob);
        if (f.keyed != i)
            continue;
        key_fingerprint(k.blob, fingerprint);
        f = find(l, comment, NULL);
        resource = ctx->host->new_hash(ctx);
        name = *comment && *comment != '#' && rhost_is_utf8(comment, k.comment.len)
                       && strlen(comment) == k.comment.len && f.named == i
                   ? comment
                   : fingerprint;
        rhost_put_str(resource, "name", name);
        rhost_put_str(resource, "user", user);
        if (!strpbrk(user, " \t:/") && strlen(user) + strlen(name) < RHOST_MESSAGE_MAX - 8)
            rhost_put_fmt(resource, "title", "%s: %s", user, name);
        rhost_put_str(resource, "target", "");
        report(resource, &k);
        if (ctx->host->emit(ctx, resource) < 0)
            return -1;
    }
    return 0;
}

static int32_t
key_get(rhost_ctx *ctx, const rhost_value *names)
{
    struct passwd *pw;
    int32_t result = 0;

    (void)names;
    setpwent();
    while (result == 0 && (pw = getpwent())) {
        size_t size = strlen(pw->pw_dir) + sizeof "/.ssh/authorized_keys";
        char *user = rhost_alloc(ctx, strlen(pw->pw_name) + 1), *path = rhost_alloc(ctx, size);
        struct rhost_lines *l;
        struct place p;

        memcpy(user, pw->pw_name, strlen(pw->pw_name) + 1);
        snprintf(path, size, "%s/.ssh/authorized_keys", pw->pw_dir);
        if (*pw->pw_dir != '/' || access(path, F_OK) < 0)
            continue; /* most have none */
        if (place_find(ctx, user, "", &p) != 0)
            continue;
        p.warn = 1; /* one user must not keep the keys of all others from being seen */
        l = lines_of(ctx, &p);
        place_close(&p);
        result = l ? list_user(ctx, user, l) : 0;
    }
    endpwent();
    return result;
}

/* --- Writing -------------------------------------------------------------------------------- */

/* Removes every line that has the name or the key, but line `keep`. */
static void
remove_lines(struct rhost_lines *l, const char *name, const char *blob, size_t keep)
{
    char fingerprint[64];

    for (size_t i = l->n; i-- > 0;) {
        struct key k;
        int goes;

        if (i == keep || !key_parse(l->at[i].text, l->at[i].len, &k))
            continue;
        key_fingerprint(k.blob, fingerprint);
        goes = (name && (key_part_is(k.comment, name) || strcmp(fingerprint, name) == 0))
               || (blob && key_part_is(k.blob, blob));
        if (goes)
            rhost_lines_remove(l, i, 1);
    }
}

static void
append(char **to, const char *text, size_t len)
{
    memcpy(*to, text, len);
    *to += len;
}

/* The line of the key; `old` is what it was, with no blob when there was none. */
static char *
compose(rhost_ctx *ctx, const struct rhost_change *change, const struct key *old, const char *blob,
        const char *type)
{
    const rhost_value *options = rhost_get(change->should, "options");
    const char *name = rhost_str(change->name, "name");
    int printed = strncmp(name, "SHA256:", 7) == 0 && old->blob.len;
    size_t size = old->options.len + strlen(type) + strlen(blob) + strlen(name) + old->comment.len + 8;
    char *text, *to;

    for (size_t i = 0; i < rhost_count(options); i++)
        size += strlen(rhost_str_at(options, i)) + 1;
    text = to = rhost_alloc(ctx, size);
    for (size_t i = 0; i < rhost_count(options); i++) {
        append(&to, ",", i > 0);
        append(&to, rhost_str_at(options, i), strlen(rhost_str_at(options, i)));
    }
    if (!options || options->host->kind(options) == RHOST_UNDEF)
        append(&to, old->options.at, old->options.len);
    append(&to, " ", to > text);
    append(&to, type, strlen(type));
    append(&to, " ", 1);
    append(&to, blob, strlen(blob));
    if (printed && old->comment.len) {
        append(&to, " ", 1);
        append(&to, old->comment.at, old->comment.len);
    } else if (!printed) {
        append(&to, " ", 1);
        append(&to, name, strlen(name));
    }
    return text;
}

static const char *
edit(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name"), *blob = rhost_str_of(change, "key");
    char own[64], why[160], *text;
    struct key old = { 0 };
    struct found f;
    size_t at;

    if (rhost_gone(change)) {
        remove_lines(l, name, rhost_str(change->should, "key"), l->n);
        return NULL;
    }
    if (!blob || key_check_blob(blob, strlen(blob), rhost_str(change->should, "type"), own, why,
                                sizeof why) < 0)
        return "the key on the machine is not of the type that is wanted";
    f = find(l, name, blob);
    at = f.n_named ? f.named : f.n_keyed ? f.keyed : l->n;
    if (at < l->n)
        (void)key_parse(l->at[at].text, l->at[at].len, &old);
    text = compose(ctx, change, &old, blob, own);
    if (at < l->n && !rhost_line_is(l, at, text, strlen(text)))
        rhost_lines_put(l, at, text, strlen(text));
    else if (at == l->n)
        rhost_lines_append(l, text);
    remove_lines(l, NULL, blob, at);
    l->edited = 1; /* or its modes are to be righted */
    return NULL;
}

static int
same_place(const struct rhost_change *a, const struct rhost_change *b)
{
    return strcmp(rhost_str_or(a->name, "user", ""), rhost_str_or(b->name, "user", "")) == 0
           && strcmp(rhost_str_or(a->name, "target", ""), rhost_str_or(b->name, "target", "")) == 0;
}

static int32_t
tell(rhost_ctx *ctx, const struct rhost_change *change, const char *why)
{
    int32_t doing = why                 ? RHOST_FAILING
                    : rhost_gone(change) ? RHOST_DELETING
                    : change->is        ? RHOST_UPDATING
                                        : RHOST_CREATING;

    return ctx->host->did(ctx, doing, &change->title, 1, why ? NULL : change->is,
                          why ? NULL : change->should, why);
}

/* All changes from `from` on that are for its file. */
static int32_t
set_place(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t from, size_t n, char *done)
{
    const struct rhost_change *first = changes[from];
    const char *user = rhost_str(first->name, "user"), *why;
    struct rhost_lines *l = NULL;
    struct place p;
    int rc = place_find(ctx, user, rhost_str_or(first->name, "target", ""), &p);
    int32_t result = -1;

    if (rc > 0)
        rhost_fail_attr(ctx, "user", "there is no user '%s'", user);
    if (rc == 0)
        l = lines_of(ctx, &p);
    for (size_t k = from; l && k < n; k++) {
        if (done[k] || !same_place(changes[k], first))
            continue;
        why = edit(ctx, l, changes[k]);
        if (why)
            (void)tell(ctx, changes[k], why);
        done[k] = why ? 2 : 1;
    }
    if (l)
        result = l->edited ? place_write(ctx, &p, l) : 0;
    place_close(&p);
    for (size_t k = from; k < n; k++) {
        if (!same_place(changes[k], first))
            continue;
        if (done[k] == 1 && result == 0)
            (void)tell(ctx, changes[k], NULL);
        done[k] = 2;
    }
    return result;
}

static int32_t
key_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    char *done = rhost_alloc(ctx, n + 1); /* 1: in this turn, 2: done */
    int32_t result = 0;

    for (size_t i = 0; i < n; i++)
        if (!done[i] && set_place(ctx, changes, i, n, done) < 0)
            result = -1;
    return result;
}

static const struct rhost_provider ssh_authorized_key_provider = {
    RHOST_PROVIDER("ssh_authorized_key", "Keep the public keys with which a user may come in."),
    RHOST_ATTRS(attrs),
    .title_patterns = title_patterns,
    .relations      = relations,
    .open           = key_open,
    .close          = key_close,
    .canonicalize   = key_canonicalize,
    .insync         = key_insync,
    .load           = key_load,
    .get            = key_get,
    .set            = key_set,
};

RHOST_PLUGIN(ssh_authorized_key, "1.0", &ssh_authorized_key_provider)
