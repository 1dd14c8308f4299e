/* SPDX-License-Identifier: Apache-2.0 */
/* test-pending - what core/run/pending.h promises. */
#include "config.h"

#include "run/pending.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/rhost-pending-XXXXXX";
static char path[64];

static int
setup(void **state)
{
    (void)state;
    memcpy(dir + sizeof dir - 7, "XXXXXX", 6);
    assert_non_null(mkdtemp(dir));
    (void)snprintf(path, sizeof path, "%s/pending.jsonl", dir);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    (void)unlink(path);
    (void)rmdir(path);
    return rmdir(dir);
}

static struct rh_pending_list *
reopen(const char *run)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_pending_list *o = rh_pending_open(dir, run, run ? "2026-11-21T12:00:00Z" : NULL, &err);

    if (err.message)
        print_error("%s\n", err.message);
    assert_non_null(o);
    return o;
}

static void
close_well(struct rh_pending_list *o)
{
    struct rh_error err = { 0 };

    assert_int_equal(rh_pending_close(o, &err), 0);
    assert_null(err.message);
}

/* What a process leaves behind that is killed: the descriptor and the memory go, and nothing else
 * happens. */
static void
be_killed(struct rh_pending_list *o)
{
    struct rh_error err = { 0 };
    size_t n;
    rh_autofree char *left = access(path, F_OK) == 0 ? rh_read_file(path, 0, &n, &err) : NULL;

    rh_discard(rh_pending_close(o, &err));
    rh_error_clear(&err);
    if (left)
        assert_int_equal(rh_replace_file(path, left, strlen(left), 0600, &err), 0);
}

static size_t
note(struct rh_pending_list *o, const char *title)
{
    return rh_pending_note(o, &(struct rh_pending){
                                  .type = "service",
                                  .title = title,
                                  .action = "restart",
                                  .by = "file[/etc/a]",
                                  .on_failure = RH_KEEP_PENDING,
                              });
}

static void
sync_well(struct rh_pending_list *o)
{
    struct rh_error err = { 0 };

    assert_int_equal(rh_pending_sync(o, &err), 0);
    assert_int_equal(rh_pending_flush(o, &err), 0);
    assert_null(err.message);
}

/* Adds this behind what is in the file. */
static void
add(const char *text)
{
    rh_autofclose FILE *f = fopen(path, "a");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
}

static char *
content(void)
{
    struct rh_error err = { 0 };
    size_t n;
    char *text = rh_read_file(path, 0, &n, &err);

    assert_non_null(text);
    return text;
}

static void
no_file_when_nothing_is_owed(void **state)
{
    struct rh_pending_list *o = reopen("run-1");

    (void)state;
    close_well(o);
    assert_int_equal(access(path, F_OK), -1);
    o = reopen("run-1");
    rh_pending_drop(o, note(o, "a"));
    sync_well(o);
    assert_int_equal(access(path, F_OK), 0);
    close_well(o);
    assert_int_equal(access(path, F_OK), -1);
}

static void
what_was_synced_is_found_after_a_kill(void **state)
{
    struct rh_pending_list *o = reopen("run-1");
    const struct rh_pending *d;

    (void)state;
    (void)note(o, "with \"quotes\"\n");
    sync_well(o);
    be_killed(o);
    o = reopen("run-2");
    assert_int_equal(rh_pending_count(o), 1);
    d = rh_pending_at(o, 0);
    assert_string_equal(d->type, "service");
    assert_string_equal(d->title, "with \"quotes\"\n");
    assert_string_equal(d->action, "restart");
    assert_string_equal(d->by, "file[/etc/a]");
    assert_string_equal(d->run, "run-1");
    assert_string_equal(d->since, "2026-11-21T12:00:00Z");
    assert_int_equal(d->on_failure, RH_KEEP_PENDING);
    assert_false(d->certain);
    assert_false(d->dropped);
    close_well(o);
}

static void
what_was_struck_and_made_certain_survives_reopening(void **state)
{
    struct rh_pending_list *o = reopen("run-1");

    (void)state;
    for (int i = 0; i < 4; i++)
        (void)note(o, i % 2 ? "odd" : "even");
    sync_well(o);
    rh_pending_drop(o, 1);
    rh_pending_certain(o, 2);
    sync_well(o);
    be_killed(o);
    o = reopen("run-2");
    assert_int_equal(rh_pending_count(o), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(rh_pending_at(o, i)->dropped, i == 1);
        assert_int_equal(rh_pending_at(o, i)->certain, i == 2);
    }
    /* And on top of that, by another run that is killed too. */
    rh_pending_drop(o, 3);
    assert_int_equal(note(o, "new"), 4);
    sync_well(o);
    be_killed(o);
    o = reopen("run-3");
    assert_int_equal(rh_pending_count(o), 5);
    assert_true(rh_pending_at(o, 3)->dropped);
    assert_string_equal(rh_pending_at(o, 4)->run, "run-2");
    close_well(o);
}

static void
closing_leaves_what_is_still_owed(void **state)
{
    struct rh_pending_list *o = reopen("run-1");
    rh_autofree char *text = NULL;

    (void)state;
    (void)note(o, "a");
    (void)note(o, "b");
    sync_well(o);
    rh_pending_certain(o, 1);
    rh_pending_drop(o, 0);
    close_well(o);
    text = content();
    assert_non_null(strstr(text, "{\"pending\": 0, \"type\": \"service\", \"title\": \"b\""));
    assert_null(strstr(text, "\"a\""));
    assert_null(strstr(text, "dropped"));
    o = reopen("run-2");
    assert_int_equal(rh_pending_count(o), 1);
    assert_true(rh_pending_at(o, 0)->certain);
    close_well(o);
}

static void
a_last_line_that_was_cut_off_is_nothing(void **state)
{
    struct rh_pending_list *o = reopen("run-1");

    (void)state;
    (void)note(o, "a");
    sync_well(o);
    be_killed(o);
    add("{\"pending\": 1, \"type\": \"ser");
    o = reopen("run-2");
    assert_int_equal(rh_pending_count(o), 1);
    /* What is added does not become a part of it. */
    (void)note(o, "b");
    sync_well(o);
    be_killed(o);
    o = reopen("run-3");
    assert_int_equal(rh_pending_count(o), 2);
    assert_string_equal(rh_pending_at(o, 1)->title, "b");
    close_well(o);
}

static void
refuses(const char *text, const char *says)
{
    struct rh_error err = { 0 };

    add(text);
    assert_null(rh_pending_open(dir, "run-2", "", &err));
    assert_non_null(err.message);
    if (!strstr(err.message, says) || !strstr(err.message, path))
        fail_msg("'%s' does not say '%s'", err.message, says);
    rh_error_clear(&err);
    /* And it is left as it is. */
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(unlink(path), 0);
}

static void
a_bad_line_is_refused(void **state)
{
    static const char good[] = "{\"pending\": 0, \"type\": \"a\", \"title\": \"b\", \"action\": \"c\", "
                               "\"notified_by\": \"d\", \"notified_in_run\": "
                               "\"e\", \"since\": \"f\", \"on_failure\": \"run\", \"certain\": false}\n";

    (void)state;
    add(good);
    close_well(reopen(NULL));
    assert_int_equal(unlink(path), 0);
    add(good);
    refuses("rubbish\n{\"dropped\": 0}\n", "line 2");
    refuses("\n", "line 1");
    refuses("{}\n", "line 1");
    refuses("[1]\n", "line 1");
    refuses("{\"dropped\": 0}\n", "line 1");
    add(good);
    refuses("{\"dropped\": 1}\n", "line 2");
    add(good);
    refuses("{\"certain\": -1}\n", "line 2");
    add(good);
    refuses(good, "line 2"); /* number 0 again: others would be taken for what they are not */
    refuses("{\"pending\": 0, \"type\": \"a\", \"title\": \"b\", \"action\": \"c\", \"notified_by\": \"d\", "
            "\"notified_in_run\": "
            "\"e\", \"since\": \"f\", \"on_failure\": \"odd\", \"certain\": false}\n",
            "line 1");
}

static void
looking_changes_nothing(void **state)
{
    struct rh_pending_list *o = reopen("run-1");
    rh_autofree char *before = NULL, *after = NULL;

    (void)state;
    (void)note(o, "a");
    close_well(o);
    before = content();
    o = reopen(NULL);
    (void)note(o, "b");
    rh_pending_drop(o, 0);
    rh_pending_certain(o, 0);
    sync_well(o);
    close_well(o);
    after = content();
    assert_string_equal(before, after);
}

static void
a_folder_that_is_not_there_is_an_error(void **state)
{
    struct rh_error err = { 0 };
    struct rh_pending_list *o = rh_pending_open("/nonexistent/rhost", "run-1", "", &err);

    (void)state;
    assert_non_null(o); /* nothing is pending there */
    (void)note(o, "a");
    assert_int_equal(rh_pending_sync(o, &err), -1);
    assert_non_null(strstr(err.message, "cannot record the pending notifications in "
                                        "'/nonexistent/rhost/pending.jsonl': No such file"));
    rh_error_clear(&err);
    assert_int_equal(rh_pending_close(o, &err), -1);
    rh_error_clear(&err);
}

static void
a_file_that_cannot_be_read_is_an_error(void **state)
{
    struct rh_error err = { 0 };

    (void)state;
    assert_int_equal(mkdir(path, 0700), 0);
    assert_null(rh_pending_open(dir, "run-1", "", &err));
    assert_non_null(strstr(err.message, "cannot read the pending notifications: "));
    rh_error_clear(&err);
}

/* As on a full disk: only a part can be written, and later all of it. */
static void
what_could_not_be_written_is_tried_again(void **state)
{
    struct rh_error err = { 0 };
    struct rlimit limit, small;
    struct rh_pending_list *o = reopen("run-1");

    (void)state;
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)note(o, "a");
    sync_well(o);
    (void)note(o, "b");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 250;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(rh_pending_sync(o, &err), -1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_non_null(strstr(err.message, ": File too large"));
    rh_error_clear(&err);
    sync_well(o);
    be_killed(o);
    o = reopen("run-2");
    assert_int_equal(rh_pending_count(o), 2);
    assert_string_equal(rh_pending_at(o, 1)->title, "b");
    close_well(o);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_file_when_nothing_is_owed, setup, teardown),
        cmocka_unit_test_setup_teardown(what_was_synced_is_found_after_a_kill, setup, teardown),
        cmocka_unit_test_setup_teardown(what_was_struck_and_made_certain_survives_reopening, setup, teardown),
        cmocka_unit_test_setup_teardown(closing_leaves_what_is_still_owed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_last_line_that_was_cut_off_is_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_bad_line_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(looking_changes_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_folder_that_is_not_there_is_an_error, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_that_cannot_be_read_is_an_error, setup, teardown),
        cmocka_unit_test_setup_teardown(what_could_not_be_written_is_tried_again, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
