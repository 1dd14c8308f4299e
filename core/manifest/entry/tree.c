/* SPDX-License-Identifier: Apache-2.0 */
/* tree - a directory with all that a directory beside the manifest has in it. */
#include "config.h"

#include "manifest/entry/define.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/folder.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/entry/entry.h"
#include "manifest/load/load.h"
#include "schema/type.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100000 };

/* As descriptions of types have them. */
static const char parameters[] =
    "[{\"name\": \"source\", \"type\": \"String[1]\", \"behaviour\": 2,"
    " \"desc\": \"The directory, relative to the file that says it.\"},"
    "{\"name\": \"owner\", \"type\": \"Optional[Variant[String[1], Integer[0]]]\", \"behaviour\": 2,"
    " \"desc\": \"Whom all of it belongs to.\"},"
    "{\"name\": \"group\", \"type\": \"Optional[Variant[String[1], Integer[0]]]\", \"behaviour\": 2,"
    " \"desc\": \"The group of all of it.\"},"
    "{\"name\": \"mode\", \"type\": \"Pattern[/\\\\A0?[0-7]{3,4}\\\\z/]\", \"behaviour\": 2, \"default\": "
    "\"0644\","
    " \"desc\": \"The mode of files; programs and directories get x where it has r.\"},"
    "{\"name\": \"templates\", \"type\": \"Optional[Pattern[/\\\\A[^\\\\/]+\\\\z/]]\", \"behaviour\": 2,"
    " \"desc\": \"Files whose names end with this are templates; it is not part of the new name.\"},"
    "{\"name\": \"exclude\", \"type\": \"Array[String[1]]\", \"behaviour\": 2, \"default\": [],"
    " \"desc\": \"Patterns of names and paths in the source that are excluded.\"},"
    "{\"name\": \"purge\", \"type\": \"Optional[Boolean]\", \"behaviour\": 2,"
    " \"desc\": \"Whether what is not in the source is removed; as of a directory.\"},"
    "{\"name\": \"purge_limit\", \"type\": \"Optional[Integer[0]]\", \"behaviour\": 2,"
    " \"desc\": \"How many entries a directory may lose in one run.\"},"
    "{\"name\": \"keep\", \"type\": \"Optional[Array[String[1]]]\", \"behaviour\": 2,"
    " \"desc\": \"Names that a purge leaves.\"},"
    "{\"name\": \"force\", \"type\": \"Optional[Boolean]\", \"behaviour\": 2,"
    " \"desc\": \"Whether a purge removes directories as well.\"},"
    "{\"name\": \"parents\", \"type\": \"Optional[Boolean]\", \"behaviour\": 2,"
    " \"desc\": \"Whether the directories above it are created as well.\"}]";

struct growth {
    struct rh_load *load;
    const struct rh_resource *instance;
    long mode;
    const char *source, *templates;
};

static const struct rh_value *
parameter(const struct growth *g, const char *name)
{
    return rh_value_get(g->instance->should, name);
}

/* A text that stands for itself: no expression is in it. */
static struct rh_value *
literal(const struct growth *g, const char *text)
{
    rh_autobuf struct rh_buf out = { 0 };
    struct rh_value *v;

    for (; *text; text++) {
        if (text[0] == '$' && text[1] == '{')
            rh_buf_addc(&out, '$');
        rh_buf_addc(&out, *text);
    }
    v = rh_value_string(g->load->catalog->arena, rh_buf_text(&out));
    rh_value_set_place(v, g->instance->place);
    return v;
}

static void
put(const struct growth *g, struct rh_value *entry, const char *key, const char *text)
{
    rh_value_put_ref(entry, key, literal(g, text));
}

static void
put_mode(const struct growth *g, struct rh_value *entry, bool with_x)
{
    rh_autofree char *text =
        rh_printf("%04lo", (unsigned long)(with_x ? g->mode | (g->mode & 0444) >> 2 : g->mode));

    put(g, entry, "mode", text);
}

static struct rh_value *
begin(const struct growth *g, const char *type, const char *path)
{
    struct rh_value *entry = rh_value_hash(g->load->catalog->arena, 8);

    rh_value_set_place(entry, g->instance->place);
    put(g, entry, type, path);
    return entry;
}

static void
put_owners(const struct growth *g, struct rh_value *entry)
{
    static const char *const names[] = { "owner", "group" };

    for (size_t i = 0; i < 2; i++)
        if (parameter(g, names[i]))
            rh_value_put_ref(entry, names[i], rh_value_copy(g->load->catalog->arena, parameter(g, names[i])));
}

static int
grow_directory(const struct growth *g, const char *path, bool top)
{
    static const char *const passed[] = { "purge", "purge_limit", "keep", "force", "parents" };
    struct rh_value *entry = begin(g, "directory", path);

    put_mode(g, entry, true);
    put_owners(g, entry);
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++)
        if (parameter(g, passed[i]) && (top || strcmp(passed[i], "parents") != 0))
            rh_value_put_ref(entry, passed[i],
                             rh_value_copy(g->load->catalog->arena, parameter(g, passed[i])));
    return rh_entry_read(g->load, entry);
}

/* How many bytes of the path are left when it is that of a template has lost its ending. */
static size_t
length_without(const char *path, const char *ending)
{
    size_t n = strlen(path), end = ending ? strlen(ending) : 0;
    const char *slash = strrchr(path, '/');
    size_t name = n - (slash ? (size_t)(slash - path) + 1 : 0);

    return end && name > end && strcmp(path + n - end, ending) == 0 ? n - end : n;
}

static int
grow(const struct growth *g, const struct rh_folder_entry *e)
{
    size_t n = length_without(e->path, e->kind == RH_FOLDER_FILE ? g->templates : NULL);
    rh_autofree char *from = rh_printf("%s/%s", g->source, e->path);
    rh_autofree char *to = rh_printf("%s/%.*s", g->instance->title, (int)n, e->path);
    struct rh_value *entry;

    if (e->kind == RH_FOLDER_DIRECTORY)
        return grow_directory(g, to, false);
    if (e->kind == RH_FOLDER_LINK) {
        entry = begin(g, "link", to);
        put(g, entry, "target", e->target);
        return rh_entry_read(g->load, entry);
    }
    entry = begin(g, "file", to);
    put(g, entry, e->path[n] ? "template" : "source", from);
    put_mode(g, entry, e->executable);
    put_owners(g, entry);
    return rh_entry_read(g->load, entry);
}

/* Whether the path, or its name, is to be left out. */
static bool
is_excluded(const struct growth *g, const char *path)
{
    const struct rh_value *patterns = parameter(g, "exclude");
    const char *slash = strrchr(path, '/');

    for (size_t i = 0; i < rh_value_count(patterns); i++) {
        const char *pattern = rh_value_str(rh_value_at(patterns, i), "");

        if (fnmatch(pattern, slash ? slash + 1 : path, 0) == 0 || fnmatch(pattern, path, FNM_PATHNAME) == 0)
            return true;
    }
    return false;
}

static int
grow_all(const struct growth *g, const struct rh_folder_contents *f)
{
    const char *excluded = NULL;
    int rc = grow_directory(g, g->instance->title, true);

    for (size_t i = 0; i < f->n && !g->load->spent.exceeded; i++) {
        const char *path = f->v[i].path;

        if (excluded && strncmp(path, excluded, strlen(excluded)) == 0 && path[strlen(excluded)] == '/')
            continue;
        excluded = NULL;
        if (is_excluded(g, path))
            excluded = path;
        else if (grow(g, &f->v[i]) < 0)
            rc = -1;
    }
    return rc;
}

static int
refuse(struct rh_load *load, const struct rh_resource *instance, const char *name, const char *hint,
       const char *message)
{
    const struct rh_value *v = rh_value_get(instance->should, name);
    struct rh_place place = v ? rh_value_place(v) : instance->place;

    rh_complain(load->complaints, place.line ? place : instance->place, hint, "%s", message);
    return -1;
}

/* All of them decide which resources there are. */
static int
check(struct rh_load *load, const struct rh_resource *instance)
{
    if (*instance->title != '/')
        return refuse(load, instance, "name", "write it like this: - tree: /srv/www",
                      "the path of a tree must be absolute");
    for (size_t i = 0; i < rh_value_count(instance->should); i++) {
        const struct rh_entry *e = rh_value_entry(instance->should, i);

        if (rh_value_unknown(e->value))
            return refuse(load, instance, e->key,
                          "rhost must know all resources before it applies the first one",
                          "a parameter of a tree is not known before the run");
        if (rh_value_sensitive(e->value))
            return refuse(load, instance, e->key, NULL, "a parameter of a tree cannot be secret");
    }
    return 0;
}

static int
expand(struct rh_load *load, const struct rh_definition *d, const struct rh_resource *instance)
{
    const struct rh_value *should = instance->should, *source = rh_value_get(should, "source");
    struct growth g = { .load = load,
                        .instance = instance,
                        .mode = strtol(rh_value_get_str(should, "mode", "0644"), NULL, 8),
                        .source = rh_value_str(source, ""),
                        .templates = rh_value_get_str(should, "templates", NULL) };
    rh_autofolder struct rh_folder_contents f = { 0 };
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *name = NULL;
    struct rh_place place = rh_value_place(source);
    int at;

    (void)d;
    if (check(load, instance) < 0)
        return -1;
    at = rh_roots_open_directory(&load->roots, g.source, place.file ? place.file : instance->place.file,
                                 &name, &err);
    if (at < 0 || rh_folder_list(at, g.source, MOST, &f, &err) < 0) {
        rh_complain_error(
            load->complaints, place.line ? place : instance->place,
            strstr(err.message, "No such file") ? "the path is relative to the file that names it" : NULL,
            &err);
        return -1;
    }
    return grow_all(&g, &f);
}

const struct rh_type *
rh_define_tree_type(struct rh_arena *a, struct rh_error *err)
{
    struct rh_value *list = rh_value_from_json(a, parameters, sizeof parameters - 1, err);
    struct rh_type *t = list ? rh_define_make(a, "tree", list, err) : NULL;

    if (t)
        t->desc = "Keep a directory with all that a directory beside the manifest has in it.";
    return t;
}

void
rh_define_tree(struct rh_load *load)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_type *t;

    if (rh_map_get(&load->known.definitions, "tree") || rh_load_type(load, "tree", NULL)->type)
        return;
    t = rh_define_tree_type(load->catalog->arena, &err);
    if (t)
        rh_define_add(load, t)->expand = expand;
    else
        rh_log(RH_ERR, "cannot define 'tree': %s", err.message);
}
