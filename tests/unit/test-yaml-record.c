/* SPDX-License-Identifier: Apache-2.0 */
/* test-yaml-record - the record of a text has the events that libyaml gives, and their places. */
#include "config.h"

#include "manifest/text/yaml-record.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"
#include "same-events.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void
assert_in(const char *text)
{
    bool same = true;

    if (!same_events(text, strlen(text), &same))
        fail_msg("no record of:\n%s", text);
    assert_true(same);
}

static void
assert_out(const char *text, size_t n)
{
    bool same = true;

    if (same_events(text, n, &same))
        fail_msg("a record of:\n%.*s", (int)n, text);
}

static void
what_manifests_are_written_in_has_a_record(void **state)
{
    static const char *const texts[] = {
        "a: b",
        "a: b\n",
        "---\na: b\n",
        "# x\n--- # y\n\n- a\n- b\n",
        "resources:\n  - file: /a\n    content: \"x\\n\"\n    mode: 0644\n",
        "resources:\n- file: [/a, '/b']\n  when: ${a.b == \"c\"}\n\n- exec: x # y\n",
        "a:\n  b:\n    - c: d\n      e:\n      - f\n      - - g\n        - h: i\n    -\n      j: k\n  l:\n",
        "a:\n-\n-\nb: ''\nc: {}\nd: []\n",
        "a: |\n  x\n\n    y\n\nb: >-\n  x\n  y\n\n   z\nc: |+\n  x\n\n",
        "- |\n x\n- >+\n  x\n\n  y",
        "a: \"\\u00e9\\x41\\U0001f600\\\\\\\"\\0\"\n",
        "ä: ü # ö\n'ß': \"→\" \n",
        "a: {b: [c, {d: \"e\"}], \"f\":1}\nb: [\n  x, # y\n  z\n]\n",
        "{\"a\": [1, -2, 3.5e+6, true, null],\n \"b\": {\"c\": \"d\"}}\n",
        "a: !append [b, --c]\nd:\n  - !remove e\n  - !append |\n    f\n  - !remove \"g\"\n",
        "- &a b\n- *a\n- &c [*a]\n- !x &d \"e\\n\"\n",
        "a: !!str b\nc: !!binary |\n  YQ==\n",
        "a: b\n c\n\n d\ne: \"b\n  c\\\n  d\"\nf: 'g\n\n  h'\n",
        "? a\n: b\n",
        "%YAML 1.1\n---\na: b\n...\n",
        "a:\tb\t\n",
        "a",
        "a: http://b:80/c?d#e\nb: -c\nc: a 'b' \"c\" [d] {e} & * ! | > % @\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_in(texts[i]);
}

/* Of each escape that there may be, with what may stand around it. */
static void
what_is_unescaped_without_a_parser_is_what_libyaml_makes_of_it(void **state)
{
    static const char *const around[] = { "", "a", "\xc3\xa9", "\\\\", "\\n" };
    rh_autobuf struct rh_buf got = { 0 }, text = { 0 };
    unsigned taken = 0;

    (void)state;
    for (unsigned c = 1; c < 128; c++)
        for (size_t i = 0; i < sizeof around / sizeof around[0]; i++) {
            yaml_parser_t parser;
            yaml_event_t event;

            rh_buf_truncate(&text, 0);
            rh_buf_addf(&text, "\"%s\\%c%s\"", around[i], (int)c, around[i]);
            if (!rh_yaml_unescape(text.s + 1, text.n - 2, &got))
                continue;
            taken += i == 0;
            assert_true(rh_yaml_decode(&parser, &event, text.s, text.n));
            assert_int_equal(got.n, event.data.scalar.length);
            assert_memory_equal(got.s, event.data.scalar.value, got.n);
            yaml_event_delete(&event);
            yaml_parser_delete(&parser);
        }
    assert_int_equal(taken, 13);
    assert_false(rh_yaml_unescape("a\\", 2, &got)); /* cut off */
    assert_true(rh_yaml_unescape("", 0, &got) && got.n == 0);
}

static struct rh_yaml_replay
first_scalar_again(const char *text, struct rh_buf *record)
{
    struct rh_yaml_recorder recorder;
    struct rh_yaml_replay replay;
    struct rh_yaml_event event = { 0 };
    yaml_parser_t parser;

    assert_true(rh_yaml_parser_open(&parser, text, strlen(text)));
    rh_yaml_recorder_open(&recorder, text, strlen(text));
    while (event.type != YAML_STREAM_END_EVENT) {
        yaml_event_t from;

        assert_true(rh_yaml_parser_next(&parser, &from, &event));
        rh_yaml_recorder_add(&recorder, &event);
        yaml_event_delete(&from);
    }
    yaml_parser_delete(&parser);
    rh_buf_addn(record, recorder.bytes.s, recorder.bytes.n);
    rh_yaml_recorder_close(&recorder);
    rh_yaml_replay_open(&replay, record->s, record->n, text, strlen(text));
    do
        assert_true(rh_yaml_replay_next(&replay, &event));
    while (event.type != YAML_SCALAR_EVENT);
    return replay;
}

/* Starting libyaml for each content of a file took a tenth of a run. */
static void
a_text_with_short_escapes_takes_no_parser(void **state)
{
    static const struct {
        const char *text;
        bool parser;
    } cases[] = {
        { "\"a\\n\\t\\\\b\"", false }, { "\"\\u00e9\"", true }, { "\"a\\\n b\"", true },
        { "\"a\n b\\n\"", true },      { "\"\\n\"", false },    { "'it''s'", true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rh_autobuf struct rh_buf record = { 0 };
        struct rh_yaml_replay replay = first_scalar_again(cases[i].text, &record);

        assert_int_equal(replay.decoding, cases[i].parser);
        rh_yaml_replay_close(&replay);
    }
}

static void
some_texts_have_none(void **state)
{
    static const char *const texts[] = {
        "", "# x\n", "a: b\n---\nc: d\n", "a: b\r\n", "a: b\xc2\x85\n", "a: \"b\xe2\x80\xa8\"\n", "a: [b\n",
    };
    char deep[2 * 70 + 3], *end = deep;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_out(texts[i], strlen(texts[i]));
    for (unsigned i = 0; i < 65; i++)
        end = stpcpy(end, "- ");
    assert_out(deep, strlen(deep));
    end[-2] = '\0';
    assert_in(deep);
}

/* Each byte of a record that is changed, and each part of it: it fits or it does not, and nothing outside of
 * the text is read (the sanitizer looks). */
static void
a_damaged_record_is_harmless(void **state)
{
    static const char good[] = "a: \"\\n\"\nb: |\n  x\n\n  y\nc: [d, &e f, *e]\n";
    struct rh_yaml_recorder recorder;
    struct rh_yaml_event event = { 0 };
    yaml_parser_t parser;
    unsigned fitting = 0;

    (void)state;
    assert_true(rh_yaml_parser_open(&parser, good, sizeof good - 1));
    rh_yaml_recorder_open(&recorder, good, sizeof good - 1);
    while (event.type != YAML_STREAM_END_EVENT) {
        yaml_event_t from;

        assert_true(rh_yaml_parser_next(&parser, &from, &event));
        rh_yaml_recorder_add(&recorder, &event);
        yaml_event_delete(&from);
    }
    yaml_parser_delete(&parser);
    assert_false(recorder.refused);
    assert_true(rh_yaml_record_fits(recorder.bytes.s, recorder.bytes.n, sizeof good - 1));
    for (size_t n = 0; n < recorder.bytes.n; n++) {
        assert_false(rh_yaml_record_fits(recorder.bytes.s, n, sizeof good - 1));
        for (unsigned change = 1; change < 256; change++) {
            struct rh_yaml_replay replay;

            recorder.bytes.s[n] = (char)(recorder.bytes.s[n] ^ change);
            if (rh_yaml_record_fits(recorder.bytes.s, recorder.bytes.n, sizeof good - 1)) {
                fitting++;
                rh_yaml_replay_open(&replay, recorder.bytes.s, recorder.bytes.n, good, sizeof good - 1);
                while (rh_yaml_replay_next(&replay, &event))
                    assert_true(event.type != YAML_SCALAR_EVENT || event.text);
                rh_yaml_replay_close(&replay);
            }
            recorder.bytes.s[n] = (char)(recorder.bytes.s[n] ^ change);
        }
    }
    assert_true(fitting > 0);
    assert_false(rh_yaml_record_fits(recorder.bytes.s, recorder.bytes.n, 10)); /* of a shorter text */
    rh_yaml_recorder_close(&recorder);
}

/* All manifests, and what else is YAML or JSON, of the tests and pages. */

static unsigned files, recorded;
static bool all_same = true;

static int
compare_file(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *text = NULL;
    const char *dot = strrchr(path + ftw->base, '.');
    size_t n = 0;

    (void)st;
    if (kind != FTW_F || !dot || (strcmp(dot, ".yaml") != 0 && strcmp(dot, ".json") != 0))
        return 0;
    text = rh_read_file(path, 16 << 20, &n, &err);
    if (text && rh_utf8_valid(text, n)) {
        files++;
        recorded += same_events(text, n, &all_same);
    }
    return 0;
}

static void
each_file_of_the_tree_has_the_events_of_libyaml(void **state)
{
    static const char *const roots[] = { "docs", "plugins", "tests" };

    (void)state;
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++)
        assert_int_equal(nftw(roots[i], compare_file, 16, FTW_PHYS), 0);
    print_message("%u of %u files have records\n", recorded, files);
    assert_true(all_same);
    assert_true(recorded > 100);
}

/* Made-up texts: lines of pieces that mean something in YAML, at all kinds of indentation. */

static uint32_t seed = 1;

static uint32_t
below(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)(seed >> 8) * n) >> 24);
}

static void
add_pieces(struct rh_buf *to)
{
    static const char *const pieces[] = {
        "a: b",  "a:",       "- ",    "-",     "- a",      "\"a\": 'b'",   "b: |",     "c: >-",
        "- |+",  "- >",      "a",     "'a'",   "\"\\n\"",  " # c",         "[a, b]",   "{a: b}",
        "[",     "]",        "{",     "}",     "a: [b",    ", c",          "\"k\":1",  "  ",
        "é: ü",  "- - a: b", "- a: ", "x: {}", "y: []",    "'it''s'",      ": ",       ":",
        "#",     "---",      "...",   "a: -1", "?",        "a: b c",       "\t",       "- b: c",
        "k: \"", "v: 'x",    "-a",    "a:b",   "u: h://x", "\xe2\x80\xa8", "!append ", "&x b",
        "*x",    "k:  v  ",
    };

    rh_buf_add(to, pieces[below(sizeof pieces / sizeof pieces[0])]);
    while (below(5) == 0)
        rh_buf_add(to, pieces[below(sizeof pieces / sizeof pieces[0])]);
}

static void
made_up_texts_have_the_events_of_libyaml(void **state)
{
    rh_autobuf struct rh_buf text = { 0 };
    unsigned in = 0;
    bool same = true;

    (void)state;
    for (unsigned i = 0; i < 300000 && same; i++) {
        unsigned lines = 1 + below(7), indent = 0;

        rh_buf_truncate(&text, 0);
        rh_buf_add(&text, "");
        for (unsigned k = 0; k < lines; k++) {
            indent = below(3) == 0 ? below(7) : indent + (below(3) == 0 ? 2 : 0);
            for (unsigned s = 0; s < indent; s++)
                rh_buf_addc(&text, ' ');
            if (below(12))
                add_pieces(&text);
            if (k + 1 < lines || below(8))
                rh_buf_addc(&text, '\n');
        }
        in += same_events(rh_buf_text(&text), text.n, &same);
    }
    print_message("%u made-up texts have records\n", in);
    assert_true(same);
    assert_true(in > 40000);
}

int
main(void)
{
    const char *top = getenv("abs_top_srcdir");

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_manifests_are_written_in_has_a_record),
        cmocka_unit_test(what_is_unescaped_without_a_parser_is_what_libyaml_makes_of_it),
        cmocka_unit_test(a_text_with_short_escapes_takes_no_parser),
        cmocka_unit_test(some_texts_have_none),
        cmocka_unit_test(a_damaged_record_is_harmless),
        cmocka_unit_test(each_file_of_the_tree_has_the_events_of_libyaml),
        cmocka_unit_test(made_up_texts_have_the_events_of_libyaml),
    };

    if (chdir(top ? top : SRCDIR) < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
