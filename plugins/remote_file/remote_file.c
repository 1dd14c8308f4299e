/* SPDX-License-Identifier: Apache-2.0 */
/* remote_file - keep files whose content comes from a URL.
 *
 * With a checksum, a file that has it is in sync without a request. Without one the server is asked whether
 * it has another file than the one that was downloaded, which takes no content where the server knows
 * conditional requests. */

#include "decide.h"
#include "decompress.h"
#include "digest.h"
#include "download.h"
#include "place.h"
#include "signature.h"
#include "source.h"
#include "sums.h"

#include <rhost/dry-run.h>
#include <rhost/file.h>
#include <rhost/mode.h>
#include <rhost/path.h>
#include <rhost/posix.h>

#include <fcntl.h>
#include <unistd.h>

#define TYPE_URL "Pattern[/\\A[A-Za-z][A-Za-z0-9+.-]*:\\/\\/[^\\s[:cntrl:]]*\\z/]"
#define TYPE_TEXT "Pattern[/\\A[^\\x00-\\x1f\\x7f]+\\z/]"

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the file." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the file should exist." },
    { .name = "source",
      .type = "Optional[Variant[" TYPE_URL ", Array[" TYPE_URL ", 1]]]",
      .desc = "The URL that it is downloaded from, http or https; of a list, the first one that has it." },
    { .name = "checksum",
      .type = "Optional[Pattern[/\\A[A-Za-z0-9-]*:?[0-9A-Fa-f]{32,128}\\z/]]",
      .desc = "The digest of the file, 'sha256:HEX' or 'sha512:HEX': a file that has it is not downloaded." },
    { .name = "mode",
      .type = "Optional[" RHOST_TYPE_ANY_MODE "]",
      .desc =
          "Permissions, in octal or as 'u=rw,g=r,o='; a new file has 0644, or 0600 where secrets get it." },
    { .name = "owner",
      .type = "Optional[" RHOST_TYPE_OWNER "]",
      .desc = "Name or number of the user it belongs to." },
    { .name = "group",
      .type = "Optional[" RHOST_TYPE_OWNER "]",
      .desc = "Name or number of the group it belongs to." },
    { .name = "checksum_source",
      .type = "Optional[" TYPE_URL "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The URL of a list of digests, such as SHA256SUMS, which has the one of the file." },
    { .name = "decompress",
      .type = "Enum[none, auto, gzip, bzip2, xz, zstd]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"none\"",
      .desc = "How the file is decompressed; 'checksum' and 'signature' are of the compressed one." },
    { .name = "signature",
      .type = "Optional[Variant[" TYPE_URL ", " RHOST_TYPE_PATH "]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The detached signature of the file, a URL or a file on this machine: minisign or OpenPGP." },
    { .name = "public_key",
      .type = "Optional[String[1]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The public key of minisign that the signature must be made with, or a file that has it." },
    { .name = "keyring",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "A file with the keys of OpenPGP one of which the signature must be made with." },
    { .name = "refresh",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "true",
      .desc = "Whether the server is asked for a newer file, where 'checksum' does not say which one." },
    { .name = "replace",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "true",
      .desc = "Whether a file that exists is replaced; false: only a missing one is downloaded." },
    { .name = "parents",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether the directories that it is to be in are created as well, with 0755." },
    { .name = "headers",
      .type =
          "Optional[Hash[Pattern[/\\A[!#$%&'*+.^_`|~0-9A-Za-z-]+\\z/], Pattern[/\\A[^\\x00\\r\\n]*\\z/]]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "Headers of the request, name and value." },
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
      .default_value = "10",
      .desc = "How many redirects are followed; from https never to http." },
    { .name = "size_limit",
      .type = "Integer[1]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "17179869184",
      .desc =
          "Bytes that the file may have, and its content where it is compressed; a larger one is refused." },
    { .name = "connect_timeout",
      .type = "Integer[1, 3600]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "30",
      .desc = "Seconds until there is a connection." },
    { .name = "stall_timeout",
      .type = "Integer[1, 3600]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "60",
      .desc = "Seconds without a byte after which a connection is given up." },
    { .name = "timeout",
      .type = "Integer[1, 86390]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "3600",
      .desc = "Seconds after which the whole download is given up." },
};

static const char *const relations[] = {
    "autorequire mount[$path/..]",
    "autorequire directory[$path/..]",
    "autorequire user[$owner]",
    "autorequire group[$group]",
    "autorequire file[$ca]",
    "autorequire file[$certificate]",
    "autorequire file[$key]",
    "autorequire file[$signature]",
    "autorequire file[$public_key]",
    "autorequire file[$keyring]",
    "autorequire x509_certificate[$ca]",
    "autorequire x509_certificate[$certificate]",
    "autorequire x509_key[$key]",
    "owns path[$path]",
    "edits content[$path]",
    NULL,
};

static int32_t
remote_file_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    static const char *const paths[] = { "path",    "ca",        "certificate", "key",
                                         "keyring", "signature", "public_key" };
    const char *sum = rhost_str(resource, "checksum"), *canonical = sum ? digest_canonical(ctx, sum) : NULL;

    if (sum && !canonical)
        return rhost_fail_attr(ctx, "checksum",
                               "expected 'sha256:' with 64 or 'sha512:' with 128 hexadecimal digits; MD5 and "
                               "SHA-1 can be forged");
    if (sum && strcmp(sum, canonical) != 0)
        rhost_put_str(resource, "checksum", canonical);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        rhost_tidy_path(ctx, resource, paths[i]);
    rhost_tidy_any_mode(resource, 0);
    rhost_tidy_owners(ctx, resource);
    return 0;
}

/* Under noop, of a file that would be downloaded: that it can be. */
static int32_t
foresee_download(rhost_ctx *ctx, const rhost_value *should)
{
    struct signature signature;
    struct fetch f;
    int32_t result = 0;

    if (!rhost_looks_ahead(ctx, should) || !source_count(should))
        return 0;
    rhost_info(ctx, "Would download '%s'", source_shown(should, 0));
    if (decide_wanted(should) && !rhost_has(should, "signature"))
        return 0;
    result = fetch_open(ctx, should, &f);
    if (result == 0)
        result = signature_open(&f, &signature);
    if (result == 0 && decide_wanted(should))
        return 0;
    if (result == 0 && rhost_has(should, "checksum_source"))
        return sums_fetch(&f) ? 0 : -1;
    return result == 0 ? decide_is_available(&f) : result;
}

/* For a download. Of a file that is there, an undo states only what it brings back. */
static int32_t
check_source(rhost_ctx *ctx, const rhost_value *should)
{
    if (source_count(should))
        return 0;
    return rhost_fail_attr(ctx, "source", "'source' is required: where the file is downloaded from");
}

static int32_t
absent(rhost_ctx *ctx, const char *path, const rhost_value *should)
{
    if (should && !rhost_wants_absence(should) && check_source(ctx, should) < 0)
        return -1;
    if (!rhost_looks_ahead(ctx, should))
        return RHOST_ABSENT;
    if (rhost_foresee_owners(ctx, should, NULL) < 0 || foresee_download(ctx, should) < 0)
        return -1;
    return rhost_absent_at(ctx, should, path);
}

/* What is reported of the file, without a request. */
static int32_t
report(rhost_ctx *ctx, struct subject *s, rhost_value *current)
{
    const rhost_value *should = s->should;
    const char *wanted = decide_wanted(should), *sum = NULL;
    int shows_source =
        s->has_record && s->record.url && (should || !s->record.fetched) && rhost_wants(ctx, "source");

    rhost_put_stat(ctx, current, &s->st);
    rhost_put_mode(current, should, &s->st);
    if (should && !rhost_bool(should, "replace", 1)) { /* what is there is good enough */
        rhost_put_copy(current, "checksum", rhost_get(should, "checksum"));
        return 0;
    }
    if (shows_source && !wanted) { /* as long as it is what came from there */
        sum = subject_sum(ctx, s, digest_algorithm(s->record.sum));
        if (!sum)
            return -1;
        if (strcmp(sum, s->record.sum) == 0)
            rhost_put_str(current, "source", s->record.url);
    }
    if (!wanted && !rhost_wants(ctx, "checksum"))
        return 0;
    if (!wanted)
        sum = subject_sum(ctx, s, DIGEST_DEFAULT);
    if (wanted ? subject_fetched(ctx, s, digest_algorithm(wanted), &sum) < 0 : !sum)
        return -1;
    if (sum)
        rhost_put_str(current, "checksum", sum);
    return wanted && (!sum || strcmp(sum, wanted) != 0) ? check_source(ctx, should) : 0;
}

static int32_t
remote_file_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path");
    int gone = rhost_wants_absence(should);
    struct subject s;
    struct stat st;
    int32_t result;

    if (rhost_path_stat(ctx, path, gone ? 0 : RHOST_PATH_FOLLOW, &st) < 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            return rhost_fail_path(ctx, "cannot read '%s'", path);
        if (gone && place_is_left(ctx, name, path))
            return 0; /* the rest of a run that was killed */
        return absent(ctx, path, should);
    }
    if (S_ISDIR(st.st_mode))
        return rhost_fail(ctx, "'%s' exists, but is not a regular file: it is a directory", path);
    if (gone && S_ISLNK(st.st_mode)) /* the link goes, and not what it leads to */
        return 0;
    if (!S_ISREG(st.st_mode))
        return rhost_fail(ctx, "'%s' exists, but is not a regular file", path);
    if (gone)
        return 0;
    result = subject_open(ctx, name, should, &s);
    if (result != 0)
        return result;
    result = report(ctx, &s, current);
    if (result == 0)
        result = rhost_foresee_owners(ctx, should, current);
    subject_close(&s);
    return result;
}

/* Alone, and by the server where that does not tell. */
static int
decide(rhost_ctx *ctx, struct subject *s)
{
    int decision = decide_alone(ctx, s);
    struct fetch f;

    if (decision != DECISION_ASK)
        return decision;
    return fetch_open(ctx, s->should, &f) < 0 ? -1 : decide_by_server(&f, s);
}

/* Which bytes they are is what counts, and not where they are from. */
static int32_t
remote_file_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    struct subject s;
    int32_t result;
    int decision;

    if (strcmp(attribute, "source") != 0 || !change->is || !change->should)
        return RHOST_DEFAULT_COMPARISON;
    if (decide_wanted(change->should)) /* `checksum` is compared */
        return 0;
    result = subject_open(ctx, change->name, change->should, &s);
    if (result == RHOST_ABSENT)
        return rhost_differs(ctx, "it was removed meanwhile");
    if (result < 0)
        return -1;
    decision = decide(ctx, &s);
    subject_close(&s);
    if (decision == DECISION_OTHER)
        return rhost_differs(ctx, "%s%s", s.why, rhost_noop(ctx) ? ": it would be downloaded" : "");
    return decision == DECISION_SAME ? 0 : -1;
}

/* The mode of the new file. Symbols count from the mode that there is, without its setuid and setgid: new
 * content does not inherit those. */
static mode_t
new_mode(const struct place *p, const rhost_value *should)
{
    const char *wanted = rhost_str(should, "mode");
    mode_t from = p->is_there ? p->old.st_mode & 01777 : source_is_secret(should) ? 0600 : 0644;

    return wanted ? (mode_t)rhost_mode_of(wanted, from, 0) : from;
}

/* The file is what was downloaded, and only its owner or mode has changed: it need not be read again to know
 * that. */
static int32_t
note_adjusted(rhost_ctx *ctx, struct subject *s)
{
    struct stat st;

    if (!s->has_record || !s->sum || strcmp(s->sum, s->record.sum) != 0 || fstat(s->fd, &st) < 0)
        return 0;
    s->record.stamp = record_stamp(ctx, &st);
    return record_write(ctx, s->name, &s->record);
}

/* Owner and mode of the file as it is. */
static int32_t
adjust(rhost_ctx *ctx, struct subject *s)
{
    int64_t uid, gid;

    if (rhost_wanted_id(ctx, s->should, "owner", 0, &uid) < 0
        || rhost_wanted_id(ctx, s->should, "group", 1, &gid) < 0)
        return -1;
    if (rhost_path_own(ctx, s->fd, uid, gid, rhost_mode_of(rhost_str(s->should, "mode"), s->st.st_mode, 0))
        < 0)
        return rhost_fail_errno(ctx, "cannot change the owner or the mode of '%s'", s->path);
    rhost_touched(ctx, s->path);
    return note_adjusted(ctx, s);
}

/* Notes what the file `fd` is. */
static int32_t
note(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, int fd, const struct download *d)
{
    struct record r = { .sum = d->sum, .etag = d->etag, .modified = d->modified, .fetched = d->fetched };
    struct stat st;

    if (fstat(fd, &st) < 0)
        return rhost_fail_errno(ctx, "cannot stat '%s'", rhost_str(name, "path"));
    r.stamp = record_stamp(ctx, &st);
    r.url_digest = record_url_digest(ctx, name, source_at(should, d->source));
    r.url = source_is_hidden(should, d->source) ? NULL : source_url(should, d->source);
    if (!r.url_digest
        || record_put_signature(ctx, name,
                                rhost_has(should, "signature") ? signature_record(ctx, should, d->sum) : NULL)
               < 0)
        return -1;
    return record_write(ctx, name, &r);
}

/* Puts what was downloaded in the place of the file. `s`: the file that is there; NULL: none. */
static int32_t
put(rhost_ctx *ctx, const struct rhost_change *change, struct download *d, struct subject *s)
{
    const rhost_value *should = change->should;
    struct place *p = d->target ? d->target : d->place;
    int64_t uid, gid;

    if (rhost_wanted_id(ctx, should, "owner", 0, &uid) < 0
        || rhost_wanted_id(ctx, should, "group", 1, &gid) < 0)
        return -1;
    if (s && s->st.st_size == d->have) {
        const char *sum = subject_sum(ctx, s, digest_algorithm(d->sum));

        if (!sum)
            return -1;
        if (strcmp(sum, d->sum) == 0) /* it has had this content, whatever the server called it */
            return adjust(ctx, s) < 0 ? -1 : note(ctx, change->name, should, s->fd, d);
    }
    if (place_commit(ctx, p, uid, gid, new_mode(p, should), !s) < 0)
        return -1;
    return note(ctx, change->name, should, p->fd, d);
}

/* Downloads the file. `s` and `is_asked`: see download_get(). */
static int32_t
bring(rhost_ctx *ctx, const struct rhost_change *change, struct subject *s, int is_asked)
{
    const rhost_value *should = change->should;
    const char *wanted = decide_wanted(should);
    int decompresses = decompress_is_desired(should);
    struct place p, packed;
    struct download d = { .place = decompresses ? &packed : &p, .target = decompresses ? &p : NULL };
    struct signature signature;
    struct fetch f;
    int32_t result;
    int got;

    d.signature = &signature;
    if (check_source(ctx, should) < 0 || fetch_open(ctx, should, &f) < 0
        || signature_open(&f, &signature) < 0)
        return -1;
    if (!wanted && rhost_has(should, "checksum_source")) {
        wanted = sums_fetch(&f);
        if (!wanted)
            return -1;
    }
    if (place_open(ctx, change->name, rhost_str(change->name, "path"), &p) < 0)
        return -1;
    if (decompresses && place_open_other(ctx, change->name, rhost_str(change->name, "path"), &packed) < 0) {
        place_close(ctx, &p);
        return -1;
    }
    got = download_get(&f, &d, wanted, is_asked ? s : NULL);
    result = got < 0 ? -1 : got == DOWNLOAD_NOT_MODIFIED ? adjust(ctx, s) : put(ctx, change, &d, s);
    if (decompresses)
        place_close(ctx, &packed);
    place_close(ctx, &p);
    return result;
}

static int32_t
remote_file_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");

    if (rhost_bool(change->should, "parents", 0) && rhost_make_parents(ctx, path) < 0)
        return -1;
    return bring(ctx, change, NULL, 0);
}

static int32_t
remote_file_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct subject s;
    int32_t result = subject_open(ctx, change->name, change->should, &s);
    int decision;

    if (result == RHOST_ABSENT)
        return rhost_fail(ctx, "'%s' was removed meanwhile", rhost_str(change->name, "path"));
    if (result < 0)
        return -1;
    decision = decide_alone(ctx, &s);
    if (decision == DECISION_ASK && rhost_has(change->should, "checksum_source"))
        decision = decide(ctx, &s);
    if (decision == DECISION_SAME)
        result = adjust(ctx, &s);
    else if (decision >= 0)
        result = bring(ctx, change, &s, decision == DECISION_ASK);
    else
        result = -1;
    subject_close(&s);
    return result;
}

static int32_t
remote_file_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");

    if (place_clean_up(ctx, change->name, path) < 0)
        return -1;
    if (rhost_path_unlink(ctx, path, 0) < 0 && errno != ENOENT)
        return rhost_fail_path(ctx, "cannot remove '%s'", path);
    rhost_touched(ctx, path);
    return 0;
}

static const char *const needs[] = {
    "write[$path]",
    "network[tcp]",
    "network[udp]",
    "read[/etc/resolv.conf]",
    "read[/etc/hosts]",
    "read[/etc/host.conf]",
    "read[/etc/gai.conf]",
    "read[/etc/ssl]",
    "read[/etc/pki]",
    "read[/usr/share/ca-certificates]",
    "read[/usr/local/share/ca-certificates]",
    "read[$ca]",
    "read[$certificate]",
    "read[$key]",
    "read[$signature]",
    "read[$public_key]",
    "read[$keyring]",
    "run[gpgv] if $keyring",
    "write[/tmp] if $keyring",
    "capability[chown dac_override dac_read_search fowner fsetid]",
    NULL,
};

static const struct rhost_provider remote_file_provider = {
    RHOST_PROVIDER("remote_file", "Keep files whose content comes from a URL."),
    RHOST_ATTRS(attrs),
    .features = RHOST_CREATES_NEW,
    .relations = relations,
    .canonicalize = remote_file_canonicalize,
    .validate = source_validate,
    .insync = remote_file_insync,
    .load = remote_file_load,
    .create = remote_file_create,
    .update = remote_file_update,
    .remove = remote_file_remove,
    .needs = needs,
};

RHOST_PLUGIN(remote_file, "1.0", &remote_file_provider)
