/* SPDX-License-Identifier: Apache-2.0 */
/* ssh_authorized_key - keep the public keys with which a user may come in.
 *
 * A key has one line, whatever its comment; the comment is the name. Lines of others stay. The keys of a
 * file that change in one batch are one reading and one rewrite of it. */

#include "declared.h"
#include "entry.h"
#include "keys.h"
#include "listing.h"
#include "place.h"
#include "twins.h"

#include <rhost/dry-run.h>

#include <ctype.h>
#include <pwd.h>

#define FILE_NAME "authorized_keys"
#define TYPES                                                                                                \
    "Variant[Enum[rsa, dsa, ed25519, ecdsa, ed25519-sk, ecdsa-sk, ssh-rsa, ssh-dss, ssh-ed25519, "           \
    "ecdsa-sha2-nistp256, ecdsa-sha2-nistp384, ecdsa-sha2-nistp521], "                                       \
    "Pattern[/\\A[a-z0-9-]+@openssh\\.com\\z/]]"

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[^\\s#]([^\\r\\n]*\\S)?\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The comment of the key; or SHA256:... for one that has none of its own." },
    { .name = "user",
      .type = "Pattern[/\\A[^\\s:\\/]+\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The user who may log in with it." },
    { .name = "target",
      .type = "Pattern[/\\A(\\/.*)?\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .default_value = "\"\"",
      .desc = "The file; empty for .ssh/authorized_keys of the user." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the key should be there." },
    { .name = "type", .type = "Optional[" TYPES "]", .desc = "Its type, which the key says as well." },
    { .name = "key", .type = "String[16]", .desc = "The key in base64; or the whole line of a .pub file." },
    { .name = "options",
      .type = "Optional[Array[String[1]]]",
      .behaviour = RHOST_UNORDERED,
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
    "edits content[$target]",
    NULL,
};

struct state {
    struct rhost_clashes clashes;
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
        rhost_clashes_clear(&state->clashes);
        rhost_lines_free(state->lines);
    }
    free(state);
    *ctx->host->state(ctx) = NULL;
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
    const char *other = twin_of(ctx, &state->clashes, name);

    return other ? rhost_fail(ctx,
                              "ssh_authorized_key[%s] has the same key: a key has one line, with one "
                              "name (one that is 'absent' may leave out 'key')",
                              other)
                 : 0;
}

static int32_t
key_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    int gone = rhost_wants_absence(should), rc;
    struct rhost_lines *l;
    struct place p;
    struct entry f;

    if (should && check_twins(ctx, name) < 0)
        return -1;
    rc = place_find(ctx, rhost_str(name, "user"), FILE_NAME, rhost_str_or(name, "target", ""), &p);
    if (rc > 0 && rhost_looks_ahead(ctx, should)
        && rhost_foresee_account(ctx, "user", 0, rhost_str(name, "user")) < 0)
        return -1;
    if (rc)
        return rc < 0 ? -1 : RHOST_ABSENT; /* a user that this run creates */
    l = lines_of(ctx, &p);
    place_close(&p);
    if (!l)
        return -1;
    f = entry_find(l, rhost_str(name, "name"), rhost_str(should, "key"));
    if (f.n_named)
        entry_report(current, &f.k);
    if (f.n_named || (gone && f.n_keyed))
        return 0;
    return l->exists || p.own ? RHOST_ABSENT : rhost_absent_at(ctx, should, rhost_str(name, "target"));
}

/* Lines beside the one that counts, and what would keep sshd from heeding the file. */
static int32_t
key_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *blob = rhost_str(change->should, "key"), *fault;
    int for_key = strcmp(attribute, "key") == 0;
    struct rhost_lines *l;
    struct place p;
    struct entry f;

    if (rhost_gone(change) || !change->is || (!for_key && strcmp(attribute, "ensure") != 0))
        return RHOST_DEFAULT_COMPARISON;
    if (for_key && !key_part_is((struct key_part){ blob, strlen(blob) }, rhost_str_or(change->is, "key", "")))
        return RHOST_DEFAULT_COMPARISON;
    if (place_find(ctx, rhost_str(change->name, "user"), FILE_NAME, rhost_str_or(change->name, "target", ""),
                   &p))
        return RHOST_DEFAULT_COMPARISON;
    l = lines_of(ctx, &p);
    fault = l && !for_key ? place_fault(ctx, &p, l) : NULL;
    place_close(&p);
    if (!l)
        return -1;
    if (fault)
        return rhost_differs(ctx, "%s, so sshd would ignore it", fault);
    f = entry_find(l, rhost_str(change->name, "name"), blob);
    if (for_key && f.n_keyed > 1)
        return rhost_differs(ctx, "%zu lines have this key", f.n_keyed);
    return RHOST_DEFAULT_COMPARISON;
}

/* As the type of `name` has it: a user who writes anything else must not fail the list of all. */
static int
may_be_name(const char *comment, size_t len)
{
    return len && strlen(comment) == len && rhost_is_utf8(comment, len) && *comment != '#'
           && !isspace((unsigned char)*comment) && !isspace((unsigned char)comment[len - 1])
           && !strpbrk(comment, "\r\n");
}

/* All keys of the usual file of a user, each once; those without a comment of their own by what
 * ssh-keygen calls them. */
static int
list_user(rhost_ctx *ctx, const char *user, const struct rhost_lines *l)
{
    const struct listing_key *keys;
    size_t n = listing_make(ctx, l, &keys);

    for (size_t i = 0; i < n; i++) {
        const struct listing_key *one = &keys[i];
        const char *comment, *name;
        rhost_value *resource;

        if (!one->is_first || !key_is_whole(&one->k))
            continue;
        comment = rhost_copy(ctx, one->k.comment.at, one->k.comment.len);
        resource = ctx->host->new_hash(ctx);
        name = one->has_name && may_be_name(comment, one->k.comment.len) ? comment : one->fingerprint;
        rhost_put_str(resource, "name", name);
        rhost_put_str(resource, "user", user);
        if (!strpbrk(user, " \t:/") && strlen(user) + strlen(name) < RHOST_MESSAGE_MAX - 8)
            rhost_put_fmt(resource, "title", "%s: %s", user, name);
        rhost_put_str(resource, "target", "");
        entry_report(resource, &one->k);
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
    int no_memory = 0;

    (void)names;
    setpwent();
    while (result == 0 && (pw = getpwent())) {
        const char *user = rhost_strdup(ctx, pw->pw_name);
        const char *path = rhost_fmt(ctx, "%s/.ssh/" FILE_NAME, pw->pw_dir);
        struct rhost_lines *l;
        struct stat st;
        struct place p;

        if (*pw->pw_dir != '/'
            || (rhost_path_stat(ctx, path, 0, &st) < 0 && (errno == ENOENT || errno == ENOTDIR)))
            continue; /* most have none */
        if (place_find(ctx, user, FILE_NAME, "", &p) != 0)
            continue;
        p.no_memory = &no_memory;
        p.warn = 1; /* one user must not keep the keys of all others from being seen */
        l = lines_of(ctx, &p);
        place_close(&p);
        result = l ? list_user(ctx, user, l) : no_memory ? -1 : 0;
    }
    endpwent();
    return result;
}

/* What rhost_lines_set_kept() has to keep: the file of one user at a time. */
struct keeping {
    const struct rhost_change *const *changes;
    struct place place;
};

static int
same_place(rhost_ctx *ctx, void *data, size_t i, size_t k)
{
    const struct keeping *keeping = data;
    const rhost_value *a = keeping->changes[i]->name, *b = keeping->changes[k]->name;

    (void)ctx;
    return strcmp(rhost_str_or(a, "user", ""), rhost_str_or(b, "user", "")) == 0
           && strcmp(rhost_str_or(a, "target", ""), rhost_str_or(b, "target", "")) == 0;
}

static struct rhost_lines *
read_place(rhost_ctx *ctx, void *data, size_t i)
{
    struct keeping *keeping = data;
    const rhost_value *name = keeping->changes[i]->name;
    const char *user = rhost_str(name, "user");
    int rc;

    place_close(&keeping->place);
    rc = place_find(ctx, user, FILE_NAME, rhost_str_or(name, "target", ""), &keeping->place);
    if (rc > 0)
        rhost_fail_attr(ctx, "user", "unknown user '%s'", user);
    return rc == 0 ? lines_of(ctx, &keeping->place) : NULL;
}

static int32_t
write_place(rhost_ctx *ctx, void *data, size_t i, struct rhost_lines *l)
{
    (void)i;
    return place_write(ctx, &((struct keeping *)data)->place, l);
}

static int32_t
key_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    struct keeping keeping = { .changes = changes, .place = { .dir = -1 } };
    const struct rhost_lines_keeper keeper = {
        .struct_size = sizeof keeper,
        .data = &keeping,
        .same = same_place,
        .read = read_place,
        .edit = entry_edit,
        .write = write_place,
    };
    int32_t result = rhost_lines_set_kept(ctx, changes, n, &keeper);

    place_close(&keeping.place);
    return result;
}

static const char *const needs[] = { "user[$user] unless $target",
                                     "write[$target]",
                                     "write[~$user/.ssh] unless $target",
                                     "read[~*/.ssh/" FILE_NAME "]",
                                     "capability[setgid setuid]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider ssh_authorized_key_provider = {
    RHOST_PROVIDER("ssh_authorized_key", "Keep the public keys with which a user may log in."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .title_patterns = title_patterns,
    .relations = relations,
    .needs = needs,
    .open = key_open,
    .close = key_close,
    .canonicalize = declared_canonicalize,
    .insync = key_insync,
    .load = key_load,
    .get = key_get,
    .set = key_set,
};

RHOST_PLUGIN(ssh_authorized_key, "1.0", &ssh_authorized_key_provider)
