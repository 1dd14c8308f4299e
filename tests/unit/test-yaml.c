/* SPDX-License-Identifier: Apache-2.0 */
/* test-yaml - text becomes a tree of values, each with its place; what is wrong is said with its place. */
#include "config.h"

#include "manifest/text/yaml.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "drop-codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct reading {
    struct rh_arena *arena;
    struct rh_sources sources;
    struct rh_complaints complaints;
    char *said;
};

static int
setup(void **state)
{
    struct reading *r = rh_xalloc(sizeof *r);

    r->arena = rh_arena_new(NULL);
    r->complaints.sources = &r->sources;
    *state = r;
    return 0;
}

static int
teardown(void **state)
{
    struct reading *r = *state;

    rh_complaints_clear(&r->complaints);
    rh_sources_clear(&r->sources);
    rh_arena_free(r->arena);
    free(r->said);
    free(r);
    return 0;
}

static struct rh_value *
readn(struct reading *r, const char *text, size_t n)
{
    unsigned file = rh_sources_add(&r->sources, "t.yaml", text, n);

    return rh_yaml_read(r->arena, text, n, file, &r->complaints);
}

static struct rh_value *
read_text(struct reading *r, const char *text)
{
    return readn(r, text, strlen(text));
}

static const char *
said(struct reading *r)
{
    size_t n = 0;
    FILE *to;

    free(r->said);
    r->said = NULL;
    to = open_memstream(&r->said, &n);
    assert_non_null(to);
    rh_complaints_print(&r->complaints, to, false);
    assert_int_equal(fclose(to), 0);
    drop_codes(r->said);
    return r->said;
}

static void
assert_says(struct reading *r, const char *text, const char *words)
{
    const char *all;

    (void)read_text(r, text);
    all = said(r);
    if (!strstr(all, words))
        fail_msg("expected \"%s\" in:\n%s", words, all);
}

/* And nothing more. */
static void
assert_says_only(struct reading *r, const char *text, const char *words)
{
    assert_says(r, text, words);
    assert_int_equal(rh_complaints_count(&r->complaints), 1);
}

static void
assert_shows(const struct rh_value *v, const char *text)
{
    rh_autobuf struct rh_buf b = { 0 };

    rh_value_show(&b, v, 0);
    assert_string_equal(rh_buf_text(&b), text);
}

static void
a_tree_has_the_shape_of_its_text(void **state)
{
    const struct rh_value *v = read_text(*state, "a: [x, 'y', {b: \"z\"}]\nc:\n  - |\n    one\n    two\n");

    assert_shows(v, "{a: [\"x\", \"y\", {b: \"z\"}], c: [\"one\\ntwo\\n\"]}");
    assert_string_equal(said(*state), "");
}

static void
every_value_has_its_place(void **state)
{
    const struct rh_value *v = read_text(*state, "a: x\nb:\n  - y\n  - {k: z}\n");
    const struct rh_value *list = rh_value_get(v, "b");
    struct rh_place place = rh_value_place(rh_value_get(rh_value_at(list, 1), "k"));

    assert_int_equal(place.file, 1);
    assert_int_equal(place.line, 4);
    assert_int_equal(place.column, 9);
    place = rh_value_place(rh_value_get(v, "a"));
    assert_int_equal(place.line, 1);
    assert_int_equal(place.column, 4);
    assert_int_equal(rh_value_place(list).line, 3);
    assert_int_equal(rh_value_key_place(v, 1).line, 2);
    assert_int_equal(rh_value_key_place(v, 1).column, 1);
}

static void
columns_count_characters_and_not_bytes(void **state)
{
    const struct rh_value *v = read_text(*state, "{\"\xc3\xa4\xc3\xb6\": x}");

    assert_int_equal(rh_value_place(rh_value_get(v, "\xc3\xa4\xc3\xb6")).column, 8);
}

static void
only_plain_scalars_are_marked_plain(void **state)
{
    const struct rh_value *v = read_text(*state, "[0644, '0644', \"0644\", !!str 0644, ! 0644]");

    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(rh_value_at(v, i)->kind, RH_STRING);
        assert_string_equal(rh_value_at(v, i)->u.string, "0644");
        assert_int_equal(rh_value_at(v, i)->marks, i == 0 ? RH_PLAIN : 0);
    }
}

static void
append_and_remove_become_marks(void **state)
{
    const struct rh_value *v = read_text(*state, "a: !append [x]\nb: !remove y\n");

    assert_int_equal(rh_value_get(v, "a")->marks, RH_APPEND);
    assert_int_equal(rh_value_get(v, "b")->marks, RH_REMOVE | RH_PLAIN);
}

static void
core_tags_are_honoured(void **state)
{
    assert_shows(read_text(*state, "[!!int \"42\", !!float 1, !!bool true, !!null '', !!str 1, "
                                   "!!seq [a], !!map {a: b}]"),
                 "[42, 1.0, true, undef, \"1\", [\"a\"], {a: \"b\"}]");
    assert_string_equal(said(*state), "");
}

static void
a_core_tag_that_does_not_fit_is_refused(void **state)
{
    assert_says(*state, "a: !!int x", "t.yaml:1:4: error: the tag '!!int' does not fit this text");
    assert_says(*state, "a: !!seq {}", "the tag '!!seq' does not fit a hash");
}

static void
unknown_tags_are_refused_with_their_place(void **state)
{
    assert_says(*state, "a:\n  - !vault x\n", "t.yaml:2:5: error: unknown tag\n");
    assert_says(*state, "a: !!binary x\n", "t.yaml:1:4: error: unknown tag\n");
}

static void
the_same_key_is_the_same_text_in_memory(void **state)
{
    const struct rh_value *v = read_text(*state, "- {mode: 1}\n- {mode: 2}\n");

    assert_ptr_equal(rh_value_entry(rh_value_at(v, 0), 0)->key, rh_value_entry(rh_value_at(v, 1), 0)->key);
}

static void
duplicate_keys_show_both_places(void **state)
{
    assert_says(*state, "a: 1\nb: 2\na: 3\n", "t.yaml:3:1: error: duplicate key 'a'");
    assert_says(*state, "", "t.yaml:1:1: first defined here");
}

static void
duplicate_keys_are_found_in_large_hashes_too(void **state)
{
    rh_autobuf struct rh_buf b = { 0 };

    for (int i = 0; i < 100000; i++)
        rh_buf_addf(&b, "key%d: x\n", i);
    rh_buf_add(&b, "key77777: y\n");
    assert_says(*state, rh_buf_text(&b), "t.yaml:100001:1: error: duplicate key 'key77777'");
    assert_says(*state, "", "t.yaml:77778:1: first defined here");
}

static void
a_key_of_an_inner_hash_is_no_duplicate_of_an_outer_one(void **state)
{
    assert_non_null(read_text(*state, "a: {a: {a: 1}}\nb: {a: 1}\n"));
    assert_string_equal(said(*state), "");
}

static void
keys_must_be_text(void **state)
{
    assert_says(*state, "[a]: x\n", "a key must be text, not a list");
    assert_says(*state, "a: {{ x }}\n", "quote text that starts with '{'");
    assert_says(*state, "\"a\\0b\": x\n", "a key must not contain a NUL");
    assert_says(*state, ": x\n", "missing key");
}

static void
merge_keys_are_refused(void **state)
{
    assert_says(*state, "a: &a {x: 1}\nb:\n  <<: *a\n", "t.yaml:3:3: error: merge keys");
    assert_non_null(read_text(*state, "\"<<\": x"));
}

static void
aliases_are_copies_with_the_place_of_the_original(void **state)
{
    const struct rh_value *v = read_text(*state, "a: &x {k: [1, 2]}\nb: *x\nc: *x\n");

    assert_shows(v, "{a: {k: [\"1\", \"2\"]}, b: {k: [\"1\", \"2\"]}, c: {k: [\"1\", \"2\"]}}");
    assert_ptr_not_equal(rh_value_get(v, "b"), rh_value_get(v, "c"));
    assert_int_equal(rh_value_place(rh_value_get(v, "b")).line, 1);
}

static void
aliases_within_their_anchor_are_refused(void **state)
{
    (void)read_text(*state, "a: &a\n  b: [*a]\n");
    assert_says(*state, "", "t.yaml:2:7: error: this alias is inside its own anchor");
    assert_says(*state, "", "t.yaml:1:4: the anchor starts here");
}

static void
aliases_without_anchor_are_refused(void **state)
{
    assert_says(*state, "a: *nobody\n", "t.yaml:1:4: error: unknown anchor for this alias");
}

static void
what_is_around_something_refused_is_still_read(void **state)
{
    assert_shows(read_text(*state, "a: [*x, y]\nb: {{ z }}\nc: !what d\n"),
                 "{a: [(unknown), \"y\"], b: (unknown), c: \"d\"}");
}

static void
a_billion_laughs_stay_unheard(void **state)
{
    rh_autobuf struct rh_buf b = { 0 };

    rh_buf_add(&b, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 12; i++) {
        rh_buf_addf(&b, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++)
            rh_buf_addf(&b, "*a%d%s", i - 1, k < 9 ? ", " : "]\n");
    }
    assert_null(read_text(*state, rh_buf_text(&b)));
    assert_says(*state, "", "expand to more than");
}

static void
nesting_has_a_limit_written_or_by_aliases(void **state)
{
    rh_autobuf struct rh_buf b = { 0 };

    for (int i = 0; i < 70; i++)
        rh_buf_addc(&b, '[');
    assert_null(read_text(*state, rh_buf_text(&b)));
    assert_says(*state, "", "t.yaml:1:65: error: nested deeper than 64 levels");
    assert_int_equal(rh_complaints_count(&((struct reading *)*state)->complaints), 1);
    rh_buf_truncate(&b, 0);
    rh_buf_add(&b, "a0: &a0 [x]\n");
    for (int i = 1; i < 70; i++)
        rh_buf_addf(&b, "a%d: &a%d [*a%d]\n", i, i, i - 1);
    assert_null(read_text(*state, rh_buf_text(&b)));
    assert_says(*state, "", "t.yaml:64:12: error: nested deeper");
}

static void
sixty_four_levels_are_read(void **state)
{
    rh_autobuf struct rh_buf b = { 0 };

    for (int i = 0; i < 64; i++)
        rh_buf_addc(&b, '[');
    for (int i = 0; i < 64; i++)
        rh_buf_addc(&b, ']');
    assert_non_null(read_text(*state, rh_buf_text(&b)));
}

static void
a_second_document_is_refused(void **state)
{
    assert_says(*state, "a: 1\n---\nb: 2\n",
                "t.yaml:2:1: error: a file must not contain more than one YAML document");
}

static void
an_empty_file_is_undef(void **state)
{
    static const char *const texts[] = { "", "\n", "# nothing\n", "\xef\xbb\xbf" };

    for (size_t i = 0; i < 4; i++)
        assert_int_equal(read_text(*state, texts[i])->kind, RH_UNDEF);
    assert_string_equal(said(*state), "");
}

static void
a_byte_order_mark_is_no_text(void **state)
{
    assert_shows(read_text(*state, "\xef\xbb\xbf"
                                   "a: b\n"),
                 "{a: \"b\"}");
}

static void
json_is_read_with_its_surrogates_and_slashes(void **state)
{
    assert_shows(read_text(*state, "{\"a\":\"\\ud83d\\ude00\\/\\u00e9\",\"b\":[1,true,null]}"),
                 "{a: \"\xf0\x9f\x98\x80/\xc3\xa9\", b: [\"1\", \"true\", \"null\"]}");
    assert_shows(read_text(*state, "{\"a\": \"\\\\ud83d\\\\ude00\"}"), "{a: \"\\ud83d\\ude00\"}");
}

static void
bytes_that_are_not_utf8_are_refused_where_they_stand(void **state)
{
    assert_says(*state, "a: x\nb: \xe9t\xe9\n", "t.yaml:2:4: error: invalid UTF-8: byte 0xe9");
    (void)readn(*state,
                "\xff\xfe"
                "a\0",
                4);
    assert_says(*state, "", "the file is UTF-16");
}

static void
control_characters_are_refused_where_they_stand(void **state)
{
    assert_says(*state, "a: x\nb: \xc3\xa4\x07\n",
                "t.yaml:2:5: error: control character 0x07 is not allowed");
    (void)readn(*state, "a: \0", 4);
    assert_says(*state, "", "control character 0x00 is not allowed");
}

/* What libyaml refuses, and what we make of it. */
static void
slips_of_the_pen_are_explained(void **state)
{
    static const struct {
        const char *text, *says;
    } slips[] = {
        { "a: x\n\tb: y\n", "t.yaml:2:1: error: YAML does not allow tabs for indentation" },
        { "a: @daily\n", "t.yaml:1:4: error: text cannot start with '@' in YAML" },
        { "a: `x`\n", "text cannot start with '`'" },
        { "a: %d\n", "text cannot start with '%'" },
        { "a: */5\n", "= quote text that starts with '*'" },
        { "a: &\n", "= quote text that starts with '&'" },
        { "a: b: c\n", "t.yaml:1:5: error: unquoted text must not contain ': '" },
        { "a: x\n  b: y\n", "t.yaml:2:4: error: this line is indented too deep" },
        { "- a: x\n  b y\n  c: z\n", "t.yaml:2:3: error: missing ':' after a key" },
        { "a:\n- file:/x\n  b: y\n", "t.yaml:2:7: error: add a space after the colon" },
        { "a:\n- file:/x\n  # of it\n\n  b: y\n", "t.yaml:2:7: error: add a space after the colon" },
        { "a:\n  b:x\n  c: y\n", "t.yaml:2:4: error: add a space after the colon" },
        { "a:\n  http://x\n  c: y\n", "t.yaml:3:4: error: this line is indented too deep" },
        { "a:\n- file /x\n  b: y\n", "t.yaml:2:7: error: missing ':' after a key" },
        { "a:\n-file: /x\n  b: y\n", "t.yaml:2:1: error: add a space after '-'" },
        { "a: \"x\" y\n", "t.yaml:1:8: error: text after the end of a value" },
        { "a:\n  b: x\n c: y\n", "t.yaml:3:2: error: expected a key in column 1" },
        { "a:\n  - x\n  b: y\n", "t.yaml:3:3: error: expected '-' in column 3, like the one in line 2" },
        { "a: [file[/x], y]\n", "= quote a reference inside [...]: \"file[/x]\"" },
        { "a: [x, y\nb: z\n", "t.yaml:1:4: error: the list that starts here is not closed" },
        { "a: {x: y\n", "t.yaml:1:4: error: the hash that starts here is not closed" },
        { "a: {\"x\": 1 \"y\": 2}\n", "t.yaml:1:15: error: expected ',' or '}'" },
        { "a: \"x\nb: y\n", "t.yaml:1:4: error: the quote that opens here is not closed" },
        { "a: \"\\d\"\n", "t.yaml:1:5: error: unknown escape in double quotes" },
        { "a: \"\\xzz\"\n", "t.yaml:1:7: error: unknown escape in double quotes" },
        { "a: |x\n", "t.yaml:1:4: error: unexpected text after '|' or '>', which start a block of text" },
        { "a: - x\n", "t.yaml:1:4: error: a list cannot start on the line of its key" },
        { "a: !<x y\n", "invalid tag after '!'" },
        { "a: 1\n...\nb: 2\n", "text after the end of the manifest" },
        { "[a]\nb\n", "t.yaml:2:1: error: text after the end of the manifest" },
        { "a: ]\n", "t.yaml:1:4: error: missing value" },
        { "a: [x,\n", "t.yaml:2:1: error: unexpected end of file: expected a value" },
        { "a: 'x\n---\ny'\n", "'---' or '...' inside quoted text" },
        { "%YAML 3.0\n---\na: b\n", "unsupported version of YAML" },
    };

    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
        struct reading *r = *state;

        rh_complaints_clear(&r->complaints);
        assert_null(read_text(r, slips[i].text));
        assert_says_only(r, "", slips[i].says);
        assert_null(strstr(said(r), "not YAML"));
    }
}

static void
lines_that_may_hold_a_secret_are_not_quoted(void **state)
{
    assert_says(*state, "db_password: \"x\" hunter2\n", "t.yaml:1:18: error");
    assert_null(strstr(said(*state), "hunter2"));
    assert_says(*state, "a: \"secret\" thoughts\n", "secret\" thoughts");
}

static void
lines_of_bytes_are_quoted_without_harm(void **state)
{
    char text[400] = "a: ";

    memset(text + 3, 0xb8, sizeof text - 4);
    text[sizeof text - 1] = '\n';
    (void)readn(*state, text, sizeof text);
    assert_says(*state, "", "t.yaml:1:4: error: invalid UTF-8: byte 0xb8");
}

static void
long_lines_are_quoted_around_the_place(void **state)
{
    rh_autobuf struct rh_buf b = { 0 };

    rh_buf_add(&b, "a: [");
    for (int i = 0; i < 1000; i++)
        rh_buf_add(&b, "xxxxxxxx, ");
    rh_buf_add(&b, "file[/x], ");
    for (int i = 0; i < 1000; i++)
        rh_buf_add(&b, "yyyyyyyy, ");
    assert_null(read_text(*state, rh_buf_text(&b)));
    assert_true(strlen(said(*state)) < 700);
    assert_non_null(strstr(said(*state), "xxx, file[/x], yyy"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_tree_has_the_shape_of_its_text),
        CASE(every_value_has_its_place),
        CASE(columns_count_characters_and_not_bytes),
        CASE(only_plain_scalars_are_marked_plain),
        CASE(append_and_remove_become_marks),
        CASE(core_tags_are_honoured),
        CASE(a_core_tag_that_does_not_fit_is_refused),
        CASE(unknown_tags_are_refused_with_their_place),
        CASE(the_same_key_is_the_same_text_in_memory),
        CASE(duplicate_keys_show_both_places),
        CASE(duplicate_keys_are_found_in_large_hashes_too),
        CASE(a_key_of_an_inner_hash_is_no_duplicate_of_an_outer_one),
        CASE(keys_must_be_text),
        CASE(merge_keys_are_refused),
        CASE(aliases_are_copies_with_the_place_of_the_original),
        CASE(aliases_within_their_anchor_are_refused),
        CASE(aliases_without_anchor_are_refused),
        CASE(what_is_around_something_refused_is_still_read),
        CASE(a_billion_laughs_stay_unheard),
        CASE(nesting_has_a_limit_written_or_by_aliases),
        CASE(sixty_four_levels_are_read),
        CASE(a_second_document_is_refused),
        CASE(an_empty_file_is_undef),
        CASE(a_byte_order_mark_is_no_text),
        CASE(json_is_read_with_its_surrogates_and_slashes),
        CASE(bytes_that_are_not_utf8_are_refused_where_they_stand),
        CASE(control_characters_are_refused_where_they_stand),
        CASE(slips_of_the_pen_are_explained),
        CASE(lines_that_may_hold_a_secret_are_not_quoted),
        CASE(lines_of_bytes_are_quoted_without_harm),
        CASE(long_lines_are_quoted_around_the_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
