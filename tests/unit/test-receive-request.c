/* SPDX-License-Identifier: Apache-2.0 */
/* test-receive-request - what a target takes from a controller, and what it is refused for. */
#include "config.h"

#include "reach/receive-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct rh_receiver r;

static int
setup(void **state)
{
    (void)state;
    r = (struct rh_receiver){ .arena = rh_arena_new(NULL),
                              .site = RH_SCRATCH_SITE_INIT,
                              .record = RH_PUSH_RECORD_INIT,
                              .child = { .in = -1, .out = -1, .err = -1 },
                              .progress = -1 };
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    rh_scratch_site_close(&r.site);
    rh_push_record_close(&r.record);
    rh_arena_free(r.arena);
    return 0;
}

/* What a frame is refused for; "" when it is taken. */
static const char *
frame_of(enum rh_wire_kind kind, const char *content, size_t n)
{
    static char message[1000];
    rh_autoerror struct rh_error err = { 0 };
    int rc = rh_receive_frame(&r, kind, content, n, &err);

    (void)snprintf(message, sizeof message, "%s", rc < 0 ? err.message : "");
    return message;
}

static const char *
frame(enum rh_wire_kind kind, const char *content)
{
    return frame_of(kind, content, strlen(content));
}

/* A request that is whole but for what it has of `more`, such as a path at another place. */
static const char *
request(const char *push, const char *from, const char *more)
{
    rh_autofree char *text = rh_printf("{\"protocol\":1%s%s%s}", push, from, more);

    return frame(RH_WIRE_REQUEST, text);
}

#define PUSH ",\"push\":\"p1\""
#define FROM ",\"from\":\"me\""
#define COMMAND ",\"command\":[\"facts\"]"

static bool
is_in_memory(const char *message)
{
    return strstr(message, "in memory") == NULL;
}

static void
a_request_is_whole(void **state)
{
    static const struct {
        const char *push, *from, *more, *says;
    } tries[] = {
        { "", FROM, COMMAND, "the request lacks 'push'" },
        { ",\"push\":\"\"", FROM, COMMAND, "the request lacks 'push'" },
        { ",\"push\":1", FROM, COMMAND, "the request lacks 'push'" },
        { PUSH, "", COMMAND, "the request lacks 'from'" },
        { PUSH, ",\"from\":\"\"", COMMAND, "the request lacks 'from'" },
        { ",\"push\":\"a/b\"", FROM, COMMAND, "the id 'a/b' of the push is invalid" },
        { ",\"push\":\"..\"", FROM, COMMAND, "the id '..' of the push is invalid" },
        { ",\"push\":\".p\"", FROM, COMMAND, "the id '.p' of the push is invalid" },
        { PUSH, FROM, "", "the request lacks 'command'" },
        { PUSH, FROM, ",\"command\":[]", "the request lacks 'command'" },
        { PUSH, FROM, ",\"command\":{\"a\":\"b\"}", "the request lacks 'command'" },
        { PUSH, FROM, ",\"command\":\"facts\"", "the request lacks 'command'" },
        { PUSH, FROM, ",\"command\":[1]", "an argument of the command is not a text" },
        { PUSH, FROM, ",\"command\":[\"a\\u0000b\"]", "an argument of the command is not a text" },
        { PUSH, FROM, COMMAND ",\"program\":[\"rhost\"]", "the program 'rhost' is no absolute path" },
        { PUSH, FROM, COMMAND ",\"program\":[\"/1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\"]",
          "the request lacks 'command'" },
        { PUSH, FROM, COMMAND ",\"report\":\"a/b\"", "the path 'a/b' is invalid" },
        { PUSH, FROM, COMMAND ",\"report\":\"..\"", "the path '..' is invalid" },
        { PUSH, FROM, COMMAND ",\"result\":\"/x\"", "the path '/x' is invalid" },
        { PUSH, FROM, COMMAND ",\"bytes\":-1", "the site is too large" },
        { PUSH, FROM, COMMAND ",\"bytes\":134217729", "the site is too large" },
        { PUSH, FROM, COMMAND ",\"bytes\":134217728,\"place\":\"/etc\"",
          "a site cannot be kept in '/etc', where the plan was made" },
        { PUSH, FROM, COMMAND ",\"place\":\"/etc\"",
          "a site cannot be kept in '/etc', where the plan was made" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        r.step = RH_RECEIVE_REQUEST;
        assert_string_equal(request(tries[i].push, tries[i].from, tries[i].more), tries[i].says);
        assert_null(r.site.path);
    }
    assert_string_equal(frame(RH_WIRE_REQUEST, "{\"protocol\":2}"), "unexpected data on the channel");
    r.step = RH_RECEIVE_REQUEST;
    assert_string_equal(frame(RH_WIRE_REQUEST, "{\"protocol\":2" PUSH FROM COMMAND "}"),
                        "the controller speaks another protocol: use the same version of rhost");
    assert_string_equal(frame(RH_WIRE_REQUEST, "{\"protocol\":\"1\"" PUSH FROM COMMAND "}"),
                        "the controller speaks another protocol: use the same version of rhost");
    assert_true(*frame(RH_WIRE_REQUEST, "[1]"));
}

static void
a_command_has_a_limit(void **state)
{
    rh_autobuf struct rh_buf text = { 0 };

    (void)state;
    for (int n = 4097; n >= 4096; n--) {
        rh_buf_truncate(&text, 0);
        rh_buf_add(&text,
                   ",\"program\":[\"/1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\"],\"command\":[\"x\"");
        for (int i = 1; i < n; i++)
            rh_buf_add(&text, ",\"y\"");
        rh_buf_add(&text, "],\"bytes\":-1");
        assert_string_equal(request(PUSH, FROM, text.s),
                            n > 4096 ? "the request lacks 'command'" : "the site is too large");
    }
    assert_string_equal(r.argv[0], "/1");
    assert_string_equal(r.argv[7], "8");
    assert_string_equal(r.argv[8], "x");
    assert_string_equal(r.argv[8 + 4095], "y");
    assert_null(r.argv[8 + 4096]);
}

static void
what_is_asked_for_is_known(void **state)
{
    const char *why;

    (void)state;
    why = request(PUSH, FROM,
                  COMMAND ",\"report\":\"report.json\",\"result\":\"p.plan\",\"detach\":true,\"changes\":1,"
                          "\"bytes\":1000");
    if (!is_in_memory(why))
        skip();
    assert_string_equal(why, "");
    assert_int_equal(r.step, RH_RECEIVE_FILES);
    assert_string_equal(r.push, "p1");
    assert_string_equal(r.from, "me");
    assert_string_equal(r.report, "report.json");
    assert_string_equal(r.result, "p.plan");
    assert_true(r.detach);
    assert_false(r.changes); /* that is a number */
    assert_int_equal(*r.argv[0], '/');
    assert_string_equal(r.argv[1], "facts");
    assert_null(r.argv[2]);
    assert_non_null(r.site.path);
}

static mode_t
mode_of(const char *name)
{
    rh_autofree char *path = rh_printf("%s/%s", r.site.path, name);
    struct stat st;

    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

static void
files_are_checked(void **state)
{
    static const struct {
        const char *file, *says;
    } tries[] = {
        { "{\"size\":0}", "the request lacks 'path'" },
        { "{\"path\":\"\",\"size\":0}", "the request lacks 'path'" },
        { "{\"path\":\"../x\",\"size\":0}", "the path '../x' is invalid" },
        { "{\"path\":\"a\\u0000b\",\"size\":0}", "the path 'a' is invalid" },
        { "{\"path\":\"x\"}", "the request lacks 'size'" },
        { "{\"path\":\"x\",\"size\":\"0\"}", "the request lacks 'size'" },
        { "{\"path\":\"x\",\"size\":-1}", "the request lacks 'size'" },
        { "{\"path\":\"x\",\"size\":134217729}", "the request lacks 'size'" },
    };

    (void)state;
    assert_string_equal(frame(RH_WIRE_FILE, "{\"path\":\"x\",\"size\":0}"), "unexpected data on the channel");
    assert_string_equal(frame(RH_WIRE_DATA, "x"), "unexpected data on the channel");
    assert_string_equal(frame(RH_WIRE_GO, ""), "unexpected data on the channel");
    if (!is_in_memory(request(PUSH, FROM, COMMAND)))
        skip();
    assert_string_equal(request(PUSH, FROM, COMMAND), "unexpected data on the channel");
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++)
        assert_string_equal(frame(RH_WIRE_FILE, tries[i].file), tries[i].says);
    assert_string_equal(frame(RH_WIRE_FILE, "{\"path\":\"x\",\"size\":0,\"executable\":1}"), "");
    assert_string_equal(frame(RH_WIRE_FILE, "{\"path\":\"y\",\"size\":0,\"executable\":true}"), "");
    assert_int_equal(mode_of("x"), 0600);
    assert_int_equal(mode_of("y"), 0700);
    assert_string_equal(frame(RH_WIRE_FILE, "{\"path\":\"z\",\"size\":3}"), "");
    assert_string_equal(frame(RH_WIRE_DATA, "ab"), "");
    assert_string_equal(frame(RH_WIRE_GO, ""), "a file of the site is not complete");
    assert_string_equal(frame(RH_WIRE_DATA, "c"), "");
    assert_string_equal(frame(RH_WIRE_PING, ""), "");
    assert_string_equal(frame(RH_WIRE_ACK, ""), "unexpected data on the channel");
    assert_string_equal(frame(RH_WIRE_STOP, ""), "the push was stopped before it began");
    assert_false(r.acknowledged);
    r.changes = true;
    assert_string_equal(frame(RH_WIRE_GO, ""), "no state directory");
    assert_int_equal(r.step, RH_RECEIVE_FILES);
    assert_false(r.started);
}

static void
a_file_can_be_as_large_as_a_site(void **state)
{
    (void)state;
    if (!is_in_memory(request(PUSH, FROM, COMMAND)))
        skip();
    assert_string_equal(frame(RH_WIRE_FILE, "{\"path\":\"x\",\"size\":134217728}"), "");
}

static void
the_end_is_acknowledged(void **state)
{
    (void)state;
    r.step = RH_RECEIVE_END;
    assert_string_equal(frame(RH_WIRE_STOP, ""), ""); /* too late to matter */
    assert_false(r.acknowledged);
    assert_string_equal(frame(RH_WIRE_ACK, ""), "");
    assert_true(r.acknowledged);
    r.step = RH_RECEIVE_RUN;
    assert_string_equal(frame(RH_WIRE_STOP, ""), "");
    assert_false(r.stopping); /* there is no command to stop */
    assert_string_equal(frame(RH_WIRE_GO, ""), "unexpected data on the channel");
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_request_is_whole),
        TEST(a_command_has_a_limit),
        TEST(what_is_asked_for_is_known),
        TEST(files_are_checked),
        TEST(a_file_can_be_as_large_as_a_site),
        TEST(the_end_is_acknowledged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
