/* SPDX-License-Identifier: Apache-2.0 */
/* fixture - states to try a provider with, from a file. */
#include "config.h"

#include "check/fixture.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/io.h"
#include "base/source.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value.h"
#include "check/question.h"
#include "manifest/text/scalar.h"
#include "manifest/text/yaml.h"
#include "schema/type.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 1 << 20 };

/* The text with each of this word replaced. */
static char *
substitute(const char *text, const char *word, const char *with)
{
    struct rh_buf b = { 0 };
    const char *at;

    while ((at = strstr(text, word))) {
        rh_buf_addn(&b, text, (size_t)(at - text));
        rh_buf_add(&b, with);
        text = at + strlen(word);
    }
    rh_buf_add(&b, text);
    return rh_buf_take(&b);
}

/* The text of the file with the places of this run in it. NULL with the reason. */
static char *
fill_in(const char *text, const char *path, const char *dir, struct rh_error *err)
{
    rh_autofree char *file = realpath(path, NULL);
    rh_autofree char *with_dir = substitute(text, "${dir}", dir);
    char *slash = file ? strrchr(file, '/') : NULL;

    if (!slash) {
        (void)rh_error_system(err, errno, "cannot find the directory of '%s'", path);
        return NULL;
    }
    *slash = '\0';
    return substitute(with_dir, "${here}", file);
}

static const struct rh_value *
expect(const struct rh_value *v, enum rh_kind kind, const char *what, struct rh_complaints *complaints)
{
    if (!v || v->kind == kind)
        return v;
    rh_complain(complaints, rh_value_place(v), NULL, "'%s' must be a %s", what,
                kind == RH_HASH    ? "hash"
                : kind == RH_ARRAY ? "list"
                                   : "string");
    return NULL;
}

static void
refuse_unknown(const struct rh_value *v, const char *const *known, struct rh_complaints *complaints)
{
    for (size_t i = 0; i < rh_value_count(v); i++) {
        const char *key = rh_value_entry(v, i)->key;
        size_t k = 0;

        while (known[k] && strcmp(known[k], key) != 0)
            k++;
        if (!known[k])
            rh_complain(complaints, rh_value_key_place(v, i), NULL, "unknown key '%s' in a fixture", key);
    }
}

static bool
is_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return strncmp(path, folder, n) == 0 && path[n] == '/';
}

static void
refuse_no_text(const struct rh_value *v, const char *what, struct rh_complaints *complaints)
{
    if (!rh_value_str(v, NULL) || !*rh_value_str(v, ""))
        rh_complain(complaints, rh_value_place(v), NULL, "%s must be a non-empty string", what);
}

static void
read_private(struct rh_fixture *f, const struct rh_value *v, struct rh_arena *a,
             struct rh_complaints *complaints)
{
    struct rh_value *folders = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < rh_value_count(v); i++) {
        const struct rh_value *one = rh_value_at(v, i);
        const char *s = rh_value_str(one, "");

        if (strcmp(s, "network") == 0)
            f->network = true;
        else if (*s != '/' || s[strspn(s, "/")] == '\0' || s[strlen(s) - 1] == '/' || is_below(f->base, s))
            rh_complain(complaints, rh_value_place(one), NULL,
                        "'private' must list 'network' or absolute paths of directories that do not contain "
                        "'%s', not '%s'",
                        f->base, s);
        else
            rh_value_append(folders, rh_value_copy(a, one));
    }
    f->private = folders;
}

/* A list of commands, each a list of its words. */
static const struct rh_value *
read_commands(const struct rh_value *v, const char *key, const char *one, struct rh_complaints *complaints)
{
    const struct rh_value *list = expect(rh_value_get(v, key), RH_ARRAY, key, complaints);

    for (size_t i = 0; i < rh_value_count(list); i++) {
        const struct rh_value *command = rh_value_at(list, i);

        if (!expect(command, RH_ARRAY, one, complaints))
            continue;
        if (!rh_value_count(command))
            rh_complain(complaints, rh_value_place(command), NULL, "a command of '%s' is empty", key);
        for (size_t k = 0; k < rh_value_count(command); k++)
            refuse_no_text(rh_value_at(command, k), "a word of a command", complaints);
    }
    return list;
}

static void
read_surroundings(struct rh_fixture *f, struct rh_arena *a, const struct rh_value *v,
                  struct rh_complaints *complaints)
{
    read_private(f, expect(rh_value_get(v, "private"), RH_ARRAY, "private", complaints), a, complaints);
    f->programs = expect(rh_value_get(v, "programs"), RH_ARRAY, "programs", complaints);
    for (size_t i = 0; i < rh_value_count(f->programs); i++)
        refuse_no_text(rh_value_at(f->programs, i), "a program", complaints);
    f->touched = expect(rh_value_get(v, "touched"), RH_ARRAY, "touched", complaints);
    for (size_t i = 0; i < rh_value_count(f->touched); i++)
        refuse_no_text(rh_value_at(f->touched, i), "a path", complaints);
    f->system_files = expect(rh_value_get(v, "system_files"), RH_ARRAY, "system_files", complaints);
    for (size_t i = 0; i < rh_value_count(f->system_files); i++)
        refuse_no_text(rh_value_at(f->system_files, i), "a path", complaints);
    f->prepare = read_commands(v, "prepare", "a command of prepare", complaints);
    f->serve = read_commands(v, "serve", "a command of serve", complaints);
}

static bool
may_be_written(const struct rh_fixture *f, const char *path)
{
    for (size_t i = 0; i < rh_value_count(f->private); i++)
        if (is_below(path, rh_value_str(rh_value_at(f->private, i), "/")))
            return true;
    return is_below(path, f->dir);
}

static void
read_files(struct rh_fixture *f, const struct rh_value *v, struct rh_complaints *complaints)
{
    f->files = expect(rh_value_get(v, "files"), RH_HASH, "files", complaints);
    for (size_t i = 0; i < rh_value_count(f->files); i++) {
        const struct rh_entry *e = rh_value_entry(f->files, i);

        if (!rh_value_str(e->value, NULL) || !may_be_written(f, e->key) || strstr(e->key, "/.."))
            rh_complain(complaints, rh_value_key_place(f->files, i), NULL,
                        "'files': '%s' must be a path below ${dir} or a directory of 'private', and its "
                        "value a string",
                        e->key);
    }
}

static void
read_words(struct rh_fixture *f, struct rh_arena *a, struct rh_value *v, struct rh_complaints *complaints)
{
    static const char *const words[] = { "type",      "provider",   "files",      "absent",   "states",
                                         "changes",   "private",    "programs",   "prepare",  "touched",
                                         "target",    "serve",      "list",       "aborts",   "system_files",
                                         "questions", "bystanders", "undeclared", "recovers", NULL };
    static const char *const state_words[] = { "title", "state", "updates", "refused", "replaced", NULL };
    const char *changes;

    if (!rh_value_is(v, RH_HASH)) {
        rh_complain(complaints, rh_value_place(v), NULL, "a fixture must be a hash with the key 'states'");
        return;
    }
    refuse_unknown(v, words, complaints);
    f->type = rh_value_get_str(v, "type", NULL);
    f->provider = rh_value_get_str(v, "provider", NULL);
    f->absent = rh_value_get_str(v, "absent", NULL);
    f->undeclared = rh_value_get_str(v, "undeclared", NULL);
    f->list = expect(rh_value_get(v, "states"), RH_ARRAY, "states", complaints);
    read_surroundings(f, a, v, complaints);
    read_files(f, v, complaints);
    changes = rh_value_get_str(v, "changes", "true");
    f->changes = strcmp(changes, "false") != 0;
    f->crashes = strcmp(rh_value_get_str(v, "aborts", "false"), "crashes") == 0;
    f->aborts = f->crashes || strcmp(rh_value_get_str(v, "aborts", "false"), "true") == 0;
    f->coupled = strcmp(rh_value_get_str(v, "bystanders", "true"), "false") == 0;
    f->stuck = strcmp(rh_value_get_str(v, "recovers", "true"), "false") == 0;
    f->unlisted = strcmp(rh_value_get_str(v, "list", "true"), "false") == 0;
    f->questions = rh_value_get(v, "questions");
    rh_questions_inspect(f->questions, complaints);
    f->target = expect(rh_value_get(v, "target"), RH_HASH, "target", complaints);
    for (size_t i = 0; i < rh_value_count(f->list); i++) {
        const struct rh_value *one = expect(rh_value_at(f->list, i), RH_HASH, "a state", complaints);

        refuse_unknown(one, state_words, complaints);
        if (one && !rh_value_get_str(one, "title", NULL))
            rh_complain(complaints, rh_value_place(one), NULL, "a state must have a 'title', a string");
    }
}

int
rh_fixture_open(struct rh_fixture *f, struct rh_arena *a, const char *path, struct rh_complaints *complaints,
                struct rh_error *err)
{
    rh_autofree char *text = rh_read_file(path, LARGEST, NULL, err);
    rh_autofree char *ready = NULL;
    const char *tmp = getenv("TMPDIR");
    rh_autofree char *memory = NULL, *state = NULL;
    unsigned file;
    size_t before;
    struct rh_value *v;

    *f = (struct rh_fixture){ 0 };
    if (!text)
        return -1;
    f->base = rh_arena_printf(a, "%s/rhost-check.XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
    if (!mkdtemp(f->base)) {
        f->base = NULL;
        return rh_error_system(err, errno, "cannot create a directory in '%s'", tmp ? tmp : "/tmp");
    }
    f->dir = rh_arena_printf(a, "%s/dir", f->base);
    memory = rh_printf("%s/memory", f->base);
    state = rh_printf("%s/state", f->base);
    if (mkdir(f->dir, 0755) < 0 || mkdir(memory, 0755) < 0 || mkdir(state, 0700) < 0
        || (f->state = open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) <= 0) {
        (void)rh_error_system(err, errno, "cannot create a directory in '%s'", f->base);
        rh_fixture_close(f);
        return -1;
    }
    ready = fill_in(text, path, f->dir, err);
    if (!ready) {
        rh_fixture_close(f);
        return -1;
    }
    file = rh_sources_add(complaints->sources, path, ready, strlen(ready));
    before = rh_complaints_count(complaints);
    v = rh_yaml_read(a, ready, strlen(ready), file, complaints);
    /* The reader goes on behind a mistake, to find the others. */
    if (v)
        read_words(f, a, v, complaints);
    if (v && rh_complaints_count(complaints) == before)
        return 0;
    rh_fixture_close(f);
    return -1;
}

bool
rh_fixture_only_asks(const struct rh_fixture *f)
{
    return f->questions && !f->type && !f->provider && !f->list && !f->absent;
}

bool
rh_fixture_is_for(const struct rh_fixture *f, const struct rh_type *t)
{
    return !rh_fixture_only_asks(f) && (!f->type || strcmp(f->type, t->type) == 0)
           && (!f->provider || strcmp(f->provider, t->provider) == 0);
}

struct rh_value *
rh_fixture_values(struct rh_arena *a, const struct rh_type *t, const struct rh_value *v, size_t first,
                  struct rh_complaints *complaints)
{
    struct rh_value *read = rh_value_new(a, RH_HASH);

    for (size_t i = first; i < rh_value_count(v); i++) {
        const struct rh_entry *e = rh_value_entry(v, i);
        const struct rh_attr *attr = rh_type_attr(t, e->key);
        const char *best = attr ? NULL : rh_type_suggest(t, e->key);
        rh_autofree char *hint = rh_did_you_mean(best, NULL);

        if (attr)
            rh_value_put(read, attr->name, rh_scalar_read(a, attr->type, rh_value_copy(a, e->value)));
        else
            rh_complain(complaints, rh_value_key_place(v, i), hint, "unknown attribute '%s' for type '%s'",
                        e->key, t->type);
    }
    return read;
}

static struct rh_value *
read_values(struct rh_arena *a, const struct rh_type *t, const struct rh_value *state, const char *word,
            struct rh_complaints *complaints)
{
    return rh_fixture_values(a, t, expect(rh_value_get(state, word), RH_HASH, word, complaints), 0,
                             complaints);
}

int
rh_fixture_fit(struct rh_fixture *f, struct rh_arena *a, const struct rh_type *t,
               struct rh_complaints *complaints)
{
    size_t before = rh_complaints_count(complaints);

    f->n = rh_value_count(f->list);
    f->states = rh_arena_alloc(a, f->n * sizeof *f->states);
    for (size_t i = 0; i < f->n; i++) {
        const struct rh_value *v = rh_value_at(f->list, i);
        struct rh_fixture_state *s = &f->states[i];

        s->title = rh_value_get_str(v, "title", "");
        s->given = read_values(a, t, v, "state", complaints);
        s->updates = read_values(a, t, v, "updates", complaints);
        s->refused = read_values(a, t, v, "refused", complaints);
        s->replaced = read_values(a, t, v, "replaced", complaints);
    }
    return rh_complaints_count(complaints) == before ? 0 : -1;
}

void
rh_fixture_close(struct rh_fixture *f)
{
    if (f->state > 0)
        (void)close(f->state);
    f->state = 0;
    if (f->base)
        rh_remove_tree(f->base);
    f->base = f->dir = NULL;
}

int
rh_fixture_write(const struct rh_fixture *f, bool elsewhere, struct rh_error *err)
{
    for (size_t i = 0; i < rh_value_count(f->files); i++) {
        const struct rh_entry *e = rh_value_entry(f->files, i);
        const char *text = rh_value_str(e->value, "");
        rh_autofree char *folder = rh_printf("%.*s", (int)(strrchr(e->key, '/') - e->key), e->key);

        if (is_below(e->key, f->dir) == elsewhere)
            continue;
        if (rh_make_directory(folder, 0755, err) < 0
            || rh_replace_file(e->key, text, strlen(text), 0644, err) < 0)
            return -1;
    }
    return 0;
}

int
rh_fixture_reset(const struct rh_fixture *f, struct rh_error *err)
{
    if (rh_empty_directory(f->dir) < 0)
        return rh_error_system(err, errno, "cannot empty the directory '%s'", f->dir);
    return rh_fixture_write(f, false, err);
}
