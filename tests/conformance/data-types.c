/* SPDX-License-Identifier: Apache-2.0 */
/* data-types - holds the data types against facts about the original of the language.
 *
 * Each row of the vectors passes, or differs on purpose by a rule of the table below, or fails. A
 * rule is about types and values, never about one row. The vectors are looked for beside the
 * sources, or in the directory that is given. With --answers it only prints what it makes of the
 * cases, which data-type-batch.bats holds the command against. */
#include "config.h"

#include "datatype/alias.h"
#include "datatype/datatype.h"
#include "datatype/infer.h"
#include "datatype/match.h"
#include "datatype/normalize.h"
#include "datatype/print.h"
#include "datatype/tagged.h"
#include "datatype/tree.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One fact of a row. Texts are NULL where there is none. */
struct fact {
    const char *what; /* "instance", "message", ... */
    const char *type;
    const struct rh_datatype *t; /* NULL: we refuse the type */
    const struct rh_value *v;
    const char *theirs, *ours;
};

struct rule {
    const char *reason;
    bool (*applies)(const struct fact *f);
    size_t rows;
};

static struct {
    size_t passed, differs, failed;
} count;

/* Whether `pick` takes the type or any within. */
static bool
any_within(const struct rh_datatype *t, bool (*pick)(const struct rh_datatype *))
{
    if (!t)
        return false;
    if (pick(t))
        return true;
    if (t->kind == RH_T_STRUCT) {
        for (size_t i = 0; i < t->count; i++)
            if (any_within(t->u.keys[i].type, pick))
                return true;
        return false;
    }
    if (t->kind == RH_T_DATA || t->kind == RH_T_RICH_DATA
        || (t->kind == RH_T_ALIAS && strcmp(t->u.alias->name, "Mymod::Tree") == 0))
        return false;
    for (size_t i = 0; rh_datatype_inner(t, i); i++)
        if (any_within(rh_datatype_inner(t, i), pick))
            return true;
    return false;
}

static bool
has(const char *text, const char *part)
{
    return text && strstr(text, part);
}

static bool
without_message(const struct fact *f)
{
    return f->theirs && !*f->theirs && f->ours && *f->ours;
}

static bool
is_size_only(const struct rh_datatype *t)
{
    bool sized = t->range.min > 0 || t->range.max != INT64_MAX;

    if (t->kind == RH_T_COLLECTION)
        return sized;
    return sized && !t->count && (t->kind == RH_T_ARRAY || t->kind == RH_T_HASH || t->kind == RH_T_TUPLE);
}

static bool
is_sized_any(const struct rh_datatype *t)
{
    return is_size_only(t)
           || (t->kind == RH_T_ARRAY && t->count && t->u.inner[0]->kind == RH_T_ANY
               && !rh_range_open(t->range));
}

static bool
keeps_sizes(const struct fact *f)
{
    return any_within(f->t, is_sized_any);
}

static bool
is_repeating_tuple(const struct rh_datatype *t)
{
    return t->kind == RH_T_TUPLE && !rh_range_open(t->range) && t->range.max > t->count;
}

static bool
counts_tuple_elements(const struct fact *f)
{
    return any_within(f->t, is_repeating_tuple) && has(f->theirs, "index ");
}

static bool
is_tuple(const struct rh_datatype *t)
{
    return t->kind == RH_T_TUPLE;
}

/* Whether each of our complaints is one of theirs, which has more. */
static bool
complains_of_misfits_only(const struct fact *f)
{
    rh_autofree char *ours = rh_xstrdup(f->ours ? f->ours : "");
    size_t n = 0;
    char *save = NULL;

    if (!any_within(f->t, is_tuple) || !has(f->theirs, "index "))
        return false;
    for (char *line = strtok_r(ours, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        line += strspn(line, " ");
        if (!strstr(f->theirs, line))
            return false;
        n += strlen(line);
    }
    return n && n < strlen(f->theirs);
}

static bool
is_narrow(const struct rh_datatype *t)
{
    switch (t->kind) {
    case RH_T_ENUM:
        return t->count > 0;
    case RH_T_STRING:
        return t->u.literal.s || !rh_range_open(t->range);
    case RH_T_INTEGER:
    case RH_T_ARRAY:
    case RH_T_HASH:
    case RH_T_COLLECTION:
        return !rh_range_open(t->range);
    case RH_T_BOOLEAN:
        return t->known;
    case RH_T_FLOAT:
    case RH_T_TIMESTAMP:
    case RH_T_TIMESPAN:
        return true;
    default:
        return false;
    }
}

static bool
is_narrow_secret(const struct rh_datatype *t)
{
    return t->kind == RH_T_SENSITIVE && any_within(t->u.inner[0], is_narrow);
}

static bool
keeps_secret_constraints(const struct fact *f)
{
    return any_within(f->t, is_narrow_secret);
}

static bool
refuses_unknown(const struct fact *f)
{
    return !f->t && has(f->ours, "unknown data type")
           && (has(f->theirs, "unresolved type") || has(f->theirs, "TypeReference") || has(f->theirs, "true")
               || has(f->theirs, "false") || has(f->theirs, "UnresolvedAlias"));
}

static bool
says_variants_alike(const struct fact *f)
{
    return has(f->theirs, "a match for ") && has(f->theirs, "Variant[")
           && has(f->ours, "expects a value of type");
}

static bool
is_plain_text(const char *s)
{
    rh_autofree char *safe = rh_safe_text(s);

    return strcmp(safe, s) == 0;
}

static bool
is_plain(const struct rh_value *v)
{
    if (!v || v->kind == RH_STRING)
        return is_plain_text(rh_value_str(v, ""));
    for (size_t i = 0; i < rh_value_count(v); i++) {
        const struct rh_entry *e = rh_value_entry(v, i);

        if ((e && !is_plain_text(e->key)) || !is_plain(e ? e->value : rh_value_at(v, i)))
            return false;
    }
    return true;
}

static bool
escapes_text(const struct fact *f)
{
    return f->theirs && f->ours && !is_plain(f->v) && !is_plain_text(f->theirs);
}

static bool
is_any_by_halves(const struct rh_datatype *t)
{
    while (t->kind == RH_T_OPTIONAL || t->kind == RH_T_NOT_UNDEF) {
        const struct rh_datatype *inner = t->u.inner[0];

        if (t->kind == RH_T_OPTIONAL && inner && inner->kind == RH_T_NOT_UNDEF
            && (!inner->u.inner[0] || rh_datatype_match(inner->u.inner[0], NULL)
                || inner->u.inner[0]->kind == RH_T_NOT_UNDEF))
            return true;
        if (!inner)
            return false;
        t = inner;
    }
    return false;
}

static bool
knows_any(const struct fact *f)
{
    return any_within(f->t, is_any_by_halves) && has(f->theirs, "Optional");
}

static bool
is_bare_pattern(const struct rh_datatype *t)
{
    return t->kind == RH_T_PATTERN && !t->count;
}

static bool
keeps_bare_patterns(const struct fact *f)
{
    return any_within(f->t, is_bare_pattern) && has(f->theirs, "Pattern[") && f->ours;
}

static bool
prints_patterns_as_written(const struct fact *f)
{
    return has(f->theirs, "(?-mix:");
}

static bool
is_by_name(const struct rh_datatype *t)
{
    return t->kind == RH_T_NAMED;
}

static bool
knows_by_name(const struct fact *f)
{
    return any_within(f->t, is_by_name);
}

static bool
refuses_words_as_types(const struct fact *f)
{
    return !f->t && has(f->theirs, "Runtime[ruby");
}

static bool
is_transparent(const struct rh_datatype *t)
{
    return t->kind == RH_T_NOT_UNDEF || t->kind == RH_T_ALIAS;
}

static bool
reads_through(const struct fact *f)
{
    return strcmp(f->what, "read") == 0 && any_within(f->t, is_transparent);
}

static bool
is_secret(const struct rh_datatype *t)
{
    return t->kind == RH_T_SENSITIVE;
}

static bool
reads_secrets(const struct fact *f)
{
    return strcmp(f->what, "read") == 0 && any_within(f->t, is_secret);
}

static bool
has_64_bits(const struct fact *f)
{
    return has(f->ours, "is too large for a number") || has(f->ours, "does not fit in 64 bits");
}

static bool
spells_ambiguous(const struct fact *f)
{
    return has(f->theirs, "unabiguously") && has(f->ours, "unambiguously");
}

static bool
agrees_on_equal_readings(const struct fact *f)
{
    return has(f->theirs, "unabiguously") && !has(f->ours, "unambiguously");
}

static struct rule rules[] = {
    { "every mismatch has a message (Collection, Iterable, bare Variant and Optional)", without_message, 0 },
    { "an unknown type is refused when it is read, not when a value meets it", refuses_unknown, 0 },
    { "Array[n], Array[n, m], Hash[n, m] and Collection[n] are sizes, and stay when normalized", keeps_sizes,
      0 },
    { "an element beyond a Tuple's types is called by its own index", counts_tuple_elements, 0 },
    { "an element of a Tuple that fits is not complained about", complains_of_misfits_only, 0 },
    { "Sensitive[T] keeps the constraints of T", keeps_secret_constraints, 0 },
    { "alternatives are told in the same words in whatever order they come", says_variants_alike, 0 },
    { "text from values is escaped in messages", escapes_text, 0 },
    { "a pattern prints as it was written, without (?-mix:) around it", prints_patterns_as_written, 0 },
    { "Optional[NotUndef] is Any, not a bare Optional, which only undef fits", knows_any, 0 },
    { "a bare Pattern stays one among others: it takes every string", keeps_bare_patterns, 0 },
    { "types that no datum has are known by name and print as written", knows_by_name, 0 },
    { "a string in place of a type is refused (Tuple['a'] is not a Ruby class)", refuses_words_as_types, 0 },
    { "text is read through aliases and NotUndef (own aliases are supported everywhere)", reads_through, 0 },
    { "text is read for Sensitive too, which marks it", reads_secrets, 0 },
    { "numbers have 64 bits; what does not fit is refused", has_64_bits, 0 },
    { "'unambiguously convertible' is spelled so", spells_ambiguous, 0 },
    { "a text that all its types read as one value is not ambiguous", agrees_on_equal_readings, 0 },
};

static void
hold(const struct fact *f)
{
    const char *theirs = f->theirs ? f->theirs : "(none)", *ours = f->ours ? f->ours : "(none)";

    if (strcmp(theirs, ours) == 0) {
        count.passed++;
        return;
    }
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rules[i].applies(f)) {
            rules[i].rows++;
            count.differs++;
            return;
        }
    }
    count.failed++;
    {
        rh_autobuf struct rh_buf b = { 0 };

        rh_value_to_json(&b, f->v, true);
        printf("FAILED %s of %s for %s\n  theirs: %s\n  ours:   %s\n", f->what, f->type, rh_buf_text(&b),
               theirs, ours);
    }
}

static const char *
str(const struct rh_value *row, const char *key)
{
    return rh_value_get_str(row, key, NULL);
}

static bool
truth(const struct rh_value *row, const char *key)
{
    const struct rh_value *v = rh_value_get(row, key);

    return rh_value_is(v, RH_BOOLEAN) && v->u.integer;
}

static const char *
yes_no(bool b)
{
    return b ? "true" : "false";
}

static const struct rh_datatype *
parse(struct rh_arena *a, const struct rh_aliases *aliases, const char *text, const char **why)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_datatype *t = rh_datatype_parse(a, aliases, text, &err);

    *why = t ? NULL : rh_arena_strdup(a, err.message ? err.message : "");
    return t;
}

static void
hold_text(struct fact f, const char *what, const char *theirs, const struct rh_buf *ours)
{
    f.what = what;
    f.theirs = theirs;
    f.ours = ours ? rh_buf_text(ours) : NULL;
    hold(&f);
}

static void
hold_case(struct rh_arena *a, const struct rh_aliases *aliases, const struct rh_value *row)
{
    const char *why;
    struct fact f = { .what = "instance", .type = str(row, "type") };
    rh_autobuf struct rh_buf message = { 0 };
    rh_autobuf struct rh_buf bare = { 0 };
    rh_autobuf struct rh_buf inferred = { 0 };
    bool fits;

    f.t = parse(a, aliases, f.type, &why);
    f.v = rh_value_untag(a, rh_value_get(row, "value"), NULL);
    f.theirs = yes_no(truth(row, "instance"));
    f.ours = why;
    if (!f.t) {
        hold(&f);
        return;
    }
    fits = rh_datatype_match(f.t, f.v);
    f.ours = yes_no(fits);
    hold(&f);
    if (!fits) {
        rh_datatype_explain(f.t, "t.a", f.v, &message);
        rh_datatype_explain(f.t, "", f.v, &bare);
    }
    rh_print_expanded(&inferred, rh_infer(a, f.v));
    hold_text(f, "message", str(row, "message"), fits ? NULL : &message);
    hold_text(f, "bare", str(row, "bare"), fits ? NULL : &bare);
    hold_text(f, "inferred", str(row, "inferred"), &inferred);
}

/* The message of an error is ours: a position goes with it. "generalized" is not compared: nothing
 * here has a use for it. */
static void
hold_string(struct rh_arena *a, const struct rh_aliases *aliases, const struct rh_value *row)
{
    struct fact f = { .what = "reading", .type = str(row, "input") };
    rh_autobuf struct rh_buf printed = { 0 };
    rh_autobuf struct rh_buf normal = { 0 };
    const char *why;

    f.t = parse(a, aliases, f.type, &why);
    if (!truth(row, "ok")) {
        f.theirs = "refused";
        f.ours = f.t ? "accepted" : "refused";
        hold(&f);
        return;
    }
    f.theirs = str(row, "to_s");
    f.ours = why;
    if (!f.t) {
        hold(&f);
        return;
    }
    rh_print_expanded(&printed, f.t);
    rh_print_expanded(&normal, rh_normalize(a, f.t));
    hold_text(f, "to_s", str(row, "to_s"), &printed);
    hold_text(f, "normalized", str(row, "normalized"), &normal);
    hold_text(f, "expanded", str(row, "expanded"), &printed);
}

static void
hold_text_row(struct rh_arena *a, const struct rh_aliases *aliases, const struct rh_value *row)
{
    rh_autoerror struct rh_error err = { 0 };
    struct fact f = { .what = "read", .type = str(row, "type") };
    rh_autobuf struct rh_buf theirs = { 0 };
    rh_autobuf struct rh_buf ours = { 0 };
    const struct rh_value *in = rh_value_untag(a, rh_value_get(row, "input"), NULL), *v;
    const char *why;

    f.v = in;
    f.t = parse(a, aliases, f.type, &why);
    if (!f.t) {
        f.ours = why;
        hold(&f);
        return;
    }
    v = rh_datatype_read(a, f.t, "t.a", in, &err);
    if (truth(row, "ok"))
        rh_value_to_json(&theirs, rh_value_untag(a, rh_value_get(row, "value"), NULL), true);
    else
        rh_buf_add(&theirs, rh_value_get_str(row, "error", ""));
    if (v)
        rh_value_to_json(&ours, v, true);
    else
        rh_buf_add(&ours, err.message);
    hold_text(f, "read", rh_buf_text(&theirs), &ours);
}

static void
hold_assignable(struct rh_arena *a, const struct rh_aliases *aliases, const struct rh_value *row)
{
    const char *why, *why_from;
    struct fact f = { .what = "assignable", .type = str(row, "to") };
    const struct rh_datatype *from = parse(a, aliases, str(row, "from"), &why_from);

    f.t = parse(a, aliases, f.type, &why);
    f.v = rh_value_string(a, str(row, "from"));
    f.theirs = yes_no(truth(row, "assignable"));
    if (f.t && from)
        f.ours = yes_no(rh_assignable(f.t, from));
    else
        f.ours = why ? why : why_from;
    hold(&f);
}

static void
hold_file(const struct rh_aliases *aliases, const char *dir, const char *name,
          void (*row)(struct rh_arena *, const struct rh_aliases *, const struct rh_value *))
{
    rh_autoarena struct rh_arena *rows = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *path = rh_printf("%s/%s", dir, name);
    rh_autofree char *text = rh_read_file(path, 0, NULL, &err);
    struct rh_value *all = text ? rh_value_from_json(rows, text, strlen(text), &err) : NULL;

    if (!all) {
        printf("FAILED cannot read '%s': %s\n", path, err.message);
        count.failed++;
        return;
    }
    for (size_t i = 0; i < rh_value_count(all); i++) {
        rh_autoarena struct rh_arena *a = rh_arena_new(NULL);

        row(a, aliases, rh_value_at(all, i));
    }
}

/* The answers that `rhost data-type --batch` has to the cases, made without it. */
static void
print_answer(struct rh_arena *a, const struct rh_aliases *aliases, const struct rh_value *row)
{
    const char *why;
    const struct rh_datatype *t = parse(a, aliases, str(row, "type"), &why);
    struct rh_value *v = rh_value_untag(a, rh_value_get(row, "value"), NULL);
    struct rh_value *answer = rh_value_new(a, RH_HASH);
    rh_autobuf struct rh_buf message = { 0 };
    rh_autobuf struct rh_buf line = { 0 };

    if (!t) {
        rh_value_put(answer, "error", rh_value_string(a, why));
    } else {
        bool fits = rh_datatype_match(t, v);

        rh_datatype_explain(t, "", v, &message);
        rh_value_put(answer, "instance", rh_value_boolean(a, fits));
        rh_value_put(answer, "message",
                     fits ? rh_value_new(a, RH_UNDEF) : rh_value_string(a, rh_buf_text(&message)));
    }
    rh_value_to_json(&line, answer, true);
    (void)puts(rh_buf_text(&line));
}

int
main(int argc, char **argv)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const char *srcdir = getenv("srcdir");
    rh_autofree char *here = rh_printf("%s/tests/conformance", srcdir ? srcdir : ".");
    rh_autofree char *beside = rh_printf("%s/vectors", here);
    rh_autofree char *types = rh_printf("%s/mymod.types", here);
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_aliases *aliases = rh_aliases_load(a, types, &err);
    bool answers = argc > 1 && strcmp(argv[1], "--answers") == 0;
    const char *dir = argc > 1 && !answers ? argv[1] : beside;

    if (!aliases) {
        printf("FAILED %s\n", err.message);
        return 1;
    }
    if (answers) {
        hold_file(aliases, dir, "data-type-cases.json", print_answer);
        return count.failed ? 1 : 0;
    }
    hold_file(aliases, dir, "data-type-cases.json", hold_case);
    hold_file(aliases, dir, "data-type-strings.json", hold_string);
    hold_file(aliases, dir, "data-type-from-text.json", hold_text_row);
    hold_file(aliases, dir, "data-type-assignable.json", hold_assignable);
    printf("%zu facts pass, %zu differ on purpose, %zu fail\n", count.passed, count.differs, count.failed);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].rows)
            printf("  %4zu differ: %s\n", rules[i].rows, rules[i].reason);
    return count.failed ? 1 : 0;
}
