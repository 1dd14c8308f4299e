/* SPDX-License-Identifier: Apache-2.0 */
/* files - how files are written: replaced as a whole, and with secrets in them for nobody else. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/scratch.h"
#include "check/steps.h"
#include "check/subject.h"
#include "schema/type.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST = 16 << 20, MOST = 256 };

/* --- atomic ------------------------------------------------------------------------------------ */

struct before {
    struct {
        char *path, *shown, *text;
        size_t n;
        ino_t inode;
    } files[MOST];
    size_t n;
};

static void
note_file(void *data, const char *path, const char *shown, const struct stat *st)
{
    struct before *b = data;
    rh_autoerror struct rh_error err = { 0 };
    size_t n = 0;
    char *text;

    if (b->n == MOST)
        return;
    text = rh_read_file(path, LARGEST, &n, &err);
    if (!text)
        return;
    b->files[b->n].path = rh_xstrdup(path);
    b->files[b->n].shown = rh_xstrdup(shown);
    b->files[b->n].text = text;
    b->files[b->n].n = n;
    b->files[b->n++].inode = st->st_ino;
}

/* A text file that is the same file with other text, to which not only something was added: who read it
 * meanwhile may have seen half of it. */
static void
compare_files(struct rh_checker *c, const struct before *b, const char *title)
{
    for (size_t i = 0; i < b->n; i++) {
        rh_autoerror struct rh_error err = { 0 };
        rh_autofree char *now = NULL;
        struct stat st;
        size_t n = 0;

        if (stat(b->files[i].path, &st) < 0 || st.st_ino != b->files[i].inode)
            continue;
        now = rh_read_file(b->files[i].path, LARGEST, &n, &err);
        if (!now || !b->files[i].n || memchr(b->files[i].text, '\0', b->files[i].n)
            || (n >= b->files[i].n && memcmp(now, b->files[i].text, b->files[i].n) == 0))
            continue;
        rh_check_say(c, RH_CHECK_FAIL,
                     "changing '%s', it writes '%s' in place: who reads it meanwhile sees a part of it",
                     title, b->files[i].path);
    }
}

static void
clear(struct before *b)
{
    for (size_t i = 0; i < b->n; i++) {
        free(b->files[i].path);
        free(b->files[i].shown);
        free(b->files[i].text);
    }
    b->n = 0;
}

void
rh_check_atomic(struct rh_checker *c)
{
    const struct rh_fixture *f = c->fixture;
    struct before *b = rh_arena_alloc(c->arena, sizeof *b);
    struct rh_subject s;

    if (!rh_step_begin(&s, c, true))
        return;
    for (size_t i = 0; i < f->n; i++)
        for (size_t k = 0; k < rh_value_count(f->states[i].updates); k++) {
            rh_scratch_each_file(f, note_file, b);
            rh_subject_converge(&s, &f->states[i], rh_step_only(c, rh_value_entry(f->states[i].updates, k)),
                                RH_CONVERGE_APPLY, false);
            compare_files(c, b, f->states[i].title);
            clear(b);
        }
    rh_subject_close(&s);
}

/* --- secret-files ------------------------------------------------------------------------------ */

struct search {
    struct rh_checker *c;
    bool removed; /* all resources are gone */
    size_t found;
};

static void
add_base64(struct rh_buf *b, const char *text, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i + 3 <= n; i += 3) { /* its end depends on what follows */
        uint32_t v = (uint32_t)(unsigned char)text[i] << 16 | (uint32_t)(unsigned char)text[i + 1] << 8
                     | (unsigned char)text[i + 2];

        for (int k = 18; k >= 0; k -= 6)
            rh_buf_addc(b, digits[v >> k & 63]);
    }
}

static void
add_hex(struct rh_buf *b, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        rh_buf_addf(b, "%02x", (unsigned char)text[i]);
}

static bool
has_secret(const char *text, size_t n, const char *secret)
{
    rh_autobuf struct rh_buf base64 = { 0 };
    rh_autobuf struct rh_buf hex = { 0 };

    add_base64(&base64, secret, strlen(secret));
    add_hex(&hex, secret, strlen(secret));
    return memmem(text, n, secret, strlen(secret)) || memmem(text, n, rh_buf_text(&base64), base64.n)
           || memmem(text, n, rh_buf_text(&hex), hex.n);
}

/* Whether the fixture itself writes this file. */
static bool
is_given(const struct rh_fixture *f, const char *path)
{
    return rh_value_get(f->files, path) != NULL;
}

static void
search_file(void *data, const char *path, const char *shown, const struct stat *st)
{
    struct search *s = data;
    rh_autoerror struct rh_error err = { 0 };
    size_t n = 0;
    rh_autofree char *text = rh_read_file(path, LARGEST, &n, &err);

    for (const char *secret = s->c->secrets; text && *secret; secret += strlen(secret) + 1) {
        if (!has_secret(text, n, secret))
            continue;
        s->found++;
        if (is_given(s->c->fixture, shown))
            continue; /* with a mode that is not the provider's: a run warns of it */
        if (st->st_mode & 06)
            rh_check_say(s->c, RH_CHECK_FAIL,
                         "'%s' has a sensitive value, and others can read it (mode %04o)", shown,
                         (unsigned)st->st_mode & 07777);
        else if (s->removed)
            rh_check_say(s->c, RH_CHECK_FAIL, "'%s' still has a sensitive value when %s", shown,
                         s->c->questions ? "all is answered" : "all resources are removed");
    }
}

void
rh_secret_files_search(struct rh_checker *c, bool removed)
{
    struct search search = { .c = c, .removed = removed };

    if (c->fixture)
        rh_scratch_each_file(c->fixture, search_file, &search);
}

void
rh_check_secret_files(struct rh_checker *c)
{
    const struct rh_fixture *f = c->fixture;
    struct rh_subject s;

    if (!c->secrets || !*c->secrets) {
        rh_check_say(c, RH_CHECK_SKIP, "no state of the fixture has a sensitive text of six bytes or more");
        return;
    }
    if (!rh_step_begin(&s, c, true))
        return;
    rh_secret_files_search(c, false);
    for (size_t i = f->n; i-- > 0 && c->type->ensure;)
        rh_subject_converge(&s, &f->states[i], rh_step_absent(c), RH_CONVERGE_APPLY, false);
    rh_subject_close(&s);
    rh_secret_files_search(c, c->type->ensure != NULL);
}
