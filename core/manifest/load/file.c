/* SPDX-License-Identifier: Apache-2.0 */
/* file - the files that one load reads: those of the command line, and what they name. */
#include "config.h"

#include "manifest/load/file.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/io.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/load/input.h"
#include "manifest/load/load.h"
#include "manifest/load/missing.h"
#include "manifest/load/parsed.h"
#include "manifest/load/root.h"
#include "manifest/text/yaml.h"

#include <stdlib.h>
#include <string.h>

void
rh_files_clear(struct rh_files *files)
{
    for (struct rh_file *f = files->first; f; f = f->next) {
        free(f->includes);
        free(f->roles);
    }
    rh_map_clear(&files->by_name);
    *files = (struct rh_files){ 0 };
}

static bool
is_recipe(const char *name)
{
    size_t n = strlen(name);

    return n > 4 && strcmp(name + n - 4, ".lua") == 0;
}

/* Whether the file lies in the folder of this name, beside the manifest that led to it. */
static bool
lies_in(const struct rh_load *load, const struct rh_file *file, const char *folder)
{
    rh_autofree char *inside = rh_printf("%s/x", folder);
    rh_autofree char *name = rh_roots_name(&load->roots, inside, file->home, NULL);
    size_t n = name ? strlen(name) - 1 : 0;

    return n && strncmp(file->name, name, n) == 0 && !strchr(file->name + n, '/');
}

/* Whether `rhost compile` wrote it. */
static bool
is_compiled(const struct rh_value *v)
{
    return rh_value_get(v, "catalog") != NULL;
}

static enum rh_file_kind
kind_of(const struct rh_load *load, const struct rh_file *file)
{
    if (is_recipe(file->name))
        return RH_FILE_RECIPE;
    if (file->tree && is_compiled(file->tree))
        return RH_FILE_COMPILED;
    if (!file->is_argument && lies_in(load, file, "roles"))
        return RH_FILE_ROLE;
    if (!file->is_argument && lies_in(load, file, "environments"))
        return RH_FILE_ENVIRONMENT;
    return RH_FILE_MANIFEST;
}

/* Takes the text over. `from` 0: it is of the command line. */
static struct rh_file *
add(struct rh_load *load, const char *name, char *text, size_t n, unsigned from)
{
    struct rh_catalog *c = load->catalog;
    struct rh_files *files = &load->files;
    size_t before = rh_complaints_count(load->complaints);
    unsigned source = rh_sources_take(c->sources, name, text, n);
    struct rh_file *file;

    if (!source) {
        rh_complain(load->complaints, (struct rh_place){ 0 }, NULL, "cannot read '%s': too many files", name);
        return NULL;
    }
    load->spent.bytes += n;
    if (from)
        rh_roots_inherit(&load->roots, source, from);
    else
        rh_roots_add(&load->roots, source);
    file = rh_arena_alloc(c->arena, sizeof *file);
    *file =
        (struct rh_file){ .name = rh_arena_strdup(c->arena, name), .source = source, .is_argument = !from };
    file->home = from ? from : source;
    for (const struct rh_file *f = files->first; from && f; f = f->next)
        if (f->source == from)
            file->home = f->home;
    if (is_recipe(name)) {
        file->text = text;
        file->n = n;
    } else {
        struct rh_parsed parsed;

        rh_parsed_open(&parsed, load->types->parsed, text, n);
        file->tree =
            rh_yaml_read_again(c->arena, text, n, source, load->complaints, rh_parsed_record(&parsed));
        rh_parsed_close(&parsed);
        if (rh_complaints_count(load->complaints) > before)
            rh_sources_suspect(c->sources, source);
        if (!file->tree)
            rh_catalog_note_refused(c, NULL, NULL);
    }
    file->kind = kind_of(load, file);
    if (files->last)
        files->last->next = file;
    else
        files->first = file;
    files->last = file;
    rh_map_replace(&files->by_name, file->name, file);
    return file;
}

struct rh_file *
rh_file_text(struct rh_load *load, const char *name, char *text, size_t n)
{
    return add(load, name, text, n, 0);
}

struct rh_file *
rh_file_argument(struct rh_load *load, const char *path)
{
    rh_autoerror struct rh_error err = { 0 };
    size_t n = 0;
    char *text =
        rh_roots_guard(&load->roots, path, &err) < 0 ? NULL : rh_read_file(path, RH_YAML_LARGEST, &n, &err);

    if (!text) {
        rh_autofree char *hint = rh_missing_hint(path);

        rh_complain_error(load->complaints, (struct rh_place){ 0 }, hint, &err);
        rh_catalog_note_refused(load->catalog, NULL, NULL);
        return NULL;
    }
    return add(load, strcmp(path, "-") == 0 ? "standard input" : path, text, n, 0);
}

struct rh_file *
rh_file_named(struct rh_load *load, const char *path, unsigned from, struct rh_error *why, char **hint)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *name = rh_roots_name(&load->roots, path, from, &err);
    struct rh_file *known = name ? rh_map_get(&load->files.by_name, name) : NULL;
    char *text = NULL;
    size_t n = 0;

    if (known)
        return known;
    if (name)
        text = rh_roots_read(&load->roots, name, from, RH_YAML_LARGEST, &n, &err);
    if (text)
        return add(load, name, text, n, from);
    if (why) {
        rh_error_move(why, &err);
        *hint = name ? rh_missing_hint(name) : NULL;
    }
    return NULL;
}

/* From the file that names itself to the innermost, each with where it was named. */
static void
add_circle(const struct rh_load *load, const struct rh_file *from, const struct rh_file *at,
           struct rh_buf *out)
{
    rh_autofree char *place = NULL;

    if (at != from && at->within)
        add_circle(load, from, at->within, out);
    if (at == from)
        return;
    place = rh_place_text(load->catalog->sources, at->named, false);
    rh_buf_addf(out, "%s names %s, ", place, at->name);
}

char *
rh_file_circle(struct rh_load *load, const struct rh_file *file, struct rh_place place)
{
    rh_autofree char *last = rh_place_text(load->catalog->sources, place, false);
    struct rh_buf out = { 0 };

    if (load->files.reading)
        add_circle(load, file, load->files.reading, &out);
    rh_buf_addf(&out, "%s names %s", last, file->name);
    return rh_buf_take(&out);
}

int
rh_file_enter(struct rh_load *load, struct rh_file *file, struct rh_place named)
{
    if (load->files.depth >= RH_FILES_DEEPEST)
        return -1;
    file->within = load->files.reading;
    file->named = named;
    file->active = true;
    load->files.reading = file;
    load->files.depth++;
    return 0;
}

void
rh_file_leave(struct rh_load *load, struct rh_file *file)
{
    load->files.reading = file->within;
    load->files.depth--;
    file->within = NULL;
    file->active = false;
}
