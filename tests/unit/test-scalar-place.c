/* SPDX-License-Identifier: Apache-2.0 */
/* Where each character of a scalar was written: examples, and thousands of scalars made by chance,
 * of all styles, where the character at the place must be the character of the text. */
#include "config.h"

#include "manifest/text/scalar.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "manifest/text/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct read {
    struct rh_arena *arena;
    struct rh_sources sources;
    struct rh_complaints complaints;
    const struct rh_value *scalar; /* of the key k, or NULL */
};

static void
read_yaml(struct read *r, const char *text, size_t n)
{
    const struct rh_value *v;
    unsigned file;

    *r = (struct read){ .arena = rh_arena_new(NULL) };
    r->complaints.sources = &r->sources;
    file = rh_sources_add(&r->sources, "t.yaml", text, n);
    v = rh_yaml_read(r->arena, text, n, file, &r->complaints);
    while (rh_value_is(v, RH_HASH) && rh_value_get(v, "a"))
        v = rh_value_get(v, "a");
    if (rh_value_is(v, RH_ARRAY))
        v = rh_value_at(v, rh_value_count(v) - 1);
    r->scalar = rh_value_is(v, RH_HASH) ? rh_value_get(v, "k") : NULL;
    if (r->complaints.n)
        r->scalar = NULL;
}

static void
forget(struct read *r)
{
    rh_complaints_clear(&r->complaints);
    rh_sources_clear(&r->sources);
    rh_arena_free(r->arena);
}

static void
assert_found(const char *text, const char *part, unsigned line, unsigned column)
{
    struct rh_place place;
    struct read r;
    const char *found;

    read_yaml(&r, text, strlen(text));
    if (!r.scalar)
        fail_msg("this cannot be read: %s", text);
    found = strstr(r.scalar->u.string, part);
    assert_non_null(found);
    place = rh_scalar_place(&r.sources, r.scalar, (size_t)(found - r.scalar->u.string));
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
    forget(&r);
}

static void
examples_of_each_style(void **state)
{
    (void)state;
    assert_found("k: a ${x}", "${", 1, 6);
    assert_found("k: a\n  b\n\n  ${x}", "${", 4, 3);
    assert_found("k: 'it''s ${x}'", "${", 1, 11);
    assert_found("k: \"a\\tb\\u00e9 ${x}\"", "${", 1, 16);
    assert_found("k: \"a \\\n   b ${x}\"", "${", 2, 6);
    assert_found("k: |\n  a\n  b ${x}\n", "${", 3, 5);
    assert_found("k: |\n  \xc3\xa4\n  \xc3\xa4 ${x}\n", "${", 3, 5);
    assert_found("k: >\n  a\n  b ${x}\n", "${", 3, 5);
    assert_found("k: >-\n  a\n\n    more\n  b ${x}\n", "${", 5, 5);
    assert_found("k: |2-\n    a\n  b ${x}\n", "${", 3, 5);
    assert_found("- k: |1+ # a comment\n     a\n   ${x}\n\n\n", "${", 3, 4);
    assert_found("k: &anchor !!str\n  # here\n  |\n  ${x}\n", "${", 4, 3);
    assert_found("{\"k\": \"\\ud83d\\ude00 ${x}\"}", "${", 1, 19);
    assert_found("\xef\xbb\xbfk: ${x}", "${", 1, 4);
    assert_found("k: a\r\n  b\r\n  ${x}\r\n", "${", 3, 3);
    assert_found("{k: \"a\n    ${x}\"}", "${", 2, 5);
}

static void
the_end_is_behind_the_last_character(void **state)
{
    static const char text[] = "k: 'abc'";
    struct rh_place place;
    struct read r;

    (void)state;
    read_yaml(&r, text, strlen(text));
    place = rh_scalar_place(&r.sources, r.scalar, r.scalar->count);
    assert_int_equal(place.column, 8);
    place = rh_scalar_place(&r.sources, r.scalar, r.scalar->count + 1);
    assert_int_equal(place.column, 4);
    forget(&r);
}

static void
where_nothing_is_known_it_is_the_start(void **state)
{
    struct rh_place start = { .line = 1, .column = UINT16_MAX, .file = 1 }, place;

    (void)state;
    place = rh_scalar_place_in("k: a", 4, start, "a", 1, 0);
    assert_int_equal(place.column, UINT16_MAX);
    start = (struct rh_place){ .line = 9, .column = 1, .file = 1 };
    place = rh_scalar_place_in("k: a", 4, start, "abc", 3, 2);
    assert_int_equal(place.line, 9);
}

/* Chance, the same at each run. */

static uint64_t state_of_chance = 88172645463325252U;

static unsigned
chance(unsigned n)
{
    state_of_chance ^= state_of_chance << 13;
    state_of_chance ^= state_of_chance >> 7;
    state_of_chance ^= state_of_chance << 17;
    return (unsigned)(state_of_chance >> 32) % n;
}

static void
add_spaces(struct rh_buf *b, unsigned n)
{
    while (n--)
        rh_buf_addc(b, ' ');
}

static void
add_word(struct rh_buf *b, const char *const *words, unsigned n)
{
    rh_buf_add(b, words[chance(n)]);
}

static const char *const plain_words[] = {
    "a", "bc", "${x}", "\xc3\xa9", "\xe2\x82\xac", "d-e", "0", "\xf0\x9f\x98\x80", "#f", "g:h"
};
static const char *const single_words[] = { "''", "a'' b", "\\", "\"", "# x", ": ", "''''" };
static const char *const double_words[] = { "\\\"",    "\\\\",        "\\n", "\\x41", "\\u00e9",
                                            "\\u20ac", "\\U0001f600", "\\t", "\\_",   "\\N",
                                            "\\L",     "\\P",         "\\/", "\\e",   "\\ ",
                                            "\\\t",    "\\0",         "'",   "# x",   ": " };
static const char *const breaks[] = { "\n",   "\n",    "\n",     "\n",       "\r\n",
                                      "\n\n", "\n \n", "\n\n\n", "\xc2\x85", "\xe2\x80\xa8" };

static void
add_flow(struct rh_buf *b, unsigned indent, char quote)
{
    if (quote)
        rh_buf_addc(b, quote);
    for (unsigned i = 1 + chance(12); i; i--) {
        unsigned what = chance(10);

        if (what < 2 && quote) {
            if (quote == '"')
                add_word(b, double_words, sizeof double_words / sizeof *double_words);
            else
                add_word(b, single_words, sizeof single_words / sizeof *single_words);
        } else if (what < 4) {
            add_spaces(b, 1 + chance(3));
        } else if (what < 6) {
            if (chance(3) == 0)
                add_spaces(b, 1 + chance(2));
            if (quote == '"' && chance(3) == 0)
                rh_buf_addc(b, '\\');
            add_word(b, breaks, sizeof breaks / sizeof *breaks);
            add_spaces(b, indent + 1 + chance(3));
            if (chance(8) == 0)
                rh_buf_addc(b, '\t');
        } else {
            add_word(b, plain_words, sizeof plain_words / sizeof *plain_words);
        }
    }
    if (quote)
        rh_buf_addc(b, quote);
    rh_buf_add(b, "\n");
}

static void
add_block(struct rh_buf *b, unsigned indent)
{
    unsigned deeper = 1 + chance(4);
    bool said = chance(2);
    char chomp = "-+ "[chance(3)];

    rh_buf_addc(b, "|>"[chance(2)]);
    if (chomp != ' ' && chance(2)) {
        rh_buf_addc(b, chomp);
        chomp = ' ';
    }
    if (said)
        rh_buf_addf(b, "%u", deeper);
    if (chomp != ' ')
        rh_buf_addc(b, chomp);
    if (chance(4) == 0)
        rh_buf_add(b, " # a comment");
    add_word(b, breaks, 5);
    for (unsigned i = 1 + chance(8); i; i--) {
        if (chance(4) == 0) {
            add_spaces(b, chance(said ? indent + deeper + 3 : indent + deeper));
        } else {
            add_spaces(b, indent + deeper);
            if (chance(4) == 0)
                add_spaces(b, said || i < 3 ? 1 + chance(2) : 0);
            for (unsigned k = 1 + chance(4); k; k--) {
                add_word(b, plain_words, sizeof plain_words / sizeof *plain_words);
                if (chance(3) == 0)
                    rh_buf_addc(b, " \t'\"\\"[chance(5)]);
            }
        }
        add_word(b, breaks, sizeof breaks / sizeof *breaks);
    }
}

static void
make_yaml(struct rh_buf *b)
{
    unsigned indent = 0;

    if (chance(3) == 0) {
        rh_buf_add(b, "# \xc3\xa9\n");
    }
    if (chance(3) == 0) {
        rh_buf_add(b, "a:\n");
        indent = 1 + chance(3);
    }
    add_spaces(b, indent);
    if (chance(3) == 0) {
        rh_buf_add(b, "- ");
        indent += 2;
        if (chance(2)) {
            rh_buf_add(b, "o: 1\n");
            add_spaces(b, indent);
        }
    }
    rh_buf_add(b, "k: ");
    add_spaces(b, chance(3));
    if (chance(8) == 0)
        rh_buf_add(b, "&x ");
    if (chance(8) == 0)
        rh_buf_add(b, "!!str ");
    switch (chance(5)) {
    case 0:
        add_flow(b, indent, 0);
        break;
    case 1:
        add_flow(b, indent, '\'');
        break;
    case 2:
        add_flow(b, indent, '"');
        break;
    default:
        add_block(b, indent);
    }
    if (chance(2)) {
        add_spaces(b, indent);
        rh_buf_add(b, "z: end\n");
    }
}

/* The bytes at a place, lines counted as YAML does. */
static const char *
bytes_at(const char *s, struct rh_place place)
{
    for (unsigned line = 1; line < place.line && *s;) {
        if (s[0] == '\r' && s[1] == '\n')
            s += 2, line++;
        else if (*s == '\n' || *s == '\r')
            s++, line++;
        else if (strncmp(s, "\xc2\x85", 2) == 0)
            s += 2, line++;
        else if (strncmp(s, "\xe2\x80\xa8", 3) == 0)
            s += 3, line++;
        else
            s++;
    }
    for (unsigned column = 1; column < place.column && *s; column++) {
        size_t n = rh_utf8_length(s, strlen(s));

        s += n ? n : 1;
    }
    return s;
}

static bool
is_break(const char *s)
{
    return *s == '\n' || *s == '\r' || strncmp(s, "\xc2\x85", 2) == 0 || strncmp(s, "\xe2\x80\xa8", 3) == 0;
}

/* Whether what stands at `s` can have become the character `c`. */
static bool
stands_for(const char *s, const char *c, char style)
{
    static const char letters[] = "ntabvfre 0\\\"/\t";
    static const char meant[] = "\n\t\a\b\v\f\r\033 \0\\\"/\t";
    size_t n = rh_utf8_length(c, 4);

    if (style == '"' && *s == '\\') {
        const char *letter = strchr(letters, s[1]);
        unsigned code = 0;
        char text[5] = { 0 };

        if (letter)
            return meant[letter - letters] == *c;
        if (strchr("xuU", s[1]))
            (void)sscanf(s + 2, s[1] == 'x' ? "%2x" : s[1] == 'u' ? "%4x" : "%8x", &code);
        else
            code = s[1] == 'N' ? 0x85 : s[1] == '_' ? 0xa0 : s[1] == 'L' ? 0x2028 : 0x2029;
        if (code < 0x80)
            text[0] = (char)code;
        else if (code < 0x800)
            text[0] = (char)(0xc0 | code >> 6), text[1] = (char)(0x80 | (code & 63));
        else if (code < 0x10000)
            text[0] = (char)(0xe0 | code >> 12), text[1] = (char)(0x80 | (code >> 6 & 63)),
            text[2] = (char)(0x80 | (code & 63));
        else
            text[0] = (char)(0xf0 | code >> 18), text[1] = (char)(0x80 | (code >> 12 & 63)),
            text[2] = (char)(0x80 | (code >> 6 & 63)), text[3] = (char)(0x80 | (code & 63));
        return strncmp(text, c, n ? n : 1) == 0;
    }
    if (style == '\'' && *s == '\'')
        return s[1] == '\'' && *c == '\'';
    if (is_break(s))
        return *c == '\n' || *c == ' ' || strncmp(s, c, 3) == 0;
    return strncmp(s, c, n ? n : 1) == 0;
}

static void
check(const char *text, size_t n, size_t *scalars, size_t *characters)
{
    struct rh_place last = { 0 };
    const char *start;
    struct read r;
    char style;

    read_yaml(&r, text, n);
    if (!r.scalar || r.scalar->kind != RH_STRING) {
        forget(&r);
        return;
    }
    start = bytes_at(text, rh_value_place(r.scalar));
    while (*start == '&' || *start == '!')
        start += strcspn(start, " ") + 1;
    style = *start;
    if (strspn(r.scalar->u.string, " \n\xe2\x80\xa8") == r.scalar->count)
        r.scalar = NULL; /* see walk_block */
    ++*scalars;
    for (size_t i = 0; r.scalar && i < r.scalar->count;) {
        const char *c = r.scalar->u.string + i;
        size_t len = rh_utf8_length(c, r.scalar->count - i);
        struct rh_place place = rh_scalar_place(&r.sources, r.scalar, i);
        bool fine = stands_for(bytes_at(text, place), c, style)
                    && (place.line > last.line || (place.line == last.line && place.column > last.column));

        if (!fine)
            fail_msg("byte %zu of '%s' is not at %u:%u of:\n%s", i, r.scalar->u.string, place.line,
                     place.column, text);
        last = place;
        i += len ? len : 1;
        ++*characters;
    }
    forget(&r);
}

static void
thousands_of_scalars_made_by_chance(void **state)
{
    size_t scalars = 0, characters = 0;

    (void)state;
    for (int i = 0; i < 30000; i++) {
        rh_autobuf struct rh_buf text = { 0 };

        make_yaml(&text);
        check(rh_buf_text(&text), text.n, &scalars, &characters);
    }
    print_message("%zu scalars with %zu characters\n", scalars, characters);
    assert_true(scalars > 10000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_each_style),
        cmocka_unit_test(the_end_is_behind_the_last_character),
        cmocka_unit_test(where_nothing_is_known_it_is_the_start),
        cmocka_unit_test(thousands_of_scalars_made_by_chance),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
