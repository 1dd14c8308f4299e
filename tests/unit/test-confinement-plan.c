/* SPDX-License-Identifier: Apache-2.0 */
/* test-confinement-plan - plans of core/sandbox: what they say, what they cover, and what a kernel can't
 * enforce. */
#include "config.h"

#include "sandbox/confinement.h"

#include "base/cleanup.h"
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void
need(bool condition, const char *what)
{
    if (condition)
        return;
    print_message("skipped: this machine has no %s\n", what);
    skip();
}

static struct rh_mechanisms
machine(void)
{
    struct rh_mechanisms m;

    rh_mechanisms_read(&m);
    return m;
}

static void
a_plan_is_listed_by_its_needs(void **state)
{
    rh_autoconfinement struct rh_confinement *c = rh_confinement_new();
    rh_autofree char *empty = rh_confinement_text(c), *text = NULL;

    (void)state;
    assert_string_equal(empty, "");
    rh_confinement_runtime(c);
    assert_int_equal(rh_confinement_path(c, RH_ACCESS_READ, "/etc//passwd", NULL), 0);
    assert_int_equal(rh_confinement_path(c, RH_ACCESS_WRITE, "/etc/x/../cron.d/.", NULL), 0);
    assert_int_equal(rh_confinement_path(c, RH_ACCESS_READ, "/etc/cron.d", NULL), 0);
    assert_int_equal(rh_confinement_path(c, RH_ACCESS_EDIT | RH_ACCESS_DEVICE, "/dev/\x1bsda", NULL), 0);
    assert_int_equal(rh_confinement_path(c, RH_ACCESS_MAKE | RH_ACCESS_EXECUTE, "/../..", NULL), 0);
    assert_int_equal(rh_confinement_capability(c, "CAP_FOWNER", NULL), 0);
    assert_int_equal(rh_confinement_capability(c, "chown", NULL), 0);
    assert_int_equal(rh_confinement_tcp(c, false, 443, NULL), 0);
    assert_int_equal(rh_confinement_tcp(c, true, 80, NULL), 0);
    assert_int_equal(rh_confinement_tcp(c, false, 443, NULL), 0);
    rh_confinement_permit(c, RH_PERMIT_UDP | RH_PERMIT_CLOCK);
    text = rh_confinement_text(c);
    assert_string_equal(text, "read /etc/passwd\nread /etc/cron.d\nwrite /etc/cron.d\nedit /dev/\\x1bsda\n"
                              "device /dev/\\x1bsda\nexecute /\nmake /\ncapability chown\ncapability fowner\n"
                              "network tcp connect 443\nnetwork tcp bind 80\nnetwork udp\nclock\n");
}

static void
what_is_wrong_in_a_plan_is_refused(void **state)
{
    rh_autoconfinement struct rh_confinement *c = rh_confinement_new();
    rh_autoerror struct rh_error path = { 0 }, capability = { 0 }, low = { 0 }, high = { 0 };

    (void)state;
    assert_int_equal(rh_confinement_path(c, RH_ACCESS_READ, "etc", &path), -1);
    assert_string_equal(path.message, "path 'etc' of a confinement is not absolute");
    assert_int_equal(rh_confinement_capability(c, "chwon", &capability), -1);
    assert_string_equal(capability.message, "unknown capability 'chwon'");
    assert_string_equal(capability.hint, "did you mean 'chown'?");
    assert_int_equal(rh_confinement_tcp(c, false, 0, &low), -1);
    assert_string_equal(low.message, "TCP port 0 is not between 1 and 65535");
    assert_int_equal(rh_confinement_tcp(c, false, 65536, &high), -1);
}

static void
a_plan_covers_what_is_below_its_paths(void **state)
{
    rh_autoconfinement struct rh_confinement *c = rh_confinement_new();

    (void)state;
    assert_int_equal(rh_confinement_path(c, RH_ACCESS_WRITE, "/etc/cron.d", NULL), 0);
    assert_int_equal(rh_confinement_path(c, RH_ACCESS_READ, "/etc", NULL), 0);
    assert_true(rh_confinement_covers(c, RH_ACCESS_WRITE, "/etc/cron.d"));
    assert_true(rh_confinement_covers(c, RH_ACCESS_READ | RH_ACCESS_MAKE, "/etc/cron.d/a/b"));
    assert_true(rh_confinement_covers(c, RH_ACCESS_READ, "/etc/shadow"));
    assert_false(rh_confinement_covers(c, RH_ACCESS_EDIT, "/etc/cron.daily"));
    assert_false(rh_confinement_covers(c, RH_ACCESS_EDIT, "/etc/cron.d/../shadow"));
    assert_false(rh_confinement_covers(c, RH_ACCESS_DEVICE, "/etc/cron.d"));
    assert_false(rh_confinement_covers(c, RH_ACCESS_READ, "/"));
    assert_false(rh_confinement_covers(c, RH_ACCESS_READ, "/etcetera"));
    rh_confinement_permit(c, RH_PERMIT_MOUNT);
    assert_true(rh_confinement_covers(c, RH_ACCESS_ALL, "/"));
}

static void
a_missing_need_is_named(void **state)
{
    rh_autoconfinement struct rh_confinement *c = rh_confinement_new();
    rh_autoerror struct rh_error write = { 0 }, device = { 0 }, none = { 0 };

    (void)state;
    assert_int_equal(rh_confinement_path(c, RH_ACCESS_READ, "/etc", NULL), 0);
    assert_int_equal(rh_confinement_explain(c, "x", RH_ACCESS_READ | RH_ACCESS_EDIT, "/etc//shadow", &write),
                     -1);
    assert_string_equal(write.message, "provider 'x' tried to write '/etc/shadow', which it does not declare "
                                       "('write /etc/shadow')");
    assert_int_equal(rh_confinement_explain(c, "x", RH_ACCESS_DEVICE, "/dev/sda", &device), -1);
    assert_string_equal(device.message, "provider 'x' tried to use the device '/dev/sda', which it does not "
                                        "declare ('device /dev/sda')");
    assert_int_equal(rh_confinement_explain(c, "x", RH_ACCESS_READ, "/etc/shadow", &none), 0);
    assert_null(none.message);
}

static unsigned
gaps_with(struct rh_confinement *c, int landlock, bool seccomp, bool namespaces)
{
    struct rh_mechanisms m = { landlock, seccomp, namespaces, 469 };

    rh_confinement_assume(c, &m);
    return rh_confinement_gaps(c);
}

static void
what_an_older_kernel_lacks_is_known(void **state)
{
    rh_autoconfinement struct rh_confinement *c = rh_confinement_new(), *mounts = rh_confinement_new();
    const unsigned always = machine().namespaces ? 0 : RH_GAP_METADATA | RH_GAP_TMP;

    (void)state;
    need(machine().landlock >= 6 && machine().seccomp, "Landlock 6 and seccomp");
    assert_int_equal(rh_confinement_path(c, RH_ACCESS_WRITE, "/etc/cron.d", NULL), 0);
    assert_int_equal(gaps_with(c, 7, true, true), always);
    assert_int_equal(gaps_with(c, 4, true, true), always | RH_GAP_DEVICES);
    assert_int_equal(gaps_with(c, 2, true, true), always | RH_GAP_DEVICES | RH_GAP_TRUNCATE);
    assert_int_equal(gaps_with(c, 1, true, true), always | RH_GAP_DEVICES | RH_GAP_TRUNCATE | RH_GAP_MOVE);
    assert_int_equal(gaps_with(c, 0, true, true), always | RH_GAP_FILES);
    assert_int_equal(gaps_with(c, 0, false, false), RH_GAP_FILES | RH_GAP_CALLS | RH_GAP_SIGNALS
                                                        | RH_GAP_NETWORK | RH_GAP_METADATA | RH_GAP_TMP);
    rh_confinement_permit(c, RH_PERMIT_UNIX | RH_PERMIT_SIGNAL | RH_PERMIT_TMP);
    assert_int_equal(rh_confinement_tcp(c, false, 443, NULL), 0);
    assert_int_equal(gaps_with(c, 3, true, false),
                     RH_GAP_DEVICES | RH_GAP_PORTS | RH_GAP_ABSTRACT | RH_GAP_UNIX_PATHS | RH_GAP_METADATA);
    rh_confinement_permit(mounts, RH_PERMIT_MOUNT);
    assert_int_equal(gaps_with(mounts, 7, true, true), RH_GAP_UNCONFINED_PATHS);
    for (unsigned i = 0; i < RH_GAPS; i++)
        assert_non_null(rh_gap_text(1U << i));
    assert_null(rh_gap_text(1U << RH_GAPS));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_listed_by_its_needs),
        cmocka_unit_test(what_is_wrong_in_a_plan_is_refused),
        cmocka_unit_test(a_plan_covers_what_is_below_its_paths),
        cmocka_unit_test(a_missing_need_is_named),
        cmocka_unit_test(what_an_older_kernel_lacks_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
