/* SPDX-License-Identifier: Apache-2.0 */
/* The rights that types need: how they are written, and for whom they suffice. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "schema/need.h"
#include "schema/type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static int
setup(void **state)
{
    *state = rh_arena_new(NULL);
    return 0;
}

static int
teardown(void **state)
{
    rh_arena_free(*state);
    return 0;
}

/* A type with these needs, JSON texts; NULL with the message. */
static struct rh_type *
type_with(struct rh_arena *a, const char *needs, struct rh_error *err)
{
    rh_autofree char *text =
        rh_printf("{\"type\": \"job\", \"provider\": \"job\", \"slots\": 64, \"attributes\": ["
                  "{\"name\": \"name\", \"type\": \"String[1]\", \"behaviour\": 1},"
                  "{\"name\": \"user\", \"type\": \"Optional[Variant[String, Integer, Array[String]]]\"},"
                  "{\"name\": \"target\", \"type\": \"Optional[String]\"},"
                  "{\"name\": \"apply\", \"type\": \"Optional[Boolean]\"}], \"needs\": [%s]}",
                  needs);

    return rh_type_read(a, rh_value_from_json(a, text, strlen(text), NULL), err);
}

static bool
can_write(const char *path)
{
    return strncmp(path, "/home/anna/", 11) == 0;
}

/* Whether anna, number 1001, may apply a resource with these attributes. */
static bool
anna_may(struct rh_arena *a, const char *needs, const char *should)
{
    static const struct rh_rights anna = { .uid = 1001, .user = "anna", .writable = can_write };
    static const struct rh_rights root = { .uid = 0, .user = "root", .writable = can_write };
    static const char name[] = "{\"name\": \"x\"}";
    rh_autoerror struct rh_error err = { 0 };
    struct rh_type *t = type_with(a, needs, &err);
    const struct rh_value *names = rh_value_from_json(a, name, sizeof name - 1, NULL);
    const struct rh_value *values = rh_value_from_json(a, should, strlen(should), NULL);

    assert_non_null(t);
    assert_true(rh_needs_are_met(t, names, values, &root));
    return rh_needs_are_met(t, names, values, &anna);
}

static void
what_needs_nothing_is_met(void **state)
{
    assert_true(anna_may(*state, "", "{}"));
}

static void
root_is_root(void **state)
{
    assert_false(anna_may(*state, "\"root\"", "{}"));
    assert_false(anna_may(*state, "\"user[$user]\", \"root\"", "{\"user\": \"anna\"}"));
}

static void
a_user_is_that_user(void **state)
{
    static const char need[] = "\"user[$user]\"";

    assert_true(anna_may(*state, need, "{\"user\": \"anna\"}"));
    assert_false(anna_may(*state, need, "{\"user\": \"bob\"}"));
    assert_true(anna_may(*state, need, "{\"user\": \"1001\"}"));
    assert_false(anna_may(*state, need, "{\"user\": \"1002\"}"));
    assert_false(anna_may(*state, need, "{\"user\": [\"anna\", \"bob\"]}"));
    assert_true(anna_may(*state, need, "{}")); /* nobody was named */
}

static void
writing_is_asked_for_by_path(void **state)
{
    static const char need[] = "\"write[$target]\"";

    assert_true(anna_may(*state, need, "{\"target\": \"/home/anna/x\"}"));
    assert_false(anna_may(*state, need, "{\"target\": \"/etc/x\"}"));
    assert_true(anna_may(*state, need, "{\"target\": \"crontab:anna\"}")); /* no path: nothing is known */
    assert_true(anna_may(*state, need, "{}"));
    assert_false(anna_may(*state, "\"write[/etc/$target]\"", "{\"target\": \"x\"}"));
}

/* It may be in sync, or the user's own. */
static void
no_right_is_asked_for_the_path_of_the_resource_itself(void **state)
{
    assert_true(anna_may(*state, "\"write[$name]\", \"write[$name/x]\"", "{}"));
    assert_false(anna_may(*state, "\"write[$name]\", \"write[$target]\"", "{\"target\": \"/etc/x\"}"));
}

static void
conditions_are_those_of_claims(void **state)
{
    assert_false(anna_may(*state, "\"root if $apply\"", "{\"apply\": true}"));
    assert_true(anna_may(*state, "\"root if $apply\"", "{\"apply\": false}"));
    assert_true(anna_may(*state, "\"root if $apply\"", "{}"));
    assert_true(anna_may(*state, "\"root unless $target\"", "{\"target\": \"/x\"}"));
    assert_false(anna_may(*state, "\"root unless $target\"", "{\"target\": \"\"}"));
    assert_false(anna_may(*state, "\"root if $apply unless $target\"", "{\"apply\": true}"));
    assert_true(
        anna_may(*state, "\"root if $apply unless $target\"", "{\"apply\": true, \"target\": \"/x\"}"));
    assert_true(
        anna_may(*state, "\"user[$user] unless $target\"", "{\"user\": \"bob\", \"target\": \"/x\"}"));
}

static void
what_is_no_need_is_refused(void **state)
{
    static const char shape[] =
        "expected 'root', or one of user, write, read, run, socket, dbus, network and "
        "capability, as in 'write[$attribute]', and ' if $attribute' or ' unless "
        "$attribute' after it";
    static const char *const cases[][2] = {
        { "\"rot\"", "type 'job': invalid need 'rot': " },
        { "\"rooted\"", "type 'job': invalid need 'rooted': " },
        { "\"\"", "type 'job': invalid need '': " },
        { "5", "type 'job': invalid need '': " },
        { "\"group[$user]\"", "type 'job': invalid need 'group[$user]': " },
        { "\"write[$target/..]\"", "type 'job': invalid need 'write[$target/..]': " },
        { "\"write[]\"", "type 'job': invalid need 'write[]': " },
        { "\"root if target\"", "type 'job': invalid need 'root if target': " },
        { "\"root  if $target\"", "type 'job': invalid need 'root  if $target': " },
        { "\"root when $target\"", "type 'job': invalid need 'root when $target': " },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rh_autoerror struct rh_error err = { 0 };
        rh_autofree char *expected = rh_printf("%s%s", cases[i][1], shape);

        assert_null(type_with(*state, cases[i][0], &err));
        assert_string_equal(err.message, expected);
    }
}

/* What a resource needs, "write:/etc/x run:crontab". */
static void
note_need(void *data, enum rh_need_kind kind, const char *value)
{
    struct rh_buf *b = data;

    rh_buf_addf(b, "%s%s:%s", rh_buf_text(b)[0] ? " " : "", rh_need_word(kind), value ? value : "");
}

static void
each_need_has_the_values_of_the_resource(void **state)
{
    static const struct {
        const char *needs, *should, *expected;
    } cases[] = {
        { "", "{}", "" },
        { "\"root if $apply\"", "{\"apply\": true}", "root:" },
        { "\"root if $apply\", \"read[/etc]\"", "{}", "read:/etc" },
        { "\"write[$target]\"", "{\"target\": \"/etc/x\"}", "write:/etc/x" },
        { "\"write[$target]\"", "{\"target\": \"crontab:anna\"}", "" },
        { "\"write[$target]\"", "{\"target\": \"/etc/../root/x\"}", "" },
        { "\"write[$target]\"", "{\"target\": \"/etc/x/..\"}", "" },
        { "\"write[$target]\"", "{\"target\": \"/etc/..x\"}", "write:/etc/..x" },
        { "\"write[/etc/$target/x]\"", "{\"target\": \"a\"}", "write:/etc/a/x" },
        { "\"write[/etc/$target/x]\"", "{\"target\": \"../..\"}", "" },
        { "\"write[$target/../rc2.d/]\"", "{\"target\": \"/etc/init.d\"}", "write:/etc/rc2.d/" },
        { "\"write[$target/../x]\"", "{\"target\": \"/a\"}", "write:/x" },
        { "\"write[$target/../x]\"", "{\"target\": \"a/b\"}", "" },
        { "\"write[~$user]\"", "{\"user\": \"anna\"}", "write:~anna" },
        { "\"read[~*/.ssh]\"", "{}", "read:~*/.ssh" },
        { "\"run[$target/*]\"", "{\"target\": \"/etc/init.d\"}", "run:/etc/init.d/*" },
        { "\"write[~$user/.ssh]\"", "{\"user\": \"anna\"}", "write:~anna/.ssh" },
        { "\"write[~$user/.ssh]\"", "{\"user\": [\"anna\", \"bob\"]}", "write:~anna/.ssh write:~bob/.ssh" },
        { "\"write[~$user/.ssh]\"", "{\"user\": \"\"}", "" },
        { "\"run[$target]\"", "{\"target\": \"/bin/x\"}", "run:/bin/x" },
        { "\"run[$target]\"", "{\"target\": \"bin/x\"}", "" },
        { "\"run[*] if $apply\", \"run[x]\"", "{\"apply\": true}", "run:* run:x" },
        { "\"dbus[org.freedesktop.systemd1]\"", "{}", "dbus:org.freedesktop.systemd1" },
        { "\"network[tcp:$target]\"", "{\"target\": \"443\"}", "network:tcp:443" },
        { "\"network[tcp:$target]\"", "{\"target\": \"65536\"}", "" },
        { "\"network[tcp:$target]\"", "{\"target\": \"0\"}", "" },
        { "\"network[tcp]\", \"network[udp]\"", "{}", "network:tcp network:udp" },
        { "\"capability[chown fowner]\"", "{}", "capability:chown capability:fowner" },
        { "\"capability[CAP_CHOWN]\"", "{}", "capability:CAP_CHOWN" },
        { "\"socket[/run/x]\"", "{}", "socket:/run/x" },
    };
    static const char name[] = "{\"name\": \"x\"}";
    const struct rh_value *names = rh_value_from_json(*state, name, sizeof name - 1, NULL);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rh_autoerror struct rh_error err = { 0 };
        rh_autobuf struct rh_buf b = { 0 };
        struct rh_type *t = type_with(*state, cases[i].needs, &err);

        assert_non_null(t);
        rh_needs_each(t, names, rh_value_from_json(*state, cases[i].should, strlen(cases[i].should), NULL),
                      note_need, &b);
        assert_string_equal(rh_buf_text(&b), cases[i].expected);
    }
}

static void
what_is_in_the_brackets_is_checked(void **state)
{
    static const char *const cases[][2] = {
        { "write[etc]", "an absolute path" },
        { "write[/etc/../x]", "an absolute path" },
        { "write[etc/$target]", "an absolute path" },
        { "read[~/x]", "an absolute path" },
        { "read[~]", "an absolute path" },
        { "socket[x]", "an absolute path" },
        { "run[bin/x]", "a path, the name of a program, or '*'" },
        { "run[a b]", "a path, the name of a program, or '*'" },
        { "run[* ]", "a path, the name of a program, or '*'" },
        { "network[tcp:0443]", "'tcp', 'tcp:443' or 'udp'" },
        { "capability[ ]", "names of capabilities(7), such as 'chown fowner'," },
        { "run[/bin/../x]", "a path, the name of a program, or '*'" },
        { "dbus[systemd]", "a name such as 'org.freedesktop.systemd1'" },
        { "dbus[.systemd]", "a name such as 'org.freedesktop.systemd1'" },
        { "dbus[org.]", "a name such as 'org.freedesktop.systemd1'" },
        { "dbus[a..b]", "a name such as 'org.freedesktop.systemd1'" },
        { "dbus[a.b/c]", "a name such as 'org.freedesktop.systemd1'" },
        { "network[ip]", "'tcp', 'tcp:443' or 'udp'" },
        { "network[tcp:0]", "'tcp', 'tcp:443' or 'udp'" },
        { "network[tcp:65536]", "'tcp', 'tcp:443' or 'udp'" },
        { "network[tcp:4x]", "'tcp', 'tcp:443' or 'udp'" },
        { "network[tcp:]", "'tcp', 'tcp:443' or 'udp'" },
        { "capability[fly]", "names of capabilities(7), such as 'chown fowner'," },
        { "capability[chown fly]", "names of capabilities(7), such as 'chown fowner'," },
        { "capability[$user]", "names of capabilities(7), such as 'chown fowner'," },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rh_autoerror struct rh_error err = { 0 };
        rh_autofree char *need = rh_printf("\"%s\"", cases[i][0]);
        rh_autofree char *expected =
            rh_printf("type 'job': invalid need '%s': expected %s in the brackets", cases[i][0], cases[i][1]);

        assert_null(type_with(*state, need, &err));
        assert_string_equal(err.message, expected);
    }
}

static void
to_need_nothing_can_be_declared(void **state)
{
    static const char text[] = "{\"type\": \"job\", \"provider\": \"job\", \"slots\": 64, \"attributes\": ["
                               "{\"name\": \"name\", \"type\": \"String[1]\", \"behaviour\": 1}]}";
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_type *t =
        rh_type_read(*state, rh_value_from_json(*state, text, sizeof text - 1, NULL), &err);

    assert_non_null(t);
    assert_false(t->declares_needs);
    t = type_with(*state, "", &err);
    assert_non_null(t);
    assert_true(t->declares_needs);
}

static void
a_need_names_attributes_of_its_type(void **state)
{
    rh_autoerror struct rh_error err = { 0 };

    assert_null(type_with(*state, "\"root if $aply\"", &err));
    assert_string_equal(err.message, "type 'job': unknown attribute in the need 'root if $aply'");
    rh_error_clear(&err);
    assert_null(type_with(*state, "\"user[$usr]\"", &err));
    assert_non_null(strstr(err.message, "unknown attribute in the relation 'user[$usr]'"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_needs_nothing_is_met, setup, teardown),
        cmocka_unit_test_setup_teardown(root_is_root, setup, teardown),
        cmocka_unit_test_setup_teardown(a_user_is_that_user, setup, teardown),
        cmocka_unit_test_setup_teardown(writing_is_asked_for_by_path, setup, teardown),
        cmocka_unit_test_setup_teardown(no_right_is_asked_for_the_path_of_the_resource_itself, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(conditions_are_those_of_claims, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_no_need_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(each_need_has_the_values_of_the_resource, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_in_the_brackets_is_checked, setup, teardown),
        cmocka_unit_test_setup_teardown(to_need_nothing_can_be_declared, setup, teardown),
        cmocka_unit_test_setup_teardown(a_need_names_attributes_of_its_type, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
