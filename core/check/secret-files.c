/* SPDX-License-Identifier: Apache-2.0 */
/* secret-files - that files with sensitive values are for nobody else, and go with the resources: those that
 * are there, and, as root, each that was written meanwhile, wherever it is and however soon it was removed.
 */
#include "config.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/secret-forms.h"
#include "base/text.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/scratch.h"
#include "check/steps.h"
#include "check/subject.h"
#include "check/written.h"
#include "schema/type.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST = 16 << 20, LEAST = 6, MOST_OUTSIDE = 64 };

struct search {
    struct rh_checker *c;
    bool removed; /* all resources are gone */
};

struct text {
    const char *s;
    size_t n;
    bool found;
};

static void
find_form(void *data, const char *form, size_t n)
{
    struct text *t = data;

    t->found |= n >= LEAST && memmem(t->s, t->n, form, n);
}

/* Whether it has a secret of the fixture, as it is or in another form. */
static bool
has_secret(const struct rh_checker *c, const char *s, size_t n)
{
    struct text t = { .s = s, .n = n };

    for (const char *secret = c->secrets; secret && *secret; secret += strlen(secret) + 1)
        rh_secret_forms(secret, strlen(secret), find_form, &t);
    return t.found;
}

/* Whether the fixture itself writes this file. */
static bool
is_given(const struct rh_fixture *f, const char *path)
{
    return rh_value_get(f->files, path) != NULL;
}

/* Who else can read it: "others", "a group", or NULL. A group that could before, as that of /etc/shadow, is
 * no news; nor is root's. */
static const char *
who_reads(const struct rh_fixture *f, const char *shown, const struct stat *st)
{
    struct stat was;

    if (st->st_mode & 06)
        return "others";
    if (!(st->st_mode & 060) || st->st_gid == 0)
        return NULL;
    if (rh_scratch_was(f, shown, &was) && was.st_gid == st->st_gid
        && (was.st_mode & 060) == (st->st_mode & 060))
        return NULL;
    return "a group";
}

static void
judge_mode(struct rh_checker *c, const char *shown, const struct stat *st)
{
    const char *who = who_reads(c->fixture, shown, st);

    if (who)
        rh_check_say(c, RH_CHECK_FAIL, "'%s' has a sensitive value, and %s can read it (mode %04o)", shown,
                     who, (unsigned)st->st_mode & 07777);
}

static void
judge_left(struct rh_checker *c, const char *shown)
{
    rh_check_say(c, RH_CHECK_FAIL, "'%s' still has a sensitive value when %s", shown,
                 c->questions ? "all is answered" : "all resources are removed");
}

/* One that is there. What the fixture writes has a mode that is not the provider's: a run warns of it. */
static void
search_file(void *data, const char *path, const char *shown, const struct stat *st)
{
    const struct search *s = data;
    rh_autoerror struct rh_error err = { 0 };
    size_t n = 0;
    rh_autofree char *text = rh_read_file(path, LARGEST, &n, &err);

    if (!text || is_given(s->c->fixture, shown) || !has_secret(s->c, text, n))
        return;
    judge_mode(s->c, shown, st);
    if (s->removed)
        judge_left(s->c, shown);
}

void
rh_secret_files_search(struct rh_checker *c, bool removed)
{
    struct search search = { .c = c, .removed = removed };

    if (c->fixture)
        rh_scratch_each_file(c->fixture, search_file, &search);
}

/* --- Those that were written, wherever. --------------------------------------------------------- */

static char *outside[MOST_OUTSIDE]; /* with a secret, and not among those that are searched */
static size_t n_outside;

static void
take_written(void *data, const char *path, int fd, const struct stat *st)
{
    struct rh_checker *c = data;
    rh_autoerror struct rh_error err = { 0 };
    size_t n = 0;
    rh_autofree char *text = rh_read_descriptor(fd, path, LARGEST, &n, &err);

    if (!text || rh_scratch_is_of_system(c->fixture, path) || is_given(c->fixture, path)
        || !has_secret(c, text, n))
        return;
    judge_mode(c, path, st);
    if (!rh_scratch_has(c->fixture, path) && n_outside < MOST_OUTSIDE)
        outside[n_outside++] = rh_xstrdup(path);
}

static void
judge_outside(struct rh_checker *c)
{
    for (size_t i = 0; i < n_outside; i++) {
        rh_autoerror struct rh_error err = { 0 };
        size_t n = 0;
        rh_autofree char *text = rh_read_file(outside[i], LARGEST, &n, &err);

        if (text && has_secret(c, text, n))
            judge_left(c, outside[i]);
    }
}

void
rh_secret_files_take(struct rh_checker *c, struct rh_written *written, bool end)
{
    rh_written_each(written, take_written, c);
    if (end)
        judge_outside(c);
}

void
rh_check_secret_files(struct rh_checker *c)
{
    const struct rh_fixture *f = c->fixture;
    struct rh_written *written;
    struct rh_subject s;

    if (!c->secrets || !*c->secrets) {
        rh_check_say(c, RH_CHECK_SKIP, "no state of the fixture has a sensitive text of six bytes or more");
        return;
    }
    written = rh_written_watch();
    if (rh_step_begin(&s, c, true)) {
        rh_secret_files_search(c, false);
        rh_secret_files_take(c, written, false);
        for (size_t i = f->n; i-- > 0 && c->type->ensure;)
            rh_subject_converge(&s, &f->states[i], rh_step_absent(c), RH_CONVERGE_APPLY, false);
        rh_subject_close(&s);
        rh_secret_files_search(c, c->type->ensure != NULL);
        rh_secret_files_take(c, written, c->type->ensure != NULL);
    }
    rh_written_close(written);
}
