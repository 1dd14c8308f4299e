/* SPDX-License-Identifier: Apache-2.0 */
/* command-line - attributes from the command line: --attributes=FILE, --attribute=LEVEL.PATH=VALUE. */
#include "config.h"

#include "manifest/attribute/command-line.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/error.h"
#include "base/io.h"
#include "base/source.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value.h"
#include "manifest/attribute/attributes.h"
#include "manifest/load/input.h"
#include "manifest/load/load.h"
#include "manifest/load/missing.h"
#include "manifest/load/root.h"
#include "manifest/text/scalar.h"
#include "manifest/text/yaml.h"
#include "node/node.h"

#include <string.h>

/* Files. */

/* A hash of attributes where levels are wanted: with one hint instead of one complaint for each. */
static bool
has_levels(struct rh_load *load, const struct rh_value *v)
{
    const char *hint = "put a level above them, for example 'force_override:', and indent them";
    struct rh_suggest near;

    if (!rh_value_is(v, RH_HASH) || !v->count)
        return true;
    for (size_t i = 0; i < v->count; i++) {
        const char *key = rh_value_entry(v, i)->key;

        rh_suggest_init(&near, key);
        rh_attributes_suggest_level(&near);
        if (near.best || rh_node_level_find(key) >= 0 || strcmp(key, "sensitive") == 0)
            return true;
    }
    if (rh_value_get(v, "attributes") || rh_value_get(v, "resources"))
        hint = "the file holds what a manifest has under 'attributes:'; name a manifest as a FILE instead";
    rh_complain(load->complaints, rh_value_key_place(v, 0), hint,
                "unknown level '%s' at the top of an attributes file", rh_value_entry(v, 0)->key);
    return false;
}

static struct rh_value *
read_file(struct rh_load *load, const char *path)
{
    struct rh_arena *a = load->catalog->arena;
    struct rh_sources *sources = load->catalog->sources;
    size_t before = rh_complaints_count(load->complaints), n = 0;
    rh_autoerror struct rh_error err = { 0 };
    char *text =
        rh_roots_guard(&load->roots, path, &err) < 0 ? NULL : rh_read_file(path, RH_YAML_LARGEST, &n, &err);
    struct rh_value *v;
    unsigned file;

    if (!text) {
        rh_autofree char *hint = rh_missing_hint(path);

        rh_complain(load->complaints, (struct rh_place){ 0 }, hint, "--attributes: %s", err.message);
        return NULL;
    }
    file = rh_sources_take(sources, strcmp(path, "-") == 0 ? "standard input" : path, text, n);
    if (!file) {
        rh_complain(load->complaints, (struct rh_place){ 0 }, NULL, "cannot read '%s': too many files", path);
        return NULL;
    }
    load->spent.bytes += n;
    rh_roots_add(&load->roots, file);
    v = rh_yaml_read(a, text, n, file, load->complaints);
    if (rh_complaints_count(load->complaints) > before)
        rh_sources_suspect(sources, file);
    return v && has_levels(load, v) ? v : NULL;
}

void
rh_command_line_note_secrets(struct rh_load *load)
{
    const struct rh_command_line *command_line = load->types->command_line;

    load->attributes.from_files = rh_value_new(load->catalog->arena, RH_ARRAY);
    for (size_t i = 0; command_line && i < command_line->n_attribute_files; i++) {
        struct rh_value *v = read_file(load, command_line->attribute_files[i]);

        if (!v)
            continue;
        rh_attributes_note_secrets(load, v);
        rh_value_append(load->attributes.from_files, v);
    }
}

/* Single ones. */

struct single {
    const char *text;
    size_t n;    /* of what is in front of the '=' */
    size_t path; /* where the path starts */
    struct rh_place place;
    enum rh_node_level level;
    bool implied; /* the level was not said */
};

/* Where the '=' is, outside of brackets and quotes. */
static size_t
find_equals(const char *text)
{
    char quote = '\0';
    int depth = 0;

    for (size_t i = 0; text[i]; i++) {
        if (quote)
            quote = text[i] == quote ? '\0' : quote;
        else if (depth && (text[i] == '"' || text[i] == '\''))
            quote = text[i];
        else if (text[i] == '[')
            depth++;
        else if (text[i] == ']' && depth)
            depth--;
        else if (text[i] == '=' && !depth)
            return i;
    }
    return SIZE_MAX;
}

static struct rh_place
place_at(const struct single *s, size_t at)
{
    struct rh_place place = s->place;

    place.line = 1;
    place.column = (uint16_t)(at < UINT16_MAX ? rh_utf8_count(s->text, at) + 1 : UINT16_MAX);
    return place;
}

static int
complain(struct rh_load *load, const struct single *s, size_t at, const char *hint, const char *message)
{
    rh_complain(load->complaints, place_at(s, at), hint, "%s", message);
    return -1;
}

static void
complain_error(struct rh_load *load, const struct single *s, size_t at, const char *hint,
               const struct rh_error *err)
{
    rh_complain_error(load->complaints, place_at(s, at), hint, err);
}

static int
read_level(struct rh_load *load, struct single *s)
{
    size_t n = strcspn(s->text, ".[=");
    rh_autofree char *word = rh_xstrndup(s->text, n);
    rh_autofree char *message = NULL, *hint = NULL;
    int level = rh_node_level_find(word);
    struct rh_suggest near;

    s->level = RH_LEVEL_FORCE_OVERRIDE;
    s->implied = true;
    if (level == RH_LEVEL_AUTOMATIC)
        return rh_attributes_level(load, word,
                                   (struct rh_place){ .line = 1, .column = 1, .file = s->place.file });
    if (level < 0) {
        rh_suggest_init(&near, word);
        rh_attributes_suggest_level(&near);
        if (!near.best)
            return 0;
        message = rh_printf("unknown level '%s'", word);
        hint = rh_printf("did you mean '%s'? An attribute of this name is written "
                         "force_override.%s",
                         near.best, word);
        return complain(load, s, 0, hint, message);
    }
    if (s->text[n] != '.')
        return complain(load, s, n, "for example: --attribute=override.web.port=8080",
                        "expected '.' and the path of an attribute after the level");
    s->level = (enum rh_node_level)level;
    s->implied = false;
    s->path = n + 1;
    return 0;
}

static struct rh_value *
read_path(struct rh_load *load, const struct single *s)
{
    rh_autofree char *text = rh_xstrndup(s->text + s->path, s->n - s->path);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *path = NULL;

    if (*text)
        path = rh_node_path_parse(load->catalog->arena, text, &err);
    if (path && path->count)
        return path;
    (void)rh_error_set(&err, RH_EINPUT, "the path of the attribute is missing"); /* unless there is another */
    complain_error(load, s, s->path + err.at, "for example: --attribute=web.port=8080", &err);
    return NULL;
}

static struct rh_value *
read_value(struct rh_load *load, const struct single *s)
{
    struct rh_arena *a = load->catalog->arena;
    const char *text = s->text + s->n + 1;
    rh_autofree char *padded = NULL;
    struct rh_value *v;

    if (*text && strchr("\"'[{", *text)) {
        /* Columns are those of the whole argument. */
        padded = rh_printf("%*s%s", (int)rh_utf8_count(s->text, s->n + 1), "", text);
        return rh_yaml_read(a, padded, strlen(padded), s->place.file, load->complaints);
    }
    v = rh_value_string(a, text);
    if (*text)
        v->marks |= RH_PLAIN;
    return v;
}

/* What a fact outranks would be lost without a word. */
static void
check_wins(struct rh_load *load, const struct single *s, const struct rh_value *path,
           const struct rh_value *v)
{
    const struct rh_value *now;
    rh_autofree char *message = NULL;

    if (!s->implied || v->kind == RH_ARRAY || v->kind == RH_HASH || v->kind == RH_UNKNOWN)
        return;
    now = rh_node_read(load->attributes.node, path);
    if (!now || rh_value_equal(now, v))
        return;
    message = rh_printf("'%.*s' is a fact, and no level overrides facts", (int)s->n, s->text);
    (void)complain(load, s, 0, "a file in facts.d can replace a built-in fact", message);
}

static void
apply_one(struct rh_load *load, const char *text, size_t number)
{
    rh_autofree char *name = rh_printf("--attribute %zu", number);
    struct single s = { .text = text, .n = find_equals(text) };
    struct rh_value *path, *v;

    s.place.file = (uint16_t)rh_sources_add(load->catalog->sources, name, text, strlen(text));
    if (!rh_utf8_valid(text, strlen(text))) {
        (void)complain(load, &s, 0, NULL, "the argument is not UTF-8");
        return;
    }
    if (s.n == SIZE_MAX) {
        (void)complain(load, &s, strlen(text), "for example: --attribute=web.port=8080",
                       "the '=' and the value are missing");
        return;
    }
    if (read_level(load, &s) < 0)
        return;
    path = read_path(load, &s);
    v = path ? read_value(load, &s) : NULL;
    if (!v)
        return;
    rh_attributes_set(load, s.level, path, v, s.place, s.implied && v->kind == RH_ARRAY);
    check_wins(load, &s, path, v);
}

void
rh_command_line_apply(struct rh_load *load)
{
    const struct rh_command_line *command_line = load->types->command_line;

    for (size_t i = 0; i < rh_value_count(load->attributes.from_files); i++)
        rh_attributes_read(load, rh_draft_part(load->attributes.from_files, i));
    for (size_t i = 0; command_line && i < command_line->n_attributes; i++)
        apply_one(load, command_line->attributes[i], i + 1);
}
