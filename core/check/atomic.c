/* SPDX-License-Identifier: Apache-2.0 */
/* atomic - that files are replaced as a whole: who reads one meanwhile sees the old text or the new one, and
 * never finds it cut off or missing. */
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

#include <limits.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 16 << 20, MOST = 256, LEVELS = 16 };

struct before {
    struct {
        char *path, *shown, *text;
        size_t n;
        ino_t inode;
        int above[LEVELS]; /* the watches of the directory that it is in, of the one that this is in, and so
                              on; or -1 */
        bool carried; /* one of these was replaced by a rename: what happens in the former one is not seen any
                         more */
        bool gone;    /* for a moment, or for good */
    } files[MOST];
    size_t n;
    int watch;
};

/* The directories are watched by the path that the provider uses. */
static void
watch_above(int watch, const char *shown, int above[LEVELS])
{
    rh_autofree char *path = rh_xstrdup(shown);

    for (size_t i = 0; i < LEVELS; i++) {
        char *slash = strrchr(path, '/');

        above[i] = -1;
        if (!slash || watch < 0)
            continue;
        *slash = '\0';
        above[i] =
            inotify_add_watch(watch, slash == path ? "/" : path, IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO);
    }
}

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
    b->files[b->n].gone = b->files[b->n].carried = false;
    watch_above(b->watch, shown, b->files[b->n].above);
    b->files[b->n++].inode = st->st_ino;
}

static void
note_all(struct rh_checker *c, struct before *b)
{
    b->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    rh_scratch_each_file(c->fixture, note_file, b);
}

/* Whether this is the part of the path that lies in its directory `level`, counted from the end. */
static bool
is_part(const char *path, size_t level, const char *name)
{
    const char *end = path + strlen(path), *start;

    for (;; level--) {
        for (start = end; start > path && start[-1] != '/'; start--)
            ;
        if (level == 0 || start == path)
            break;
        end = start - 1;
    }
    return level == 0 && strlen(name) == (size_t)(end - start)
           && memcmp(name, start, (size_t)(end - start)) == 0;
}

/* What this says of one file. When two directories are exchanged, each is first said to have come, then to
 * have gone. */
static void
take_event(struct before *b, size_t i, const struct inotify_event *e)
{
    for (size_t level = 0; level < LEVELS && !b->files[i].carried; level++) {
        if (b->files[i].above[level] != e->wd || !is_part(b->files[i].shown, level, e->name))
            continue;
        if (!(e->mask & IN_MOVED_TO))
            b->files[i].gone = true;
        else if (level > 0)
            b->files[i].carried = true;
    }
}

/* Marks the files whose names went away. */
static void
take_events(struct before *b)
{
    char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t n;

    while (b->watch >= 0 && (n = read(b->watch, buffer, sizeof buffer)) > 0)
        for (const char *at = buffer; at < buffer + n;) {
            const struct inotify_event *e = (const void *)at;

            for (size_t i = 0; e->len && i < b->n; i++)
                take_event(b, i, e);
            at += sizeof *e + e->len;
        }
}

static bool
is_text(const char *text, size_t n)
{
    return n && !memchr(text, '\0', n);
}

/* A text file that went away and came back; or that is the same file with other text, to which not only
 * something was added. */
static void
compare_files(struct rh_checker *c, struct before *b, const char *doing, const char *title)
{
    take_events(b);
    for (size_t i = 0; i < b->n; i++) {
        rh_autoerror struct rh_error err = { 0 };
        rh_autofree char *now = NULL;
        const char *text = b->files[i].text;
        struct stat st;
        size_t n = 0;

        if (!is_text(text, b->files[i].n) || stat(b->files[i].path, &st) < 0)
            continue;
        if (b->files[i].gone)
            rh_check_say(c, RH_CHECK_FAIL,
                         "%s '%s', it removes '%s' and writes it anew: who reads it meanwhile finds none",
                         doing, title, b->files[i].path);
        if (st.st_ino != b->files[i].inode)
            continue;
        now = rh_read_file(b->files[i].path, LARGEST, &n, &err);
        if (!now || (n >= b->files[i].n && memcmp(now, text, b->files[i].n) == 0))
            continue;
        rh_check_say(c, RH_CHECK_FAIL,
                     "%s '%s', it writes '%s' in place: who reads it meanwhile sees a part of it", doing,
                     title, b->files[i].path);
    }
    for (size_t i = 0; i < b->n; i++) {
        free(b->files[i].path);
        free(b->files[i].shown);
        free(b->files[i].text);
    }
    b->n = 0;
    if (b->watch >= 0)
        (void)close(b->watch);
}

static struct rh_value *
first_update(struct rh_checker *c, const struct rh_fixture_state *state)
{
    return rh_value_count(state->updates) ? rh_step_only(c, rh_value_entry(state->updates, 0)) : NULL;
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
            note_all(c, b);
            rh_subject_converge(&s, &f->states[i], rh_step_only(c, rh_value_entry(f->states[i].updates, k)),
                                RH_CONVERGE_APPLY, false);
            compare_files(c, b, "changing", f->states[i].title);
        }
    rh_subject_converge_all(&s, NULL);
    note_all(c, b);
    rh_subject_converge_all(&s, first_update);
    compare_files(c, b, "changing, with others at once,", f->n ? f->states[0].title : "");
    for (size_t i = f->n; i-- > 0 && c->type->ensure;) {
        note_all(c, b);
        rh_subject_converge(&s, &f->states[i], rh_step_absent(c), RH_CONVERGE_APPLY, false);
        compare_files(c, b, "removing", f->states[i].title);
    }
    rh_subject_close(&s);
}
