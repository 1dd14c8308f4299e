/* SPDX-License-Identifier: Apache-2.0 */
/* own - facts of one's own: files of data and programs, in folders. */
#include "config.h"

#include "facts/own.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "facts/facts.h"
#include "facts/probe.h"
#include "manifest/text/scalar.h"
#include "manifest/text/yaml.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 4 << 20, MOST_FILES = 1000, TIME_LIMIT = 10 };

struct found {
    char *path;
    bool program;
};

struct rh_own {
    struct rh_arena *arena;
    const char **folders;
    size_t n_folders;
    unsigned time_limit;
    bool no_programs;
    bool (*is_builtin)(const char *name);
    struct rh_complaints *complaints;
    struct rh_sources sources; /* when nobody wants to hear of complaints */
    struct rh_complaints unheard;
    struct found *found; /* in the order in which they count, the last one most */
    size_t n_found, cap_found;
    bool searched;
    struct rh_value *files, *programs;
};

static const struct rh_place nowhere;

struct rh_own *
rh_own_new(const struct rh_facts_options *options, bool (*is_builtin)(const char *name))
{
    struct rh_own *o = rh_xalloc(sizeof *o);

    o->arena = rh_arena_new(NULL);
    o->n_folders = options->n_folders;
    o->folders = rh_arena_alloc(o->arena, o->n_folders * sizeof *o->folders);
    for (size_t i = 0; i < o->n_folders; i++)
        o->folders[i] = rh_arena_strdup(o->arena, options->folders[i]);
    o->no_programs = options->no_programs;
    o->time_limit = options->time_limit ? options->time_limit : TIME_LIMIT;
    o->is_builtin = is_builtin;
    o->unheard.sources = &o->sources;
    o->complaints = options->complaints ? options->complaints : &o->unheard;
    return o;
}

void
rh_own_free(struct rh_own *o)
{
    if (!o)
        return;
    rh_complaints_clear(&o->unheard);
    rh_sources_clear(&o->sources);
    free(o->found);
    rh_arena_free(o->arena);
    free(o);
}

/* Finding. */

static bool
ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);

    return n > m && strcmp(name + n - m, end) == 0;
}

/* What editors and package managers leave behind. */
static bool
is_left_over(const char *name)
{
    static const char *const ends[] = { "~",          ".bak",    ".orig",    ".dpkg-old", ".dpkg-new",
                                        ".dpkg-dist", ".rpmnew", ".rpmsave", ".rpmorig" };

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (ends_with(name, ends[i]))
            return true;
    return name[0] == '.';
}

/* Why what is there may have been written by somebody who may not decide; NULL: it is well. */
static const char *
distrust(const struct stat *st)
{
    if (st->st_mode & (S_IWGRP | S_IWOTH))
        return "users other than its owner can write to it";
    if (st->st_uid != 0 && st->st_uid != geteuid())
        return "it belongs to another user";
    return NULL;
}

/* Programs must be trusted in any case, data when root acts upon it. */
static bool
is_trusted(struct rh_own *o, const char *folder, const struct stat *in, const char *path,
           const struct stat *st, bool program)
{
    const char *why;

    if (!program && geteuid() != 0)
        return true;
    if ((why = distrust(st)))
        rh_complain(o->complaints, nowhere, NULL, "'%s' is ignored: %s", path, why);
    else if ((why = distrust(in)))
        rh_complain(o->complaints, nowhere, NULL, "'%s' is ignored: its directory '%s' is not safe: %s", path,
                    folder, why);
    return !why;
}

static void
consider(struct rh_own *o, const char *folder, const struct stat *in, const char *name)
{
    char *path = rh_arena_printf(o->arena, "%s/%s", folder, name);
    bool data = ends_with(name, ".json") || ends_with(name, ".yaml") || ends_with(name, ".yml");
    struct stat st;

    if (is_left_over(name))
        return;
    if (stat(path, &st) < 0) {
        rh_complain(o->complaints, nowhere, NULL, "cannot open '%s': %s", path, strerror(errno));
        return;
    }
    if (S_ISDIR(st.st_mode))
        return;
    if (!S_ISREG(st.st_mode)) {
        rh_complain(o->complaints, nowhere, NULL, "'%s' is ignored: it is not a regular file", path);
        return;
    }
    if (!data && access(path, X_OK) < 0) {
        rh_complain(o->complaints, nowhere,
                    "data is in files that end in .json, .yaml or .yml, and programs are executable",
                    "'%s' is ignored: it is neither data nor a program", path);
        return;
    }
    if (!is_trusted(o, folder, in, path, &st, !data))
        return;
    o->found = rh_xgrow(o->found, &o->cap_found, o->n_found, sizeof *o->found);
    o->found[o->n_found++] = (struct found){ .path = path, .program = !data };
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
search_folder(struct rh_own *o, const char *folder)
{
    rh_autoclosedir DIR *d = opendir(folder);
    rh_autofree char **names = NULL;
    size_t n = 0, cap = 0;
    const struct dirent *e;
    struct stat in;

    if (!d || fstat(dirfd(d), &in) < 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            rh_complain(o->complaints, nowhere, NULL, "cannot open '%s': %s", folder, strerror(errno));
        else if (errno == ENOTDIR)
            rh_complain(o->complaints, nowhere, NULL, "'%s' is not a directory", folder);
        return;
    }
    while ((e = readdir(d))) {
        if (n == MOST_FILES) {
            rh_complain(o->complaints, nowhere, NULL, "'%s' has more than %d files", folder, MOST_FILES);
            break;
        }
        names = rh_xgrow(names, &cap, n, sizeof *names);
        names[n++] = rh_arena_strdup(o->arena, e->d_name);
    }
    if (n)
        qsort(names, n, sizeof *names, by_text);
    for (size_t i = 0; i < n; i++)
        consider(o, folder, &in, names[i]);
}

static void
search(struct rh_own *o)
{
    if (o->searched)
        return;
    o->searched = true;
    for (size_t i = 0; i < o->n_folders; i++)
        search_folder(o, o->folders[i]);
}

/* Reading. */

/* A fact each; the last one that says it counts. */
static void
take_facts(struct rh_own *o, struct rh_value *to, struct rh_value *facts, bool program)
{
    for (size_t i = 0; i < rh_value_count(facts); i++) {
        const struct rh_entry *e = rh_value_entry(facts, i);

        if (program && o->is_builtin(e->key))
            rh_complain(o->complaints, rh_value_key_place(facts, i),
                        "a file of data can replace it, which costs nothing to those who read it",
                        "'%s' is a built-in fact, and no program can replace it", e->key);
        else
            rh_value_put(to, e->key, e->value);
    }
}

/* Much that is wrong as JSON is well as YAML, with another meaning: {"a": } has no value for `a`. */
static bool
is_json(struct rh_own *o, unsigned file, const char *text, size_t n)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_place place = { .line = 1, .column = 1, .file = (uint16_t)file };

    if (rh_value_from_json(a, text, n, &err))
        return true;
    for (size_t i = 0; i < err.at && i < n; i++)
        if (text[i] == '\n') {
            place.line++;
            place.column = 1;
        } else if (((unsigned char)text[i] & 0xc0) != 0x80 && place.column < UINT16_MAX) {
            place.column++;
        }
    rh_complain(o->complaints, place, NULL, "%s", err.message);
    return false;
}

/* `text` is taken over, by what quotes it. */
static void
take_yaml(struct rh_own *o, struct rh_value *to, const char *name, char *text, size_t n, bool program)
{
    unsigned file = rh_sources_take(o->complaints->sources, name, text, n);
    struct rh_value *facts;

    if (!file) {
        rh_complain(o->complaints, nowhere, NULL, "'%s' is ignored: too many files", name);
        return;
    }
    if (!program && ends_with(name, ".json") && !is_json(o, file, text, n))
        return;
    facts = rh_yaml_read(o->arena, text, n, file, o->complaints);
    if (!facts)
        return;
    facts = rh_scalar_read(o->arena, NULL, facts);
    if (facts->kind == RH_HASH)
        take_facts(o, to, facts, program);
    else if (facts->kind != RH_UNDEF)
        rh_complain(o->complaints, rh_value_place(facts), NULL,
                    "expected a hash of facts and their values, found %s", rh_kind_name(facts->kind));
}

const struct rh_value *
rh_own_files(struct rh_own *o)
{
    if (o->files)
        return o->files;
    o->files = rh_value_new(o->arena, RH_HASH);
    search(o);
    for (size_t i = 0; i < o->n_found; i++) {
        rh_autoerror struct rh_error err = { 0 };
        const char *path = o->found[i].path;
        size_t n = 0;
        char *text;

        if (o->found[i].program)
            continue;
        text = rh_read_file(path, LARGEST, &n, &err);
        if (text)
            take_yaml(o, o->files, path, text, n, false);
        else
            rh_complain_error(o->complaints, nowhere, NULL, &err);
    }
    return o->files;
}

/* Output. */

static size_t
name_length(const char *line)
{
    size_t n = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

    return line[n] == '=' ? n : 0;
}

/* Whether its first line that says anything is name=value. */
static bool
is_lines(const char *text)
{
    text += strspn(text, " \t\r\n");
    return name_length(text) > 0;
}

/* name=value, a line each; the value is text in any case. */
static void
take_lines(struct rh_own *o, const char *name, char *text, size_t n)
{
    unsigned file = rh_sources_take(o->complaints->sources, name, text, n);
    struct rh_value *facts = rh_value_new(o->arena, RH_HASH);
    struct rh_place place = { .column = 1, .file = (uint16_t)file };

    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n"), end = len, key = name_length(line);

        place.line++;
        while (end && strchr(" \t\r", line[end - 1]))
            end--;
        if (end && !key) {
            rh_complain(o->complaints, place, NULL, "expected name=value, as in the lines above");
        } else if (end && !rh_utf8_valid(line, end)) {
            rh_complain(o->complaints, place, NULL, "it is not UTF-8");
        } else if (end) {
            struct rh_value *v = rh_value_stringn(o->arena, line + key + 1, end - key - 1);

            rh_value_set_place(v, place);
            rh_value_put(facts, rh_arena_strndup(o->arena, line, key), v);
        }
        line += line[len] ? len + 1 : len;
    }
    take_facts(o, o->programs, facts, true);
}

static void
run_program(struct rh_own *o, const char *path)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *name = rh_printf("%s (output)", path);
    double start = rh_now();
    size_t n = 0;
    char *text;

    if (o->no_programs)
        return;
    text = rh_program_run(path, o->time_limit, &n, &err);
    rh_debug("Ran '%s' for its facts in %.2f ms", path, (rh_now() - start) * 1000);
    if (!text)
        rh_complain(o->complaints, nowhere, NULL, "fact program '%s' failed: %s", path, err.message);
    else if (strlen(text) == n && is_lines(text))
        take_lines(o, name, text, n);
    else
        take_yaml(o, o->programs, name, text, n, true);
}

const struct rh_value *
rh_own_programs(struct rh_own *o)
{
    if (o->programs)
        return o->programs;
    o->programs = rh_value_new(o->arena, RH_HASH);
    search(o);
    for (size_t i = 0; i < o->n_found; i++)
        if (o->found[i].program)
            run_program(o, o->found[i].path);
    return o->programs;
}
