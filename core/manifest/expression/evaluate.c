/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate - expressions of a manifest: what they see of the world, and complaints about them. */
#include "config.h"

#include "manifest/expression/expression.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/error.h"
#include "base/log.h"
#include "base/secrets.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/later.h"
#include "manifest/expression/later.h"
#include "manifest/expression/template-file.h"
#include "manifest/load/budget.h"
#include "manifest/load/input.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"
#include "manifest/text/yaml.h"
#include "script/script.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST_CREDENTIAL = 4 << 20, LARGEST_SECRET = 4 << 20 };

/* The world. */

static const struct rh_value *
ask_current(void *data, const char *type, const char *title, struct rh_arena *a, struct rh_error *err)
{
    struct rh_load *load = data;
    rh_autobuf struct rh_buf key = { 0 };
    const struct rh_value *known;

    rh_buf_addf(&key, "%s[%s]", type, title);
    known = rh_map_get_const(&load->expressions.states, rh_buf_text(&key));
    if (known)
        return known;
    (void)a; /* it is kept for the next who asks */
    known = load->types->current(load->types->data, type, title, load->catalog->arena, err);
    if (known)
        rh_map_put_const(&load->expressions.states, rh_arena_strdup(load->catalog->arena, rh_buf_text(&key)),
                         known);
    return known;
}

static int
check_use(const struct rh_load *load, const char *after, struct rh_error *err)
{
    if (load->expressions.may_use_results)
        return 0;
    return rh_error_set(err, RH_EINPUT,
                        "a result is known only after %s was applied: only attributes, templates, 'when' and "
                        "guards can use it",
                        after);
}

/* A resource that was left as it is, as its provider sees it. */
static const struct rh_value *
add_current(struct rh_load *load, const char *type, const char *title, const struct rh_value *known,
            struct rh_arena *a, struct rh_error *err)
{
    const struct rh_value *is;
    struct rh_value *all;

    if (!load->types->current)
        return known;
    is = load->types->current(load->types->data, type, title, a, err);
    if (!is || is->kind == RH_UNKNOWN)
        return is;
    all = rh_value_copy_top(a, known);
    for (size_t i = 0; i < rh_value_count(is); i++) {
        const struct rh_entry *e = rh_value_entry(is, i);

        if (strcmp(e->key, "changed") != 0 && strcmp(e->key, "status") != 0)
            rh_value_put_ref(all, e->key, e->value);
    }
    return all;
}

static const struct rh_value *
ask_result(void *data, const char *type, const char *title, struct rh_arena *a, struct rh_error *err)
{
    struct rh_load *load = data;
    rh_autofree char *after = rh_printf("%s[%s]", type, title);
    const struct rh_value *found;
    bool unread = false;

    if (check_use(load, after, err) < 0)
        return NULL;
    if (!load->expressions.results) {
        rh_uses_note(load, type, title, NULL, load->expressions.place);
        return rh_value_new(a, RH_UNKNOWN);
    }
    if (!load->expressions.results->find) /* a judgement, which has a result of its own */
        return rh_value_new(a, RH_UNKNOWN);
    found = load->expressions.results->find(load->expressions.results->data, type, title, &unread, err);
    if (found && unread)
        found = add_current(load, type, title, found, a, err);
    return found;
}

static const struct rh_value *
resolve(void *data, const struct rh_value *unknown, struct rh_error *err)
{
    struct rh_load *load = data;
    const struct rh_later *later = (const struct rh_later *)(const void *)rh_value_deferred(unknown);

    if (!later || check_use(load, later->deferred.after, err) < 0)
        return NULL;
    if (load->expressions.results)
        return load->expressions.resolve(load, unknown, err);
    rh_uses_note_all(load, later->uses);
    return NULL;
}

static const struct rh_value *
ask_lookup(void *data, const char *name, const struct rh_value *arguments, struct rh_arena *a,
           struct rh_error *err)
{
    struct rh_load *load = data;
    const struct rh_value *v = load->types->lookup(load->types->data, name, arguments, a, err);

    if (rh_value_is(v, RH_UNKNOWN)) {
        load->expressions.unasked = true;
        load->expressions.answer = v->marks & RH_TYPED ? v->u.string : NULL;
    }
    rh_load_keep_secret(load, v);
    return v;
}

/* Moves the text into the arena; NULL is fine. */
static const char *
keep(struct rh_arena *a, char *text, size_t n)
{
    const char *kept = text ? rh_arena_strndup(a, text, n) : NULL;

    if (text)
        explicit_bzero(text, n); /* it may be a secret */
    free(text);
    return kept;
}

static const char *
read_file(void *data, const char *path, unsigned from, struct rh_arena *a, size_t *n, struct rh_error *err)
{
    struct rh_load *load = data;
    rh_autofree char *name = rh_roots_name(&load->roots, path, from, err);
    size_t length = 0;
    char *text = name ? rh_roots_read(&load->roots, name, from, RH_YAML_LARGEST, &length, err) : NULL;

    if (name)
        rh_sources_note_read(load->catalog->sources, name);
    *n = length;
    return keep(a, text, length);
}

/* Secrets lie where whoever made them put them; what a manifest is made of lies with it. */
static const char *
read_secret(void *data, const char *path, unsigned from, struct rh_arena *a, size_t *n, struct rh_error *err)
{
    struct rh_load *load = data;
    size_t length = 0;
    char *text;

    if (*path != '/')
        return read_file(data, path, from, a, n, err);
    rh_sources_note_read(load->catalog->sources, path);
    text = rh_roots_read_secret(path, LARGEST_SECRET, &length, err);
    *n = length;
    return keep(a, text, length);
}

static const char *
decrypt(void *data, const char *path, unsigned from, struct rh_arena *a, size_t *n, struct rh_error *err)
{
    struct rh_load *load = data;
    rh_autofree char *name = rh_roots_name(&load->roots, path, from, err);
    rh_autofree char *text = NULL;
    size_t length = 0;

    if (name)
        rh_sources_note_read(load->catalog->sources, name);
    if (name)
        text = rh_roots_read(&load->roots, name, from, LARGEST_CREDENTIAL, &length, err);
    return text ? load->types->decrypt(load->types->data, name, text, length, a, n, err) : NULL;
}

static struct rh_value *
read_yaml(void *data, const char *text, size_t n, struct rh_arena *a, struct rh_error *err)
{
    (void)data;
    return rh_yaml_value(a, text, n, err);
}

static unsigned
add_file(void *data, const char *path, unsigned from, const char *text, size_t n)
{
    return rh_template_add(data, path, from, text, n);
}

/* What lies above of what is read is no news. */
static void
note_read(void *data, const char *path)
{
    const struct rh_load *load = data;
    struct rh_value *reads = load->context.reads;
    size_t kept = 0;

    for (size_t i = 0; i < rh_value_count(reads); i++) {
        const char *known = rh_value_at(reads, i)->u.string;
        size_t n = strlen(known);

        if (strcmp(known, path) == 0)
            return;
        if (strncmp(known, path, n) == 0 && path[n] == '.')
            continue;
        rh_draft_set_item(reads, kept++, rh_value_at(reads, i));
    }
    if (!reads)
        return;
    reads->count = (uint32_t)kept;
    rh_value_append(reads, rh_value_string(load->catalog->arena, path));
}

static void
print(void *data, const char *text, size_t n, struct rh_place place)
{
    const struct rh_load *load = data;
    rh_autofree char *where = rh_place_text(load->catalog->sources, place, false);
    rh_autobuf struct rh_buf safe = { 0 };

    rh_buf_add_safe(&safe, text, n, false);
    rh_log(RH_NOTICE, "%s%s%s", where, *where ? ": " : "", rh_buf_text(&safe));
}

struct rh_script *
rh_load_script(struct rh_load *load)
{
    static const struct rh_script_limits usual = { 0 };

    if (!load->expressions.script)
        load->expressions.script = rh_script_new(&(struct rh_script_options){
            .arena = load->catalog->arena,
            .node = load->attributes.node,
            .sources = load->catalog->sources,
            .limits = load->types->limits ? *load->types->limits : usual,
            .world = {
                .data = load,
                .current = load->types->current ? ask_current : NULL,
                .lookup = load->types->lookup ? ask_lookup : NULL,
                .result = ask_result,
                .resolve = resolve,
                .read_file = read_file,
                .read_secret = read_secret,
                .decrypt = load->types->decrypt ? decrypt : NULL,
                .placeholders = load->types->placeholders,
                .read_yaml = read_yaml,
                .add_file = add_file,
                .read = load->types->explain ? note_read : NULL,
                .print = print,
            },
        });
    return load->expressions.script;
}

void
rh_load_keep_secret(struct rh_load *load, const struct rh_value *v)
{
    if (!rh_value_sensitive(v))
        return;
    rh_secrets_shield();
    rh_arena_keep_secret(load->catalog->arena);
}

const char *
rh_cut_hint(const struct rh_load *load, const struct rh_value *v)
{
    size_t n = 0;
    const char *at, *end;

    if (!(v->marks & RH_PLAIN) || rh_complaints_full(load->complaints))
        return NULL;
    at = rh_sources_at(load->catalog->sources, rh_value_place(v), &n);
    end = at ? memchr(at, '\n', n) : NULL;
    if (!at || !memmem(at, end ? (size_t)(end - at) : n, " #", 2))
        return NULL;
    return "YAML takes ' #' and what follows for a comment: quote the whole value";
}

/* Whether the expression is one call of lookup() and nothing else: its answer is the value then. */
static bool
is_lookup(const char *s, size_t n)
{
    static const char name[] = "lookup";
    const char *end = s + n;
    char quote = '\0';
    int depth = 0;

    for (; s < end && strchr(" \t\n", *s); s++)
        continue;
    if ((size_t)(end - s) < sizeof name || memcmp(s, name, sizeof name - 1) != 0)
        return false;
    for (s += sizeof name - 1; s < end && strchr(" \t\n", *s); s++)
        continue;
    if (s == end || *s != '(')
        return false;
    for (; s < end; s++) {
        if (quote) {
            s += *s == '\\';
            if (s < end && *s == quote)
                quote = '\0';
        } else if (*s == '"' || *s == '\'') {
            quote = *s;
        } else if (strchr("([{", *s)) {
            depth++;
        } else if (strchr(")]}", *s) && --depth == 0) {
            break;
        }
    }
    for (s += s < end; s < end && strchr(" \t\n", *s); s++)
        continue;
    return s == end && depth == 0;
}

struct rh_value *
rh_evaluate(struct rh_load *load, const struct rh_value *v, size_t at, size_t n)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *found;

    load->expressions.unasked = false;
    load->expressions.answer = NULL;
    load->expressions.place = rh_value_place(v);
    found = rh_script_evaluate(rh_load_script(load), v->u.string + at, n, load->context.scope, v->file, &err);
    if (found) {
        if (found->kind == RH_UNKNOWN && load->expressions.unasked) {
            /* A run knows it: titles and lists that need it are no mistake. */
            found->marks |= RH_INVALID;
            if (load->expressions.answer && is_lookup(v->u.string + at, n)) {
                found->marks |= RH_TYPED;
                found->u.string = load->expressions.answer;
            }
            rh_catalog_note_refused(load->catalog, NULL, NULL);
        }
        rh_load_keep_secret(load, found);
        if (rh_budget_check(load, rh_value_place(v)) < 0)
            return NULL;
    } else {
        struct rh_place place = rh_value_place(v);

        if (!err.place.line && !rh_complaints_full(load->complaints))
            place = rh_scalar_place(load->catalog->sources, v, at + (err.at < n ? err.at : n));
        if (load->context.secret)
            rh_complain(load->complaints, place, "a literal '${' is written '$${'",
                        "invalid expression in a sensitive value (not shown)");
        else
            rh_complain_error(load->complaints, place, err.place.line ? NULL : rh_cut_hint(load, v), &err);
    }
    return found;
}

/* The one "${...}" that a text is; SIZE_MAX when it is not, but a bare expression. */
static size_t
whole_expression(const struct rh_value *v)
{
    size_t n;

    if (v->count < 3 || memcmp(v->u.string, "${", 2) != 0)
        return SIZE_MAX;
    n = rh_script_expression_end(v->u.string + 2, v->count - 2);
    return n != SIZE_MAX && n + 3 == v->count ? n : SIZE_MAX;
}

struct rh_value *
rh_evaluate_bare(struct rh_load *load, const struct rh_value *v)
{
    size_t n = whole_expression(v);

    return n == SIZE_MAX ? rh_evaluate(load, v, 0, v->count) : rh_evaluate(load, v, 2, n);
}

bool
rh_is_one_expression(const struct rh_value *v)
{
    return whole_expression(v) != SIZE_MAX;
}
