/* SPDX-License-Identifier: Apache-2.0 */
/* test-units - which services are captured of a machine with systemd, and what of them. The machine is a
 * table of files here; one that boots is in tests/system/capture.bats. */
#include "config.h"

#include "capture/parts.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ETC "/etc/systemd/system"
#define LIB "/usr/lib/systemd/system"
#define INSTALL "[Install]\nWantedBy=multi-user.target\n"

/* Of a link the text is its target. */
static const struct {
    const char *path, *text;
    mode_t kind;
} files[] = {
    { ETC "/getty.target.wants", NULL, S_IFDIR },
    { ETC "/getty.target.wants/getty@tty1.service", LIB "/getty@.service", S_IFLNK },
    { ETC "/getty.target.wants/getty@tty2.service", LIB "/getty@.service", S_IFLNK },
    { ETC "/getty.target.wants/plain.service", LIB "/plain.service", S_IFLNK },
    { ETC "/link.service", LIB "/preset.service", S_IFLNK },
    { ETC "/masked.mount", "/dev/null", S_IFLNK },
    { ETC "/masked.service", "/dev/null", S_IFLNK },
    { ETC "/masked.target", "/dev/null", S_IFLNK },
    { ETC "/masked.txt", "/dev/null", S_IFLNK },
    { ETC "/more.service", "/dev/nullx", S_IFLNK },
    { ETC "/nine.service", "/dev/zero", S_IFLNK },
    { ETC "/ours.service", "[Service]\n", S_IFREG },
    { ETC "/ours.timer", "[Timer]\n" INSTALL, S_IFREG },
    { ETC "/resting.service", "[Service]\n", S_IFREG },
    { ETC "/unit.mount", INSTALL, S_IFREG },
    { LIB "/disabled.service", INSTALL, S_IFREG },
    { LIB "/getty@.service", "[Service]\n" INSTALL "DefaultInstance=tty1\n", S_IFREG },
    { LIB "/hidden.service", "/dev/null", S_IFLNK },
    { LIB "/plain.service", "[Service]\n", S_IFREG },
    { LIB "/preset.service", INSTALL, S_IFREG },
};

enum { N_FILES = sizeof files / sizeof files[0] };

static bool with_systemd, is_wanted;
static struct rh_buf asked, captured;

static size_t
find(const char *path)
{
    size_t i = 0;

    while (i < N_FILES && strcmp(files[i].path, path) != 0)
        i++;
    return i;
}

static int
fake_access(const char *path)
{
    return strcmp(path, "/run/systemd/system") == 0 && with_systemd ? 0 : -1;
}

static int
fake_lstat(const char *path, struct stat *st)
{
    size_t i = find(path);

    if (i == N_FILES)
        return -1;
    st->st_mode = files[i].kind;
    return 0;
}

static ssize_t
fake_readlink(const char *path, char *target, size_t n)
{
    size_t i = find(path), len = i < N_FILES ? strlen(files[i].text) : 0;

    len = len < n ? len : n;
    memcpy(target, files[i].text, len);
    return (ssize_t)len;
}

static size_t
fake_names(struct looking *l, const char *folder, const char ***names)
{
    size_t n = 0, len = strlen(folder);

    *names = rh_arena_alloc(l->arena, (N_FILES + 1) * sizeof **names);
    for (size_t i = 0; i < N_FILES; i++)
        if (strncmp(files[i].path, folder, len) == 0 && files[i].path[len] == '/'
            && !strchr(files[i].path + len + 1, '/'))
            (*names)[n++] = files[i].path + len + 1;
    return n;
}

static char *
fake_read(struct looking *l, const char *path, size_t *n, struct stat *st)
{
    size_t i = find(path);

    (void)st;
    if (i == N_FILES || files[i].kind != S_IFREG)
        return NULL;
    *n = strlen(files[i].text);
    return rh_arena_strdup(l->arena, files[i].text);
}

static bool
fake_owns(const char *path)
{
    return strncmp(path, LIB "/", sizeof LIB) == 0;
}

static bool
fake_enables(const char *unit)
{
    return strcmp(unit, "disabled.service") != 0;
}

static struct rh_captured *
fake_add(const char *heading, const char *type, const struct rh_value *item)
{
    assert_string_equal(heading, "Services");
    assert_string_equal(type, "service");
    rh_buf_addf(&captured, "%s", rh_value_get_str(item, "name", ""));
    if (rh_value_get(item, "enable"))
        rh_buf_add(&captured, rh_capture_is_true(item, "enable") ? " enabled" : " disabled");
    if (rh_value_get(item, "mask"))
        rh_buf_add(&captured, " masked");
    if (rh_value_get(item, "ensure"))
        rh_buf_addf(&captured, " %s", rh_value_get_str(item, "ensure", ""));
    rh_buf_add(&captured, "\n");
    return NULL;
}

static struct rh_value *listed;

#define access(path, mode) fake_access(path)
#define lstat fake_lstat
#define readlink fake_readlink
#define rh_capture_add(l, heading, type, item) fake_add(heading, type, item)
#define rh_capture_list(l, type) listed
#define rh_capture_names fake_names
#define rh_capture_read fake_read
#define rh_dpkg_owns(l, path) fake_owns(path)
#define rh_preset_enables(presets, unit) fake_enables(unit)
#define rh_preset_read(l) NULL
#undef ETC
#undef LIB
#include "../../core/capture/units.c"

static bool
wants(void *data, const char *type)
{
    (void)data;
    return is_wanted && strcmp(type, "service") == 0;
}

static int
answer(void *data, const char *type, const struct rh_value *names, struct rh_value *found)
{
    (void)type;
    for (size_t i = 0; i < rh_value_count(names); i++)
        rh_buf_addf(&asked, "%s\n", rh_value_get_str(rh_value_at(names, i), "name", ""));
    for (size_t i = 0; i < rh_value_count(listed); i++)
        rh_value_append(found, rh_value_at(listed, i));
    return data ? -1 : 0;
}

/* What is captured when the provider says this of the units. */
static const char *
capture(const char *json, void *data, bool *failed)
{
    static char text[2000];
    struct rh_arena *a = rh_arena_new(NULL);
    const struct rh_capture_options options = { .arena = a, .data = data, .wants = wants, .read = answer };
    struct looking l = { .options = &options, .arena = a };

    rh_buf_clear(&asked);
    rh_buf_clear(&captured);
    listed = rh_value_from_json(a, json, strlen(json), NULL);
    assert_non_null(listed);
    rh_capture_services(&l);
    (void)snprintf(text, sizeof text, "%s", rh_buf_text(&captured));
    if (failed)
        *failed = l.failed;
    rh_arena_free(a);
    return text;
}

static int
setup(void **state)
{
    (void)state;
    with_systemd = is_wanted = true;
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    rh_buf_clear(&asked);
    rh_buf_clear(&captured);
    return 0;
}

static void
units_that_may_be_decided_on_are_asked_about(void **state)
{
    bool failed;

    (void)state;
    (void)capture("[]", NULL, &failed);
    assert_false(failed);
    assert_string_equal(
        rh_buf_text(&asked),
        "masked.mount\nmasked.service\nmasked.target\nours.service\nours.timer\nresting.service\n"
        "disabled.service\nhidden.service\nplain.service\npreset.service\n"
        "getty@tty1.service\ngetty@tty2.service\n");
    (void)capture("[]", &failed, &failed);
    assert_true(failed);
    is_wanted = false;
    (void)capture("[]", NULL, NULL);
    assert_string_equal(rh_buf_text(&asked), "");
}

static void
what_presets_say_is_left_out(void **state)
{
    (void)state;
    assert_string_equal(
        capture("[{\"name\": \"preset\", \"enable\": true, \"ensure\": \"running\"},"
                " {\"name\": \"disabled.service\", \"enable\": false, \"ensure\": \"stopped\"}]",
                NULL, NULL),
        "");
    assert_string_equal(
        capture("[{\"name\": \"preset\", \"enable\": false, \"ensure\": \"stopped\"},"
                " {\"name\": \"disabled.service\", \"enable\": true, \"ensure\": \"stopped\"}]",
                NULL, NULL),
        "preset disabled stopped\ndisabled.service enabled\n");
    assert_string_equal(capture("[{\"name\": \"preset\", \"enable\": false, \"ensure\": \"running\"},"
                                " {\"name\": \"plain.service\", \"enable\": false, \"ensure\": \"running\"},"
                                " {\"name\": \"nowhere\", \"enable\": false, \"ensure\": \"running\"}]",
                                NULL, NULL),
                        "preset disabled running\n");
}

static void
our_own_units_are_captured(void **state)
{
    (void)state;
    assert_string_equal(
        capture("[{\"name\": \"ours.service\", \"enable\": false, \"ensure\": \"running\"},"
                " {\"name\": \"resting.service\", \"enable\": false, \"ensure\": \"stopped\"},"
                " {\"name\": \"ours.timer\", \"enable\": true, \"ensure\": \"stopped\"}]",
                NULL, NULL),
        "ours.service running\nours.timer enabled\n");
}

static void
instances_are_captured_that_no_preset_enables(void **state)
{
    (void)state;
    assert_string_equal(
        capture("[{\"name\": \"getty@tty1.service\", \"enable\": true, \"ensure\": \"running\"},"
                " {\"name\": \"getty@tty2.service\", \"enable\": true, \"ensure\": \"running\"},"
                " {\"name\": \"getty@tty3.service\", \"enable\": false, \"ensure\": \"stopped\"},"
                " {\"name\": \"getty@tty.service\", \"enable\": true, \"ensure\": \"stopped\"}]",
                NULL, NULL),
        "getty@tty2.service enabled running\ngetty@tty.service enabled\n");
}

static void
masks_are_those_that_somebody_made(void **state)
{
    (void)state;
    assert_string_equal(capture("[{\"name\": \"masked\", \"mask\": true, \"ensure\": \"stopped\"},"
                                " {\"name\": \"masked.mount\", \"mask\": true, \"ensure\": \"running\"},"
                                " {\"name\": \"masked.target\", \"mask\": true, \"ensure\": \"stopped\"},"
                                " {\"name\": \"hidden\", \"mask\": true, \"ensure\": \"stopped\"}]",
                                NULL, NULL),
                        "masked masked stopped\nmasked.mount masked\nmasked.target masked\n");
    assert_string_equal(
        capture("[{\"name\": \"masked.service\", \"mask\": true, \"ensure\": \"stopped\"}]", NULL, NULL),
        "masked.service masked stopped\n");
}

static void
without_systemd_scripts_that_are_not_started_are_captured(void **state)
{
    (void)state;
    with_systemd = false;
    assert_string_equal(capture("[{\"name\": \"on\", \"enable\": true, \"ensure\": \"running\"},"
                                " {\"name\": \"off\", \"enable\": false, \"ensure\": \"stopped\"}]",
                                NULL, NULL),
                        "off disabled stopped\n");
    assert_string_equal(rh_buf_text(&asked), "");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(units_that_may_be_decided_on_are_asked_about, setup, teardown),
        cmocka_unit_test_setup_teardown(what_presets_say_is_left_out, setup, teardown),
        cmocka_unit_test_setup_teardown(our_own_units_are_captured, setup, teardown),
        cmocka_unit_test_setup_teardown(instances_are_captured_that_no_preset_enables, setup, teardown),
        cmocka_unit_test_setup_teardown(masks_are_those_that_somebody_made, setup, teardown),
        cmocka_unit_test_setup_teardown(without_systemd_scripts_that_are_not_started_are_captured, setup,
                                        teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
