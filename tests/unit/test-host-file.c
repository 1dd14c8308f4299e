/* SPDX-License-Identifier: Apache-2.0 */
/* test-host-file - reading, editing and writing a file of hosts(5). */
#include "config.h"

#include "../../plugins/host/hosts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct hosts *
read_hosts(const char *text)
{
    char path[] = "/tmp/rhost-hosts-XXXXXX";
    int fd = mkstemp(path);
    struct hosts *h;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    h = hosts_read(path, fd, 4);
    close(fd);
    unlink(path);
    assert_non_null(h);
    return h;
}

static void
assert_written(struct hosts *h, const char *expected)
{
    size_t len;
    char *text = hosts_write(h, &len);

    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
    hosts_free(h);
}

static void
what_is_not_edited_stays(void **state)
{
    static const char text[] = "# a\n\n  127.0.0.1\tlocalhost  x # y\nnonsense\n1.2.3 a\n\t\n::1 b\n";

    (void)state;
    assert_written(read_hosts(text), text);
    assert_written(read_hosts("::1 b"), "::1 b");
    assert_written(read_hosts(""), "");
}

static void
a_name_is_found_on_its_own_line_first(void **state)
{
    struct hosts *h = read_hosts("10.0.0.1 x a\n10.0.0.2 a\n::2 a\n10.0.0.3 A\n");
    size_t at;

    (void)state;
    assert_string_equal(hosts_find(h, "a", NULL, &at)->ip, "10.0.0.2");
    assert_string_equal(hosts_find(h, "a", "10.0.0.3", &at)->ip, "10.0.0.3");
    assert_string_equal(hosts_find(h, "a", "::9", &at)->ip, "::2");
    assert_string_equal(hosts_find(h, "a", "10.9.9.9", &at)->ip, "10.0.0.2");
    assert_int_equal(at, 0);
    assert_null(hosts_find(h, "b", NULL, &at));
    hosts_free(h);
}

static void
a_name_leaves_the_lines_of_others(void **state)
{
    struct hosts *h = read_hosts("10.0.0.1 x a b # c\n10.0.0.2 a\n::2 y a\n");
    size_t at;

    (void)state;
    hosts_remove(h, "a", "10.0.0.9");
    assert_string_equal(hosts_find(h, "a", NULL, &at)->ip, "10.0.0.2");
    assert_written(h, "10.0.0.1 x b # c\n10.0.0.2 a\n::2 y a\n");
    h = read_hosts("10.0.0.1 x a b # c\n10.0.0.2 a\n::2 y a\n");
    hosts_remove(h, "a", NULL);
    assert_null(hosts_find(h, "a", NULL, &at));
    assert_written(h, "10.0.0.1 x b # c\n::2 y\n");
}

static void
addresses_have_one_form(void **state)
{
    char ip[INET6_ADDRSTRLEN];

    (void)state;
    assert_int_equal(hosts_canonical_ip("2001:DB8:0::01", ip, sizeof ip), 0);
    assert_string_equal(ip, "2001:db8::1");
    assert_int_equal(hosts_canonical_ip("10.0.0", ip, sizeof ip), -1);
    assert_int_equal(hosts_canonical_ip("10.0.0.256", ip, sizeof ip), -1);
    assert_int_equal(hosts_canonical_ip("name", ip, sizeof ip), -1);
}

static void
no_file_is_an_empty_one(void **state)
{
    struct hosts *h = hosts_read("/no/such/file", -1, 0);

    (void)state;
    assert_non_null(h);
    assert_true(hosts_is_fresh(h, "/no/such/file"));
    assert_false(hosts_is_fresh(h, "/etc/passwd"));
    assert_written(h, "");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_edited_stays),
        cmocka_unit_test(a_name_is_found_on_its_own_line_first),
        cmocka_unit_test(a_name_leaves_the_lines_of_others),
        cmocka_unit_test(addresses_have_one_form),
        cmocka_unit_test(no_file_is_an_empty_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
