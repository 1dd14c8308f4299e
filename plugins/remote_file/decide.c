/* SPDX-License-Identifier: Apache-2.0 */
/* decide - whether the file at the path is the one that the source has. */

#include "decide.h"

#include "decompress.h"
#include "digest.h"
#include "signature.h"
#include "source.h"
#include "sums.h"

#include <rhost/path.h>

#include <fcntl.h>
#include <unistd.h>

int32_t
subject_open(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, struct subject *s)
{
    *s = (struct subject){ .name = name, .should = should, .path = rhost_str(name, "path"), .fd = -1 };
    s->fd = rhost_path_open(ctx, s->path, RHOST_PATH_FOLLOW, O_RDONLY | O_NONBLOCK, 0);
    if (s->fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return RHOST_ABSENT;
    if (s->fd < 0)
        return rhost_fail_path(ctx, "cannot read '%s'", s->path);
    if (fstat(s->fd, &s->st) < 0)
        (void)rhost_fail_errno(ctx, "cannot read '%s'", s->path);
    else if (!S_ISREG(s->st.st_mode))
        (void)rhost_fail(ctx, "'%s' is not a regular file any more", s->path);
    else {
        s->has_record = record_read(ctx, name, &s->record);
        return 0;
    }
    subject_close(s);
    return -1;
}

void
subject_close(struct subject *s)
{
    if (s->fd >= 0)
        (void)close(s->fd);
    s->fd = -1;
}

const char *
subject_sum(rhost_ctx *ctx, struct subject *s, const char *algorithm)
{
    if (s->sum && strcmp(digest_algorithm(s->sum), algorithm) == 0)
        return s->sum;
    if (s->has_record && strcmp(digest_algorithm(s->record.sum), algorithm) == 0
        && strcmp(s->record.stamp, record_stamp(ctx, &s->st)) == 0)
        s->sum = s->record.sum;
    else
        s->sum = digest_file(ctx, s->path, s->fd, algorithm);
    return s->sum;
}

const char *
decide_wanted(const rhost_value *should)
{
    return rhost_str(should, "checksum");
}

int
subject_fetched(rhost_ctx *ctx, struct subject *s, const char *algorithm, const char **sum)
{
    const char *own;

    *sum = NULL;
    if (!decompress_is_desired(s->should)) {
        *sum = subject_sum(ctx, s, algorithm);
        return *sum ? 0 : -1;
    }
    if (!s->has_record || !s->record.fetched || strcmp(digest_algorithm(s->record.fetched), algorithm) != 0)
        return 0;
    own = subject_sum(ctx, s, digest_algorithm(s->record.sum));
    if (own && strcmp(own, s->record.sum) == 0)
        *sum = s->record.fetched;
    return own ? 0 : -1;
}

static int
compare(rhost_ctx *ctx, struct subject *s, const char *wanted, const char *why)
{
    const char *sum;

    if (subject_fetched(ctx, s, digest_algorithm(wanted), &sum) < 0)
        return -1;
    s->why = sum ? why : "it was not decompressed from a file with the checksum";
    return sum && strcmp(sum, wanted) == 0 ? DECISION_SAME : DECISION_OTHER;
}

/* 1: the record's URL is one of those that are desired now; -1 after fail(). */
static int
is_from_source(rhost_ctx *ctx, const struct subject *s)
{
    for (size_t i = 0; i < source_count(s->should); i++) {
        const char *one = record_url_digest(ctx, s->name, source_at(s->should, i));

        if (!one)
            return -1;
        if (strcmp(one, s->record.url_digest) == 0)
            return 1;
    }
    return 0;
}

static int
decide_by_record(rhost_ctx *ctx, struct subject *s)
{
    const char *sum = subject_sum(ctx, s, digest_algorithm(s->record.sum));
    int from;

    s->why = "it was changed since it was downloaded";
    if (!sum || strcmp(sum, s->record.sum) != 0)
        return sum ? DECISION_OTHER : -1;
    s->why = s->record.fetched ? "it was decompressed" : "it was not decompressed";
    if ((s->record.fetched != NULL) != decompress_is_desired(s->should))
        return DECISION_OTHER;
    s->is_intact = 1;
    from = is_from_source(ctx, s);
    if (from < 0)
        return -1;
    s->why = "it was downloaded from another URL";
    return from ? DECISION_SAME : DECISION_OTHER;
}

/* 1: the file is one whose signature was checked, with the keys that are desired now; 0: it is not; -1 with
 * the reason given. */
static int
is_verified(rhost_ctx *ctx, struct subject *s)
{
    const char *noted = record_signature(ctx, s->name), *sum, *now;

    if (!noted)
        return 0;
    sum = subject_sum(ctx, s, digest_algorithm(noted));
    if (!sum)
        return -1;
    now = signature_record(ctx, s->should, sum);
    return now && strcmp(now, noted) == 0;
}

int
decide_alone(rhost_ctx *ctx, struct subject *s)
{
    const char *wanted = decide_wanted(s->should);
    int refresh = rhost_bool(s->should, "refresh", 1), result = DECISION_SAME;

    if (!rhost_bool(s->should, "replace", 1))
        return DECISION_SAME;
    if (wanted)
        return compare(ctx, s, wanted, "it has another checksum");
    if (!source_count(s->should)) /* only its owner or mode is stated */
        return DECISION_SAME;
    if (rhost_has(s->should, "signature")) {
        int verified = is_verified(ctx, s);

        s->why = "its signature was not checked with these keys";
        if (verified <= 0)
            return verified < 0 ? -1 : DECISION_OTHER;
    }
    if (refresh && rhost_has(s->should, "checksum_source"))
        return DECISION_ASK;
    if (s->has_record)
        result = decide_by_record(ctx, s);
    else if (refresh && decompress_is_desired(s->should)) {
        s->why = "rhost did not download it";
        return DECISION_OTHER;
    }
    return result == DECISION_SAME && refresh ? DECISION_ASK : result;
}

const char *const *
decide_conditions(rhost_ctx *ctx, const struct subject *s, const rhost_value *url)
{
    const char **headers = rhost_alloc(ctx, 3 * sizeof *headers), *digest;
    size_t n = 0;

    if (!s->is_intact || (!s->record.etag && !s->record.modified))
        return NULL;
    digest = record_url_digest(ctx, s->name, url);
    if (!digest || strcmp(digest, s->record.url_digest) != 0)
        return NULL;
    if (s->record.etag)
        headers[n++] = rhost_fmt(ctx, "If-None-Match: %s", s->record.etag);
    if (s->record.modified)
        headers[n++] = rhost_fmt(ctx, "If-Modified-Since: %s", s->record.modified);
    headers[n] = NULL;
    return headers;
}

/* The content of an answer, as far as it has to be read. */
struct reading {
    struct fetch *f;
    struct subject *s;
    struct digest digest;
    off_t have;
    const char *fetched; /* the digest of what the file was decompressed from; NULL: of the file itself */
    int was_conditional, differs, failed;
};

/* Another length, or a condition that did not hold, tells without the content. */
static int
read_content(struct transfer *t, const char *bytes, size_t n)
{
    struct reading *r = t->sink_data;

    r->have += (off_t)n;
    r->differs =
        r->was_conditional
        || (!r->fetched
            && ((t->length >= 0 && t->length != (int64_t)r->s->st.st_size) || r->have > r->s->st.st_size));
    if (r->differs)
        return -1;
    digest_add(&r->digest, bytes, n);
    rhost_progress(t->ctx, NULL, (uint64_t)r->have, (uint64_t)r->s->st.st_size, "bytes");
    return 0;
}

/* SAME, OTHER; -1: this source says nothing, see f->why; -2 with the reason given. */
static int
ask_source(struct fetch *f, struct subject *s, size_t i)
{
    const char *const *conditions = decide_conditions(f->ctx, s, source_at(s->should, i));
    struct reading r = { .f = f, .s = s, .was_conditional = conditions != NULL };
    const struct fetch_how how = { .headers = conditions, .sink = read_content, .data = &r };
    const char *ours;
    int rc;

    r.fetched = decompress_is_desired(s->should) ? s->record.fetched : NULL;
    digest_begin(&r.digest, r.fetched ? digest_algorithm(r.fetched) : DIGEST_DEFAULT);
    rc = fetch_get(f, source_url(s->should, i), &how);
    s->why = "the server has another file";
    if (rc == 0 && f->status == 304 && conditions) {
        rc = DECISION_SAME;
    } else if (rc == 0 && f->status != 200) {
        f->why = fetch_status_words(f->ctx, f->status);
        rc = -1;
    } else if (rc == 0 && r.differs) {
        rc = DECISION_OTHER;
    } else if (rc == 0) {
        ours = r.fetched ? r.fetched : subject_sum(f->ctx, s, DIGEST_DEFAULT);
        rc = !ours ? -2 : strcmp(digest_end(f->ctx, &r.digest), ours) == 0 ? DECISION_SAME : DECISION_OTHER;
    }
    return rc;
}

const char *
decide_add_failure(rhost_ctx *ctx, const char *failures, const rhost_value *should, size_t i, const char *why)
{
    return rhost_fmt(ctx, "%s%s'%s': %s", failures, *failures ? "; " : "", source_shown(should, i), why);
}

int
decide_by_server(struct fetch *f, struct subject *s)
{
    const char *failures = "", *wanted;

    if (rhost_has(s->should, "checksum_source")) {
        wanted = sums_fetch(f);
        return wanted ? compare(f->ctx, s, wanted, "the list of checksums has another one for it") : -1;
    }
    for (size_t i = 0; i < source_count(s->should); i++) {
        int answer = ask_source(f, s, i);

        if (answer != -1)
            return answer == -2 ? -1 : answer;
        failures = decide_add_failure(f->ctx, failures, s->should, i, f->why);
        if (f->ended)
            break;
    }
    return fetch_fail(f, "source", rhost_fmt(f->ctx, "cannot ask %s", failures));
}

/* An answer that has content is all that matters. */
static int
read_nothing(struct transfer *t, const char *bytes, size_t n)
{
    (void)t;
    (void)bytes;
    (void)n;
    return -1;
}

int32_t
decide_is_available(struct fetch *f)
{
    const struct fetch_how how = { .sink = read_nothing };
    const char *failures = "";

    for (size_t i = 0; i < source_count(f->should); i++) {
        if (fetch_get(f, source_url(f->should, i), &how) == 0) {
            if (f->status == 200)
                return 0;
            f->why = fetch_status_words(f->ctx, f->status);
        }
        failures = decide_add_failure(f->ctx, failures, f->should, i, f->why);
        if (f->ended)
            break;
    }
    return fetch_fail(f, "source", rhost_fmt(f->ctx, "cannot download %s", failures));
}
