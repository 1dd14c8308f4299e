/* SPDX-License-Identifier: Apache-2.0 */
/* leftover - what the last run has left unfinished, where it was killed.
 *
 * A new file is complete before it takes the place of the old one, and has a name of its own for a moment. A
 * run that is killed in this moment leaves it there. The next change of the same resource removes it, but
 * there may never be one: the resource may be undone, or be in sync. So its journal is looked at, which has
 * the state of each resource before its change, and afterwards what came of it. */
#include "config.h"

#include "run/leftover.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/beside.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/map.h"
#include "base/value.h"
#include "run/journal-read.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TAIL = 1024 /* bytes that the last line of a journal begins in */ };

/* Whether the journal has its last line. */
static bool
has_ended(const char *state_dir, const char *run)
{
    rh_autofree char *path = rh_printf("%s/runs/%s.jsonl", state_dir, run);
    rh_autoclose int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char tail[TAIL + 1];
    struct stat st;
    ssize_t n;

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return true; /* there is nothing to be learned from it */
    n = pread(fd, tail, TAIL, st.st_size > TAIL ? st.st_size - TAIL : 0);
    if (n < 0)
        return true;
    tail[n] = '\0';
    return strstr(tail, "\"ended\": ");
}

static void
clean(const char *path)
{
    if (path && *path == '/' && rh_leftover_remove(path))
        rh_log(RH_INFO, "a run that was killed has left a new file beside '%s': it was removed", path);
}

/* The paths that a resource is found by. */
static void
clean_all(const struct rh_value *line)
{
    const struct rh_value *name = rh_value_get(line, "name");

    clean(rh_value_get_str(line, "file", NULL));
    for (size_t i = 0; rh_value_is(name, RH_HASH) && i < name->count; i++)
        clean(rh_value_str(rh_value_entry(name, i)->value, NULL));
}

static char *
key_of(struct rh_arena *a, const struct rh_value *line)
{
    return rh_arena_printf(a, "%s[%s]", rh_value_get_str(line, "type", ""),
                           rh_value_get_str(line, "title", ""));
}

static void
clean_unfinished(const struct rh_run_journal *j)
{
    struct rh_map done = { 0 };

    for (size_t i = 0; i < rh_value_count(j->lines); i++)
        rh_map_put(&done, key_of(j->arena, rh_value_at(j->lines, i)), &done);
    for (size_t i = 0; i < rh_value_count(j->states); i++) {
        const struct rh_value *line = rh_value_at(j->states, i);

        if (strcmp(rh_value_get_str(line, "state", ""), "before") == 0
            && !rh_map_get(&done, key_of(j->arena, line)))
            clean_all(line);
    }
    rh_map_clear(&done);
}

void
rh_leftovers_remove(const char *state_dir)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_run_names names;
    struct rh_run_journal j;

    if (rh_run_names_read(state_dir, &names, &err) < 0)
        return;
    if (names.n && !has_ended(state_dir, names.v[0])
        && rh_run_journal_read(state_dir, names.v[0], &j, &err) == 0) {
        clean_unfinished(&j);
        rh_run_journal_clear(&j);
    }
    rh_run_names_clear(&names);
}
