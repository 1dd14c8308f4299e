/* SPDX-License-Identifier: Apache-2.0 */
/* download - a file from the first of the sources that has it. */

#include "download.h"

#include "source.h"

#include <fcntl.h>
#include <unistd.h>

enum { TRIES = 3, RESUMPTIONS = 1000, PAUSE_MS = 200, PROGRESS = 1 << 14 };

static int
start_over(struct download *d)
{
    d->have = 0;
    d->restart = 0;
    if (ftruncate(d->place->fd, 0) < 0 || lseek(d->place->fd, 0, SEEK_SET) < 0) {
        d->broken = 1;
        d->error = errno;
        return -1;
    }
    digest_begin(&d->digest, d->digest.algorithm);
    return 0;
}

static int
write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t put = write(fd, bytes, n);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        bytes += put;
        n -= (size_t)put;
    }
    return 0;
}

/* "bytes 100-199/200" continues a file of 100 bytes. */
static int
continues(const char *range, off_t have)
{
    long long from;

    return range && sscanf(range, "bytes %lld-", &from) == 1 && from == have;
}

static int
refuse_size(struct download *d)
{
    d->broken = 1;
    d->f->why = rhost_fmt(d->f->ctx, "it is larger than %lld bytes ('size_limit')", (long long)d->most);
    return -1;
}

/* Before the first byte of an answer is written: it fits, as far as the server says its size. */
static int
begin_answer(struct download *d, const struct transfer *t)
{
    d->first = 0;
    d->etag = t->etag;
    d->modified = t->modified;
    if (t->status == 206 && !continues(t->range, d->have)) {
        d->restart = 1;
        d->f->why = "the server sent another part of the file than was asked for";
        return -1;
    }
    if (t->status == 200 && d->have && start_over(d) < 0)
        return -1;
    if (t->length < 0)
        return 0;
    if (t->length > d->most - d->have)
        return refuse_size(d);
    if (t->length > 0 && fallocate(d->place->fd, FALLOC_FL_KEEP_SIZE, d->have, t->length) < 0
        && errno == ENOSPC) {
        d->broken = 1;
        d->error = ENOSPC;
        return -1;
    }
    return 0;
}

static int
receive(struct transfer *t, const char *bytes, size_t n)
{
    struct download *d = t->sink_data;

    if (d->first && begin_answer(d, t) < 0)
        return -1;
    if ((int64_t)n > d->most - d->have)
        return refuse_size(d);
    if (write_all(d->place->fd, bytes, n) < 0) {
        d->broken = 1;
        d->error = errno;
        return -1;
    }
    digest_add(&d->digest, bytes, n);
    d->have += (off_t)n;
    rhost_progress(t->ctx, NULL, (uint64_t)d->have,
                   t->length < 0 ? 0
                                 : (uint64_t)(t->status == 206 ? d->have - (off_t)n + t->length : t->length),
                   "bytes");
    return 0;
}

/* What tells the server which file a range is a part of: an ETag that stands for the very bytes, or the time
 * where the digest is checked in the end. NULL: it has to come from its beginning. */
static const char *
validator(const struct download *d, const char *wanted)
{
    if (d->etag && strncmp(d->etag, "W/", 2) != 0)
        return d->etag;
    return wanted ? d->modified : NULL;
}

/* Waits a moment before it is tried again; 0: the run is to end. */
static int
pause_before(struct download *d, int tries)
{
    struct timespec t = { .tv_nsec = (long)PAUSE_MS * 1000000 };

    for (int i = 0; i < tries && !rhost_stopping(d->f->ctx); i++)
        (void)nanosleep(&t, NULL);
    return !rhost_stopping(d->f->ctx);
}

enum outcome { DONE, NOT_MODIFIED, AGAIN, FAILED };

static enum outcome
judge(struct download *d, int rc)
{
    struct fetch *f = d->f;

    if (d->broken)
        return FAILED;
    if (d->restart)
        return AGAIN;
    if (rc < 0)
        return f->transient ? AGAIN : FAILED;
    if (f->status == 200 && d->first && d->have) /* an empty file now */
        return start_over(d) < 0 ? FAILED : DONE;
    if (f->status == 200 || (f->status == 206 && d->have && !d->first))
        return DONE;
    if (f->status == 304)
        return NOT_MODIFIED;
    f->why = fetch_status_words(f->ctx, f->status);
    if (f->status == 416 && d->have)
        d->restart = 1;
    return f->status == 408 || f->status == 416 || f->status == 429 || f->status >= 500 ? AGAIN : FAILED;
}

/* One request. What is there already is continued where that can be. */
static enum outcome
request(struct download *d, const char *url, const char *wanted, const char *const *conditions)
{
    const char *same = validator(d, wanted);
    const char *resume[] = { NULL, NULL, NULL };
    struct fetch_how how = { .headers = conditions, .sink = receive, .data = d };
    int rc;

    if (d->have && !same && start_over(d) < 0)
        return FAILED;
    if (d->have) {
        resume[0] = rhost_fmt(d->f->ctx, "Range: bytes=%lld-", (long long)d->have);
        resume[1] = rhost_fmt(d->f->ctx, "If-Range: %s", same);
        how.headers = resume;
    }
    d->first = 1;
    rc = fetch_get(d->f, url, &how);
    if (rc == 0 && d->first) { /* there was no content */
        d->etag = d->f->etag;
        d->modified = d->f->modified;
    }
    return judge(d, rc);
}

/* One source: again as long as that brings a good deal, and a few times when it does not. */
static enum outcome
from_source(struct download *d, const char *url, const char *wanted, const char *const *conditions)
{
    enum outcome result = FAILED;

    d->etag = d->modified = NULL;
    if (start_over(d) < 0)
        return FAILED;
    for (int i = 0, tries = 0; i < RESUMPTIONS && tries < TRIES; i++) {
        off_t before = d->have;

        result = request(d, url, wanted, conditions);
        if (result != AGAIN || d->f->ended)
            break;
        tries = d->have >= before + PROGRESS && !d->restart && validator(d, wanted) ? 0 : tries + 1;
        if (d->restart)
            d->have = before; /* start_over() is next */
        if (d->restart && start_over(d) < 0)
            return FAILED;
        if (tries == TRIES || !pause_before(d, tries + 1))
            break;
        rhost_info(d->f->ctx, "Trying again after %lld bytes: %s", (long long)d->have, d->f->why);
    }
    return result == AGAIN ? FAILED : result;
}

/* Why a source did not do, where it was not the server. */
static int
fail_broken(struct download *d)
{
    if (d->error) {
        errno = d->error;
        return rhost_fail_errno(d->f->ctx, "cannot write '%s' after %lld bytes", d->place->path,
                                (long long)d->have);
    }
    return rhost_fail(d->f->ctx, "cannot download '%s': %s", d->place->path, d->f->why);
}

/* NULL: it is the one that is desired. */
static const char *
check_sum(struct download *d, const char *wanted)
{
    if (!wanted || strcmp(d->sum, wanted) == 0)
        return NULL;
    return rhost_fmt(d->f->ctx, "it has the checksum %s, expected %s", d->sum, wanted);
}

/* 0, and *why it cannot be; -1 with the reason given. */
static int32_t
decompress(struct download *d, int is_checked, const char **why)
{
    struct decompressed content;

    if (!d->target)
        return 0;
    if (decompress_file(d->f->ctx, d->f->should, d->place->path, d->place->fd, d->have, is_checked,
                        d->target->fd, &content)
        < 0)
        return -1;
    *why = content.why;
    if (!content.why) {
        d->fetched = d->sum;
        d->sum = content.sum;
        d->have = content.size;
    }
    return 0;
}

int
download_get(struct fetch *f, struct download *d, const char *wanted, const struct subject *s)
{
    const rhost_value *should = f->should;
    const char *failures = "", *why;

    d->f = f;
    d->most = rhost_int(should, "size_limit", INT64_MAX);
    d->digest.algorithm = wanted ? digest_algorithm(wanted) : DIGEST_DEFAULT;
    for (size_t i = 0; i < source_count(should); i++) {
        const char *const *conditions = s ? decide_conditions(f->ctx, s, source_at(should, i)) : NULL;
        enum outcome o = from_source(d, source_url(should, i), wanted, conditions);

        d->source = i;
        if (o == NOT_MODIFIED && conditions)
            return DOWNLOAD_NOT_MODIFIED;
        if (o == DONE) {
            d->sum = digest_end(f->ctx, &d->digest);
            why = check_sum(d, wanted);
            if (!why && signature_check(f->ctx, d->signature, d->place->fd, d->have, &why) < 0)
                return -1;
            if (!why && decompress(d, wanted || d->signature->kind != SIGNATURE_NONE, &why) < 0)
                return -1;
            if (!why)
                return DOWNLOAD_DONE;
        } else if (d->broken) {
            return fail_broken(d);
        } else {
            why = o == NOT_MODIFIED ? fetch_status_words(f->ctx, 304)
                  : d->have         ? rhost_fmt(f->ctx, "%s; %lld bytes had come", f->why, (long long)d->have)
                                    : f->why;
        }
        failures = decide_add_failure(f->ctx, failures, should, i, why);
        if (f->ended)
            break;
    }
    return fetch_fail(f, NULL, rhost_fmt(f->ctx, "cannot download %s", failures));
}
