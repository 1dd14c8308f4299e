/* SPDX-License-Identifier: Apache-2.0 */
/* ssh_key - keep key pairs of ssh. A private key that is there is never replaced by a new one; the public key
 * beside it is written anew where it is not that of the private one. */

#include "pair.h"

#include "../ssh_authorized_key/keys.h"

#include <rhost/dry-run.h>
#include <rhost/posix.h>

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the private key; the public one has .pub behind it." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the key pair should exist." },
    { .name = "algorithm",
      .type = "Optional[Enum[ed25519, rsa, ecdsa]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "The algorithm of a new key; otherwise ed25519." },
    { .name = "bits",
      .type = "Optional[Integer[256, 8192]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "Bits of a new key: rsa from 2048, otherwise 3072; ecdsa 256, 384 or 521, otherwise 256." },
    { .name = "comment",
      .type = "Optional[Pattern[/\\A\\S([^\\r\\n]*\\S)?\\z/]]",
      .desc = "The comment of the key; a new one has user and host otherwise." },
    { .name = "passphrase",
      .type = "Optional[Sensitive[Pattern[/\\A[^\\r\\n]{1,1000}\\z/]]]",
      .desc =
          "What the private key is encrypted with; one that is not encrypted is, and stays the same key." },
    { .name = "owner",
      .type = "Optional[" RHOST_TYPE_OWNER "]",
      .desc =
          "Name or number of the user that the files belong to; otherwise that of a new pair's directory." },
    { .name = "group",
      .type = "Optional[" RHOST_TYPE_OWNER "]",
      .desc = "Name or number of the group that the files belong to." },
    { .name = "mode",
      .type = "Optional[" RHOST_TYPE_MODE "]",
      .desc = "Permissions of the private key in octal; a new one has 0600." },
    { .name = "public_key",
      .type = "String",
      .behaviour = RHOST_READ_ONLY,
      .desc = "The public key, as a line of authorized_keys." },
    { .name = "fingerprint",
      .type = "String",
      .behaviour = RHOST_READ_ONLY,
      .desc = "SHA256:... as ssh-keygen shows it." },
};

static const char *const relations[] = {
    "autorequire mount[$path/..]",
    "autorequire directory[$path/..]",
    "autorequire user[$owner]",
    "autorequire group[$group]",
    "owns path[$path]",
    "owns content[$path]",
    "owns path[${path}.pub]",
    "owns content[${path}.pub]",
    "loses the private key",
    NULL,
};

static int32_t
ssh_key_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *path;

    rhost_tidy_path(ctx, resource, "path");
    rhost_tidy_mode(resource);
    rhost_tidy_owners(ctx, resource);
    path = rhost_str(resource, "path");
    if (path && strlen(path) > 4 && strcmp(path + strlen(path) - 4, ".pub") == 0)
        return rhost_fail_attr(ctx, "path", "'path' is the private key, whose name does not end with '.pub'");
    return 0;
}

static int32_t
ssh_key_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *algorithm = rhost_str_or(resource, "algorithm", "ed25519");
    int64_t bits = rhost_int(resource, "bits", 0), mode = rhost_wanted_mode(resource);

    if (mode >= 0 && mode & 077 && rhost_has(resource, "passphrase"))
        return rhost_fail_attr(ctx, "mode",
                               "ssh-keygen decrypts no key that others than its owner have access to: with "
                               "'passphrase', 'mode' is 0600 or less");
    if (!rhost_has(resource, "bits"))
        return 0;
    if (strcmp(algorithm, "ed25519") == 0)
        return rhost_fail_attr(ctx, "bits", "'bits' is for 'algorithm: rsa' and 'ecdsa'");
    if (strcmp(algorithm, "ecdsa") == 0 && bits != 256 && bits != 384 && bits != 521)
        return rhost_fail_attr(ctx, "bits", "a key of ecdsa has 256, 384 or 521 bits");
    if (strcmp(algorithm, "rsa") == 0 && bits < 2048)
        return rhost_fail_attr(ctx, "bits", "a key of rsa has at least 2048 bits");
    return 0;
}

/* Both files would be made in the directory; ".ssh" is made as well. */
static int32_t
absent(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should)
{
    const char *path = rhost_str(name, "path"), *folder = rhost_parent_path(ctx, path);
    size_t len = folder ? strlen(folder) : 0;

    if (rhost_foresee_owners(ctx, should, NULL) < 0)
        return -1;
    return rhost_absent_at(ctx, should, len > 5 && strcmp(folder + len - 5, "/.ssh") == 0 ? folder : path);
}

static void
report(rhost_ctx *ctx, const struct private_key *k, const char *comment, rhost_value *current)
{
    char fingerprint[64];

    if (k->algorithm)
        rhost_put_str(current, "algorithm", k->algorithm);
    if (k->bits >= 256 && k->bits <= 8192)
        rhost_put_int(current, "bits", k->bits);
    if (comment)
        rhost_put_str(current, "comment", comment);
    key_fingerprint((struct key_part){ k->blob, strlen(k->blob) }, fingerprint);
    rhost_put_str(current, "public_key",
                  rhost_fmt(ctx, "%s %s%s%s", k->type, k->blob, comment ? " " : "", comment ? comment : ""));
    rhost_put_str(current, "fingerprint", fingerprint);
}

/* An encrypted key with a desired passphrase is decrypted once: 0, or -1 after the reason was given. */
static int
check_passphrase(rhost_ctx *ctx, const struct pair *p, const rhost_value *should, const struct stat *st,
                 rhost_value *current)
{
    const char *passphrase = rhost_wants_absence(should) ? NULL : rhost_str(should, "passphrase");
    int fits;

    if (passphrase && st->st_uid == p->runs_as && st->st_mode & 077)
        return rhost_fail(
            ctx,
            "'%s' has mode 0%03o, and ssh-keygen decrypts no key that others than its owner have "
            "access to; 'chmod 600 %s' first",
            p->path, (unsigned)st->st_mode & 0777, p->path);
    fits = passphrase ? pair_passphrase_fits(ctx, p, passphrase) : 1;
    if (fits < 0)
        return -1;
    if (!fits)
        return rhost_fail_attr(ctx, "passphrase", "cannot decrypt '%s': wrong passphrase", p->path);
    if (passphrase)
        rhost_put_copy(current, "passphrase", rhost_get(should, "passphrase"));
    return 0;
}

static int32_t
ssh_key_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    struct private_key k;
    const char *comment;
    struct stat st;
    struct pair p;
    int found = pair_open(ctx, rhost_str(name, "path"), should, 0, &p);
    int32_t result = 0;

    if (found == 0)
        found = pair_read(ctx, &p, &k, NULL, NULL, &st);
    else if (found > 0)
        found = 0;
    if (found > 0) {
        (void)pair_public_fault(ctx, &p, &k, &comment);
        report(ctx, &k, comment, current);
        rhost_put_stat(ctx, current, &st);
        result = k.encrypted ? check_passphrase(ctx, &p, should, &st, current) : 0;
        if (result == 0)
            result = rhost_foresee_owners(ctx, should, current);
    }
    if (found == 0 && rhost_looks_ahead(ctx, should) && !rhost_wants_absence(should)
        && pair_refuse_lone_public(ctx, &p) < 0)
        found = -1;
    pair_close(&p);
    if (found <= 0)
        return found < 0 ? -1 : absent(ctx, name, should);
    return result;
}

static int32_t
ssh_key_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *fault = NULL, *comment;
    struct private_key k;
    struct stat st;
    struct pair p;
    int found;

    if (strcmp(attribute, "ensure") != 0 || !change->is || rhost_gone(change))
        return RHOST_DEFAULT_COMPARISON;
    found = pair_open(ctx, rhost_str(change->name, "path"), change->should, 0, &p);
    if (found == 0)
        found = pair_read(ctx, &p, &k, NULL, NULL, &st);
    if (found == 1 && p.dir >= 0)
        fault = pair_public_fault(ctx, &p, &k, &comment);
    pair_close(&p);
    if (found < 0)
        return -1;
    return fault ? rhost_differs(ctx, "%s", fault) : RHOST_DEFAULT_COMPARISON;
}

static int32_t
ssh_key_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct pair p;
    int32_t result = pair_open(ctx, rhost_str(change->name, "path"), change->should, 1, &p);

    if (result == 0)
        result = pair_make(ctx, &p, change->should);
    pair_close(&p);
    return result;
}

static int
differs(const struct rhost_change *change, const char *attribute)
{
    const rhost_value *wanted = rhost_get(change->should, attribute), *now = rhost_get(change->is, attribute);

    return wanted && wanted->host->kind(wanted) != RHOST_UNDEF && (!now || !wanted->host->equal(wanted, now));
}

/* The same key, encrypted, with another comment, or with its own public key. */
static int32_t
update_files(rhost_ctx *ctx, const struct pair *p, const struct rhost_change *change)
{
    const char *passphrase = rhost_str(change->should, "passphrase"), *comment, *fault;
    const char *wanted = rhost_str(change->should, "comment");
    struct private_key k;
    struct stat st;
    int found = pair_read(ctx, p, &k, NULL, NULL, &st);

    if (found <= 0)
        return found < 0 ? -1 : rhost_fail(ctx, "'%s' does not exist any more", p->path);
    if (passphrase && !k.encrypted && pair_encrypt(ctx, p, passphrase) < 0)
        return -1;
    fault = pair_public_fault(ctx, p, &k, &comment);
    if (wanted && differs(change, "comment")) {
        if (k.encrypted && !passphrase && !fault)
            return rhost_fail_attr(ctx, "comment",
                                   "the private key is encrypted: to change its comment takes 'passphrase'");
        if ((!k.encrypted || passphrase) && pair_comment(ctx, p, wanted, passphrase) < 0)
            return -1;
        /* Of a key that has the comment, as after a run that was cut off here, it writes none. */
        fault = pair_public_fault(ctx, p, &k, &comment);
        if (!fault && (!comment || strcmp(comment, wanted) != 0))
            fault = "it has another comment";
    }
    return fault ? pair_write_public(ctx, p, &k, wanted) : 0;
}

static int32_t
ssh_key_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct pair p;
    int32_t result = pair_open(ctx, rhost_str(change->name, "path"), change->should, 0, &p);

    if (result > 0)
        result = rhost_fail(ctx, "'%s' does not exist any more", p.path);
    if (result == 0)
        result = update_files(ctx, &p, change);
    if (result == 0 && (differs(change, "owner") || differs(change, "group") || differs(change, "mode")))
        result = pair_own(ctx, &p, change->should);
    pair_close(&p);
    return result;
}

static int32_t
ssh_key_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct pair p;
    int32_t result = pair_open(ctx, rhost_str(change->name, "path"), NULL, 0, &p);

    result = result == 0 ? pair_remove(ctx, &p) : result < 0 ? -1 : 0;
    pair_close(&p);
    return result;
}

static const char *const needs[] = { "user[$owner]",
                                     "write[$path/../.]",
                                     "run[ssh-keygen]",
                                     "capability[setgid setuid]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider ssh_key_provider = {
    RHOST_PROVIDER("ssh_key", "Keep key pairs of ssh."),
    RHOST_ATTRS(attrs),
    .features = RHOST_CREATES_NEW | RHOST_PURE_CANONICALIZE | RHOST_READ_BACK,
    .relations = relations,
    .canonicalize = ssh_key_canonicalize,
    .validate = ssh_key_validate,
    .insync = ssh_key_insync,
    .load = ssh_key_load,
    .create = ssh_key_create,
    .update = ssh_key_update,
    .remove = ssh_key_remove,
    .needs = needs,
};

RHOST_PLUGIN(ssh_key, "1.0", &ssh_key_provider)
